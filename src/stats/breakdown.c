#include "stats/breakdown.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define NONE UINT32_MAX

enum { MOST_ACTIVE = 1 << 26 };

struct active_op {
    const time_ps *peers_ps;
    uint32_t next, previous; /* of the rank's communication, oldest first */
    int comm_kind;
    enum activity activity;
};

struct rank_book {
    struct rank_result result;
    time_ps since; /* start of the open piece */
    uint32_t running[ACTIVITY_COUNT];
    uint32_t first_comm, last_comm;
};

bool breakdown_init(struct breakdown *breakdown, uint32_t rank_count, uint32_t group_count)
{
    *breakdown = (struct breakdown){
        .rank_count = rank_count, .group_count = group_count, .free_active = NONE};
    breakdown->rank = calloc(rank_count, sizeof *breakdown->rank);
    breakdown->group = calloc(group_count, sizeof *breakdown->group);
    need_memory(breakdown->rank && breakdown->group);
    for (uint32_t r = 0; r < rank_count; r++)
        breakdown->rank[r].first_comm = breakdown->rank[r].last_comm = NONE;
    memory_track_init(&breakdown->memory, rank_count);
    return grow_init(&breakdown->active, sizeof(struct active_op), MOST_ACTIVE);
}

void breakdown_release(struct breakdown *breakdown)
{
    grow_release(&breakdown->active);
    memory_track_release(&breakdown->memory);
    free(breakdown->rank);
    free(breakdown->group);
    free(breakdown->collective);
    *breakdown = (struct breakdown){0};
}

static struct active_op *active_at(const struct breakdown *breakdown, uint32_t index)
{
    return (struct active_op *)breakdown->active.base + index;
}

/* Exposed communication from `since` to `now`: waiting until the peers came, then moving data. */
static void book_exposed(struct rank_book *book, const struct active_op *op, time_ps now)
{
    time_ps moving = *op->peers_ps;
    moving = moving < book->since ? book->since : moving > now ? now : moving;
    book->result.waiting_ps += moving - book->since;
    book->result.exposed_ps[op->comm_kind] += now - moving;
}

static void close_piece(const struct breakdown *breakdown, struct rank_book *book, time_ps now)
{
    time_ps length = now - book->since;
    if (!length)
        return;
    const struct active_op *comm =
        book->first_comm == NONE ? NULL : active_at(breakdown, book->first_comm);
    struct rank_result *result = &book->result;
    if (book->running[ACTIVITY_COMPUTE]) {
        result->compute_ps += length;
        if (comm)
            result->overlapped_ps[comm->comm_kind] += length;
    } else if (comm) {
        book_exposed(book, comm, now);
    } else if (book->running[ACTIVITY_MEMORY]) {
        result->memory_ps += length;
    } else if (book->running[ACTIVITY_HOST]) {
        result->host_ps += length;
    } else {
        result->idle_ps += length;
    }
    book->since = now;
}

static uint32_t op_begin(void *self, uint32_t rank, enum activity activity, int comm_kind,
                         const time_ps *peers_ps, time_ps now)
{
    struct breakdown *breakdown = self;
    struct rank_book *book = &breakdown->rank[rank];
    close_piece(breakdown, book, now);
    uint32_t index = breakdown->free_active;
    if (index == NONE)
        index = (uint32_t)grow_push(&breakdown->active, 1);
    else
        breakdown->free_active = active_at(breakdown, index)->next;
    struct active_op *op = active_at(breakdown, index);
    *op = (struct active_op){peers_ps, NONE, book->last_comm, comm_kind, activity};
    book->running[activity]++;
    if (activity == ACTIVITY_COMM) {
        *(book->last_comm == NONE ? &book->first_comm
                                  : &active_at(breakdown, book->last_comm)->next) = index;
        book->last_comm = index;
    }
    return index;
}

static void op_end(void *self, uint32_t rank, uint32_t handle, enum op_type type, time_ps now)
{
    struct breakdown *breakdown = self;
    struct rank_book *book = &breakdown->rank[rank];
    if (type < OP_TYPE_COUNT)
        book->result.nodes[type]++;
    if (handle == NONE)
        return;
    close_piece(breakdown, book, now);
    struct active_op *op = active_at(breakdown, handle);
    book->running[op->activity]--;
    if (op->activity == ACTIVITY_COMM) {
        *(op->previous == NONE ? &book->first_comm : &active_at(breakdown, op->previous)->next) =
            op->next;
        *(op->next == NONE ? &book->last_comm : &active_at(breakdown, op->next)->previous) =
            op->previous;
    }
    op->next = breakdown->free_active;
    breakdown->free_active = handle;
}

static void rank_end(void *self, uint32_t rank, time_ps compute_sum_ps, time_ps now)
{
    struct breakdown *breakdown = self;
    struct rank_book *book = &breakdown->rank[rank];
    close_piece(breakdown, book, now);
    book->result.finish_ps = now;
    book->result.compute_sum_ps = compute_sum_ps;
    book->result.finished = true;
}

void breakdown_close(struct breakdown *breakdown, time_ps now)
{
    for (uint32_t r = 0; r < breakdown->rank_count; r++) {
        struct rank_book *book = &breakdown->rank[r];
        if (book->result.finished)
            continue;
        close_piece(breakdown, book, now);
        book->result.finish_ps = now;
    }
}

/* -- collectives ---------------------------------------------------------------------------- */

