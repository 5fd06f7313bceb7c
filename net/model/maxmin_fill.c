#include "net/model/maxmin_parts.h"

/* What link `number` has used by flows that are held back already, and what is open, added up anew:
 * with weights that are fractions, differences would leave a rest. */
static void count_again(struct maxmin *solver, uint32_t number)
{
    struct maxmin_work *work = &solver->work[number];
    const struct maxmin_member *member = members_of(solver, number);
    *work = (struct maxmin_work){0};
    for (uint32_t i = 0; i < solver->link[number].count; i++) {
        const struct maxmin_state *state = state_at(solver, member[i].flow);
        if (state->solve == solver->solve) {
            work->used += member[i].weight * solver->level[state->bottleneck];
        } else {
            work->open_weight += member[i].weight;
            work->open_count++;
        }
    }
}

static double level_now(struct maxmin *solver, uint32_t number)
{
    const struct maxmin_work *work = &solver->work[number];
    double left = solver->capacity[number] - work->used;
    return rounded_level((left > 0 ? left : 0) / work->open_weight);
}

/* Link `number` is full at its level: its open flows stay at that. */
static void hold_back(struct maxmin *solver, uint32_t number)
{
    const struct maxmin_member *member = members_of(solver, number);
    double level = solver->level[number];
    for (uint32_t i = 0; i < solver->link[number].count; i++) {
        struct maxmin_state *state = state_at(solver, member[i].flow);
        if (state->solve == solver->solve)
            continue;
        state->solve = solver->solve;
        if (state->bottleneck != number)
            set_bottleneck(solver, member[i].flow, number);
        const struct maxmin_flow *flow = flow_at(solver, member[i].flow);
        const struct maxmin_element *element = element_at(solver, flow->first);
        for (uint32_t k = 0; k < flow->count; k++) {
            struct maxmin_work *work = &solver->work[element[k].link];
            double weight = weight_of(solver, flow, k);
            work->used += weight * level;
            work->open_weight -= weight;
            work->open_count--;
        }
    }
}

void maxmin_fill(struct maxmin *solver)
{
    struct id_heap *heap = &solver->heap;
    double floor_level = 0;
    solver->solve++;
    for (uint32_t i = 0; i < solver->busy.count; i++) {
        uint32_t link = solver->busy.item[i];
        count_again(solver, link);
        id_heap_set(heap, link, id_heap_key(level_now(solver, link)));
    }
    while (heap->count > 0) {
        struct id_heap_node least = id_heap_least(heap);
        if (solver->work[least.id].open_count == 0) {
            solver->load[least.id] = solver->work[least.id].used;
            set_level(solver, least.id, INFINITY);
            id_heap_remove(heap, least.id);
            continue;
        }
        if (solver->link[least.id].is_fractional)
            count_again(solver, least.id);
        /* Keys are from before others were held back, which lets a level only rise. */
        double level = fmax(level_now(solver, least.id), floor_level);
        if (id_heap_key(level) > least.key) {
            id_heap_set(heap, least.id, id_heap_key(level));
            continue;
        }
        floor_level = level;
        id_heap_remove(heap, least.id);
        set_level(solver, least.id, level);
        hold_back(solver, least.id);
    }
}
