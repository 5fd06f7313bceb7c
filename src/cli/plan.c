/* orrery plan: the fastest parallel plans of a model on a cluster. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "report/plan_report.h"
#include "run/job_config.h"
#include "run/simulate.h"

enum { MOST_PLANS = 1000, DEFAULT_PLANS = 10, DEFAULT_SIMULATED = 3 };

struct plan_options {
    struct inputs inputs; /* first: INPUT_OPTIONS fills it; the second word is inputs.cluster */
    const char *global_batch, *seq, *type, *top, *simulate, *format, *output;
};

#define TEXT(option, value, member, what)                                                          \
    {                                                                                              \
        .name = option, .argument = value, .help = what, .take = take_text,                        \
        .offset = offsetof(struct plan_options, member)                                            \
    }

static const struct option options[] = {
    TEXT("--global-batch", "N", global_batch, "sequences of a step (default: two for each device)"),
    TEXT("--seq", "N", seq, "tokens of a sequence (default: the model's)"),
    TEXT("--type", "NAME", type, "of the large products: bf16 (default), fp16, fp8, fp4"),
    TEXT("--top", "N", top, "plans in the table (default 10)"),
    TEXT("--simulate", "N", simulate, "of these, how many to simulate in full (default 3)"),
    TEXT("--format", "NAME", format, "text (default), json or csv"),
    TEXT("--output", "FILE", output, "write the table there (complete, or not at all)"),
    INPUT_OPTIONS,
    {0},
};

/* -- words ------------------------------------------------------------------------------------ */

static enum status take_two_words(void *to, const char *text, struct diag *diag)
{
    struct plan_options *given = to;
    if (!given->inputs.word)
        given->inputs.word = text;
    else if (!given->inputs.cluster)
        given->inputs.cluster = text;
    else
        return usage_error(diag, NULL,
                           "a model and a cluster are expected, found \"%.60s\" besides", text);
    return STATUS_OK;
}

static enum status read_number(const char *option, const char *text, uint64_t least, uint64_t most,
                               uint64_t *value, struct diag *diag)
{
    if (!text)
        return STATUS_OK;
    if (decimal_u64(text, strlen(text), value) && *value >= least && *value <= most)
        return STATUS_OK;
    return usage_error(diag, option, "expected %" PRIu64 " to %" PRIu64 ", found \"%.40s\"", least,
                       most, text);
}

static const struct plan_format *find_format(const char *name, struct diag *diag)
{
    for (const struct plan_format *format = plan_formats; format->name; format++) {
        if (strcmp(format->name, name ? name : "text") == 0)
            return format;
    }
    usage_error(diag, "--format", "expected text, json or csv, found \"%.60s\"", name);
    return NULL;
}

/* -- the request ------------------------------------------------------------------------------ */

static enum status set_plan(struct planning *planning, const struct plan_options *given,
                            struct diag *diag)
{
    struct train_plan *plan = &planning->request.base;
    uint64_t seq = plan->seq > 0 ? plan->seq : planning->work.spec.model.max_seq;
    uint64_t batch = plan->global_batch > 0 ? plan->global_batch : 2ull * planning->request.ranks;
    enum status status = read_number("--seq", given->seq, 1, 1u << 30, &seq, diag);
    if (status == STATUS_OK)
        status = read_number("--global-batch", given->global_batch, 1, 1u << 30, &batch, diag);
    if (status != STATUS_OK)
        return status;
    plan->seq = seq;
    plan->global_batch = batch;
    plan->micro_batches = 0;
    if (given->type) {
        plan->compute_type = data_type_find(given->type);
        if (plan->compute_type == DATA_TYPE_COUNT)
            return usage_error(diag, "--type",
                               "expected a type such as bf16 or fp8, found \"%.40s\"", given->type);
    }
    return job_config_type(plan->compute_type, planning->setting.device, diag);
}

static enum status open_planning(struct planning *planning, const struct plan_options *given,
                                 struct diag *diag)
{
    enum status status = planning_open(planning, &given->inputs, diag);
    return status == STATUS_OK ? set_plan(planning, given, diag) : status;
}

/* -- the best in full ------------------------------------------------------------------------- */

struct full_run {
    struct config config;
    struct group_file groups;
    struct work work;
    struct run_result result;
};

static enum status run_in_full(struct full_run *run, const struct plan_options *given,
                               const struct plan_row *row, struct diag *diag)
{
    char text[320];
    plan_text(&row->found->plan, text, sizeof text);
    struct inputs inputs = given->inputs;
    inputs.plan = text;
    enum status status =
        work_configure(&run->work, &inputs, &run->config, &run->groups, &run->result.notices, diag);
    if (status == STATUS_OK)
        status = work_open(&run->work, &run->config, &run->groups, &run->result.notices, diag);
    if (status == STATUS_OK)
        status = simulate(&run->config, work_load_of(&run->work), &run->groups, NULL, &run->result,
                          diag);
    return status;
}

