/*
 * timeline_json - a timeline (timeline_draw.h) in Chrome's trace event format, the JSON that
 * Perfetto (ui.perfetto.dev) and chrome://tracing open.
 *
 * Format: "Trace Event Format", Google, 2016: an object with `traceEvents`; slices are complete
 * events ("X"), arrows flow events ("s" and "f" with bp "e", each inside its slice, which they
 * follow in the file), counters "C", names and order of processes and threads "M". `otherData` has
 * the facts: what was asked for and what is shown. Times are microseconds with three decimals.
 */
#ifndef ORRERY_REPORT_TIMELINE_JSON_H
#define ORRERY_REPORT_TIMELINE_JSON_H

#include <stdio.h>

#include "report/timeline_view.h"

void timeline_json(const struct timeline_view *view, const struct timeline_pick *pick, FILE *out);

#endif
