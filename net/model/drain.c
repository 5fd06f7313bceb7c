#include "net/model/drain.h"

#include <stdlib.h>

#include "base/memory.h"

#define STEPS_PER_PS ((int64_t)1 << 20)
#define UNIT_BITS    76 /* a unit is 2^-76 B */

/* a - b, where less than half of all counts lies between them. */
static __int128 difference(drain_amount a, drain_amount b)
{
    return (__int128)(a - b);
}

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

void drain_set(struct drain *drain, uint32_t flow, uint64_t bytes)
{
    if (flow >= drain->flows.count)
        grow_push(&drain->flows, flow + 1 - drain->flows.count);
    promise(bytes <= DRAIN_MOST_BYTES);
    *flow_at(drain, flow) =
        (struct drain_flow){.finish = (drain_amount)bytes << UNIT_BITS, .group = DRAIN_NONE};
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
    if (difference(node_at(drain, b)->finish, node_at(drain, a)->finish) < 0) {
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

/* What a flow of the group has left. */
static drain_amount left_of(const struct drain_group *group, const struct drain_flow *flow)
{
    __int128 left = difference(flow->finish, group->served);
    return left > 0 ? (drain_amount)left : 0;
}

static void leave(struct drain *drain, uint32_t flow, struct drain_group *group)
{
    struct drain_flow *one = flow_at(drain, flow);
    take_out(drain, group, flow + 1);
    one->finish = left_of(group, one);
    one->group = DRAIN_NONE;
}

static void join(struct drain *drain, uint32_t flow, uint32_t number)
{
    struct drain_flow *one = flow_at(drain, flow);
    struct drain_group *group = &drain->group[number];
    one->finish += group->served;
    one->group = number;
    group->root = meld(drain, group->root, flow + 1);
}

/* Steps from `from` to `to`; 0 if that is before it. */
static drain_amount steps_between(struct drain_instant from, struct drain_instant to)
{
    if (to.ps < from.ps)
        return 0;
    __int128 steps = (__int128)(to.ps - from.ps) * STEPS_PER_PS +
                     (int64_t)((to.rest_ps - from.rest_ps) * (double)STEPS_PER_PS);
    return steps > 0 ? (drain_amount)steps : 0;
}

/* Brings the group's count to `now`. */
static void serve(struct drain *drain, uint32_t number, struct drain_instant now)
{
    struct drain_group *group = &drain->group[number];
    if (group->root)
        group->served += group->rate * steps_between(group->since, now);
    else
        group->served = 0;
    group->since = now;
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

/* Units in a step. A group that nobody is in may have the rate INFINITY. */
static drain_amount units_of(double rate_B_per_ps)
{
    double rate = rate_B_per_ps * 0x1p56; /* 2^76 / 2^20 */
    return !(rate > 1) ? 1 : rate < 0x1p100 ? (drain_amount)rate : 1;
}

void drain_set_rate(struct drain *drain, uint32_t group, double rate_B_per_ps,
                    struct drain_instant now)
{
    serve(drain, group, now);
    drain->group[group].rate = units_of(rate_B_per_ps);
    touch(drain, group);
}

static struct drain_instant after_steps(struct drain_instant from, drain_amount steps)
{
    int64_t half = STEPS_PER_PS / 2, rest = (int64_t)(from.rest_ps * (double)STEPS_PER_PS);
    drain_amount end = steps + (drain_amount)(rest + half); /* from half a ps before from.ps */
    drain_amount ps = end / STEPS_PER_PS;
    if (ps >= TIME_NEVER)
        return (struct drain_instant){TIME_NEVER, 0};
    double rest_ps = (double)((int64_t)(end % STEPS_PER_PS) - half) / (double)STEPS_PER_PS;
    return (struct drain_instant){time_after(from.ps, (time_ps)ps), rest_ps};
}

struct drain_instant drain_after(struct drain_instant from, double duration_ps)
{
    double steps = duration_ps * (double)STEPS_PER_PS + 0.5;
    if (!(steps < 0x1p84))
        return (struct drain_instant){TIME_NEVER, 0};
    return after_steps(from, (drain_amount)steps);
}

/* Steps that `left` takes, to the nearest. */
static drain_amount steps_for(drain_amount left, drain_amount rate)
{
    return left / rate + (left % rate > rate / 2);
}

/* When the group's first flow is done. */
static struct drain_instant finish_of(const struct drain *drain, const struct drain_group *group)
{
    drain_amount left = left_of(group, node_at(drain, group->root));
    return after_steps(group->since, steps_for(left, group->rate));
}

uint64_t drain_steps_alone(uint64_t bytes, double rate_B_per_ps)
{
    drain_amount steps = steps_for((drain_amount)bytes << UNIT_BITS, units_of(rate_B_per_ps));
    return steps < UINT64_MAX ? (uint64_t)steps : UINT64_MAX;
}

uint64_t drain_steps_of(double duration_ps)
{
    double steps = duration_ps * (double)STEPS_PER_PS + 0.5;
    return steps < 0x1p63 ? (uint64_t)steps : UINT64_MAX;
}

struct drain_instant drain_after_steps(struct drain_instant from, uint32_t count, uint64_t steps)
{
    return after_steps(from, (drain_amount)count * steps);
}

void drain_set_left(struct drain *drain, uint32_t flow, uint64_t bytes, double rate_B_per_ps,
                    struct drain_instant begin, struct drain_instant now)
{
    drain_set(drain, flow, bytes);
    drain_amount all = flow_at(drain, flow)->finish;
    drain_amount served = units_of(rate_B_per_ps) * steps_between(begin, now);
    flow_at(drain, flow)->finish = served < all ? all - served : 0;
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

/* Takes all flows of the group's heap that end by `limit`, and the first in any case: finish
 * times were rounded. Walks the heap from the root; `rest` lists subtrees. */
static void take_group(struct drain *drain, struct drain_group *group, drain_amount limit,
                       void (*done)(void *context, uint32_t flow), void *context)
{
    uint32_t rest = group->root;
    drain_amount first = node_at(drain, rest)->finish;
    if (difference(limit, first) < 0)
        limit = first;
    group->root = 0;
    while (rest) {
        uint32_t handle = rest;
        struct drain_flow *node = node_at(drain, handle);
        rest = cut_first(drain, handle);
        if (difference(node->finish, limit) > 0) {
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
        drain_amount steps = steps_between(group->since, (struct drain_instant){now, 0.5});
        if (rest_ps > last)
            last = rest_ps;
        id_heap_remove(&drain->due, number);
        touch(drain, number);
        take_group(drain, group, group->served + group->rate * steps, done, context);
    }
    return last;
}
