#include "stats/critical_path_slack.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "sched/slots.h"

enum { LANES = 256 };

/* Latest times, as far as they are known. */
struct latest {
    const struct timeline *timeline;
    const struct graph *graphs;
    time_ps *end;          /* of each op */
    time_ps *begin;        /* of members of collectives: what their peers' ends allow */
    time_ps *last_arrival; /* of each collective: as it was .. */
    time_ps *arrival;      /* .. and as late as its ends allow */
    uint32_t *next;        /* [seats][lanes]: the op after it on its lane */
};

static time_ps earlier(time_ps a, time_ps b)
{
    return a < b ? a : b;
}

static time_ps *times(size_t count, time_ps value)
{
    time_ps *all = malloc((count + 1) * sizeof *all);
    need_memory(all != NULL);
    for (size_t i = 0; i < count; i++)
        all[i] = value;
    return all;
}

static const struct trace_node *node_of(const struct timeline *timeline, uint32_t seat, uint32_t op)
{
    return &timeline->workload->traces[timeline_trace(timeline, seat)]
                ->node[op - timeline->first[seat]];
}

static void find_last_arrivals(struct latest *latest)
{
    const struct timeline *timeline = latest->timeline;
    for (uint32_t op = 0; op < timeline->first[timeline->seats]; op++) {
        uint32_t meeting = timeline->meeting[op];
        if (meeting != TIMELINE_NONE)
            latest->last_arrival[meeting] =
                time_later(latest->last_arrival[meeting], timeline->op[op].begin);
    }
}

/* The latest time at which the op may begin, which is when what it waited for may end. */
static time_ps latest_begin(const struct latest *latest, uint32_t seat, uint32_t op)
{
    const struct timeline_op *at = &latest->timeline->op[op];
    uint32_t meeting = latest->timeline->meeting[op];
    if (meeting != TIMELINE_NONE)
        return time_later(at->begin, earlier(latest->arrival[meeting], latest->begin[op]));
    if (node_of(latest->timeline, seat, op)->type == OP_RECV)
        return latest->end[op]; /* its message does not wait for it */
    return latest->end[op] - (at->end - at->begin);
}

/* What the end of an op says of its peers. */
static void tell_peers(struct latest *latest, uint32_t seat, uint32_t op)
{
    const struct timeline_op *at = &latest->timeline->op[op];
    uint32_t meeting = latest->timeline->meeting[op];
    if (meeting != TIMELINE_NONE && at->end >= latest->last_arrival[meeting])
        latest->arrival[meeting] = earlier(
            latest->arrival[meeting], latest->end[op] - (at->end - latest->last_arrival[meeting]));
    if (at->peer == TIMELINE_NONE)
        return;
    const struct timeline_op *peer = &latest->timeline->op[at->peer];
    if (meeting != TIMELINE_NONE)
        latest->begin[at->peer] =
            earlier(latest->begin[at->peer], latest->end[op] - (at->end - peer->begin));
    else if (node_of(latest->timeline, seat, op)->type == OP_RECV)
        latest->end[at->peer] = earlier(latest->end[at->peer], latest->end[op]);
}

static void settle(struct latest *latest, uint32_t op)
{
    const struct timeline *timeline = latest->timeline;
    uint32_t seat = timeline_seat(timeline, op), first = timeline->first[seat];
    const struct graph *graph = &latest->graphs[timeline_trace(timeline, seat)];
    time_ps end = latest->end[op];
    for (uint64_t c = graph->child_begin[op - first]; c < graph->child_begin[op - first + 1]; c++)
        end = earlier(end, latest_begin(latest, seat, first + graph->child[c]));
    uint32_t *next = &latest->next[(size_t)seat * LANES + timeline->lane[op]];
    bool has_slots = timeline->lane[op] != CLASS_FREE;
    if (has_slots && *next != TIMELINE_NONE && timeline->op[*next].begin >= timeline->op[op].end)
        end = earlier(end, latest_begin(latest, seat, *next));
    *next = op;
    latest->end[op] = time_later(end, timeline->op[op].end);
    tell_peers(latest, seat, op);
}

