#include "stats/rank_time.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "sched/slots.h"

#define NONE UINT32_MAX

/* An op begins or ends. */
struct rank_event {
    time_ps at;
    uint32_t op; /* of rank_time->op */
    bool is_begin;
};

void rank_time_init(struct rank_time *time, const struct timeline *timeline, bool has_rendezvous)
{
    *time = (struct rank_time){.timeline = timeline, .has_rendezvous = has_rendezvous};
    time->peers = calloc((size_t)timeline->meetings + 1, sizeof *time->peers);
    need_memory(time->peers != NULL);
    for (uint32_t op = 0; op < timeline->first[timeline->seats]; op++) {
        uint32_t meeting = timeline->meeting[op];
        if (meeting != TIMELINE_NONE && timeline->op[op].begin > time->peers[meeting])
            time->peers[meeting] = timeline->op[op].begin;
    }
}

void rank_time_release(struct rank_time *time)
{
    free(time->peers);
    free(time->op);
    free(time->event);
    *time = (struct rank_time){.timeline = NULL};
}

/* -- the ops of a seat ------------------------------------------------------------------------- */

/* As sched/node_start.c tells it to the breakdown. */
static enum activity activity_of(const struct trace_node *node)
{
    if (trace_is_communication(node))
        return ACTIVITY_COMM;
    if (node->type == OP_MEM_LOAD || node->type == OP_MEM_STORE)
        return ACTIVITY_MEMORY;
    return slot_class_of(node) == CLASS_COMPUTE ? ACTIVITY_COMPUTE : ACTIVITY_HOST;
}

/* When all peers of a communication had come. */
static time_ps peers_of(const struct rank_time *time, uint32_t op, const struct trace_node *node)
{
    const struct timeline *timeline = time->timeline;
    const struct timeline_op *at = &timeline->op[op];
    if (timeline->meeting[op] != TIMELINE_NONE)
        return time->peers[timeline->meeting[op]];
    bool waits = node->type == OP_RECV || (node->type == OP_SEND && time->has_rendezvous);
    return waits && at->peer != TIMELINE_NONE ? timeline->op[at->peer].begin : 0;
}

static void add_op(struct rank_time *time, const struct owned_op *op)
{
    if (op->begin >= op->end)
        return;
    if (time->count == time->room) {
        time->room = time->room ? 2 * time->room : 1024;
        time->op = realloc(time->op, time->room * sizeof *time->op);
        need_memory(time->op != NULL);
    }
    time->op[time->count++] = *op;
}

static void collect(struct rank_time *time, uint32_t seat)
{
    const struct timeline *timeline = time->timeline;
    const struct trace *trace = timeline->workload->traces[timeline_trace(timeline, seat)];
    time->count = 0;
    for (uint32_t op = timeline->first[seat]; op < timeline->first[seat + 1]; op++) {
        const struct timeline_op *at = &timeline->op[op];
        const struct trace_node *node = &trace->node[op - timeline->first[seat]];
        struct owned_op owned = {.op = op, .begin = at->begin, .end = at->end};
        owned.activity = activity_of(node);
        owned.moving = owned.activity == ACTIVITY_COMM ? peers_of(time, op, node) : 0;
        add_op(time, &owned);
        if (at->gate == GATE_WAKE)
            continue; /* what is between is no launch (critical_path.h) */
        owned = (struct owned_op){.op = op,
                                  .begin = timeline_issued(timeline, seat, op),
                                  .end = at->begin,
                                  .activity = ACTIVITY_HOST,
                                  .is_launch = true};
        add_op(time, &owned);
    }
}

static int by_time(const void *left, const void *right)
{
    const struct rank_event *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    return 0;
}

static void sort_events(struct rank_time *time)
{
    if (2 * (size_t)time->count > time->event_room) {
        time->event_room = 2 * time->room;
        free(time->event);
        time->event = malloc(time->event_room * sizeof *time->event);
        need_memory(time->event != NULL);
    }
    for (uint32_t i = 0; i < time->count; i++) {
        time->event[2 * i] = (struct rank_event){time->op[i].begin, i, true};
        time->event[2 * i + 1] = (struct rank_event){time->op[i].end, i, false};
    }
    if (time->count)
        qsort(time->event, 2 * (size_t)time->count, sizeof *time->event, by_time);
}

