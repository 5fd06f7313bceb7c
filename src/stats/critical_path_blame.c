#include "stats/critical_path_blame.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "net/topology/node_class.h"
#include "stats/op_names.h"
#include "stats/result.h"

enum { MOST_NAME = 200 };

const char *const blame_by_names[BLAME_BY_COUNT] = {
    "by part", "by collective", "by class of op", "by class of link",
    "by link", "by stage",      "by rank",        "by op",
};

const char *const blame_by_keys[BLAME_BY_COUNT] = {
    "parts", "collectives", "classes", "link_classes", "links", "stages", "ranks", "ops",
};

const char blame_no_links[] = "(the network model sees no links)";

void path_blame_init(struct path_blame *blame)
{
    *blame = (struct path_blame){.pieces = 0};
    arena_init(&blame->arena);
}

void path_blame_release(struct path_blame *blame)
{
    arena_release(&blame->arena);
}

/* -- tables in the making -------------------------------------------------------------------- */

struct tally {
    struct path_blame *blame;
    const struct timeline *timeline;
    struct path_splitter *splitter;
    struct names names[BLAME_BY_COUNT];
    uint32_t room[BLAME_BY_COUNT];
    /* of the piece being counted */
    const struct path_piece *piece;
    struct trace *trace;
    const struct trace_node *node;
    uint32_t rank;
};

static struct blame_row *row_of(struct tally *tally, enum blame_by by, const char *name)
{
    struct blame_table *table = &tally->blame->by[by];
    uint32_t index = names_add(&tally->names[by], name, strlen(name));
    if (index < table->count)
        return &table->row[index];
    table->row = arena_grow(&tally->blame->arena, table->row, table->count, &tally->room[by],
                            sizeof *table->row);
    struct blame_row *row = &table->row[table->count++];
    *row = (struct blame_row){.name = arena_text(&tally->blame->arena, name, strlen(name)),
                              .change = "",
                              .part = -1,
                              .dim = -1};
    return row;
}

static void book(struct blame_row *row, time_ps time)
{
    row->time_ps += time;
    row->pieces++;
}

static void book_part(struct tally *tally, enum path_part part, int dim, time_ps time)
{
    char name[MOST_NAME];
    snprintf(name, sizeof name, dim < 0 ? "%s" : "%s, dimension %d", path_part_name(part), dim);
    struct blame_row *row = row_of(tally, BLAME_BY_PART, name);
    row->change = path_part_change(part);
    row->part = part;
    row->dim = dim;
    book(row, time);
}

static void count_part(struct tally *tally, time_ps length)
{
    const struct path_op op = {tally->rank, tally->trace, tally->node};
    struct path_parts parts;
    path_parts_find(tally->splitter, &op, tally->piece->kind, length, &parts);
    for (uint32_t i = 0; i < parts.count; i++)
        book_part(tally, parts.row[i].part, parts.row[i].dim, parts.row[i].time_ps);
}

/* -- the other tables ------------------------------------------------------------------------ */

static bool is_ops(const struct tally *tally)
{
    return tally->piece->kind == PATH_OP || tally->piece->kind == PATH_NETWORK;
}

static const char *other_name(const struct tally *tally)
{
    return tally->piece->kind == PATH_LAUNCH ? op_launches : op_nothing;
}

static const char *class_name(const struct tally *tally)
{
    const struct trace_node *node = tally->node;
    if (!is_ops(tally))
        return other_name(tally);
    return path_op_class(tally->trace, node);
}

static void count_collective(struct tally *tally, time_ps length)
{
    char name[MOST_NAME];
    const char *text = is_ops(tally)
                           ? op_collective_name(name, sizeof name, tally->trace, tally->node)
                           : op_no_communication;
    book(row_of(tally, BLAME_BY_COLLECTIVE, text), length);
}

static void count_rank(struct tally *tally, time_ps length)
{
    char name[MOST_NAME];
    uint32_t alike = tally->timeline->ranks[tally->piece->seat];
    snprintf(name, sizeof name, alike > 1 ? "%" PRIu32 " (%" PRIu32 " alike)" : "%" PRIu32,
             tally->rank, alike);
    book(row_of(tally, BLAME_BY_RANK, name), length);
}

static void count_op(struct tally *tally, time_ps length)
{
    char name[MOST_NAME];
    uint32_t index = tally->piece->op - tally->timeline->first[tally->piece->seat];
    const char *text = is_ops(tally) ? trace_name(tally->trace, index) : other_name(tally);
    book(row_of(tally, BLAME_BY_OP, op_pattern(name, sizeof name, text)), length);
}

/* -- links ----------------------------------------------------------------------------------- */

