#include <inttypes.h>
#include <string.h>

#include "config/algorithm_name.h"
#include "config/astra_reader.h"
#include "config/places.h"

enum status astra_expected(struct astra_reader *reader, const char *expected)
{
    return doc_fail(reader->doc, reader->node, reader->node->key, expected, reader->diag);
}

static enum algorithm_slot slot_of_key(const char *key)
{
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
        const char *name = algorithm_slot_name((enum algorithm_slot)slot);
        if (strncmp(key, name, strlen(name)) == 0 && key[strlen(name)] == '-' &&
            strncmp(key + strlen(name), "-implementation", 15) == 0)
            return (enum algorithm_slot)slot;
    }
    promise(!"every key of the table names a slot");
    return SLOT_COUNT;
}

static void note_algorithms(struct astra_reader *reader, enum algorithm_slot slot)
{
    char place[300];
    algorithm_note(reader->config, slot, place_of(place, sizeof place, reader->doc, reader->node));
}

static enum status read_algorithm(struct astra_reader *reader, uint32_t i,
                                  struct algorithm_choice *choice)
{
    const struct doc_node *entry = &reader->node->child[i];
    char field[64];
    snprintf(field, sizeof field, "%s[%" PRIu32 "]", reader->node->key, i);
    if (entry->kind != DOC_TEXT)
        return doc_fail(reader->doc, entry, field, "the name of an algorithm", reader->diag);
    if (algorithm_parse(entry->text, choice))
        return STATUS_OK;
    algorithm_unknown(entry->text, reader->diag);
    return fail_at_node(reader->doc, entry, field, STATUS_BAD_CONFIG, reader->diag);
}

enum status astra_read_algorithms(struct astra_reader *reader)
{
    const struct doc_node *node = reader->node;
    enum algorithm_slot slot = slot_of_key(node->key);
    struct algorithm_list *list = &reader->config->system.algorithm[slot];
    if (node->kind != DOC_LIST) {
        astra_expected(reader, "a list of algorithm names, one per dimension");
        if (node->kind == DOC_TEXT)
            diag_hint(reader->diag, "write [ \"%.60s\" ]", node->text);
        return STATUS_BAD_CONFIG;
    }
    if (node->count > CONFIG_MAX_DIMS) {
        diag_fail(reader->diag, STATUS_BAD_CONFIG,
                  "%" PRIu32 " algorithms; a network has at most %d dimensions", node->count,
                  CONFIG_MAX_DIMS);
        return fail_at_node(reader->doc, node, node->key, STATUS_BAD_CONFIG, reader->diag);
    }
    for (uint32_t i = 0; i < node->count; i++) {
        enum status status = read_algorithm(reader, i, &list->choice[i]);
        if (status != STATUS_OK)
            return status;
    }
    list->count = node->count;
    note_algorithms(reader, slot);
    return STATUS_OK;
}

enum status astra_read_custom(struct astra_reader *reader)
{
    const struct doc_node *node = reader->node;
    if (node->kind != DOC_LIST || node->count != 1 || node->child[0].kind != DOC_TEXT ||
        node->child[0].length == 0)
        return astra_expected(reader, "a list with exactly one prefix of Chakra files");
    enum algorithm_slot slot = slot_of_key(node->key);
    reader->config->system.algorithm[slot].custom_prefix =
        arena_text(&reader->config->arena, node->child[0].text, node->child[0].length);
    note_algorithms(reader, slot);
    return STATUS_OK;
}

static bool read_node_id(const char *text, uint64_t *id)
{
    *id = 0;
    const char *c = text;
    for (; *c >= '0' && *c <= '9'; c++) {
        if (__builtin_mul_overflow(*id, 10, id) ||
            __builtin_add_overflow(*id, (uint64_t)(*c - '0'), id))
            return false;
    }
    return c != text && *c == '\0';
}

static enum status fill_node_algorithms(struct config *config, const struct doc *doc,
                                        struct diag *diag)
{
    const struct doc_node *root = doc->root;
    enum status status = doc_want(doc, root, "per-node file", DOC_MAP, diag);
    if (status != STATUS_OK)
        return status;
    struct node_algorithm *row = arena_array(&config->arena, root->count, sizeof *row);
    for (uint32_t i = 0; i < root->count; i++) {
        const struct doc_node *entry = &root->child[i];
        if (!read_node_id(entry->key, &row[i].node_id)) {
            diag_fail(diag, STATUS_BAD_CONFIG, "expected a node id, found \"%.60s\"", entry->key);
            return fail_at_node(doc, entry, entry->key, STATUS_BAD_CONFIG, diag);
        }
        if (entry->kind != DOC_TEXT || entry->length == 0)
            return doc_fail(doc, entry, entry->key, "a prefix of Chakra files", diag);
        row[i].custom_prefix = arena_text(&config->arena, entry->text, entry->length);
    }
    config->system.node_algorithm = row;
    config->system.node_algorithm_count = root->count;
    return STATUS_OK;
}

enum status astra_read_per_node(struct astra_reader *reader)
{
    const char *path;
    enum status status =
        doc_get_text(reader->doc, reader->node, reader->node->key, &path, reader->diag);
    if (status != STATUS_OK)
        return status;
    struct doc doc;
    status = load_input(reader->config, &doc, "per-node", path, DOC_YAML, reader->diag);
    if (status == STATUS_OK)
        status = fill_node_algorithms(reader->config, &doc, reader->diag);
    doc_release(&doc);
    if (status == STATUS_OK)
        config_note(reader->config, "system.collectives.per-node", path, "%" PRIu32 " nodes",
                    reader->config->system.node_algorithm_count);
    return status;
}
