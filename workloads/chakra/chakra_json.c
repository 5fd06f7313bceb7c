#include "workloads/chakra/chakra_json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/doc.h"

static const char byte_order_mark[] = "\xef\xbb\xbf"; /* some editors start files with it */

static size_t skip_blanks(const uint8_t *bytes, size_t length, size_t at)
{
    while (at < length &&
           (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\n' || bytes[at] == '\r'))
        at++;
    return at;
}

bool chakra_is_json(const uint8_t *bytes, size_t length)
{
    size_t at = 0;
    if (length >= 3 && memcmp(bytes, byte_order_mark, 3) == 0)
        at = 3;
    at = skip_blanks(bytes, length, at);
    if (at >= length || bytes[at] != '{')
        return false;
    at = skip_blanks(bytes, length, at + 1);
    return at < length && (bytes[at] == '"' || bytes[at] == '}');
}

struct json_reader {
    struct chakra_build *build;
    const struct doc *doc;
    struct chakra_draft draft;
    uint32_t entry; /* place in workload_graph, for messages */
};

static enum status refuse(struct json_reader *reader, const struct doc_node *value,
                          const char *expected)
{
    struct diag *diag = reader->build->context.diag;
    diag_fail(diag, STATUS_BAD_INPUT, "expected %s, found %s %.40s", expected,
              doc_kind_name(value->kind), value->text ? value->text : "");
    diag_field(diag, "workload_graph[%u].%s", reader->entry, value->key ? value->key : "");
    return STATUS_BAD_INPUT;
}

static bool is_id(const struct doc_node *value)
{
    return value->kind == DOC_NUMBER && value->is_integer && !value->is_negative;
}

static enum status read_ids(struct json_reader *reader, const struct doc_node *list,
                            struct id_list *to)
{
    if (list->kind == DOC_NULL)
        return STATUS_OK;
    if (list->kind != DOC_LIST)
        return refuse(reader, list, "a list of node ids");
    for (uint32_t i = 0; i < list->count; i++) {
        if (!is_id(&list->child[i]))
            return refuse(reader, &list->child[i], "a node id");
        if (!id_list_add(to, list->child[i].magnitude))
            return diag_fail(reader->build->context.diag, STATUS_NO_MEMORY, "out of memory");
    }
    return STATUS_OK;
}

static struct chakra_value list_value(const struct doc_node *list)
{
    struct chakra_value value = {.kind = VALUE_INTEGERS};
    for (uint32_t i = 0; i < list->count; i++) {
        const struct doc_node *item = &list->child[i];
        bool is_number = item->kind == DOC_NUMBER && item->is_integer;
        if (item->kind != DOC_BOOL && !is_number)
            value.kind = VALUE_LIST;
        bool is_true = item->kind == DOC_BOOL ? item->boolean : item->magnitude != 0;
        if (i < 64)
            value.bits |= (uint64_t)is_true << i;
        value.length++;
    }
    return value;
}

static struct chakra_value scalar_value(const struct doc_node *node)
{
    struct chakra_value value = {.kind = VALUE_NONE};
    switch (node->kind) {
    case DOC_BOOL:
        return (struct chakra_value){.kind = VALUE_BOOL, .bits = node->boolean};
    case DOC_NUMBER:
        if (!node->is_integer)
            return (struct chakra_value){.kind = VALUE_REAL, .real = node->number};
        value.kind = node->is_negative ? VALUE_SIGNED : VALUE_UNSIGNED;
        value.bits = node->is_negative ? ~node->magnitude + 1 : node->magnitude;
        return value;
    case DOC_TEXT:
        return (struct chakra_value){
            .kind = VALUE_TEXT, .text = node->text, .length = node->length};
    case DOC_LIST:
        return list_value(node);
    default:
        return value;
    }
}

/* Whole microseconds; `what` is expected. A fraction is dropped with a notice of key `cut`. */
static enum status read_micros(struct json_reader *reader, const struct doc_node *value,
                               const char *what, const char *cut, uint64_t *us)
{
    if (value->kind != DOC_NUMBER || value->is_negative || !(value->number < 0x1p63))
        return refuse(reader, value, what);
    *us = value->is_integer ? value->magnitude : (uint64_t)value->number;
    if (!value->is_integer && value->number != floor(value->number))
        notices_add(reader->build->context.notices, NOTICE_CLAMPED, cut, 1, "node %" PRIu64 ": %s",
                    reader->draft.id, value->text);
    return STATUS_OK;
}

static bool key_is(const struct doc_node *node, const char *one, const char *other)
{
    return strcmp(node->key, one) == 0 || strcmp(node->key, other) == 0;
}

static bool is_start_time(const struct doc_node *node)
{
    static const char *const names[] = {"start_time_micros", "startTimeMicros", "start_time",
                                        "startTime",         "start",           NULL};
    return doc_is_one_of(node->key, names);
}

static enum status read_key(struct json_reader *reader, const struct doc_node *node)
{
    struct chakra_draft *draft = &reader->draft;
    if (key_is(node, "Id", "id"))
        return STATUS_OK; /* read first */
    if (key_is(node, "Name", "name")) {
        if (node->kind != DOC_TEXT)
            return refuse(reader, node, "text");
        draft->name = (struct chakra_text){node->text, node->length};
        return STATUS_OK;
    }
    if (key_is(node, "NodeType", "type")) {
        if (!is_id(node) || node->magnitude > INT32_MAX)
            return refuse(reader, node, "a node type from 0 to 7");
        draft->type = (int64_t)node->magnitude;
        return STATUS_OK;
    }
    if (key_is(node, "runtime", "duration_micros"))
        return read_micros(reader, node, "a duration in microseconds",
                           "fraction of a microsecond dropped from a duration",
                           &draft->duration_us);
    if (is_start_time(node))
        return read_micros(reader, node, "a start time in microseconds",
                           "fraction of a microsecond dropped from a start time", &draft->start_us);
    if (key_is(node, "data_deps", "dataDeps"))
        return read_ids(reader, node, &draft->data);
    if (key_is(node, "ctrl_deps", "ctrlDeps"))
        return read_ids(reader, node, &draft->control);
    struct chakra_value value = scalar_value(node);
    draft_attr(draft, (struct chakra_text){node->key, strlen(node->key)}, &value);
    return STATUS_OK;
}

static enum status read_entry(struct json_reader *reader, const struct doc_node *map)
{
    if (map->kind != DOC_MAP)
        return refuse(reader, map, "a map that describes a node");
    draft_reset(&reader->draft);
    const struct doc_node *id = doc_find(map, "Id");
    id = id ? id : doc_find(map, "id");
    if (!id) {
        diag_fail(reader->build->context.diag, STATUS_BAD_INPUT, "a node without \"Id\"");
        diag_field(reader->build->context.diag, "workload_graph[%u]", reader->entry);
        return STATUS_BAD_INPUT;
    }
    if (!is_id(id))
        return refuse(reader, id, "a node id");
    reader->draft.id = id->magnitude;
    for (uint32_t i = 0; i < map->count; i++) {
        enum status status = read_key(reader, &map->child[i]);
        if (status)
            return status;
    }
    return build_add(reader->build, &reader->draft);
}

static enum status read_graph(struct json_reader *reader)
{
    struct diag *diag = reader->build->context.diag;
    const struct doc_node *graph = doc_find(reader->doc->root, "workload_graph");
    if (!graph) {
        diag_fail(diag, STATUS_BAD_INPUT, "JSON without \"workload_graph\": not a Chakra trace");
        diag_hint(diag, "PyTorch and Kineto JSON must be converted to Chakra first");
        return STATUS_BAD_INPUT;
    }
    if (graph->kind != DOC_LIST) {
        diag_fail(diag, STATUS_BAD_INPUT, "expected a list of nodes, found %s",
                  doc_kind_name(graph->kind));
        diag_field(diag, "workload_graph");
        return STATUS_BAD_INPUT;
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        reader->entry = i;
        enum status status = read_entry(reader, &graph->child[i]);
        if (status)
            return status;
    }
    return STATUS_OK;
}

enum status chakra_read_json(struct chakra_build *build, const char *path, const uint8_t *bytes,
                             size_t length)
{
    struct doc doc;
    struct diag *diag = build->context.diag;
    size_t mark = length >= 3 && memcmp(bytes, byte_order_mark, 3) == 0 ? 3 : 0;
    bytes += mark;
    length -= mark;
    enum status status = doc_parse(&doc, path, (const char *)bytes, length, DOC_JSON, diag);
    if (status == STATUS_BAD_CONFIG) /* what doc.h calls it; here it is a damaged trace */
        status = diag->status = STATUS_BAD_INPUT;
    if (status)
        return status;
    struct json_reader reader = {.build = build, .doc = &doc};
    draft_init(&reader.draft);
    status = read_graph(&reader);
    draft_release(&reader.draft);
    doc_release(&doc);
    return status;
}
