#include "stats/result.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void result_init(struct run_result *result)
{
    memset(result, 0, sizeof *result);
    arena_init(&result->arena);
    notices_init(&result->notices);
}

void result_release(struct run_result *result)
{
    notices_release(&result->notices);
    arena_release(&result->arena);
    memset(result, 0, sizeof *result);
}

time_ps rank_result_sum(const struct rank_result *rank)
{
    time_ps sum =
        rank->compute_ps + rank->waiting_ps + rank->memory_ps + rank->host_ps + rank->idle_ps;
    for (int kind = 0; kind < COMM_KIND_COUNT; kind++)
        sum += rank->exposed_ps[kind];
    return sum;
}

static uint64_t nodes_of(const struct rank_result *rank)
{
    uint64_t nodes = 0;
    for (int type = 0; type < OP_TYPE_COUNT; type++)
        nodes += rank->nodes[type];
    return nodes;
}

/* Sums of whole bytes are exact in a double below 2^53; above, rounding is allowed 1e-9. */
static bool same_bytes(double sent, double delivered)
{
    if (sent < 9007199254740992.0)
        return sent == delivered;
    return fabs(sent - delivered) <= 1e-9 * sent;
}

static enum status check_ranks(const struct run_result *result, struct diag *diag)
{
    uint64_t nodes = 0;
    time_ps last = 0;
    for (uint32_t r = 0; r < result->rank_count; r++) {
        const struct rank_result *rank = result_rank(result, r);
        nodes += nodes_of(rank);
        if (rank->finish_ps > last)
            last = rank->finish_ps;
        time_ps sum = rank_result_sum(rank);
        if (sum != rank->finish_ps) {
            diag_rank(diag, r);
            return diag_fail(diag, STATUS_LAW,
                             "the categories of rank %" PRIu32 " sum to %" PRIu64
                             " ps, but it finished at %" PRIu64 " ps",
                             r, sum, rank->finish_ps);
        }
    }
    if (nodes != result->node_done)
        return diag_fail(diag, STATUS_LAW,
                         "the ranks did %" PRIu64 " nodes by their own count, %" PRIu64
                         " by the run's",
                         nodes, result->node_done);
    if (last != result->end_ps)
        return diag_fail(diag, STATUS_LAW,
                         "the last rank finished at %" PRIu64 " ps, but the run ended at %" PRIu64
                         " ps",
                         last, result->end_ps);
    return STATUS_OK;
}

enum status result_check(const struct run_result *result, struct diag *diag)
{
    if (result->finished_count != result->rank_count)
        return diag_fail(diag, STATUS_LAW,
                         "%" PRIu32 " of %" PRIu32 " ranks finished, and the run ended as finished",
                         result->finished_count, result->rank_count);
    if (result->node_done != result->node_total)
        return diag_fail(diag, STATUS_LAW, "%" PRIu64 " nodes went in, %" PRIu64 " were done",
                         result->node_total, result->node_done);
    if (!same_bytes(result->bytes_sent, result->bytes_delivered))
        return diag_fail(diag, STATUS_LAW, "%.0f bytes were sent, %.0f delivered",
                         result->bytes_sent, result->bytes_delivered);
    return check_ranks(result, diag);
}
