/*
 * scalesim_writes - SCALE-Sim's result memory: filled by the array, drained to DRAM by halves.
 *
 * Each word written takes a place. Once the last drain has ended and fewer places than half are
 * free, a drain of up to half the memory starts: ceil(half / bandwidth) lines of `bandwidth` words,
 * one a cycle. A drain first closes the line that is being filled, and counts only its own last
 * line as what it is: a closed line in the middle counts as full, so that places and words written
 * are now and then too many. While a drain lasts and no place is free, the array waits for its end.
 *
 * Rules:
 *  1. Cycles of the array ("cycle") are without stalls; cycle + stall is time.
 *  2. Between the cycles that scalesim_writes_next() names nothing happens; O(log) for each of
 *     them, and one look at each word of that one cycle.
 *
 * Source: the behaviour of SCALE-Sim v2's write buffer.
 */
#ifndef ORRERY_COMPUTE_MODEL_SCALESIM_WRITES_H
#define ORRERY_COMPUTE_MODEL_SCALESIM_WRITES_H

#include <stdbool.h>

#include "base/grow.h"
#include "compute/model/systolic.h"

struct scalesim_writes {
    /* what is written when */
    struct systolic_folds folds;
    uint64_t rows, columns; /* of the array */
    bool is_output;         /* dataflow: a fold writes what it holds, not what streams */
    /* the memory */
    uint64_t half_words, keep_words; /* a drain's; free places below which it starts */
    uint64_t words_per_cycle;
    int64_t free_words;
    int64_t drain_end; /* time */
    uint64_t cycle;    /* of the array: all before it is done */
    /* lines */
    uint64_t line_count, drained_lines, line_fill;
    struct grow closed; /* struct scalesim_closed: lines closed before they were full */
    size_t closed_next;
    /* counted */
    uint64_t words;
    int64_t first, last; /* time of the first and the last line drained */
    bool is_drained;     /* at least one line was */
};

/* False if there is no memory for it. */
bool scalesim_writes_init(struct scalesim_writes *writes, const struct systolic_array *array,
                          const struct systolic_gemm *gemm, uint64_t memory_words,
                          uint64_t words_per_cycle);
void scalesim_writes_release(struct scalesim_writes *writes);

/* The next cycle in which something may happen if the stall stays as it is; UINT64_MAX if none. */
uint64_t scalesim_writes_next(const struct scalesim_writes *writes, int64_t stall);

/* Goes to the end of `cycle`; returns how long the array waits in it. */
int64_t scalesim_writes_serve(struct scalesim_writes *writes, uint64_t cycle, int64_t stall);

/* Drains what is left, from `time` on. */
void scalesim_writes_flush(struct scalesim_writes *writes, int64_t time);

#endif
