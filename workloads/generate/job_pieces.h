/*
 * job_pieces - what one pipeline stage holds of a model: its pieces chunk by chunk, and the buckets
 * in which their gradients and weights travel.
 *
 * Rules:
 *  1. Pieces of a chunk stand in the order of the forward pass: the embedding on the first virtual
 *     stage, layers, multi-token prediction and the head on the last.
 *  2. A bucket is a run of pieces of one chunk, filled from the last piece on (as the backward pass
 *     does) until its gradients have plan->bucket_bytes; 0: one bucket per piece. With zero 3 each
 *     piece is a bucket.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_JOB_PIECES_H
#define ORRERY_WORKLOADS_GENERATE_JOB_PIECES_H

#include "base/arena.h"
#include "workloads/generate/job_graph.h"

struct job_piece {
    const struct layer_piece *lists;
    uint32_t layer;  /* of the model; TRACE_NONE: embedding, head */
    uint32_t bucket; /* index into job_stage.bucket */
    bool is_root;    /* embedding, head: weights are not gathered for the backward pass (zero 3) */
    bool stays;      /* head: those of the forward stay until the backward, which follows at once */
    bool recomputes; /* if the plan recomputes layers in full, this one too */
};

struct job_bucket {
    uint32_t first, last; /* pieces, in the order of the forward pass */
    uint64_t parameters, expert_parameters;
};

struct job_stage {
    uint32_t stage, chunk_count;
    struct job_piece *piece;
    uint32_t piece_count;
    uint32_t *chunk_begin; /* [chunk_count + 1] into piece */
    struct job_bucket *bucket;
    uint32_t bucket_count;
    uint64_t parameters, expert_parameters; /* of one rank, before sharding by zero */
};

void job_stage_make(struct job_stage *stage, const struct job_input *input, uint32_t index,
                    struct arena *arena);

#endif
