#include "net/topology/presets.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/suggest.h"
#include "net/topology/preset_files.h"
#include "net/topology/topology_doc.h"

enum { MOST_PRESETS = 64, MOST_SHAPE = 8, VALUE = 48, SPEC = 400 };

/* The value of the parameter: a count, or a shape. */
struct setting_of_preset {
    const char *name;
    char text[VALUE];
    char wrap[VALUE]; /* of a shape */
    bool is_shape;
    uint64_t count; /* or the product of the shape's sizes */
    uint32_t size[MOST_SHAPE], dims;
};

struct preset {
    struct doc doc;
    struct setting_of_preset value;
    struct diag *diag;
};

bool preset_is(const char *text)
{
    return strncmp(text, PRESET_PREFIX, sizeof PRESET_PREFIX - 1) == 0;
}

/* -- files ---------------------------------------------------------------------------------- */

static enum status unknown_preset(const char *name, struct diag *diag)
{
    const char *known[MOST_PRESETS + 1];
    uint32_t count = 0;
    for (const struct embedded_file *file = preset_files; file->name && count < MOST_PRESETS;
         file++)
        known[count++] = file->name;
    known[count] = NULL;
    diag_fail(diag, STATUS_BAD_CONFIG, "there is no preset \"%.60s\"", name);
    const char *nearest = suggest_nearest(name, known);
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(diag, "`orrery list presets` has them all");
    return STATUS_BAD_CONFIG;
}

static enum status open_preset(const char *name, struct doc *doc, struct diag *diag)
{
    for (const struct embedded_file *file = preset_files; file->name; file++) {
        if (strcmp(file->name, name) == 0)
            return doc_parse(doc, name, file->text, file->length, DOC_YAML, diag);
    }
    return unknown_preset(name, diag);
}

/* -- the parameter ---------------------------------------------------------------------------- */

static enum status bad_value(struct preset *preset, const char *expected)
{
    diag_fail(preset->diag, STATUS_BAD_CONFIG, "%s: expected %s, found \"%.40s\"",
              preset->value.name, expected, preset->value.text);
    return STATUS_BAD_CONFIG;
}

/* "4x4x8" into sizes; false if it is none. */
static bool read_shape(struct setting_of_preset *value)
{
    value->dims = 0;
    value->count = 1;
    const char *at = value->text;
    for (;;) {
        size_t length = strcspn(at, "x");
        uint64_t size;
        if (value->dims == MOST_SHAPE || !decimal_u64(at, length, &size) || size < 1 ||
            size > CONFIG_MAX_NPUS || (value->count *= size) > CONFIG_MAX_NPUS)
            return false;
        value->size[value->dims++] = (uint32_t)size;
        if (at[length] == '\0')
            return true;
        at += length + 1;
    }
}

static uint64_t number_of(const struct doc_node *map, const char *key)
{
    const struct doc_node *node = doc_find(map, key);
    return node && node->is_integer && !node->is_negative ? node->magnitude : 0;
}

/* Rule 1 of presets.h. */
static void find_wrap(struct setting_of_preset *value, const struct doc_node *parameter)
{
    uint64_t multiple = number_of(parameter, "wrap-multiple-of");
    uint64_t at = number_of(parameter, "wrap-at");
    bool all = multiple > 0;
    for (uint32_t d = 0; d < value->dims && all; d++)
        all = value->size[d] % multiple == 0;
    size_t used = 0;
    for (uint32_t d = 0; d < value->dims && used < sizeof value->wrap; d++)
        used += (size_t)snprintf(value->wrap + used, sizeof value->wrap - used, "%s%d",
                                 d ? "x" : "", all || (at > 0 && value->size[d] == at));
}

static enum status check_value(struct preset *preset, const struct doc_node *parameter)
{
    struct setting_of_preset *value = &preset->value;
    const struct doc_node *fallback = doc_find(parameter, "default");
    value->is_shape = fallback && fallback->kind == DOC_TEXT;
    if (!value->is_shape) {
        if (!decimal_u64(value->text, strlen(value->text), &value->count) || value->count < 1 ||
            value->count > CONFIG_MAX_NPUS)
            return bad_value(preset, "a whole number from 1 to 16777216");
        return STATUS_OK;
    }
    struct setting_of_preset usual = *value;
    snprintf(usual.text, sizeof usual.text, "%s", fallback->text);
    if (!read_shape(&usual) || !read_shape(value) || value->dims != usual.dims) {
        char expected[64];
        snprintf(expected, sizeof expected, "%" PRIu32 " sizes such as %.20s", usual.dims,
                 fallback->text);
        return bad_value(preset, expected);
    }
    find_wrap(value, parameter);
    return STATUS_OK;
}

/* ",nodes=128" after the name, or the default. */
static enum status read_value(struct preset *preset, const char *rest)
{
    struct setting_of_preset *value = &preset->value;
    const struct doc_node *parameter = doc_find(preset->doc.root, "parameter");
    const struct doc_node *name = doc_find(parameter, "name");
    const struct doc_node *fallback = doc_find(parameter, "default");
    promise(name && fallback && fallback->text); /* the files are ours: tests build them all */
    value->name = name->text;
    snprintf(value->text, sizeof value->text, "%s", fallback->text);
    size_t length = strcspn(rest, "=");
    if (*rest == '\0')
        return check_value(preset, parameter);
    if (rest[length] != '=' || strlen(value->name) != length ||
        strncmp(rest, value->name, length) != 0) {
        diag_fail(preset->diag, STATUS_BAD_CONFIG, "expected %s=%s, found \"%.40s\"", value->name,
                  value->text, rest);
        diag_hint(preset->diag, "the only parameter of this preset is %s", value->name);
        return STATUS_BAD_CONFIG;
    }
    snprintf(value->text, sizeof value->text, "%s", rest + length + 1);
    return check_value(preset, parameter);
}

