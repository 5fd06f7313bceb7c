#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "config/names.h"
#include "model/jitter.h"
#include "report/columns.h"
#include "report/describe.h"
#include "report/formats.h"
#include "report/links.h"
#include "report/memory_report.h"
#include "report/step_report.h"
#include "report/text_tables.h"

enum { LABEL = 13, RANKS_SHOWN = 16, TRACES_SHOWN = 4, SHOWN = 32 };

/* "label        text", wrapped. */
static void say(FILE *out, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void say(FILE *out, const char *label, const char *format, ...)
{
    char text[2 * DESCRIBE_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(out, "%-*s", LABEL, label);
    columns_wrap(out, LABEL, LABEL, text);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void say_what(const struct run_result *result, const struct config *config,
                     const struct report_context *context, FILE *out)
{
    const char *prefix = context->step ? context->step->model : config->workload.prefix;
    const struct workload *workload = context->workload;
    char formats[DESCRIBE_TEXT];
    say(out, "workload", "%s", prefix == NULL ? "(none)" : prefix);
    if (workload != NULL && workload->trace_count > 0)
        say(out, "", "%" PRIu32 " rank%s, %" PRIu32 " distinct trace%s (%s), %" PRIu64 " node%s",
            result->rank_count, plural(result->rank_count), workload->trace_count,
            plural(workload->trace_count), describe_formats(formats, workload), result->node_total,
            plural(result->node_total));
    else
        say(out, "", "%" PRIu32 " rank%s, %" PRIu64 " node%s", result->rank_count,
            plural(result->rank_count), result->node_total, plural(result->node_total));
}

/* True if every configured collective has the same algorithms: then one line says it. */
static bool is_one_algorithm(const struct system_config *system)
{
    char first[DESCRIBE_TEXT], other[DESCRIBE_TEXT];
    describe_algorithm(first, &system->algorithm[0]);
    for (int slot = 1; slot < SLOT_PER_DIM_COUNT; slot++) {
        if (strcmp(first, describe_algorithm(other, &system->algorithm[slot])) != 0)
            return false;
    }
    return true;
}

static void say_algorithms(const struct system_config *system, FILE *out)
{
    char text[DESCRIBE_TEXT];
    const char *label = "algorithms";
    int first = 0;
    if (is_one_algorithm(system)) {
        if (system->algorithm[0].count > 0 || system->algorithm[0].custom_prefix != NULL) {
            say(out, label, "%s", describe_algorithm(text, &system->algorithm[0]));
            label = "";
        }
        first = SLOT_PER_DIM_COUNT;
    }
    for (int slot = first; slot < SLOT_COUNT; slot++) {
        const struct algorithm_list *list = &system->algorithm[slot];
        if (list->count == 0 && list->custom_prefix == NULL)
            continue;
        say(out, label, "%-14s %s", slot_names[slot], describe_algorithm(text, list));
        label = "";
    }
}

static void say_models(const struct config *config, FILE *out)
{
    const struct system_config *system = &config->system;
    char text[DESCRIBE_TEXT], rate[SHOWN];
    say(out, "network", "%s, %s", describe_network(text, &config->network),
        net_backend_names[config->network.backend]);
    if (system->dataset_splits > 0)
        say(out, "system",
            "%s, %" PRIu32 " chunks per collective, %" PRIu32
            " active per dimension, endpoint delay %" PRIu64 " ns",
            policy_names[system->policy], system->dataset_splits, system->active_chunks_per_dim,
            system->endpoint_delay_ns);
    else
        say(out, "system",
            "%s, %" PRIu32 " active chunks per dimension, endpoint delay %" PRIu64 " ns",
            policy_names[system->policy], system->active_chunks_per_dim, system->endpoint_delay_ns);
    say_algorithms(system, out);
    if (system->compute == COMPUTE_ROOFLINE)
        say(out, "compute", "roofline, peak %.4g Tflop/s, memory %s",
            system->peak_flop_per_s / 1e12,
            units_show_rate(rate, sizeof rate, system->local_memory_Bps));
    else if (system->compute == COMPUTE_DEVICE)
        say(out, "compute", "device %s%s, compute beside communication takes %.3g %% longer",
            system->device_name, system->sustained_rates ? ", sustained rates" : "",
            100 * system->overlap_slowdown);
    else
        say(out, "compute", "replay of recorded durations");
    if (variation_is_on(&config->variation)) {
        char varies[DESCRIBE_TEXT];
        say(out, "variation", "sample %" PRIu64 " of seed %" PRIu64 ": %s",
            config->variation.sample, config->variation.seed,
            describe_variation(varies, &config->variation));
    }
    if (config->memory.type != MEMORY_NONE)
        say(out, "memory", "%s, latency %" PRIu64 " ns, %s", memory_type_names[config->memory.type],
            config->memory.latency_ns,
            units_show_rate(rate, sizeof rate, (double)config->memory.bandwidth_B_per_ns * 1e9));
}

static void say_wait_for(const struct run_result *result, FILE *out)
{
    if (result->wait_for_count == 0)
        return;
    fputs("wait-for: who waits for what\n", out);
    for (uint32_t i = 0; i < result->wait_for_count; i++) {
        fputs("  ", out);
        columns_wrap(out, 2, 6, result->wait_for[i]);
    }
    fputc('\n', out);
}

static void say_outcome(const struct run_result *result, FILE *out)
{
    char time[SHOWN], bytes[SHOWN];
    units_show_time(time, sizeof time, result->end_ps);
    fputc('\n', out);
    if (result->status == STATUS_OK) {
        say(out, "makespan", "%s (%" PRIu64 " ps), all %" PRIu32 " rank%s finished", time,
            result->end_ps, result->rank_count, plural(result->rank_count));
    } else {
        say(out, "result", "%s: %s", status_name(result->status), status_help(result->status));
        say(out, "got to", "%s (%" PRIu64 " ps), %" PRIu32 " of %" PRIu32 " ranks finished", time,
            result->end_ps, result->finished_count, result->rank_count);
    }
    units_show_bytes(bytes, sizeof bytes, result->bytes_sent);
    if (result->bytes_sent == result->bytes_delivered)
        say(out, "census",
            "%" PRIu64 " of %" PRIu64 " nodes done; %" PRIu64 " message%s, %s sent = delivered",
            result->node_done, result->node_total, result->messages, plural(result->messages),
            bytes);
    else
        say(out, "census",
            "%" PRIu64 " of %" PRIu64 " nodes done; %" PRIu64
            " message%s, %.0f B sent, %.0f B delivered",
            result->node_done, result->node_total, result->messages, plural(result->messages),
            result->bytes_sent, result->bytes_delivered);
    fputc('\n', out);
}

static void say_notices(const struct run_result *result, FILE *out)
{
    if (result->notices.count == 0)
        return;
    fputs("notices\n", out);
    for (size_t i = 0; i < result->notices.count; i++) {
        char text[NOTICE_TEXT];
        fputs("  ", out);
        columns_wrap(out, 2, 6, notice_show(text, sizeof text, &result->notices.row[i]));
    }
    fputc('\n', out);
}

static void say_traces(const struct workload *workload, FILE *out)
{
    uint32_t shown = workload->trace_count <= TRACES_SHOWN ? workload->trace_count : 0;
    for (uint32_t t = 0; t < shown; t++) {
        const struct trace *trace = workload->traces[t];
        fprintf(out, "  %-8s %016" PRIx64 "  ", "trace", trace->content_hash);
        columns_wrap(out, 29, 29, trace->path);
    }
    if (shown == 0 && workload->trace_count > 0)
        fprintf(out, "  %-8s %016" PRIx64 "  %" PRIu32 " distinct files, hashed in order of use\n",
                "traces", describe_trace_hash(workload), workload->trace_count);
}

static void say_provenance(const struct run_result *result, const struct config *config,
                           const struct report_context *context, FILE *out)
{
    char text[DESCRIBE_TEXT];
    fprintf(out, "provenance: orrery %s; inputs by hash of their contents\n",
            context->version == NULL ? "unknown" : context->version);
    for (uint32_t i = 0; i < config->input_count; i++) {
        const struct config_input *input = &config->input[i];
        fprintf(out, "  %-8s %016" PRIx64 "  ", input->role, input->hash);
        columns_wrap(out, 29, 29, input->path);
    }
    if (context->workload != NULL)
        say_traces(context->workload, out);
    /* One line, whatever its length: see rule 3 of report.h. */
    fprintf(out, "  %s\n", describe_fold(text, result));
}

static void say_host(const struct host_figures *host, FILE *out)
{
    char bytes[SHOWN];
    units_show_bytes(bytes, sizeof bytes, (double)host->peak_rss_bytes);
    fprintf(out, "  host     %.3f s wall, %.3f s user, %s peak memory\n", host->wall_s,
            host->user_s, bytes);
}

static enum status write_text(const struct run_result *result, const struct config *config,
                              const struct report_context *context, FILE *out, struct diag *diag)
{
    say_what(result, config, context, out);
    say_models(config, out);
    say_outcome(result, out);
    say_wait_for(result, out);
    if (context->step)
        step_text(result, context->step, out);
    if (context->against)
        against_text(result, context->against, out);
    text_breakdown(result, out);
    text_overlapped(result, out);
    text_compute(result, out);
    memory_text(result, out);
    text_collectives(result, out);
    text_groups(result, out);
    text_dimensions(result, out);
    links_text(result, config, out);
    if (context->full || result->rank_count <= RANKS_SHOWN)
        text_ranks(result, out);
    say_notices(result, out);
    say_provenance(result, config, context, out);
    if (context->with_host)
        say_host(&result->host, out);
    return report_finish(out, diag);
}

const struct report_ops report_text = {
    .name = "text",
    .summary = "aligned tables for people, at most 100 columns",
    .write = write_text,
};
