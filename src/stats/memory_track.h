/*
 * memory_track - what each rank's device holds over the time of a run: its high-water mark.
 *
 * Rules:
 *  1. A trace says what is held throughout (fixed_bytes) and what for a time (life: from the start
 *     of one node to the end of another). A trace that says neither is not in the table.
 *  2. A start is when the node is issued, also if the host's launch is still awaited.
 *  3. At equal times, in the order of the run: what ends before something starts makes room for it.
 *  4. O(1) per node, and per life that begins or ends there.
 */
#ifndef ORRERY_STATS_MEMORY_TRACK_H
#define ORRERY_STATS_MEMORY_TRACK_H

#include <stdbool.h>

#include "model/trace.h"
#include "stats/result.h"

struct trace_lives;
struct rank_holding;

struct memory_track {
    struct rank_holding *rank; /* [rank_count] */
    uint32_t rank_count;
    struct trace_lives *lives; /* of the traces met so far */
    uint32_t count, room;
};

void memory_track_init(struct memory_track *track, uint32_t rank_count);
void memory_track_release(struct memory_track *track);

/* Node `node` of `trace` starts, or has ended, on `rank`. */
void memory_track_node(struct memory_track *track, uint32_t rank, const struct trace *trace,
                       uint32_t node, bool has_ended, time_ps now);

/* Rows of result->memory, one a trace; class_of_rank is set. */
void memory_track_fill(const struct memory_track *track, struct run_result *result);

#endif
