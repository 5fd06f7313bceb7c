#include "sweep/points.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/mix.h"
#include "base/table.h"
#include "sweep/expression.h"

void points_values(const struct study *study, uint32_t place, uint32_t *value)
{
    for (uint32_t g = study->group_count; g-- > 0;) {
        const struct axis_group *group = &study->group[g];
        for (uint32_t i = 0; i < group->axes; i++)
            value[group->first + i] = place % group->length;
        place /= group->length;
    }
}

uint32_t points_value(const struct study *study, uint32_t place, uint32_t axis)
{
    uint32_t value[STUDY_AXES];
    points_values(study, place, value);
    return value[axis];
}

static enum status count_grid(const struct study *study, uint32_t *grid, struct diag *diag)
{
    uint64_t count = 1;
    for (uint32_t g = 0; g < study->group_count; g++) {
        count *= study->group[g].length; /* below 2^26 x 2^16 */
        if (count <= POINTS_GRID)
            continue;
        diag_fail(diag, STATUS_BAD_CONFIG, "the grid of the axes has more than %d points",
                  POINTS_GRID);
        diag_in(diag, study->path);
        diag_field(diag, "axes");
        diag_hint(diag, "fewer values, or zip for axes that move together");
        return STATUS_BAD_CONFIG;
    }
    *grid = (uint32_t)count;
    return STATUS_OK;
}

/* Keeps the places that the filter holds for; *count of them. */
static enum status filter(const struct study *study, uint32_t grid, struct arena *arena,
                          uint32_t *place, uint32_t *count, struct diag *diag)
{
    struct expression *expression = NULL;
    if (study->filter) {
        expression = expression_compile(arena, study->filter, "filter", study->keys, diag);
        if (!expression)
            return STATUS_BAD_CONFIG;
    }
    for (uint32_t at = 0; at < grid; at++) {
        uint32_t value[STUDY_AXES];
        struct expression_value known[STUDY_AXES];
        bool holds = true;
        points_values(study, at, value);
        for (uint32_t i = 0; expression && i < study->axis_count; i++) {
            const struct axis *axis = &study->axis[i];
            double number = axis->number[value[i]];
            known[i] =
                (struct expression_value){number != number ? axis->text[value[i]] : NULL, number};
        }
        if (expression && expression_holds(expression, known, &holds, diag) != STATUS_OK)
            return STATUS_BAD_CONFIG;
        if (holds)
            place[(*count)++] = at;
    }
    return STATUS_OK;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Floyd: for j from count - sample to count - 1, a number up to j, or j if it was taken before. */
static void take_sample(struct points *points, uint32_t sample, uint64_t seed)
{
    struct table taken;
    table_init(&taken);
    uint64_t state = seed;
    uint32_t *place = points->place, count = points->count, n = 0;
    uint32_t *chosen = malloc(sample * sizeof *chosen);
    need_memory(chosen != NULL);
    for (uint32_t j = count - sample; j < count; j++) {
        uint32_t pick = random_below(&state, j + 1);
        if (table_find(&taken, pick) != TABLE_NONE)
            pick = j;
        table_put(&taken, pick, 1);
        chosen[n++] = place[pick];
    }
    qsort(chosen, n, sizeof *chosen, by_number);
    for (uint32_t i = 0; i < n; i++)
        place[i] = chosen[i];
    points->count = n;
    free(chosen);
    table_release(&taken);
}

enum status points_find(struct points *points, const struct study *study, struct arena *arena,
                        struct diag *diag)
{
    *points = (struct points){.count = 0};
    enum status status = count_grid(study, &points->grid, diag);
    if (status != STATUS_OK)
        return status;
    points->place = arena_array(arena, points->grid, sizeof *points->place);
    status = filter(study, points->grid, arena, points->place, &points->count, diag);
    if (status == STATUS_OK && points->count == 0) {
        status = diag_fail(diag, STATUS_BAD_CONFIG,
                           "none of the %" PRIu32 " points of the grid is left", points->grid);
        diag_field(diag, "filter");
    }
    if (status != STATUS_OK) {
        diag_in(diag, study->path);
        return status;
    }
    if (study->sample_count && study->sample_count < points->count)
        take_sample(points, study->sample_count, study->seed);
    return STATUS_OK;
}
