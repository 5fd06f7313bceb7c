/* An MSCCL file as a schedule: its programs, and what its buffers hold before and after. */
#include <string.h>

#include "base/status.h"
#include "net/collective/msccl_check.h"
#include "net/collective/program.h"
#include "net/collective/request.h"
#include "net/collective/verify.h"

/* -- check and plan ---------------------------------------------------------------------------- */

static enum status check(const struct schedule_request *request, struct diag *diag)
{
    (void)request, (void)diag;
    return STATUS_OK; /* msccl_fits() has more to go by */
}

enum status msccl_fits(const struct msccl *msccl, enum collective_kind kind, struct diag *diag)
{
    if (kind == COLL_REDUCE_SCATTER_BLOCK)
        kind = COLL_REDUCE_SCATTER;
    if (msccl->is_custom || msccl->kind == kind)
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG, "the file is for %s, and it is given for %s",
              collective_name(msccl->kind), collective_name(kind));
    diag_in(diag, msccl->path);
    diag_field(diag, "coll");
    return STATUS_BAD_CONFIG;
}

/* Bytes of the buffer that nchunksperloop cuts. */
static uint64_t whole_bytes(const struct schedule_request *request)
{
    bool is_part = request->kind == COLL_ALL_GATHER || request->kind == COLL_GATHER ||
                   request->kind == COLL_SCATTER;
    return is_part ? request->bytes * request->n : request->bytes;
}

static uint32_t row_of(const struct msccl *msccl)
{
    return msccl->room[0] + msccl->room[1] + msccl->room[2];
}

/* What a buffer's chunk is for one gpu, by kind. */
struct buffers {
    const struct msccl *msccl;
    const struct schedule_request *request;
    uint32_t per_gpu; /* chunks of one position's block */
};

/* The piece that chunk c of the input is, or MSCCL_NONE. */
static uint32_t input_piece(const struct buffers *buffers, uint32_t p, uint32_t c)
{
    uint32_t n = buffers->request->n, k = buffers->per_gpu, root = buffers->request->root;
    uint32_t all = buffers->msccl->chunks_per_loop;
    switch (buffers->request->kind) {
    case COLL_ALL_GATHER:
    case COLL_GATHER:
        return c < k ? p * k + c : MSCCL_NONE;
    case COLL_ALL_TO_ALL:
        return c < n * k ? (p * n + c / k) * k + c % k : MSCCL_NONE;
    case COLL_BROADCAST:
    case COLL_SCATTER:
        return p == root && c < all ? c : MSCCL_NONE;
    default:
        return c < all ? c : MSCCL_NONE;
    }
}

/* The piece that chunk c of the output must be in the end, or MSCCL_NONE. */
static uint32_t output_piece(const struct buffers *buffers, uint32_t p, uint32_t c)
{
    uint32_t n = buffers->request->n, k = buffers->per_gpu, root = buffers->request->root;
    uint32_t all = buffers->msccl->chunks_per_loop;
    switch (buffers->request->kind) {
    case COLL_REDUCE_SCATTER:
    case COLL_REDUCE_SCATTER_BLOCK:
    case COLL_SCATTER:
        return c < k ? p * k + c : MSCCL_NONE;
    case COLL_ALL_TO_ALL:
        return c < n * k ? (c / k * n + p) * k + c % k : MSCCL_NONE;
    case COLL_REDUCE:
    case COLL_GATHER:
        return p == root && c < all ? c : MSCCL_NONE;
    default:
        return c < all ? c : MSCCL_NONE;
    }
}

/* Where the input lies in a buffer that input and output share. */
static uint32_t shared_offset(const struct buffers *buffers, uint32_t p)
{
    bool is_part =
        buffers->request->kind == COLL_ALL_GATHER || buffers->request->kind == COLL_GATHER;
    return is_part ? p * buffers->per_gpu : 0;
}

static uint32_t shared_result(const struct buffers *buffers, uint32_t p)
{
    enum collective_kind kind = buffers->request->kind;
    bool is_part = kind == COLL_REDUCE_SCATTER || kind == COLL_SCATTER;
    return is_part ? p * buffers->per_gpu : 0;
}

/* One gpu's row. In place, a file uses i or o for the one buffer there is: both begin with the
 * input where the file has them, and the result is wanted in o if it has o, else in i. */
