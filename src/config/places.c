#include "config/places.h"

#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "base/suggest.h"
#include "config/names.h"

enum status load_input(struct config *config, struct doc *doc, const char *role, const char *path,
                       enum doc_syntax syntax, struct diag *diag)
{
    enum status status = doc_load(doc, path, syntax, diag);
    if (status == STATUS_OK)
        config_add_input(config, role, path, doc->content_hash);
    return status;
}

enum status load_and_read(struct config *config, const char *role, const char *path,
                          enum doc_syntax syntax,
                          enum status (*read)(struct config *config, const struct doc *doc,
                                              struct notices *notices, struct diag *diag),
                          struct notices *notices, struct diag *diag)
{
    struct doc doc;
    enum status status = load_input(config, &doc, role, path, syntax, diag);
    if (status == STATUS_OK)
        status = read(config, &doc, notices, diag);
    doc_release(&doc);
    return status;
}

const char *place_of(char *to, size_t size, const struct doc *doc, const struct doc_node *node)
{
    snprintf(to, size, "%s:%" PRIu32, doc->path, node->line);
    return to;
}

void ignore_unknown(const struct doc *doc, const struct doc_node *node, const char *const *known,
                    const char *kind_of_key, struct notices *notices)
{
    const struct doc_node *first = NULL;
    uint64_t count = 0;
    for (uint32_t i = 0; i < node->count; i++) {
        if (doc_is_one_of(node->child[i].key, known))
            continue;
        first = first ? first : &node->child[i];
        count++;
    }
    if (!first)
        return;
    const char *nearest = suggest_nearest(first->key, known);
    notices_add(notices, NOTICE_IGNORED, kind_of_key, count, "%s:%" PRIu32 ": \"%.60s\"%s%s%s",
                doc->path, first->line, first->key, nearest ? " (did you mean \"" : "",
                nearest ? nearest : "", nearest ? "\"?)" : "");
}

enum status fail_at_node(const struct doc *doc, const struct doc_node *node, const char *field,
                         enum status status, struct diag *diag)
{
    diag_in(diag, doc->path);
    diag_field(diag, "%s", field);
    if (node && node->line)
        diag_at(diag, DIAG_LINE, node->line);
    return status;
}

const char *path_beside(struct arena *arena, const struct doc *doc, const char *path)
{
    const char *slash = strrchr(doc->path, '/');
    if (*path == '/' || *path == '\0' || !slash)
        return path;
    size_t folder = (size_t)(slash - doc->path) + 1;
    size_t length = strlen(path);
    char *joined = arena_take(arena, folder + length + 1);
    memcpy(joined, doc->path, folder);
    memcpy(joined + folder, path, length);
    return joined;
}

enum status read_block_name(const struct doc *doc, const struct doc_node *node, const char *field,
                            enum net_block *block, struct diag *diag)
{
    bool is_text = node && node->kind == DOC_TEXT;
    unsigned value;
    if (is_text && names_value(net_block_names, node->text, &value)) {
        *block = (enum net_block)value;
        return STATUS_OK;
    }
    char names[64];
    doc_fail(doc, node, field, names_text(names, sizeof names, net_block_names), diag);
    const char *nearest = is_text ? suggest_nearest(node->text, net_block_names) : NULL;
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    return STATUS_BAD_CONFIG;
}

enum status read_node_algorithms(struct config *config, const struct doc *doc,
                                 const struct doc_node *node, const char *field, bool beside,
                                 struct diag *diag)
{
    enum status status = doc_want(doc, node, field, DOC_MAP, diag);
    if (status != STATUS_OK)
        return status;
    struct arena *arena = &config->arena;
    struct node_algorithm *row = arena_array(arena, node->count, sizeof *row);
    for (uint32_t i = 0; i < node->count; i++) {
        const struct doc_node *entry = &node->child[i];
        if (!decimal_u64(entry->key, strlen(entry->key), &row[i].node_id)) {
            diag_fail(diag, STATUS_BAD_CONFIG, "expected a node id, found \"%.60s\"", entry->key);
            return fail_at_node(doc, entry, field, STATUS_BAD_CONFIG, diag);
        }
        if (entry->kind != DOC_TEXT || entry->length == 0)
            return doc_fail(doc, entry, field, "a prefix of Chakra files", diag);
        const char *prefix = beside ? path_beside(arena, doc, entry->text) : entry->text;
        row[i].custom_prefix = arena_text(arena, prefix, strlen(prefix));
    }
    config->system.node_algorithm = row;
    config->system.node_algorithm_count = node->count;
    return STATUS_OK;
}

void network_note_dim(struct config *config, uint32_t d, const struct doc *doc,
                      const struct dim_places *places)
{
    const struct net_dim *dim = &config->network.dim[d];
    char key[48];
    char human[32];
    char place[300];
    snprintf(key, sizeof key, "network.dim[%" PRIu32 "].block", d);
    config_note(config, key, place_of(place, sizeof place, doc, places->block), "%s",
                net_block_names[dim->block]);
    snprintf(key, sizeof key, "network.dim[%" PRIu32 "].npus", d);
    config_note(config, key, place_of(place, sizeof place, doc, places->npus), "%" PRIu32,
                dim->npus);
    snprintf(key, sizeof key, "network.dim[%" PRIu32 "].bandwidth", d);
    units_show_rate(human, sizeof human, dim->bandwidth_B_per_ns * 1e9);
    config_note(config, key, place_of(place, sizeof place, doc, places->bandwidth),
                "%.15g B/ns (%s)", dim->bandwidth_B_per_ns, human);
    snprintf(key, sizeof key, "network.dim[%" PRIu32 "].latency", d);
    config_note(config, key, place_of(place, sizeof place, doc, places->latency), "%.15g ns",
                dim->latency_ns);
}

enum status network_complete(struct config *config, const struct doc *doc,
                             const struct doc_node *node, const char *field, struct diag *diag)
{
    struct network_config *network = &config->network;
    uint64_t npus = 1;
    for (uint32_t d = 0; d < network->dim_count; d++) {
        npus *= network->dim[d].npus; /* below 2^24 * 2^24 */
        if (npus > CONFIG_MAX_NPUS) {
            diag_fail(diag, STATUS_BAD_CONFIG, "more than the %d NPUs that are supported",
                      CONFIG_MAX_NPUS);
            return fail_at_node(doc, node, field, STATUS_BAD_CONFIG, diag);
        }
    }
    network->npu_count = (uint32_t)npus;
    char place[300];
    config_note(config, "network.npus", place_of(place, sizeof place, doc, node), "%" PRIu32,
                network->npu_count);
    return STATUS_OK;
}

bool is_topology_path(const char *text)
{
    return !strchr(text, ':') && (strchr(text, '/') || strchr(text, '.'));
}
