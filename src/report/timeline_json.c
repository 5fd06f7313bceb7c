#include "report/timeline_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/json_writer.h"
#include "sched/slots.h"

enum { USUAL_EVENTS = 500000, MOST_TRACKS = 512, SHOWN = 96 };

/* A rank being written. */
struct drawing {
    const struct timeline_view *view;
    const struct timeline *timeline;
    struct json_writer *json;
    uint32_t rank, seat, place; /* place among those shown */
    uint32_t *of_seat; /* of all: [seats] place of the first drawing of a seat, or TIMELINE_NONE */
    struct trace *trace;
    uint32_t *order;          /* its ops by begin */
    uint32_t *track;          /* of each, by index in the trace */
    uint32_t count;           /* of ops that are drawn */
    time_ps end[MOST_TRACKS]; /* of the last op on each track */
    uint8_t lane[MOST_TRACKS];
    int32_t stream[MOST_TRACKS];
    uint32_t tracks;
};

static const struct timeline_op *op_of(const struct drawing *drawing, uint32_t index)
{
    return &drawing->timeline->op[drawing->timeline->first[drawing->seat] + index];
}

/* One that has not ended is drawn up to where the run got. */
static time_ps end_of(const struct drawing *drawing, const struct timeline_op *op)
{
    return op->end == TIME_NEVER ? drawing->view->result->end_ps : op->end;
}

static bool is_drawn(const struct drawing *drawing, uint32_t index)
{
    const struct timeline_op *op = op_of(drawing, index);
    return op->begin != TIME_NEVER && end_of(drawing, op) > op->begin;
}

/* -- which ranks ----------------------------------------------------------------------------- */

static uint32_t shown_rank(const struct timeline_view *view, uint32_t i)
{
    return view->rank ? view->rank[i] : view->timeline->rank_of_seat[i];
}

static uint32_t asked_count(const struct timeline_view *view)
{
    return view->rank ? view->rank_count : view->timeline->seats;
}

uint32_t timeline_fits(const struct timeline_view *view)
{
    uint64_t most = view->most_events ? view->most_events : USUAL_EVENTS, events = 0;
    uint32_t asked = asked_count(view), fits = 0;
    for (; fits < asked; fits++) {
        uint32_t seat = view->result->class_of_rank[shown_rank(view, fits)];
        events += view->timeline->first[seat + 1] - view->timeline->first[seat];
        if (fits && events > most)
            break;
    }
    return fits;
}

/* -- tracks ---------------------------------------------------------------------------------- */

struct start {
    time_ps begin;
    uint32_t index;
};

