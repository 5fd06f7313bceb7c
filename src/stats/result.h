/*
 * result - what a run found: the one structure that every report format prints.
 *
 * Rules:
 *  1. Times are picoseconds, sizes bytes, of simulated hardware. Nothing here is a host time except
 *     in `host`, which reports leave out unless asked (determinism).
 *  2. Per-rank figures are stored per symmetry class: rank r has class_of_rank[r]. Totals count
 *     every rank, whatever was folded.
 *  3. For every rank the exclusive categories sum to its finish time; result_check() proves it.
 *  4. Arrays are owned by result->arena.
 */
#ifndef ORRERY_STATS_RESULT_H
#define ORRERY_STATS_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/notice.h"
#include "base/units.h"
#include "model/network.h"
#include "model/op.h"
#include "model/op_shape.h"
#include "model/trace.h"

/* Kinds of communication: the collectives, then send and receive, then collectives that do not say
 * which they are (replayed only). */
enum { COMM_SEND = COLL_KIND_COUNT, COMM_RECV, COMM_UNKNOWN, COMM_KIND_COUNT };

static inline const char *comm_name(int kind)
{
    static const char *const others[] = {"send", "receive", "collective (kind not given)"};
    return kind < COLL_KIND_COUNT ? collective_name((enum collective_kind)kind)
                                  : others[kind - COLL_KIND_COUNT];
}

/*
 * Exclusive categories of a rank's time. At any moment the first that applies counts:
 * compute, exposed communication (split off: waiting for peers), memory, host, idle.
 */
struct rank_result {
    time_ps finish_ps;                      /* when its last node ended */
    time_ps compute_ps;                     /* a device compute op runs */
    time_ps exposed_ps[COMM_KIND_COUNT];    /* communication runs, no compute does */
    time_ps waiting_ps;                     /* of communication: not all peers have arrived yet */
    time_ps memory_ps;                      /* remote memory access, nothing above */
    time_ps host_ps;                        /* host op, nothing above */
    time_ps idle_ps;                        /* nothing runs */
    time_ps overlapped_ps[COMM_KIND_COUNT]; /* communication under compute (not exclusive) */
    time_ps compute_sum_ps;                 /* sum of device compute durations (ASTRA-sim's sum) */
    uint64_t nodes[OP_TYPE_COUNT];          /* nodes done */
    bool finished;
};

/* One row per (kind, group size, algorithm): collectives as performed. */
struct collective_row {
    enum collective_kind kind;
    uint32_t group_size;
    const char *algorithm;     /* "ring", "ring,direct" (per dimension), "replayed", .. */
    uint64_t count;            /* instances */
    double bytes;              /* sum of size_bytes per instance (one rank's, rule 5 of trace.h) */
    time_ps time_ps;           /* sum over instances: last arrival of a member to last end */
    time_ps least_ps, most_ps; /* over instances */
    time_ps skew_ps;           /* sum over instances: first arrival to last arrival */
    double algorithm_Bps;      /* mean: size of the operation / time (nccl-tests "algbw") */
    double bus_Bps;            /* algorithm_Bps x (2(n-1)/n, (n-1)/n or 1) ("busbw"); of an uneven
                                  all-to-all: mean of what a member sends to others / time */
};

/* One row per compute model and class of op: what was timed by which model, over all ranks. */
struct compute_row {
    const char *model; /* "gemm", "attention", "roofline", .. */
    enum op_class class;
    uint64_t nodes;
    uint64_t extrapolated; /* nodes timed beyond what was measured */
    double time_ns;        /* sum of durations, before what slows them down */
    double flops;
};

/* One row per trace that says what is in memory: the most that a rank with it holds at once. */
struct memory_row {
    const char *trace; /* "(stage 0)", or a path */
    uint32_t ranks;
    uint64_t fixed_bytes;              /* throughout: weights, gradients, optimizer states */
    uint64_t most_bytes;               /* with them */
    uint64_t most_of[LIFE_KIND_COUNT]; /* at that moment, beside the fixed ones */
    time_ps most_ps;                   /* when it was first reached */
};

/* One row per communicator that was used: all groups of one name and size (model/group.h, rule
 * 4). */
struct group_row {
    const char *name;
    uint32_t size; /* ranks of each */
    uint32_t groups;
    uint64_t collectives; /* instances */
    double bytes;         /* sum of size_bytes */
    time_ps time_ps;      /* sum over the instances of all groups, as above */
};

/* One row per network dimension. */
struct dimension_row {
    uint32_t dim;
    const char *block; /* "Ring", "Switch", "FullyConnected" */
    uint32_t npus;
    uint64_t messages;
    double bytes;         /* injected by all ranks */
    double ideal_busy_ns; /* bytes / bandwidth, summed over ranks */
};

struct host_figures { /* of the machine orrery ran on; never in a deterministic report */
    double wall_s, user_s;
    uint64_t peak_rss_bytes;
};

struct run_result {
    struct arena arena;
    enum status status; /* OK, STUCK, MISMATCH, LIMIT, INTERRUPTED, LAW */
    time_ps end_ps;     /* when the last rank finished, or how far the run got */
    uint32_t rank_count, finished_count;
    uint32_t class_count; /* ranks simulated */
    const uint32_t *class_of_rank;
    struct rank_result *class_result; /* [class_count] */
    const char *fold_note;            /* why folding was or was not used */

    struct collective_row *collective;
    uint32_t collective_count;
    struct compute_row *compute; /* of the compute model `device` */
    uint32_t compute_count;
    struct group_row *group;
    uint32_t group_count;
    struct memory_row *memory;
    uint32_t memory_count;
    struct dimension_row *dimension;
    uint32_t dimension_count;

    struct link_figures *link; /* [link_count], by link of config->network.fabric */
    uint32_t link_count;       /* 0: the network model sees no links */

    uint64_t node_total, node_done; /* over all ranks */
    uint64_t messages;              /* sent, over all ranks */
    double bytes_sent, bytes_delivered;
    uint64_t events; /* processed (depends on folding: not in reports) */

    const char **wait_for; /* lines of the wait-for report if stuck */
    uint32_t wait_for_count;
    struct notices notices;
    struct host_figures host;
};

void result_init(struct run_result *result);
void result_release(struct run_result *result);

static inline const struct rank_result *result_rank(const struct run_result *result, uint32_t rank)
{
    return &result->class_result[result->class_of_rank[rank]];
}

/* Sum of the exclusive categories. */
time_ps rank_result_sum(const struct rank_result *rank);

/*
 * Proves the conservation laws of a finished run: nodes in = nodes done, bytes sent = bytes
 * delivered, categories sum to the finish time on every rank. On a break returns STATUS_LAW and
 * says which law, which rank and both numbers.
 */
enum status result_check(const struct run_result *result, struct diag *diag);

#endif
