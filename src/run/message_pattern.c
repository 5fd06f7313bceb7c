#include "run/message_pattern.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/mix.h"
#include "net/collective/request.h"
#include "run/message_types.h"
#include "run/partition.h"

/* -- targets ---------------------------------------------------------------------------------- */

/* Phase position that `p` sends to: an exchange counts on through all positions, whatever their
 * shape. */
static uint32_t image(const struct message_step *step, uint32_t p)
{
    const struct phase *phase = step->phase;
    if (step->is_xor)
        return p ^ step->peer;
    if (phase->schedule.form == SCHEDULE_EXCHANGE)
        return exchange_up(p, step->peer, phase->n);
    return schedule_relabel(&phase->request, phase->schedule.symmetry, p, step->peer);
}

uint32_t message_step_target(const struct message_step *step, uint32_t position)
{
    const struct phase *phase = step->phase;
    uint32_t p = position / phase->stride % phase->n;
    return position + (image(step, p) - p) * phase->stride; /* modulo 2^32, as in sched/streams.c */
}

/* -- collecting ------------------------------------------------------------------------------- */

static bool have_one_shape(const struct phase *a, const struct phase *b)
{
    if (a->n != b->n || a->stride != b->stride || a->schedule.form != b->schedule.form)
        return false;
    if (a->schedule.form == SCHEDULE_EXCHANGE)
        return true;
    if (a->schedule.symmetry != b->schedule.symmetry ||
        a->request.dim_count != b->request.dim_count)
        return false;
    for (uint32_t d = 0; d < a->request.dim_count; d++) {
        if (a->request.dim[d] != b->request.dim[d])
            return false;
    }
    return true;
}

static uint32_t shape_of(struct message_types *types, const struct phase *phase)
{
    for (uint32_t i = 0; i < types->shape_count; i++) {
        if (have_one_shape(types->shape[i], phase))
            return i;
    }
    types->shape = realloc(types->shape, (types->shape_count + 1) * sizeof *types->shape);
    need_memory(types->shape != NULL);
    types->shape[types->shape_count] = phase;
    return types->shape_count++;
}

/* Adds the step unless there is an equal one. False if there are too many. */
static bool add_step(struct message_collecting *at, uint32_t shape, struct message_step step)
{
    struct message_pattern *pattern = &at->pattern;
    uint64_t key = (uint64_t)shape << 33 | (uint64_t)step.peer << 1 | step.is_xor;
    step.label = mix_in(key, 1);
    if (table_find(&at->seen, key) != TABLE_NONE)
        return true;
    *at->why = partition_too_many_routes;
    if (pattern->count == at->most)
        return false;
    if (pattern->count == pattern->room) {
        pattern->room = pattern->room ? 2 * pattern->room : 16;
        pattern->step = realloc(pattern->step, pattern->room * sizeof *pattern->step);
        need_memory(pattern->step != NULL);
    }
    table_put(&at->seen, key, 0);
    pattern->hash += step.label; /* a set: the order does not matter */
    pattern->step[pattern->count++] = step;
    return true;
}

/* An exchange by shifts may turn either way: each queue has its direction. */
static bool add_exchange(struct message_collecting *at, const struct phase *phase, bool is_xor)
{
    const struct exchange *exchange = &phase->schedule.exchange;
    uint32_t shape = shape_of(at->types, phase);
    for (uint32_t j = 0; j < exchange->period; j++) {
        uint32_t offset = exchange->step[j].offset;
        if (!add_step(at, shape, (struct message_step){phase, offset, is_xor, 0}))
            return false;
        if (!is_xor &&
            !add_step(at, shape, (struct message_step){phase, phase->n - offset, false, 0}))
            return false;
    }
    return true;
}

static bool add_program(struct message_collecting *at, const struct phase *phase)
{
    bool is_xor = phase->schedule.symmetry == SYMMETRY_XOR;
    uint32_t shape = shape_of(at->types, phase);
    const struct program *program = plan_program(at->types->book, phase, 0);
    for (uint32_t s = 0; s < program->count; s++) {
        const struct program_step *step = &program->step[s];
        if (step->op != STEP_SEND)
            continue;
        *at->why = "switches reduce";
        if (peer_is_network(step->peer))
            return false;
        if (!add_step(at, shape, (struct message_step){phase, step->peer, is_xor, 0}))
            return false;
    }
    return true;
}