static void book_links(struct tally *tally, const char *class, const char *link, time_ps time)
{
    if (!time)
        return;
    book(row_of(tally, BLAME_BY_LINK_CLASS, class), time);
    book(row_of(tally, BLAME_BY_LINK, link), time);
}

static void count_link(void *context, uint32_t link, time_ps time)
{
    struct tally *tally = context;
    const struct fabric *fabric = tally->splitter->paths.fabric;
    const struct fabric_link *at = &fabric->link[link];
    char ends[2][NODE_CLASS_TEXT], class[MOST_NAME], name[MOST_NAME];
    bool is_up = at->src < at->dst;
    node_class(fabric->node[is_up ? at->src : at->dst].name, ends[0]);
    node_class(fabric->node[is_up ? at->dst : at->src].name, ends[1]);
    snprintf(class, sizeof class, fabric->dim_count > 1 ? "%s--%s, dimension %u" : "%s--%s",
             ends[0], ends[1], (unsigned)at->dim);
    snprintf(name, sizeof name, "%.90s->%.90s", fabric->node[at->src].name,
             fabric->node[at->dst].name);
    book_links(tally, class, name, time);
}

static void count_links(struct tally *tally, time_ps length)
{
    struct path_split split;
    char rest[MOST_NAME];
    if (!tally->splitter->server_dims) {
        book_links(tally, blame_no_links, blame_no_links, length);
        return;
    }
    if (tally->piece->kind != PATH_NETWORK || path_is_replayed(tally->splitter, tally->node)) {
        book_links(tally, "(no message)", "(no message)", length);
        return;
    }
    path_split(tally->splitter, tally->rank, tally->node, length, &split);
    path_split_links(tally->splitter, tally->rank, tally->node, &split, count_link, tally);
    snprintf(rest, sizeof rest, "(%s)", path_part_name(PART_CONTENTION));
    book_links(tally, rest, rest, split.rest_ps);
}

static void count_piece(struct tally *tally, const struct path_piece *piece)
{
    const struct timeline *timeline = tally->timeline;
    tally->piece = piece;
    tally->rank = timeline->rank_of_seat[piece->seat];
    tally->trace = timeline->workload->traces[timeline_trace(timeline, piece->seat)];
    tally->node = &tally->trace->node[piece->op - timeline->first[piece->seat]];
    time_ps length = piece->to - piece->from;
    count_part(tally, length);
    count_collective(tally, length);
    book(row_of(tally, BLAME_BY_CLASS, class_name(tally)), length);
    book(row_of(tally, BLAME_BY_STAGE, tally->trace->path), length);
    count_links(tally, length);
    count_rank(tally, length);
    count_op(tally, length);
}

/* Most first; equal ones by name. */
static int compare(const void *left, const void *right)
{
    const struct blame_row *a = left, *b = right;
    if (a->time_ps != b->time_ps)
        return a->time_ps > b->time_ps ? -1 : 1;
    return strcmp(a->name, b->name);
}

void path_blame_find(struct path_blame *blame, const struct critical_path *path,
                     const struct timeline *timeline, struct path_splitter *splitter)
{
    struct tally tally = {.blame = blame, .timeline = timeline, .splitter = splitter};
    for (int by = 0; by < BLAME_BY_COUNT; by++)
        names_init(&tally.names[by]);
    blame->end_ps = path->end;
    blame->pieces = path->count;
    for (uint32_t i = 0; i < path->count; i++)
        count_piece(&tally, &path->piece[i]);
    for (int by = 0; by < BLAME_BY_COUNT; by++) {
        names_release(&tally.names[by]);
        if (blame->by[by].count)
            qsort(blame->by[by].row, blame->by[by].count, sizeof *blame->by[by].row, compare);
    }
}

enum status path_blame_check(const struct path_blame *blame, struct diag *diag)
{
    for (int by = 0; by < BLAME_BY_COUNT; by++) {
        time_ps sum = 0;
        for (uint32_t i = 0; i < blame->by[by].count; i++)
            sum += blame->by[by].row[i].time_ps;
        if (sum != blame->end_ps)
            return diag_fail(diag, STATUS_LAW,
                             "the critical path %s sums to %" PRIu64 " ps, the run took %" PRIu64
                             " ps",
                             blame_by_names[by], sum, blame->end_ps);
    }
    return STATUS_OK;
}

time_ps path_blame_part(const struct path_blame *blame, enum path_part part, int dim)
{
    time_ps sum = 0;
    for (uint32_t i = 0; i < blame->by[BLAME_BY_PART].count; i++) {
        const struct blame_row *row = &blame->by[BLAME_BY_PART].row[i];
        if (row->part == (int)part && (dim < 0 || row->dim == dim))
            sum += row->time_ps;
    }
    return sum;
}
