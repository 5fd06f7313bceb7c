/*
 * maxmin_parts - what the files of maxmin share. Only maxmin*.c includes it.
 *
 * Invariants after a solve: for each running flow, bottleneck is a link of least level on its way
 * (ties: any of them). level[l] is where link l fills up, given what its other flows get elsewhere;
 * INFINITY if it does not fill up.
 */
#ifndef ORRERY_NET_MODEL_MAXMIN_PARTS_H
#define ORRERY_NET_MODEL_MAXMIN_PARTS_H

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "net/model/block_pool.h"
#include "net/model/id_heap.h"
#include "net/model/maxmin.h"
#include "sim/event_queue.h"

/* A link is not full beyond this share of its capacity: levels were rounded. */
#define MAXMIN_TIE 1e-12

/* A flow's link; a weighted flow's block goes on with as many doubles. */
struct maxmin_element {
    uint32_t link;
    uint32_t place; /* in the link's members */
};

struct maxmin_member {
    double weight;
    uint32_t flow;
    uint32_t element; /* index of the flow's element */
};

/* One cache line; levels and capacities, which loops over flows look at, lie apart. */
struct maxmin_link {
    long double used, open_weight; /* whole solve: by flows held back already; of the others */
    double load;                   /* while level is INFINITY: sum of weight x rate */
    uint32_t open_count;
    uint32_t first, count; /* block of members */
    uint32_t busy_place;   /* in `busy`, while count > 0 */
    uint8_t class;         /* of the block */
    bool has_block;
    bool is_weighted; /* may have a weight that is not 1 */
    bool is_dirty;    /* members came or went since the last solve */
    bool is_changed;  /* in `changed` */
    bool is_full;     /* whole solve: has its level */
};

struct maxmin_flow {
    uint32_t first;      /* element; in the free list: next free flow */
    uint32_t count : 30; /* links */
    uint32_t is_weighted : 1;
    uint32_t is_moved : 1; /* in `moved` */
};

/* Apart from maxmin_flow: all that the loops over members look at. */
struct maxmin_state {
    uint32_t bottleneck; /* MAXMIN_NONE: idle or not solved yet */
    uint32_t solve;      /* whole solve in which it was set */
};

struct maxmin_list {
    uint32_t *item;
    uint32_t count;
};

struct maxmin {
    uint32_t link_count;
    double *capacity, *level;
    struct maxmin_link *link;
    struct block_pool elements, members;
    struct grow flows, states; /* struct maxmin_flow, maxmin_state */
    uint32_t free_flow;        /* + 1 */
    uint64_t running_elements, dirty_elements;
    uint32_t running_flows;
    struct maxmin_list busy, dirty, changed; /* of links */
    struct maxmin_list together;             /* links that fill up at one level */
    struct maxmin_list touched;              /* links whose load may have changed .. */
    bool *is_touched;                        /* .. if somebody watches, else NULL */
    struct grow moved;                       /* of flows */
    struct grow started;                     /* flows, in order, since the last solve */
    struct id_heap heap;                     /* of repairs */
    struct event_queue queue;                /* of whole solves: key of a level, link */
    uint32_t solve;                          /* number of the whole solve */
    uint32_t capacities; /* how often they changed: kept solutions are of one state of them */
    bool must_fill;      /* they changed since the last solve */
    struct maxmin_counts counts;
    struct maxmin_cache *cache;
};

static inline struct maxmin_flow *flow_at(const struct maxmin *solver, uint32_t flow)
{
    return (struct maxmin_flow *)solver->flows.base + flow;
}

static inline struct maxmin_state *state_at(const struct maxmin *solver, uint32_t flow)
{
    return (struct maxmin_state *)solver->states.base + flow;
}

static inline struct maxmin_element *element_at(const struct maxmin *solver, uint32_t element)
{
    return (struct maxmin_element *)solver->elements.unit.base + element;
}

static inline struct maxmin_member *members_of(const struct maxmin *solver, uint32_t link)
{
    return (struct maxmin_member *)solver->members.unit.base + solver->link[link].first;
}

/* Weight of a running flow's k-th link. */
static inline double weight_of(const struct maxmin *solver, const struct maxmin_flow *flow,
                               uint32_t k)
{
    return flow->is_weighted ? ((double *)element_at(solver, flow->first + flow->count))[k] : 1.0;
}

/*
 * A level to 45 bits: equal shares that were computed in different orders become equal, so that
 * nothing is solved again for the sake of the last bit, and symmetric links stay so.
 */
static inline double rounded_level(long double level)
{
    double value = (double)level;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = (bits + 0x80) & ~(uint64_t)0xff;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

static inline void touch(struct maxmin *solver, uint32_t link)
{
    if (solver->is_touched && !solver->is_touched[link]) {
        solver->is_touched[link] = true;
        solver->touched.item[solver->touched.count++] = link;
    }
}

static inline void set_level(struct maxmin *solver, uint32_t link, double level)
{
    if (solver->level[link] == level)
        return;
    solver->level[link] = level;
    touch(solver, link);
    if (!solver->link[link].is_changed) {
        solver->link[link].is_changed = true;
        solver->changed.item[solver->changed.count++] = link;
    }
}

static inline void set_bottleneck(struct maxmin *solver, uint32_t flow, uint32_t link)
{
    state_at(solver, flow)->bottleneck = link;
    if (!flow_at(solver, flow)->is_moved) {
        flow_at(solver, flow)->is_moved = 1;
        ((uint32_t *)solver->moved.base)[grow_push(&solver->moved, 1)] = flow;
    }
}

/* Progressive filling of everything (maxmin_fill.c). */
void maxmin_fill(struct maxmin *solver);

/* Only what the dirty links hold back. False, with everything to be filled again, if that is too
 * much (maxmin_repair.c). */
bool maxmin_repair(struct maxmin *solver);

/* Solutions of sets that ran before, all started at once (maxmin_cache.c). */
struct maxmin_cache *maxmin_cache_create(void);
void maxmin_cache_destroy(struct maxmin_cache *cache);
bool maxmin_cache_find(struct maxmin *solver);
void maxmin_cache_keep(struct maxmin *solver);

#endif
