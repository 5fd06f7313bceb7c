#include "net/collective/msccl_plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "net/collective/essence.h"

enum { MOST_STEPS = 1 << 15 }; /* of a program: before[] grows with the square */

/* -- buffers ----------------------------------------------------------------------------------- */

/* One buffer for input and output, but in an all-to-all. */
static void choose_buffers(struct export_plan *plan)
{
    uint32_t n = plan->request->n, pieces = plan->schedule->pieces;
    plan->chunks_per_loop = pieces;
    switch (plan->request->kind) {
    case COLL_ALL_TO_ALL:
        plan->own_chunks = pieces / n / n;
        plan->chunks_per_loop = plan->chunks[BUFFER_INPUT] = plan->chunks[BUFFER_OUTPUT] =
            pieces / n;
        break;
    case COLL_ALL_GATHER:
    case COLL_GATHER:
        plan->chunks[BUFFER_OUTPUT] = pieces;
        break;
    default:
        plan->chunks[BUFFER_INPUT] = pieces;
        break;
    }
}

/* Where position p keeps a piece. */
static struct chunk_run chunk_of(const struct export_plan *plan, uint32_t p, uint32_t piece)
{
    struct export_gpu *gpu = &plan->gpu[p];
    if (!plan->own_chunks)
        return (struct chunk_run){plan->chunks[BUFFER_INPUT] ? BUFFER_INPUT : BUFFER_OUTPUT, piece,
                                  1};
    uint32_t n = plan->request->n, own = plan->own_chunks;
    uint32_t from = piece / own / n, to = piece / own % n;
    if (from == p)
        return (struct chunk_run){BUFFER_INPUT, to * own + piece % own, 1};
    if (to == p)
        return (struct chunk_run){BUFFER_OUTPUT, from * own + piece % own, 1};
    if (gpu->place[piece] == NO_STEP)
        gpu->place[piece] = gpu->scratch++;
    return (struct chunk_run){BUFFER_SCRATCH, gpu->place[piece], 1};
}

static void add_chunk(struct export_plan *plan, struct export_gpu *gpu,
                      struct export_message *message, struct chunk_run chunk)
{
    struct chunk_run *last = message->run_count ? &gpu->run[gpu->run_count - 1] : NULL;
    if (last && last->buffer == chunk.buffer && last->offset + last->count == chunk.offset) {
        last->count++;
        return;
    }
    if (gpu->run_count == gpu->run_room) {
        gpu->run_room = gpu->run_room ? 2 * gpu->run_room : 64;
        struct chunk_run *more = arena_array(&plan->arena, gpu->run_room, sizeof *more);
        if (gpu->run_count)
            memcpy(more, gpu->run, gpu->run_count * sizeof *more);
        gpu->run = more;
    }
    gpu->run[gpu->run_count++] = chunk;
    message->run_count++;
}

/* The chunks of a message at position p: those that `data` of `program` names. */
static void add_chunks(struct export_plan *plan, uint32_t p, struct export_message *message,
                       const struct program *program, const struct step_data *data)
{
    struct export_gpu *gpu = &plan->gpu[p];
    uint32_t count = 0;
    message->first_run = gpu->run_count;
    for (uint32_t r = 0; r < data->range_count; r++) {
        const struct data_range *range = &program->range[data->first_range + r];
        for (uint32_t k = 0; k < range->count; k++, count++)
            add_chunk(plan, gpu, message, chunk_of(plan, p, range->first + k));
    }
    if (message->run_count < 2)
        return;
    message->scratch = (struct chunk_run){BUFFER_SCRATCH, gpu->scratch, count};
    gpu->scratch += count;
}

/* -- messages ---------------------------------------------------------------------------------- */

static void list_messages(struct export_plan *plan, uint32_t p, const struct essence *essence)
{
    struct export_gpu *gpu = &plan->gpu[p];
    const struct program *program = &plan->program[p];
    size_t count = (size_t)program->count + 1;
    gpu->message = arena_array(&plan->arena, count, sizeof *gpu->message);
    gpu->message_of = arena_array(&plan->arena, count, sizeof *gpu->message_of);
    for (uint32_t s = 0; s < program->count; s++)
        gpu->message_of[s] = NO_STEP;
    for (uint32_t i = 0; i < program->count; i++) {
        uint32_t s = essence->order[i];
        const struct program_step *step = &program->step[s];
        if (step->op != STEP_SEND && step->op != STEP_RECV)
            continue;
        gpu->message_of[s] = gpu->message_count;
        gpu->message[gpu->message_count++] = (struct export_message){
            .step = s,
            .last = s,
            .peer = step->peer,
            .slot = step->slot,
            .is_send = step->op == STEP_SEND,
            .combines = program->data[s].effect == DATA_COMBINE,
            .no_wait = step->op == STEP_SEND && !step->until_arrival,
            .next_in_block = NO_STEP,
        };
    }
    for (uint32_t s = 0; s < program->count; s++) {
        if (essence->recv[s] == NO_STEP)
            continue;
        gpu->message_of[s] = gpu->message_of[essence->recv[s]];
        gpu->message[gpu->message_of[s]].last = s;
    }
}

