#include "net/model/maxmin.h"

#include <stdlib.h>

#include "base/memory.h"
#include "net/model/maxmin_parts.h"

/* A part solve is tried while fewer than this share of the flow-links started or stopped. */
enum { WHOLE_ABOVE = 8 };

static void *array(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    need_memory(memory != NULL);
    return memory;
}

struct maxmin *maxmin_create(const double *capacity, uint32_t link_count)
{
    struct maxmin *solver = array(1, sizeof *solver);
    solver->link_count = link_count;
    solver->capacity = array(link_count, sizeof *solver->capacity);
    solver->level = array(link_count, sizeof *solver->level);
    solver->link = array(link_count, sizeof *solver->link);
    solver->busy.item = array(link_count, sizeof(uint32_t));
    solver->dirty.item = array(link_count, sizeof(uint32_t));
    solver->changed.item = array(link_count, sizeof(uint32_t));
    solver->together.item = array(link_count, sizeof(uint32_t));
    for (uint32_t i = 0; i < link_count; i++) {
        promise(capacity[i] > 0 && capacity[i] < INFINITY);
        solver->capacity[i] = capacity[i];
        solver->level[i] = INFINITY;
    }
    block_pool_init(&solver->elements, sizeof(struct maxmin_element));
    block_pool_init(&solver->members, sizeof(struct maxmin_member));
    id_heap_init(&solver->heap, link_count);
    event_queue_init(&solver->queue);
    need_memory(grow_init(&solver->flows, sizeof(struct maxmin_flow), UINT32_MAX - 1) &&
                grow_init(&solver->states, sizeof(struct maxmin_state), UINT32_MAX - 1) &&
                grow_init(&solver->moved, sizeof(uint32_t), UINT32_MAX - 1) &&
                grow_init(&solver->started, sizeof(uint32_t), UINT32_MAX - 1));
    solver->cache = maxmin_cache_create();
    return solver;
}

void maxmin_destroy(struct maxmin *solver)
{
    if (!solver)
        return;
    maxmin_cache_destroy(solver->cache);
    id_heap_release(&solver->heap);
    event_queue_release(&solver->queue);
    block_pool_release(&solver->elements);
    block_pool_release(&solver->members);
    grow_release(&solver->flows);
    grow_release(&solver->states);
    grow_release(&solver->moved);
    grow_release(&solver->started);
    free(solver->capacity);
    free(solver->level);
    free(solver->link);
    free(solver->busy.item);
    free(solver->dirty.item);
    free(solver->changed.item);
    free(solver->together.item);
    free(solver->touched.item);
    free(solver->is_touched);
    free(solver);
}

/* Units of a flow's block: an element a link, and a double if it has weights. */
static unsigned block_class(uint32_t count, bool is_weighted)
{
    return block_pool_class(is_weighted ? 2 * count : count);
}

static bool is_all_one(uint32_t count, const double *weight)
{
    for (uint32_t k = 0; weight && k < count; k++) {
        if (weight[k] != 1.0)
            return false;
    }
    return true;
}

static uint32_t take_flow(struct maxmin *solver)
{
    uint32_t flow = solver->free_flow;
    if (flow == 0) {
        grow_push(&solver->states, 1);
        return (uint32_t)grow_push(&solver->flows, 1);
    }
    solver->free_flow = flow_at(solver, flow - 1)->first;
    return flow - 1;
}

uint32_t maxmin_add(struct maxmin *solver, uint32_t count, const uint32_t *link,
                    const double *weight)
{
    promise(count > 0 && count < (uint32_t)1 << 29);
    uint32_t number = take_flow(solver);
    bool is_weighted = !is_all_one(count, weight);
    uint32_t first = block_pool_take(&solver->elements, block_class(count, is_weighted));
    struct maxmin_element *element = element_at(solver, first);
    *flow_at(solver, number) =
        (struct maxmin_flow){.first = first, .count = count, .is_weighted = is_weighted};
    *state_at(solver, number) = (struct maxmin_state){.bottleneck = MAXMIN_NONE};
    for (uint32_t k = 0; k < count; k++)
        element[k] = (struct maxmin_element){.link = link[k]};
    double *kept = (double *)(element + count);
    for (uint32_t k = 0; is_weighted && k < count; k++)
        kept[k] = maxmin_weight(weight[k]);
    return number;
}

