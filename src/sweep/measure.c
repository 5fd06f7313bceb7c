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

const char *const measure_labels[MEASURE_COUNT] = {
    [MEASURE_TIME] = "time",
    [MEASURE_DEVICES] = "devices",
    [MEASURE_TOKENS_PER_S] = "throughput",
    [MEASURE_TOKENS_PER_DEVICE] = "throughput of a device",
    [MEASURE_MFU] = "MFU",
    [MEASURE_MEMORY] = "memory",
    [MEASURE_COMPUTE] = "compute",
    [MEASURE_EXPOSED] = "exposed communication",
    [MEASURE_WAITING] = "waiting",
    [MEASURE_OTHER] = "other time",
    [MEASURE_BYTES] = "bytes sent",
    [MEASURE_MESSAGES] = "messages",
    [MEASURE_COST] = "cost",
    [MEASURE_ENERGY] = "energy",
    [MEASURE_TIME_P50] = "median time",
    [MEASURE_TIME_P95] = "95th percentile of time",
};
