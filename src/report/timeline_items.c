/*
 * Slices and arrows of a timeline: every op of the ranks shown on a track of its lane, and what a
 * receive or a collective waited for.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/timeline_parts.h"
#include "sched/slots.h"

static struct item *add_item(struct drawing *drawing)
{
    size_t place = grow_push(&drawing->items, 1);
    return (struct item *)drawing->items.base + place;
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

/* The first track of the lane that is free then; of more than MOST_TRACKS the last is taken. */
static uint16_t take_track(struct drawn_rank *rank, uint8_t lane, int32_t stream, time_ps begin,
                           time_ps end)
{
    uint32_t track = 0;
    while (track < rank->tracks &&
           (rank->track[track].lane != lane || rank->track[track].end > begin))
        track++;
    if (track == MOST_TRACKS)
        track--;
    if (track == rank->tracks)
        rank->track[rank->tracks++] = (struct lane_track){.lane = lane, .stream = stream};
    rank->track[track].end = end;
    return (uint16_t)track;
}

/* -- arrows ---------------------------------------------------------------------------------- */

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static bool is_on_path(const struct drawing *drawing, uint32_t op)
{
    return drawing->path_ops &&
           bsearch(&op, drawing->path_op, drawing->path_ops, sizeof op, compare_numbers) != NULL;
}

/* Collectives whose end on the path goes back to another rank. */
static void find_path_ops(struct drawing *drawing)
{
    const struct critical_path *path = drawing->view->path;
    if (!path)
        return;
    drawing->path_op = malloc(((size_t)path->count + 1) * sizeof *drawing->path_op);
    need_memory(drawing->path_op != NULL);
    for (uint32_t i = 0; i < path->count; i++)
        if (path->piece[i].kind == PATH_NETWORK)
            drawing->path_op[drawing->path_ops++] = path->piece[i].op;
    qsort(drawing->path_op, drawing->path_ops, sizeof *drawing->path_op, compare_numbers);
}

/* The op on a rank that is shown from which an arrow leads to op `index` of `rank`: number in the
 * timeline, or TIMELINE_NONE. */
static uint32_t find_peer(const struct drawing *drawing, const struct drawn_rank *rank,
                          uint32_t index)
{
    const struct timeline *timeline = drawing->timeline;
    uint32_t number = timeline->first[rank->seat] + index;
    const struct timeline_op *op = &timeline->op[number];
    enum op_type type = trace_run_as(&rank->trace->node[index]);
    bool has_arrow = type == OP_RECV || (type == OP_COLLECTIVE && is_on_path(drawing, number));
    if (!has_arrow || op->peer == TIMELINE_NONE || op->end == TIME_NEVER)
        return TIMELINE_NONE;
    uint32_t seat = timeline_seat(timeline, op->peer);
    bool is_own = type == OP_COLLECTIVE && seat == rank->seat;
    if (is_own || drawing->of_seat[seat] == TIMELINE_NONE ||
        !timeline_shows(drawing->view, drawing->pick, op->peer))
        return TIMELINE_NONE;
    return op->peer;
}

static uint32_t add_arrow(struct drawing *drawing, uint32_t from)
{
    uint32_t seat = timeline_seat(drawing->timeline, from);
    size_t at = grow_push(&drawing->arrows, 1);
    ((struct arrow *)drawing->arrows.base)[at] =
        (struct arrow){.place = drawing->of_seat[seat],
                       .index = from - drawing->timeline->first[seat],
                       .number = at + 1};
    return (uint32_t)at + 1;
}

/* Rule 3: the arrow ends at the slice, or at one within it. */
static void lead_arrow(struct drawing *drawing, struct item *item)
{
    uint32_t from = find_peer(drawing, &drawing->rank[item->place], item->index);
    if (from == TIMELINE_NONE)
        return;
    uint64_t left_ns = whole_ns_of(drawing->timeline->op[from].begin);
    if (whole_ns_of(item->begin) > left_ns) {
        item->in = add_arrow(drawing, from);
        return;
    }
    if (left_ns + 1 >= whole_ns_of(item->end))
        return;
    struct item message = *item;
    message.kind = ITEM_MESSAGE;
    message.begin = (left_ns + 1) * PS_PER_NS;
    message.in = add_arrow(drawing, from);
    *add_item(drawing) = message;
}