static void simulate_row(const struct plan_options *given, struct plan_row *row)
{
    struct full_run *run = calloc(1, sizeof *run);
    need_memory(run != NULL);
    struct diag diag = DIAG_NONE;
    config_init(&run->config);
    group_file_init(&run->groups);
    work_init(&run->work);
    result_init(&run->result);
    row->is_simulated = true;
    if (run_in_full(run, given, row, &diag) == STATUS_OK)
        row->simulated_ps = run->result.end_ps;
    else
        snprintf(row->reason, sizeof row->reason, "%.200s", diag.message);
    result_release(&run->result);
    work_release(&run->work);
    group_file_release(&run->groups);
    config_release(&run->config);
    free(run);
}

/* -- the command ------------------------------------------------------------------------------ */

static void fill_table(struct planning *planning, const struct plan_options *given,
                       const struct search_result *found, struct plan_table *table)
{
    *table = (struct plan_table){.model = given->inputs.word,
                                 .cluster = given->inputs.cluster,
                                 .device = planning->setting.device->name,
                                 .framework = planning->work.spec.framework.name,
                                 .devices = planning->request.ranks,
                                 .valid = found->valid,
                                 .fitting = found->fitting,
                                 .device_bytes = planning->setting.device->memory_bytes,
                                 .least = &found->least,
                                 .count = found->count};
    table->row = arena_array(&planning->arena, found->count + 1u, sizeof *table->row);
    for (uint32_t i = 0; i < found->count; i++)
        table->row[i].found = &found->best[i];
}

static enum status plan_table_make(struct planning *planning, const struct plan_options *given,
                                   struct plan_table *table, struct diag *diag)
{
    uint64_t most = DEFAULT_PLANS, simulated = DEFAULT_SIMULATED;
    enum status status = read_number("--top", given->top, 1, MOST_PLANS, &most, diag);
    if (status == STATUS_OK)
        status = read_number("--simulate", given->simulate, 0, MOST_PLANS, &simulated, diag);
    if (status == STATUS_OK)
        status = open_planning(planning, given, diag);
    if (status != STATUS_OK)
        return status;
    planning->request.most = (uint32_t)most;
    struct search_result *found = arena_take(&planning->arena, sizeof *found);
    search_run(&planning->request, found, &planning->arena);
    if (found->valid == 0)
        return diag_fail(diag, STATUS_BAD_CONFIG,
                         "no plan divides %" PRIu32 " devices and %" PRIu64 " sequences",
                         planning->request.ranks, planning->request.base.global_batch);
    fill_table(planning, given, found, table);
    for (uint32_t i = 0; i < table->count && i < simulated; i++)
        simulate_row(given, &table->row[i]);
    return STATUS_OK;
}

static enum status make_plans(const struct plan_options *given, struct diag *diag)
{
    const struct plan_format *format = find_format(given->format, diag);
    if (!format)
        return STATUS_USAGE;
    if (!given->inputs.word || !given->inputs.cluster) {
        usage_error(diag, NULL, "a model and a cluster are needed");
        diag_hint(diag, "orrery plan llama3-8b preset:dgx-h100,nodes=4");
        return STATUS_USAGE;
    }
    struct planning *planning = malloc(sizeof *planning);
    need_memory(planning != NULL);
    planning_init(planning);
    struct plan_table table;
    struct out_file out;
    enum status status = plan_table_make(planning, given, &table, diag);
    if (status == STATUS_OK)
        status = output_open(&out, given->output, diag);
    if (status == STATUS_OK) {
        format->write(&table, out.stream);
        status = output_commit(&out, diag);
        planning_say_ignored(planning);
        if (status == STATUS_OK && table.count == 0)
            status = STATUS_DOES_NOT_FIT;
    }
    planning_release(planning);
    free(planning);
    return status;
}

static int run_plan(int argc, char **argv)
{
    struct plan_options given = {0};
    struct diag diag = DIAG_NONE;
    int code;
    if (!options_begin(&command_plan, argc, argv, &given, take_two_words, &code))
        return code;
    enum status status = make_plans(&given, &diag);
    if (status != STATUS_OK && diag.status != STATUS_OK)
        command_failed(&diag);
    return status_exit_code(status);
}

const struct command command_plan = {
    .name = "plan",
    .summary = "the fastest parallel plans of a model on a cluster",
    .usage = "MODEL CLUSTER [--global-batch N] [--seq N] [OPTIONS]",
    .about =
        "Estimates one training step under every parallel plan that fits in memory, by closed\n"
        "forms over the same layers, devices and networks that a run uses, and simulates the\n"
        "best of them in full. Exit code as of a finding if none fits.\n",
    .examples =
        "  orrery plan llama3-70b preset:dgx-h100,nodes=128 --global-batch 1024 --seq 8192\n"
        "  orrery plan llama3-8b preset:dgx-a100,nodes=2 --top 20 --simulate 0\n"
        "  orrery plan llama3-8b preset:dgx-h100,nodes=4 --type fp8 --framework nemo-25\n",
    .options = options,
    .run = run_plan,
};