/* -- rows ----------------------------------------------------------------------------------- */

/* Copies `from` with "{name}" and "{wrap}" replaced. */
static void fill_in(const struct preset *preset, const char *from, char to[SPEC])
{
    size_t used = 0;
    while (*from && used + 1 < SPEC) {
        size_t name = strlen(preset->value.name);
        if (from[0] == '{' && strncmp(from + 1, preset->value.name, name) == 0 &&
            from[name + 1] == '}') {
            used += (size_t)snprintf(to + used, SPEC - used, "%s", preset->value.text);
            from += name + 2;
        } else if (strncmp(from, "{wrap}", 6) == 0) {
            used += (size_t)snprintf(to + used, SPEC - used, "%s", preset->value.wrap);
            from += 6;
        } else {
            to[used++] = *from++;
        }
    }
    promise(used < SPEC);
    to[used] = '\0';
}

static enum status check_row(struct preset *preset, const struct doc_node *row)
{
    uint64_t multiple = number_of(row, "multiple-of"), most = number_of(row, "most-npus");
    char expected[64];
    if (multiple && preset->value.count % multiple != 0) {
        snprintf(expected, sizeof expected, "a multiple of %" PRIu64 " here", multiple);
        return bad_value(preset, expected);
    }
    if (most && preset->value.count > most) {
        snprintf(expected, sizeof expected, "at most %" PRIu64 " NPUs", most);
        return bad_value(preset, expected);
    }
    return STATUS_OK;
}

static enum status build_row(struct preset *preset, struct fabric **fabric)
{
    const struct doc_node *sizes = doc_find(preset->doc.root, "sizes");
    const struct doc_node *row = NULL;
    uint64_t most = 0;
    promise(sizes && sizes->count > 0);
    for (uint32_t i = 0; i < sizes->count && !row; i++) {
        most = number_of(&sizes->child[i], "up-to");
        if (most == 0 || preset->value.count <= most)
            row = &sizes->child[i];
    }
    if (!row) {
        char expected[64];
        snprintf(expected, sizeof expected, "at most %" PRIu64, most);
        return bad_value(preset, expected);
    }
    enum status status = check_row(preset, row);
    const struct doc_node *form = doc_find(row, "topology");
    char spec[SPEC];
    promise(form != NULL);
    if (status != STATUS_OK)
        return status;
    fill_in(preset, form->text, spec);
    return fabric_parse(spec, fabric, preset->diag);
}

enum status preset_build(const char *text, struct fabric **fabric, struct diag *diag)
{
    const char *given = text + sizeof PRESET_PREFIX - 1;
    size_t length = strcspn(given, ",");
    const char *rest = given + length + (given[length] == ',');
    char name[VALUE];
    snprintf(name, sizeof name, "%.*s", (int)(length < VALUE ? length : VALUE - 1), given);
    struct preset preset = {.diag = diag};
    enum status status = open_preset(name, &preset.doc, diag);
    if (status == STATUS_OK) {
        status = read_value(&preset, rest);
        if (status == STATUS_OK)
            status = build_row(&preset, fabric);
        doc_release(&preset.doc);
    }
    if (status != STATUS_OK)
        diag_field(diag, "%.100s", text);
    return status;
}

static void put_word(const struct doc_node *root, const char *key, char to[40])
{
    const struct doc_node *node = doc_find(root, key);
    snprintf(to, 40, "%s", node ? node->text : "");
}

bool preset_describe(uint32_t number, struct preset_words *words)
{
    for (uint32_t i = 0; i <= number; i++) {
        if (!preset_files[i].name)
            return false;
    }
    const struct embedded_file *file = &preset_files[number];
    struct diag diag = DIAG_NONE;
    struct doc doc;
    *words = (struct preset_words){.name = file->name};
    enum status status = doc_parse(&doc, file->name, file->text, file->length, DOC_YAML, &diag);
    promise(status == STATUS_OK);
    const struct doc_node *parameter = doc_find(doc.root, "parameter");
    const struct doc_node *sheet = doc_find(doc.root, "datasheet");
    const struct doc_node *about = doc_find(doc.root, "about");
    const struct doc_node *name = doc_find(parameter, "name");
    const struct doc_node *fallback = doc_find(parameter, "default");
    promise(about && name && fallback && sheet);
    snprintf(words->about, sizeof words->about, "%s", about->text);
    put_word(doc.root, "device", words->device);
    put_word(doc.root, "library", words->library);
    snprintf(words->parameter, sizeof words->parameter, "%s", name->text);
    snprintf(words->fallback, sizeof words->fallback, "%s", fallback->text);
    words->npus_each = (uint32_t)number_of(sheet, "npus-each");
    status =
        topology_bandwidth(&doc, sheet, "datasheet", "injection", &words->injection_Bps, &diag);
    promise(status == STATUS_OK);
    doc_release(&doc);
    return true;
}

bool preset_find(const char *text, struct preset_words *words)
{
    if (!preset_is(text))
        return false;
    const char *given = text + sizeof PRESET_PREFIX - 1;
    size_t length = strcspn(given, ",");
    for (uint32_t i = 0; preset_files[i].name; i++) {
        if (strlen(preset_files[i].name) == length &&
            strncmp(preset_files[i].name, given, length) == 0)
            return preset_describe(i, words);
    }
    return false;
}
