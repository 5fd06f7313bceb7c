/*
 * replay_build - the edges of a replay, from the timeline of a run.
 *
 * Event 2 i is the begin of op i, 2 i + 1 its end, then one for each collective, then the start of
 * the run. Edges are collected as they are found and put in order at the end (replay_order.h).
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/compute.h"
#include "sched/slots.h"
#include "stats/replay_parts.h"

enum { LANES = 256, EDGES_PER_OP = 8, MOST_OPS = 1 << 28 };

/* -- edges ----------------------------------------------------------------------------------- */

static void add_edge(struct replay_building *building, uint32_t from, uint32_t to, time_ps weight)
{
    replay_add_edge(&building->edges, from, to, weight);
}

/* To the edge added last. */
static void add_share(struct replay_building *building, uint32_t key, double time)
{
    replay_add_share(&building->edges, key, time);
}

/* -- begins ---------------------------------------------------------------------------------- */

/* By how much variation.start-delay has the op begin late: nothing else does after its launch. */
static time_ps late_of(const struct replay_building *building, time_ps launch)
{
    const struct variation_config *variation = &building->input->splitter->config->variation;
    if (variation->form == JITTER_NONE || !(variation->start_delay_ns > 0) ||
        !trace_is_communication(building->at.node))
        return 0;
    time_ps issued = timeline_issued(building->timeline, building->seat, building->op);
    time_ps due = time_later(issued, launch), begin = building->timeline->op[building->op].begin;
    return begin > due ? begin - due : 0;
}

/* The host has come to the node `launch` after the start. `launched` are nodes of communication up
 * to it. */
static void add_launch(struct replay_building *building, time_ps launch, uint64_t launched)
{
    const struct system_config *system = &building->input->splitter->config->system;
    time_ps step = time_rounded(system->step_overhead_ns, system->whole_ns);
    time_ps theirs =
        time_times(time_rounded(system->collective_launch_ns, system->whole_ns), launched);
    if (launch > building->timeline->op[building->op].begin)
        return; /* the node takes nothing, and waits for no launch */
    add_edge(building, building->start, replay_begin(building->op),
             launch + late_of(building, launch));
    add_share(building, PART_STEP_OVERHEAD, (double)step);
    add_share(building, PART_LAUNCH_COMM, (double)theirs);
    add_share(building, PART_LAUNCH, (double)(launch - step - theirs));
}

static void add_cause(struct replay_building *building, time_ps late)
{
    const struct timeline *timeline = building->timeline;
    const struct timeline_op *op = &timeline->op[building->op];
    time_ps issued = timeline_issued(timeline, building->seat, building->op);
    time_ps idle = op->gate == GATE_WAKE ? op->begin - issued : late;
    uint32_t cause = op->gate == GATE_START
                         ? building->start
                         : replay_end(timeline->first[building->seat] + op->cause);
    add_edge(building, cause, replay_begin(building->op), idle);
}

/* Ops of a lane wait for each other, if it runs one at a time; else for what made room. */
static bool is_single(const struct replay_building *building, uint32_t lane)
{
    const struct system_config *system = &building->input->splitter->config->system;
    const uint32_t slots[CLASS_COUNT] = {system->host_slots, system->compute_slots,
                                         system->comm_slots, UINT32_MAX};
    return lane >= CLASS_COUNT || slots[lane] == 1;
}

/* Children and the next on the lane begin after the op. `next`: [lanes], of the op's seat. */
static void add_followers(struct replay_building *building, uint32_t *next)
{
    const struct timeline *timeline = building->timeline;
    uint32_t op = building->op, first = timeline->first[building->seat];
    const struct graph *graph = &building->input->graphs[timeline_trace(timeline, building->seat)];
    for (uint64_t c = graph->child_begin[op - first]; c < graph->child_begin[op - first + 1]; c++)
        add_edge(building, replay_end(op), replay_begin(first + graph->child[c]), 0);
    uint8_t lane = timeline->lane[op];
    if (!is_single(building, lane))
        return;
    if (next[lane] != TIMELINE_NONE && timeline->op[next[lane]].begin >= timeline->op[op].end)
        add_edge(building, replay_end(op), replay_begin(next[lane]), 0);
    next[lane] = op;
}

/* -- ends ------------------------------------------------------------------------------------ */

