/*
 * op_names - what tables of ops call them, so that alike ones are one row.
 */
#ifndef ORRERY_STATS_OP_NAMES_H
#define ORRERY_STATS_OP_NAMES_H

#include "model/trace.h"

/* What is no op, or none that communicates. */
extern const char op_launches[], op_nothing[], op_no_communication[];

/* A name with every number as '*': "mb*.forward.layer*.qkv"; "(no name)". */
const char *op_pattern(char *to, size_t size, const char *name);

/* "all-reduce, dp", "send and receive", "(no communication)". */
const char *op_collective_name(char *to, size_t size, const struct trace *trace,
                               const struct trace_node *node);

#endif
