/*
 * text_trace - a trace built node by node from the layers of a text workload.
 *
 * Rules:
 *  1. Parents come before their node; ids are indices. Names are "<layer>.forward",
 *     ".input-gradient", ".weight-gradient", ".recompute", of collectives with the kind behind:
 *     "Q1.forward.all-reduce"; from the second pass on with the number of the pass, from 0, before:
 *     "1.Q1.forward".
 *  2. What the next compute node waits for is collected with text_trace_wait(); it always waits for
 *     the compute node before it.
 */
#ifndef ORRERY_WORKLOADS_TEXT_TEXT_TRACE_H
#define ORRERY_WORKLOADS_TEXT_TEXT_TRACE_H

#include "model/trace.h"
#include "workloads/text/text_file.h"

struct text_trace;

/* What a node of a layer does, for its name. */
enum text_part { PART_FORWARD, PART_INPUT_GRADIENT, PART_WEIGHT_GRADIENT, PART_RECOMPUTE };

/* Keeps `file`'s arena, which becomes the trace's, and the names in it. */
struct text_trace *text_trace_create(const char *path, struct arena *arena);

/* Nodes from here on are of the next pass. */
void text_trace_next_pass(struct text_trace *text);

/* A compute node after what was collected. */
void text_trace_compute(struct text_trace *text, const char *layer, enum text_part part,
                        uint64_t duration_ns);

/*
 * A collective after the last compute node, if there is one. `node` gives kind, size, group or
 * dimensions. Returns its index.
 */
uint32_t text_trace_collective(struct text_trace *text, const char *layer, enum text_part part,
                               struct trace_node node);

/* The next compute node waits for `index` (TRACE_NONE: for nothing). */
void text_trace_wait(struct text_trace *text, uint32_t index);

/*
 * The index of a group name, a constant text. When it is new its groups are declared: of `size`
 * members each, `stride` ranks apart. 8 ranks, size 2, stride 2: 0 2, 1 3, 4 6, 5 7.
 */
uint32_t text_trace_group(struct text_trace *text, const char *name, uint32_t ranks, uint32_t size,
                          uint32_t stride);

/* The trace, which is the caller's now. */
struct trace *text_trace_finish(struct text_trace *text, uint64_t content_hash);

#endif
