#include "cli/goodput_ask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "cli/say.h"
#include "run/step_summary.h"

enum { USUAL_RUNS = 100, MOST_RUNS = 100000, MOST_SPARES = 1 << 20 };

#define MOST_STOPS 1e8
#define USUAL_DAYS 30.0

/* -- reading ----------------------------------------------------------------------------------- */

/* A time in s, above 0 unless `or_zero`; `*s` stays if there is none. */
static enum status read_time(const char *option, const char *text, bool or_zero, double *s,
                             struct diag *diag)
{
    double ns;
    struct diag wrong = DIAG_NONE;
    if (!text)
        return STATUS_OK;
    if (units_parse_duration(text, NULL, &ns, NULL, &wrong) != STATUS_OK || !(ns < 1e21) ||
        (ns <= 0 && !or_zero))
        return usage_error(diag, option,
                           "expected a time%s such as 30s, 10min or 50000h, found "
                           "\"%.40s\"",
                           or_zero ? "" : " above 0", text);
    *s = ns / 1e9;
    return STATUS_OK;
}

static enum status read_count(const char *option, const char *text, uint64_t least, uint64_t most,
                              uint64_t *to, struct diag *diag)
{
    if (!text)
        return STATUS_OK;
    if (!decimal_u64(text, strlen(text), to) || *to < least || *to > most)
        return usage_error(diag, option, "expected a number from %llu to %llu, found \"%.40s\"",
                           (unsigned long long)least, (unsigned long long)most, text);
    return STATUS_OK;
}

static enum status read_real(const char *option, const char *text, double most, double *to,
                             struct diag *diag)
{
    if (!text)
        return STATUS_OK;
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value > 0) || value > most)
        return usage_error(diag, option, "expected a number above 0, at most %g, found \"%.40s\"",
                           most, text);
    *to = value;
    return STATUS_OK;
}

/* -- the step ---------------------------------------------------------------------------------- */

static enum status given_step(struct estimating *all)
{
    const struct goodput_options *asked = all->asked;
    struct goodput_input *input = &all->input;
    uint64_t devices = 0, tokens = 0;
    if (asked->run.inputs.word || asked->run.inputs.cluster)
        return usage_error(&all->diag, "--step-time", "is instead of a job");
    if (!asked->devices)
        return usage_error(&all->diag, "--devices", "is needed with --step-time");
    enum status status =
        read_time("--step-time", asked->step_time, false, &input->step_s, &all->diag);
    if (status == STATUS_OK)
        status = read_count("--devices", asked->devices, 1, UINT32_MAX, &devices, &all->diag);
    if (status == STATUS_OK)
        status = read_count("--tokens", asked->tokens, 1, UINT64_MAX, &tokens, &all->diag);
    input->devices = (uint32_t)devices;
    input->tokens = (double)tokens;
    snprintf(all->name, sizeof all->name, "a job");
    return status;
}

/* What a checkpoint of the job holds: weights, optimizer states and master copies. */
static double checkpoint_bytes(const struct job_spec *spec)
{
    const struct train_plan *plan = &spec->plan;
    uint64_t parameters = model_spec_parameters(&spec->model);
    return (double)data_type_bytes(plan->weight_type, parameters) +
           (double)data_type_bytes(plan->optimizer_type, 2 * parameters) +
           (plan->master_weights ? (double)data_type_bytes(TYPE_FP32, parameters) : 0);
}

static enum status simulated_step(struct estimating *all)
{
    struct job *job = &all->job;
    if (all->asked->devices || all->asked->tokens)
        return usage_error(&all->diag, all->asked->devices ? "--devices" : "--tokens",
                           "is for --step-time: a job knows its own");
    enum status status = job_load(job);
    if (status == STATUS_OK)
        status = simulate(&job->config, work_load_of(&job->work), &job->groups, NULL, &job->result,
                          &job->diag);
    if (status != STATUS_OK) {
        diag_fail(&job->diag, status, "the step did not end: %s", status_help(status));
        all->diag = job->diag;
        return status;
    }
    all->input.step_s = (double)job->result.end_ps / 1e12;
    all->input.devices = job->config.network.npu_count;
    snprintf(all->name, sizeof all->name, "%.290s", job_name(job));
    if (job->work.has_job) {
        const struct step_figures step = step_summary(&job->work.spec, &job->config);
        all->input.tokens = (double)step.tokens;
        say_if_too_large(&step.memory, all->name, &job->result.notices);
        all->parameter_bytes = checkpoint_bytes(&job->work.spec);
        all->replica = all->input.devices / job->work.spec.plan.dp;
    }
    return STATUS_OK;
}

static enum status find_step(struct estimating *all)
{
    const struct inputs *inputs = &all->asked->run.inputs;
    if (all->asked->step_time)
        return given_step(all);
    if (inputs->word || inputs->cluster)
        return simulated_step(all);
    usage_error(&all->diag, NULL, "no job was given");
    diag_hint(&all->diag, "a model and --cluster, a RESULT, or --step-time 4s --devices 1024");
    return STATUS_USAGE;
}

