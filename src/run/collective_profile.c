#include "run/collective_steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "run/perturb.h"

enum { MOST_WORK = 1 << 24, LATE = 4 };

#define FAR     10.0 /* so many times as long, or as short, bends are looked for */
#define NOTHING 2e-3 /* of a delay: slopes are of whole ps, too */

void collective_profiles_release(struct collective_profiles *profiles)
{
    arena_release(&profiles->arena);
    *profiles = (struct collective_profiles){.count = 0};
}

/* -- one collective --------------------------------------------------------------------------- */

/* Ends after the coming of member `late`, which comes `delay` after the others; no member: after
 * that of all at once. */
static bool fill_column(struct profiling *profiling, uint32_t late, time_ps delay, double *column)
{
    bool is_alone = profiling->count == 1 || late == profiling->count;
    time_ps came = is_alone ? 0 : delay / PS_PER_NS * PS_PER_NS;
    if (!profiling_run(profiling, is_alone ? NO_SEAT : (int)late, delay))
        return false;
    for (uint32_t i = 0; i < profiling->count; i++) {
        time_ps end = profiling->end_ps[i];
        column[i] = end > came ? (double)(end - came) : -1;
    }
    return true;
}

bool profiling_fill_changed(struct profiling *profiling, uint32_t late, uint32_t k, double ratio,
                            bool *has, double *column)
{
    struct perturbed perturbed;
    time_ps delay = (time_ps)((double)profiling->delay * (ratio > 1 ? ratio : 1));
    enum path_part part = k < CONFIG_MAX_DIMS ? PART_LATENCY : PART_BANDWIDTH;
    *has = perturb_begin(&perturbed, &profiling->config, part, (int)(k % CONFIG_MAX_DIMS), ratio);
    if (!*has)
        return true;
    bool has_ended = fill_column(profiling, late, delay, column);
    perturb_end(&perturbed);
    return has_ended;
}

static void add_bend(struct profiling *profiling, struct replay_bend bend)
{
    struct arena *arena = &profiling->profiles->arena;
    profiling->bend = arena_grow(arena, profiling->bend, profiling->bend_count,
                                 &profiling->bend_room, sizeof *profiling->bend);
    profiling->bend[profiling->bend_count++] = bend;
}

/* Where the line of key `k` does not reach what is found at `ratio`: the line there. */
static bool find_bends(struct profiling *profiling, uint32_t late, uint32_t k, double ratio)
{
    const struct replay_profile *profile = profiling->profile;
    const double near = ratio < 1 ? ratio * PERTURB_RATIO : ratio / PERTURB_RATIO;
    uint32_t count = profiling->count;
    double far[MOST_MEMBERS], beside[MOST_MEMBERS], more = ratio - 1;
    bool has, is_any = false;
    if (!profiling_fill_changed(profiling, late, k, ratio, &has, far))
        return false;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t entry = replay_entry(count, i, late);
            double line = profile->delay_ps[entry] +
                          more * profile->share_ps[(size_t)entry * REPLAY_LINK_KEYS + k];
            if (profile->delay_ps[entry] <= 0 || far[i] < line * (1 + NOTHING))
                continue;
            is_any = true;
            double slope = pass ? (far[i] - beside[i]) / (ratio - near) : 0;
            double time = far[i] - more * slope;
            bool is_below = time < profile->delay_ps[entry] * (1 - NOTHING);
            if (pass && slope >= 0 && is_below) /* else another algorithm was chosen there */
                add_bend(profiling, (struct replay_bend){entry, k, time, slope});
        }
        if (!is_any)
            return true;
        if (!pass && !profiling_fill_changed(profiling, late, k, near, &has, beside))
            return false;
    }
    return true;
}

/* What of the column changes with key `k`. */
static bool fill_shares(struct profiling *profiling, uint32_t late, uint32_t k, double *share)
{
    const struct replay_profile *profile = profiling->profile;
    uint32_t count = profiling->count;
    double column[MOST_MEMBERS];
    bool has, is_any = false;
    if (!profiling_fill_changed(profiling, late, k, PERTURB_RATIO, &has, column) || !has)
        return !has;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t entry = replay_entry(count, i, late);
        double change = (column[i] - profile->delay_ps[entry]) / (PERTURB_RATIO - 1);
        bool counts = column[i] > 0 && profile->delay_ps[entry] > 0 && change > 0;
        share[(size_t)entry * REPLAY_LINK_KEYS + k] = counts ? change : 0;
        is_any = is_any || counts;
    }
    return find_bends(profiling, late, k, FAR) &&
           (!is_any || find_bends(profiling, late, k, 1 / FAR));
}

