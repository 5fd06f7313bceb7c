#include "sweep/measure.h"

#include <math.h>
#include <stdio.h>

const char *const measure_columns[MEASURE_COUNT + 1] = {
#define X(name, column, unit, meaning) column,
    MEASURE_LIST(X)
#undef X
};

const char *const measure_units[MEASURE_COUNT] = {
#define X(name, column, unit, meaning) unit,
    MEASURE_LIST(X)
#undef X
};

const char *const measure_meanings[MEASURE_COUNT] = {
#define X(name, column, unit, meaning) meaning,
    MEASURE_LIST(X)
#undef X
};

void point_result_clear(struct point_result *result, const char *state)
{
    *result = (struct point_result){.host_s = 0};
    snprintf(result->state, sizeof result->state, "%s", state);
    for (int i = 0; i < MEASURE_COUNT; i++)
        result->value[i] = NAN;
}
