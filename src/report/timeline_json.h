/*
 * timeline_json - what each rank did when, for a viewer: Chrome's trace event format, which
 * Perfetto (ui.perfetto.dev) and chrome://tracing open.
 *
 * Rules:
 *  1. A process per rank; in it a thread per lane of ops: host, compute, communication, receives,
 *     or the trace's streams. Ops of one lane that overlap are on threads of their own.
 *  2. An op is a slice with its name, kind, size and communicator; what the device waited for the
 *     host to launch is a slice of the host. Ops that take no time are left out.
 *  3. A receive that waited has an arrow from its send, if both ranks are shown. In a folded run
 *     from the rank that stands for the sender.
 *  4. Counter "device memory" where the trace says what is in it.
 *  5. Times are microseconds with six decimals: exact to the picosecond.
 *  6. At most `most_events` slices: further ranks are left out, which `otherData` says, and the
 *     caller is told how many ranks are shown.
 */
#ifndef ORRERY_REPORT_TIMELINE_JSON_H
#define ORRERY_REPORT_TIMELINE_JSON_H

#include <stdio.h>

#include "stats/result.h"
#include "stats/timeline.h"

struct timeline_view {
    const struct timeline *timeline;
    const struct run_result *result;
    const char *version, *job;
    const uint32_t *rank; /* [rank_count] to show, ascending; NULL: each that was simulated */
    uint32_t rank_count;
    uint64_t most_events; /* 0: the default, 500,000 */
};

/* How many of the ranks asked for there is room for; the first always has it. */
uint32_t timeline_fits(const struct timeline_view *view);

/* Writes the first timeline_fits() of them. */
void timeline_json(const struct timeline_view *view, FILE *out);

#endif
