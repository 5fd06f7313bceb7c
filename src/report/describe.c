#include "report/describe.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/table.h"
#include "config/algorithm_name.h"
#include "config/names.h"
#include "net/topology/fabric.h"

/* Appends to `to`, which holds `used` bytes; returns the new length. What does not fit is cut. */
static size_t append(char *to, size_t used, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static size_t append(char *to, size_t used, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(to + used, DESCRIBE_TEXT - used, format, args);
    va_end(args);
    size_t wanted = used + (length < 0 ? 0 : (size_t)length);
    return wanted < DESCRIBE_TEXT ? wanted : DESCRIBE_TEXT - 1;
}

const char *describe_network(char *to, const struct network_config *network)
{
    if (network->fabric) {
        append(to, 0, "%s, %s routing", network->fabric->text, net_routing_names[network->routing]);
        return to;
    }
    size_t used = append(to, 0, "%s", "");
    for (uint32_t d = 0; d < network->dim_count; d++) {
        const struct net_dim *dim = &network->dim[d];
        char rate[32];
        units_show_rate(rate, sizeof rate, dim->bandwidth_B_per_ns * 1e9);
        used = append(to, used, "%s%s %" PRIu32 " @ %s %g ns", d == 0 ? "" : " x ",
                      net_block_names[dim->block], dim->npus, rate, dim->latency_ns);
    }
    return to;
}

const char *describe_algorithm(char *to, const struct algorithm_list *list)
{
    if (list->custom_prefix != NULL) {
        append(to, 0, "custom %s", list->custom_prefix);
        return to;
    }
    size_t used = append(to, 0, "%s", list->count == 0 ? "none" : "");
    for (uint32_t i = 0; i < list->count; i++) {
        char name[ALGORITHM_TEXT];
        used = append(to, used, "%s%s", i == 0 ? "" : ", ",
                      algorithm_show(name, sizeof name, list->choice[i]));
    }
    return to;
}

const char *describe_formats(char *to, const struct workload *workload)
{
    size_t used = append(to, 0, "%s", "");
    for (uint32_t t = 0; t < workload->trace_count; t++) {
        const char *format = workload->traces[t]->format;
        uint32_t earlier = 0;
        while (strcmp(workload->traces[earlier]->format, format) != 0)
            earlier++;
        if (earlier == t)
            used = append(to, used, "%s%s", t == 0 ? "" : ", ", format);
    }
    return to;
}

uint64_t describe_trace_hash(const struct workload *workload)
{
    uint64_t hash = 0;
    for (uint32_t t = 0; t < workload->trace_count; t++)
        hash = hash_bytes(&workload->traces[t]->content_hash, sizeof(uint64_t), hash);
    return hash;
}

bool describe_is_fold_row(const struct provenance *row)
{
    const char *last = strrchr(row->key, '.');
    return strcmp(last == NULL ? row->key : last + 1, "fold") == 0;
}

const char *describe_fold(char *to, const struct run_result *result)
{
    size_t used = append(to, 0, "simulated %" PRIu32 " %s of %" PRIu32 " %s", result->class_count,
                         result->class_count == 1 ? "class" : "classes", result->rank_count,
                         result->rank_count == 1 ? "rank" : "ranks");
    if (result->fold_note != NULL && result->fold_note[0] != '\0')
        append(to, used, ": %s", result->fold_note);
    return to;
}

const char *describe_variation(char *to, const struct variation_config *variation)
{
    const struct {
        const char *what;
        double ratio;
    } rows[] = {{"ops", variation->op_ratio},
                {"ranks", variation->rank_ratio},
                {"links", variation->link_ratio},
                {"latencies", variation->latency_ratio}};
    size_t used = append(to, 0, "%s", "");
    bool is_on = variation->form != JITTER_NONE;
    for (size_t i = 0; is_on && i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].ratio > 0)
            used = append(to, used, "%s%s %.3g %%", used ? ", " : "", rows[i].what,
                          100 * rows[i].ratio);
    }
    if (used)
        used = append(to, used, " (%s)", jitter_form_names[variation->form]);
    if (is_on && variation->start_delay_ns > 0)
        used = append(to, used, "%sstarts of communication %.4g us late", used ? ", " : "",
                      variation->start_delay_ns / 1000);
    const char *const slow[] = {variation->slow_ranks, variation->slow_links};
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
        if (slow[i])
            used = append(to, used, "%s%s", used ? "; " : "", slow[i]);
    }
    return to;
}
