#include "run/collective_steps.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { HALVINGS = 5 };

/* When member `i` ends, after all came at once, by shares and bends. */
static double said(const struct replay_profile *profile, uint32_t i, uint32_t k, double more)
{
    uint32_t late = profile->count > 1 ? profile->count : 0;
    uint32_t entry = replay_entry(profile->count, i, late);
    double time =
        profile->delay_ps[entry] + more * profile->share_ps[(size_t)entry * REPLAY_LINK_KEYS + k];
    for (uint32_t b = 0; b < profile->bend_count; b++) {
        const struct replay_bend *bend = &profile->bend[b];
        if (bend->entry == entry && bend->k == k)
            time = fmax(time, bend->time_ps + more * bend->share_ps);
    }
    return time;
}

/* How far the collective at hand is off what is said, where it is furthest; *is_step by `within`
 * of it. */
static bool find_off(struct profiling *profiling, uint32_t k, double ratio, double within,
                     double *off_ps, bool *is_step)
{
    const struct replay_profile *profile = profiling->profile;
    uint32_t late = profile->count > 1 ? profile->count : 0;
    double column[MOST_MEMBERS];
    bool has;
    *off_ps = 0;
    *is_step = false;
    if (!profiling_fill_changed(profiling, late, k, ratio, &has, column))
        return false;
    for (uint32_t i = 0; has && i < profile->count; i++) {
        double time = said(profile, i, k, ratio - 1), off = column[i] - time;
        if (column[i] <= 0 || time <= 0 || fabs(off) <= fabs(*off_ps))
            continue;
        *off_ps = off;
        *is_step = fabs(off) > within * time;
    }
    return true;
}

static bool fill_step(struct profiling *profiling, uint32_t k, double ratio,
                      struct collective_step *step)
{
    bool is_step;
    double low = 1, high = ratio, off;
    *step = (struct collective_step){0, 0};
    if (!find_off(profiling, k, ratio, STEP_WITHIN, &off, &is_step))
        return false;
    if (!is_step)
        return true;
    *step = (struct collective_step){.off_ps = off};
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (!find_off(profiling, k, middle, STEP_WITHIN / 2, &off, &is_step))
            return false;
        *(is_step ? &high : &low) = middle;
    }
    step->more = low - 1;
    return true;
}

bool collective_steps_fill(struct profiling *profiling)
{
    const struct config *config = &profiling->config;
    struct collective_step *steps =
        arena_array(&profiling->profiles->arena, (size_t)2 * REPLAY_LINK_KEYS, sizeof *steps);
    for (uint32_t k = 0; k < REPLAY_LINK_KEYS; k++) {
        bool is_asked = k % CONFIG_MAX_DIMS < config->network.dim_count;
        if (is_asked && (!fill_step(profiling, k, STEP_RATIO, &steps[2 * k]) ||
                         !fill_step(profiling, k, 1 / STEP_RATIO, &steps[2 * k + 1])))
            return false;
    }
    profiling->step = steps;
    return true;
}

/* -- of a run --------------------------------------------------------------------------------- */

/* Of one seat: how often each profile is in it. */
static void count_seat(const struct collective_profiles *profiles, const struct timeline *timeline,
                       uint32_t seat, uint64_t *counts)
{
    for (uint32_t p = 0; p < profiles->count; p++)
        counts[p] = 0;
    for (uint32_t op = timeline->first[seat]; op < timeline->first[seat + 1]; op++) {
        uint32_t meeting = timeline->meeting[op];
        if (meeting != TIMELINE_NONE && profiles->of_meeting[meeting] != UINT32_MAX)
            counts[profiles->of_meeting[meeting]]++;
    }
}

/* The sum over one seat's collectives, and where the first of those that matter has its step. */
static struct collective_step sum_seat(const struct collective_profiles *profiles,
                                       const uint64_t *counts, uint32_t which, double least_ps)
{
    struct collective_step sum = {0, 0};
    for (uint32_t p = 0; p < profiles->count; p++) {
        const struct collective_step *step = &profiles->step[p][which];
        double off = (double)counts[p] * step->off_ps;
        if (fabs(off) <= least_ps)
            continue;
        bool is_first = sum.off_ps == 0 || fabs(step->more) < fabs(sum.more);
        sum.more = is_first ? step->more : sum.more;
        sum.off_ps += off;
    }
    return sum;
}

static void mark_row(struct sensitivity_row *row, const struct collective_profiles *profiles,
                     const uint64_t *counts)
{
    uint32_t k = replay_key(row->part, row->dim) - PATH_PART_COUNT;
    double least[] = {row->ten_slower_ps * STEP_COUNTS, row->ten_faster_ps * STEP_COUNTS};
    for (uint32_t way = 0; way < 2; way++) {
        struct collective_step sum = sum_seat(profiles, counts, 2 * k + way, least[way]);
        if (fabs(sum.off_ps) <= fabs(row->step[way].off_ps))
            continue;
        row->step[way] = (struct sensitivity_step){sum.more, sum.off_ps};
        if (way)
            row->from = fmax(row->from, sum.more);
        else
            row->to = fmin(row->to, sum.more);
    }
}

void collective_steps_mark(const struct collective_profiles *profiles,
                           const struct timeline *timeline, struct sensitivity *sensitivity)
{
    uint64_t *counts = calloc((size_t)profiles->count + 1, sizeof *counts);
    need_memory(counts != NULL);
    for (uint32_t seat = 0; seat < timeline->seats; seat++) {
        count_seat(profiles, timeline, seat, counts);
        for (uint32_t i = 0; i < sensitivity->part_count; i++) {
            if (sensitivity->part[i].dim >= 0)
                mark_row(&sensitivity->part[i], profiles, counts);
        }
    }
    free(counts);
}