static int compare_starts(const void *left, const void *right)
{
    const struct start *a = left, *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static void sort_ops(struct drawing *drawing)
{
    struct start *start = malloc((drawing->trace->count + 1) * sizeof *start);
    need_memory(start != NULL);
    drawing->count = 0;
    for (uint32_t i = 0; i < drawing->trace->count; i++)
        if (is_drawn(drawing, i))
            start[drawing->count++] = (struct start){op_of(drawing, i)->begin, i};
    qsort(start, drawing->count, sizeof *start, compare_starts);
    for (uint32_t i = 0; i < drawing->count; i++)
        drawing->order[i] = start[i].index;
    free(start);
}

/* The first track of the lane that is free then; of more than MOST_TRACKS the last is taken. */
static uint32_t take_track(struct drawing *drawing, uint8_t lane, int32_t stream, time_ps begin,
                           time_ps end)
{
    uint32_t track = 0;
    while (track < drawing->tracks && (drawing->lane[track] != lane || drawing->end[track] > begin))
        track++;
    if (track == MOST_TRACKS)
        track--;
    if (track == drawing->tracks) {
        drawing->tracks++;
        drawing->lane[track] = lane;
        drawing->stream[track] = stream;
    }
    drawing->end[track] = end;
    return track;
}

static void lay_out(struct drawing *drawing)
{
    for (uint32_t i = 0; i < drawing->count; i++) {
        uint32_t index = drawing->order[i];
        const struct timeline_op *op = op_of(drawing, index);
        uint8_t lane = drawing->timeline->lane[drawing->timeline->first[drawing->seat] + index];
        drawing->track[index] = take_track(drawing, lane, drawing->trace->node[index].stream,
                                           op->begin, end_of(drawing, op));
    }
}

/* -- events ---------------------------------------------------------------------------------- */

static void begin_event(struct drawing *drawing, const char *phase, const char *name, uint32_t rank,
                        uint32_t thread)
{
    json_map_begin(drawing->json, NULL, JSON_INLINE);
    json_text(drawing->json, "ph", phase);
    json_text(drawing->json, "name", name);
    json_u64(drawing->json, "pid", rank);
    json_u64(drawing->json, "tid", thread);
}

static void metadata(struct drawing *drawing, const char *what, uint32_t thread, const char *name)
{
    begin_event(drawing, "M", what, drawing->rank, thread);
    json_map_begin(drawing->json, "args", JSON_INLINE);
    json_text(drawing->json, "name", name);
    json_map_end(drawing->json);
    json_map_end(drawing->json);
}

static void name_tracks(struct drawing *drawing)
{
    static const char *const classes[CLASS_COUNT] = {[CLASS_HOST] = "host",
                                                     [CLASS_COMPUTE] = "compute",
                                                     [CLASS_COMM] = "communication",
                                                     [CLASS_FREE] = "receives"};
    char name[SHOWN];
    uint32_t alike = drawing->timeline->ranks[drawing->seat];
    snprintf(name, sizeof name,
             alike > 1 ? "rank %" PRIu32 " (%" PRIu32 " alike)" : "rank %" PRIu32, drawing->rank,
             alike);
    metadata(drawing, "process_name", 0, name);
    for (uint32_t t = 0; t < drawing->tracks; t++) {
        if (drawing->lane[t] < CLASS_COUNT)
            metadata(drawing, "thread_name", t, classes[drawing->lane[t]]);
        else {
            snprintf(name, sizeof name, "stream %" PRId32, drawing->stream[t]);
            metadata(drawing, "thread_name", t, name);
        }
    }
}

static void op_arguments(struct drawing *drawing, const struct trace_node *node,
                         const struct timeline_op *op)
{
    struct json_writer *json = drawing->json;
    json_map_begin(json, "args", JSON_INLINE);
    json_u64(json, "node", node->id);
    if (node->type == OP_COLLECTIVE)
        json_text(json, "collective", collective_name((enum collective_kind)node->collective));
    if (node->group != TRACE_NONE)
        json_text(json, "group", drawing->trace->group_names[node->group]);
    if (node->type == OP_COMPUTE && node->shape != TRACE_NONE)
        json_text(json, "class",
                  op_class_name((enum op_class)drawing->trace->shape[node->shape].class));
    if (node->size_bytes)
        json_u64(json, "bytes", node->size_bytes);
    if (op->end == TIME_NEVER)
        json_bool(json, "has_ended", false);
    json_map_end(json);
}

static void slice(struct drawing *drawing, uint32_t index)
{
    const struct trace_node *node = &drawing->trace->node[index];
    const struct timeline_op *op = op_of(drawing, index);
    const char *name = trace_name(drawing->trace, index);
    begin_event(drawing, "X", *name ? name : op_name(trace_run_as(node)), drawing->rank,
                drawing->track[index]);
    json_text(drawing->json, "cat", op_name(trace_run_as(node)));
    json_us(drawing->json, "ts", op->begin);
    json_us(drawing->json, "dur", end_of(drawing, op) - op->begin);
    op_arguments(drawing, node, op);
    json_map_end(drawing->json);
}

/* The time for which the device had a turn for the op and the host had not launched it. */
static void launch_slice(struct drawing *drawing, uint32_t index, uint32_t *thread)
{
    const struct timeline_op *op = op_of(drawing, index);
    uint32_t number = drawing->timeline->first[drawing->seat] + index;
    time_ps issued = timeline_issued(drawing->timeline, drawing->seat, number);
    if (issued >= op->begin || op->gate == GATE_WAKE)
        return;
    *thread = take_track(drawing, CLASS_HOST, 0, issued, op->begin);
    begin_event(drawing, "X", "launch", drawing->rank, *thread);
    json_text(drawing->json, "cat", "launch");
    json_us(drawing->json, "ts", issued);
    json_us(drawing->json, "dur", op->begin - issued);
    json_map_end(drawing->json);
}

/* Both ends of an arrow are inside their slices: a viewer with nanoseconds must find them there. */
static void arrow(struct drawing *drawing, const struct drawing *sender, uint32_t index)
{
    const struct timeline_op *op = op_of(drawing, index);
    uint32_t sent = op->peer - drawing->timeline->first[sender->seat];
    time_ps length = op->end - op->begin;
    const struct {
        const char *phase;
        uint32_t rank, thread;
        time_ps at;
    } ends[] = {{"s", sender->rank, sender->track[sent], op_of(sender, sent)->begin},
                {"f", drawing->rank, drawing->track[index],
                 op->end - (length > 2 * PS_PER_NS ? PS_PER_NS : length / 2)}};
    for (int e = 0; e < 2; e++) {
        begin_event(drawing, ends[e].phase, "message", ends[e].rank, ends[e].thread);
        json_text(drawing->json, "cat", "message");
        json_u64(drawing->json, "id",
                 (uint64_t)drawing->place << 30 | index); /* a receive has one message */
        json_us(drawing->json, "ts", ends[e].at);
        if (e == 1)
            json_text(drawing->json, "bp", "e");
        json_map_end(drawing->json);
    }
}

/* -- memory ---------------------------------------------------------------------------------- */

struct change {
    time_ps at;
    int64_t bytes;
};

/* What is given back at a time comes before what is taken then. */
static int compare_changes(const void *left, const void *right)
{
    const struct change *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

static uint32_t find_changes(const struct drawing *drawing, struct change *change)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < drawing->trace->life_count; i++) {
        const struct trace_life *life = &drawing->trace->life[i];
        const struct timeline_op *first = op_of(drawing, life->first);
        const struct timeline_op *last = op_of(drawing, life->last);
        if (first->begin == TIME_NEVER)
            continue;
        time_ps issued = timeline_issued(drawing->timeline, drawing->seat,
                                         drawing->timeline->first[drawing->seat] + life->first);
        change[count++] = (struct change){issued, (int64_t)life->bytes};
        if (last->end != TIME_NEVER)
            change[count++] = (struct change){last->end, -(int64_t)life->bytes};
    }
    return count;
}

