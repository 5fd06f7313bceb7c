/*
 * job_stage - writes the trace of one pipeline stage: parts shared by job_stage.c (units of the
 * pipeline), job_chain.c (what waits for what) and job_sync.c (data parallelism and the step's
 * end).
 *
 * The chain is the sequence of nodes that a rank's program waits for one by one: compute, and
 * communication that does not overlap. What runs beside it is kept in `due` until the chain needs
 * it.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_JOB_STAGE_H
#define ORRERY_WORKLOADS_GENERATE_JOB_STAGE_H

#include "workloads/generate/job_groups.h"
#include "workloads/generate/job_pieces.h"
#include "workloads/generate/job_trace.h"

enum { MAX_DUE = 512 };

/* A point of a list: item << 32 | repetition. */
#define DUE_NOW        ((uint64_t)0)
#define DUE_AFTER_LIST UINT64_MAX

/* Runs beside the chain until point `wait` of the list. */
struct due {
    uint64_t wait;
    uint32_t node;
    enum job_stream stream;
};

struct lane {
    uint32_t last;  /* node of the stream, or TRACE_NONE */
    bool is_behind; /* the chain waits for it already */
};

struct stage_writer {
    const struct job_input *input;
    const struct job_layout *layout;
    const struct job_stage *stage;
    struct job_trace *out;
    uint32_t tail; /* of the chain, or TRACE_NONE */
    struct due due[MAX_DUE];
    uint32_t due_count;
    struct lane lane[JOB_STREAM_COUNT];
    uint32_t micro_batches;
    uint32_t reducing;  /* zero 2, 3: last reduction not yet waited for, or TRACE_NONE */
    uint32_t received;  /* node of the unit's receive, not yet read; or TRACE_NONE */
    uint32_t *begun;    /* [piece][micro-batch]: first node of the forward */
    uint32_t *returned; /* [piece]: first node of the last backward */
    uint32_t *gathered; /* [piece] (zero 3) or [bucket]: gather not yet waited for, or TRACE_NONE */
    uint32_t *held_from; /* [piece]: node since which gathered weights are there (zero 3) */
};

/* Adds a node to the chain; it waits for all that is due by point `at` of the list. */
uint32_t stage_chain(struct stage_writer *writer, const char *text, struct job_place place,
                     struct trace_node node, const struct op_shape *shape, uint64_t at);

/* What a node beside the chain waits for, besides the one before it on its stream. */
enum aside_after {
    AFTER_NOTHING,
    AFTER_TAIL, /* the chain as it stands */
    AFTER_DUE   /* and what is due by point `at` of the list */
};

/* Adds a node beside the chain. */
uint32_t stage_aside(struct stage_writer *writer, const char *text, struct job_place place,
                     struct trace_node node, enum aside_after after, uint64_t at);

/* Adds a node beside the chain that waits for the node `parent`. */
uint32_t stage_after(struct stage_writer *writer, const char *text, struct job_place place,
                     struct trace_node node, uint32_t parent);

/* The chain will wait for `node`, of `stream`, at point `wait` of the list or, DUE_NOW, at its next
 * node. */
void stage_owe(struct stage_writer *writer, uint32_t node, enum job_stream stream, uint64_t wait);

/* A collective over groups of `kind`. */
struct trace_node stage_collective(struct stage_writer *writer, enum collective_kind collective,
                                   enum group_kind kind, uint64_t bytes, enum job_stream stream);

/* Members of the rank's group of a kind. */
static inline uint32_t stage_members(const struct stage_writer *writer, enum group_kind kind)
{
    return job_group_size(writer->layout, kind);
}

/* -- job_sync.c ----------------------------------------------------------------------------- */

/* Gathers of the whole step, before its first unit (zero 1 and 2). */
void sync_begin(struct stage_writer *writer);

/* Before piece `turn` of a unit that goes through `count` pieces from `first` by `step`: 1, -1. */
struct sync_walk {
    struct job_place place;
    uint32_t first, count, ahead; /* pieces whose gathers are issued already */
    int step;
};
void sync_piece_begin(struct stage_writer *writer, struct sync_walk *walk, uint32_t turn);

/* After piece `piece` of a forward or backward unit. */
void sync_piece_end(struct stage_writer *writer, uint32_t piece, enum job_pass pass);

/* The gradients of `piece` are complete for this micro-batch. */
void sync_gradients(struct stage_writer *writer, uint32_t piece, struct job_place place);

/* All after the last unit. */
void sync_step(struct stage_writer *writer);

/* Bytes that one rank holds throughout. */
uint64_t sync_fixed_bytes(const struct stage_writer *writer);

/* -- job_stage.c ---------------------------------------------------------------------------- */

/* The trace of stage `index`. */
struct trace *stage_write(const struct job_input *input, const struct job_layout *layout,
                          uint32_t index, uint32_t *kinds);

#endif
