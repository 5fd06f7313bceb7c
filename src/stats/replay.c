#include "stats/replay.h"

#include <stdlib.h>

uint32_t replay_key(enum path_part part, int dim)
{
    if (part == PART_LATENCY)
        return PATH_PART_COUNT + (uint32_t)dim;
    if (part == PART_BANDWIDTH)
        return PATH_PART_COUNT + CONFIG_MAX_DIMS + (uint32_t)dim;
    return part;
}

void replay_release(struct replay *replay)
{
    free(replay->first);
    free(replay->seat);
    free(replay->from);
    free(replay->weight_ps);
    free(replay->change_ps);
    free(replay->share);
    free(replay->shares);
    free(replay->time_ps);
    free(replay->slope_ps);
    *replay = (struct replay){.seats = 0};
}

bool replay_select(struct replay *replay, uint32_t key, uint32_t seat)
{
    bool is_any = false;
    for (uint32_t v = 0; v < replay->events; v++) {
        bool is_asked = seat == UINT32_MAX || replay->seat[v] == seat;
        for (uint32_t e = replay->first[v]; e < replay->first[v + 1]; e++) {
            double change = 0;
            for (uint32_t s = replay->share[e]; is_asked && s < replay->share[e + 1]; s++)
                change += replay->shares[s].key == key ? replay->shares[s].time_ps : 0;
            replay->change_ps[e] = change;
            is_any = is_any || change > 0;
        }
    }
    return is_any;
}

struct replay_time replay_at(const struct replay *replay, double more, bool is_most)
{
    struct replay_time last = {0, 0};
    for (uint32_t v = 0; v < replay->events; v++) {
        struct replay_time at = {0, 0};
        for (uint32_t e = replay->first[v]; e < replay->first[v + 1]; e++) {
            uint32_t from = replay->from[e];
            double change = replay->change_ps[e];
            double time = replay->time_ps[from] + replay->weight_ps[e] + more * change;
            double slope = replay->slope_ps[from] + change;
            bool is_it = time == at.end_ps && (is_most == (slope > at.slope_ps));
            if (time > at.end_ps || is_it || e == replay->first[v])
                at = (struct replay_time){time, slope};
        }
        replay->time_ps[v] = at.end_ps;
        replay->slope_ps[v] = at.slope_ps;
        bool is_it = at.end_ps == last.end_ps && (is_most == (at.slope_ps > last.slope_ps));
        if (at.end_ps > last.end_ps || is_it)
            last = at;
    }
    return last;
}
