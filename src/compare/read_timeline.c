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

static enum status take_event(void *context, const struct trace_event *event)
{
    const struct reading *reading = context;
    const struct doc_node *arguments = event->arguments;
    if (!is_op(event->category))
        return STATUS_OK; /* launches, messages */
    if (event->process >= UINT32_MAX)
        return reading_fail_line(reading, 0, "expected a rank as \"pid\" of %.60s", event->name);
    if (arguments && doc_find(arguments, "has_ended")) {
        notices_add(&reading->outcome->notices, NOTICE_IGNORED, "op that did not end", 1, "%s",
                    event->name);
        return STATUS_OK;
    }
    const char *collective = trace_text(arguments, "collective");
    const char *class = trace_text(arguments, "class");
    int32_t kind = *collective ? kinds_find_collective(collective) : -1;
    struct outcome_op *op = outcome_add_op(reading->outcome, (uint32_t)event->process, event->name,
                                           *class        ? class
                                           : *collective ? collective
                                                         : event->category);
    op->begin_ps = instant_since(event->begin, (struct instant){0});
    op->duration_ps = event->duration_ps;
    op->collective = kind;
    op->is_compute = strcmp(event->category, op_name(OP_COMPUTE)) == 0;
    op->is_communication = is_communication(event->category);
    if (op->is_communication)
        op->size_bytes = trace_number(arguments, "bytes", OUTCOME_NO_SIZE);
    return STATUS_OK;
}

/* "otherData": how many ranks there are. */
static enum status take_member(void *context, const struct json_items *top,
                               const struct json_item *item)
{
    const struct reading *reading = context;
    struct doc doc;
    if (strcmp(item->key, "otherData") != 0)
        return STATUS_OK;
    enum status status = json_item_parse(top, item, &doc);
    if (status != STATUS_OK)
        return status;
    uint64_t ranks = trace_number(doc.root, "ranks_in_all", 0);
    reading->outcome->ranks_in_all = ranks < UINT32_MAX ? (uint32_t)ranks : UINT32_MAX;
    doc_release(&doc);
    return STATUS_OK;
}

static enum status read_timeline(const struct reading *reading)
{
    static const struct trace_events_ops ops = {.event = take_event, .member = take_member};
    return trace_events_read(reading, &ops, (void *)reading);
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
