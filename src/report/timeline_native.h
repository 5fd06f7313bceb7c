/*
 * timeline_native - a timeline (timeline_draw.h) in Perfetto's own format, a stream of protobuf
 * messages (timeline_native.proto): a quarter of the JSON's size, and read faster.
 *
 * Rules:
 *  1. A process per rank, with a thread per track; a counter is a child of its process. All are
 *     declared before the first event.
 *  2. Slices are pairs of SLICE_BEGIN and SLICE_END, in one sequence of packets in order of time.
 *     Names, categories, and the names and texts of arguments are interned: told once, in the
 *     packet that needs them first.
 *  3. An arrow is a flow id at the begin of both its slices, which ends at the second.
 *  4. Facts are trace attributes "orrery.<fact>".
 *  5. Packets are written one by one; memory is that of timeline_draw.h and of the distinct names.
 */
#ifndef ORRERY_REPORT_TIMELINE_NATIVE_H
#define ORRERY_REPORT_TIMELINE_NATIVE_H

#include <stdio.h>

#include "report/timeline_view.h"

void timeline_native(const struct timeline_view *view, const struct timeline_pick *pick, FILE *out);

#endif
