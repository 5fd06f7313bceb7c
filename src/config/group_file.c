#include "config/group_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "config/places.h"

void group_file_init(struct group_file *groups)
{
    *groups = (struct group_file){.path = ""};
    arena_init(&groups->arena);
}

void group_file_release(struct group_file *groups)
{
    arena_release(&groups->arena);
    group_file_init(groups);
}

static enum status read_ranks(struct group_entry *entry, const struct doc *doc,
                              const struct doc_node *list, const char *field, struct table *seen,
                              struct diag *diag)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct doc_node *item = &list->child[i];
        char item_field[128];
        snprintf(item_field, sizeof item_field, "%.100s[%" PRIu32 "]", field, i);
        uint64_t rank;
        enum status status =
            doc_get_u64(doc, item, item_field, 0, CONFIG_MAX_NPUS - 1, &rank, diag);
        if (status != STATUS_OK)
            return status;
        uint32_t before = table_put(seen, rank, i);
        if (before != TABLE_NONE) {
            diag_fail(diag, STATUS_BAD_CONFIG,
                      "rank %" PRIu64 " is listed twice (positions %" PRIu32 " and %" PRIu32 ")",
                      rank, before, i);
            return fail_at_node(doc, item, item_field, STATUS_BAD_CONFIG, diag);
        }
        entry->ranks[i] = (uint32_t)rank;
    }
    return STATUS_OK;
}

/* True if the node lists several groups of one name. */
static bool is_family(const struct doc_node *node)
{
    return node->kind == DOC_LIST && node->count && node->child[0].kind == DOC_LIST;
}

/* One list of ranks; `seen` holds those of the lists before it that have the same name. */
static enum status read_list(struct group_file *groups, const char *name, const struct doc *doc,
                             const struct doc_node *list, const char *field, struct table *seen,
                             struct diag *diag)
{
    if (list->kind != DOC_LIST)
        return doc_fail(doc, list, field, "a list of ranks", diag);
    struct group_entry *entry = &groups->entry[groups->count++];
    entry->name = name;
    entry->ranks = arena_array(&groups->arena, list->count, sizeof *entry->ranks);
    entry->count = list->count;
    return read_ranks(entry, doc, list, field, seen, diag);
}

/* The lists of a name stand for several groups: none may be empty, all are of one size. */
static enum status read_family(struct group_file *groups, const char *name, const struct doc *doc,
                               const struct doc_node *node, const char *field, struct table *seen,
                               struct diag *diag)
{
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < node->count && !status; i++) {
        const struct doc_node *list = &node->child[i];
        char item[140];
        snprintf(item, sizeof item, "%s[%" PRIu32 "]", field, i);
        status = read_list(groups, name, doc, list, item, seen, diag);
        if (status || (list->count && list->count == node->child[0].count))
            continue;
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "groups of one name have the same number of members, at least 1: the first has "
                  "%" PRIu32 ", this one %" PRIu32,
                  node->child[0].count, list->count);
        status = fail_at_node(doc, list, item, STATUS_BAD_CONFIG, diag);
    }
    return status;
}

static enum status read_name(struct group_file *groups, const struct doc *doc,
                             const struct doc_node *node, const char *prefix, struct diag *diag)
{
    char field[128];
    snprintf(field, sizeof field, "%s%sgroup \"%.60s\"", prefix, *prefix ? ": " : "", node->key);
    const char *name = arena_text(&groups->arena, node->key, strlen(node->key));
    struct table seen;
    table_init(&seen);
    enum status status = is_family(node) ? read_family(groups, name, doc, node, field, &seen, diag)
                                         : read_list(groups, name, doc, node, field, &seen, diag);
    table_release(&seen);
    return status;
}

enum status group_file_fill(struct group_file *groups, const struct doc *doc,
                            const struct doc_node *node, const char *field, struct diag *diag)
{
    enum status status = doc_want(doc, node, *field ? field : "communicator groups", DOC_MAP, diag);
    if (status != STATUS_OK)
        return status;
    uint32_t lists = 0;
    for (uint32_t i = 0; i < node->count; i++)
        lists += is_family(&node->child[i]) ? node->child[i].count : 1;
    groups->entry = arena_array(&groups->arena, lists, sizeof *groups->entry);
    groups->count = 0;
    groups->path = arena_text(&groups->arena, doc->path, strlen(doc->path));
    groups->content_hash = doc->content_hash;
    for (uint32_t i = 0; i < node->count && status == STATUS_OK; i++)
        status = read_name(groups, doc, &node->child[i], field, diag);
    return status;
}

enum status group_file_load(struct group_file *groups, const char *path, struct diag *diag)
{
    struct doc doc;
    enum status status = doc_load(&doc, path, DOC_JSON, diag);
    if (status != STATUS_OK)
        return status;
    status = group_file_fill(groups, &doc, doc.root, "", diag);
    doc_release(&doc);
    if (status != STATUS_OK)
        group_file_release(groups);
    return status;
}
