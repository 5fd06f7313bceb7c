/*
 * msccl - a collective given as an MSCCL XML file: what MSCCL's, MSCCL++'s and TE-CCL's tools
 * write.
 *
 * <algo> has <gpu>s (positions) with buffers i, o, s of chunks and <tb> thread blocks; a thread
 * block talks to one peer to send to and one to receive from, on one channel, and runs its <step>s
 * in order: s, r, rcs, rrs, rrc, rrcs, cpy, re, nop. A step waits for step `deps` of thread block
 * `depid`.
 *
 * Rules:
 *  1. A send is done when its message has arrived (a thread block copies it), unless the step says
 *     wait="0", which is ours: then it is done when it has left. A receive is handed over, and
 *     reduced (rr.., re), before the step is done. nop takes no time.
 *  2. The k-th send from a to b on a channel belongs to the k-th receive there.
 *  3. A chunk is bytes / nchunksperloop of the collective's whole buffer (all-gather: the gathered
 *     one), rounded up; the schedule is one loop, whatever the size (minBytes, maxBytes and proto
 *     are not used).
 *  4. Everything is checked when the file is read: attributes, ranges of chunks, that all sends and
 *     receives pair with equal counts, and that no step waits for itself. Messages name the line.
 */
#ifndef ORRERY_NET_COLLECTIVE_MSCCL_H
#define ORRERY_NET_COLLECTIVE_MSCCL_H

#include "base/arena.h"
#include "base/diag.h"
#include "model/collective.h"

enum msccl_op {
    MSCCL_NOP,
    MSCCL_SEND,
    MSCCL_RECV,
    MSCCL_RECV_COPY_SEND,
    MSCCL_RECV_REDUCE_SEND,
    MSCCL_RECV_REDUCE_COPY,
    MSCCL_RECV_REDUCE_COPY_SEND,
    MSCCL_COPY,
    MSCCL_REDUCE,
    MSCCL_OP_COUNT
};

#define MSCCL_NONE UINT32_MAX

/* Chunks: places of all three buffers in one row, i, o, s, once msccl_check() has been there. */
struct msccl_step {
    uint8_t op; /* enum msccl_op */
    bool no_wait;
    uint32_t src, dst, count;
    uint32_t needs;                /* another step of the same gpu, or MSCCL_NONE */
    uint32_t depid, deps;          /* as written, MSCCL_NONE: none */
    uint32_t recv_slot, send_slot; /* its own, and the one at the receiver of what it sends */
    uint32_t sender;               /* step that sends what it receives */
    uint32_t line;
};

struct msccl_block {               /* a thread block */
    uint32_t id, send, recv, chan; /* peers, or MSCCL_NONE */
    uint32_t first_step, step_count;
    uint32_t line;
};

struct msccl_gpu {
    uint32_t chunks[3]; /* of buffers i, o, s */
    uint32_t first_block, block_count;
    uint32_t first_copy, copy_count;
    uint32_t slots;
    uint32_t line; /* 0: not seen */
};

struct msccl_copy { /* the output begins with a chunk of the input */
    uint32_t from, to;
};

struct msccl {
    const char *path, *name;
    uint32_t n, chunks_per_loop, slots;
    bool is_custom, in_place; /* coll="custom": any kind */
    enum collective_kind kind;
    uint32_t room[3]; /* most chunks of each buffer */
    struct msccl_gpu *gpu;
    struct msccl_block *block;
    struct msccl_step *step;
    struct msccl_copy *copy;
    uint32_t block_count, step_count, copy_count;
};

/* Reads and checks a file. Everything lives in `arena`. */
enum status msccl_load(struct msccl **msccl, const char *path, struct arena *arena,
                       struct diag *diag);

/* The same from memory; `path` is for messages. */
enum status msccl_parse(struct msccl **msccl, const char *path, const void *bytes, size_t length,
                        struct arena *arena, struct diag *diag);

/* Is the custom collective given by that text an MSCCL file? It ends with .xml. */
bool msccl_is_path(const char *text);

/* Fails unless the file is for that kind of collective. */
enum status msccl_fits(const struct msccl *msccl, enum collective_kind kind, struct diag *diag);

/* Runs `struct msccl`, given as schedule.program_data before plan(). */
extern const struct collective_ops collective_msccl;

#endif
