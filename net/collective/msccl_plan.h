/*
 * msccl_plan - lays a schedule out in thread blocks, channels and buffers for msccl_write.h.
 */
#ifndef ORRERY_NET_COLLECTIVE_MSCCL_PLAN_H
#define ORRERY_NET_COLLECTIVE_MSCCL_PLAN_H

#include "base/arena.h"
#include "base/diag.h"
#include "model/collective.h"
#include "net/collective/program.h"

enum export_buffer { BUFFER_INPUT, BUFFER_OUTPUT, BUFFER_SCRATCH };

struct chunk_run { /* chunks that lie together */
    uint8_t buffer;
    uint32_t offset, count;
};

struct export_message {
    uint32_t step; /* of the program: the send, or the receive */
    uint32_t last; /* the same, or the reduction after the receive */
    uint32_t peer, slot;
    bool is_send, combines, no_wait, is_needed;
    uint32_t first_run, run_count;   /* in gpu->run[] */
    struct chunk_run scratch;        /* if there are several runs */
    uint32_t first_need, need_count; /* in gpu->need[]: messages it waits for */
    uint32_t chan;
    uint32_t block, next_in_block, last_line; /* step that ends it, in its thread block */
};

struct export_block {
    uint32_t peer, chan;
    bool is_send;
    uint32_t first_message, last_message;
    uint32_t lines;
};

struct export_gpu {
    struct export_message *message;
    uint32_t message_count;
    uint32_t *message_of; /* [step] the message that a step is part of, or NO_STEP */
    uint64_t *before;     /* [step * words] bit set of all steps before it */
    uint32_t words;
    struct chunk_run *run;
    uint32_t run_count, run_room;
    uint32_t *need;
    uint32_t need_count;
    struct export_block *block;
    uint32_t block_count;
    uint32_t scratch;
    uint32_t *place; /* all-to-all: [piece] scratch chunk of what only passes, or NO_STEP */
};

struct export_plan {
    struct arena arena;
    const struct schedule_request *request;
    const struct schedule *schedule;
    const struct program *program;
    uint32_t chunks[3]; /* of each position's buffers; scratch is by position */
    uint32_t chunks_per_loop, channels;
    uint32_t own_chunks; /* all-to-all: what goes from the own input to the own output, else 0 */
    struct export_gpu *gpu;
};

/* To be released in every case. */
enum status export_plan_make(struct export_plan *plan, const struct schedule_request *request,
                             const struct schedule *schedule, const struct program *program,
                             struct diag *diag);
void export_plan_release(struct export_plan *plan);

#endif