static int compare_arrows(const void *left, const void *right)
{
    const struct arrow *a = left, *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    if (a->index != b->index)
        return a->index < b->index ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* -- ranks ----------------------------------------------------------------------------------- */

static uint32_t sort_ops(const struct drawing *drawing, const struct drawn_rank *rank,
                         struct start *start)
{
    const struct timeline *timeline = drawing->timeline;
    uint32_t count = 0, first = timeline->first[rank->seat];
    for (uint32_t i = 0; i < rank->trace->count; i++)
        if (timeline_shows(drawing->view, drawing->pick, first + i))
            start[count++] = (struct start){timeline->op[first + i].begin, i};
    qsort(start, count, sizeof *start, compare_starts);
    return count;
}

static void add_op(struct drawing *drawing, uint32_t place, uint32_t index)
{
    struct drawn_rank *rank = &drawing->rank[place];
    uint32_t number = drawing->timeline->first[rank->seat] + index;
    const struct timeline_op *op = &drawing->timeline->op[number];
    struct item *item = add_item(drawing);
    *item = (struct item){.begin = op->begin,
                          .end = timeline_end_of(drawing->view, op),
                          .place = place,
                          .index = index,
                          .kind = ITEM_OP};
    item->track = take_track(rank, drawing->timeline->lane[number], rank->trace->node[index].stream,
                             item->begin, item->end);
    lead_arrow(drawing, item);
}

/* The time for which the device had a turn for the op and the host had not launched it. */
static void add_launch(struct drawing *drawing, uint32_t place, uint32_t index)
{
    struct drawn_rank *rank = &drawing->rank[place];
    uint32_t number = drawing->timeline->first[rank->seat] + index;
    const struct timeline_op *op = &drawing->timeline->op[number];
    time_ps issued = timeline_issued(drawing->timeline, rank->seat, number);
    if (issued >= op->begin || op->gate == GATE_WAKE)
        return;
    uint16_t track = take_track(rank, CLASS_HOST, 0, issued, op->begin);
    *add_item(drawing) = (struct item){.begin = issued,
                                       .end = op->begin,
                                       .place = place,
                                       .index = index,
                                       .kind = ITEM_LAUNCH,
                                       .track = track};
}

static void add_rank(struct drawing *drawing, uint32_t place)
{
    struct drawn_rank *rank = &drawing->rank[place];
    struct start *start = malloc(((size_t)rank->trace->count + 1) * sizeof *start);
    need_memory(start != NULL);
    uint32_t count = sort_ops(drawing, rank, start);
    for (uint32_t i = 0; i < count; i++)
        add_op(drawing, place, start[i].index);
    for (uint32_t t = 0; t < rank->tracks; t++)
        rank->track[t].end = rank->track[t].lane == CLASS_HOST ? TIME_NEVER : 0;
    for (uint32_t i = 0; i < count; i++)
        add_launch(drawing, place, start[i].index);
    free(start);
}

static void add_path(struct drawing *drawing)
{
    const struct critical_path *path = drawing->view->path;
    for (uint32_t i = 0; path && i < path->count; i++) {
        const struct path_piece *piece = &path->piece[i];
        if (timeline_is_asked(drawing->view, piece->from, piece->to))
            *add_item(drawing) = (struct item){.begin = piece->from,
                                               .end = piece->to,
                                               .place = TIMELINE_NONE,
                                               .index = i,
                                               .kind = ITEM_PATH};
    }
}

/* Ascending begin in ns; then what lies within another after it. */
static int compare_items(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    uint64_t a_ns = whole_ns_of(a->begin), b_ns = whole_ns_of(b->begin);
    if (a_ns != b_ns)
        return a_ns < b_ns ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

void drawing_find_items(struct drawing *drawing)
{
    uint32_t most = (1u << 31) - 1;
    need_memory(grow_init(&drawing->items, sizeof(struct item), most) &&
                grow_init(&drawing->arrows, sizeof(struct arrow), most));
    find_path_ops(drawing);
    for (uint32_t i = 0; i < drawing->pick->count; i++)
        add_rank(drawing, i);
    add_path(drawing);
    qsort(drawing->items.base, drawing->items.count, sizeof(struct item), compare_items);
    qsort(drawing->arrows.base, drawing->arrows.count, sizeof(struct arrow), compare_arrows);
}