/* Under the roofline model the bound that is not the op's: what it would take by that. */
static void add_other_bound(struct replay_building *building, const struct path_parts *parts)
{
    const struct system_config *system = &building->input->splitter->config->system;
    const struct trace_node *node = building->at.node;
    enum path_part part = parts->row[0].part;
    if (parts->count != 1 || (part != PART_PEAK && part != PART_LOCAL_MEMORY))
        return;
    double s = part == PART_PEAK ? (double)node->size_bytes / system->local_memory_Bps
                                 : (double)node->flop_count / system->peak_flop_per_s;
    time_ps time = time_rounded(s * 1e9, system->whole_ns);
    if (!time || time > parts->row[0].time_ps)
        return;
    add_edge(building, replay_begin(building->op), replay_end(building->op), time);
    add_share(building, part == PART_PEAK ? PART_LOCAL_MEMORY : PART_PEAK, (double)time);
    add_share(building, REPLAY_OWN, (double)time);
}

/* An op that takes a time of its own. */
static void add_timed(struct replay_building *building)
{
    struct path_splitter *splitter = building->input->splitter;
    const struct timeline_op *op = &building->timeline->op[building->op];
    struct path_parts parts;
    time_ps length = op->end - op->begin;
    path_parts_find(splitter, &building->at, PATH_OP, length, &parts);
    add_edge(building, replay_begin(building->op), replay_end(building->op), length);
    if (slot_class_of(building->at.node) != CLASS_COMPUTE || !parts.count) {
        replay_add_parts(&building->edges, &parts, 1);
        return;
    }
    double slowdown = splitter->config->system.overlap_slowdown;
    double alone = (double)parts.row[0].time_ps, slowed = (double)length - alone;
    const struct variation_config *variation = &splitter->config->variation;
    bool varies = variation->op_ratio > 0 || variation->rank_ratio > 0 || variation->slow_ranks;
    bool all_along = slowed > 0 && (varies || fabs(slowed - alone * slowdown) <= 2);
    add_share(building, replay_key(parts.row[0].part, -1), all_along ? (double)length : alone);
    add_share(building, REPLAY_OWN, all_along ? (double)length : alone);
    if (slowed > 0) /* rule 3 */
        add_share(building, PART_SLOWED, all_along ? slowed : slowed / (1 + slowdown));
    if (slowed > 0 && !all_along)
        replay_add_beside(building, slowdown / (1 + slowdown));
    add_other_bound(building, &parts);
}

/* With rendezvous the later of both sides is where the message begins. */
static void add_send(struct replay_building *building)
{
    const struct timeline *timeline = building->timeline;
    const struct timeline_op *op = &timeline->op[building->op];
    time_ps begin = op->begin;
    bool meets = op->peer != TIMELINE_NONE;
    if (meets)
        begin = time_later(begin, timeline->op[op->peer].begin);
    time_ps length = op->end - begin;
    replay_add_network(building, replay_begin(building->op), length, length);
    if (meets)
        replay_add_network(building, replay_begin(op->peer), length, length);
}

static void add_receive(struct replay_building *building)
{
    const struct timeline_op *op = &building->timeline->op[building->op];
    add_edge(building, replay_begin(building->op), replay_end(building->op), 0);
    add_edge(building, replay_end(op->peer), replay_end(building->op), 0);
}

static void add_end(struct replay_building *building)
{
    const struct timeline_op *op = &building->timeline->op[building->op];
    enum op_type type = trace_run_as(building->at.node);
    bool is_replayed = building->input->splitter->config->system.replay_only;
    if (type == OP_RECV && op->peer != TIMELINE_NONE)
        add_receive(building);
    else if (is_replayed || (op->begin == op->end && op->peer == TIMELINE_NONE))
        add_timed(building);
    else if (type == OP_SEND)
        add_send(building);
    else if (type == OP_COLLECTIVE)
        replay_add_collective(building);
    else
        add_timed(building);
}

/* -- all ops --------------------------------------------------------------------------------- */