/* -- failures, checkpoints, restarts ----------------------------------------------------------- */

static enum status read_failures(struct estimating *all)
{
    const struct goodput_options *asked = all->asked;
    struct goodput_input *input = &all->input;
    double device_s = 0, node_s = 0, per_day = 0;
    uint64_t node = input->devices < 8 ? input->devices : 8;
    enum status status =
        read_count("--node-size", asked->node_size, 1, input->devices, &node, &all->diag);
    if (status == STATUS_OK)
        status = read_time("--mtbf", asked->mtbf, false, &device_s, &all->diag);
    if (status == STATUS_OK)
        status = read_time("--node-mtbf", asked->node_mtbf, false, &node_s, &all->diag);
    if (status == STATUS_OK)
        status = read_real("--failures-per-day", asked->failures, 1e6, &per_day, &all->diag);
    double planned = 0;
    if (status == STATUS_OK)
        status = read_real("--planned-per-day", asked->planned, 1e6, &planned, &all->diag);
    if (status != STATUS_OK)
        return status;
    input->planned_per_s = planned / 86400;
    if (per_day > 0 && (device_s > 0 || node_s > 0))
        return usage_error(&all->diag, "--failures-per-day",
                           "is instead of --mtbf and --node-mtbf");
    input->node_devices = (uint32_t)node;
    input->failures_per_s = per_day / 86400;
    if (device_s > 0)
        input->failures_per_s += input->devices / device_s;
    if (node_s > 0)
        input->failures_per_s += ceil((double)input->devices / (double)node) / node_s;
    if (input->failures_per_s > 0)
        return STATUS_OK;
    usage_error(&all->diag, NULL, "how often does something fail?");
    diag_hint(&all->diag, "--mtbf 50000h of a device, --node-mtbf, or --failures-per-day 8");
    return STATUS_USAGE;
}

static enum status read_checkpoint(struct estimating *all)
{
    const struct goodput_options *asked = all->asked;
    struct goodput_input *input = &all->input;
    struct goodput_report *report = &all->report;
    struct diag wrong = DIAG_NONE;
    uint64_t bytes = 0;
    if (asked->size &&
        (units_parse_bytes(asked->size, NULL, &bytes, NULL, &wrong) != STATUS_OK || bytes == 0))
        return usage_error(&all->diag, "--checkpoint-size",
                           "expected a size such as 5TB, found "
                           "\"%.40s\"",
                           asked->size);
    if (asked->storage && units_parse_bandwidth(asked->storage, NULL, &report->storage_Bps, NULL,
                                                &wrong) != STATUS_OK)
        return usage_error(&all->diag, "--storage",
                           "expected a rate such as 2TB/s, found \"%.40s\"", asked->storage);
    report->checkpoint_bytes = bytes ? (double)bytes : all->parameter_bytes;
    bool is_known = report->checkpoint_bytes > 0 && report->storage_Bps > 0;
    if (!asked->write && !is_known) {
        usage_error(&all->diag, NULL, "how long does it take to write a checkpoint?");
        diag_hint(&all->diag,
                  report->checkpoint_bytes > 0
                      ? "--storage 2TB/s, or --checkpoint-time 30s"
                      : "--checkpoint-size 5TB --storage 2TB/s, or --checkpoint-time 30s");
        return STATUS_USAGE;
    }
    if (asked->write && asked->size)
        return usage_error(&all->diag, "--checkpoint-time", "is instead of --checkpoint-size");
    if (asked->write)
        report->checkpoint_bytes = 0;
    else
        input->write_s = report->checkpoint_bytes / report->storage_Bps;
    if (asked->is_async != (asked->stall != NULL))
        return usage_error(&all->diag, asked->is_async ? "--async" : "--stall",
                           asked->is_async ? "needs --stall: what steps stop for while the state "
                                             "is copied"
                                           : "is for --async");
    enum status status =
        read_time("--checkpoint-time", asked->write, false, &input->write_s, &all->diag);
    input->is_async = asked->is_async;
    input->stall_s = input->write_s;
    return status == STATUS_OK
               ? read_time("--stall", asked->stall, true, &input->stall_s, &all->diag)
               : status;
}

