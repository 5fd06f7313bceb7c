/*
 * timeline_draw - what each rank did when, told to a file format (timeline_sink.h).
 *
 * Rules:
 *  1. A process per rank, its number the rank; in it a track per lane of ops: host, compute,
 *     communication, receives, or the trace's streams. Ops of one lane that overlap are on tracks
 *     of their own.
 *  2. An op is a slice with its name, kind, size and communicator; what the device waited for the
 *     host to launch is a slice of the host. Ops that take no time are left out.
 *  3. A receive that took a message has an arrow from its send, if both ranks are shown; in a
 *     folded run from the rank that stands for the sender. Arrows go from the slice that began
 *     first. If the receive came before the send, a slice "message" within it begins 1 ns after
 *     the send and has the arrow: before it the receive waited for its peer. A message of less
 *     than 2 ns has no arrow.
 *  4. With a critical path: a process "job" whose track "critical path" has each piece of it, and
 *     arrows, as in rule 3, from the member that a collective on the path waited for ("last
 *     message").
 *  5. Counters: "device memory" of a rank, where the trace says what is in it; "computes
 *     under way, all ranks", in TIMELINE_BUCKETS means. With link_series a process "network": of
 *     the links of each dimension together, and of each of the busiest `most_links`, how much of
 *     their bandwidth is in use, in percent, as means of buckets.
 *
 * Memory: 44 bytes a slice, 16 an op of one rank, 24 a value of a counter, and the names that the
 * format keeps.
 */
#ifndef ORRERY_REPORT_TIMELINE_DRAW_H
#define ORRERY_REPORT_TIMELINE_DRAW_H

#include "report/timeline_sink.h"
#include "report/timeline_view.h"

enum { TIMELINE_BUCKETS = 512 };

void timeline_draw(const struct timeline_view *view, const struct timeline_pick *pick,
                   const struct timeline_sink *sink);

#endif
