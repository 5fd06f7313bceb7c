#include "net/collective/msccl_check.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/status.h"

static enum status fail_at(uint32_t line, struct diag *diag)
{
    diag_at(diag, DIAG_LINE, line);
    return STATUS_BAD_INPUT;
}

/* -- within a gpu ------------------------------------------------------------------------------ */

/* A chunk's place in the row of buffers i, o, s. */
static uint32_t in_row(const struct msccl *msccl, uint32_t packed)
{
    uint32_t which = packed >> 30, offset = packed & ((1u << 30) - 1);
    for (uint32_t b = 0; b < which; b++)
        offset += msccl->room[b];
    return offset;
}

static const struct msccl_block *find_block(const struct msccl *msccl, const struct msccl_gpu *gpu,
                                            uint32_t id)
{
    const struct msccl_block *block = &msccl->block[gpu->first_block];
    if (id < gpu->block_count && block[id].id == id)
        return &block[id];
    for (uint32_t b = 0; b < gpu->block_count; b++) {
        if (block[b].id == id)
            return &block[b];
    }
    return NULL;
}

static enum status resolve_step(struct msccl *msccl, const struct msccl_gpu *gpu,
                                const struct msccl_block *block, struct msccl_step *step,
                                struct diag *diag)
{
    enum msccl_op op = (enum msccl_op)step->op;
    step->src = in_row(msccl, step->src);
    step->dst = in_row(msccl, step->dst);
    step->needs = MSCCL_NONE;
    if (msccl_sends(op) && block->send == MSCCL_NONE) {
        diag_fail(diag, STATUS_BAD_INPUT, "a step that sends, in a thread block with send=\"-1\"");
        return fail_at(step->line, diag);
    }
    if (msccl_receives(op) && block->recv == MSCCL_NONE) {
        diag_fail(diag, STATUS_BAD_INPUT,
                  "a step that receives, in a thread block with recv=\"-1\"");
        return fail_at(step->line, diag);
    }
    if (step->depid == MSCCL_NONE || step->deps == MSCCL_NONE)
        return STATUS_OK;
    const struct msccl_block *other = find_block(msccl, gpu, step->depid);
    if (!other || step->deps >= other->step_count) {
        diag_fail(diag, STATUS_BAD_INPUT,
                  "depends on step %" PRIu32 " of thread block %" PRIu32
                  ", which this gpu does not have",
                  step->deps, step->depid);
        diag_field(diag, "depid");
        return fail_at(step->line, diag);
    }
    step->needs = other->first_step + step->deps;
    return STATUS_OK;
}

static enum status check_gpu(struct msccl *msccl, uint32_t id, struct diag *diag)
{
    const struct msccl_gpu *gpu = &msccl->gpu[id];
    if (!gpu->line)
        return diag_fail(diag, STATUS_BAD_INPUT,
                         "ngpus is %" PRIu32 ", and gpu %" PRIu32 " is missing", msccl->n, id);
    for (uint32_t c = gpu->first_copy; c < gpu->first_copy + gpu->copy_count; c++) {
        if (msccl->copy[c].from >= gpu->chunks[0] || msccl->copy[c].to >= gpu->chunks[1]) {
            diag_fail(diag, STATUS_BAD_INPUT,
                      "a <copy> of chunks that gpu %" PRIu32 " does not have", id);
            return fail_at(gpu->line, diag);
        }
    }
    for (uint32_t b = gpu->first_block; b < gpu->first_block + gpu->block_count; b++) {
        const struct msccl_block *block = &msccl->block[b];
        if (find_block(msccl, gpu, block->id) != block) {
            diag_fail(diag, STATUS_BAD_INPUT,
                      "two thread blocks of gpu %" PRIu32 " have id %" PRIu32, id, block->id);
            return fail_at(block->line, diag);
        }
        if (block->send == id || block->recv == id) {
            diag_fail(diag, STATUS_BAD_INPUT, "gpu %" PRIu32 " cannot talk to itself", id);
            return fail_at(block->line, diag);
        }
        for (uint32_t s = 0; s < block->step_count; s++) {
            enum status status =
                resolve_step(msccl, gpu, block, &msccl->step[block->first_step + s], diag);
            if (status)
                return status;
        }
    }
    return STATUS_OK;
}

