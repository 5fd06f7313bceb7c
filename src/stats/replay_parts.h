/* replay_parts - a replay in the making, for stats/replay_build.c and stats/replay_collective.c. */
#ifndef ORRERY_STATS_REPLAY_PARTS_H
#define ORRERY_STATS_REPLAY_PARTS_H

#include "stats/replay_order.h"

struct replay_building {
    const struct replay_input *input;
    const struct timeline *timeline;
    struct replay *replay;
    struct replay_edges edges;
    time_ps *last_ps; /* [meetings] when the last member came */
    struct timeline_members members;
    uint32_t *first_beside, *beside; /* [seats + 1], collectives of each in order of their ends */
    uint32_t start;                  /* the event */
    /* the op at hand */
    uint32_t seat, op;
    struct path_op at;
};

/* Numbers of events. */
static inline uint32_t replay_begin(uint32_t op)
{
    return 2 * op;
}

static inline uint32_t replay_end(uint32_t op)
{
    return 2 * op + 1;
}

static inline uint32_t replay_coming(const struct replay_building *building, uint32_t meeting)
{
    return 2 * building->timeline->first[building->timeline->seats] + meeting;
}

/* Members of all collectives, and when the last one of each came; the caller's to free. */
void replay_find_comings(struct replay_building *building);

/* The op at hand ends `weight_ps` after event `from`: as a message or collective of `length_ps`
 * would, in proportion, by closed form. */
void replay_add_network(struct replay_building *building, uint32_t from, time_ps length_ps,
                        time_ps weight_ps);

/* When the op at hand, a collective, ends on its member. */
void replay_add_collective(struct replay_building *building);

/* To the edge added last, of the compute op at hand: `ratio` of what the collectives that ended on
 * its rank meanwhile scale with. */
void replay_add_beside(struct replay_building *building, double ratio);

void replay_add_parts(struct replay_edges *edges, const struct path_parts *parts, double scale);

#endif
