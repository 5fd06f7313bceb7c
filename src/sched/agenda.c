#include "sched/agenda.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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
    need_memory(agenda->rank != NULL);
    memset(agenda->rank, 0xff, rank_count * sizeof *agenda->rank);
    engine_on(engine, kind, run_group, agenda);
    return grow_init(&agenda->groups, sizeof(struct agenda_group), MOST_GROUPS) &&
           grow_init(&agenda->items, sizeof(struct agenda_item), MOST_ITEMS) &&
           (!keeps_times || (grow_init(&agenda->registered[0], sizeof(time_ps), MOST_GROUPS) &&
                             grow_init(&agenda->registered[1], sizeof(time_ps), MOST_ITEMS)));
}

void agenda_release(struct agenda *agenda)
{
    free(agenda->rank);
    grow_release(&agenda->groups);
    grow_release(&agenda->items);
    grow_release(&agenda->registered[0]);
    grow_release(&agenda->registered[1]);
}

static inline struct agenda_group *group_at(const struct agenda *agenda, uint32_t index)
{
    return (struct agenda_group *)agenda->groups.base + index;
}

static inline struct agenda_item *item_at(const struct agenda *agenda, uint32_t index)
{
    return (struct agenda_item *)agenda->items.base + index;
}

static inline void keep_time(struct agenda *agenda, int which, uint32_t index)
{
    if (agenda->keeps_times)
        ((time_ps *)agenda->registered[which].base)[index] = agenda->engine->now;
}

/* A new group of `rank` at `time` with its first item, linked in after `earlier` (AGENDA_NONE:
 * first). */
static void add_group(struct agenda *agenda, uint32_t rank, time_ps time, uint32_t earlier,
                      uint64_t payload)
{
    uint32_t index = agenda->free_group;
    if (index == AGENDA_NONE)
        index = (uint32_t)grow_push(&agenda->groups, 1);
    else
        agenda->free_group = group_at(agenda, index)->later;
    struct agenda_rank *list = &agenda->rank[rank];
    uint32_t later = earlier == AGENDA_NONE ? list->first : group_at(agenda, earlier)->later;
    *group_at(agenda, index) = (struct agenda_group){
        .time = time,
        .item = {payload, AGENDA_NONE, agenda->cause},
        .last = AGENDA_NONE,
        .rank = rank,
        .earlier = earlier,
        .later = later,
    };
    keep_time(agenda, 0, index);
    *(earlier == AGENDA_NONE ? &list->first : &group_at(agenda, earlier)->later) = index;
    *(later == AGENDA_NONE ? &list->last : &group_at(agenda, later)->earlier) = index;
    engine_push(agenda->engine, time, engine_payload(agenda->kind, index));
}

static void add_item(struct agenda *agenda, struct agenda_group *group, uint64_t payload)
{
    uint32_t index = agenda->free_item;
    if (index == AGENDA_NONE)
        index = (uint32_t)grow_push(&agenda->items, 1);
    else
        agenda->free_item = item_at(agenda, index)->next;
    *item_at(agenda, index) = (struct agenda_item){payload, AGENDA_NONE, agenda->cause};
    keep_time(agenda, 1, index);
    *(group->last == AGENDA_NONE ? &group->item.next : &item_at(agenda, group->last)->next) = index;
    group->last = index;
}

void agenda_add(struct agenda *agenda, uint32_t rank, time_ps time, uint64_t payload)
{
    uint32_t at = agenda->rank[rank].last;
    while (at != AGENDA_NONE && group_at(agenda, at)->time > time)
        at = group_at(agenda, at)->earlier;
    if (at != AGENDA_NONE && group_at(agenda, at)->time == time)
        add_item(agenda, group_at(agenda, at), payload);
    else
        add_group(agenda, rank, time, at, payload);
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

static void run_item(struct agenda *agenda, uint32_t rank, const struct agenda_item *item,
                     int which, uint32_t index)
{
    if (agenda->keeps_times)
        agenda->item_registered = ((time_ps *)agenda->registered[which].base)[index];
    agenda->cause++;
    agenda->call(agenda->context, rank, item);
}

static void run_group(void *self, uint64_t payload)
{
    struct agenda *agenda = self;
    uint32_t index = (uint32_t)(payload & ENGINE_DATA_MASK);
    struct agenda_group *group = group_at(agenda, index);
    uint32_t rank = group->rank;
    if (agenda->keeps_times)
        agenda->group_registered = ((time_ps *)agenda->registered[0].base)[index];
    run_item(agenda, rank, &group->item, 0, index);
    for (uint32_t at = group->item.next; at != AGENDA_NONE;) {
        run_item(agenda, rank, item_at(agenda, at), 1, at);
        uint32_t next = item_at(agenda, at)->next; /* items may have been added behind it */
        if (next == AGENDA_NONE)
            group->last = AGENDA_NONE;
        item_at(agenda, at)->next = agenda->free_item;
        agenda->free_item = at;
        at = next;
    }
    remove_group(agenda, index);
}
