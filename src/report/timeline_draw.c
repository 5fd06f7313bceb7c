#include "report/timeline_draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/timeline_parts.h"
#include "sched/slots.h"

enum { SHOWN = 96 };

/* -- what there is ----------------------------------------------------------------------------- */

static void tell_facts(const struct drawing *drawing)
{
    const struct timeline_view *view = drawing->view;
    const struct timeline_pick *pick = drawing->pick;
    const struct timeline_arg facts[] = {
        {"schema", TIMELINE_TEXT, 0, TIMELINE_SCHEMA},
        {"orrery", TIMELINE_TEXT, 0, view->version},
        {"job", TIMELINE_TEXT, 0, view->job},
        {"makespan_ps", TIMELINE_NUMBER, view->result->end_ps, NULL},
        {"from_ps", TIMELINE_NUMBER, view->from, NULL},
        {"to_ps", TIMELINE_NUMBER, view->to ? view->to : view->result->end_ps, NULL},
        {"ranks_in_all", TIMELINE_NUMBER, view->result->rank_count, NULL},
        {"ranks_asked", TIMELINE_NUMBER, pick->asked, NULL},
        {"ranks_shown", TIMELINE_NUMBER, pick->count, NULL},
        {"ops_shown", TIMELINE_NUMBER, pick->slices, NULL},
        {"short_ops_left_out", TIMELINE_NUMBER, pick->too_short, NULL},
        {"longest_left_out_ps", TIMELINE_NUMBER, pick->longest_short, NULL},
    };
    drawing->sink->facts(drawing->sink->self, facts, sizeof facts / sizeof facts[0]);
}

/* By lane, streams by number; room for all tracks of a rank within a place. */
static uint32_t place_of(const struct lane_track *track)
{
    uint32_t most = INT32_MAX / MOST_TRACKS - 1;
    uint32_t stream = track->stream < 0 ? most : CLASS_COUNT + (uint32_t)track->stream;
    uint32_t place = track->lane < CLASS_COUNT ? track->lane : stream;
    return (place < most ? place : most) * MOST_TRACKS;
}

static void declare_rank(const struct drawing *drawing, uint32_t place)
{
    static const char *const classes[CLASS_COUNT] = {[CLASS_HOST] = "host",
                                                     [CLASS_COMPUTE] = "compute",
                                                     [CLASS_COMM] = "communication",
                                                     [CLASS_FREE] = "receives"};
    const struct timeline_sink *sink = drawing->sink;
    const struct drawn_rank *rank = &drawing->rank[place];
    uint32_t alike = drawing->timeline->ranks[rank->seat];
    char name[SHOWN];
    snprintf(name, sizeof name,
             alike > 1 ? "rank %" PRIu32 " (%" PRIu32 " alike)" : "rank %" PRIu32, rank->rank,
             alike);
    sink->process(sink->self, rank->rank, place + 2, name);
    for (uint32_t t = 0; t < rank->tracks; t++) {
        const struct lane_track *track = &rank->track[t];
        snprintf(name, sizeof name, "stream %" PRId32, track->stream);
        sink->track(sink->self, rank->rank, t + 1, place_of(track) + t,
                    track->lane < CLASS_COUNT ? classes[track->lane] : name);
    }
}

static void declare(const struct drawing *drawing)
{
    const struct timeline_sink *sink = drawing->sink;
    sink->process(sink->self, job_pid(drawing), 0, "job");
    if (drawing->view->links)
        sink->process(sink->self, network_pid(drawing), 1, "network");
    if (drawing->view->path)
        sink->track(sink->self, job_pid(drawing), 1, 0, "critical path");
    for (uint32_t i = 0; i < drawing->pick->count; i++)
        declare_rank(drawing, i);
}

/* -- slices ------------------------------------------------------------------------------------ */

static void add_number(struct timeline_slice *slice, const char *key, uint64_t number)
{
    slice->arg[slice->arg_count++] = (struct timeline_arg){key, TIMELINE_NUMBER, number, NULL};
}

static void add_text(struct timeline_slice *slice, const char *key, const char *text)
{
    slice->arg[slice->arg_count++] = (struct timeline_arg){key, TIMELINE_TEXT, 0, text};
}

static void describe_op(struct timeline_slice *slice, struct trace *trace, uint32_t index)
{
    const struct trace_node *node = &trace->node[index];
    const char *name = trace_name(trace, index);
    slice->category = op_name(trace_run_as(node));
    slice->name = *name ? name : slice->category;
    add_number(slice, "node", node->id);
    if (node->type == OP_COLLECTIVE)
        add_text(slice, "collective", collective_name((enum collective_kind)node->collective));
    if (node->group != TRACE_NONE)
        add_text(slice, "group", trace->group_names[node->group]);
    if (node->type == OP_COMPUTE && node->shape != TRACE_NONE)
        add_text(slice, "class", op_class_name((enum op_class)trace->shape[node->shape].class));
    if (node->size_bytes)
        add_number(slice, "bytes", node->size_bytes);
}