/* Messages that a message waits for: those of its own step and of its reduction. */
static void list_needs(struct export_plan *plan, uint32_t p, const struct essence *essence)
{
    struct export_gpu *gpu = &plan->gpu[p];
    uint32_t *mark = arena_array(&plan->arena, (size_t)gpu->message_count + 1, sizeof *mark);
    gpu->need = arena_array(&plan->arena, 2 * (size_t)essence->need_count + 1, sizeof *gpu->need);
    for (uint32_t m = 0; m < gpu->message_count; m++) {
        struct export_message *message = &gpu->message[m];
        const uint32_t steps[] = {message->step, message->last};
        message->first_need = gpu->need_count;
        for (int k = 0; k < (steps[0] == steps[1] ? 1 : 2); k++) {
            for (uint32_t i = essence->first[steps[k]]; i < essence->first[steps[k] + 1]; i++) {
                uint32_t other = gpu->message_of[essence->need[i]];
                if (other == NO_STEP || other == m || mark[other] == m + 1)
                    continue;
                mark[other] = m + 1;
                gpu->message[other].is_needed = true;
                gpu->need[gpu->need_count++] = other;
            }
        }
        message->need_count = gpu->need_count - message->first_need;
    }
}

static void fill_before(struct export_plan *plan, uint32_t p, const struct essence *essence)
{
    struct export_gpu *gpu = &plan->gpu[p];
    const struct program *program = &plan->program[p];
    gpu->words = (program->count + 63) / 64;
    gpu->before =
        arena_array(&plan->arena, (size_t)program->count * gpu->words + 1, sizeof *gpu->before);
    for (uint32_t i = 0; i < program->count; i++) {
        uint32_t s = essence->order[i];
        const uint64_t *own = gpu->before + (size_t)s * gpu->words;
        for (uint32_t c = 0; c < program->step[s].child_count; c++) {
            uint32_t child = program->child[program->step[s].first_child + c];
            uint64_t *to = gpu->before + (size_t)child * gpu->words;
            for (uint32_t w = 0; w < gpu->words; w++)
                to[w] |= own[w];
            to[s / 64] |= 1ull << s % 64;
        }
    }
}

/* -- channels ---------------------------------------------------------------------------------- */

/* A message with both its ends. */
struct pair {
    uint32_t from, to;
    uint32_t send, recv; /* messages of the two gpus */
};

static int compare_pairs(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return a->send < b->send ? -1 : a->send > b->send;
}

static bool comes_after(const struct export_gpu *gpu, uint32_t later, uint32_t earlier)
{
    uint32_t a = gpu->message[later].last, b = gpu->message[earlier].last;
    return gpu->before[(size_t)a * gpu->words + b / 64] >> b % 64 & 1;
}

/* Adds a message to the end of a thread block of its gpu, a new one if it is NO_STEP. */
static uint32_t append(struct export_gpu *gpu, uint32_t m, uint32_t block, uint32_t chan)
{
    struct export_message *message = &gpu->message[m];
    if (block == NO_STEP) {
        block = gpu->block_count++;
        gpu->block[block] = (struct export_block){
            .peer = message->peer, .chan = chan, .is_send = message->is_send, .first_message = m};
    } else {
        gpu->message[gpu->block[block].last_message].next_in_block = m;
    }
    gpu->block[block].last_message = m;
    message->block = block;
    message->chan = chan;
    return block;
}

/* One channel of a pair of positions: its last message, and the two thread blocks. */
struct channel {
    uint32_t last, send_block, recv_block;
};

/* Messages of one pair of positions, in the order of their sends, onto as few channels as keep
 * the order that is there already. */
static void share_channels(struct export_plan *plan, const struct pair *pairs, uint32_t count)
{
    struct export_gpu *from = &plan->gpu[pairs[0].from], *to = &plan->gpu[pairs[0].to];
    struct channel *channel = arena_array(&plan->arena, count, sizeof *channel);
    uint32_t channels = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t c = 0;
        while (c < channels && !(comes_after(from, pairs[i].send, pairs[channel[c].last].send) &&
                                 comes_after(to, pairs[i].recv, pairs[channel[c].last].recv)))
            c++;
        if (c == channels)
            channel[channels++] = (struct channel){0, NO_STEP, NO_STEP};
        channel[c].last = i;
        channel[c].send_block = append(from, pairs[i].send, channel[c].send_block, c);
        channel[c].recv_block = append(to, pairs[i].recv, channel[c].recv_block, c);
    }
    plan->channels = channels > plan->channels ? channels : plan->channels;
}

