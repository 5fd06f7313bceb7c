/*
 * critical_path_split - what the time of a collective or message on the critical path was made of.
 *
 * A message is latency (what it takes without a byte on an idle network) and bandwidth (the rest of
 * its idle time); what it took beyond that is contention. A collective is taken as its schedule's
 * closed form says (collective_ops.cost): so many latencies and bytes one after the other, between
 * the two neighbours that need longest, times its chunks where those queue. Beyond it is
 * contention, queues, hand-overs and reductions; a collective that was faster, because its members
 * came one after the other or its messages took several ways, is divided as the closed form is.
 * On a fabric, bandwidth is of the dimension of the slowest link on the message's route, latency of
 * the dimensions of all its links, as far as each adds to it: a message between ranks that differ
 * in several dimensions goes through all of them.
 *
 * Rules:
 *  1. Parts sum to the piece's length exactly: the last takes what rounding leaves.
 *  2. A collective without a closed form (custom schedules) is `rest` as a whole.
 *  3. Example: a ring of 4 on 1 B/ns and 100 ns, 4096 B: 6 steps of 100 + 1024 ns: 600 ns latency,
 *     6144 ns bandwidth.
 */
#ifndef ORRERY_STATS_CRITICAL_PATH_SPLIT_H
#define ORRERY_STATS_CRITICAL_PATH_SPLIT_H

#include "base/table.h"
#include "model/network.h"
#include "net/model/paths.h"
#include "sched/groups.h"
#include "sched/plan.h"
#include "stats/critical_path.h"

struct path_split {
    time_ps latency_ps[CONFIG_MAX_DIMS], bandwidth_ps[CONFIG_MAX_DIMS]; /* by dimension of a link */
    time_ps rest_ps;
};

/* Messages one after the other between two ranks: what they take in all. */
struct split_message {
    uint32_t src, dst;
    double latency_ps, bandwidth_ps;
};

enum { SPLIT_MESSAGES = PLAN_MAX_PHASES };

/* The closed form of one collective. */
struct split_form {
    struct split_message message[SPLIT_MESSAGES];
    uint32_t message_count;
    double rest_ps;
    double dim_latency_ps[CONFIG_MAX_DIMS], dim_bandwidth_ps[CONFIG_MAX_DIMS];
};

struct path_splitter {
    const struct config *config;
    const struct workload *workload;
    const struct groups *groups;
    struct plan_book *book;
    const struct network_ops *network;
    const time_ps *const *shape_ps; /* as in sched_parts; NULL until the caller sets it */
    void *net;                      /* an idle network */
    struct paths paths;             /* if the network is a fabric */
    const uint32_t *server_dims;    /* of paths; NULL: no fabric */
    const uint32_t *server_link;    /* likewise: the first link of each */
    struct engine engine;
    struct table form_of; /* kind, size and group -> form */
    struct split_form *form;
    uint32_t form_count, form_room;
};

/* All is borrowed until path_splitter_release(), which is due in every case. */
enum status path_splitter_init(struct path_splitter *splitter, const struct config *config,
                               const struct workload *workload, const struct groups *groups,
                               struct plan_book *book, struct diag *diag);
void path_splitter_release(struct path_splitter *splitter);

/* Divides a piece of `length_ps` of `node` (collective, send or receive), which `rank` runs. */
void path_split(struct path_splitter *splitter, uint32_t rank, const struct trace_node *node,
                time_ps length_ps, struct path_split *split);

/*
 * The links that carried what path_split() divided: calls `visit` with a link of the fabric and
 * what it has of the time of messages, in all split->latency_ps and bandwidth_ps. A message's
 * bandwidth is of the slowest link on its route, its latency of all. Of a collective it is the
 * route of the two neighbours that need longest (one such pair, where several are alike). Only if
 * the network model sees links (splitter->server_dims).
 */
void path_split_links(struct path_splitter *splitter, uint32_t rank, const struct trace_node *node,
                      const struct path_split *split,
                      void (*visit)(void *context, uint32_t link, time_ps time_ps), void *context);

/* For stats/critical_path_links.c: the form of a message or collective that `rank` runs. */
void path_split_form(struct path_splitter *splitter, uint32_t rank, const struct trace_node *node,
                     struct split_form *form);

#endif
