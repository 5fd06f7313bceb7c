/*
 * single - a workload of one collective on all ranks, made in memory: what `orrery collective`
 * runs.
 */
#ifndef ORRERY_WORKLOADS_SINGLE_H
#define ORRERY_WORKLOADS_SINGLE_H

#include "model/trace.h"

/* `size_bytes` as in trace.h rule 5. Released with workload_release(). */
void single_collective(struct workload *workload, enum collective_kind kind, uint64_t size_bytes,
                       uint32_t ranks);

#endif
