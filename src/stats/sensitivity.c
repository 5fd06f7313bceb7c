#include "stats/sensitivity.h"

#include <math.h>
#include <stdlib.h>

/* Steps over edges that all rows of ranks may take, and steps that one row takes, about. */
enum { MOST_WORK = 1 << 30, STEPS_OF_A_ROW = 48, FEWEST_RANKS = 8, MOST_STEPS = 64 };

#define NOTHING_PS 0.5 /* times are whole picoseconds */

void sensitivity_init(struct sensitivity *sensitivity)
{
    *sensitivity = (struct sensitivity){.part_count = 0};
    arena_init(&sensitivity->arena);
}

void sensitivity_release(struct sensitivity *sensitivity)
{
    arena_release(&sensitivity->arena);
}

/* How far from 0 towards `far` the run's time is no more than `end` and `slope` a unit say:
 * Newton's steps on the convex difference, from `far` on, where it is positive. */
static double range_of(const struct replay *replay, double end, double slope, double far)
{
    double at = far;
    for (int i = 0; i < MOST_STEPS; i++) {
        struct replay_time time = replay_at(replay, at, far < 0);
        double over = time.end_ps - (end + slope * at), steeper = time.slope_ps - slope;
        if (over <= NOTHING_PS + 1e-12 * end)
            return at;
        double next = at - over / steeper;
        if (steeper == 0 || (far > 0 ? next >= at || next <= 0 : next <= at || next >= 0))
            return 0;
        at = next;
    }
    return at;
}

static void fill(const struct replay *replay, double end, struct sensitivity_row *row)
{
    row->slope_slower_ps = replay_at(replay, 0, true).slope_ps;
    row->slope_faster_ps = replay_at(replay, 0, false).slope_ps;
    row->slower_ps = replay_at(replay, 0.01, true).end_ps - end;
    row->faster_ps = end - replay_at(replay, -0.01, true).end_ps;
    double more = 100 * row->slower_ps, less = 100 * row->faster_ps;
    row->to = range_of(replay, end, more * (1 + SENSITIVITY_WITHIN), SENSITIVITY_MOST);
    row->from = range_of(replay, end, less * (1 - SENSITIVITY_WITHIN), -1);
    row->exact_to = range_of(replay, end, row->slope_slower_ps, SENSITIVITY_MOST);
    row->exact_from = range_of(replay, end, row->slope_faster_ps, -1);
    row->ten_slower_ps = replay_at(replay, 0.1, true).end_ps - end;
    row->ten_faster_ps = end - replay_at(replay, -0.1, true).end_ps;
    row->most_ps = end - replay_at(replay, -1, true).end_ps;
}

/* What 1 % costs, most first; then what could be saved; then in order. */
static int compare(const void *left, const void *right)
{
    const struct sensitivity_row *a = left, *b = right;
    if (a->slower_ps != b->slower_ps)
        return a->slower_ps > b->slower_ps ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    if (a->dim != b->dim)
        return a->dim < b->dim ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static void add_part(struct sensitivity *sensitivity, struct replay *replay, enum path_part part,
                     int dim)
{
    if (!*path_part_change(part) || !replay_select(replay, replay_key(part, dim), UINT32_MAX))
        return;
    struct sensitivity_row *row = &sensitivity->part[sensitivity->part_count++];
    *row = (struct sensitivity_row){.part = part, .dim = dim};
    fill(replay, (double)sensitivity->end_ps, row);
}

static void find_parts(struct sensitivity *sensitivity, struct replay *replay)
{
    sensitivity->part = arena_array(&sensitivity->arena, REPLAY_KEYS, sizeof *sensitivity->part);
    for (int p = 0; p < PATH_PART_COUNT; p++) {
        bool is_of_dim = p == PART_LATENCY || p == PART_BANDWIDTH;
        for (int d = is_of_dim ? 0 : -1; d < (is_of_dim ? CONFIG_MAX_DIMS : 0); d++)
            add_part(sensitivity, replay, (enum path_part)p, d);
    }
    qsort(sensitivity->part, sensitivity->part_count, sizeof *sensitivity->part, compare);
}

/* -- ranks ----------------------------------------------------------------------------------- */

struct candidate {
    double own_ps; /* of its compute on one longest path */
    uint32_t seat;
};

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->own_ps != b->own_ps)
        return a->own_ps > b->own_ps ? -1 : 1;
    return a->seat < b->seat ? -1 : a->seat > b->seat;
}

/* Back along one longest path of the run as it was. */
static void walk(const struct replay *replay, double end, struct candidate *candidates)
{
    uint32_t v = 0;
    replay_at(replay, 0, true);
    while (replay->time_ps[v] != end)
        v++;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t e = replay->first[v]; e < replay->first[v + 1]; e++) {
            uint32_t from = replay->from[e];
            if (replay->time_ps[from] + replay->weight_ps[e] != replay->time_ps[v] ||
                replay->slope_ps[from] + replay->change_ps[e] != replay->slope_ps[v])
                continue;
            if (replay->seat[v] != UINT32_MAX)
                candidates[replay->seat[v]].own_ps += replay->change_ps[e];
            v = from;
            more = true;
            break;
        }
    }
}

static void find_ranks(struct sensitivity *sensitivity, struct replay *replay,
                       const struct timeline *timeline)
{
    struct candidate *candidates =
        arena_array(&sensitivity->arena, replay->seats, sizeof *candidates);
    uint64_t most = MOST_WORK / STEPS_OF_A_ROW / (replay->first[replay->events] + 1);
    most = most < FEWEST_RANKS ? FEWEST_RANKS : most;
    sensitivity->seats = replay->seats;
    for (uint32_t s = 0; s < replay->seats; s++)
        candidates[s].seat = s;
    if (replay_select(replay, REPLAY_OWN, UINT32_MAX))
        walk(replay, (double)sensitivity->end_ps, candidates);
    qsort(candidates, replay->seats, sizeof *candidates, compare_candidates);
    sensitivity->rank = arena_array(&sensitivity->arena, replay->seats, sizeof *sensitivity->rank);
    for (uint32_t i = 0; i < replay->seats && i < most; i++) {
        uint32_t seat = candidates[i].seat;
        if (!replay_select(replay, REPLAY_OWN, seat))
            continue;
        struct sensitivity_row *row = &sensitivity->rank[sensitivity->rank_count++];
        *row = (struct sensitivity_row){.part = PATH_PART_COUNT,
                                        .dim = -1,
                                        .rank = timeline->rank_of_seat[seat],
                                        .alike = timeline->ranks[seat]};
        fill(replay, (double)sensitivity->end_ps, row);
    }
    qsort(sensitivity->rank, sensitivity->rank_count, sizeof *sensitivity->rank, compare);
}

void sensitivity_find(struct sensitivity *sensitivity, struct replay *replay,
                      const struct timeline *timeline)
{
    sensitivity->end_ps = (time_ps)replay_at(replay, 0, true).end_ps;
    find_parts(sensitivity, replay);
    find_ranks(sensitivity, replay, timeline);
}
