/*
 * custom - a collective given as Chakra files, one per position: SEND, RECV and COMP nodes.
 *
 * Sizes, peers (positions) and tags are those of the files; the workload's size is ignored. A send
 * is done when its message has arrived; a COMP takes its duration, or `least_duration_ns`; nothing
 * is handed over and no slot limits concurrency (ASTRA-sim's custom algorithm). The k-th send from
 * a to b with one tag and size belongs to the k-th such receive, in order of id; one that has no
 * partner is an error here, before anything runs.
 */
#ifndef ORRERY_NET_COLLECTIVE_CUSTOM_H
#define ORRERY_NET_COLLECTIVE_CUSTOM_H

#include "model/collective.h"
#include "model/trace.h"

extern const struct collective_ops collective_custom;

/* Makes the schedule of `n` positions from their traces. Lives in `arena`. */
enum status custom_schedule(struct trace *const *position, uint32_t n, uint64_t least_duration_ns,
                            struct arena *arena, struct schedule *schedule, struct diag *diag);

#endif
