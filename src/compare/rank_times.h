/*
 * rank_times - a rank of our own reports, field by field, in the form of outcome.h.
 *
 * Communication alone is what is exposed of every kind and waiting; communication is that and what
 * is overlapped, which is said only if one kind is (of several, parts may be at the same time).
 */
#ifndef ORRERY_COMPARE_RANK_TIMES_H
#define ORRERY_COMPARE_RANK_TIMES_H

#include "compare/outcome.h"

struct rank_times {
    uint64_t rank, finish, compute, compute_sum, alone, overlapped;
    bool has_rank, has_finish, has_compute, has_sum, has_alone, is_finished, is_over;
    uint32_t overlapped_kinds;
};

void rank_times_begin(struct rank_times *times);

/* A field by its name, "finish_ps"; others than known ones are passed over. */
void rank_times_take(struct rank_times *times, const char *name, size_t length, uint64_t value);

/* Adds the rank, if it finished. False if there is no rank, or a time does not fit. */
bool rank_times_end(const struct rank_times *times, struct outcome *outcome);

#endif
