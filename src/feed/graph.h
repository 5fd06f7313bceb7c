/*
 * graph - the dependencies of one trace that count, checked and turned round for release.
 *
 * Rules:
 *  1. Which edges count is `mode`: data, control, both, or auto: data only for files of Chakra's
 *     PyTorch converter when they have data edges (their control edge is the caller in the call
 *     tree), both otherwise - ASTRA-sim obeys both.
 *  2. Duplicate edges count once. An edge to an absent node is an error, except a control edge,
 *     which is treated as "no parent" and counted (converters leave edges to a removed root); with
 *     `drop_missing` data edges too. Self-loops and cycles are errors that name the nodes; with
 *     `break_cycles` the edge of a cycle that goes back in start time (else in id) is dropped.
 *     Every dropped edge is a notice.
 *  3. A graph is read-only after graph_build() and shared by all ranks that run the trace.
 *  O(nodes + edges), no recursion.
 */
#ifndef ORRERY_FEED_GRAPH_H
#define ORRERY_FEED_GRAPH_H

#include <stdint.h>

#include "base/diag.h"
#include "base/notice.h"
#include "config/config.h"
#include "model/trace.h"

struct graph {
    struct trace *trace;
    uint32_t count;
    uint32_t *parent_count; /* [count] parents of each node that count */
    uint64_t *child_begin;  /* [count + 1] */
    uint32_t *child;        /* ascending within a node */
};

enum status graph_build(struct graph *graph, struct trace *trace,
                        const struct workload_config *config, struct notices *notices,
                        struct diag *diag);
void graph_release(struct graph *graph);

#endif
