#include "sched/agenda.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_GROUPS = 1 << 28, MOST_ITEMS = 1 << 28 };

static void run_group(void *self, uint64_t payload);

bool agenda_init(struct agenda *agenda, struct engine *engine, uint32_t rank_count, unsigned kind,
                 bool keeps_times, agenda_handler *call, void *context)
{
    *agenda = (struct agenda){.engine = engine,
                              .free_group = AGENDA_NONE,
                              .free_item = AGENDA_NONE,
                              .kind = kind,
                              .keeps_times = keeps_times,
                              .call = call,
                              .context = context};
    agenda->rank = malloc(rank_count * sizeof *agenda->rank);
    promise(agenda->rank != NULL);
    memset(agenda->rank, 0xff, rank_count * sizeof *agenda->rank);
    engine_on(engine, kind, run_group, agenda);
    return grow_init(&agenda->groups, sizeof(struct agenda_group), MOST_GROUPS) &&
           grow_init(&agenda->items, sizeof(struct agenda_item), MOST_ITEMS) &&
           (!keeps_times || grow_init(&agenda->registered, sizeof(time_ps), MOST_ITEMS));
}

void agenda_release(struct agenda *agenda)
{
    free(agenda->rank);
    grow_release(&agenda->groups);
    grow_release(&agenda->items);
    grow_release(&agenda->registered);
}

static inline struct agenda_group *group_at(const struct agenda *agenda, uint32_t index)
{
    return (struct agenda_group *)agenda->groups.base + index;
}

static inline struct agenda_item *item_at(const struct agenda *agenda, uint32_t index)
{
    return (struct agenda_item *)agenda->items.base + index;
}

/* A new group of `rank` at `time`, linked in after `earlier` (AGENDA_NONE: first). */
static uint32_t add_group(struct agenda *agenda, uint32_t rank, time_ps time, uint32_t earlier)
{
    uint32_t index = agenda->free_group;
    if (index == AGENDA_NONE)
        index = (uint32_t)grow_push(&agenda->groups, 1);
    else
        agenda->free_group = group_at(agenda, index)->later;
    struct agenda_rank *list = &agenda->rank[rank];
    uint32_t later = earlier == AGENDA_NONE ? list->first : group_at(agenda, earlier)->later;
    *group_at(agenda, index) =
        (struct agenda_group){time, rank, AGENDA_NONE, AGENDA_NONE, earlier, later};
    *(earlier == AGENDA_NONE ? &list->first : &group_at(agenda, earlier)->later) = index;
    *(later == AGENDA_NONE ? &list->last : &group_at(agenda, later)->earlier) = index;
    engine_push(agenda->engine, time, engine_payload(agenda->kind, index));
    return index;
}

/* The group of `rank` at `time`, made if there is none. */
static uint32_t find_group(struct agenda *agenda, uint32_t rank, time_ps time)
{
    uint32_t at = agenda->rank[rank].last;
    while (at != AGENDA_NONE && group_at(agenda, at)->time > time)
        at = group_at(agenda, at)->earlier;
    if (at != AGENDA_NONE && group_at(agenda, at)->time == time)
        return at;
    return add_group(agenda, rank, time, at);
}

void agenda_add(struct agenda *agenda, uint32_t rank, time_ps time, uint64_t payload)
{
    uint32_t index = agenda->free_item;
    if (index == AGENDA_NONE)
        index = (uint32_t)grow_push(&agenda->items, 1);
    else
        agenda->free_item = item_at(agenda, index)->next;
    *item_at(agenda, index) = (struct agenda_item){payload, AGENDA_NONE, agenda->origin};
    if (agenda->keeps_times)
        ((time_ps *)agenda->registered.base)[index] = agenda->engine->now;
    struct agenda_group *group = group_at(agenda, find_group(agenda, rank, time));
    *(group->first == AGENDA_NONE ? &group->first : &item_at(agenda, group->last)->next) = index;
    group->last = index;
}

/* The group that runs is the rank's earliest; it leaves the list when its items are done. */
static void remove_group(struct agenda *agenda, uint32_t index)
{
    struct agenda_group *group = group_at(agenda, index);
    struct agenda_rank *list = &agenda->rank[group->rank];
    promise(list->first == index);
    list->first = group->later;
    *(group->later == AGENDA_NONE ? &list->last : &group_at(agenda, group->later)->earlier) =
        AGENDA_NONE;
    group->later = agenda->free_group;
    agenda->free_group = index;
}

static void run_group(void *self, uint64_t payload)
{
    struct agenda *agenda = self;
    uint32_t index = (uint32_t)(payload & ENGINE_DATA_MASK);
    uint32_t rank = group_at(agenda, index)->rank;
    for (uint32_t at = group_at(agenda, index)->first; at != AGENDA_NONE;) {
        struct agenda_item item = *item_at(agenda, at);
        if (agenda->keeps_times)
            agenda->item_registered = ((time_ps *)agenda->registered.base)[at];
        agenda->origin = 0;
        agenda->call(agenda->context, rank, &item);
        uint32_t next = item_at(agenda, at)->next; /* items may have been added behind it */
        item_at(agenda, at)->next = agenda->free_item;
        agenda->free_item = at;
        at = next;
    }
    remove_group(agenda, index);
}
