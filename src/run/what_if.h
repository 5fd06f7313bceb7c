/*
 * what_if - the same job with something taken away: how fast could it be at most?
 *
 * Each is a run of its own, so that whatever the rest of the job does then is in its time.
 *
 *     rank:17                 its compute, host, launches and remote memory take no time
 *     compute                 the same of all ranks
 *     launches                hosts launch at once
 *     collective:all-to-all   collectives of the kind end when their last member has come
 *     messages                sends and receives arrive at once
 *     network                 collectives of all kinds, and messages
 *     link:leaf0--spine1      10,000 times the bandwidth and no latency, for links as changes.h
 *                             names them ("rank 5", "node leaf0", "a->b"); needs a fabric
 *     contention              the network model that has none: analytical, or congestion-unaware
 *
 * Rules:
 *  1. `link` and `contention` are of the configuration: what_if_backend() and what_if_changes() say
 *     what to set. All else is of the run: what_if_run().
 *  2. A bound, and not always a lower time: what is free may come first where something else
 *     should have, and `auto` chooses algorithms by the links of rank 0. Such runs are reported as
 *     they are.
 */
#ifndef ORRERY_RUN_WHAT_IF_H
#define ORRERY_RUN_WHAT_IF_H

#include "run/simulate.h"

enum { WHAT_IF_RANKS = 32, WHAT_IF_TEXT = 512 };

struct what_if {
    char name[WHAT_IF_TEXT]; /* "rank:17"; of several, joined */
    uint32_t rank[WHAT_IF_RANKS], rank_count;
    bool compute, launches, messages, contention;
    uint32_t collectives; /* bit by kind */
    char changes[WHAT_IF_TEXT];
};

/* Reads one of the lines above. */
enum status what_if_parse(struct what_if *what_if, const char *text, struct diag *diag);

/* Adds `other` to `what_if`; false if it is too much for one. */
bool what_if_add(struct what_if *what_if, const struct what_if *other);

/* Checks it against the job's size and network. */
enum status what_if_check(const struct what_if *what_if, const struct config *config,
                          struct diag *diag);

/* Values of the settings network.backend and network.changes for it, NULL: as they are.
 * `changes` has room for the result, which goes after those of `config`. */
const char *what_if_backend(const struct what_if *what_if, const struct config *config);
const char *what_if_changes(const struct what_if *what_if, const struct config *config,
                            char *changes, size_t room);

/* Runs the job so; `config` has the settings above. As simulate(). */
enum status what_if_run(const struct what_if *what_if, const struct config *config,
                        const struct workload *workload, const struct group_file *groups,
                        const struct simulate_watch *watch, struct run_result *result,
                        struct diag *diag);

#endif
