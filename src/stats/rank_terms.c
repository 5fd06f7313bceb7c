#include "stats/rank_terms.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "stats/critical_path_slack.h"
#include "stats/op_names.h"
#include "stats/rank_time.h"

#define NONE UINT32_MAX

enum { MOST_NAME = 200 };

const char *const rank_term_keys[RANK_TERM_COUNT] = {
#define X(name, key, text) [name] = key,
    RANK_TERM_LIST(X)
#undef X
};

const char *const rank_term_names[RANK_TERM_COUNT] = {
#define X(name, key, text) [name] = text,
    RANK_TERM_LIST(X)
#undef X
};

void rank_terms_init(struct rank_terms *terms)
{
    *terms = (struct rank_terms){.seats = 0};
    arena_init(&terms->arena);
}

void rank_terms_release(struct rank_terms *terms)
{
    arena_release(&terms->arena);
}

/* -- tables in the making ---------------------------------------------------------------------- */

/* The rows of a node, which all ranks of its trace share. */
struct node_rows {
    uint32_t row[TERMS_BY_COUNT];
};

struct tally {
    struct rank_terms *terms;
    const struct timeline *timeline;
    struct path_splitter *splitter;
    struct names names[TERMS_BY_COUNT];
    uint32_t room[TERMS_BY_COUNT];
    struct node_rows **rows; /* [traces][nodes] */
    /* of the seat being counted */
    uint32_t seat, rank, ranks;
    struct trace *trace;
};

static uint32_t row_of(struct tally *tally, enum terms_by by, enum rank_term term, const char *name)
{
    char key[MOST_NAME + 8];
    struct terms_table *table = &tally->terms->by[by];
    int length = snprintf(key, sizeof key, "%c%s", 'a' + (int)term, name);
    uint32_t index = names_add(&tally->names[by], key, (size_t)length);
    if (index < table->count)
        return index;
    table->row = arena_grow(&tally->terms->arena, table->row, table->count, &tally->room[by],
                            sizeof *table->row);
    table->row[table->count++] = (struct terms_row){
        .name = arena_text(&tally->terms->arena, name, strlen(name)), .term = term};
    return index;
}

static void book(struct tally *tally, enum terms_by by, uint32_t row, time_ps time)
{
    tally->terms->by[by].row[row].sum_ps += (apportion_sum)time * tally->ranks;
}

static void book_term(struct tally *tally, enum rank_term term, const char *name, time_ps time)
{
    if (!time)
        return;
    book(tally, TERMS_BY_PART, row_of(tally, TERMS_BY_PART, term, name), time);
    tally->terms->of_seat[tally->seat][term] += time;
}

/* -- one op ------------------------------------------------------------------------------------ */

static const struct node_rows *rows_of(struct tally *tally, uint32_t index)
{
    uint32_t number = timeline_trace(tally->timeline, tally->seat);
    struct node_rows *rows = tally->rows[number];
    if (!rows) {
        rows = malloc((tally->trace->count + 1) * sizeof *rows);
        need_memory(rows != NULL);
        memset(rows, 0xff, tally->trace->count * sizeof *rows);
        tally->rows[number] = rows;
    }
    if (rows[index].row[0] != NONE)
        return &rows[index];
    const struct trace_node *node = &tally->trace->node[index];
    char name[MOST_NAME];
    uint32_t *row = rows[index].row;
    row[TERMS_BY_PART] = 0; /* known, and not used */
    op_collective_name(name, sizeof name, tally->trace, node);
    row[TERMS_BY_COLLECTIVE] = row_of(tally, TERMS_BY_COLLECTIVE, 0, name);
    row[TERMS_BY_CLASS] = row_of(tally, TERMS_BY_CLASS, 0, path_op_class(tally->trace, node));
    op_pattern(name, sizeof name, trace_name(tally->trace, index));
    row[TERMS_BY_OP] = row_of(tally, TERMS_BY_OP, 0, name);
    return &rows[index];
}

static void book_others(struct tally *tally, const struct node_rows *rows, time_ps time)
{
    for (int by = TERMS_BY_PART + 1; by < TERMS_BY_COUNT; by++)
        book(tally, (enum terms_by)by, rows->row[by], time);
}