static void add_seat(struct replay_building *building, uint32_t seat)
{
    const struct timeline *timeline = building->timeline;
    uint32_t trace = timeline_trace(timeline, seat);
    const time_ps *launch = building->input->launch_ps ? building->input->launch_ps[trace] : NULL;
    uint64_t launched = 0;
    building->seat = seat;
    building->at =
        (struct path_op){timeline->rank_of_seat[seat], timeline->workload->traces[trace], NULL};
    for (uint32_t i = 0; i < building->at.trace->count; i++) {
        building->op = timeline->first[seat] + i;
        building->at.node = &building->at.trace->node[i];
        launched += trace_is_communication(building->at.node);
        if (launch)
            add_launch(building, launch[i], launched);
        add_cause(building, late_of(building, launch ? launch[i] : 0));
        add_end(building);
    }
}

static void add_order(struct replay_building *building)
{
    const struct timeline *timeline = building->timeline;
    size_t lanes = (size_t)timeline->seats * LANES;
    uint32_t *next = malloc((lanes + 1) * sizeof *next);
    need_memory(next != NULL);
    for (size_t i = 0; i < lanes; i++)
        next[i] = TIMELINE_NONE;
    for (uint32_t i = timeline->ended_count; i-- > 0;) {
        building->op = timeline->ended[i];
        building->seat = timeline_seat(timeline, building->op);
        add_followers(building, &next[(size_t)building->seat * LANES]);
    }
    free(next);
}

/* -- all together ---------------------------------------------------------------------------- */

static time_ps recorded(const struct replay_building *building, uint32_t event)
{
    const struct timeline *timeline = building->timeline;
    uint32_t ops = timeline->first[timeline->seats];
    if (event == building->start)
        return 0;
    if (event >= 2 * ops)
        return building->last_ps[event - 2 * ops];
    const struct timeline_op *op = &timeline->op[event / 2];
    return event % 2 ? op->end : op->begin;
}

static enum status check_times(const struct replay_building *building, const uint32_t *order,
                               struct diag *diag)
{
    const struct replay *replay = building->replay;
    struct replay_time end = replay_at(replay, 0, true);
    for (uint32_t p = 0; p < replay->events; p++) {
        time_ps was = recorded(building, order[p]);
        if (replay->time_ps[p] != (double)was)
            return diag_fail(diag, STATUS_LAW,
                             "the replay has event %" PRIu32 " at %.0f ps, the run at %" PRIu64
                             " ps",
                             order[p], replay->time_ps[p], was);
    }
    if (end.end_ps != (double)building->input->end_ps)
        return diag_fail(diag, STATUS_LAW, "the replay ends at %.0f ps, the run at %" PRIu64 " ps",
                         end.end_ps, building->input->end_ps);
    return STATUS_OK;
}

static enum status check_size(const struct replay_input *input, struct diag *diag)
{
    uint32_t ops = input->timeline->first[input->timeline->seats];
    if (input->end_ps >> 53)
        return diag_fail(diag, STATUS_LIMIT, "the run takes more than 2^53 ps");
    if (ops > MOST_OPS || (uint64_t)ops * EDGES_PER_OP * 80 > memory_limit() / 4)
        return diag_fail(diag, STATUS_NO_MEMORY, "a replay of %" PRIu32 " ops needs %.1f GB", ops,
                         (double)ops * EDGES_PER_OP * 80 / 1e9);
    return STATUS_OK;
}

enum status replay_init(struct replay *replay, const struct replay_input *input, struct diag *diag)
{
    const struct timeline *timeline = input->timeline;
    struct replay_building building = {.input = input, .timeline = timeline, .replay = replay};
    *replay = (struct replay){.seats = timeline->seats};
    if (check_size(input, diag) != STATUS_OK)
        return diag->status;
    building.start = replay_coming(&building, timeline->meetings);
    replay->events = building.start + 1;
    replay_find_comings(&building);
    for (uint32_t seat = 0; seat < timeline->seats; seat++)
        add_seat(&building, seat);
    add_order(&building);
    uint32_t *order = calloc((size_t)replay->events + 1, sizeof *order);
    need_memory(order != NULL);
    enum status status = replay_order(replay, &building.edges, order, diag);
    for (uint32_t p = 0; p < replay->events && status == STATUS_OK; p++)
        replay->seat[p] = order[p] < 2 * timeline->first[timeline->seats]
                              ? timeline_seat(timeline, order[p] / 2)
                              : UINT32_MAX;
    if (status == STATUS_OK)
        status = check_times(&building, order, diag);
    replay_edges_release(&building.edges);
    free(building.last_ps);
    timeline_members_release(&building.members);
    free(building.first_beside);
    free(building.beside);
    free(order);
    return status;
}
