#include "stats/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/spaced.h"

enum { LANES = 256, MOST_NODES = 1 << 30 };

void timeline_init(struct timeline *timeline)
{
    *timeline = (struct timeline){.seats = 0};
}

void timeline_release(struct timeline *timeline)
{
    free(timeline->followed);
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
    timeline->lane_done = calloc((size_t)seats * LANES + 1, sizeof *timeline->lane_done);
    need_memory(timeline->lane_done != NULL);
    return STATUS_OK;
}

/* -- which ranks (rule 5) -------------------------------------------------------------------- */

struct wanted {
    const struct timeline *timeline;
    const struct rank_fold *fold;
};

static uint32_t wanted_rank(const struct timeline *timeline, uint32_t i)
{
    return timeline->want.rank ? timeline->want.rank[i] : timeline->rank_of_seat[i];
}

static uint64_t ops_of(const void *context, uint32_t i)
{
    const struct wanted *wanted = context;
    const struct workload *workload = wanted->timeline->workload;
    uint32_t rank = wanted_rank(wanted->timeline, i);
    rank = wanted->fold ? wanted->fold->first[wanted->fold->class_of[rank]] : rank;
    return workload->traces[workload->trace_of_rank[rank]]->count;
}

/* Marks the seats of the ranks that are followed. */
static void choose_ranks(struct timeline *timeline, const struct rank_fold *fold, bool *is_followed)
{
    const struct timeline_want *want = &timeline->want;
    const struct wanted wanted = {timeline, fold};
    uint64_t ops;
    uint32_t asked = want->rank ? want->rank_count : timeline->seats;
    uint32_t count = spaced_fit(asked, want->most_shown, ops_of, &wanted, &ops);
    timeline->followed = array(count, sizeof *timeline->followed, 0);
    timeline->followed_count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = wanted_rank(timeline, spaced_at(i, count, asked));
        timeline->followed[i] = rank;
        is_followed[fold ? fold->class_of[rank] : rank] = true;
    }
}

/* -- beginning ------------------------------------------------------------------------------- */

static uint32_t trace_count(const struct timeline *timeline, uint32_t seat)
{
    return timeline->workload->traces[timeline_trace(timeline, seat)]->count;
}

/* Numbers the nodes of the seats that are followed (NULL: all). */
static enum status number_nodes(struct timeline *timeline, const bool *is_followed,
                                struct diag *diag)
{
    uint64_t ops = 0;
    for (uint32_t s = 0; s < timeline->seats; s++) {
        uint32_t count = is_followed && !is_followed[s] ? 0 : trace_count(timeline, s);
        timeline->first[s] = (uint32_t)ops;
        ops += count;
        if (count >= MOST_NODES || ops >= TIMELINE_NONE)
            return refuse(ops, timeline->seats, diag);
    }
    timeline->first[timeline->seats] = (uint32_t)ops;
    return take_room(timeline, ops, diag);
}

static bool is_too_much(const struct timeline *timeline)
{
    uint64_t ops = 0;
    for (uint32_t s = 0; s < timeline->seats; s++)
        ops += trace_count(timeline, s);
    return timeline->want.most_ops && ops > timeline->want.most_ops;
}

enum status timeline_begin(struct timeline *timeline, const struct workload *workload,
                           const struct rank_fold *fold, struct diag *diag)
{
    const struct timeline_want want = timeline->want;
    uint32_t seats = fold ? fold->count : workload->rank_count;
    timeline_release(timeline);
    timeline->want = want;
    timeline->workload = workload;
    timeline->seats = seats;
    timeline->rank_of_seat = array(seats, sizeof(uint32_t), 0);
    timeline->ranks = array(seats, sizeof(uint32_t), 0);
    timeline->first = array(seats + 1, sizeof(uint32_t), 0);
    for (uint32_t s = 0; s < seats; s++) {
        timeline->rank_of_seat[s] = fold ? fold->first[s] : s;
        timeline->ranks[s] = fold ? fold->size[s] : 1;
    }
    bool *is_followed = is_too_much(timeline) ? array(seats, sizeof *is_followed, 0) : NULL;
    if (is_followed)
        choose_ranks(timeline, fold, is_followed);
    enum status status = number_nodes(timeline, is_followed, diag);
    free(is_followed);
    return status;
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

static bool is_followed(const struct timeline *timeline, uint32_t seat)
{
    return timeline->first[seat + 1] > timeline->first[seat];
}

static bool ended_at(const struct timeline *timeline, uint32_t seat, uint32_t node, time_ps now)
{
    return node != TIMELINE_NONE && timeline->op[timeline->first[seat] + node].end == now;
}

static void issued(void *self, uint32_t seat, uint32_t node, uint32_t lane, uint32_t parent,
                   time_ps now)
{
    struct timeline *timeline = self;
    if (!is_followed(timeline, seat))
        return;
    struct timeline_op *op = &timeline->op[timeline->first[seat] + node];
    uint32_t before = timeline->lane_done[(size_t)seat * LANES + lane] - 1; /* 0: none */
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
    if (!is_followed(timeline, seat))
        return;
    timeline->meeting[timeline->first[seat] + node] = meeting;
    if (meeting >= timeline->meetings)
        timeline->meetings = meeting + 1;
}

static void ended(void *self, uint32_t seat, uint32_t node, uint32_t lane, uint32_t peer_seat,
                  uint32_t peer_node, time_ps now)
{
    struct timeline *timeline = self;
    if (!is_followed(timeline, seat))
        return;
    struct timeline_op *op = &timeline->op[timeline->first[seat] + node];
    bool knows_peer = peer_seat != FOLLOW_NONE && is_followed(timeline, peer_seat);
    op->end = now;
    op->peer = knows_peer ? timeline->first[peer_seat] + peer_node : TIMELINE_NONE;
    timeline->ended[timeline->ended_count++] = timeline->first[seat] + node;
    timeline->last_done[seat] = node;
    timeline->lane_done[(size_t)seat * LANES + lane] = node + 1;
}

const struct follower_ops timeline_follower = {
    .issued = issued,
    .began = began,
    .joined = joined,
    .ended = ended,
};
