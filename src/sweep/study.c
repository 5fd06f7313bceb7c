#include "sweep/study.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/suggest.h"
#include "base/table.h"
#include "base/units.h"
#include "sweep/axis_values.h"
#include "sweep/quantity.h"

enum { MOST_TEXT_BYTES = 1 << 24 };

struct reader {
    struct study *study;
    const struct doc *doc;
    const struct study_keys *keys;
    struct diag *diag;
};

static enum status fail_at(const struct reader *reader, const struct doc_node *node,
                           enum status status)
{
    diag_in(reader->diag, reader->study->path);
    diag_at(reader->diag, DIAG_LINE, node->line);
    return status;
}

static enum status check_key(const struct reader *reader, const struct doc_node *node)
{
    enum status status = reader->keys->check(reader->keys->context, node->key, reader->diag);
    return status == STATUS_OK ? STATUS_OK : fail_at(reader, node, status);
}

static enum status unknown_key(const struct reader *reader, const struct doc_node *node,
                               const char *const *known)
{
    diag_fail(reader->diag, STATUS_BAD_CONFIG, "unknown key \"%.80s\"", node->key);
    const char *nearest = suggest_nearest(node->key, known);
    if (nearest)
        diag_hint(reader->diag, "did you mean \"%s\"?", nearest);
    return fail_at(reader, node, STATUS_BAD_CONFIG);
}

/* -- base -------------------------------------------------------------------------------------- */

static enum status read_base(const struct reader *reader, const struct doc_node *node)
{
    struct study *study = reader->study;
    enum status status = doc_want(reader->doc, node, "base", DOC_MAP, reader->diag);
    if (status == STATUS_OK && node->count > STUDY_BASE)
        status = doc_fail(reader->doc, node, "base", "at most 64 keys", reader->diag);
    for (uint32_t i = 0; status == STATUS_OK && i < node->count; i++) {
        const struct doc_node *child = &node->child[i];
        status = check_key(reader, child);
        if (status == STATUS_OK && !child->text)
            status = doc_fail(reader->doc, child, child->key, "a number, text, true or false",
                              reader->diag);
        if (status != STATUS_OK)
            return status;
        study->base[study->base_count++] =
            (struct study_pair){arena_text(&study->arena, child->key, strlen(child->key)),
                                arena_text(&study->arena, child->text, child->length), child->line};
    }
    return status;
}

/* -- axes -------------------------------------------------------------------------------------- */

static enum status add_axis(const struct reader *reader, const struct doc_node *node)
{
    struct study *study = reader->study;
    enum status status = check_key(reader, node);
    if (status != STATUS_OK)
        return status;
    if (study->axis_count == STUDY_AXES)
        return doc_fail(reader->doc, node, node->key, "at most 24 axes", reader->diag);
    for (uint32_t i = 0; i < study->axis_count; i++) {
        if (strcmp(study->axis[i].key, node->key) == 0)
            return doc_fail(reader->doc, node, node->key, "a key that is no axis yet",
                            reader->diag);
    }
    struct axis *axis = &study->axis[study->axis_count];
    axis->key = arena_text(&study->arena, node->key, strlen(node->key));
    study->keys[study->axis_count++] = axis->key;
    return axis_read(axis, &study->arena, reader->doc, node, axis->key, reader->diag);
}

/* The same value again would be the same point again. */
static enum status check_values(const struct reader *reader, const struct axis *axis,
                                const struct doc_node *node)
{
    struct names seen;
    uint32_t i = 0;
    names_init(&seen);
    while (i < axis->count && names_add(&seen, axis->text[i], strlen(axis->text[i])) == i)
        i++;
    names_release(&seen);
    if (i == axis->count)
        return STATUS_OK;
    diag_fail(reader->diag, STATUS_BAD_CONFIG, "the value %.80s stands there twice", axis->text[i]);
    diag_field(reader->diag, "%s", axis->key);
    return fail_at(reader, node, STATUS_BAD_CONFIG);
}

static enum status read_axes(const struct reader *reader, const struct doc_node *node)
{
    struct study *study = reader->study;
    enum status status = doc_want(reader->doc, node, "axes", DOC_MAP, reader->diag);
    for (uint32_t i = 0; status == STATUS_OK && i < node->count; i++) {
        uint32_t first = study->axis_count;
        status = add_axis(reader, &node->child[i]);
        if (status == STATUS_OK)
            status = check_values(reader, &study->axis[first], &node->child[i]);
        if (status == STATUS_OK)
            study->group[study->group_count++] =
                (struct axis_group){first, 1, study->axis[first].count};
    }
    return status;
}

static enum status read_zip_group(const struct reader *reader, const struct doc_node *node)
{
    struct study *study = reader->study;
    uint32_t first = study->axis_count;
    enum status status = doc_want(reader->doc, node, "zip", DOC_MAP, reader->diag);
    for (uint32_t i = 0; status == STATUS_OK && i < node->count; i++) {
        status = add_axis(reader, &node->child[i]);
        if (status != STATUS_OK)
            break;
        const struct axis *axis = &study->axis[study->axis_count - 1];
        if (axis->count == study->axis[first].count)
            continue;
        diag_fail(reader->diag, STATUS_BAD_CONFIG,
                  "%s has %u values and %s has %u: those of a zip move together", axis->key,
                  axis->count, study->axis[first].key, study->axis[first].count);
        diag_field(reader->diag, "zip");
        return fail_at(reader, &node->child[i], STATUS_BAD_CONFIG);
    }
    if (status == STATUS_OK && node->count)
        study->group[study->group_count++] =
            (struct axis_group){first, study->axis_count - first, study->axis[first].count};
    return status;
}

