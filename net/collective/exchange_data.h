/*
 * exchange_data - the schedules of exchange.h as described programs: the same messages in the same
 * order, with the pieces that each carries. For verification and export only; the scheduler runs
 * the EXCHANGE form.
 *
 * The pieces are bytes / n (all-gather: bytes), cut as the exchange cuts them. A ring's all-to-all
 * passes each block on from neighbour to neighbour: for each distance d, d messages.
 */
#ifndef ORRERY_NET_COLLECTIVE_EXCHANGE_DATA_H
#define ORRERY_NET_COLLECTIVE_EXCHANGE_DATA_H

#include "model/collective.h"

/* Fills what verify.h needs to know of an exchange's data: a block of one piece per position. */
void exchange_data_plan(const struct schedule_request *request, uint64_t piece_bytes,
                        struct schedule *schedule);

void exchange_ring_program(const struct schedule_request *request, const struct schedule *schedule,
                           uint32_t position, struct arena *arena, struct program *program);
void exchange_direct_program(const struct schedule_request *request,
                             const struct schedule *schedule, uint32_t position,
                             struct arena *arena, struct program *program);

#endif