static int compare_bends(const void *left, const void *right)
{
    const struct replay_bend *a = left, *b = right;
    if (a->entry != b->entry)
        return a->entry < b->entry ? -1 : 1;
    return a->k != b->k ? (a->k < b->k ? -1 : 1) : a->time_ps < b->time_ps ? -1 : 1;
}

static bool fill_late(struct profiling *profiling, uint32_t late, double *delays, double *shares)
{
    double column[MOST_MEMBERS];
    if (profiling->work > MOST_WORK || !fill_column(profiling, late, profiling->delay, column))
        return false;
    for (uint32_t i = 0; i < profiling->count; i++)
        delays[replay_entry(profiling->count, i, late)] = column[i];
    for (uint32_t k = 0; k < REPLAY_LINK_KEYS; k++) {
        if (!fill_shares(profiling, late, k, shares))
            return false;
    }
    return true;
}

static bool profile_one(struct profiling *profiling)
{
    uint32_t count = profiling->count;
    struct arena *arena = &profiling->profiles->arena;
    struct replay_profile *profile = &profiling->profiles->profile[profiling->profiles->count];
    double *delays = arena_array(arena, (size_t)count * (count + 1), sizeof *delays);
    double *shares =
        arena_array(arena, (size_t)count * (count + 1) * REPLAY_LINK_KEYS, sizeof *shares);
    uint32_t *seats = arena_array(arena, count, sizeof *seats);
    time_ps longest = 0;
    *profile = (struct replay_profile){count, seats, delays, shares, NULL, 0};
    profiling->profile = profile;
    profiling->bend = NULL;
    profiling->bend_count = profiling->bend_room = 0;
    if (!profiling_run(profiling, NO_SEAT, 0))
        return false;
    for (uint32_t m = 0; m < count; m++) {
        seats[m] = profiling->seat[m];
        longest = time_later(longest, profiling->end_ps[m]);
    }
    profiling->delay = LATE * longest + PS_PER_NS;
    for (uint32_t late = 0; late < count + (count > 1); late++) { /* and all at once */
        if (!fill_late(profiling, late, delays, shares))
            return false;
    }
    if (profiling->bend_count)
        qsort(profiling->bend, profiling->bend_count, sizeof *profiling->bend, compare_bends);
    profile->bend = profiling->bend;
    profile->bend_count = profiling->bend_count;
    if (!collective_steps_fill(profiling))
        return false;
    profiling->profiles->step[profiling->profiles->count++] = profiling->step;
    return true;
}

/* -- all of them ------------------------------------------------------------------------------ */

/* What makes two meetings the same collective: seats, and what their nodes say. */
static uint64_t meeting_key(const struct profiling *profiling)
{
    uint64_t key = profiling->count;
    for (uint32_t m = 0; m < profiling->count; m++) {
        const struct trace_node *node = profiling_node(profiling, m);
        const uint64_t words[] = {profiling->seat[m], node->size_bytes, node->collective,
                                  node->group,        node->peer,       node->flags,
                                  node->dims,         node->dim_count};
        key = hash_bytes(words, sizeof words, key);
    }
    return key;
}

static bool take_meeting(struct profiling *profiling, uint32_t meeting)
{
    const struct timeline *timeline = profiling->run->also->timeline;
    uint32_t first = profiling->first_member[meeting];
    profiling->count = profiling->first_member[meeting + 1] - first;
    profiling->op = &profiling->member[first];
    if (profiling->count > MOST_MEMBERS)
        return false;
    for (uint32_t m = 0; m < profiling->count; m++)
        profiling->seat[m] = timeline_seat(timeline, profiling->op[m]);
    return true;
}

/* Meetings that are the same collective. */
struct kind {
    uint32_t first; /* meeting */
    uint32_t meetings;
    double length_ps; /* of all, from the coming of the last member on */
};

static double length_of(const struct profiling *profiling)
{
    const struct timeline *timeline = profiling->run->also->timeline;
    time_ps came = 0, end = 0;
    for (uint32_t m = 0; m < profiling->count; m++) {
        came = time_later(came, timeline->op[profiling->op[m]].begin);
        end = time_later(end, timeline->op[profiling->op[m]].end);
    }
    return end > came ? (double)(end - came) : 0;
}

