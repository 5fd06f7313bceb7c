/*
 * text_workload - a text workload of ASTRA-sim 1.0 or SimAI as the workload of a run: one trace for
 * all ranks.
 *
 * What is read: text_file.h. What it means: text_graph.h. workload_open() comes here for a file
 * that text_file_is().
 */
#ifndef ORRERY_WORKLOADS_TEXT_TEXT_WORKLOAD_H
#define ORRERY_WORKLOADS_TEXT_TEXT_WORKLOAD_H

#include "base/diag.h"
#include "base/notice.h"
#include "model/trace.h"

/* The trace of `passes` passes, released with trace->destroy(). `path` is copied. */
enum status text_workload_load(struct trace **trace, const char *path, uint32_t ranks,
                               uint32_t passes, struct notices *notices, struct diag *diag);

/* The same from bytes that are borrowed for the call. */
enum status text_workload_parse(struct trace **trace, const char *path, const void *bytes,
                                size_t length, uint32_t ranks, uint32_t passes,
                                struct notices *notices, struct diag *diag);

/* Ranks that the file asks for, or the fewest with which no group is of one rank; 0 if it cannot be
 * read. */
uint32_t text_workload_ranks(const char *path);

#endif
