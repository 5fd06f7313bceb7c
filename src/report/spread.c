#include "report/spread.h"

#include <stddef.h>
#include <string.h>

#define FIELD(member) offsetof(struct rank_result, member)

/* Communication kinds in the order of enum collective_kind, then send and receive. */
#define COMM_KINDS(X)                                                                              \
    X(COLL_ALL_REDUCE, "all-reduce", "all_reduce")                                                 \
    X(COLL_REDUCE, "reduce", "reduce")                                                             \
    X(COLL_ALL_GATHER, "all-gather", "all_gather")                                                 \
    X(COLL_GATHER, "gather", "gather")                                                             \
    X(COLL_SCATTER, "scatter", "scatter")                                                          \
    X(COLL_BROADCAST, "broadcast", "broadcast")                                                    \
    X(COLL_ALL_TO_ALL, "all-to-all", "all_to_all")                                                 \
    X(COLL_REDUCE_SCATTER, "reduce-scatter", "reduce_scatter")                                     \
    X(COLL_REDUCE_SCATTER_BLOCK, "reduce-scatter-block", "reduce_scatter_block")                   \
    X(COLL_BARRIER, "barrier", "barrier")                                                          \
    X(COMM_SEND, "send", "send")                                                                   \
    X(COMM_RECV, "receive", "receive")                                                             \
    X(COMM_UNKNOWN, "collective", "unknown_collective")

const struct time_category time_categories[] = {
    {TIME_EXCLUSIVE, "compute", "compute", FIELD(compute_ps)},
#define X(kind, text, key)                                                                         \
    {TIME_EXCLUSIVE, "exposed " text, "exposed_" key, FIELD(exposed_ps[kind])},
    COMM_KINDS(X)
#undef X
        {TIME_EXCLUSIVE, "waiting for peers", "waiting", FIELD(waiting_ps)},
    {TIME_EXCLUSIVE, "remote memory", "memory", FIELD(memory_ps)},
    {TIME_EXCLUSIVE, "host", "host", FIELD(host_ps)},
    {TIME_EXCLUSIVE, "idle", "idle", FIELD(idle_ps)},
#define X(kind, text, key)                                                                         \
    {TIME_OVERLAPPED, "overlapped " text, "overlapped_" key, FIELD(overlapped_ps[kind])},
    COMM_KINDS(X)
#undef X
};

const uint32_t time_category_count = sizeof time_categories / sizeof *time_categories;

/* A kind added to op.h must be added above. */
#define X(kind, text, key) +1
_Static_assert(0 COMM_KINDS(X) == COMM_KIND_COUNT, "every kind of communication has a category");
#undef X

time_ps time_of(const struct rank_result *rank, const struct time_category *category)
{
    time_ps value;
    memcpy(&value, (const char *)rank + category->offset, sizeof value);
    return value;
}

struct spread spread_of(const struct run_result *result, const struct time_category *category)
{
    struct spread spread = {.least = result->rank_count == 0 ? 0 : TIME_NEVER};
    unsigned __int128 sum = 0; /* 2^64 ps on 2^32 ranks */
    for (uint32_t r = 0; r < result->rank_count; r++) {
        time_ps time = time_of(result_rank(result, r), category);
        sum += time;
        if (time < spread.least)
            spread.least = time;
        if (time > spread.most) {
            spread.most = time;
            spread.most_rank = r;
        }
    }
    if (result->rank_count > 0)
        spread.mean = (time_ps)(sum / result->rank_count);
    return spread;
}

time_ps share_at_link_rate(const struct run_result *result, const struct dimension_row *row)
{
    uint32_t ranks = result->rank_count == 0 ? 1 : result->rank_count;
    return time_rounded(row->ideal_busy_ns / ranks, false);
}