void maxmin_remove(struct maxmin *solver, uint32_t flow)
{
    struct maxmin_flow *gone = flow_at(solver, flow);
    promise(state_at(solver, flow)->bottleneck == MAXMIN_NONE);
    block_pool_give(&solver->elements, gone->first, block_class(gone->count, gone->is_weighted));
    *gone = (struct maxmin_flow){.first = solver->free_flow};
    solver->free_flow = flow + 1;
}

static void mark_dirty(struct maxmin *solver, uint32_t link)
{
    touch(solver, link);
    if (solver->link[link].is_dirty)
        return;
    solver->link[link].is_dirty = true;
    solver->dirty.item[solver->dirty.count++] = link;
}

/* Room for one more member of `link`, which may move its block. */
static void make_room(struct maxmin *solver, struct maxmin_link *link)
{
    if (!link->has_block) {
        link->class = 2;
        link->has_block = true;
        link->first = block_pool_take(&solver->members, link->class);
        return;
    }
    if (link->count < (uint32_t)1 << link->class)
        return;
    uint32_t larger = block_pool_take(&solver->members, link->class + 1u);
    struct maxmin_member *unit = solver->members.unit.base;
    memcpy(unit + larger, unit + link->first, link->count * sizeof *unit);
    block_pool_give(&solver->members, link->first, link->class);
    link->first = larger;
    link->class ++;
}

static void join(struct maxmin *solver, uint32_t number, uint32_t flow, uint32_t element,
                 double weight)
{
    struct maxmin_link *link = &solver->link[number];
    make_room(solver, link);
    if (link->count == 0) {
        link->busy_place = solver->busy.count;
        solver->busy.item[solver->busy.count++] = number;
        link->is_weighted = false;
        link->load = 0;
    }
    link->is_weighted = link->is_weighted || weight != 1;
    element_at(solver, element)->place = link->count;
    members_of(solver, number)[link->count++] =
        (struct maxmin_member){.weight = weight, .flow = flow, .element = element};
    mark_dirty(solver, number);
}

void maxmin_start(struct maxmin *solver, uint32_t flow)
{
    struct maxmin_flow *one = flow_at(solver, flow);
    for (uint32_t k = 0; k < one->count; k++)
        join(solver, element_at(solver, one->first + k)->link, flow, one->first + k,
             weight_of(solver, one, k));
    ((uint32_t *)solver->started.base)[grow_push(&solver->started, 1)] = flow;
    solver->running_elements += one->count;
    solver->dirty_elements += one->count;
    solver->running_flows++;
}

static void leave_busy(struct maxmin *solver, struct maxmin_link *link)
{
    uint32_t last = solver->busy.item[--solver->busy.count];
    solver->busy.item[link->busy_place] = last;
    solver->link[last].busy_place = link->busy_place;
}

void maxmin_stop(struct maxmin *solver, uint32_t flow)
{
    struct maxmin_flow *one = flow_at(solver, flow);
    double rate = maxmin_rate(solver, flow);
    promise(state_at(solver, flow)->bottleneck != MAXMIN_NONE);
    for (uint32_t k = 0; k < one->count; k++) {
        struct maxmin_element *element = element_at(solver, one->first + k);
        struct maxmin_link *link = &solver->link[element->link];
        struct maxmin_member *member = members_of(solver, element->link);
        link->load -= rate * member[element->place].weight;
        member[element->place] = member[--link->count];
        element_at(solver, member[element->place].element)->place = element->place;
        if (link->count == 0)
            leave_busy(solver, link);
        mark_dirty(solver, element->link);
    }
    state_at(solver, flow)->bottleneck = MAXMIN_NONE;
    solver->running_elements -= one->count;
    solver->dirty_elements += one->count;
    solver->running_flows--;
}

/* Forgets what the last solve said it changed. */
static void begin_solve(struct maxmin *solver)
{
    const uint32_t *moved = solver->moved.base;
    for (size_t i = 0; i < solver->moved.count; i++)
        flow_at(solver, moved[i])->is_moved = 0;
    solver->moved.count = 0;
    for (uint32_t i = 0; i < solver->changed.count; i++)
        solver->link[solver->changed.item[i]].is_changed = false;
    solver->changed.count = 0;
}