static int compare_kinds(const void *left, const void *right)
{
    const struct kind *a = left, *b = right;
    if (a->length_ps != b->length_ps)
        return a->length_ps > b->length_ps ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* kinds[of_meeting[m]], in order of their first meetings; returns how many. */
static uint32_t find_kinds(struct profiling *profiling, struct kind *kinds)
{
    struct collective_profiles *profiles = profiling->profiles;
    uint32_t count = 0;
    struct table known;
    table_init(&known);
    for (uint32_t m = 0; m < profiling->run->also->timeline->meetings; m++) {
        profiles->of_meeting[m] = UINT32_MAX;
        if (!take_meeting(profiling, m)) {
            profiles->left_out++;
            continue;
        }
        uint64_t key = meeting_key(profiling);
        uint32_t found = table_find(&known, key);
        if (found == TABLE_NONE) {
            found = count++;
            kinds[found] = (struct kind){m, 0, 0};
            table_put(&known, key, found);
        }
        kinds[found].meetings++;
        kinds[found].length_ps += length_of(profiling);
        profiles->of_meeting[m] = found;
    }
    table_release(&known);
    return count;
}

/* Those that take longest first, as far as the work goes. */
static void find_all(struct profiling *profiling)
{
    struct collective_profiles *profiles = profiling->profiles;
    uint32_t meetings = profiling->run->also->timeline->meetings;
    struct kind *kinds = calloc((size_t)meetings + 1, sizeof *kinds);
    uint32_t *number = calloc((size_t)meetings + 1, sizeof *number);
    need_memory(kinds && number);
    uint32_t count = find_kinds(profiling, kinds);
    uint32_t *first = calloc((size_t)count + 1, sizeof *first);
    need_memory(first != NULL);
    for (uint32_t k = 0; k < count; k++)
        first[k] = kinds[k].first;
    qsort(kinds, count, sizeof *kinds, compare_kinds);
    for (uint32_t k = 0; k < count && profiling->status == STATUS_OK; k++) {
        take_meeting(profiling, kinds[k].first);
        bool is_profiled = profiling->work <= MOST_WORK && profile_one(profiling);
        number[kinds[k].first] = is_profiled ? profiles->count - 1 : UINT32_MAX;
        profiles->left_out += is_profiled ? 0 : kinds[k].meetings;
    }
    for (uint32_t m = 0; m < meetings; m++) {
        if (profiles->of_meeting[m] != UINT32_MAX)
            profiles->of_meeting[m] = number[first[profiles->of_meeting[m]]];
    }
    free(first);
    free(number);
    free(kinds);
}

/* Only the network is left of the system: nothing else takes time beside the late one's delay. */
static void take_config(struct profiling *profiling)
{
    struct system_config *system = &profiling->config.system;
    profiling->config = *profiling->run->config;
    system->compute = COMPUTE_REPLAY;
    system->launch_overhead_ns = system->collective_launch_ns = system->step_overhead_ns = 0;
    system->overlap_slowdown = 0;
    struct variation_config *variation = &profiling->config.variation; /* but for its links */
    variation->op_ratio = variation->rank_ratio = variation->start_delay_ns = 0;
    variation->slow_ranks = variation->slow_links = NULL;
    profiling->config.workload.allow_empty = true;
    profiling->config.fold = true;
    profiling->config.must_fold = false;
}

/* What replays recorded times, or chooses by the node's id, is not run alone. */
static bool is_possible(const struct config *config)
{
    return !config->system.replay_only && !config->system.node_algorithm_count;
}

enum status collective_profiles_find(struct collective_profiles *profiles,
                                     const struct explained *run)
{
    const struct timeline *timeline = run->also->timeline;
    const struct workload *workload = run->workload;
    *profiles = (struct collective_profiles){.count = 0};
    arena_init(&profiles->arena);
    struct profiling profiling = {.run = run, .profiles = profiles, .status = STATUS_OK};
    profiles->of_meeting =
        arena_array(&profiles->arena, timeline->meetings, sizeof *profiles->of_meeting);
    profiles->profile =
        arena_array(&profiles->arena, timeline->meetings, sizeof *profiles->profile);
    profiles->step = arena_array(&profiles->arena, timeline->meetings, sizeof *profiles->step);
    struct timeline_members members;
    timeline_members_find(timeline, &members);
    profiling.first_member = members.first;
    profiling.member = members.op;
    profiling.plain = calloc((size_t)workload->trace_count + 1, sizeof *profiling.plain);
    profiling.late = calloc(1, sizeof *profiling.late);
    profiling.workload.traces =
        calloc((size_t)workload->trace_count + 2, sizeof *profiling.workload.traces);
    profiling.workload.trace_of_rank =
        calloc((size_t)workload->rank_count + 1, sizeof *profiling.workload.trace_of_rank);
    need_memory(profiling.plain && profiling.late && profiling.workload.traces &&
                profiling.workload.trace_of_rank);
    take_config(&profiling);
    if (is_possible(run->config))
        find_all(&profiling);
    else
        memset(profiles->of_meeting, 0xff, timeline->meetings * sizeof *profiles->of_meeting);
    free(profiling.plain);
    free(profiling.late);
    free(profiling.workload.traces);
    free(profiling.workload.trace_of_rank);
    timeline_members_release(&members);
    return profiling.status;
}
