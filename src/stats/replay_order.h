/*
 * replay_order - the edges of a replay as they are found, put in an order in which every event
 * comes after those that it waits for. For stats/replay_build.c.
 */
#ifndef ORRERY_STATS_REPLAY_ORDER_H
#define ORRERY_STATS_REPLAY_ORDER_H

#include "stats/replay.h"

struct replay_edge {
    uint32_t from, to;
    time_ps weight_ps;
    uint32_t share; /* first one; those of the next edge follow */
};

struct replay_edges {
    struct replay_edge *edge;
    struct replay_share *share;
    uint32_t count, room, share_count, share_room;
};

void replay_add_edge(struct replay_edges *edges, uint32_t from, uint32_t to, time_ps weight_ps);

/* To the edge added last: what of it scales with `key`. */
void replay_add_share(struct replay_edges *edges, uint32_t key, double time_ps);

void replay_edges_release(struct replay_edges *edges);

/*
 * Fills `replay`, whose number of events is set, but for the seats; order[events]: which event is
 * at each place. STATUS_LAW if events wait for each other.
 */
enum status replay_order(struct replay *replay, const struct replay_edges *edges, uint32_t *order,
                         struct diag *diag);

#endif