static void end_solve(struct maxmin *solver)
{
    for (uint32_t i = 0; i < solver->dirty.count; i++) {
        uint32_t link = solver->dirty.item[i];
        solver->link[link].is_dirty = false;
        if (solver->link[link].count == 0)
            set_level(solver, link, INFINITY);
    }
    solver->dirty.count = 0;
    solver->dirty_elements = 0;
    solver->started.count = 0;
}

static void solve_whole(struct maxmin *solver)
{
    bool is_fresh = solver->started.count == solver->running_flows;
    solver->counts.whole++;
    for (uint32_t i = 0; solver->is_touched && i < solver->busy.count; i++)
        touch(solver, solver->busy.item[i]);
    if (is_fresh && maxmin_cache_find(solver)) {
        solver->counts.cached++;
        return;
    }
    maxmin_fill(solver);
    if (is_fresh)
        maxmin_cache_keep(solver);
}

void maxmin_solve(struct maxmin *solver)
{
    solver->counts.solves++;
    begin_solve(solver);
    bool is_much = solver->dirty_elements > solver->running_elements / WHOLE_ABOVE;
    if (solver->must_fill || is_much || !maxmin_repair(solver))
        solve_whole(solver);
    solver->must_fill = false;
    end_solve(solver);
}

void maxmin_set_capacity(struct maxmin *solver, uint32_t link, double capacity)
{
    promise(capacity > 0 && capacity < INFINITY);
    solver->capacity[link] = capacity;
    solver->capacities++;
    solver->must_fill = true;
}

double maxmin_level(const struct maxmin *solver, uint32_t link)
{
    return solver->level[link];
}

uint32_t maxmin_bottleneck(const struct maxmin *solver, uint32_t flow)
{
    return state_at(solver, flow)->bottleneck;
}

double maxmin_rate(const struct maxmin *solver, uint32_t flow)
{
    uint32_t link = state_at(solver, flow)->bottleneck;
    return link == MAXMIN_NONE ? 0 : solver->level[link];
}

uint32_t maxmin_watch_loads(struct maxmin *solver)
{
    solver->touched.item = array(solver->link_count, sizeof(uint32_t));
    solver->is_touched = array(solver->link_count, sizeof *solver->is_touched);
    return solver->link_count;
}

void maxmin_visit_touched(struct maxmin *solver, void (*visit)(void *context, uint32_t link),
                          void *context)
{
    for (uint32_t i = 0; i < solver->touched.count; i++) {
        solver->is_touched[solver->touched.item[i]] = false;
        visit(context, solver->touched.item[i]);
    }
    solver->touched.count = 0;
}

double maxmin_load(const struct maxmin *solver, uint32_t link)
{
    const struct maxmin_link *one = &solver->link[link];
    if (one->count == 0)
        return 0;
    return solver->level[link] < INFINITY ? solver->capacity[link] : one->load;
}

bool maxmin_is_used(const struct maxmin *solver, uint32_t link)
{
    return solver->link[link].count > 0;
}

double maxmin_rate_alone(const struct maxmin *solver, uint32_t flow)
{
    const struct maxmin_flow *one = flow_at(solver, flow);
    double least = INFINITY;
    for (uint32_t k = 0; k < one->count; k++) {
        uint32_t link = element_at(solver, one->first + k)->link;
        long double level = solver->capacity[link] / (long double)weight_of(solver, one, k);
        least = fmin(least, rounded_level(level));
    }
    return least;
}

const uint32_t *maxmin_changed_links(const struct maxmin *solver, uint32_t *count)
{
    *count = solver->changed.count;
    return solver->changed.item;
}

const uint32_t *maxmin_moved_flows(const struct maxmin *solver, uint32_t *count)
{
    *count = (uint32_t)solver->moved.count;
    return solver->moved.base;
}

void maxmin_visit(const struct maxmin *solver, uint32_t flow,
                  void (*visit)(void *context, uint32_t link, double weight), void *context)
{
    const struct maxmin_flow *one = flow_at(solver, flow);
    for (uint32_t k = 0; k < one->count; k++)
        visit(context, element_at(solver, one->first + k)->link, weight_of(solver, one, k));
}

struct maxmin_counts maxmin_counts(const struct maxmin *solver)
{
    return solver->counts;
}
