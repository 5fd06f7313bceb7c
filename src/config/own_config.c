#include "config/own_config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/doc_edit.h"

#include "base/suggest.h"
#include "config/names.h"
#include "config/own_reader.h"
#include "config/places.h"
#include "config/settings.h"

enum { MOST_NAMES = 64 };

/* -- unknown keys -------------------------------------------------------------------------- */

static enum status unknown_key(struct own_reader *reader, const struct doc_node *node,
                               const char *const *known)
{
    diag_fail(reader->diag, STATUS_BAD_CONFIG, "unknown key");
    const char *nearest = suggest_nearest(node->key, known);
    char names[300];
    if (nearest)
        diag_hint(reader->diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(reader->diag, "known: %s", names_text(names, sizeof names, known));
    return fail_at_node(reader->doc, node, node->key, STATUS_BAD_CONFIG, reader->diag);
}

enum status own_check_keys(struct own_reader *reader, const struct doc_node *node,
                           const char *field, const char *const *known)
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

/* The entries of a list of texts in one, each without its comment; NULL if one is no text. */
static const char *joined(struct own_reader *reader, const struct doc_node *list)
{
    size_t length = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (!is_scalar(&list->child[i]))
            return NULL;
        length += list->child[i].length + strlen("; ");
    }
    char *text = arena_take(&reader->config->arena, length + 1), *at = text;
    for (uint32_t i = 0; i < list->count; i++) {
        size_t used = strcspn(list->child[i].text, "#");
        at += sprintf(at, "%s%.*s", i ? "; " : "", (int)used, list->child[i].text);
    }
    return text;
}

static enum status read_setting(struct own_reader *reader, const struct setting *setting,
                                const struct doc_node *node)
{
    bool is_list = setting->type == SETTING_TEXTS && node->kind == DOC_LIST;
    const char *list = is_list ? joined(reader, node) : NULL;
    if (is_list && !list)
        return doc_fail(reader->doc, node, setting->key, "a list of texts", reader->diag);
    if (!is_list && !is_scalar(node))
        return doc_fail(reader->doc, node, setting->key, "a single value", reader->diag);
    const char *text = is_list ? list : node->text;
    if (is_list && !*text)
        return STATUS_OK;
    if (setting->type == SETTING_PATH ||
        (setting->type == SETTING_NAME_OR_PATH && is_topology_path(text)))
        text = path_beside(&reader->config->arena, reader->doc, text);
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
static enum status read_section(struct own_reader *reader, const char *section,
                                const char *const *more)
{
    const struct doc_node *node = doc_find(reader->doc->root, section);
    if (!node)
        return STATUS_OK;
    const char *names[MOST_NAMES];
    section_names(section, more, names);
    enum status status = own_check_keys(reader, node, section, names);
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

/* A quantity whose bare form is `unit`, through one of the readers of units.h. */
static enum status read_quantity(struct own_reader *reader, const struct doc_node *node,
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

static enum status read_link(struct own_reader *reader, const struct doc_node *node, uint32_t d)
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

static enum status read_dim(struct own_reader *reader, const struct doc_node *node, uint32_t d)
{
    struct net_dim *dim = &reader->config->network.dim[d];
    char field[64];
    snprintf(field, sizeof field, "network.dims[%" PRIu32 "]", d);
    enum status status = own_check_keys(reader, node, field, dim_keys);
    if (status == STATUS_OK)
        status =
            read_block_name(reader->doc, doc_find(node, "block"),
                            dim_field(field, sizeof field, d, "block"), &dim->block, reader->diag);
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

static enum status read_network(struct own_reader *reader)
{
    static const char *const more[] = {"dims", NULL};
    enum status status = read_section(reader, "network", more);
    if (status != STATUS_OK)
        return status;
    const struct doc_node *dims = doc_find(doc_find(reader->doc->root, "network"), "dims");
    if (reader->config->network.topology) {
        if (dims)
            return doc_fail(reader->doc, dims, "network.dims",
                            "either `dims` or `topology`, not both", reader->diag);
        return STATUS_OK;
    }
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

/* -- the rest ------------------------------------------------------------------------------ */

static enum status read_groups(struct own_reader *reader)
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
void own_config_defaults(struct config *config)
{
    static const char *const keys[] = {"system.least-duration",
                                       "system.zero-bytes-is-free",
                                       "system.late-zero-cost",
                                       "system.broadcast-replayed",
                                       "system.whole-ns",
                                       "network.whole-ns",
                                       NULL};
    config->own_form = true;
    config->system.least_duration_ns = 0;
    config->system.zero_bytes_is_free = false;
    config->system.late_zero_cost = false;
    config->system.broadcast_replayed = false;
    config->system.whole_ns = config->network.whole_ns = false;
    for (const char *const *key = keys; *key; key++)
        setting_note(config, setting_find(*key), "default (one-file form)");
}

static enum status read_all(struct own_reader *reader)
{
    static const char *const sections[] = {"workload",  "network", "system", "memory",
                                           "variation", "run",     NULL};
    static const char *const system_more[] = {"collectives", NULL};
    static const char *const none[] = {NULL};
    enum status status = own_check_keys(reader, reader->doc->root, "the file", sections);
    if (status == STATUS_OK)
        status = read_section(reader, "workload", none);
    if (status == STATUS_OK)
        status = read_groups(reader);
    if (status == STATUS_OK)
        status = read_network(reader);
    if (status == STATUS_OK)
        status = read_section(reader, "system", system_more);
    if (status == STATUS_OK)
        status = own_read_collectives(reader);
    if (status == STATUS_OK)
        status = read_section(reader, "memory", none);
    if (status == STATUS_OK)
        status = read_section(reader, "variation", none);
    if (status == STATUS_OK)
        status = read_section(reader, "run", none);
    return status;
}

static enum status read_doc(struct config *config, struct group_file *groups, const struct doc *doc,
                            struct notices *notices, struct diag *diag)
{
    struct own_reader reader = {config, groups, doc, notices, diag};
    own_config_defaults(config);
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

enum status own_config_load_edited(struct config *config, struct group_file *groups,
                                   const char *path, const char *topology,
                                   const struct own_edit *edit, uint32_t count,
                                   struct notices *notices, struct diag *diag)
{
    static const char empty[] = "network: {}\n";
    struct doc doc;
    enum status status =
        path ? load_input(config, &doc, "config", path, DOC_YAML, diag)
             : doc_parse(&doc, "the cluster", empty, sizeof empty - 1, DOC_YAML, diag);
    if (status != STATUS_OK)
        return status;
    char *quoted = arena_take(&doc.arena, topology ? strlen(topology) + 3 : 1);
    if (topology) {
        snprintf(quoted, strlen(topology) + 3, "'%s'", topology);
        status = doc_set(&doc, "network.topology", quoted, diag);
    }
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        status = doc_set(&doc, edit[i].path, edit[i].text, diag);
    if (status == STATUS_OK)
        status = read_doc(config, groups, &doc, notices, diag);
    doc_release(&doc);
    return status;
}