/* Time in which no op runs. */
static void book_nothing(struct tally *tally, const char *name, time_ps time)
{
    if (!time)
        return;
    book(tally, TERMS_BY_COLLECTIVE, row_of(tally, TERMS_BY_COLLECTIVE, 0, op_no_communication),
         time);
    book(tally, TERMS_BY_CLASS, row_of(tally, TERMS_BY_CLASS, 0, name), time);
    book(tally, TERMS_BY_OP, row_of(tally, TERMS_BY_OP, 0, name), time);
}

static enum rank_term term_of(enum activity activity, enum path_part part)
{
    switch (activity) {
    case ACTIVITY_COMPUTE:
        return RANK_TERM_COMPUTE;
    case ACTIVITY_MEMORY:
        return RANK_TERM_MEMORY;
    case ACTIVITY_HOST:
        return RANK_TERM_HOST;
    default:
        break;
    }
    return part == PART_LATENCY     ? RANK_TERM_LATENCY
           : part == PART_BANDWIDTH ? RANK_TERM_BANDWIDTH
           : part == PART_REPLAYED  ? RANK_TERM_REPLAYED
                                    : RANK_TERM_CONTENTION;
}

static const char *part_name(enum rank_term term, enum path_part part, int dim, char *to,
                             size_t size)
{
    if (dim >= 0)
        snprintf(to, size, "dimension %d", dim);
    else
        snprintf(to, size, "%s",
                 term == RANK_TERM_COMPUTE || term == RANK_TERM_HOST ? path_part_name(part) : "");
    return to;
}

/* What the op owns, as it is made of as a whole. */
static void book_owned(struct tally *tally, const struct owned_op *op)
{
    enum {
        MOST_PARTS = sizeof((struct path_parts *)0)->row / sizeof((struct path_parts *)0)->row[0]
    };
    struct path_parts parts;
    apportion_sum part[MOST_PARTS];
    time_ps share[MOST_PARTS];
    char name[MOST_NAME];
    bool is_comm = op->activity == ACTIVITY_COMM;
    time_ps from = is_comm && op->moving > op->begin ? op->moving : op->begin;
    const struct path_op what = {tally->rank, tally->trace,
                                 &tally->trace->node[op->op - tally->timeline->first[tally->seat]]};
    if (!op->owned_ps)
        return;
    path_parts_find(tally->splitter, &what, is_comm ? PATH_NETWORK : PATH_OP, op->end - from,
                    &parts);
    for (uint32_t i = 0; i < parts.count; i++)
        part[i] = parts.row[i].time_ps;
    apportion(part, parts.count, op->owned_ps, op->end - from, share);
    for (uint32_t i = 0; i < parts.count; i++) {
        enum rank_term term = term_of(op->activity, parts.row[i].part);
        book_term(tally, term,
                  part_name(term, parts.row[i].part, parts.row[i].dim, name, sizeof name),
                  share[i]);
    }
}

static void book_launch(struct tally *tally, const struct owned_op *op)
{
    const struct trace_node *node =
        &tally->trace->node[op->op - tally->timeline->first[tally->seat]];
    enum path_part part = trace_is_communication(node) ? PART_LAUNCH_COMM : PART_LAUNCH;
    book_term(tally, RANK_TERM_HOST, path_part_name(PART_STEP_OVERHEAD), op->early_ps);
    book_term(tally, RANK_TERM_HOST, path_part_name(part), op->owned_ps - op->early_ps);
    book_nothing(tally, op_launches, op->owned_ps);
}

static void book_op(struct tally *tally, const struct owned_op *op)
{
    if (op->is_launch) {
        book_launch(tally, op);
        return;
    }
    if (!op->owned_ps && !op->waited_ps)
        return;
    uint32_t index = op->op - tally->timeline->first[tally->seat];
    bool is_meeting = tally->timeline->meeting[op->op] != TIMELINE_NONE;
    book_owned(tally, op);
    book_term(tally, is_meeting ? RANK_TERM_WAITING : RANK_TERM_BUBBLE, "", op->waited_ps);
    book_others(tally, rows_of(tally, index), op->owned_ps + op->waited_ps);
}

/* -- a run ------------------------------------------------------------------------------------- */

