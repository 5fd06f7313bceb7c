/* Lives of tensors: attribute `holds`, which orrery's own generator writes. */
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "workloads/chakra/chakra_draft.h"

static bool read_kind(const char *word, size_t length, enum life_kind *kind)
{
    for (*kind = 0; *kind < LIFE_KIND_COUNT; (*kind)++) {
        const char *name = life_name(*kind);
        if (strlen(name) == length && memcmp(word, name, length) == 0)
            return true;
    }
    return false;
}

static void push(struct hold_list *list, struct hold hold)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->hold = realloc(list->hold, list->room * sizeof *list->hold);
        need_memory(list->hold != NULL);
    }
    list->hold[list->count++] = hold;
}

/* "activation:4096:17" or "fixed:4096" */
static bool read_word(struct hold_list *list, uint64_t id, const char *word, size_t length)
{
    const char *end = word + length;
    const char *bytes = memchr(word, ':', length);
    if (!bytes)
        return false;
    size_t kind_length = (size_t)(bytes++ - word);
    const char *last = memchr(bytes, ':', (size_t)(end - bytes));
    struct hold hold = {.first = id};
    if (!decimal_u64(bytes, (size_t)((last ? last : end) - bytes), &hold.bytes))
        return false;
    if (!last) {
        list->fixed_bytes = hold.bytes;
        return kind_length == 5 && memcmp(word, "fixed", 5) == 0;
    }
    last++;
    if (!read_kind(word, kind_length, &hold.kind) ||
        !decimal_u64(last, (size_t)(end - last), &hold.last))
        return false;
    push(list, hold);
    return true;
}

enum status holds_read(const struct chakra_draft *draft, struct draft_context *context)
{
    const struct chakra_value *value = &draft->attr[ATTR_HOLDS];
    bool is_good = value->kind == VALUE_TEXT;
    size_t length = is_good && value->length ? strnlen(value->text, value->length) : 0;
    for (size_t at = 0; at < length && is_good;) {
        const char *word = value->text + at;
        const char *blank = memchr(word, ' ', length - at);
        size_t word_length = blank ? (size_t)(blank - word) : length - at;
        is_good = read_word(context->holds, draft->id, word, word_length);
        at += word_length + 1;
    }
    if (is_good)
        return STATUS_OK;
    diag_fail(context->diag, STATUS_BAD_INPUT,
              "expected words KIND:BYTES:LAST or fixed:BYTES, as \"activation:4096:17\"");
    diag_field(context->diag, "holds");
    diag_at(context->diag, DIAG_NODE, draft->id);
    return STATUS_BAD_INPUT;
}

/* Index of the node with that id, or TRACE_NONE. */
static uint32_t find_id(const struct trace *trace, uint64_t id)
{
    uint32_t low = 0, high = trace->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (trace->node[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < trace->count && trace->node[low].id == id ? low : TRACE_NONE;
}

bool holds_resolve(const struct hold_list *list, struct trace *trace, uint64_t *missing_id)
{
    trace->fixed_bytes = list->fixed_bytes;
    if (!list->count)
        return true;
    trace->life = malloc(list->count * sizeof *trace->life);
    need_memory(trace->life != NULL);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct hold *hold = &list->hold[i];
        uint32_t first = find_id(trace, hold->first), last = find_id(trace, hold->last);
        *missing_id = hold->last;
        if (last == TRACE_NONE || last < first)
            return false;
        trace->life[trace->life_count++] =
            (struct trace_life){first, last, hold->bytes, (uint8_t)hold->kind};
    }
    trace_sort_lives(trace);
    return true;
}