time_ps *path_slack_find(const struct timeline *timeline, const struct graph *graphs, time_ps end)
{
    uint32_t ops = timeline->first[timeline->seats];
    struct latest latest = {.timeline = timeline,
                            .graphs = graphs,
                            .end = times(ops, end),
                            .begin = times(ops, end),
                            .last_arrival = times(timeline->meetings, 0),
                            .arrival = times(timeline->meetings, end)};
    size_t lanes = (size_t)timeline->seats * LANES;
    latest.next = malloc((lanes + 1) * sizeof *latest.next);
    need_memory(latest.next != NULL);
    for (size_t i = 0; i < lanes; i++)
        latest.next[i] = TIMELINE_NONE;
    find_last_arrivals(&latest);
    for (uint32_t i = timeline->ended_count; i-- > 0;)
        settle(&latest, timeline->ended[i]);
    for (uint32_t op = 0; op < ops; op++)
        latest.end[op] -= earlier(latest.end[op], timeline->op[op].end);
    free(latest.begin);
    free(latest.last_arrival);
    free(latest.arrival);
    free(latest.next);
    return latest.end;
}

/* -- rows ------------------------------------------------------------------------------------ */

const char *path_op_class(const struct trace *trace, const struct trace_node *node)
{
    if (node->type == OP_SEND || node->type == OP_RECV)
        return "send and receive";
    if (trace_run_as(node) == OP_COLLECTIVE)
        return collective_name((enum collective_kind)node->collective);
    if (node->type == OP_COMPUTE && node->shape != TRACE_NONE)
        return op_class_name((enum op_class)trace->shape[node->shape].class);
    return op_name(trace_run_as(node));
}

struct classed {
    uint32_t class;
    time_ps slack;
};

static int compare(const void *left, const void *right)
{
    const struct classed *a = left, *b = right;
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    return a->slack < b->slack ? -1 : a->slack > b->slack;
}

/* Ops that take time, with their class; returns how many. */
static uint32_t classify(const struct timeline *timeline, const time_ps *slack, struct names *names,
                         struct classed *found)
{
    uint32_t count = 0;
    for (uint32_t seat = 0; seat < timeline->seats; seat++) {
        const struct trace *trace = timeline->workload->traces[timeline_trace(timeline, seat)];
        for (uint32_t op = timeline->first[seat]; op < timeline->first[seat + 1]; op++) {
            const char *name = path_op_class(trace, &trace->node[op - timeline->first[seat]]);
            if (timeline->op[op].end > timeline->op[op].begin)
                found[count++] = (struct classed){names_add(names, name, strlen(name)), slack[op]};
        }
    }
    return count;
}

uint32_t path_slack_rows(const struct timeline *timeline, const time_ps *slack, struct arena *arena,
                         struct slack_row **rows)
{
    struct names names;
    struct classed *found = malloc(((size_t)timeline->first[timeline->seats] + 1) * sizeof *found);
    need_memory(found != NULL);
    names_init(&names);
    uint32_t count = classify(timeline, slack, &names, found);
    qsort(found, count, sizeof *found, compare);
    *rows = arena_array(arena, names.count, sizeof **rows);
    for (uint32_t i = 0, next; i < count; i = next) {
        struct slack_row *row = &(*rows)[found[i].class];
        for (next = i; next < count && found[next].class == found[i].class; next++)
            row->critical += found[next].slack == 0;
        const char *name = names.text[found[i].class];
        *row = (struct slack_row){arena_text(arena, name, strlen(name)), next - i, row->critical,
                                  found[i + (next - i) / 2].slack, found[next - 1].slack};
    }
    uint32_t classes = names.count;
    names_release(&names);
    free(found);
    return classes;
}
