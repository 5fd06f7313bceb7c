/*
 * scalesim - what SCALE-Sim v2 reports for a layer, exactly: cycles, stalls, utilisation, accesses.
 *
 * A dialect, as ASTRA-sim is one of the network part: its habits are kept where they are not ours
 * (and named below), so that users of SCALE-Sim find their numbers. orrery's own bandwidth-limited
 * model is systolic_memory.
 *
 *  - `cycles` is the number of the last cycle, from 0: one less than systolic_time.
 *  - Two modes: stall-free (words_per_cycle 0; reads of DRAM are estimated: scalesim_reads), and
 *    `words_per_cycle` words of DRAM per cycle for each of the three memories. Reads stall in the
 *    second mode only (scalesim_misses, scalesim_windows), writes in both (scalesim_writes;
 *    `columns` words a cycle in the first).
 *  - If several memories stall in a cycle, the longest stall counts.
 *  - Output-stationary writes count rows + columns too many per fold, and the busy share of the
 *    other two dataflows is per fold of columns - 1 more cycles.
 *  - Positions of a convolution: CONVOLUTION_SCALESIM. No batch, groups, dilation, pad.
 *
 * Cost: O(folds + events log fold), where events are moves of a window and drains, each of half a
 * memory; convolutions whose windows overlap and whose input does not fit: O(words the array asks
 * for). A 4096 x 4096 x 4096 product on 128 x 128 with 512 KiB memories: milliseconds (a table of
 * SCALE-Sim: an hour).
 */
#ifndef ORRERY_COMPUTE_MODEL_SCALESIM_H
#define ORRERY_COMPUTE_MODEL_SCALESIM_H

#include "base/diag.h"
#include "compute/model/convolution.h"
#include "compute/model/systolic.h"

struct scalesim_config {
    uint64_t rows, columns;
    enum systolic_dataflow dataflow;
    uint64_t input_words, filter_words,
        output_words;         /* memories, both halves; SCALE-Sim: 1 B words */
    uint64_t words_per_cycle; /* of DRAM; 0: stall-free */
};

struct scalesim_report {
    struct systolic_gemm gemm;
    uint64_t cycles;
    int64_t stall_cycles;
    double use_percent, mapped_percent, busy_percent; /* overall, mapping efficiency, compute */
    struct systolic_reads sram, dram;                 /* words */
    double input_bandwidth, filter_bandwidth, output_bandwidth; /* of DRAM, words per cycle */
};

/* A product as SCALE-Sim writes it: a convolution of filters as wide as the input. */
struct convolution scalesim_gemm(uint64_t m, uint64_t n, uint64_t k);

/* Fails on impossible layers, memories below 2 words, and layers too large to be replayed. */
enum status scalesim_run(struct scalesim_report *report, const struct scalesim_config *config,
                         const struct convolution *layer, struct diag *diag);

#endif
