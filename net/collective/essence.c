#include "net/collective/essence.h"

#include <string.h>

#include "base/status.h"
#include "net/collective/program.h"

/* The program's edges the other way round, and its steps in order. */
struct reversed {
    uint32_t *first, *parent; /* [count + 1], [edges] */
};

static void reverse(const struct program *program, struct arena *arena, struct reversed *reversed)
{
    uint32_t count = program->count, edges = 0;
    reversed->first = arena_array(arena, (size_t)count + 1, sizeof *reversed->first);
    for (uint32_t s = 0; s < count; s++) {
        reversed->first[s] = edges;
        edges += program->step[s].parents;
    }
    reversed->first[count] = edges;
    reversed->parent = arena_array(arena, (size_t)edges + 1, sizeof *reversed->parent);
    uint32_t *filled = arena_array(arena, (size_t)count + 1, sizeof *filled);
    for (uint32_t s = 0; s < count; s++) {
        const struct program_step *step = &program->step[s];
        for (uint32_t c = 0; c < step->child_count; c++) {
            uint32_t child = program->child[step->first_child + c];
            reversed->parent[reversed->first[child] + filled[child]++] = s;
        }
    }
}

static void sort_steps(const struct program *program, struct arena *arena, uint32_t *order)
{
    uint32_t *left = arena_array(arena, (size_t)program->count + 1, sizeof *left), queued = 0;
    for (uint32_t s = 0; s < program->count; s++) {
        left[s] = program->step[s].parents;
        if (!left[s])
            order[queued++] = s;
    }
    for (uint32_t i = 0; i < queued; i++) {
        const struct program_step *step = &program->step[order[i]];
        for (uint32_t c = 0; c < step->child_count; c++) {
            uint32_t child = program->child[step->first_child + c];
            if (!--left[child])
                order[queued++] = child;
        }
    }
    promise(queued == program->count);
}

/* The receive among a reduction's parents. */
static uint32_t received_by(const struct program *program, const struct reversed *reversed,
                            uint32_t step)
{
    if (program->step[step].op != STEP_LOCAL || !program->step[step].reduce)
        return NO_STEP;
    for (uint32_t e = reversed->first[step]; e < reversed->first[step + 1]; e++) {
        if (program->step[reversed->parent[e]].op == STEP_RECV)
            return reversed->parent[e];
    }
    return NO_STEP;
}

static bool is_waited_for(const struct program *program, const struct essence *essence,
                          uint32_t step, bool keeps_all)
{
    switch ((enum program_op)program->step[step].op) {
    case STEP_SEND:
        return keeps_all || program->step[step].until_arrival;
    case STEP_LOCAL:
        return keeps_all && essence->recv[step] != NO_STEP;
    case STEP_DELAY: /* of no time: others are refused by who exports */
        return false;
    case STEP_RECV:
        break;
    }
    return true;
}

/* The needs of steps as they are found, in one growing row. */
struct needs {
    struct arena *arena;
    uint32_t *need, *begin, *end; /* [room], [step], [step] */
    uint32_t count, room;
    uint32_t *mark, stamp; /* [step] met while the present list was made */
};

static void add_need(struct needs *needs, uint32_t step)
{
    if (needs->mark[step] == needs->stamp)
        return;
    needs->mark[step] = needs->stamp;
    if (needs->count == needs->room) {
        promise(needs->room <= UINT32_MAX / 2);
        needs->room = needs->room ? 2 * needs->room : 256;
        uint32_t *more = arena_array(needs->arena, needs->room, sizeof *more);
        if (needs->count)
            memcpy(more, needs->need, needs->count * sizeof *more);
        needs->need = more;
    }
    needs->need[needs->count++] = step;
}

static void collect(const struct program *program, const struct reversed *reversed,
                    const struct essence *essence, bool keeps_all, uint32_t step,
                    struct needs *needs)
{
    needs->stamp++;
    needs->begin[step] = needs->count;
    for (uint32_t e = reversed->first[step]; e < reversed->first[step + 1]; e++) {
        uint32_t parent = reversed->parent[e];
        if (is_waited_for(program, essence, parent, keeps_all)) {
            add_need(needs, parent);
            continue;
        }
        for (uint32_t i = needs->begin[parent]; i < needs->end[parent]; i++)
            add_need(needs, needs->need[i]);
    }
    needs->end[step] = needs->count;
}

void essence_of(const struct program *program, bool keeps_all, struct arena *arena,
                struct essence *essence)
{
    size_t count = program->count;
    struct reversed reversed;
    *essence = (struct essence){.count = program->count};
    essence->order = arena_array(arena, count + 1, sizeof *essence->order);
    essence->recv = arena_array(arena, count + 1, sizeof *essence->recv);
    essence->first = arena_array(arena, count + 1, sizeof *essence->first);
    reverse(program, arena, &reversed);
    sort_steps(program, arena, essence->order);
    for (uint32_t s = 0; s < program->count; s++)
        essence->recv[s] = received_by(program, &reversed, s);
    struct needs needs = {.arena = arena,
                          .begin = arena_array(arena, count + 1, sizeof(uint32_t)),
                          .end = arena_array(arena, count + 1, sizeof(uint32_t)),
                          .mark = arena_array(arena, count + 1, sizeof(uint32_t))};
    for (uint32_t i = 0; i < program->count; i++)
        collect(program, &reversed, essence, keeps_all, essence->order[i], &needs);
    essence->need = arena_array(arena, (size_t)needs.count + 1, sizeof *essence->need);
    for (uint32_t s = 0; s < program->count; s++) {
        essence->first[s] = essence->need_count;
        for (uint32_t i = needs.begin[s]; i < needs.end[s]; i++)
            essence->need[essence->need_count++] = needs.need[i];
    }
    essence->first[program->count] = essence->need_count;
}
