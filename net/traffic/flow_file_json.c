#include <string.h>

#include "base/doc.h"
#include "base/suggest.h"
#include "net/traffic/flow_file_parts.h"

static const char *const keys[] = {"id", "src", "dst", "bytes", "start", "deps", NULL};

/* The text of a number or a quoted quantity: both kinds keep it. */
static enum status scalar(struct flow_reader *reader, const struct doc *doc, const char *key,
                          const struct doc_node **node)
{
    *node = doc_find(doc->root, key);
    if (!*node)
        return flow_reader_fail(reader, key, "the key is missing");
    if ((*node)->kind != DOC_NUMBER && (*node)->kind != DOC_TEXT)
        return flow_reader_fail(reader, key, "expected a number, found %s",
                                doc_kind_name((*node)->kind));
    return STATUS_OK;
}

static enum status rank(struct flow_reader *reader, const struct doc *doc, const char *key,
                        uint32_t *value)
{
    const struct doc_node *node;
    if (scalar(reader, doc, key, &node) != STATUS_OK)
        return reader->diag->status;
    return flow_reader_rank(reader, key, node->text, node->length, value);
}

static bool is_id(const struct doc_node *node)
{
    return node->kind == DOC_NUMBER && node->is_integer && !node->is_negative;
}

static enum status deps(struct flow_reader *reader, const struct doc_node *node)
{
    if (!node)
        return STATUS_OK;
    if (node->kind != DOC_LIST)
        return flow_reader_fail(reader, "deps", "expected a list of ids, found %s",
                                doc_kind_name(node->kind));
    for (uint32_t i = 0; i < node->count; i++) {
        if (!is_id(&node->child[i]))
            return flow_reader_fail(reader, "deps", "expected ids, found %s",
                                    doc_kind_name(node->child[i].kind));
        flow_reader_want(reader, node->child[i].magnitude);
    }
    return STATUS_OK;
}

static enum status check_keys(struct flow_reader *reader, const struct doc *doc)
{
    const struct doc_node *unknown = doc_unknown_key(doc->root, keys);
    if (!unknown)
        return STATUS_OK;
    flow_reader_fail(reader, NULL, "unknown key \"%.60s\"", unknown->key);
    const char *nearest = suggest_nearest(unknown->key, keys);
    if (nearest)
        diag_hint(reader->diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(reader->diag, "known: id, src, dst, bytes, start, deps");
    return STATUS_BAD_INPUT;
}

static enum status read_flow(struct flow_reader *reader, const struct doc *doc)
{
    struct traffic_flow flow = {0};
    const struct doc_node *bytes, *start, *id = doc_find(doc->root, "id");
    if (doc->root->kind != DOC_MAP)
        return flow_reader_fail(reader, NULL, "expected a map, found %s",
                                doc_kind_name(doc->root->kind));
    if (check_keys(reader, doc) != STATUS_OK || rank(reader, doc, "src", &flow.src) != STATUS_OK ||
        rank(reader, doc, "dst", &flow.dst) != STATUS_OK ||
        scalar(reader, doc, "bytes", &bytes) != STATUS_OK ||
        flow_reader_bytes(reader, bytes->text, bytes->length, &flow.bytes) != STATUS_OK)
        return reader->diag->status;
    if (doc_find(doc->root, "start") &&
        (scalar(reader, doc, "start", &start) != STATUS_OK ||
         flow_reader_start(reader, start->text, start->length, &flow.start_ps) != STATUS_OK))
        return reader->diag->status;
    if (id && !is_id(id))
        return flow_reader_fail(reader, "id", "expected a number that is not negative, found %s",
                                doc_kind_name(id->kind));
    if (flow_reader_add(reader, &flow, id ? &id->magnitude : NULL) != STATUS_OK)
        return reader->diag->status;
    return deps(reader, doc_find(doc->root, "deps"));
}

enum status flow_file_json(struct flow_reader *reader)
{
    struct flow_line line;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && flow_reader_line(reader, &line)) {
        struct doc doc;
        status = doc_parse(&doc, reader->name, line.text, line.length, DOC_JSON, reader->diag);
        if (status != STATUS_OK) {
            reader->diag->at = line.number; /* the parser saw one line only */
            return flow_reader_blame(reader, NULL);
        }
        status = read_flow(reader, &doc);
        doc_release(&doc);
    }
    return status;
}
