/*
 * agenda - what falls due on one rank at one time, run together.
 *
 * Rules:
 *  1. Items of one rank and one time form a group, in order of registration; the group is one event
 *     of the engine, at the position of its first item. (This is how ASTRA-sim orders a rank's
 *     callbacks, and the order decides who gets a link or a queue place.)
 *  2. An item added for `now` while the rank's group for `now` runs joins the end of that group.
 *  3. Groups of a rank are kept in ascending time; adding is O(1) when times mostly ascend.
 *  4. Each item remembers which event or item registered it (`cause`) and, with `keeps_times`,
 *     when: for the proof that folding ranks is exact (fold_watch.c).
 */
#ifndef ORRERY_SCHED_AGENDA_H
#define ORRERY_SCHED_AGENDA_H

#include <stdint.h>

#include "base/grow.h"
#include "sim/engine.h"

#define AGENDA_NONE UINT32_MAX

struct agenda_item {
    uint64_t payload;
    uint32_t next;
    uint32_t cause; /* number of the event or item that registered it */
};

/* Most groups have one item, so the first is kept in the group itself. */
struct agenda_group {
    time_ps time;
    struct agenda_item item; /* the first; item.next leads to the others */
    uint32_t last;           /* index of the last of the others, AGENDA_NONE if there are none */
    uint32_t rank;
    uint32_t earlier, later; /* groups of the same rank; `later` also links free groups */
};

struct agenda_rank {
    uint32_t first, last; /* groups, AGENDA_NONE if none */
};

typedef void agenda_handler(void *context, uint32_t rank, const struct agenda_item *item);

struct agenda {
    struct engine *engine;
    struct agenda_rank *rank;
    struct grow groups, items;
    struct grow registered[2]; /* time_ps of registration of group i's first item, of item i */
    bool keeps_times;
    uint32_t free_group, free_item;
    unsigned kind;            /* event kind of a group: data = group */
    time_ps item_registered;  /* of the item being run, if `keeps_times` */
    time_ps group_registered; /* of the first item of its group: when the event was pushed */
    uint32_t cause;           /* number of what runs now; every event handler counts it up */
    agenda_handler *call;
    void *context;
};

/* `kind` is the engine event kind to use. False if address space is exhausted. */
bool agenda_init(struct agenda *agenda, struct engine *engine, uint32_t rank_count, unsigned kind,
                 bool keeps_times, agenda_handler *call, void *context);
void agenda_release(struct agenda *agenda);

/* Registers an item for `rank` at `time` >= now. */
void agenda_add(struct agenda *agenda, uint32_t rank, time_ps time, uint64_t payload);

#endif
