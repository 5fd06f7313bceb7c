#include "sweep/axis_values.h"

#include <math.h>
#include <string.h>

#include "sweep/quantity.h"

/* -- lists ------------------------------------------------------------------------------------- */

static bool is_scalar(const struct doc_node *node)
{
    return node->kind == DOC_BOOL || node->kind == DOC_NUMBER || node->kind == DOC_TEXT;
}

static void reserve(struct axis *axis, struct arena *arena, uint32_t count)
{
    axis->count = count;
    axis->text = arena_array(arena, count, sizeof *axis->text);
    axis->number = arena_array(arena, count, sizeof *axis->number);
}

static enum status read_list(struct axis *axis, struct arena *arena, const struct doc *doc,
                             const struct doc_node *node, const char *field, struct diag *diag)
{
    if (node->count == 0 || node->count > STUDY_VALUES)
        return doc_fail(doc, node, field, "1 to 65536 values", diag);
    reserve(axis, arena, node->count);
    for (uint32_t i = 0; i < node->count; i++) {
        const struct doc_node *child = &node->child[i];
        if (!is_scalar(child))
            return doc_fail(doc, child, field, "a number, text, true or false", diag);
        axis->text[i] = arena_text(arena, child->text, child->length);
        quantity_parse(axis->text[i], &axis->number[i]);
    }
    return STATUS_OK;
}

/* -- ranges ------------------------------------------------------------------------------------ */

struct range {
    double from, to, step, factor;
    uint64_t count;
    bool has_step, has_factor, has_count, is_log;
    const char *unit;
};

struct place {
    const struct doc *doc;
    const struct doc_node *node;
    const char *field;
    struct diag *diag;
};

/* A number of the range; `unit` NULL takes none, else all that are given are the same. */
static enum status read_end(const struct place *place, const char *key, const char **unit,
                            bool *is_there, double *number)
{
    const struct doc_node *node = doc_find(place->node, key);
    *is_there = node != NULL;
    if (!node)
        return STATUS_OK;
    const char *found;
    if ((node->kind != DOC_NUMBER && node->kind != DOC_TEXT) ||
        !quantity_split(node->text, number, &found) || (!unit && *found))
        return doc_fail(place->doc, node, place->field,
                        unit ? "a number, with a unit or without" : "a number", place->diag);
    if (unit && *unit && strcmp(*unit, found) != 0)
        return doc_fail(place->doc, node, place->field, "the unit of `from`", place->diag);
    if (unit)
        *unit = found;
    return STATUS_OK;
}

static enum status read_scale(const struct place *place, struct range *range)
{
    static const char *const words[] = {"linear", "log", NULL};
    const struct doc_node *node = doc_find(place->node, "scale");
    if (!node)
        return STATUS_OK;
    if (node->kind != DOC_TEXT || !doc_is_one_of(node->text, words))
        return doc_fail(place->doc, node, place->field, "linear or log", place->diag);
    range->is_log = strcmp(node->text, "log") == 0;
    return STATUS_OK;
}

static enum status read_members(const struct place *place, struct range *range)
{
    static const char *const known[] = {"from", "to", "step", "factor", "count", "scale", NULL};
    const struct doc_node *unknown = doc_unknown_key(place->node, known);
    if (unknown)
        return doc_fail(place->doc, unknown, place->field,
                        "from, to and one of step, factor, count (with scale)", place->diag);
    bool has_from, has_to;
    enum status status = read_end(place, "from", &range->unit, &has_from, &range->from);
    if (status == STATUS_OK)
        status = read_end(place, "to", &range->unit, &has_to, &range->to);
    if (status == STATUS_OK)
        status = read_end(place, "step", &range->unit, &range->has_step, &range->step);
    if (status == STATUS_OK)
        status = read_end(place, "factor", NULL, &range->has_factor, &range->factor);
    if (status == STATUS_OK)
        status = read_scale(place, range);
    const struct doc_node *count = doc_find(place->node, "count");
    range->has_count = count != NULL;
    if (status == STATUS_OK && count)
        status = doc_get_u64(place->doc, count, place->field, 1, STUDY_VALUES, &range->count,
                             place->diag);
    if (status != STATUS_OK)
        return status;
    if (!has_from || !has_to || range->has_step + range->has_factor + range->has_count != 1)
        return doc_fail(place->doc, place->node, place->field,
                        "from, to and one of step, factor, count (with scale)", place->diag);
    return STATUS_OK;
}

/* How many values; an end that is missed by rounding alone is met. */
static enum status count_values(const struct place *place, struct range *range)
{
    double steps = (double)range->count - 1;
    if (range->has_step)
        steps = range->step > 0 && range->to >= range->from
                    ? (range->to - range->from) / range->step
                    : -1;
    if (range->has_factor)
        steps = range->factor > 1 && range->from > 0 && range->to >= range->from
                    ? log(range->to / range->from) / log(range->factor)
                    : -1;
    if (range->is_log && (range->from <= 0 || range->to <= 0 || range->has_step))
        steps = -1;
    if (!(steps >= 0))
        return doc_fail(place->doc, place->node, place->field,
                        "an end that the steps reach (step > 0; factor > 1 and log above 0)",
                        place->diag);
    if (steps >= STUDY_VALUES)
        return doc_fail(place->doc, place->node, place->field, "at most 65536 values", place->diag);
    range->count = (uint64_t)floor(steps + 1e-9) + 1;
    return STATUS_OK;
}

static double value_at(const struct range *range, uint64_t i)
{
    if (range->has_step)
        return range->from + (double)i * range->step;
    if (range->has_factor)
        return range->from * pow(range->factor, (double)i);
    if (range->count == 1)
        return range->from;
    double share = (double)i / (double)(range->count - 1);
    return range->is_log ? range->from * pow(range->to / range->from, share)
                         : range->from + share * (range->to - range->from);
}

static enum status read_range(struct axis *axis, struct arena *arena, const struct place *place)
{
    struct range range = {.unit = NULL};
    enum status status = read_members(place, &range);
    if (status == STATUS_OK)
        status = count_values(place, &range);
    if (status != STATUS_OK)
        return status;
    reserve(axis, arena, (uint32_t)range.count);
    for (uint32_t i = 0; i < axis->count; i++) {
        char text[96];
        int length = snprintf(text, sizeof text, "%.12g%.60s", value_at(&range, i), range.unit);
        axis->text[i] = arena_text(arena, text, (size_t)length);
        quantity_parse(axis->text[i], &axis->number[i]);
    }
    return STATUS_OK;
}

enum status axis_read(struct axis *axis, struct arena *arena, const struct doc *doc,
                      const struct doc_node *node, const char *field, struct diag *diag)
{
    axis->line = node->line;
    if (node->kind == DOC_LIST)
        return read_list(axis, arena, doc, node, field, diag);
    const struct place place = {doc, node, field, diag};
    if (node->kind == DOC_MAP)
        return read_range(axis, arena, &place);
    return doc_fail(doc, node, field, "a list of values, or a range {from, to, ..}", diag);
}
