/*
 * sched - runs the ranks' graphs on their resources: slots, chunk streams, queues, matching.
 *
 * Rules:
 *  1. sched_create() borrows everything in `parts` until sched_destroy(). Nothing is changed there.
 *  2. sched_start() issues what is ready at time 0, rank 0 first. Then run the engine; when it runs
 *     dry, sched_wake_late() may find more to do; when that is false the job has ended or is stuck.
 *  3. A finding (ranks that disagree) stops the engine and is in sched_finding().
 *  4. Folded: one rank stands for all ranks of its class; sched_fold_broken() tells that a tie
 *     came up whose order could differ between ranks: the caller runs again unfolded.
 *
 * Semantics are ASTRA-sim's workload and system layers where those are defined: slots of one op
 * each, ready nodes in ascending id per wake-up, chunk streams in per-dimension queues.
 */
#ifndef ORRERY_SCHED_SCHED_H
#define ORRERY_SCHED_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/notice.h"
#include "config/config.h"
#include "feed/graph.h"
#include "model/network.h"
#include "model/observer.h"
#include "model/trace.h"
#include "sched/groups.h"
#include "sched/plan.h"
#include "sim/engine.h"

struct sched;

/* A class of ranks in a collective of a folded run; it takes part for the rank that is
 * simulated. */
struct fold_seat {
    uint32_t class;
    uint32_t position;     /* of that rank in its own group */
    const uint32_t *ranks; /* members of that group by position; NULL: the position itself */
};

/* Groups that are alike: one collective is run for all of them (run/fold_groups.h). */
struct fold_group {
    uint32_t lead;          /* the lowest of them */
    uint32_t groups;        /* how many */
    uint32_t count;         /* of seats; 0: no collective uses it */
    struct fold_seat *seat; /* ascending by class */
};

/* A folded run simulates one rank of each class; the others do the same at the same times. */
struct rank_fold {
    uint32_t count;                 /* classes */
    const uint32_t *class_of;       /* [ranks] */
    const uint32_t *first;          /* [count] the rank that is simulated */
    const uint32_t *size;           /* [count] */
    const uint32_t *group_of;       /* [groups] class of the group */
    const struct fold_group *group; /* by class of groups */
    uint32_t group_count;
};

/* What takes no time, or another one, in a run that asks "what if" (run/what_if.h). */
struct sched_free {
    const bool *trace; /* [traces] compute, host work, launches and memory of its ranks; or NULL */
    const double *compute_factor; /* [traces] device compute of its ranks takes so much longer; or
                                     NULL */
    /* [traces][nodes], or NULL: the node takes no time. Compute and memory; a collective ends when
     * all its members have come (its first member's node says so); a send is there at once. */
    const bool *const *node;
    const uint64_t *variant; /* [traces]: equal traces of different variants are not alike */
    bool launches;           /* the host launches at once */
};

struct sched_parts {
    const struct config *config;
    const struct workload *workload;
    const struct graph *graphs;      /* [workload->trace_count] */
    const time_ps *const *shape_ps;  /* [trace][shape]: times of op shapes, or NULL */
    const time_ps *const *launch_ps; /* [trace][node]: when the host has launched it, or NULL */
    const struct groups *groups;
    struct plan_book *book;
    struct engine *engine;
    struct observer observer;
    struct follower follower;
    const struct sched_free *free; /* NULL: everything costs what it costs */
    struct notices *notices;
    const struct rank_fold *fold;      /* NULL: every rank is simulated */
    const struct link_fold *link_fold; /* then, on a fabric: what the network model is told */
    struct link_meter meter;           /* is told what links carry when, if the model sees links */
};

struct sched_dimension {
    uint64_t messages;
    uint64_t bytes;
};

/* Totals of what was simulated: of all ranks, or in a folded run of the rank of one class. */
struct sched_totals {
    uint64_t nodes_done;
    uint64_t messages_sent, messages_arrived;
    uint64_t bytes_sent, bytes_arrived;
    uint64_t control_messages; /* of the rendezvous protocol; in none of the other counts */
    uint32_t seats_finished;   /* simulated ranks */
    struct sched_dimension dimension[CONFIG_MAX_DIMS];
};

enum status sched_create(struct sched **sched, const struct sched_parts *parts, struct diag *diag);
void sched_destroy(struct sched *sched);

/* Bytes that one chunk of one member of a collective takes while it runs, at least. */
size_t sched_stream_bytes(void);

void sched_start(struct sched *sched);

/* Issues children of zero-cost nodes that wait for an event that will not come (config
 * late_zero_cost). True if anything was issued. */
bool sched_wake_late(struct sched *sched);

bool sched_all_finished(const struct sched *sched);
bool sched_fold_broken(const struct sched *sched);
/* Adds what each link of the fabric has done; false if the network model sees no links. */
bool sched_links(const struct sched *sched, struct link_figures *rows);

/* network_ops.server_of(); as sched_links(). */
uint32_t sched_link_server(const struct sched *sched, uint32_t link, double *share);

/* Of all ranks (class 0), or in a folded run of the rank that stands for a class. */
const struct sched_totals *sched_totals(const struct sched *sched, uint32_t class);

/* Notices of what a finished run left over. */
void sched_say_leftovers(struct sched *sched);

/* STATUS_OK, or the finding that stopped the run, with its text in `diag`. */
enum status sched_finding(const struct sched *sched, struct diag *diag);

/* Lines that say which ranks wait for what; owned by `arena`. Returns how many. */
uint32_t sched_wait_for(struct sched *sched, struct arena *arena, const char ***lines);

#endif