/* -- instants ---------------------------------------------------------------------------------- */

/* The ops that run, by activity, oldest first. */
struct running {
    uint32_t first[ACTIVITY_COUNT], last[ACTIVITY_COUNT];
};

static void start_op(struct rank_time *time, struct running *running, uint32_t index)
{
    struct owned_op *op = &time->op[index];
    uint32_t *last = &running->last[op->activity];
    op->next = NONE;
    op->previous = *last;
    *(*last == NONE ? &running->first[op->activity] : &time->op[*last].next) = index;
    *last = index;
}

static void stop_op(struct rank_time *time, struct running *running, uint32_t index)
{
    const struct owned_op *op = &time->op[index];
    *(op->previous == NONE ? &running->first[op->activity] : &time->op[op->previous].next) =
        op->next;
    *(op->next == NONE ? &running->last[op->activity] : &time->op[op->next].previous) =
        op->previous;
}

static time_ps between(time_ps low, time_ps value, time_ps high)
{
    return value < low ? low : value > high ? high : value;
}

/* Rule 1, for `from` to `to`, in which nothing begins or ends. False: nothing runs. */
static bool give_piece(struct rank_time *time, const struct running *running, time_ps early,
                       time_ps from, time_ps to)
{
    for (int activity = 0; activity < ACTIVITY_COUNT; activity++) {
        if (running->first[activity] == NONE)
            continue;
        struct owned_op *op = &time->op[running->first[activity]];
        time_ps moving = op->activity == ACTIVITY_COMM ? between(from, op->moving, to) : from;
        op->waited_ps += moving - from;
        op->owned_ps += to - moving;
        if (op->is_launch)
            op->early_ps += between(from, early, to) - from;
        return true;
    }
    return false;
}

void rank_time_find(struct rank_time *time, uint32_t seat, time_ps early, time_ps end)
{
    struct running running;
    for (int activity = 0; activity < ACTIVITY_COUNT; activity++)
        running.first[activity] = running.last[activity] = NONE;
    collect(time, seat);
    sort_events(time);
    time_ps at = 0;
    time->idle_ps = 0;
    for (uint32_t i = 0; i < 2 * time->count; i++) {
        const struct rank_event *event = &time->event[i];
        if (event->at > at && !give_piece(time, &running, early, at, event->at))
            time->idle_ps += event->at - at;
        at = event->at;
        (event->is_begin ? start_op : stop_op)(time, &running, event->op);
    }
    time->after_ps = end - at;
}

/* -- the law ----------------------------------------------------------------------------------- */

enum status rank_time_check(const struct rank_time *time, const struct rank_result *result,
                            time_ps end, struct diag *diag)
{
    time_ps of[ACTIVITY_COUNT] = {0}, exposed = result->waiting_ps, waited = 0;
    for (uint32_t i = 0; i < time->count; i++) {
        of[time->op[i].activity] += time->op[i].owned_ps + time->op[i].waited_ps;
        waited += time->op[i].waited_ps;
    }
    for (int kind = 0; kind < COMM_KIND_COUNT; kind++)
        exposed += result->exposed_ps[kind];
    const struct {
        const char *what;
        time_ps mine, books;
    } laws[] = {
        {"compute", of[ACTIVITY_COMPUTE], result->compute_ps},
        {"exposed communication", of[ACTIVITY_COMM], exposed},
        {"waiting", time->has_rendezvous ? result->waiting_ps : waited, result->waiting_ps},
        {"memory", of[ACTIVITY_MEMORY], result->memory_ps},
        {"host and idle", of[ACTIVITY_HOST] + time->idle_ps + time->after_ps,
         result->host_ps + result->idle_ps + end - result->finish_ps},
    };
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        if (laws[i].mine != laws[i].books)
            return diag_fail(diag, STATUS_LAW,
                             "%s of a rank is %" PRIu64 " ps by its ops, %" PRIu64
                             " ps by the breakdown",
                             laws[i].what, laws[i].mine, laws[i].books);
    }
    return STATUS_OK;
}