static void memory_counter(struct drawing *drawing)
{
    const struct trace *trace = drawing->trace;
    if (!trace->life_count)
        return;
    struct change *change = malloc(2 * (size_t)trace->life_count * sizeof *change);
    need_memory(change != NULL);
    uint32_t count = find_changes(drawing, change);
    qsort(change, count, sizeof *change, compare_changes);
    int64_t held = (int64_t)trace->fixed_bytes;
    for (uint32_t i = 0; i < count; i++) {
        held += change[i].bytes;
        if (i + 1 < count && change[i + 1].at == change[i].at)
            continue;
        begin_event(drawing, "C", "device memory", drawing->rank, 0);
        json_us(drawing->json, "ts", change[i].at);
        json_map_begin(drawing->json, "args", JSON_INLINE);
        json_u64(drawing->json, "bytes", (uint64_t)held);
        json_map_end(drawing->json);
        json_map_end(drawing->json);
    }
    free(change);
}

/* -- everything ------------------------------------------------------------------------------ */

static struct drawing *open_ranks(const struct timeline_view *view, struct json_writer *json,
                                  uint32_t shown)
{
    uint32_t *of_seat = malloc((view->timeline->seats + 1) * sizeof *of_seat);
    need_memory(of_seat != NULL);
    memset(of_seat, 0xff, view->timeline->seats * sizeof *of_seat);
    struct drawing *all = calloc(shown, sizeof *all);
    need_memory(all != NULL);
    for (uint32_t i = 0; i < shown; i++) {
        struct drawing *one = &all[i];
        one->view = view;
        one->timeline = view->timeline;
        one->json = json;
        one->place = i;
        one->rank = shown_rank(view, i);
        one->seat = view->result->class_of_rank[one->rank];
        one->of_seat = of_seat;
        if (of_seat[one->seat] == TIMELINE_NONE)
            of_seat[one->seat] = i;
        one->trace = view->timeline->workload->traces[timeline_trace(view->timeline, one->seat)];
        one->order = malloc((one->trace->count + 1) * sizeof *one->order);
        one->track = malloc((one->trace->count + 1) * sizeof *one->track);
        need_memory(one->order && one->track);
        sort_ops(one);
        lay_out(one);
    }
    return all;
}

/* The shown rank of the send that receive `index` waited for, or NULL. */
static const struct drawing *find_sender(const struct drawing *all, const struct drawing *drawing,
                                         uint32_t index)
{
    const struct timeline_op *op = op_of(drawing, index);
    if (drawing->trace->node[index].type != OP_RECV || op->peer == TIMELINE_NONE ||
        op->end == TIME_NEVER)
        return NULL;
    uint32_t seat = timeline_seat(drawing->timeline, op->peer), place = drawing->of_seat[seat];
    if (place == TIMELINE_NONE)
        return NULL;
    return is_drawn(&all[place], op->peer - drawing->timeline->first[seat]) ? &all[place] : NULL;
}

static void draw_rank(struct drawing *drawing, const struct drawing *all)
{
    uint32_t thread;
    for (uint32_t i = 0; i < drawing->count; i++) {
        slice(drawing, drawing->order[i]);
        const struct drawing *sender = find_sender(all, drawing, drawing->order[i]);
        if (sender)
            arrow(drawing, sender, drawing->order[i]);
    }
    for (uint32_t t = 0; t < drawing->tracks; t++)
        drawing->end[t] = drawing->lane[t] == CLASS_HOST ? TIME_NEVER : 0;
    for (uint32_t i = 0; i < drawing->count; i++)
        launch_slice(drawing, drawing->order[i], &thread);
    name_tracks(drawing);
    memory_counter(drawing);
}

void timeline_json(const struct timeline_view *view, FILE *out)
{
    struct json_writer json;
    uint32_t shown = timeline_fits(view);
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    json_text(&json, "displayTimeUnit", "ns");
    json_map_begin(&json, "otherData", JSON_LINES);
    json_text(&json, "orrery", view->version);
    json_text(&json, "job", view->job);
    json_u64(&json, "ranks_in_all", view->result->rank_count);
    json_u64(&json, "ranks_asked", asked_count(view));
    json_u64(&json, "ranks_shown", shown);
    json_map_end(&json);
    json_list_begin(&json, "traceEvents", JSON_LINES);
    struct drawing *all = open_ranks(view, &json, shown);
    for (uint32_t i = 0; i < shown; i++)
        draw_rank(&all[i], all);
    free(all[0].of_seat);
    for (uint32_t i = 0; i < shown; i++) {
        free(all[i].order);
        free(all[i].track);
    }
    free(all);
    json_list_end(&json);
    json_map_end(&json);
}
