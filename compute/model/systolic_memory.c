#include "compute/model/systolic_memory.h"

#include <math.h>

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* A square of `words`, made longer where a side of it would be longer than the results. */
static void choose_block(struct systolic_traffic *traffic, const struct systolic_gemm *gemm,
                         double words)
{
    double m = (double)gemm->m, n = (double)gemm->n, side = floor(sqrt(words));
    if (words >= m * n) {
        traffic->block_m = gemm->m;
        traffic->block_n = gemm->n;
        return;
    }
    double high = side, wide = side;
    if (m < side) {
        high = m;
        wide = floor(words / m);
    } else if (n < side) {
        wide = n;
        high = floor(words / n);
    }
    traffic->block_m = high >= 1 ? (uint64_t)least(high, m) : 1;
    traffic->block_n = wide >= 1 ? (uint64_t)least(wide, n) : 1;
}

void systolic_traffic(struct systolic_traffic *traffic, const struct systolic_memory *memory,
                      const struct systolic_array *array, const struct systolic_gemm *gemm,
                      double compute_cycles)
{
    double half = memory->held_bytes / 2;
    choose_block(traffic, gemm, half / memory->sum_bytes);
    double m = (double)gemm->m, n = (double)gemm->n, k = (double)gemm->k;
    double input = m * k * memory->input_bytes, filter = k * n * memory->filter_bytes;
    double output = m * n * memory->output_bytes;
    traffic->bytes = input + filter + output;
    if (input > half && filter > half)
        traffic->bytes = input * (double)systolic_ceil_div(gemm->n, traffic->block_n) +
                         filter * (double)systolic_ceil_div(gemm->m, traffic->block_m) + output;
    traffic->first_cycles = traffic->stall_cycles = 0;
    if (memory->bytes_per_cycle <= 0)
        return;
    double word = array->dataflow == SYSTOLIC_INPUT ? memory->input_bytes : memory->filter_bytes;
    double arrays = (double)(array->arrays > 0 ? array->arrays : 1);
    double first =
        least(arrays * (double)array->rows * (double)array->columns * word, input + filter);
    traffic->first_cycles = first / memory->bytes_per_cycle;
    double over = traffic->bytes / memory->bytes_per_cycle - compute_cycles;
    traffic->stall_cycles = traffic->first_cycles + (over > 0 ? over : 0);
}