static void fill_row(const struct buffers *buffers, uint32_t p, uint32_t *begin, uint32_t *end)
{
    const struct msccl *msccl = buffers->msccl;
    const struct msccl_gpu *gpu = &msccl->gpu[p];
    uint32_t output = msccl->room[0];
    for (uint32_t c = 0; c < gpu->chunks[0]; c++)
        begin[c] = input_piece(buffers, p, c);
    for (uint32_t c = 0; c < gpu->chunks[1] && msccl->in_place; c++) {
        uint32_t offset = shared_offset(buffers, p);
        begin[output + c] = c >= offset ? input_piece(buffers, p, c - offset) : MSCCL_NONE;
    }
    for (uint32_t i = gpu->first_copy; i < gpu->first_copy + gpu->copy_count; i++)
        begin[output + msccl->copy[i].to] = input_piece(buffers, p, msccl->copy[i].from);
    bool has_output = gpu->chunks[1] != 0;
    uint32_t offset = has_output && !msccl->in_place ? 0 : shared_result(buffers, p);
    uint32_t chunks = gpu->chunks[has_output ? 1 : 0];
    for (uint32_t c = 0; c < chunks; c++) {
        uint32_t piece = c >= offset ? output_piece(buffers, p, c - offset) : MSCCL_NONE;
        end[(has_output ? output : 0) + c] = piece;
    }
}

static const struct data_layout *
make_layout(const struct msccl *msccl, const struct schedule_request *request, struct arena *arena)
{
    struct buffers buffers = {msccl, request, msccl->chunks_per_loop / request->n};
    if (!buffers.per_gpu)
        buffers.per_gpu = 1;
    struct data_layout *layout = arena_take(arena, sizeof *layout);
    uint32_t row = row_of(msccl), pieces = msccl->chunks_per_loop;
    size_t count = (size_t)msccl->n * row;
    uint32_t *begin = arena_array(arena, count, sizeof *begin);
    uint32_t *end = arena_array(arena, count, sizeof *end);
    memset(begin, 0xff, count * sizeof *begin);
    memset(end, 0xff, count * sizeof *end);
    for (uint32_t p = 0; p < msccl->n; p++)
        fill_row(&buffers, p, begin + (size_t)p * row, end + (size_t)p * row);
    if (request->kind == COLL_ALL_TO_ALL)
        pieces *= msccl->n;
    *layout = (struct data_layout){row, pieces, begin, end};
    return layout;
}

static void plan(const struct schedule_request *request, struct arena *arena,
                 struct schedule *schedule)
{
    const struct msccl *msccl = schedule->program_data;
    *schedule = (struct schedule){
        .form = SCHEDULE_PROGRAM,
        .final_bytes = request->bytes,
        .slots = msccl->slots,
        .pieces = row_of(msccl),
        .piece_bytes = ceil_div(whole_bytes(request), msccl->chunks_per_loop),
        .program_data = schedule->program_data,
    };
    if (request->is_described && !msccl->is_custom)
        schedule->layout = make_layout(msccl, request, arena);
}

/* -- programs ---------------------------------------------------------------------------------- */

/* One gpu's program in the making. */
struct making {
    const struct msccl *msccl;
    struct program_builder build;
    struct program *program;
    uint64_t piece_bytes;
    bool is_described;
    uint32_t *first, *last; /* [steps of the gpu] steps of the program */
    uint32_t first_step;
};

static uint32_t add(struct making *making, uint32_t after, struct program_step step,
                    enum data_effect effect, const struct msccl_step *from)
{
    struct program *program = making->program;
    uint32_t added = program_step_add(&making->build, step);
    program_edge_add(&making->build, after, added);
    if (!making->is_described)
        return added;
    bool has_two = effect == DATA_COPY || effect == DATA_COMBINE_COPY;
    struct step_data data = {.first_range = program->range_count, .effect = (uint8_t)effect};
    if (effect == DATA_READ || has_two)
        program->range[program->range_count++] = (struct data_range){from->src, from->count};
    if (effect == DATA_WRITE || effect == DATA_COMBINE || has_two)
        program->range[program->range_count++] = (struct data_range){from->dst, from->count};
    data.range_count = program->range_count - data.first_range;
    program->data[added] = data;
    return added;
}

/* A receive, its hand-over and reduction. rrs and the like add to the source; a destination that
 * differs gets a copy of the sum. */