/* -- between gpus ------------------------------------------------------------------------------ */

/* One side of a connection: a thread block that sends, or receives, on a channel. */
struct side {
    uint32_t from, to, chan;
    bool is_recv;
    uint32_t gpu, block;
};

static int compare_sides(const void *left, const void *right)
{
    const struct side *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->chan != b->chan)
        return a->chan < b->chan ? -1 : 1;
    return a->is_recv - b->is_recv;
}

static bool same_connection(const struct side *a, const struct side *b)
{
    return a->from == b->from && a->to == b->to && a->chan == b->chan;
}

/* The next step of the side at or after *at, or NULL. */
static struct msccl_step *next_message(const struct msccl *msccl, const struct side *side,
                                       uint32_t *at)
{
    const struct msccl_block *block = &msccl->block[side->block];
    while (*at < block->step_count) {
        struct msccl_step *step = &msccl->step[block->first_step + (*at)++];
        enum msccl_op op = (enum msccl_op)step->op;
        if (side->is_recv ? msccl_receives(op) : msccl_sends(op))
            return step;
    }
    return NULL;
}

/* Does the thread block have a message for that side at all? */
static bool is_used(const struct msccl *msccl, const struct side *side)
{
    uint32_t at = 0;
    return next_message(msccl, side, &at) != NULL;
}

static enum status unpaired(const struct side *side, const struct msccl_step *step,
                            struct diag *diag)
{
    if (side->is_recv)
        diag_fail(diag, STATUS_BAD_INPUT,
                  "nothing is sent to it: gpu %" PRIu32 " to %" PRIu32 " on channel %" PRIu32,
                  side->from, side->to, side->chan);
    else
        diag_fail(diag, STATUS_BAD_INPUT,
                  "nobody receives it: gpu %" PRIu32 " to %" PRIu32 " on channel %" PRIu32,
                  side->from, side->to, side->chan);
    return fail_at(step->line, diag);
}

/* Pairs the messages of the two sides of a connection; either may be NULL. */
static enum status pair(struct msccl *msccl, const struct side *send, const struct side *recv,
                        struct diag *diag)
{
    for (uint32_t sent = 0, received = 0;;) {
        struct msccl_step *from = send ? next_message(msccl, send, &sent) : NULL;
        struct msccl_step *to = recv ? next_message(msccl, recv, &received) : NULL;
        if (!from && !to)
            return STATUS_OK;
        if (!from || !to)
            return unpaired(from ? send : recv, from ? from : to, diag);
        if (from->count != to->count) {
            diag_fail(diag, STATUS_BAD_INPUT,
                      "sends %" PRIu32 " chunks, and line %" PRIu32 " receives %" PRIu32,
                      from->count, to->line, to->count);
            return fail_at(from->line, diag);
        }
        to->recv_slot = from->send_slot = msccl->gpu[recv->gpu].slots++;
        to->sender = (uint32_t)(from - msccl->step);
    }
}

static uint32_t gather_sides(const struct msccl *msccl, struct side *sides)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < msccl->n; g++) {
        const struct msccl_gpu *gpu = &msccl->gpu[g];
        for (uint32_t b = gpu->first_block; b < gpu->first_block + gpu->block_count; b++) {
            const struct msccl_block *block = &msccl->block[b];
            struct side send = {g, block->send, block->chan, false, g, b};
            struct side recv = {block->recv, g, block->chan, true, g, b};
            if (block->send != MSCCL_NONE && is_used(msccl, &send))
                sides[count++] = send;
            if (block->recv != MSCCL_NONE && is_used(msccl, &recv))
                sides[count++] = recv;
        }
    }
    return count;
}

static enum status pair_all(struct msccl *msccl, struct side *sides, uint32_t count,
                            struct diag *diag)
{
    qsort(sides, count, sizeof *sides, compare_sides);
    for (uint32_t i = 0, next; i < count; i = next) {
        const struct side *send = NULL, *recv = NULL;
        for (next = i; next < count && same_connection(&sides[i], &sides[next]); next++) {
            const struct side **same = sides[next].is_recv ? &recv : &send;
            if (*same) {
                diag_fail(
                    diag, STATUS_BAD_INPUT,
                    "two thread blocks of gpu %" PRIu32 " %s gpu %" PRIu32 " on channel %" PRIu32,
                    sides[next].gpu, sides[next].is_recv ? "receive from" : "send to",
                    sides[next].is_recv ? sides[next].from : sides[next].to, sides[next].chan);
                return fail_at(msccl->block[sides[next].block].line, diag);
            }
            *same = &sides[next];
        }
        enum status status = pair(msccl, send, recv, diag);
        if (status)
            return status;
    }
    return STATUS_OK;
}

