/*
 * trace_check - is a loaded trace sound, and are two the same? For tests and fuzzing.
 */
#ifndef ORRERY_WORKLOADS_TRACE_CHECK_H
#define ORRERY_WORKLOADS_TRACE_CHECK_H

#include "model/trace.h"

/* NULL if every promise of model/trace.h holds, else the one that is broken. */
const char *trace_unsound(const struct trace *trace);

/* NULL if both hold the same nodes, edges, groups and metadata, else what differs first. */
const char *trace_difference(struct trace *one, struct trace *other);

#endif