static void count_seat(struct tally *tally, const struct rank_time *time)
{
    const struct timeline *timeline = tally->timeline;
    tally->rank = timeline->rank_of_seat[tally->seat];
    tally->ranks = timeline->ranks[tally->seat];
    tally->trace = timeline->workload->traces[timeline_trace(timeline, tally->seat)];
    for (uint32_t i = 0; i < time->count; i++)
        book_op(tally, &time->op[i]);
    book_term(tally, RANK_TERM_IDLE, "before the last op of a rank", time->idle_ps);
    book_term(tally, RANK_TERM_IDLE, "after it", time->after_ps);
    book_nothing(tally, op_nothing, time->idle_ps + time->after_ps);
}

/* Rule 1. */
static enum status check(const struct rank_terms *terms, struct diag *diag)
{
    apportion_sum all = (apportion_sum)terms->end_ps * terms->rank_count;
    for (int by = 0; by < TERMS_BY_COUNT; by++) {
        apportion_sum sum = 0;
        for (uint32_t i = 0; i < terms->by[by].count; i++)
            sum += terms->by[by].row[i].sum_ps;
        if (sum != all)
            return diag_fail(diag, STATUS_LAW,
                             "the times of all ranks sum to %.0f ps in table %d, to %.0f ps by the "
                             "run's end",
                             (double)sum, by, (double)all);
    }
    for (uint32_t s = 0; s < terms->seats; s++) {
        time_ps sum = 0;
        for (int term = 0; term < RANK_TERM_COUNT; term++)
            sum += terms->of_seat[s][term];
        if (sum != terms->end_ps)
            return diag_fail(diag, STATUS_LAW,
                             "the terms of a rank sum to %" PRIu64 " ps, the run took %" PRIu64
                             " ps",
                             sum, terms->end_ps);
    }
    return STATUS_OK;
}

static int by_term(const void *left, const void *right)
{
    const struct terms_row *a = left, *b = right;
    if (a->term != b->term)
        return a->term < b->term ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void begin(struct tally *tally, struct rank_terms *terms)
{
    const struct timeline *timeline = tally->timeline;
    uint32_t *traces = arena_array(&terms->arena, timeline->seats, sizeof *traces);
    for (uint32_t s = 0; s < timeline->seats; s++)
        traces[s] = timeline_trace(timeline, s);
    terms->seats = timeline->seats;
    terms->trace_of_seat = traces;
    terms->of_seat = arena_array(&terms->arena, timeline->seats, sizeof *terms->of_seat);
    memset(terms->of_seat, 0, timeline->seats * sizeof *terms->of_seat);
    for (int by = 0; by < TERMS_BY_COUNT; by++)
        names_init(&tally->names[by]);
    tally->rows = calloc((size_t)timeline->workload->trace_count + 1, sizeof *tally->rows);
    need_memory(tally->rows != NULL);
}

static void end(struct tally *tally)
{
    for (int by = 0; by < TERMS_BY_COUNT; by++)
        names_release(&tally->names[by]);
    for (uint32_t t = 0; t < tally->timeline->workload->trace_count; t++)
        free(tally->rows[t]);
    free(tally->rows);
    struct terms_table *parts = &tally->terms->by[TERMS_BY_PART];
    if (parts->count)
        qsort(parts->row, parts->count, sizeof *parts->row, by_term);
}

enum status rank_terms_find(struct rank_terms *terms, const struct timeline *timeline,
                            struct path_splitter *splitter, const struct run_result *result,
                            struct diag *diag)
{
    const struct system_config *system = &splitter->config->system;
    struct tally tally = {.terms = terms, .timeline = timeline, .splitter = splitter};
    struct rank_time time;
    enum status status = STATUS_OK;
    terms->end_ps = result->end_ps;
    terms->rank_count = result->rank_count;
    begin(&tally, terms);
    rank_time_init(&time, timeline, system->rendezvous);
    time_ps step = time_rounded(system->step_overhead_ns, system->whole_ns);
    for (tally.seat = 0; tally.seat < timeline->seats && status == STATUS_OK; tally.seat++) {
        rank_time_find(&time, tally.seat, step, result->end_ps);
        status = rank_time_check(&time, &result->class_result[tally.seat], result->end_ps, diag);
        if (status == STATUS_OK)
            count_seat(&tally, &time);
    }
    rank_time_release(&time);
    end(&tally);
    return status == STATUS_OK ? check(terms, diag) : status;
}
