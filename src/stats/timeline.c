#include "stats/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { LANES = 256, MOST_NODES = 1 << 30 };

void timeline_init(struct timeline *timeline)
{
    *timeline = (struct timeline){.seats = 0};
}

void timeline_release(struct timeline *timeline)
{
    free(timeline->rank_of_seat);
    free(timeline->ranks);
    free(timeline->first);
    free(timeline->op);
    free(timeline->lane);
    free(timeline->meeting);
    free(timeline->ended);
    free(timeline->last_done);
    free(timeline->lane_done);
    timeline_init(timeline);
}

/* -- set-up --------------------------------------------------------------------------------- */

static void *array(size_t count, size_t bytes, int fill)
{
    void *made = malloc(count * bytes + 1);
    need_memory(made != NULL);
    return memset(made, fill, count * bytes);
}

static enum status refuse(uint64_t ops, uint32_t seats, struct diag *diag)
{
    diag_fail(diag, STATUS_NO_MEMORY,
              "to say what every op waited for takes %.1f GB: %llu ops on %u simulated ranks",
              (double)ops * 33 / 1e9, (unsigned long long)ops, seats);
    diag_hint(diag, "fewer ranks, layers or micro-batches, or a network model under which ranks "
                    "fold (analytical, flow)");
    return STATUS_NO_MEMORY;
}

static enum status take_room(struct timeline *timeline, uint64_t ops, struct diag *diag)
{
    uint32_t seats = timeline->seats;
    uint64_t bytes = ops * (sizeof *timeline->op + 9) + (uint64_t)seats * LANES * 4;
    if (ops >= TIMELINE_NONE || bytes > memory_limit() / 2)
        return refuse(ops, seats, diag);
    timeline->op = array(ops, sizeof *timeline->op, 0xff); /* neither began nor ended */
    timeline->lane = array(ops, 1, 0);
    timeline->meeting = array(ops, sizeof *timeline->meeting, 0xff);
    timeline->ended = array(ops, sizeof *timeline->ended, 0xff);
    timeline->last_done = array(seats, sizeof *timeline->last_done, 0xff);
    timeline->lane_done = array((size_t)seats * LANES, sizeof *timeline->lane_done, 0xff);
    return STATUS_OK;
}

enum status timeline_begin(struct timeline *timeline, const struct workload *workload,
                           uint32_t seats, const uint32_t *first, const uint32_t *size,
                           struct diag *diag)
{
    timeline_release(timeline);
    timeline->workload = workload;
    timeline->seats = seats;
    timeline->rank_of_seat = array(seats, sizeof(uint32_t), 0);
    timeline->ranks = array(seats, sizeof(uint32_t), 0);
    timeline->first = array(seats + 1, sizeof(uint32_t), 0);
    uint64_t ops = 0;
    for (uint32_t s = 0; s < seats; s++) {
        timeline->rank_of_seat[s] = first ? first[s] : s;
        timeline->ranks[s] = size ? size[s] : 1;
        timeline->first[s] = (uint32_t)ops;
        uint32_t count = workload->traces[timeline_trace(timeline, s)]->count;
        ops += count;
        if (count >= MOST_NODES || ops >= TIMELINE_NONE)
            return refuse(ops, seats, diag);
    }
    timeline->first[seats] = (uint32_t)ops;
    return take_room(timeline, ops, diag);
}

/* -- looking -------------------------------------------------------------------------------- */

uint32_t timeline_seat(const struct timeline *timeline, uint32_t op)
{
    uint32_t low = 0, high = timeline->seats;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (timeline->first[middle] <= op)
            low = middle;
        else
            high = middle;
    }
    while (timeline->first[low + 1] <= op) /* seats without nodes */
        low++;
    return low;
}

time_ps timeline_issued(const struct timeline *timeline, uint32_t seat, uint32_t op)
{
    const struct timeline_op *at = &timeline->op[op];
    return at->gate == GATE_START ? 0 : timeline->op[timeline->first[seat] + at->cause].end;
}

void timeline_members_find(const struct timeline *timeline, struct timeline_members *members)
{
    uint32_t ops = timeline->first[timeline->seats], meetings = timeline->meetings;
    uint32_t *first = array((size_t)meetings + 2, sizeof *first, 0); /* of the one before, + 1 */
    *members = (struct timeline_members){first, array(ops, sizeof *members->op, 0)};
    for (uint32_t op = 0; op < ops; op++) {
        if (timeline->meeting[op] != TIMELINE_NONE)
            first[timeline->meeting[op] + 2]++;
    }
    for (uint32_t m = 0; m < meetings; m++)
        first[m + 2] += first[m + 1];
    for (uint32_t op = 0; op < ops; op++) {
        if (timeline->meeting[op] != TIMELINE_NONE)
            members->op[first[timeline->meeting[op] + 1]++] = op;
    }
}

void timeline_members_release(struct timeline_members *members)
{
    free(members->first);
    free(members->op);
    *members = (struct timeline_members){NULL, NULL};
}

/* -- following ------------------------------------------------------------------------------ */

static bool ended_at(const struct timeline *timeline, uint32_t seat, uint32_t node, time_ps now)
{
    return node != TIMELINE_NONE && timeline->op[timeline->first[seat] + node].end == now;
}

static void issued(void *self, uint32_t seat, uint32_t node, uint32_t lane, uint32_t parent,
                   time_ps now)
{
    struct timeline *timeline = self;
    struct timeline_op *op = &timeline->op[timeline->first[seat] + node];
    uint32_t before = timeline->lane_done[(size_t)seat * LANES + lane];
    uint32_t last = timeline->last_done[seat];
    op->begin = now;
    timeline->lane[timeline->first[seat] + node] = (uint8_t)lane;
    if (ended_at(timeline, seat, parent, now))
        op->gate = GATE_PARENT, op->cause = parent;
    else if (ended_at(timeline, seat, before, now))
        op->gate = GATE_LANE, op->cause = before;
    else if (last != TIMELINE_NONE)
        op->gate = GATE_WAKE, op->cause = last;
    else
        op->gate = GATE_START, op->cause = 0;
}

static void began(void *self, uint32_t seat, uint32_t node, bool by_host, time_ps now)
{
    struct timeline *timeline = self;
    struct timeline_op *op = &timeline->op[timeline->first[seat] + node];
    op->begin = now;
    if (!by_host && op->gate != GATE_START) /* as what is issued late */
        op->gate = GATE_WAKE;
}

static void joined(void *self, uint32_t seat, uint32_t node, uint32_t meeting)
{
    struct timeline *timeline = self;
    timeline->meeting[timeline->first[seat] + node] = meeting;
    if (meeting >= timeline->meetings)
        timeline->meetings = meeting + 1;
}

static void ended(void *self, uint32_t seat, uint32_t node, uint32_t lane, uint32_t peer_seat,
                  uint32_t peer_node, time_ps now)
{
    struct timeline *timeline = self;
    struct timeline_op *op = &timeline->op[timeline->first[seat] + node];
    op->end = now;
    op->peer = peer_seat == FOLLOW_NONE ? TIMELINE_NONE : timeline->first[peer_seat] + peer_node;
    timeline->ended[timeline->ended_count++] = timeline->first[seat] + node;
    timeline->last_done[seat] = node;
    timeline->lane_done[(size_t)seat * LANES + lane] = node;
}

const struct follower_ops timeline_follower = {
    .issued = issued,
    .began = began,
    .joined = joined,
    .ended = ended,
};