static void describe_path(struct timeline_slice *slice, const struct drawing *drawing,
                          uint32_t index)
{
    static const char *const kinds[] = {[PATH_OP] = "op",
                                        [PATH_NETWORK] = "network",
                                        [PATH_LAUNCH] = "launch",
                                        [PATH_IDLE] = "idle"};
    const struct timeline *timeline = drawing->timeline;
    const struct path_piece *piece = &drawing->view->path->piece[index];
    struct trace *trace = timeline->workload->traces[timeline_trace(timeline, piece->seat)];
    uint32_t op = piece->op - timeline->first[piece->seat];
    const char *name = trace_name(trace, op);
    slice->name = *name ? name : op_name(trace_run_as(&trace->node[op]));
    slice->category = kinds[piece->kind];
    add_number(slice, "rank", timeline->rank_of_seat[piece->seat]);
    add_number(slice, "node", trace->node[op].id);
    add_text(slice, "is", kinds[piece->kind]);
}

/* Arrows that begin in op `index` of the rank; ascending numbers. */
static uint32_t arrows_from(const struct drawing *drawing, const struct item *item, uint64_t *out,
                            uint32_t room)
{
    const struct arrow *arrow = drawing->arrows.base;
    size_t low = 0, high = drawing->arrows.count;
    uint32_t count = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_before = arrow[middle].place < item->place ||
                         (arrow[middle].place == item->place && arrow[middle].index < item->index);
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    for (; low < drawing->arrows.count && arrow[low].place == item->place &&
           arrow[low].index == item->index && count < room;
         low++)
        out[count++] = arrow[low].number;
    return count;
}

static void describe(const struct drawing *drawing, const struct item *item,
                     struct timeline_slice *slice)
{
    if (item->kind == ITEM_PATH) {
        describe_path(slice, drawing, item->index);
        return;
    }
    const struct drawn_rank *rank = &drawing->rank[item->place];
    const struct trace_node *node = &rank->trace->node[item->index];
    uint32_t number = drawing->timeline->first[rank->seat] + item->index;
    if (item->kind == ITEM_OP) {
        describe_op(slice, rank->trace, item->index);
        if (drawing->timeline->op[number].end == TIME_NEVER)
            slice->arg[slice->arg_count++] =
                (struct timeline_arg){"has_ended", TIMELINE_BOOL, false, NULL};
    } else if (item->kind == ITEM_LAUNCH) {
        slice->name = slice->category = "launch";
    } else {
        slice->name = node->type == OP_RECV ? "message" : "last message";
        slice->category = "message";
    }
}

static void tell_begin(const struct drawing *drawing, const struct item *item, uint64_t *out)
{
    bool is_rank = item->kind != ITEM_PATH;
    struct timeline_slice slice = {.pid =
                                       is_rank ? drawing->rank[item->place].rank : job_pid(drawing),
                                   .tid = item->track + 1u,
                                   .begin_ns = whole_ns_of(item->begin),
                                   .end_ns = whole_ns_of(item->end),
                                   .out = out,
                                   .in = item->in};
    describe(drawing, item, &slice);
    if (item->begin % PS_PER_NS || item->end % PS_PER_NS) {
        add_number(&slice, "begin_ps", item->begin);
        add_number(&slice, "length_ps", item->end - item->begin);
    }
    if (item->kind == ITEM_OP)
        slice.out_count = arrows_from(drawing, item, out, (uint32_t)drawing->arrows.count);
    drawing->sink->begin(drawing->sink->self, &slice);
}

/* -- in order ---------------------------------------------------------------------------------- */

/* Slices that have begun and not ended: a heap by end; of one end, what began last is first. */
struct pending {
    const struct drawing *drawing;
    uint32_t *heap; /* numbers of items */
    uint32_t count;
};

static const struct item *item_at(const struct drawing *drawing, uint32_t number)
{
    return (const struct item *)drawing->items.base + number;
}

static bool is_before(const struct pending *pending, uint32_t a, uint32_t b)
{
    uint64_t a_ns = whole_ns_of(item_at(pending->drawing, a)->end);
    uint64_t b_ns = whole_ns_of(item_at(pending->drawing, b)->end);
    return a_ns != b_ns ? a_ns < b_ns : a > b;
}

static void pending_push(struct pending *pending, uint32_t number)
{
    uint32_t at = pending->count++;
    for (; at > 0 && is_before(pending, number, pending->heap[(at - 1) / 2]); at = (at - 1) / 2)
        pending->heap[at] = pending->heap[(at - 1) / 2];
    pending->heap[at] = number;
}

