#include "net/model/drain.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* A count beyond this starts anew from 0: its last bit is then 2^-15 bytes, which is less than
 * 1/1000 ps at 30 GB/s. */
#define MOST_SERVED_BYTES 0x1p38

void drain_init(struct drain *drain, uint32_t group_count)
{
    *drain = (struct drain){0};
    drain->group = calloc((size_t)group_count + 1, sizeof *drain->group);
    drain->touched = calloc((size_t)group_count + 1, sizeof *drain->touched);
    need_memory(drain->group != NULL && drain->touched != NULL);
    need_memory(grow_init(&drain->flows, sizeof(struct drain_flow), UINT32_MAX - 1));
    id_heap_init(&drain->due, group_count);
}

void drain_release(struct drain *drain)
{
    free(drain->group);
    free(drain->touched);
    grow_release(&drain->flows);
    id_heap_release(&drain->due);
}

static struct drain_flow *flow_at(const struct drain *drain, uint32_t flow)
{
    return (struct drain_flow *)drain->flows.base + flow;
}

void drain_set(struct drain *drain, uint32_t flow, double bytes)
{
    if (flow >= drain->flows.count)
        grow_push(&drain->flows, flow + 1 - drain->flows.count);
    *flow_at(drain, flow) = (struct drain_flow){.finish_bytes = bytes, .group = DRAIN_NONE};
}

uint32_t drain_group_of(const struct drain *drain, uint32_t flow)
{
    return flow_at(drain, flow)->group;
}

/* -- the heap of a group; handles are flow + 1 ------------------------------------------------ */

static struct drain_flow *node_at(const struct drain *drain, uint32_t handle)
{
    return flow_at(drain, handle - 1);
}

/* One heap of two (either may be 0). */
static uint32_t meld(struct drain *drain, uint32_t a, uint32_t b)
{
    if (!a || !b)
        return a ? a : b;
    if (node_at(drain, b)->finish_bytes < node_at(drain, a)->finish_bytes) {
        uint32_t swapped = a;
        a = b;
        b = swapped;
    }
    struct drain_flow *top = node_at(drain, a), *below = node_at(drain, b);
    below->prev = a;
    below->next = top->child;
    if (top->child)
        node_at(drain, top->child)->prev = b;
    top->child = b;
    return a;
}

/* Cuts the first of a list of siblings off; returns the rest. */
static uint32_t cut_first(struct drain *drain, uint32_t first)
{
    struct drain_flow *node = node_at(drain, first);
    uint32_t rest = node->next;
    node->next = node->prev = 0;
    return rest;
}

/* One heap of a list of siblings, in two passes. */
static uint32_t meld_siblings(struct drain *drain, uint32_t first)
{
    uint32_t pairs = 0;
    while (first) {
        uint32_t a = first, b = cut_first(drain, a);
        first = b ? cut_first(drain, b) : 0;
        uint32_t pair = meld(drain, a, b);
        node_at(drain, pair)->next = pairs;
        pairs = pair;
    }
    uint32_t heap = 0;
    while (pairs) {
        uint32_t pair = pairs;
        pairs = cut_first(drain, pair);
        heap = meld(drain, heap, pair);
    }
    return heap;
}

static void take_out(struct drain *drain, struct drain_group *group, uint32_t handle)
{
    struct drain_flow *node = node_at(drain, handle);
    uint32_t below = meld_siblings(drain, node->child);
    if (group->root == handle) {
        group->root = below;
    } else {
        struct drain_flow *before = node_at(drain, node->prev);
        if (before->child == handle)
            before->child = node->next;
        else
            before->next = node->next;
        if (node->next)
            node_at(drain, node->next)->prev = node->prev;
        group->root = meld(drain, group->root, below);
    }
    node->child = node->next = node->prev = 0;
}

/* -- groups ------------------------------------------------------------------------------------ */

static void touch(struct drain *drain, uint32_t number)
{
    if (drain->group[number].is_touched)
        return;
    drain->group[number].is_touched = true;
    drain->touched[drain->touched_count++] = number;
}

static void leave(struct drain *drain, uint32_t flow, struct drain_group *group)
{
    struct drain_flow *one = flow_at(drain, flow);
    take_out(drain, group, flow + 1);
    double left = one->finish_bytes - group->served_bytes;
    one->finish_bytes = left > 0 ? left : 0;
    one->group = DRAIN_NONE;
}

static void join(struct drain *drain, uint32_t flow, uint32_t number)
{
    struct drain_flow *one = flow_at(drain, flow);
    struct drain_group *group = &drain->group[number];
    one->finish_bytes += group->served_bytes;
    one->group = number;
    group->root = meld(drain, group->root, flow + 1);
}

