/*
 * Our timeline (`orrery run --timeline`): process = rank, time from the begin of the run. Ranks
 * that are alike are drawn once; only those that are drawn are compared.
 */
#include <string.h>

#include "compare/kinds.h"
#include "compare/trace_events.h"
#include "model/op.h"

/* Category of an event, as report/timeline_json writes it. */
static bool is_communication(const char *category)
{
    static const enum op_type types[] = {OP_COLLECTIVE, OP_SEND, OP_RECV};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(category, op_name(types[i])) == 0)
            return true;
    return false;
}

static bool is_op(const char *category)
{
    for (int type = 0; type < OP_TYPE_COUNT; type++)
        if (strcmp(category, op_name((enum op_type)type)) == 0)
            return true;
    return false;
}

struct timeline_reader {
    const struct reading *reading;
    struct table host; /* threads of the host: thread_key() to 1 */
};

static uint64_t thread_key(const struct trace_event *event)
{
    return event->process << 32 | (event->thread & UINT32_MAX);
}

static enum status take_thread(void *context, const struct trace_event *event, const char *name)
{
    struct timeline_reader *timeline = context;
    if (strcmp(name, "host") == 0)
        table_put(&timeline->host, thread_key(event), 1);
    return STATUS_OK;
}

static int64_t exact(const struct doc_node *arguments, const char *key, int64_t otherwise)
{
    uint64_t ps = trace_number(arguments, key, UINT64_MAX);
    return ps <= INT64_MAX ? (int64_t)ps : otherwise;
}

static void add_op(struct timeline_reader *timeline, const struct trace_event *event)
{
    const struct doc_node *arguments = event->arguments;
    const char *collective = trace_text(arguments, "collective");
    const char *class = trace_text(arguments, "class");
    bool is_host = table_find(&timeline->host, thread_key(event)) != TABLE_NONE;
    struct outcome_op *op =
        outcome_add_op(timeline->reading->outcome, (uint32_t)event->process, event->name,
                       is_host       ? "host"
                       : *class      ? class
                       : *collective ? collective
                                     : event->category);
    /* A viewer's times are whole ns: what is not says the rest itself. */
    op->begin_ps = exact(arguments, "begin_ps", instant_since(event->begin, (struct instant){0}));
    op->duration_ps = exact(arguments, "length_ps", event->duration_ps);
    op->collective = *collective ? kinds_find_collective(collective) : -1;
    op->is_compute = !is_host && strcmp(event->category, op_name(OP_COMPUTE)) == 0;
    op->is_communication = is_communication(event->category);
    if (op->is_communication)
        op->size_bytes = trace_number(arguments, "bytes", OUTCOME_NO_SIZE);
}

static enum status take_event(void *context, const struct trace_event *event)
{
    struct timeline_reader *timeline = context;
    struct outcome *outcome = timeline->reading->outcome;
    bool is_rank = !outcome->ranks_in_all || event->process < outcome->ranks_in_all;
    if (!is_op(event->category))
        return STATUS_OK; /* launches, messages */
    if (event->process >= UINT32_MAX)
        return reading_fail_line(timeline->reading, 0, "expected a rank as \"pid\" of %.60s",
                                 event->name);
    if (event->arguments && doc_find(event->arguments, "has_ended"))
        notices_add(&outcome->notices, NOTICE_IGNORED, "op that did not end", 1, "%s", event->name);
    else if (is_rank) /* else: the critical path */
        add_op(timeline, event);
    return STATUS_OK;
}

/* "otherData": how many ranks there are, and what was left out of the drawing. */
static enum status take_member(void *context, const struct json_items *top,
                               const struct json_item *item)
{
    struct timeline_reader *timeline = context;
    struct outcome *outcome = timeline->reading->outcome;
    struct doc doc;
    if (strcmp(item->key, "otherData") != 0)
        return STATUS_OK;
    enum status status = json_item_parse(top, item, &doc);
    if (status != STATUS_OK)
        return status;
    uint64_t ranks = trace_number(doc.root, "ranks_in_all", 0);
    uint64_t end = trace_number(doc.root, "makespan_ps", 0);
    uint64_t short_ops = trace_number(doc.root, "short_ops_left_out", 0);
    outcome->ranks_in_all = ranks < UINT32_MAX ? (uint32_t)ranks : UINT32_MAX;
    if (short_ops)
        notices_add(&outcome->notices, NOTICE_ODDITY, "short ops that the timeline leaves out",
                    short_ops, "%s", outcome->path);
    if (trace_number(doc.root, "from_ps", 0) > 0 || trace_number(doc.root, "to_ps", end) < end)
        notices_add(&outcome->notices, NOTICE_ODDITY, "timeline of a part of the run", 1, "%s",
                    outcome->path);
    doc_release(&doc);
    return STATUS_OK;
}

static enum status read_timeline(const struct reading *reading)
{
    static const struct trace_events_ops ops = {
        .event = take_event, .thread = take_thread, .member = take_member};
    struct timeline_reader timeline = {.reading = reading};
    table_init(&timeline.host);
    enum status status = trace_events_read(reading, &ops, &timeline);
    table_release(&timeline.host);
    return status;
}

static bool is_timeline(const char *head, size_t length)
{
    return length && *head == '{' && reader_has(head, length, "\"otherData\"") &&
           reader_has(head, length, "\"orrery\"");
}

const struct reader reader_timeline = {
    .name = "orrery timeline",
    .from = "orrery run --timeline",
    .is_mine = is_timeline,
    .read = read_timeline,
};
