#include <inttypes.h>

#include "report/describe.h"
#include "report/formats.h"
#include "report/spread.h"

static void write_heading(FILE *out)
{
    fputs("rank,finished,finish_ps", out);
    for (uint32_t i = 0; i < time_category_count; i++)
        fprintf(out, ",%s_ps", time_categories[i].key);
    fputs(",compute_sum_ps,nodes\n", out);
}

static void write_rank(FILE *out, uint32_t r, const struct rank_result *rank)
{
    uint64_t nodes = 0;
    for (int type = 0; type < OP_TYPE_COUNT; type++)
        nodes += rank->nodes[type];
    fprintf(out, "%" PRIu32 ",%d,%" PRIu64, r, rank->finished, rank->finish_ps);
    for (uint32_t i = 0; i < time_category_count; i++)
        fprintf(out, ",%" PRIu64, time_of(rank, &time_categories[i]));
    fprintf(out, ",%" PRIu64 ",%" PRIu64 "\n", rank->compute_sum_ps, nodes);
}

static enum status write_csv(const struct run_result *result, const struct config *config,
                             const struct report_context *context, FILE *out, struct diag *diag)
{
    char text[DESCRIBE_TEXT];
    (void)config;
    fprintf(out, "# schema orrery.ranks/1, orrery %s, status %s, end_ps %" PRIu64 "\n",
            context->version == NULL ? "unknown" : context->version, status_name(result->status),
            result->end_ps);
    fprintf(out, "# %s\n", describe_fold(text, result));
    write_heading(out);
    for (uint32_t r = 0; r < result->rank_count; r++)
        write_rank(out, r, result_rank(result, r));
    return report_finish(out, diag);
}

const struct report_ops report_csv = {
    .name = "csv",
    .summary = "one row per rank, times in picoseconds",
    .write = write_csv,
};