/* Lets all flows leave and come again, with a count of 0. */
static void start_anew(struct drain *drain, uint32_t number)
{
    struct drain_group *group = &drain->group[number];
    uint32_t list = 0;
    while (group->root) {
        uint32_t handle = group->root;
        leave(drain, handle - 1, group);
        node_at(drain, handle)->next = list;
        list = handle;
    }
    group->served_bytes = 0;
    while (list) {
        uint32_t handle = list;
        list = cut_first(drain, handle);
        join(drain, handle - 1, number);
    }
}

/* Brings the group's count to `now`. */
static void serve(struct drain *drain, uint32_t number, struct drain_instant now)
{
    struct drain_group *group = &drain->group[number];
    double ps = (double)(now.ps - group->since.ps) + (now.rest_ps - group->since.rest_ps);
    if (group->root)
        group->served_bytes += group->rate_B_per_ps * ps;
    else
        group->served_bytes = 0;
    group->since = now;
    if (group->served_bytes > MOST_SERVED_BYTES)
        start_anew(drain, number);
}

void drain_leave(struct drain *drain, uint32_t flow, struct drain_instant now)
{
    uint32_t number = flow_at(drain, flow)->group;
    if (number == DRAIN_NONE)
        return;
    serve(drain, number, now);
    leave(drain, flow, &drain->group[number]);
    touch(drain, number);
}

void drain_join(struct drain *drain, uint32_t flow, uint32_t group, struct drain_instant now)
{
    serve(drain, group, now);
    join(drain, flow, group);
    touch(drain, group);
}

void drain_set_rate(struct drain *drain, uint32_t group, double rate_B_per_ps,
                    struct drain_instant now)
{
    serve(drain, group, now);
    drain->group[group].rate_B_per_ps = rate_B_per_ps;
    touch(drain, group);
}

struct drain_instant drain_after(struct drain_instant from, double duration_ps)
{
    double ps = from.rest_ps + duration_ps;
    if (!(ps < 1.8446744073709550e19))
        return (struct drain_instant){TIME_NEVER, 0};
    double whole = floor(ps + 0.5);
    if (!(whole > 0))
        return (struct drain_instant){from.ps, ps > -0.5 ? ps : -0.5};
    return (struct drain_instant){time_after(from.ps, (time_ps)whole), ps - whole};
}

/* When the group's first flow is done. */
static struct drain_instant finish_of(const struct drain *drain, const struct drain_group *group)
{
    double left = node_at(drain, group->root)->finish_bytes - group->served_bytes;
    return drain_after(group->since, left > 0 ? left / group->rate_B_per_ps : 0);
}

void drain_settle(struct drain *drain)
{
    for (uint32_t i = 0; i < drain->touched_count; i++) {
        uint32_t number = drain->touched[i];
        struct drain_group *group = &drain->group[number];
        group->is_touched = false;
        if (group->root)
            id_heap_set(&drain->due, number, finish_of(drain, group).ps);
        else
            id_heap_remove(&drain->due, number);
    }
    drain->touched_count = 0;
}

time_ps drain_next(const struct drain *drain)
{
    return drain->due.count ? id_heap_least(&drain->due).key : TIME_NEVER;
}

/* Takes all flows of the group's heap that end by `limit_bytes`, and the first in any case: finish
 * times were rounded. Walks the heap from the root; `rest` lists subtrees. */
static void take_group(struct drain *drain, struct drain_group *group, double limit_bytes,
                       void (*done)(void *context, uint32_t flow), void *context)
{
    uint32_t rest = group->root;
    double first = node_at(drain, rest)->finish_bytes;
    if (limit_bytes < first)
        limit_bytes = first;
    group->root = 0;
    while (rest) {
        uint32_t handle = rest;
        struct drain_flow *node = node_at(drain, handle);
        rest = cut_first(drain, handle);
        if (node->finish_bytes > limit_bytes) {
            group->root = meld(drain, group->root, handle);
            continue;
        }
        /* The children go before the rest: only the last of them needs its `next` set. */
        uint32_t last = node->child;
        while (last && node_at(drain, last)->next)
            last = node_at(drain, last)->next;
        if (last) {
            node_at(drain, last)->next = rest;
            rest = node->child;
        }
        node->child = 0;
        node->group = DRAIN_NONE;
        done(context, handle - 1);
    }
}

double drain_take(struct drain *drain, time_ps now, void (*done)(void *context, uint32_t flow),
                  void *context)
{
    double last = -0.5;
    while (drain->due.count > 0 && id_heap_least(&drain->due).key <= now) {
        uint32_t number = id_heap_least(&drain->due).id;
        struct drain_group *group = &drain->group[number];
        double rest_ps = finish_of(drain, group).rest_ps;
        double ps = (double)(now - group->since.ps) + (0.5 - group->since.rest_ps);
        if (rest_ps > last)
            last = rest_ps;
        id_heap_remove(&drain->due, number);
        touch(drain, number);
        take_group(drain, group, group->served_bytes + group->rate_B_per_ps * ps, done, context);
    }
    return last;
}
