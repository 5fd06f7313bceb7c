/*
 * synth - small trace sets made from a specification, for tests and benchmarks.
 *
 * Kinds:
 *   SYNTH_COLLECTIVE  `count` collectives in a chain; the same on every rank.
 *   SYNTH_PARALLEL    `count` collectives without dependencies; the same on every rank.
 *   SYNTH_DP          data parallelism: `iterations` times `layers` forward computes in a chain, then
 *                     backward computes from the last layer to the first, each followed by an
 *                     all-reduce of the layer's gradient that overlaps the rest. The next
 *                     iteration's forward layer l waits for all-reduce l. The same on every rank.
 *   SYNTH_SKEW        `count` collectives, each after a compute of
 *                     base + (7919 * rank + 104729 * i) mod spread microseconds; a file per rank.
 *   SYNTH_PIPELINE    `count` micro-batches through `ranks` stages (all forward, then all
 *                     backward), `size_bytes` between neighbours; a file per rank.
 */
#ifndef ORRERY_WORKLOADS_SYNTH_SYNTH_H
#define ORRERY_WORKLOADS_SYNTH_SYNTH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "model/op.h"

enum synth_kind { SYNTH_COLLECTIVE, SYNTH_PARALLEL, SYNTH_DP, SYNTH_SKEW, SYNTH_PIPELINE };

struct synth_spec {
    enum synth_kind kind;
    uint32_t ranks;
    enum collective_kind collective;
    uint64_t size_bytes; /* of each collective, or of each message of a pipeline */
    uint32_t count;      /* collectives or micro-batches; 0 means 1 */
    uint32_t layers, iterations;
    uint64_t forward_ops, forward_bytes; /* per compute: floating-point operations, tensor bytes */
    uint64_t backward_ops, backward_bytes;
    uint64_t gradient_bytes;
    uint64_t base_us, spread_us;
};

/* True if all ranks run the same trace. */
bool synth_is_symmetric(const struct synth_spec *spec);

/*
 * Writes PREFIX.all.et if all ranks are equal, otherwise PREFIX.<rank>.et. On failure the files
 * already written stay.
 */
enum status synth_write(const struct synth_spec *spec, const char *prefix, struct diag *diag);

/* Writes the trace of one rank to `path`. */
enum status synth_write_rank(const struct synth_spec *spec, uint32_t rank, const char *path,
                             struct diag *diag);

#endif
