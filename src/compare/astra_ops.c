#include "compare/astra_ops.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "model/op.h"

struct astra_event {
    uint32_t rank, name, type, order;
    uint64_t node;
    int64_t tick_ps;
    bool is_end;
};

void astra_ops_begin(struct astra_ops *ops, const struct reading *reading)
{
    *ops = (struct astra_ops){.reading = reading};
    arena_init(&ops->arena);
}

void astra_ops_release(struct astra_ops *ops)
{
    arena_release(&ops->arena);
}

/* -- lines ------------------------------------------------------------------------------------- */

static const char *find(const char *text, const char *end, const char *what)
{
    size_t size = strlen(what);
    for (; (size_t)(end - text) >= size; text++) {
        text = memchr(text, what[0], (size_t)(end - text) - size + 1);
        if (!text || memcmp(text, what, size) == 0)
            return text;
    }
    return NULL;
}

/* The last place of `what`, or NULL. */
static const char *find_last(const char *text, const char *end, const char *what)
{
    const char *last = NULL;
    for (const char *at = find(text, end, what); at; at = find(at + 1, end, what))
        last = at;
    return last;
}

static bool number_after(const char *text, const char *end, const char *key, uint64_t *value)
{
    const char *at = find(text, end, key), *stop;
    if (!at)
        return false;
    for (stop = at += strlen(key); stop < end && *stop >= '0' && *stop <= '9';)
        stop++;
    return decimal_u64(at, (size_t)(stop - at), value);
}

/* Fills what an event says after its first word. */
static bool read_event(struct astra_ops *ops, const char *text, const char *end,
                       struct astra_event *event)
{
    static const char name_key[] = ", node->name=", type_key[] = ", node->type=";
    uint64_t rank, tick, type;
    const char *name = find(text, end, name_key), *stop = find_last(text, end, type_key);
    if (!name || !stop || stop < name + sizeof name_key - 1)
        return false;
    if (!number_after(text, name, "sys->id=", &rank) ||
        !number_after(text, name, ", tick=", &tick) ||
        !number_after(text, name, ", node->id=", &event->node) ||
        !number_after(stop, end, type_key, &type))
        return false;
    if (rank >= UINT32_MAX || type >= UINT32_MAX || !outcome_ps_of_ns(tick, &event->tick_ps))
        return false;
    name += sizeof name_key - 1;
    event->rank = (uint32_t)rank;
    event->type = (uint32_t)type;
    event->name = names_add(ops->reading->outcome->words, name, (size_t)(stop - name));
    return true;
}

bool astra_ops_take(struct astra_ops *ops, const char *text, size_t length, uint64_t line,
                    enum status *status)
{
    const char *end = text + length;
    const char *begin = find(text, end, "issue,sys->id="),
               *finish = find(text, end, "callback,sys->id=");
    if (!begin && !finish)
        return false;
    ops->event = arena_grow(&ops->arena, ops->event, ops->count, &ops->room, sizeof *ops->event);
    struct astra_event *event = &ops->event[ops->count];
    *event = (struct astra_event){.order = ops->count, .is_end = !begin};
    if (read_event(ops, begin ? begin : finish, end, event))
        ops->count++;
    else
        *status = reading_fail_line(ops->reading, line,
                                    "expected \"%s,sys->id=S, tick=T, node->id=N, node->name=.., "
                                    "node->type=Y\": the line is cut or damaged",
                                    begin ? "issue" : "callback");
    return true;
}

/* -- ops --------------------------------------------------------------------------------------- */

static int compare_events(const void *left, const void *right)
{
    const struct astra_event *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void add_op(struct outcome *outcome, const struct astra_event *issue, int64_t end_ps)
{
    bool is_known = issue->type < OP_TYPE_COUNT;
    enum op_type type = is_known ? (enum op_type)issue->type : OP_HOST_WORK;
    struct outcome_op *op = outcome_add_op(outcome, issue->rank, "", op_name(type));
    op->name = issue->name;
    op->order = issue->order;
    op->begin_ps = issue->tick_ps;
    op->duration_ps = end_ps - issue->tick_ps;
    op->is_compute = type == OP_COMPUTE;
    op->is_communication = type == OP_COLLECTIVE || type == OP_SEND || type == OP_RECV;
}

void astra_ops_end(struct astra_ops *ops)
{
    struct outcome *outcome = ops->reading->outcome;
    uint32_t alone = 0, unfinished = 0;
    if (ops->count)
        qsort(ops->event, ops->count, sizeof *ops->event, compare_events);
    for (uint32_t i = 0; i < ops->count; i++) {
        const struct astra_event *issue = &ops->event[i], *end = issue + 1;
        bool is_pair = !issue->is_end && i + 1 < ops->count && end->is_end &&
                       end->rank == issue->rank && end->node == issue->node &&
                       end->tick_ps >= issue->tick_ps;
        alone += !is_pair;
        i += is_pair;
        if (is_pair && !outcome_find_rank(outcome, issue->rank))
            unfinished++;
        else if (is_pair && end->tick_ps > issue->tick_ps)
            add_op(outcome, issue, end->tick_ps);
    }
    if (alone)
        notices_add(&outcome->notices, NOTICE_IGNORED, "issue or callback without the other", alone,
                    "%s", outcome->path);
    if (unfinished)
        notices_add(&outcome->notices, NOTICE_IGNORED, "ops of ranks that did not finish",
                    unfinished, "%s", outcome->path);
}