static uint32_t pending_pop(struct pending *pending)
{
    uint32_t first = pending->heap[0], last = pending->heap[--pending->count], at = 0;
    for (uint32_t child = 1; child < pending->count; child = 2 * at + 1) {
        if (child + 1 < pending->count &&
            is_before(pending, pending->heap[child + 1], pending->heap[child]))
            child++;
        if (!is_before(pending, pending->heap[child], last))
            break;
        pending->heap[at] = pending->heap[child];
        at = child;
    }
    pending->heap[at] = last;
    return first;
}

/* Tells the ends and values that come before a begin at `at_ns`. */
static void tell_until(const struct drawing *drawing, struct pending *pending, size_t *sample,
                       uint64_t at_ns)
{
    const struct timeline_sink *sink = drawing->sink;
    const struct sample *samples = drawing->samples.base;
    for (;;) {
        uint64_t end_ns =
            pending->count ? whole_ns_of(item_at(drawing, pending->heap[0])->end) : UINT64_MAX;
        bool has_sample = *sample < drawing->samples.count;
        uint64_t value_ns = has_sample ? whole_ns_of(samples[*sample].at) : UINT64_MAX;
        if (pending->count && end_ns <= at_ns && end_ns <= value_ns) {
            const struct item *item = item_at(drawing, pending_pop(pending));
            uint32_t pid =
                item->kind == ITEM_PATH ? job_pid(drawing) : drawing->rank[item->place].rank;
            sink->end(sink->self, pid, item->track + 1u, end_ns);
        } else if (has_sample && value_ns <= at_ns) {
            const struct sample *one = &samples[(*sample)++];
            const struct timeline_counter *counters = drawing->counters.base;
            sink->value(sink->self, &counters[one->counter], value_ns, one->value);
        } else {
            return;
        }
    }
}

static void tell_events(const struct drawing *drawing)
{
    size_t sample = 0;
    struct pending pending = {.drawing = drawing};
    pending.heap = malloc((drawing->items.count + 1) * sizeof *pending.heap);
    uint64_t *out = malloc((drawing->arrows.count + 1) * sizeof *out);
    need_memory(pending.heap && out);
    for (uint32_t i = 0; i < drawing->items.count; i++) {
        const struct item *item = item_at(drawing, i);
        tell_until(drawing, &pending, &sample, whole_ns_of(item->begin));
        tell_begin(drawing, item, out);
        pending_push(&pending, i);
    }
    tell_until(drawing, &pending, &sample, UINT64_MAX);
    free(pending.heap);
    free(out);
}

/* -- everything -------------------------------------------------------------------------------- */

static void open_ranks(struct drawing *drawing)
{
    const struct timeline *timeline = drawing->timeline;
    const struct timeline_pick *pick = drawing->pick;
    drawing->of_seat = malloc(((size_t)timeline->seats + 1) * sizeof *drawing->of_seat);
    drawing->rank = calloc((size_t)pick->count + 1, sizeof *drawing->rank);
    need_memory(drawing->of_seat && drawing->rank);
    memset(drawing->of_seat, 0xff, timeline->seats * sizeof *drawing->of_seat);
    for (uint32_t i = 0; i < pick->count; i++) {
        struct drawn_rank *rank = &drawing->rank[i];
        rank->rank = pick->rank[i];
        rank->seat = drawing->view->result->class_of_rank[rank->rank];
        if (drawing->of_seat[rank->seat] == TIMELINE_NONE)
            drawing->of_seat[rank->seat] = i;
        rank->trace = timeline->workload->traces[timeline_trace(timeline, rank->seat)];
        rank->track = calloc(MOST_TRACKS, sizeof *rank->track);
        need_memory(rank->track != NULL);
    }
}

static void close_drawing(struct drawing *drawing)
{
    for (uint32_t i = 0; i < drawing->pick->count; i++)
        free(drawing->rank[i].track);
    free(drawing->rank);
    free(drawing->of_seat);
    free(drawing->path_op);
    grow_release(&drawing->items);
    grow_release(&drawing->arrows);
    grow_release(&drawing->counters);
    grow_release(&drawing->samples);
}

void timeline_draw(const struct timeline_view *view, const struct timeline_pick *pick,
                   const struct timeline_sink *sink)
{
    struct drawing drawing = {.view = view, .pick = pick, .timeline = view->timeline, .sink = sink};
    open_ranks(&drawing);
    drawing_find_items(&drawing);
    tell_facts(&drawing);
    declare(&drawing);
    drawing_find_samples(&drawing);
    tell_events(&drawing);
    sink->done(sink->self);
    close_drawing(&drawing);
}