/* Bytes of the whole operation and what a byte costs on the busiest port, as nccl-tests define. */
static double operation_size(const struct collective_record *record, double *bus_factor)
{
    double n = record->group->count, bytes = (double)record->size_bytes;
    *bus_factor = n > 1 ? (n - 1) / n : 0;
    if (record->moves_own_sizes)
        return 0;
    switch (record->kind) {
    case COLL_ALL_REDUCE:
        *bus_factor *= 2;
        return bytes;
    case COLL_ALL_GATHER:
    case COLL_GATHER:
    case COLL_SCATTER:
        return bytes * n;
    case COLL_BROADCAST:
    case COLL_REDUCE:
        *bus_factor = 1;
        return bytes;
    case COLL_BARRIER:
        return 0;
    default:
        return bytes;
    }
}

static struct collective_book *find_row(struct breakdown *breakdown,
                                        const struct collective_record *record)
{
    for (uint32_t i = 0; i < breakdown->collective_count; i++) {
        struct collective_row *row = &breakdown->collective[i].row;
        if (row->kind == record->kind && row->group_size == record->group->count &&
            strcmp(row->algorithm, record->algorithm) == 0)
            return &breakdown->collective[i];
    }
    if (breakdown->collective_count == breakdown->collective_room) {
        breakdown->collective_room =
            breakdown->collective_room ? 2 * breakdown->collective_room : 8;
        breakdown->collective = realloc(breakdown->collective,
                                        breakdown->collective_room * sizeof *breakdown->collective);
        need_memory(breakdown->collective != NULL);
    }
    struct collective_book *book = &breakdown->collective[breakdown->collective_count++];
    *book = (struct collective_book){.row = {.kind = record->kind,
                                             .group_size = record->group->count,
                                             .algorithm = record->algorithm,
                                             .least_ps = TIME_NEVER}};
    return book;
}

/* Saturates. */
static time_ps time_sum(time_ps sum, time_ps one, uint32_t times)
{
    unsigned __int128 all = (unsigned __int128)one * times + sum;
    return all < TIME_NEVER ? (time_ps)all : TIME_NEVER;
}

static void collective_end(void *self, const struct collective_record *record)
{
    struct breakdown *breakdown = self;
    struct collective_book *book = find_row(breakdown, record);
    time_ps took_ps = record->last_end_ps - record->last_arrival_ps;
    double factor, operation = operation_size(record, &factor);
    struct collective_row *row = &book->row;
    row->count += record->groups;
    row->bytes += (double)record->size_bytes * record->groups;
    row->time_ps = time_sum(row->time_ps, took_ps, record->groups);
    row->least_ps = took_ps < row->least_ps ? took_ps : row->least_ps;
    row->most_ps = took_ps > row->most_ps ? took_ps : row->most_ps;
    row->skew_ps =
        time_sum(row->skew_ps, record->last_arrival_ps - record->first_arrival_ps, record->groups);
    book->operation_bytes += operation * record->groups;
    book->bus_bytes +=
        (record->uneven_bytes > 0 ? record->uneven_bytes : operation * factor) * record->groups;
    if (row->time_ps) {
        row->algorithm_Bps = book->operation_bytes / ((double)row->time_ps / PS_PER_S);
        row->bus_Bps = book->bus_bytes / ((double)row->time_ps / PS_PER_S);
    }
    struct group_row *group = &breakdown->group[record->group_index];
    group->name = record->group->name;
    group->size = record->group->count;
    group->collectives++;
    group->bytes += (double)record->size_bytes;
    group->time_ps += took_ps;
}

/* Rows in an order that does not depend on which op happened to end first. */
static int compare_rows(const void *left, const void *right)
{
    const struct collective_row *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->group_size != b->group_size)
        return a->group_size < b->group_size ? -1 : 1;
    return strcmp(a->algorithm, b->algorithm);
}

/* Groups of one name follow each other. */
static bool add_to_last(struct run_result *result, const struct group_row *row)
{
    struct group_row *last = result->group + result->group_count;
    if (!result->group_count || strcmp((--last)->name, row->name) != 0 || last->size != row->size)
        return false;
    last->groups++;
    last->collectives += row->collectives;
    last->bytes += row->bytes;
    last->time_ps = time_after(last->time_ps, row->time_ps);
    return true;
}

void breakdown_fill(const struct breakdown *breakdown, struct run_result *result)
{
    struct arena *arena = &result->arena;
    result->class_count = breakdown->rank_count;
    result->class_result = arena_array(arena, breakdown->rank_count, sizeof *result->class_result);
    for (uint32_t r = 0; r < breakdown->rank_count; r++)
        result->class_result[r] = breakdown->rank[r].result;

    result->collective =
        arena_array(arena, breakdown->collective_count, sizeof *result->collective);
    result->collective_count = breakdown->collective_count;
    for (uint32_t i = 0; i < breakdown->collective_count; i++) {
        struct collective_row row = breakdown->collective[i].row;
        row.algorithm = arena_text(arena, row.algorithm, strlen(row.algorithm));
        result->collective[i] = row;
    }
    memory_track_fill(&breakdown->memory, result);
    qsort(result->collective, result->collective_count, sizeof *result->collective, compare_rows);

    result->group = arena_array(arena, breakdown->group_count, sizeof *result->group);
    for (uint32_t g = 0; g < breakdown->group_count; g++) {
        struct group_row row = breakdown->group[g];
        if (!row.collectives)
            continue;
        if (!add_to_last(result, &row)) {
            row.name = arena_text(arena, row.name, strlen(row.name));
            row.groups = 1;
            result->group[result->group_count++] = row;
        }
    }
}

static void node_moves(void *self, uint32_t rank, const struct trace *trace, uint32_t node,
                       bool has_ended, time_ps now)
{
    struct breakdown *breakdown = self;
    memory_track_node(&breakdown->memory, rank, trace, node, has_ended, now);
}

const struct observer_ops breakdown_observer = {
    .op_begin = op_begin,
    .op_end = op_end,
    .rank_end = rank_end,
    .node_moves = node_moves,
    .collective_end = collective_end,
};
