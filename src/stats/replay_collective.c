#include <stdlib.h>

#include "base/memory.h"
#include "stats/replay_parts.h"

/* Collectives of each seat, in order of their ends. */
static void find_beside(struct replay_building *building)
{
    const struct timeline *timeline = building->timeline;
    uint32_t *first = calloc((size_t)timeline->seats + 2, sizeof *first);
    building->beside = calloc((size_t)timeline->ended_count + 1, sizeof *building->beside);
    need_memory(first && building->beside);
    for (uint32_t i = 0; i < timeline->ended_count; i++) {
        if (timeline->meeting[timeline->ended[i]] != TIMELINE_NONE)
            first[timeline_seat(timeline, timeline->ended[i]) + 2]++;
    }
    for (uint32_t s = 0; s < timeline->seats; s++)
        first[s + 2] += first[s + 1];
    for (uint32_t i = 0; i < timeline->ended_count; i++) {
        uint32_t op = timeline->ended[i];
        if (timeline->meeting[op] != TIMELINE_NONE)
            building->beside[first[timeline_seat(timeline, op) + 1]++] = op;
    }
    building->first_beside = first;
}

void replay_find_comings(struct replay_building *building)
{
    find_beside(building);
    const struct timeline *timeline = building->timeline;
    building->last_ps = calloc((size_t)timeline->meetings + 1, sizeof *building->last_ps);
    need_memory(building->last_ps != NULL);
    timeline_members_find(timeline, &building->members);
    for (uint32_t op = 0; op < timeline->first[timeline->seats]; op++) {
        uint32_t meeting = timeline->meeting[op];
        if (meeting == TIMELINE_NONE)
            continue;
        building->last_ps[meeting] = time_later(building->last_ps[meeting], timeline->op[op].begin);
        replay_add_edge(&building->edges, replay_begin(op), replay_coming(building, meeting), 0);
    }
}

void replay_add_parts(struct replay_edges *edges, const struct path_parts *parts, double scale)
{
    for (uint32_t i = 0; i < parts->count; i++)
        replay_add_share(edges, replay_key(parts->row[i].part, parts->row[i].dim),
                         (double)parts->row[i].time_ps * scale);
}

/*
 * What a message took beyond its idle time is with the links that it shared: as long as it shares
 * them, a slower link makes all of it longer. Counted as bandwidth of its slowest dimension.
 */
static void count_sharing(const struct replay_building *building, struct path_parts *parts)
{
    uint32_t most = parts->count;
    if (building->at.node->type != OP_SEND || !building->input->splitter->network->has_contention)
        return;
    for (uint32_t i = 0; i < parts->count; i++) {
        bool is_more = most == parts->count || parts->row[i].time_ps > parts->row[most].time_ps;
        if (parts->row[i].part == PART_BANDWIDTH && is_more)
            most = i;
    }
    for (uint32_t i = 0; i < parts->count && most < parts->count; i++) {
        if (parts->row[i].part == PART_CONTENTION) {
            parts->row[most].time_ps += parts->row[i].time_ps;
            parts->row[i].time_ps = 0;
        }
    }
}

void replay_add_network(struct replay_building *building, uint32_t from, time_ps length,
                        time_ps weight)
{
    struct path_parts parts;
    path_parts_find(building->input->splitter, &building->at, PATH_NETWORK, length, &parts);
    count_sharing(building, &parts);
    replay_add_edge(&building->edges, from, replay_end(building->op), weight);
    replay_add_parts(&building->edges, &parts, length ? (double)weight / (double)length : 0);
}

void replay_add_beside(struct replay_building *building, double ratio)
{
    const struct timeline *timeline = building->timeline;
    const struct timeline_op *op = &timeline->op[building->op];
    uint32_t low = building->first_beside[building->seat];
    uint32_t end = building->first_beside[building->seat + 1], high = end;
    while (low < high) { /* the first that ended after the op began */
        uint32_t middle = low + (high - low) / 2;
        if (timeline->op[building->beside[middle]].end <= op->begin)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < end && timeline->op[building->beside[low]].end < op->end; low++) {
        const struct timeline_op *other = &timeline->op[building->beside[low]];
        uint32_t starter = other->peer == TIMELINE_NONE ? building->beside[low] : other->peer;
        const struct path_op at = {
            building->at.rank, building->at.trace,
            &building->at.trace->node[building->beside[low] - timeline->first[building->seat]]};
        struct path_parts parts;
        path_parts_find(building->input->splitter, &at, PATH_NETWORK,
                        other->end - timeline->op[starter].begin, &parts);
        for (uint32_t i = 0; i < parts.count; i++) {
            if (parts.row[i].dim >= 0)
                replay_add_share(&building->edges, replay_key(parts.row[i].part, parts.row[i].dim),
                                 (double)parts.row[i].time_ps * ratio);
        }
    }
}

/* -- by profile ------------------------------------------------------------------------------ */

/* The place of the op's seat in the profile; its count if it has none. */
static uint32_t place_of(const struct replay_profile *profile, uint32_t seat)
{
    uint32_t i = 0;
    while (i < profile->count && profile->seat[i] != seat)
        i++;
    return i;
}

