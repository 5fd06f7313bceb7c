/*
 * scalesim_reads - words read from DRAM in SCALE-Sim's stall-free mode, in closed form.
 *
 * In that mode memory remembers what it has read, in sets of floor(memory / 100) words; after 50
 * full sets it forgets everything at once. Until then a word is read once, however often it is
 * asked for. The bandwidth it reports spreads the reads over the time from the first prefetch (at
 * 10 words a cycle, before the start) to the last time it forgot.
 *
 * 2304 x 256 filters (weights of 225 positions, output stationary, 128 x 128) of a 1 MiB memory: 50
 * sets of 10,485 words. Block 0 (294,912 words) and 229,338 words of block 1 fill them; the rest of
 * block 1 and, in its second pass, its first 229,338 words come again: 819,162 reads.
 *
 * Source: the behaviour of SCALE-Sim v2's estimating read buffer.
 */
#ifndef ORRERY_COMPUTE_MODEL_SCALESIM_READS_H
#define ORRERY_COMPUTE_MODEL_SCALESIM_READS_H

#include "compute/model/scalesim_order.h"

struct scalesim_reads {
    uint64_t words;
    bool has_forgotten;
    uint64_t last_ask; /* number of the word asked for when it last forgot */
};

/* Distinct words it keeps before it forgets. */
uint64_t scalesim_reads_capacity(uint64_t memory_words);

/* O(blocks + words read / capacity). */
void scalesim_reads(struct scalesim_reads *reads, const struct scalesim_order *order,
                    uint64_t memory_words);

/* The cycle in which word number `ask`, as the array asks for them, is asked for. */
uint64_t scalesim_reads_cycle(const struct scalesim_order *order, uint64_t ask);

/* Words a cycle it reports for `words` reads, that last forgot in `last_cycle`, if it did. */
double scalesim_reads_bandwidth(const struct scalesim_order *order, uint64_t memory_words,
                                uint64_t words, bool has_forgotten, uint64_t last_cycle);

#endif
