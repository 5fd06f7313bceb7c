#include "net/model/maxmin_parts.h"

/*
 * Links wait in a queue by the level that they would fill up at if nobody else held their flows
 * back. That only rises while others fill up, so a link whose turn comes too early goes back by its
 * level of now, and a queue for rising keys does (the simulator's own, with levels for times).
 */

/* Adds up anew what a link gives to flows that are held back already, and what is open: with weights
 * that are fractions, differences would leave a rest. */
static void count_again(struct maxmin *solver, uint32_t number)
{
    struct maxmin_link *link = &solver->link[number];
    const struct maxmin_member *member = members_of(solver, number);
    link->used = link->open_weight = 0;
    link->open_count = 0;
    for (uint32_t i = 0; i < link->count; i++) {
        const struct maxmin_state *state = state_at(solver, member[i].flow);
        if (state->solve == solver->solve) {
            link->used += member[i].weight * solver->level[state->bottleneck];
        } else {
            link->open_weight += member[i].weight;
            link->open_count++;
        }
    }
}

/* All flows are open. */
static void count_open(struct maxmin *solver, uint32_t number)
{
    struct maxmin_link *link = &solver->link[number];
    link->used = 0;
    link->open_weight = link->open_count = link->count;
    link->is_full = false;
    if (!link->is_weighted)
        return;
    const struct maxmin_member *member = members_of(solver, number);
    link->open_weight = 0;
    for (uint32_t i = 0; i < link->count; i++)
        link->open_weight += member[i].weight;
}

static double level_now(const struct maxmin *solver, uint32_t number)
{
    const struct maxmin_link *link = &solver->link[number];
    double left = solver->capacity[number] - link->used;
    return rounded_level((left > 0 ? left : 0) / link->open_weight);
}

/* A link with one flow, which is narrower elsewhere, never fills up first; of equally narrow ones
 * the lowest number is kept. */
static bool is_needless(const struct maxmin *solver, uint32_t number)
{
    if (solver->link[number].count != 1)
        return false;
    const struct maxmin_member *member = members_of(solver, number);
    const struct maxmin_flow *flow = flow_at(solver, member->flow);
    const struct maxmin_element *element = element_at(solver, flow->first);
    double width = solver->capacity[number] / member->weight;
    for (uint32_t k = 0; k < flow->count; k++) {
        double other = solver->capacity[element[k].link] / weight_of(solver, flow, k);
        if (other < width || (other == width && element[k].link < number))
            return true;
    }
    return false;
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
            struct maxmin_link *link = &solver->link[element[k].link];
            double weight = weight_of(solver, flow, k);
            link->used += weight * level;
            link->open_weight -= weight;
            link->open_count--;
        }
    }
}

/* The turn of a link whose key was `key`. Levels never fall below *lowest, that of the last link
 * that filled up. */
static void take_turn(struct maxmin *solver, uint32_t number, uint64_t key, double *lowest)
{
    if (solver->link[number].open_count == 0)
        return; /* others hold all of its flows back: it does not fill up */
    if (solver->link[number].is_fractional)
        count_again(solver, number);
    double level = fmax(level_now(solver, number), *lowest);
    if (id_heap_key(level) > key) {
        event_queue_push(&solver->queue, id_heap_key(level), number);
        return;
    }
    *lowest = level;
    solver->link[number].is_full = true;
    set_level(solver, number, level);
    hold_back(solver, number);
}

void maxmin_fill(struct maxmin *solver)
{
    struct event event;
    double lowest = 0;
    solver->solve++;
    event_queue_reset(&solver->queue);
    for (uint32_t i = 0; i < solver->busy.count; i++) {
        uint32_t link = solver->busy.item[i];
        count_open(solver, link);
        if (!is_needless(solver, link))
            event_queue_push(&solver->queue, id_heap_key(level_now(solver, link)), link);
    }
    while (event_queue_pop(&solver->queue, &event))
        take_turn(solver, (uint32_t)event.payload, event.time, &lowest);
    for (uint32_t i = 0; i < solver->busy.count; i++) {
        uint32_t link = solver->busy.item[i];
        if (solver->link[link].is_full)
            continue;
        solver->link[link].load = solver->link[link].used;
        set_level(solver, link, INFINITY);
    }
}
