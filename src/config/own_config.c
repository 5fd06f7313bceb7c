#include "config/own_config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "config/algorithm_name.h"
#include "config/places.h"
#include "config/settings.h"

struct reader {
    struct config *config;
    struct group_file *groups;
    const struct doc *doc;
    struct notices *notices;
    struct diag *diag;
};

enum { MOST_NAMES = 64 };

/* -- unknown keys -------------------------------------------------------------------------- */

static enum status unknown_key(struct reader *reader, const struct doc_node *node,
                               const char *const *known)
{
    diag_fail(reader->diag, STATUS_BAD_CONFIG, "unknown key");
    const char *nearest = suggest_nearest(node->key, known);
    char names[300];
    if (nearest)
        diag_hint(reader->diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(reader->diag, "known: %s", choices_text(names, sizeof names, known));
    return fail_at_node(reader->doc, node, node->key, STATUS_BAD_CONFIG, reader->diag);
}

static enum status check_keys(struct reader *reader, const struct doc_node *node, const char *field,
                              const char *const *known)
{
    enum status status = doc_want(reader->doc, node, field, DOC_MAP, reader->diag);
    if (status != STATUS_OK)
        return status;
    const struct doc_node *odd = doc_unknown_key(node, known);
    return odd ? unknown_key(reader, odd, known) : STATUS_OK;
}

/* -- scalar settings ------------------------------------------------------------------------- */

static bool is_scalar(const struct doc_node *node)
{
    return node->kind == DOC_BOOL || node->kind == DOC_NUMBER || node->kind == DOC_TEXT;
}

/* `path` as seen from the folder of the file being read. */
static const char *relative_path(struct reader *reader, const char *path)
{
    const char *slash = strrchr(reader->doc->path, '/');
    if (*path == '/' || *path == '\0' || !slash)
        return path;
    size_t folder = (size_t)(slash - reader->doc->path) + 1;
    size_t length = strlen(path);
    char *joined = arena_take(&reader->config->arena, folder + length + 1);
    memcpy(joined, reader->doc->path, folder);
    memcpy(joined + folder, path, length);
    return joined;
}

static enum status read_setting(struct reader *reader, const struct setting *setting,
                                const struct doc_node *node)
{
    if (!is_scalar(node))
        return doc_fail(reader->doc, node, setting->key, "a single value", reader->diag);
    const char *text = node->text;
    if (setting->type == SETTING_PATH)
        text = relative_path(reader, text);
    char place[300];
    place_of(place, sizeof place, reader->doc, node);
    enum status status =
        setting_set_text(reader->config, setting, text, place, reader->notices, reader->diag);
    if (status != STATUS_OK)
        fail_at_node(reader->doc, node, setting->key, status, reader->diag);
    return status;
}

/* The names of a section's scalar settings, then those of `more`, NULL-terminated. */
static void section_names(const char *section, const char *const *more, const char **names)
{
    size_t count = 0;
    size_t length = strlen(section);
    for (const struct setting *setting = settings; setting->key; setting++) {
        promise(count + 1 < MOST_NAMES);
        if (strncmp(setting->key, section, length) == 0 && setting->key[length] == '.')
            names[count++] = setting->key + length + 1;
    }
    for (; *more; more++) {
        promise(count + 1 < MOST_NAMES);
        names[count++] = *more;
    }
    names[count] = NULL;
}

/* Reads all scalar settings of a section; the keys in `more` are left to the caller. */
static enum status read_section(struct reader *reader, const char *section, const char *const *more)
{
    const struct doc_node *node = doc_find(reader->doc->root, section);
    if (!node)
        return STATUS_OK;
    const char *names[MOST_NAMES];
    section_names(section, more, names);
    enum status status = check_keys(reader, node, section, names);
    for (uint32_t i = 0; status == STATUS_OK && i < node->count; i++) {
        char key[96];
        snprintf(key, sizeof key, "%s.%.60s", section, node->child[i].key);
        const struct setting *setting = setting_find(key);
        bool is_map = node->child[i].kind == DOC_MAP;
        if (setting && !(is_map && setting->type == SETTING_PATH))
            status = read_setting(reader, setting, &node->child[i]);
    }
    return status;
}

/* -- network ------------------------------------------------------------------------------- */

static const char *const dim_keys[] = {"block", "npus", "bandwidth", "latency", NULL};
static const char *const block_names[] = {"Ring", "FullyConnected", "Switch", NULL};

static enum status read_block(struct reader *reader, const struct doc_node *node, const char *field,
                              struct net_dim *dim)
{
    for (unsigned i = 0; node && node->kind == DOC_TEXT && block_names[i]; i++) {
        if (strcmp(node->text, block_names[i]) == 0) {
            dim->block = (enum net_block)i;
            return STATUS_OK;
        }
    }
    doc_fail(reader->doc, node, field, "Ring, FullyConnected or Switch", reader->diag);
    const char *nearest =
        node && node->kind == DOC_TEXT ? suggest_nearest(node->text, block_names) : NULL;
    if (nearest)
        diag_hint(reader->diag, "did you mean \"%s\"?", nearest);
    return STATUS_BAD_CONFIG;
}

/* A quantity whose bare form is `unit`, through one of the readers of units.h. */
static enum status read_quantity(struct reader *reader, const struct doc_node *node,
                                 const char *field, const char *unit,
                                 enum status (*parse)(const char *, const char *, double *, bool *,
                                                      struct diag *),
                                 double *value)
{
    if (!node || (node->kind != DOC_NUMBER && node->kind != DOC_TEXT))
        return doc_fail(reader->doc, node, field, "a number with a unit", reader->diag);
    bool was_bare;
    enum status status = parse(node->text, unit, value, &was_bare, reader->diag);
    if (status != STATUS_OK)
        return fail_at_node(reader->doc, node, field, status, reader->diag);
    if (was_bare)
        notices_add(reader->notices, NOTICE_DEFAULTED, "number without unit", 1,
                    "%s:%" PRIu32 ": %s: %s was taken as %s %s", reader->doc->path, node->line,
                    field, node->text, node->text, unit);
    return STATUS_OK;
}

/* "network.dims[d].key" */
static const char *dim_field(char *to, size_t size, uint32_t d, const char *key)
{
    snprintf(to, size, "network.dims[%" PRIu32 "].%s", d, key);
    return to;
}

static enum status read_link(struct reader *reader, const struct doc_node *node, uint32_t d)
{
    struct net_dim *dim = &reader->config->network.dim[d];
    const struct doc_node *bandwidth = doc_find(node, "bandwidth");
    const struct doc_node *latency = doc_find(node, "latency");
    char field[64];
    double Bps;
    enum status status =
        read_quantity(reader, bandwidth, dim_field(field, sizeof field, d, "bandwidth"), "GB/s",
                      units_parse_bandwidth, &Bps);
    if (status != STATUS_OK)
        return status;
    dim->bandwidth_B_per_ns = Bps / 1e9;
    if (dim->bandwidth_B_per_ns < LEAST_B_PER_NS || dim->bandwidth_B_per_ns > MOST_QUANTITY)
        return doc_fail(reader->doc, bandwidth, field, "a bandwidth from 1 B/s to 1e15 GB/s",
                        reader->diag);
    status = read_quantity(reader, latency, dim_field(field, sizeof field, d, "latency"), "ns",
                           units_parse_duration, &dim->latency_ns);
    if (status == STATUS_OK && dim->latency_ns > MOST_QUANTITY)
        status = doc_fail(reader->doc, latency, field, "a latency below 11 days", reader->diag);
    return status;
}

static enum status read_dim(struct reader *reader, const struct doc_node *node, uint32_t d)
{
    struct net_dim *dim = &reader->config->network.dim[d];
    char field[64];
    snprintf(field, sizeof field, "network.dims[%" PRIu32 "]", d);
    enum status status = check_keys(reader, node, field, dim_keys);
    if (status == STATUS_OK)
        status = read_block(reader, doc_find(node, "block"),
                            dim_field(field, sizeof field, d, "block"), dim);
    uint64_t npus = 0;
    if (status == STATUS_OK)
        status = doc_get_u64(reader->doc, doc_find(node, "npus"),
                             dim_field(field, sizeof field, d, "npus"), 1, CONFIG_MAX_NPUS, &npus,
                             reader->diag);
    if (status == STATUS_OK)
        status = read_link(reader, node, d);
    if (status != STATUS_OK)
        return status;
    dim->npus = (uint32_t)npus;
    const struct dim_places places = {doc_find(node, "block"), doc_find(node, "npus"),
                                      doc_find(node, "bandwidth"), doc_find(node, "latency")};
    network_note_dim(reader->config, d, reader->doc, &places);
    return STATUS_OK;
}

static enum status read_network(struct reader *reader)
{
    static const char *const more[] = {"dims", NULL};
    enum status status = read_section(reader, "network", more);
    if (status != STATUS_OK)
        return status;
    const struct doc_node *dims = doc_find(doc_find(reader->doc->root, "network"), "dims");
    if (!dims || dims->kind != DOC_LIST || dims->count == 0 || dims->count > CONFIG_MAX_DIMS) {
        char expected[80];
        snprintf(expected, sizeof expected, "a list of 1 to %d dimensions", CONFIG_MAX_DIMS);
        return doc_fail(reader->doc, dims, "network.dims", expected, reader->diag);
    }
    reader->config->network.dim_count = dims->count;
    for (uint32_t d = 0; d < dims->count && status == STATUS_OK; d++)
        status = read_dim(reader, &dims->child[d], d);
    if (status != STATUS_OK)
        return status;
    return network_complete(reader->config, reader->doc, dims, "network.dims", reader->diag);
}

/* -- collectives --------------------------------------------------------------------------- */

static enum status read_name(struct reader *reader, const struct doc_node *node, const char *field,
                             struct algorithm_choice *choice)
{
    if (node->kind != DOC_TEXT)
        return doc_fail(reader->doc, node, field, "the name of an algorithm", reader->diag);
    if (algorithm_parse(node->text, choice))
        return STATUS_OK;
    algorithm_unknown(node->text, reader->diag);
    return fail_at_node(reader->doc, node, field, STATUS_BAD_CONFIG, reader->diag);
}

/* One name: the same in every dimension, or once if it goes over all ranks anyway. */
static enum status read_one_name(struct reader *reader, const struct doc_node *node,
                                 const char *field, struct algorithm_list *list)
{
    enum status status = read_name(reader, node, field, &list->choice[0]);
    if (status != STATUS_OK)
        return status;
    list->count = list->choice[0].flat ? 1 : reader->config->network.dim_count;
    for (uint32_t d = 1; d < list->count; d++)
        list->choice[d] = list->choice[0];
    return STATUS_OK;
}

static enum status read_custom(struct reader *reader, const struct doc_node *node,
                               const char *field, struct algorithm_list *list)
{
    static const char *const keys[] = {"custom", NULL};
    enum status status = check_keys(reader, node, field, keys);
    const char *prefix;
    if (status == STATUS_OK)
        status = doc_get_text(reader->doc, doc_find(node, "custom"), field, &prefix, reader->diag);
    if (status != STATUS_OK)
        return status;
    prefix = relative_path(reader, prefix);
    list->custom_prefix = arena_text(&reader->config->arena, prefix, strlen(prefix));
    return STATUS_OK;
}

static enum status read_collective(struct reader *reader, const struct doc_node *node,
                                   enum algorithm_slot slot)
{
    struct algorithm_list *list = &reader->config->system.algorithm[slot];
    char field[64];
    algorithm_key(field, sizeof field, slot);
    enum status status = STATUS_OK;
    if (node->kind == DOC_TEXT) {
        status = read_one_name(reader, node, field, list);
    } else if (node->kind == DOC_MAP) {
        status = read_custom(reader, node, field, list);
    } else if (node->kind == DOC_LIST && node->count >= 1 && node->count <= CONFIG_MAX_DIMS) {
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

static enum status read_per_node(struct reader *reader, const struct doc_node *node)
{
    static const char *const field = "system.collectives.per-node";
    enum status status = doc_want(reader->doc, node, field, DOC_MAP, reader->diag);
    if (status != STATUS_OK)
        return status;
    struct config *config = reader->config;
    struct node_algorithm *row = arena_array(&config->arena, node->count, sizeof *row);
    for (uint32_t i = 0; i < node->count; i++) {
        const struct doc_node *entry = &node->child[i];
        char *end;
        row[i].node_id = strtoull(entry->key, &end, 10);
        if (entry->key[0] < '0' || entry->key[0] > '9' || *end || strlen(entry->key) > 19) {
            diag_fail(reader->diag, STATUS_BAD_CONFIG, "expected a node id, found \"%.60s\"",
                      entry->key);
            return fail_at_node(reader->doc, entry, field, STATUS_BAD_CONFIG, reader->diag);
        }
        if (entry->kind != DOC_TEXT)
            return doc_fail(reader->doc, entry, field, "a prefix of Chakra files", reader->diag);
        const char *prefix = relative_path(reader, entry->text);
        row[i].custom_prefix = arena_text(&config->arena, prefix, strlen(prefix));
    }
    config->system.node_algorithm = row;
    config->system.node_algorithm_count = node->count;
    char place[300];
    config_note(config, field, place_of(place, sizeof place, reader->doc, node),
                "%" PRIu32 " nodes", node->count);
    return STATUS_OK;
}

static enum status read_collectives(struct reader *reader)
{
    const struct doc_node *node = doc_find(doc_find(reader->doc->root, "system"), "collectives");
    if (!node)
        return STATUS_OK;
    static const char *const keys[] = {"all-reduce", "all-gather", "reduce-scatter",
                                       "all-to-all", "per-node",   NULL};
    enum status status = check_keys(reader, node, "system.collectives", keys);
    for (int slot = 0; slot < SLOT_COUNT && status == STATUS_OK; slot++) {
        const struct doc_node *entry =
            doc_find(node, algorithm_slot_name((enum algorithm_slot)slot));
        if (entry)
            status = read_collective(reader, entry, (enum algorithm_slot)slot);
    }
    const struct doc_node *per_node = doc_find(node, "per-node");
    return status == STATUS_OK && per_node ? read_per_node(reader, per_node) : status;
}

/* -- the rest ------------------------------------------------------------------------------ */

static enum status read_groups(struct reader *reader)
{
    const struct doc_node *node = doc_find(doc_find(reader->doc->root, "workload"), "comm-groups");
    if (!node || node->kind != DOC_MAP)
        return STATUS_OK;
    enum status status =
        group_file_fill(reader->groups, reader->doc, node, "workload.comm-groups", reader->diag);
    char place[300];
    if (status == STATUS_OK)
        config_note(reader->config, "workload.comm-groups",
                    place_of(place, sizeof place, reader->doc, node),
                    "%" PRIu32 " groups in this file", node->count);
    return status;
}

/* Where the one-file form does not follow ASTRA-sim (rule 4). */
static void set_own_defaults(struct config *config)
{
    static const char *const keys[] = {"system.least-duration", "system.zero-bytes-is-free",
                                       "system.late-zero-cost", "system.broadcast-replayed", NULL};
    config->own_form = true;
    config->system.least_duration_ns = 0;
    config->system.zero_bytes_is_free = false;
    config->system.late_zero_cost = false;
    config->system.broadcast_replayed = false;
    for (const char *const *key = keys; *key; key++)
        setting_note(config, setting_find(*key), "default (one-file form)");
}

static enum status read_all(struct reader *reader)
{
    static const char *const sections[] = {"workload", "network", "system", "memory", "run", NULL};
    static const char *const system_more[] = {"collectives", NULL};
    static const char *const none[] = {NULL};
    enum status status = check_keys(reader, reader->doc->root, "the file", sections);
    if (status == STATUS_OK)
        status = read_section(reader, "workload", none);
    if (status == STATUS_OK)
        status = read_groups(reader);
    if (status == STATUS_OK)
        status = read_network(reader);
    if (status == STATUS_OK)
        status = read_section(reader, "system", system_more);
    if (status == STATUS_OK)
        status = read_collectives(reader);
    if (status == STATUS_OK)
        status = read_section(reader, "memory", none);
    if (status == STATUS_OK)
        status = read_section(reader, "run", none);
    return status;
}

static enum status read_doc(struct config *config, struct group_file *groups, const struct doc *doc,
                            struct notices *notices, struct diag *diag)
{
    struct reader reader = {config, groups, doc, notices, diag};
    set_own_defaults(config);
    return read_all(&reader);
}

enum status own_config_load(struct config *config, struct group_file *groups, const char *path,
                            struct notices *notices, struct diag *diag)
{
    struct doc doc;
    enum status status = load_input(config, &doc, "config", path, DOC_YAML, diag);
    if (status == STATUS_OK)
        status = read_doc(config, groups, &doc, notices, diag);
    doc_release(&doc);
    return status;
}

enum status own_config_parse(struct config *config, struct group_file *groups, const char *name,
                             const char *text, size_t length, struct notices *notices,
                             struct diag *diag)
{
    struct doc doc;
    enum status status = doc_parse(&doc, name, text, length, DOC_YAML, diag);
    if (status != STATUS_OK)
        return status;
    status = read_doc(config, groups, &doc, notices, diag);
    doc_release(&doc);
    return status;
}