static uint32_t first_bend(const struct replay_profile *profile, uint32_t entry)
{
    uint32_t low = 0, high = profile->bend_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (profile->bend[middle].entry < entry)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * Of a collective that took `weight` after a member: how much more than after that one alone, on
 * the way to what it takes if all come at once (0 .. 1). Then others' messages were on the way too.
 */
static double together(const struct replay_profile *profile, uint32_t i, uint32_t entry,
                       time_ps weight)
{
    double alone = profile->delay_ps[entry];
    if (profile->count == 1)
        return 0;
    double all = profile->delay_ps[replay_entry(profile->count, i, profile->count)];
    if (!(all > alone) || (double)weight <= alone)
        return 0;
    return (double)weight < all ? ((double)weight - alone) / (all - alone) : 1;
}

/* Member `i` ends `weight` after the coming of that of `entry`, of which as much scales as when the
 * collective is alone. */
static void add_delay(struct replay_building *building, const struct replay_profile *profile,
                      uint32_t i, uint32_t entry, uint32_t from, time_ps weight)
{
    const double *share = &profile->share_ps[(size_t)entry * REPLAY_LINK_KEYS];
    uint32_t whole = profile->count > 1 ? replay_entry(profile->count, i, profile->count) : entry;
    const double *all = &profile->share_ps[(size_t)whole * REPLAY_LINK_KEYS];
    double part = together(profile, i, entry, weight);
    double length = profile->delay_ps[entry] * (1 - part) + profile->delay_ps[whole] * part;
    double scale = (double)weight / length;
    replay_add_edge(&building->edges, from, replay_end(building->op), weight);
    for (uint32_t k = 0; k < REPLAY_LINK_KEYS; k++) {
        double time = (share[k] * (1 - part) + all[k] * part) * scale;
        if (time > 0)
            replay_add_share(&building->edges, PATH_PART_COUNT + k, time);
    }
    for (uint32_t b = first_bend(profile, entry);
         b < profile->bend_count && profile->bend[b].entry == entry; b++) {
        const struct replay_bend *bend = &profile->bend[b];
        double at_once = part * profile->delay_ps[whole];
        time_ps time = (time_ps)((bend->time_ps * (1 - part) + at_once) * scale);
        double slope = bend->share_ps * (1 - part) + all[bend->k] * part;
        replay_add_edge(&building->edges, from, replay_end(building->op),
                        time < weight ? time : weight);
        replay_add_share(&building->edges, PATH_PART_COUNT + bend->k, slope * scale);
    }
}

static void add_by_profile(struct replay_building *building, const struct replay_profile *profile,
                           uint32_t starter)
{
    const struct timeline *timeline = building->timeline;
    const struct timeline_op *op = &timeline->op[building->op];
    uint32_t meeting = timeline->meeting[building->op];
    uint32_t own = place_of(profile, building->seat);
    promise(own < profile->count);
    for (uint32_t m = building->members.first[meeting]; m < building->members.first[meeting + 1];
         m++) {
        uint32_t member = building->members.op[m];
        time_ps came = timeline->op[member].begin;
        uint32_t late = place_of(profile, timeline_seat(timeline, member));
        uint32_t entry = replay_entry(profile->count, own, late);
        bool is_known = profile->delay_ps[entry] > 0;
        if (member == starter) {
            time_ps length = op->end - came;
            if (is_known)
                add_delay(building, profile, own, entry, replay_begin(member), length);
            else
                replay_add_network(building, replay_begin(member), length, length);
        } else if (is_known && came < op->end) {
            time_ps alone = (time_ps)(profile->delay_ps[entry] + 0.5), left = op->end - came;
            /* It was not the one that was waited for, though alone it would have been: as far from
             * it as that is wrong. */
            time_ps weight = alone <= left ? alone : left - (alone - left);
            if (alone < 2 * left)
                add_delay(building, profile, own, entry, replay_begin(member), weight);
        }
    }
}

void replay_add_collective(struct replay_building *building)
{
    const struct replay_input *input = building->input;
    const struct timeline *timeline = building->timeline;
    const struct timeline_op *op = &timeline->op[building->op];
    uint32_t starter = op->peer == TIMELINE_NONE ? building->op : op->peer;
    uint32_t meeting = timeline->meeting[building->op];
    uint32_t number = UINT32_MAX;
    if (meeting != TIMELINE_NONE && input->profile_of)
        number = input->profile_of[meeting];
    if (number != UINT32_MAX) {
        add_by_profile(building, &input->profiles[number], starter);
        return;
    }
    time_ps came = timeline->op[starter].begin, length = op->end - came;
    replay_add_network(building, replay_begin(starter), length, length);
    if (meeting == TIMELINE_NONE || building->last_ps[meeting] >= op->end)
        return;
    time_ps left = op->end - building->last_ps[meeting];
    time_ps most = building->last_ps[meeting] > came ? length / 2 : length;
    replay_add_network(building, replay_coming(building, meeting), length,
                       left < most ? left : most);
}
