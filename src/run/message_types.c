#include "run/message_types.h"

#include <stdlib.h>

#include "base/memory.h"
#include "net/collective/request.h"

static const char too_many[] = "too many routes to compare"; /* as in partition.c */

/* -- targets ---------------------------------------------------------------------------------- */

/* Position that `p` sends to: an exchange counts on through all positions, whatever their shape. */
static uint32_t image(const struct phase *phase, const struct message_type *type, uint32_t p)
{
    if (type->is_xor)
        return p ^ type->peer;
    if (phase->schedule.form == SCHEDULE_EXCHANGE)
        return exchange_up(p, type->peer, phase->n);
    return schedule_relabel(&phase->request, phase->schedule.symmetry, p, type->peer);
}

uint32_t message_type_target(const struct message_type *type, uint32_t rank)
{
    const struct phase *phase = type->phase;
    uint32_t p = rank / phase->stride % phase->n;
    uint32_t to = image(phase, type, p);
    return rank + (to - p) * phase->stride; /* modulo 2^32, as in sched/streams.c */
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

/* Adds the type unless there is an equal one. False if there are too many. */
static bool add_type(struct message_types *types, uint32_t shape, const struct message_type *type)
{
    uint64_t key = (uint64_t)shape << 33 | (uint64_t)type->peer << 1 | type->is_xor;
    if (table_find(&types->index, key) != TABLE_NONE)
        return true;
    if (types->count == types->most)
        return false;
    if (types->count == types->room) {
        types->room = types->room ? 2 * types->room : 16;
        types->type = realloc(types->type, types->room * sizeof *types->type);
        need_memory(types->type != NULL);
    }
    table_put(&types->index, key, types->count);
    types->type[types->count++] = *type;
    return true;
}

/* An exchange by shifts may turn either way: each queue has its direction. */
static bool add_exchange(struct message_types *types, const struct phase *phase, bool is_xor)
{
    const struct exchange *exchange = &phase->schedule.exchange;
    uint32_t shape = shape_of(types, phase);
    for (uint32_t j = 0; j < exchange->period; j++) {
        uint32_t offset = exchange->step[j].offset;
        if (!add_type(types, shape, &(struct message_type){phase, offset, is_xor}))
            return false;
        if (!is_xor &&
            !add_type(types, shape, &(struct message_type){phase, phase->n - offset, false}))
            return false;
    }
    return true;
}

static bool add_program(struct message_types *types, struct plan_book *book,
                        const struct phase *phase, const char **why)
{
    bool is_xor = phase->schedule.symmetry == SYMMETRY_XOR;
    uint32_t shape = shape_of(types, phase);
    const struct program *program = plan_program(book, phase, 0);
    for (uint32_t s = 0; s < program->count; s++) {
        const struct program_step *step = &program->step[s];
        if (step->op != STEP_SEND)
            continue;
        *why = "switches reduce";
        if (peer_is_network(step->peer))
            return false;
        *why = too_many;
        if (!add_type(types, shape, &(struct message_type){phase, step->peer, is_xor}))
            return false;
    }
    return true;
}

static bool sends_all_at_once(const struct phase *phase)
{
    const struct exchange *exchange = &phase->schedule.exchange;
    return exchange->same_bytes && exchange->period == phase->n - 1 && !exchange->gated &&
           exchange->parallel >= phase->n - 1;
}

static bool add_phase(struct message_types *types, struct plan_book *book,
                      const struct phase *phase, bool prefer_xor, const char **why)
{
    const struct schedule *schedule = &phase->schedule;
    if (schedule->form == SCHEDULE_PROGRAM) {
        *why = "a collective's algorithm gives ranks different parts";
        return schedule->symmetry != SYMMETRY_NONE && add_program(types, book, phase, why);
    }
    bool is_flip = schedule->exchange.peer == PEER_FLIP;
    bool is_xor = is_flip || (prefer_xor && is_power_of_two(phase->n) && sends_all_at_once(phase));
    *why = "the group is no power of two";
    if (is_xor && !is_power_of_two(phase->n))
        return false;
    *why = too_many;
    return add_exchange(types, phase, is_xor);
}

bool message_types_collect(struct message_types *types, struct plan_book *book, bool prefer_xor,
                           uint32_t most, const char **why)
{
    *types = (struct message_types){.most = most};
    table_init(&types->index);
    for (uint32_t p = 0; p < book->count; p++) {
        const struct chunk_plan *plan = book->plan[p];
        for (uint32_t i = 0; i < plan->phase_count; i++) {
            if (!add_phase(types, book, &plan->phase[i], prefer_xor, why))
                return false;
        }
    }
    return true;
}

void message_types_release(struct message_types *types)
{
    free(types->type);
    free(types->shape);
    table_release(&types->index);
    *types = (struct message_types){0};
}
