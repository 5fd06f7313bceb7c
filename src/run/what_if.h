/*
 * what_if - the same job with something taken away: how fast could it be at most?
 *
 * Each is a run of its own, so that whatever the rest of the job does then is in its time.
 *
 *     rank:17                 its compute, host, launches and remote memory take no time
 *     compute                 the same of all ranks
 *     memory                  ops that are bound by memory, and remote memory; under the roofline
 *                             model local memory is infinitely fast
 *     launches                hosts launch at once
 *     collective:all-to-all   collectives of the kind end when their last member has come
 *     collective:moe.dispatch those whose name has that in it (a name with a dot, or a '*')
 *     messages                sends and receives arrive at once
 *     network                 collectives of all kinds, and messages
 *     group:tp                collectives and messages of the communicator of that name
 *     op:mlp.up               every op whose name, numbers as '*' ("mb*.forward.layer*.mlp.up"),
 *                             has that in it
 *     link:spine              10,000 times the bandwidth and no latency, for links as changes.h
 *     link:leaf0--spine1      names them: a class, a pair of classes or nodes, "rank 5", "node
 *                             leaf0", "dim 1"; needs a fabric
 *     contention              the network model that has none: analytical, or congestion-unaware
 *     stragglers              the compute of ranks that compute longer than the median is as long
 *
 * Rules:
 *  1. `link` and `contention` are of the configuration: what_if_backend() and what_if_changes() say
 *     what to set. All else is of the run: what_if_run().
 *  2. A bound, and not always a lower time: what is free may come first where something else
 *     should have, and `auto` chooses algorithms by the links of rank 0. Such runs are reported as
 *     they are.
 *  3. Where names of ops differ between the members of a collective, the first one to come says
 *     whether it is free.
 */
#ifndef ORRERY_RUN_WHAT_IF_H
#define ORRERY_RUN_WHAT_IF_H

#include "run/simulate.h"

enum { WHAT_IF_RANKS = 32, WHAT_IF_NAMES = 8, WHAT_IF_NAME = 96, WHAT_IF_TEXT = 512 };

struct what_if {
    char name[WHAT_IF_TEXT]; /* "rank:17"; of several, joined */
    uint32_t rank[WHAT_IF_RANKS], rank_count;
    bool compute, memory, launches, messages, contention, stragglers;
    uint32_t collectives; /* bit by kind */
    struct {
        bool is_group, is_collective; /* else of any op */
        char text[WHAT_IF_NAME];
    } match[WHAT_IF_NAMES];
    uint32_t match_count;
    char changes[WHAT_IF_TEXT];
};

/* What is run so. */
struct what_if_job {
    const struct config *config;
    const struct workload *workload;
    const struct group_file *groups;
    const struct run_result *result; /* of the run as it is: who is a straggler */
};

/* Reads one of the lines above. */
enum status what_if_parse(struct what_if *what_if, const char *text, struct diag *diag);

/* Adds `other` to `what_if`; false if it is too much for one. */
bool what_if_add(struct what_if *what_if, const struct what_if *other);

/* Checks it against the job's size, names and network. */
enum status what_if_check(const struct what_if *what_if, const struct config *config,
                          const struct workload *workload, struct diag *diag);

/* Values of the settings network.backend and network.changes for it, NULL: as they are.
 * `changes` has room for the result, which goes after those of `config`. */
const char *what_if_backend(const struct what_if *what_if, const struct config *config);
const char *what_if_changes(const struct what_if *what_if, const struct config *config,
                            char *changes, size_t room);

/* Runs the job so; its config has the settings above. As simulate_also(), but for also->free. */
enum status what_if_run(const struct what_if *what_if, const struct what_if_job *job,
                        const struct simulate_also *also, struct run_result *result,
                        struct diag *diag);

#endif