static enum status pair_messages(struct export_plan *plan, struct pair *pairs, uint32_t *count,
                                 struct diag *diag)
{
    for (uint32_t p = 0; p < plan->request->n; p++) {
        struct export_gpu *gpu = &plan->gpu[p];
        for (uint32_t m = 0; m < gpu->message_count; m++) {
            struct export_message *message = &gpu->message[m];
            if (!message->is_send)
                continue;
            uint32_t q = message->peer;
            const struct program *program = q < plan->request->n ? &plan->program[q] : NULL;
            if (!program || message->slot >= program->slot_count ||
                program->recv_of_slot[message->slot] == NO_STEP)
                return diag_fail(
                    diag, STATUS_BAD_INPUT,
                    "a message from position %" PRIu32 " to %" PRIu32 " has no receive", p, q);
            uint32_t recv = plan->gpu[q].message_of[program->recv_of_slot[message->slot]];
            pairs[(*count)++] = (struct pair){p, q, m, recv};
            const struct step_data *sent = &plan->program[p].data[message->step];
            struct export_message *other = &plan->gpu[q].message[recv];
            add_chunks(plan, p, message, &plan->program[p], sent);
            add_chunks(plan, q, other, &plan->program[p], sent);
        }
    }
    return STATUS_OK;
}

/* Numbers the lines of each thread block: nops for all needs but one, copies, the message. */
static void number_lines(struct export_gpu *gpu)
{
    for (uint32_t b = 0; b < gpu->block_count; b++) {
        uint32_t lines = 0;
        for (uint32_t m = gpu->block[b].first_message; m != NO_STEP;
             m = gpu->message[m].next_in_block) {
            struct export_message *message = &gpu->message[m];
            lines += message->need_count ? message->need_count - 1 : 0;
            lines += 1 + (message->run_count > 1 ? message->run_count : 0);
            message->last_line = lines - 1;
        }
        gpu->block[b].lines = lines;
    }
}

/* -- all --------------------------------------------------------------------------------------- */

static enum status check_step(const struct program *program, uint32_t s, struct diag *diag)
{
    const struct program_step *step = &program->step[s];
    if (step->op == STEP_SEND && peer_is_network(step->peer))
        return diag_fail(diag, STATUS_BAD_CONFIG, "an MSCCL file cannot say what switches combine");
    if (step->op == STEP_DELAY && step->delay_ns)
        return diag_fail(diag, STATUS_BAD_CONFIG, "an MSCCL file cannot hold a delay");
    return STATUS_OK;
}

static enum status check(const struct schedule_request *request, const struct schedule *schedule,
                         const struct program *program, struct diag *diag)
{
    if (request->sizes)
        return diag_fail(diag, STATUS_BAD_CONFIG, "an MSCCL file cannot hold an uneven all-to-all");
    if (schedule->layout || !schedule->pieces)
        return diag_fail(diag, STATUS_BAD_CONFIG,
                         "this schedule does not say what data its messages carry");
    for (uint32_t p = 0; p < request->n; p++) {
        if (program[p].count > MOST_STEPS)
            return diag_fail(diag, STATUS_NO_MEMORY,
                             "a position has %" PRIu32 " steps, %d are written", program[p].count,
                             MOST_STEPS);
        for (uint32_t s = 0; s < program[p].count; s++) {
            enum status status = check_step(&program[p], s, diag);
            if (status)
                return status;
        }
    }
    return STATUS_OK;
}

static void start_gpu(struct export_plan *plan, uint32_t p)
{
    struct export_gpu *gpu = &plan->gpu[p];
    struct essence essence;
    essence_of(&plan->program[p], true, &plan->arena, &essence);
    list_messages(plan, p, &essence);
    list_needs(plan, p, &essence);
    fill_before(plan, p, &essence);
    gpu->block = arena_array(&plan->arena, (size_t)gpu->message_count + 1, sizeof *gpu->block);
    if (!plan->own_chunks)
        return;
    gpu->place = arena_array(&plan->arena, plan->schedule->pieces, sizeof *gpu->place);
    for (uint32_t piece = 0; piece < plan->schedule->pieces; piece++)
        gpu->place[piece] = NO_STEP;
}

enum status export_plan_make(struct export_plan *plan, const struct schedule_request *request,
                             const struct schedule *schedule, const struct program *program,
                             struct diag *diag)
{
    *plan = (struct export_plan){.request = request, .schedule = schedule, .program = program};
    arena_init(&plan->arena);
    enum status status = check(request, schedule, program, diag);
    if (status)
        return status;
    choose_buffers(plan);
    plan->gpu = arena_array(&plan->arena, request->n, sizeof *plan->gpu);
    size_t messages = 0;
    for (uint32_t p = 0; p < request->n; p++) {
        start_gpu(plan, p);
        messages += plan->gpu[p].message_count;
    }
    struct pair *pairs = arena_array(&plan->arena, messages + 1, sizeof *pairs);
    uint32_t count = 0;
    status = pair_messages(plan, pairs, &count, diag);
    if (status)
        return status;
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && pairs[end].from == pairs[begin].from &&
                              pairs[end].to == pairs[begin].to;)
            end++;
        share_channels(plan, pairs + begin, end - begin);
    }
    for (uint32_t p = 0; p < request->n; p++)
        number_lines(&plan->gpu[p]);
    return STATUS_OK;
}

void export_plan_release(struct export_plan *plan)
{
    arena_release(&plan->arena);
}
