#include "compute/model/systolic.h"

#include <stdbool.h>
#include <string.h>

#include "base/status.h"

static const struct {
    const char *name, *brief;
} dataflow_names[SYSTOLIC_DATAFLOWS] = {
    [SYSTOLIC_OUTPUT] = {"output", "os"},
    [SYSTOLIC_WEIGHT] = {"weight", "ws"},
    [SYSTOLIC_INPUT] = {"input", "is"},
};

const char *systolic_dataflow_name(enum systolic_dataflow dataflow)
{
    promise(dataflow < SYSTOLIC_DATAFLOWS);
    return dataflow_names[dataflow].name;
}

enum systolic_dataflow systolic_dataflow_find(const char *name)
{
    for (int d = 0; d < SYSTOLIC_DATAFLOWS; d++) {
        if (strcmp(name, dataflow_names[d].name) == 0 || strcmp(name, dataflow_names[d].brief) == 0)
            return (enum systolic_dataflow)d;
    }
    return SYSTOLIC_DATAFLOWS;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

void systolic_fold(struct systolic_folds *folds, const struct systolic_array *array,
                   const struct systolic_gemm *gemm)
{
    promise(array->rows > 0 && array->columns > 0 && array->dataflow < SYSTOLIC_DATAFLOWS);
    promise(gemm->m > 0 && gemm->n > 0 && gemm->k > 0);
    const uint64_t m = gemm->m, n = gemm->n, k = gemm->k;
    switch (array->dataflow) {
    case SYSTOLIC_WEIGHT:
        *folds = (struct systolic_folds){.height = k, .width = n, .stream = m};
        break;
    case SYSTOLIC_INPUT:
        *folds = (struct systolic_folds){.height = k, .width = m, .stream = n};
        break;
    default:
        *folds = (struct systolic_folds){.height = m, .width = n, .stream = k};
    }
    folds->down = systolic_ceil_div(folds->height, array->rows);
    folds->across = systolic_ceil_div(folds->width, array->columns);
    folds->last_rows = folds->height - (folds->down - 1) * array->rows;
    folds->last_columns = folds->width - (folds->across - 1) * array->columns;
    uint64_t load = array->dataflow == SYSTOLIC_OUTPUT ? 0 : array->rows;
    folds->fold_cycles = plus(load + array->rows + array->columns - 2, folds->stream);
}

void systolic_time(struct systolic_time *time, const struct systolic_array *array,
                   const struct systolic_gemm *gemm)
{
    struct systolic_folds folds;
    systolic_fold(&folds, array, gemm);
    uint64_t arrays = array->arrays > 0 ? array->arrays : 1;
    time->folds = systolic_times(folds.down, folds.across);
    time->cycles = systolic_times(systolic_ceil_div(time->folds, arrays), folds.fold_cycles);
    double cells = (double)array->rows * (double)array->columns;
    time->mapped_ratio = (double)folds.height * (double)folds.width / ((double)time->folds * cells);
    time->busy_ratio = (double)gemm->m * (double)gemm->n * (double)gemm->k /
                       (cells * (double)arrays * (double)time->cycles);
}

void systolic_reads(struct systolic_reads *reads, const struct systolic_array *array,
                    const struct systolic_gemm *gemm)
{
    struct systolic_folds folds;
    systolic_fold(&folds, array, gemm);
    uint64_t input = systolic_times(gemm->m, gemm->k);
    uint64_t filter = systolic_times(gemm->k, gemm->n);
    uint64_t output = systolic_times(gemm->m, gemm->n);
    bool is_input = array->dataflow == SYSTOLIC_INPUT,
         is_output = array->dataflow == SYSTOLIC_OUTPUT;
    reads->input = is_input ? input : systolic_times(input, folds.across);
    reads->filter = is_output  ? systolic_times(filter, folds.down)
                    : is_input ? systolic_times(filter, folds.across)
                               : filter;
    reads->output = is_output ? output : systolic_times(output, folds.down);
}