/* The peers that position p sends to, appended to the part, each once. */
static bool add_peers(struct message_collecting *at, struct message_part *part, uint32_t p)
{
    const struct program *program = plan_program(at->types->book, part->phase, p);
    uint32_t first = part->begin[p], count = first;
    part->peer = realloc(part->peer, (first + program->count + 1) * sizeof *part->peer);
    need_memory(part->peer != NULL);
    for (uint32_t s = 0; s < program->count; s++) {
        const struct program_step *step = &program->step[s];
        *at->why = "switches reduce";
        if (step->op == STEP_SEND && peer_is_network(step->peer))
            return false;
        uint32_t i = first;
        while (i < count && part->peer[i] != step->peer)
            i++;
        if (step->op == STEP_SEND && i == count)
            part->peer[count++] = step->peer;
    }
    part->begin[p + 1] = count;
    *at->why = partition_too_many_routes;
    return count - first <= at->most;
}

/* Every position has its own part. */
static bool add_part(struct message_collecting *at, const struct phase *phase)
{
    struct message_pattern *pattern = &at->pattern;
    *at->why = "a collective's algorithm gives ranks different parts";
    if (phase->n > at->types->config->network.npu_count / 2 ||
        phase->algorithm == collective_algorithms[ALG_DOUBLE_BINARY_TREE])
        return false; /* its two trees take turns through the groups of a job */
    pattern->part = realloc(pattern->part, (pattern->part_count + 1) * sizeof *pattern->part);
    need_memory(pattern->part != NULL);
    struct message_part *part = &pattern->part[pattern->part_count++];
    *part = (struct message_part){.phase = phase};
    part->begin = calloc((size_t)phase->n + 1, sizeof *part->begin);
    need_memory(part->begin != NULL);
    for (uint32_t p = 0; p < phase->n; p++) {
        if (!add_peers(at, part, p))
            return false;
    }
    part->hash = mix_in((uint64_t)phase->n << 32 | phase->stride, 3);
    part->hash = hash_bytes(part->begin, (phase->n + 1) * sizeof *part->begin, part->hash);
    part->hash = hash_bytes(part->peer, part->begin[phase->n] * sizeof *part->peer, part->hash);
    pattern->hash += part->hash;
    return true;
}

bool message_pattern_is_free(const struct phase *phase)
{
    const struct exchange *exchange = &phase->schedule.exchange;
    return phase->schedule.form == SCHEDULE_EXCHANGE && is_power_of_two(phase->n) &&
           exchange->peer != PEER_FLIP && exchange->same_bytes &&
           exchange->period == phase->n - 1 && !exchange->gated &&
           exchange->parallel >= phase->n - 1;
}

static bool add_phase(struct message_collecting *at, const struct phase *phase)
{
    const struct schedule *schedule = &phase->schedule;
    if (schedule->form == SCHEDULE_PROGRAM)
        return schedule->symmetry == SYMMETRY_NONE ? add_part(at, phase) : add_program(at, phase);
    bool is_flip = schedule->exchange.peer == PEER_FLIP;
    bool is_xor = is_flip || (at->types->prefer_xor && message_pattern_is_free(phase));
    *at->why = "the group is no power of two";
    if (is_xor && !is_power_of_two(phase->n))
        return false;
    return add_exchange(at, phase, is_xor);
}

bool message_pattern_add(struct message_collecting *at, const struct plan_key *key)
{
    struct diag diag = DIAG_NONE;
    const struct chunk_plan *plan;
    promise(!plan_find(at->types->book, key, &plan, &diag)); /* prepare() has made it */
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        if (!add_phase(at, &plan->phase[i]))
            return false;
    }
    return true;
}

void message_pattern_release(struct message_pattern *pattern)
{
    for (uint32_t i = 0; i < pattern->part_count; i++) {
        free(pattern->part[i].begin);
        free(pattern->part[i].peer);
    }
    free(pattern->step);
    free(pattern->part);
}