/* -- order ------------------------------------------------------------------------------------- */

/* The steps that wait for each step, as lists. */
struct waiting {
    uint32_t *first, *next, *to; /* [step], [edge], [edge] */
    uint32_t *left;              /* [step] */
    uint32_t count;
};

static void wait_for(struct waiting *waiting, uint32_t before, uint32_t after)
{
    waiting->to[waiting->count] = after;
    waiting->next[waiting->count] = waiting->first[before];
    waiting->first[before] = waiting->count++;
    waiting->left[after]++;
}

static void list_edges(const struct msccl *msccl, struct waiting *waiting)
{
    for (uint32_t s = 0; s < msccl->step_count; s++)
        waiting->first[s] = MSCCL_NONE;
    for (uint32_t b = 0; b < msccl->block_count; b++) {
        const struct msccl_block *block = &msccl->block[b];
        for (uint32_t s = block->first_step; s < block->first_step + block->step_count; s++) {
            const struct msccl_step *step = &msccl->step[s];
            if (s > block->first_step)
                wait_for(waiting, s - 1, s);
            if (step->needs != MSCCL_NONE)
                wait_for(waiting, step->needs, s);
            if (!msccl_receives((enum msccl_op)step->op))
                continue;
            /* The message leaves when its sender's step has come so far: after what it waits for
             * and, if it forwards, after its own receive. For a cycle the whole step counts. */
            wait_for(waiting, step->sender, s);
        }
    }
}

/* Runs the steps in an order that is allowed; what is left waits for itself. */
static enum status check_order(const struct msccl *msccl, struct arena *arena, struct diag *diag)
{
    uint32_t count = msccl->step_count, done = 0;
    struct waiting waiting = {
        .first = arena_array(arena, count, sizeof(uint32_t)),
        .next = arena_array(arena, 3 * (size_t)count, sizeof(uint32_t)),
        .to = arena_array(arena, 3 * (size_t)count, sizeof(uint32_t)),
        .left = arena_array(arena, count, sizeof(uint32_t)),
    };
    list_edges(msccl, &waiting);
    uint32_t *queue = arena_array(arena, count, sizeof *queue), queued = 0;
    for (uint32_t s = 0; s < count; s++) {
        if (!waiting.left[s])
            queue[queued++] = s;
    }
    for (; done < queued; done++) {
        for (uint32_t e = waiting.first[queue[done]]; e != MSCCL_NONE; e = waiting.next[e]) {
            if (!--waiting.left[waiting.to[e]])
                queue[queued++] = waiting.to[e];
        }
    }
    if (done == count)
        return STATUS_OK;
    uint32_t stuck = 0;
    while (!waiting.left[stuck])
        stuck++;
    diag_fail(diag, STATUS_BAD_INPUT,
              "a deadlock: this step and %" PRIu32 " others wait for one another",
              count - done - 1);
    return fail_at(msccl->step[stuck].line, diag);
}

enum status msccl_check(struct msccl *msccl, struct arena *arena, struct diag *diag)
{
    uint64_t row = (uint64_t)msccl->room[0] + msccl->room[1] + msccl->room[2];
    promise(row <= UINT32_MAX);
    enum status status = STATUS_OK;
    for (uint32_t g = 0; g < msccl->n && !status; g++)
        status = check_gpu(msccl, g, diag);
    if (status)
        return status;
    struct side *sides = arena_array(arena, 2 * (size_t)msccl->block_count, sizeof *sides);
    status = pair_all(msccl, sides, gather_sides(msccl, sides), diag);
    if (status)
        return status;
    for (uint32_t g = 0; g < msccl->n; g++)
        msccl->slots = msccl->gpu[g].slots > msccl->slots ? msccl->gpu[g].slots : msccl->slots;
    return check_order(msccl, arena, diag);
}
