#include <inttypes.h>

#include "report/formats.h"

/*
 * ASTRA-sim prints, for each rank that finished, its finish in whole ns and what its compute does
 * not account for: finish minus the sum of compute durations, in uint64 (with overlapping compute
 * it wraps below zero there, so it does here).
 */
static enum status write_astra(const struct run_result *result, const struct config *config,
                               const struct report_context *context, FILE *out, struct diag *diag)
{
    (void)config;
    (void)context;
    for (uint32_t r = 0; r < result->rank_count; r++) {
        const struct rank_result *rank = result_rank(result, r);
        if (!rank->finished)
            continue;
        uint64_t finish_ns = rank->finish_ps / PS_PER_NS;
        fprintf(out,
                "sys[%" PRIu32 "] finished, %" PRIu64 " cycles, exposed communication %" PRIu64
                " cycles.\n",
                r, finish_ns, finish_ns - rank->compute_sum_ps / PS_PER_NS);
    }
    return report_finish(out, diag);
}

const struct report_ops report_astra = {
    .name = "astra",
    .summary = "the result lines of ASTRA-sim, by rank",
    .write = write_astra,
};