static uint32_t add_receive(struct making *making, const struct msccl_step *step, uint32_t peer,
                            uint32_t after)
{
    enum msccl_op op = (enum msccl_op)step->op;
    bool reduces = msccl_reduces(op);
    uint64_t bytes = step->count * making->piece_bytes;
    struct msccl_step at = *step;
    at.dst = reduces ? step->src : step->dst;
    uint32_t recv = add(making, after,
                        (struct program_step){
                            .op = STEP_RECV, .peer = peer, .slot = step->recv_slot, .bytes = bytes},
                        reduces ? DATA_COMBINE : DATA_WRITE, &at);
    uint32_t last = add(making, recv,
                        (struct program_step){.op = STEP_LOCAL, .reduce = reduces, .bytes = bytes},
                        DATA_NONE, step);
    if (reduces && op != MSCCL_RECV_REDUCE_SEND && step->dst != step->src)
        last = add(making, last, (struct program_step){.op = STEP_LOCAL, .bytes = bytes}, DATA_COPY,
                   step);
    return last;
}

static uint32_t add_send(struct making *making, const struct msccl_step *step, uint32_t peer,
                         uint32_t after)
{
    struct msccl_step at = *step;
    at.src = step->op == MSCCL_RECV_COPY_SEND ? step->dst : step->src;
    return add(making, after,
               (struct program_step){.op = STEP_SEND,
                                     .peer = peer,
                                     .slot = step->send_slot,
                                     .bytes = step->count * making->piece_bytes,
                                     .until_arrival = !step->no_wait},
               DATA_READ, &at);
}

static void add_step(struct making *making, const struct msccl_block *block, uint32_t index)
{
    const struct msccl_step *step = &making->msccl->step[index];
    enum msccl_op op = (enum msccl_op)step->op;
    uint32_t at = index - making->first_step;
    uint32_t after = index > block->first_step ? making->last[at - 1] : NO_STEP;
    uint64_t bytes = step->count * making->piece_bytes;
    making->first[at] = making->program->count;
    if (msccl_receives(op))
        after = add_receive(making, step, block->recv, after);
    if (msccl_sends(op))
        after = add_send(making, step, block->send, after);
    if (op == MSCCL_COPY || op == MSCCL_REDUCE)
        after = add(
            making, after,
            (struct program_step){.op = STEP_LOCAL, .reduce = op == MSCCL_REDUCE, .bytes = bytes},
            op == MSCCL_REDUCE ? DATA_COMBINE_COPY : DATA_COPY, step);
    if (op == MSCCL_NOP)
        after = add(making, after, (struct program_step){.op = STEP_DELAY}, DATA_NONE, step);
    making->last[at] = after;
}

static void program(const struct schedule_request *request, const struct schedule *schedule,
                    uint32_t position, struct arena *arena, struct program *made)
{
    const struct msccl *msccl = schedule->program_data;
    const struct msccl_gpu *gpu = &msccl->gpu[position];
    uint32_t steps = 0;
    for (uint32_t b = 0; b < gpu->block_count; b++)
        steps += msccl->block[gpu->first_block + b].step_count;
    uint32_t first = gpu->block_count ? msccl->block[gpu->first_block].first_step : 0;
    struct making making = {.msccl = msccl,
                            .program = made,
                            .piece_bytes = schedule->piece_bytes,
                            .is_described = request->is_described,
                            .first_step = first};
    program_open(&making.build, arena, made, 4 * steps, 6 * steps);
    making.first = arena_array(arena, steps, sizeof *making.first);
    making.last = arena_array(arena, steps, sizeof *making.last);
    if (request->is_described) {
        made->data = arena_array(arena, 4 * (size_t)steps, sizeof *made->data);
        made->range = arena_array(arena, 6 * (size_t)steps, sizeof *made->range);
    }
    for (uint32_t b = gpu->first_block; b < gpu->first_block + gpu->block_count; b++) {
        const struct msccl_block *block = &msccl->block[b];
        for (uint32_t s = block->first_step; s < block->first_step + block->step_count; s++)
            add_step(&making, block, s);
    }
    for (uint32_t s = first; s < first + steps; s++) {
        uint32_t needs = msccl->step[s].needs;
        if (needs != MSCCL_NONE)
            program_edge_add(&making.build, making.last[needs - first], making.first[s - first]);
    }
    program_close(&making.build);
}

const struct collective_ops collective_msccl = {
    .name = "msccl",
    .summary = "an MSCCL XML file (custom: FILE.xml)",
    .steps = "as the file says",
    .formula = "none: simulated",
    .waits_for_arrival = true,
    .check = check,
    .plan = plan,
    .program = program,
};