static enum status read_zip(const struct reader *reader, const struct doc_node *node)
{
    enum status status = doc_want(reader->doc, node, "zip", DOC_LIST, reader->diag);
    for (uint32_t i = 0; status == STATUS_OK && i < node->count; i++)
        status = read_zip_group(reader, &node->child[i]);
    return status;
}

/* -- the rest ---------------------------------------------------------------------------------- */

static enum status read_filter(const struct reader *reader, const struct doc_node *node)
{
    return doc_get_text(reader->doc, node, "filter", &reader->study->filter, reader->diag);
}

static enum status read_best(const struct reader *reader, const struct doc_node *node)
{
    return doc_get_text(reader->doc, node, "best", &reader->study->best, reader->diag);
}

static enum status read_sample(const struct reader *reader, const struct doc_node *node)
{
    static const char *const known[] = {"count", "seed", NULL};
    enum status status = doc_want(reader->doc, node, "sample", DOC_MAP, reader->diag);
    if (status != STATUS_OK)
        return status;
    const struct doc_node *unknown = doc_unknown_key(node, known);
    if (unknown)
        return unknown_key(reader, unknown, known);
    uint64_t count;
    status = doc_get_u64(reader->doc, doc_find(node, "count"), "sample.count", 1, UINT32_MAX,
                         &count, reader->diag);
    if (status == STATUS_OK)
        status = doc_get_u64(reader->doc, doc_find(node, "seed"), "sample.seed", 0, UINT64_MAX,
                             &reader->study->seed, reader->diag);
    if (status == STATUS_OK)
        reader->study->sample_count = (uint32_t)count;
    return status;
}

static enum status read_limits(const struct reader *reader, const struct doc_node *node)
{
    static const char *const known[] = {"time", "memory", NULL};
    enum status status = doc_want(reader->doc, node, "limits", DOC_MAP, reader->diag);
    if (status != STATUS_OK)
        return status;
    const struct doc_node *unknown = doc_unknown_key(node, known);
    if (unknown)
        return unknown_key(reader, unknown, known);
    const struct doc_node *time = doc_find(node, "time"), *memory = doc_find(node, "memory");
    double ns = 0;
    if (time && (!time->text ||
                 units_parse_duration(time->text, NULL, &ns, NULL, &(struct diag){.rank = -1}) !=
                     STATUS_OK ||
                 ns < 1e6 || ns > 1e18))
        return doc_fail(reader->doc, time, "limits.time", "a time of 1ms or more, such as 60s",
                        reader->diag);
    uint64_t *bytes = &reader->study->memory_limit_bytes;
    if (memory && (!memory->text ||
                   units_parse_bytes(memory->text, NULL, bytes, NULL, &(struct diag){.rank = -1}) !=
                       STATUS_OK ||
                   *bytes < 1000000))
        return doc_fail(reader->doc, memory, "limits.memory", "a size of 1MB or more, such as 4GB",
                        reader->diag);
    reader->study->time_limit_s = ns / 1e9;
    return STATUS_OK;
}

static const struct section {
    const char *key;
    enum status (*read)(const struct reader *reader, const struct doc_node *node);
} sections[] = {{"base", read_base},     {"axes", read_axes},     {"zip", read_zip},
                {"filter", read_filter}, {"sample", read_sample}, {"limits", read_limits},
                {"best", read_best}};

enum { SECTION_COUNT = sizeof sections / sizeof *sections };

static enum status read_study(const struct reader *reader)
{
    const struct doc_node *root = reader->doc->root;
    enum status status = doc_want(reader->doc, root, "study", DOC_MAP, reader->diag);
    if (status != STATUS_OK)
        return status;
    const char *known[SECTION_COUNT + 1] = {0};
    for (int i = 0; i < SECTION_COUNT; i++)
        known[i] = sections[i].key;
    const struct doc_node *unknown = doc_unknown_key(root, known);
    if (unknown)
        return unknown_key(reader, unknown, known);
    if (!doc_find(root, "base"))
        return doc_fail(reader->doc, NULL, "base", "what every point has", reader->diag);
    for (int i = 0; i < SECTION_COUNT && status == STATUS_OK; i++) {
        const struct doc_node *node = doc_find(root, sections[i].key);
        if (node)
            status = sections[i].read(reader, node);
    }
    /* Text of the document goes with it. */
    struct study *study = reader->study;
    if (study->filter)
        study->filter = arena_text(&study->arena, study->filter, strlen(study->filter));
    if (study->best)
        study->best = arena_text(&study->arena, study->best, strlen(study->best));
    return status;
}

enum status study_parse(struct study *study, const char *path, const char *text, size_t length,
                        const struct study_keys *keys, struct diag *diag)
{
    *study = (struct study){.base_count = 0};
    arena_init(&study->arena);
    study->path = arena_text(&study->arena, path, strlen(path));
    const char *slash = strrchr(path, '/');
    study->folder = arena_text(&study->arena, path, slash ? (size_t)(slash - path) + 1 : 0);
    study->text = arena_text(&study->arena, text, length);
    struct doc doc;
    enum status status = doc_parse(&doc, study->path, study->text, length, DOC_YAML, diag);
    if (status != STATUS_OK)
        return status;
    const struct reader reader = {study, &doc, keys, diag};
    status = read_study(&reader);
    doc_release(&doc);
    return status;
}

enum status study_load(struct study *study, const char *path, const struct study_keys *keys,
                       struct diag *diag)
{
    struct file file;
    enum status status = file_load(&file, path, MOST_TEXT_BYTES, diag);
    if (status != STATUS_OK) {
        *study = (struct study){.base_count = 0};
        return status;
    }
    status = study_parse(study, path, (const char *)file.bytes, file.length, keys, diag);
    file_release(&file);
    return status;
}

void study_release(struct study *study)
{
    arena_release(&study->arena);
}
