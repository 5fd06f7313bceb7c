#include "stats/replay_order.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"

void replay_add_edge(struct replay_edges *edges, uint32_t from, uint32_t to, time_ps weight)
{
    if (edges->count == edges->room) {
        edges->room = edges->room ? 2 * edges->room : 1024;
        edges->edge = realloc(edges->edge, edges->room * sizeof *edges->edge);
        need_memory(edges->edge != NULL);
    }
    edges->edge[edges->count++] = (struct replay_edge){from, to, weight, edges->share_count};
}

void replay_add_share(struct replay_edges *edges, uint32_t key, double time)
{
    if (edges->share_count == edges->share_room) {
        edges->share_room = edges->share_room ? 2 * edges->share_room : 1024;
        edges->share = realloc(edges->share, edges->share_room * sizeof *edges->share);
        need_memory(edges->share != NULL);
    }
    edges->share[edges->share_count++] = (struct replay_share){time, key};
}

void replay_edges_release(struct replay_edges *edges)
{
    free(edges->edge);
    free(edges->share);
    *edges = (struct replay_edges){.count = 0};
}

static void *array(size_t count, size_t size)
{
    void *made = calloc(count + 1, size);
    need_memory(made != NULL);
    return made;
}

/* Edges of each event, as numbers of edges->edge: by where they lead to, or come from. */
struct fan {
    uint32_t *first, *edge;
};

static struct fan fan_of(const struct replay_edges *edges, uint32_t events, bool is_to)
{
    struct fan fan = {array((size_t)events + 1, sizeof(uint32_t)),
                      array(edges->count, sizeof(uint32_t))};
    for (uint32_t e = 0; e < edges->count; e++)
        fan.first[(is_to ? edges->edge[e].to : edges->edge[e].from) + 1]++;
    for (uint32_t v = 0; v < events; v++)
        fan.first[v + 1] += fan.first[v];
    uint32_t *at = array(events, sizeof *at);
    for (uint32_t e = 0; e < edges->count; e++) {
        uint32_t v = is_to ? edges->edge[e].to : edges->edge[e].from;
        fan.edge[fan.first[v] + at[v]++] = e;
    }
    free(at);
    return fan;
}

static void fan_release(struct fan *fan)
{
    free(fan->first);
    free(fan->edge);
}

/* Events such that each comes after those that it waits for; returns how many could be. */
static uint32_t sort_events(const struct replay_edges *edges, uint32_t events, const struct fan *to,
                            uint32_t *order)
{
    uint32_t count = 0;
    struct fan from = fan_of(edges, events, false);
    uint32_t *left = array(events, sizeof *left);
    for (uint32_t v = 0; v < events; v++) {
        left[v] = to->first[v + 1] - to->first[v];
        if (!left[v])
            order[count++] = v;
    }
    for (uint32_t done = 0; done < count; done++) {
        uint32_t v = order[done];
        for (uint32_t i = from.first[v]; i < from.first[v + 1]; i++) {
            uint32_t next = edges->edge[from.edge[i]].to;
            if (!--left[next])
                order[count++] = next;
        }
    }
    free(left);
    fan_release(&from);
    return count;
}

static void place(struct replay *replay, const struct replay_edges *edges, const struct fan *to,
                  const uint32_t *order)
{
    uint32_t *place_of = array(replay->events, sizeof *place_of);
    struct replay_share *shares = array(edges->share_count, sizeof *shares);
    uint32_t at = 0, count = 0;
    for (uint32_t p = 0; p < replay->events; p++)
        place_of[order[p]] = p;
    for (uint32_t p = 0; p < replay->events; p++) {
        uint32_t v = order[p];
        replay->first[p] = at;
        for (uint32_t i = to->first[v]; i < to->first[v + 1]; i++) {
            uint32_t e = to->edge[i];
            replay->from[at] = place_of[edges->edge[e].from];
            replay->weight_ps[at] = (double)edges->edge[e].weight_ps;
            replay->share[at++] = count;
            uint32_t end = e + 1 < edges->count ? edges->edge[e + 1].share : edges->share_count;
            for (uint32_t s = edges->edge[e].share; s < end; s++)
                shares[count++] = edges->share[s];
        }
    }
    replay->first[replay->events] = at;
    replay->share[at] = count;
    replay->shares = shares;
    free(place_of);
}

enum status replay_order(struct replay *replay, const struct replay_edges *edges, uint32_t *order,
                         struct diag *diag)
{
    replay->first = array((size_t)replay->events + 1, sizeof *replay->first);
    replay->seat = array(replay->events, sizeof *replay->seat);
    replay->from = array(edges->count, sizeof *replay->from);
    replay->weight_ps = array(edges->count, sizeof *replay->weight_ps);
    replay->change_ps = array(edges->count, sizeof *replay->change_ps);
    replay->share = array((size_t)edges->count + 1, sizeof *replay->share);
    replay->time_ps = array(replay->events, sizeof *replay->time_ps);
    replay->slope_ps = array(replay->events, sizeof *replay->slope_ps);
    struct fan to = fan_of(edges, replay->events, true);
    uint32_t sorted = sort_events(edges, replay->events, &to, order);
    if (sorted == replay->events)
        place(replay, edges, &to, order);
    fan_release(&to);
    if (sorted == replay->events)
        return STATUS_OK;
    return diag_fail(diag, STATUS_LAW, "%" PRIu32 " events of the run wait for each other",
                     replay->events - sorted);
}