static enum status read_restart(struct estimating *all)
{
    const struct goodput_options *asked = all->asked;
    double detect = 0, reschedule = 0, load = 0, warm_up = 0;
    bool has_parts = asked->detect || asked->reschedule || asked->load || asked->warm_up;
    if (asked->restart && has_parts)
        return usage_error(&all->diag, "--restart", "is instead of its parts");
    if (!asked->restart && !has_parts) {
        usage_error(&all->diag, NULL, "how long does a restart take?");
        diag_hint(&all->diag, "--restart 10min, or --detect, --reschedule, --load, --warm-up");
        return STATUS_USAGE;
    }
    if (!asked->load && all->report.checkpoint_bytes > 0)
        load = all->report.checkpoint_bytes / all->report.storage_Bps;
    const struct {
        const char *option, *text;
        double *s;
    } rows[] = {{"--restart", asked->restart, &all->input.restart_s},
                {"--detect", asked->detect, &detect},
                {"--reschedule", asked->reschedule, &reschedule},
                {"--load", asked->load, &load},
                {"--warm-up", asked->warm_up, &warm_up}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum status status = read_time(rows[i].option, rows[i].text, true, rows[i].s, &all->diag);
        if (status != STATUS_OK)
            return status;
    }
    if (has_parts)
        all->input.restart_s = detect + reschedule + load + warm_up;
    return STATUS_OK;
}

static enum status read_spares(struct estimating *all)
{
    const struct goodput_options *asked = all->asked;
    struct goodput_input *input = &all->input;
    uint64_t spares = 0;
    uint64_t by = all->replica > input->node_devices ? all->replica : input->node_devices;
    enum status status = read_time("--repair", asked->repair, false, &input->repair_s, &all->diag);
    if (status == STATUS_OK)
        status = read_count("--spares", asked->spares, 0, MOST_SPARES, &spares, &all->diag);
    if (status == STATUS_OK)
        status = read_count("--shrink-by", asked->shrink_by, 1, input->devices, &by, &all->diag);
    if (status != STATUS_OK)
        return status;
    if ((asked->spares || asked->shrinks) && !asked->repair)
        return usage_error(&all->diag, asked->spares ? "--spares" : "--shrink", "needs --repair");
    if (asked->spares && asked->shrinks)
        return usage_error(&all->diag, "--spares", "is instead of --shrink");
    input->spares = (uint32_t)spares;
    input->policy = asked->shrinks ? GOODPUT_SHRINK : GOODPUT_REPLACE;
    input->node_ratio = (double)by / input->devices;
    return STATUS_OK;
}

static enum status read_runs(struct estimating *all)
{
    const struct goodput_options *asked = all->asked;
    struct goodput_report *report = &all->report;
    uint64_t runs = USUAL_RUNS;
    report->days = USUAL_DAYS;
    enum status status = read_count("--runs", asked->runs, 0, MOST_RUNS, &runs, &all->diag);
    if (status == STATUS_OK)
        status = read_real("--days", asked->days, GOODPUT_MOST_DAYS, &report->days, &all->diag);
    if (status == STATUS_OK)
        status = read_count("--seed", asked->run_seed, 0, UINT64_MAX, &report->seed, &all->diag);
    if (status == STATUS_OK)
        status = read_time("--interval", asked->interval, false, &all->interval_s, &all->diag);
    report->runs = (uint32_t)runs;
    report->is_interval_given = all->interval_s > 0;
    double least = goodput_least_interval(&all->input);
    if (status == STATUS_OK && all->interval_s > 0 && all->interval_s < least)
        return usage_error(&all->diag, "--interval",
                           "at least %.4g s: a step, and the time to write a checkpoint", least);
    return status;
}

/* What is simulated of each row must end: about 20 s at MOST_STOPS. Failures, stops and checkpoints
 * that are closer than time can tell apart would never end. */
static enum status check_effort(struct estimating *all)
{
    const struct goodput_input *input = &all->input;
    const struct goodput_report *report = &all->report;
    if (report->runs < 2)
        return STATUS_OK;
    double best = all->interval_s > 0 ? all->interval_s : goodput_best_interval(input);
    double interval_s = fmax(best, goodput_least_interval(input));
    double per_s = input->failures_per_s + input->planned_per_s + 1 / (interval_s + input->stall_s);
    double stops = per_s * 86400 * report->days * report->runs;
    if (stops <= MOST_STOPS)
        return STATUS_OK;
    usage_error(&all->diag, "--runs",
                "%u runs of %.4g days are %.3g failures, stops and checkpoints to simulate, more "
                "than %.0e",
                report->runs, report->days, stops, MOST_STOPS);
    diag_hint(&all->diag, "fewer --runs, fewer --days, or --runs 0: the closed form only");
    return STATUS_USAGE;
}

enum status goodput_ask(struct estimating *all)
{
    const char *format = all->asked->run.format;
    all->is_json = format && strcmp(format, "json") == 0;
    if (format && !all->is_json && strcmp(format, "text") != 0)
        return usage_error(&all->diag, "--format", "expected text or json, found \"%.60s\"",
                           format);
    enum status (*const readers[])(struct estimating *) = {
        find_step,   read_failures, read_checkpoint, read_restart,
        read_spares, read_runs,     check_effort};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof readers / sizeof *readers && status == STATUS_OK; i++)
        status = readers[i](all);
    return status;
}
