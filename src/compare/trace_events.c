#include "compare/trace_events.h"

#include <math.h>
#include <string.h>

#define PS_PER_US 1000000

int64_t instant_since(struct instant later, struct instant earlier)
{
    int64_t us, ps;
    if (__builtin_sub_overflow(later.us, earlier.us, &us) ||
        __builtin_mul_overflow(us, (int64_t)PS_PER_US, &ps) ||
        __builtin_add_overflow(ps, later.ps - earlier.ps, &ps))
        return INT64_MAX;
    return ps;
}

bool instant_is_before(struct instant a, struct instant b)
{
    return a.us != b.us ? a.us < b.us : a.ps < b.ps;
}

const char *trace_text(const struct doc_node *map, const char *key)
{
    const struct doc_node *node = map ? doc_find(map, key) : NULL;
    return node && node->text ? node->text : "";
}

uint64_t trace_number(const struct doc_node *map, const char *key, uint64_t otherwise)
{
    const struct doc_node *node = map ? doc_find(map, key) : NULL;
    bool is_good = node && node->kind == DOC_NUMBER && node->is_integer && !node->is_negative;
    return is_good ? node->magnitude : otherwise;
}

/* "1682725898236567.25", digit by digit: a double has 53 bits, and this 60. */
static bool exact_us(const char *text, struct instant *instant)
{
    *instant = (struct instant){0};
    uint32_t digits = 0;
    for (; *text >= '0' && *text <= '9' && digits < 18; text++, digits++)
        instant->us = 10 * instant->us + (*text - '0');
    if (*text == '\0')
        return digits > 0;
    if (*text != '.' || digits == 0)
        return false;
    for (int64_t place = PS_PER_US / 10; *++text >= '0' && *text <= '9'; place /= 10)
        instant->ps += place * (*text - '0');
    return *text == '\0';
}

static bool take_us(const struct doc_node *map, const char *key, struct instant *instant)
{
    const struct doc_node *node = doc_find(map, key);
    if (!node || node->kind != DOC_NUMBER || node->is_negative)
        return false;
    if (exact_us(node->text, instant))
        return true;
    if (!(node->number < 9e15)) /* 1e21 or 1.5e3: what is not written out */
        return false;
    instant->us = (int64_t)floor(node->number);
    instant->ps = (int64_t)((node->number - floor(node->number)) * PS_PER_US);
    return true;
}

struct event_reader {
    const struct reading *reading;
    const struct trace_events_ops *ops;
    void *context;
};

static enum status fail_event(const struct event_reader *reader, const struct json_items *items,
                              const struct json_item *item, const char *what)
{
    diag_fail(reader->reading->diag, STATUS_BAD_INPUT, "event: %s", what);
    diag_in(reader->reading->diag, items->name);
    diag_at(reader->reading->diag, DIAG_BYTE, (uint64_t)(item->text - items->file));
    return STATUS_BAD_INPUT;
}

static enum status take_event(const struct event_reader *reader, const struct json_items *items,
                              const struct json_item *item, const struct doc_node *map)
{
    struct instant duration;
    struct trace_event event = {
        .name = trace_text(map, "name"),
        .category = trace_text(map, "cat"),
        .process = trace_number(map, "pid", UINT64_MAX),
        .thread = trace_number(map, "tid", UINT64_MAX),
        .arguments = doc_find(map, "args"),
    };
    if (map->kind != DOC_MAP)
        return fail_event(reader, items, item, "expected a map");
    if (reader->ops->thread && strcmp(event.name, "thread_name") == 0)
        return reader->ops->thread(reader->context, &event, trace_text(event.arguments, "name"));
    if (strcmp(trace_text(map, "ph"), "X") != 0)
        return STATUS_OK;
    if (!take_us(map, "ts", &event.begin))
        return fail_event(reader, items, item, "expected a time in us as \"ts\"");
    if (!take_us(map, "dur", &duration))
        return fail_event(reader, items, item, "expected a time in us as \"dur\"");
    event.duration_ps = instant_since(duration, (struct instant){0});
    if (event.arguments && event.arguments->kind != DOC_MAP)
        event.arguments = NULL;
    return reader->ops->event(reader->context, &event);
}

static bool is_wanted(const struct trace_events_ops *ops, const struct json_item *item)
{
    const char *const *word = ops->words;
    while (word && *word && !reader_has(item->text, item->length, *word))
        word++;
    return !word || *word;
}

static enum status read_list(const struct event_reader *reader, const struct json_item *list)
{
    const struct reading *reading = reader->reading;
    struct json_items items;
    struct json_item item;
    struct doc doc;
    enum status status = json_items_begin(&items, reading->path, (const char *)reading->file->bytes,
                                          list, reading->diag);
    while (status == STATUS_OK && json_items_next(&items, &item)) {
        if (*item.text == '{' && !is_wanted(reader->ops, &item))
            continue;
        status = json_item_parse(&items, &item, &doc);
        if (status != STATUS_OK)
            break;
        status = take_event(reader, &items, &item, doc.root);
        doc_release(&doc);
    }
    return status == STATUS_OK ? json_items_status(&items) : status;
}

enum status trace_events_read(const struct reading *reading, const struct trace_events_ops *ops,
                              void *context)
{
    const struct event_reader reader = {reading, ops, context};
    const char *text = (const char *)reading->file->bytes;
    struct json_item item = {.text = text, .length = reading->file->length};
    struct json_items top;
    enum status status = json_items_begin(&top, reading->path, text, &item, reading->diag);
    if (status == STATUS_OK && !top.is_map)
        return read_list(&reader, &item);
    bool has_events = false;
    while (status == STATUS_OK && json_items_next(&top, &item)) {
        bool is_events = strcmp(item.key, "traceEvents") == 0;
        has_events |= is_events;
        if (is_events)
            status = read_list(&reader, &item);
        else if (ops->member)
            status = ops->member(context, &top, &item);
    }
    if (status == STATUS_OK)
        status = json_items_status(&top);
    if (status == STATUS_OK && !has_events)
        return reading_fail_line(reading, 0, "there is no \"traceEvents\" in it");
    return status;
}
