#include "net/model/maxmin_parts.h"

/*
 * Links wait in a queue by the level that they would fill up at if nobody else held their flows
 * back. That only rises while others fill up, so a link whose turn comes too early goes back by its
 * level of now, and a queue for rising keys does (the simulator's own, with levels for times).
 */

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
    long double left = solver->capacity[number] - link->used;
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
            link->used += (long double)weight * level;
            link->open_weight -= weight;
            link->open_count--;
        }
    }
}

/* Does the link whose turn it is with `key` fill up now? If its level has risen, it waits again. */
static bool is_its_turn(struct maxmin *solver, uint32_t number, uint64_t key)
{
    if (solver->link[number].open_count == 0)
        return false; /* others hold all of its flows back: it does not fill up */
    uint64_t now = id_heap_key(level_now(solver, number));
    if (now <= key)
        return true;
    event_queue_push(&solver->queue, now, number);
    return false;
}

/* The links that fill up at the level of *next do; *next becomes the one after. False at the
 * end. */
static bool fill_level(struct maxmin *solver, struct event *next)
{
    struct maxmin_list *together = &solver->together;
    uint64_t key = next->time;
    bool goes_on;
    together->count = 0;
    do {
        if (is_its_turn(solver, (uint32_t)next->payload, key))
            together->item[together->count++] = (uint32_t)next->payload;
        goes_on = event_queue_pop(&solver->queue, next);
    } while (goes_on && next->time == key);
    double level;
    memcpy(&level, &key, sizeof level);
    for (uint32_t i = 0; i < together->count; i++) {
        solver->link[together->item[i]].is_full = true;
        set_level(solver, together->item[i], level);
    }
    for (uint32_t i = 0; i < together->count; i++)
        hold_back(solver, together->item[i]);
    return goes_on;
}

void maxmin_fill(struct maxmin *solver)
{
    struct event event;
    solver->solve++;
    event_queue_reset(&solver->queue);
    for (uint32_t i = 0; i < solver->busy.count; i++) {
        uint32_t link = solver->busy.item[i];
        count_open(solver, link);
        if (!is_needless(solver, link))
            event_queue_push(&solver->queue, id_heap_key(level_now(solver, link)), link);
    }
    bool goes_on = event_queue_pop(&solver->queue, &event);
    while (goes_on)
        goes_on = fill_level(solver, &event);
    for (uint32_t i = 0; i < solver->busy.count; i++) {
        uint32_t link = solver->busy.item[i];
        if (solver->link[link].is_full)
            continue;
        solver->link[link].load = solver->link[link].used;
        set_level(solver, link, INFINITY);
    }
}
