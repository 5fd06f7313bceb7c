/*
 * rank_terms - where the time of a run's ranks went, in terms that add up: compute, latency,
 * bandwidth, contention, waiting, bubble, memory, host, idle.
 *
 * Each instant of each rank has one owner (rank_time.h). What an op owns is divided as the op as a
 * whole is made of (critical_path_parts.h): of a collective of which half is hidden under compute,
 * each part is half.
 *
 * Terms:
 *   compute     a compute op runs; by what bounds it, and what communication slowed it down
 *   latency, bandwidth, contention
 *               exposed communication moves data; the first two by dimension
 *   replayed    exposed communication that takes its recorded duration
 *   waiting     exposed: a collective whose last member has not come
 *   bubble      exposed: a receive whose message has not been sent; with rendezvous also a send
 *               whose receive is not there
 *   memory      a remote memory access, nothing above
 *   host        host work, launches, the start of the step, nothing above
 *   idle        nothing runs: before the rank's last op, and after it
 *
 * Rules:
 *  1. Sums are over all ranks of the run, whatever was folded, in ps: each table of `by` sums to
 *     ranks x end, exactly. Each seat's terms sum to the end. rank_terms_check() proves both.
 *  2. By op: names with each number as '*', as in critical_path_blame.h; what an op waited is its
 *     own.
 *  3. Latency and bandwidth are those of an idle network, contention is what is beyond.
 *  4. Example: two ranks, one all-reduce over a link of 1 B/ns that B has at 0.5 B/ns: the bandwidth
 *     term grows by the time that its bytes took, and nothing else does.
 */
#ifndef ORRERY_STATS_RANK_TERMS_H
#define ORRERY_STATS_RANK_TERMS_H

#include "base/apportion.h"
#include "base/arena.h"
#include "stats/critical_path_parts.h"
#include "stats/result.h"
#include "stats/timeline.h"

/* X(enumerator, key, text) */
#define RANK_TERM_LIST(X)                                                                          \
    X(RANK_TERM_COMPUTE, "compute", "compute")                                                     \
    X(RANK_TERM_LATENCY, "latency", "latency")                                                     \
    X(RANK_TERM_BANDWIDTH, "bandwidth", "bandwidth")                                               \
    X(RANK_TERM_CONTENTION, "contention", "contention, queues, hand-overs")                        \
    X(RANK_TERM_REPLAYED, "replayed", "replayed communication")                                    \
    X(RANK_TERM_WAITING, "waiting", "waiting for members of a collective")                         \
    X(RANK_TERM_BUBBLE, "bubble", "pipeline bubble")                                               \
    X(RANK_TERM_MEMORY, "memory", "remote memory")                                                 \
    X(RANK_TERM_HOST, "host", "host")                                                              \
    X(RANK_TERM_IDLE, "idle", "idle")

enum rank_term {
#define X(name, key, text) name,
    RANK_TERM_LIST(X)
#undef X
        RANK_TERM_COUNT
};

extern const char *const rank_term_keys[RANK_TERM_COUNT]; /* "compute", .. */
extern const char
    *const rank_term_names[RANK_TERM_COUNT]; /* "waiting for members of a collective", .. */

enum terms_by {
    TERMS_BY_PART,       /* term and what it is made of */
    TERMS_BY_COLLECTIVE, /* kind and group; what is no communication is one row */
    TERMS_BY_CLASS,      /* of op */
    TERMS_BY_OP,
    TERMS_BY_COUNT
};

struct terms_row {
    const char *name;     /* by part: of the part, "" if the term has no other */
    enum rank_term term;  /* by part */
    apportion_sum sum_ps; /* rule 1 */
};

struct terms_table {
    struct terms_row *row; /* by part: by term; else in order of first appearance */
    uint32_t count;
};

struct rank_terms {
    struct arena arena;
    time_ps end_ps;
    uint32_t rank_count, seats;
    struct terms_table by[TERMS_BY_COUNT];
    time_ps (*of_seat)[RANK_TERM_COUNT]; /* [seats]: of one rank of each class */
    const uint32_t *trace_of_seat;       /* [seats] */
};

void rank_terms_init(struct rank_terms *terms);
void rank_terms_release(struct rank_terms *terms);

/*
 * Fills `terms`, which is new, from the timeline of a finished run whose books are `result`; proves
 * rule 1. Traces are asked for their names, and not changed.
 */
enum status rank_terms_find(struct rank_terms *terms, const struct timeline *timeline,
                            struct path_splitter *splitter, const struct run_result *result,
                            struct diag *diag);

#endif
