/* system.collectives of the one-file form. */
#include <inttypes.h>
#include <string.h>

#include "config/algorithm_name.h"
#include "config/names.h"
#include "config/own_reader.h"
#include "config/places.h"

static enum status read_name(struct own_reader *reader, const struct doc_node *node,
                             const char *field, struct algorithm_choice *choice)
{
    if (node->kind != DOC_TEXT)
        return doc_fail(reader->doc, node, field, "the name of an algorithm", reader->diag);
    if (algorithm_parse(node->text, choice))
        return STATUS_OK;
    algorithm_unknown(node->text, reader->diag);
    return fail_at_node(reader->doc, node, field, STATUS_BAD_CONFIG, reader->diag);
}

/* One name: the same in every dimension (config_finish() repeats it), or once if it goes over all
 * ranks anyway. */
static enum status read_one_name(struct own_reader *reader, const struct doc_node *node,
                                 const char *field, enum algorithm_slot slot)
{
    struct algorithm_list *list = &reader->config->system.algorithm[slot];
    enum status status = read_name(reader, node, field, &list->choice[0]);
    if (status != STATUS_OK)
        return status;
    list->count = 1;
    list->one_name = !list->choice[0].flat && slot < SLOT_PER_DIM_COUNT;
    return STATUS_OK;
}

static enum status read_custom(struct own_reader *reader, const struct doc_node *node,
                               const char *field, struct algorithm_list *list)
{
    static const char *const keys[] = {"custom", NULL};
    enum status status = own_check_keys(reader, node, field, keys);
    const char *prefix;
    if (status == STATUS_OK)
        status = doc_get_text(reader->doc, doc_find(node, "custom"), field, &prefix, reader->diag);
    if (status != STATUS_OK)
        return status;
    prefix = path_beside(&reader->config->arena, reader->doc, prefix);
    list->custom_prefix = arena_text(&reader->config->arena, prefix, strlen(prefix));
    return STATUS_OK;
}

static enum status read_collective(struct own_reader *reader, const struct doc_node *node,
                                   enum algorithm_slot slot)
{
    struct algorithm_list *list = &reader->config->system.algorithm[slot];
    char field[64];
    algorithm_key(field, sizeof field, slot);
    enum status status = STATUS_OK;
    if (node->kind == DOC_TEXT) {
        status = read_one_name(reader, node, field, slot);
    } else if (node->kind == DOC_MAP) {
        status = read_custom(reader, node, field, list);
    } else if (node->kind == DOC_LIST && node->count >= 1 &&
               node->count <= (slot < SLOT_PER_DIM_COUNT ? CONFIG_MAX_DIMS : 1)) {
        for (uint32_t i = 0; i < node->count && status == STATUS_OK; i++)
            status = read_name(reader, &node->child[i], field, &list->choice[i]);
        list->count = node->count;
    } else {
        status =
            doc_fail(reader->doc, node, field,
                     "an algorithm, a list of one per dimension, or custom: PREFIX", reader->diag);
    }
    if (status != STATUS_OK)
        return status;
    char place[300];
    algorithm_note(reader->config, slot, place_of(place, sizeof place, reader->doc, node));
    return STATUS_OK;
}

static enum status read_per_node(struct own_reader *reader, const struct doc_node *node)
{
    static const char *const field = "system.collectives.per-node";
    enum status status =
        read_node_algorithms(reader->config, reader->doc, node, field, true, reader->diag);
    if (status != STATUS_OK)
        return status;
    char place[300];
    config_note(reader->config, field, place_of(place, sizeof place, reader->doc, node),
                "%" PRIu32 " nodes", node->count);
    return STATUS_OK;
}

enum status own_read_collectives(struct own_reader *reader)
{
    const struct doc_node *node = doc_find(doc_find(reader->doc->root, "system"), "collectives");
    if (!node)
        return STATUS_OK;
    const char *keys[SLOT_COUNT + 2] = {[SLOT_COUNT] = "per-node"};
    for (int slot = 0; slot < SLOT_COUNT; slot++)
        keys[slot] = slot_names[slot];
    enum status status = own_check_keys(reader, node, "system.collectives", keys);
    for (int slot = 0; slot < SLOT_COUNT && status == STATUS_OK; slot++) {
        const struct doc_node *entry = doc_find(node, slot_names[slot]);
        if (entry)
            status = read_collective(reader, entry, (enum algorithm_slot)slot);
    }
    const struct doc_node *per_node = doc_find(node, "per-node");
    return status == STATUS_OK && per_node ? read_per_node(reader, per_node) : status;
}
