/*
 * traffic - a list of point-to-point flows, and running it on any network model.
 *
 * Rules:
 *  1. A flow goes from one NPU to another. It is sent at its start time, or when all flows that it
 *     depends on have arrived, whichever is later; in the order of the list where that is the same.
 *  2. Dependencies name flows by their index; traffic_check() refuses circles.
 *  3. The runner knows network models by struct network_ops only.
 */
#ifndef ORRERY_NET_TRAFFIC_TRAFFIC_H
#define ORRERY_NET_TRAFFIC_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/grow.h"
#include "base/units.h"
#include "config/config.h"
#include "model/network.h"

struct traffic_flow {
    uint64_t id; /* as the user names it; of patterns: 1, 2, .. */
    uint64_t bytes;
    time_ps start_ps;
    uint32_t src, dst;
    uint32_t first_dep, dep_count; /* in traffic_dep() */
};

struct traffic {
    struct grow flows; /* struct traffic_flow */
    struct grow deps;  /* uint32_t, index of a flow */
};

void traffic_init(struct traffic *traffic);
void traffic_release(struct traffic *traffic);

static inline uint32_t traffic_count(const struct traffic *traffic)
{
    return (uint32_t)traffic->flows.count;
}

static inline struct traffic_flow *traffic_flow(const struct traffic *traffic, uint32_t index)
{
    return (struct traffic_flow *)traffic->flows.base + index;
}

static inline uint32_t *traffic_dep(const struct traffic *traffic, uint32_t index)
{
    return (uint32_t *)traffic->deps.base + index;
}

/* Appends a flow that starts at 0 and depends on nothing; returns its index. */
uint32_t traffic_add(struct traffic *traffic, uint32_t src, uint32_t dst, uint64_t bytes);

/* The flow added last waits for flow `index`. */
void traffic_depend(struct traffic *traffic, uint32_t index);

/* Ends are NPUs below `npu_count` and differ; no circle of dependencies (its flows are named). */
enum status traffic_check(const struct traffic *traffic, uint32_t npu_count, struct diag *diag);

/* What a run found. Arrays are by flow, or by link of the fabric. */
struct traffic_result {
    time_ps *sent_ps, *arrived_ps;
    time_ps makespan_ps; /* the last arrival */
    double bytes;        /* of all flows */
    uint64_t events;
    struct link_figures *link; /* NULL: the model sees no links */
    uint32_t link_count;
};

void traffic_result_init(struct traffic_result *result);
void traffic_result_release(struct traffic_result *result);

/* `watch` (may be NULL) is called every few thousand events; false stops: STATUS_INTERRUPTED. */
struct traffic_watch {
    bool (*watch)(void *context, time_ps now, uint64_t events);
    void *context;
};

/* What the flows run on. */
struct traffic_net {
    const struct network_ops *ops;
    const struct network_config *config;
};

/*
 * Runs the flows; traffic_check() was passed. Ends with STATUS_LIMIT if the end of simulated time
 * came first.
 */
enum status traffic_run(const struct traffic *traffic, const struct traffic_net *net,
                        const struct traffic_watch *watch, struct traffic_result *result,
                        struct diag *diag);

#endif
