#include <inttypes.h>
#include <string.h>

#include "config/algorithm_name.h"
#include "config/astra_reader.h"
#include "config/names.h"
#include "config/places.h"

enum status astra_expected(struct astra_reader *reader, const char *expected)
{
    return doc_fail(reader->doc, reader->node, reader->node->key, expected, reader->diag);
}

static enum algorithm_slot slot_of_key(const char *key)
{
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
        const char *name = slot_names[slot];
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
        status = read_node_algorithms(reader->config, &doc, doc.root, "per-node file", false,
                                      reader->diag);
    doc_release(&doc);
    if (status == STATUS_OK)
        config_note(reader->config, "system.collectives.per-node", path, "%" PRIu32 " nodes",
                    reader->config->system.node_algorithm_count);
    return status;
}
