#include "stats/samples.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

#define TAIL    0.025
#define Z_TAIL  1.959963984540054 /* standard normal, 97.5 % */
#define HALF_PI 1.57079632679489661923

enum { MOST_SUMMED = 200 }; /* degrees of freedom; beyond, the expansion is right to 9 digits */

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

void samples_sort(double *value, size_t count)
{
    qsort(value, count, sizeof *value, compare);
}

/*
 * P(|T| <= t) for `freedom` degrees: the finite sums of Abramowitz and Stegun, 26.7.3 (odd) and
 * 26.7.4 (even), with theta = atan(t / sqrt(freedom)).
 */
static double student_inside(double t, uint32_t freedom)
{
    double theta = atan(t / sqrt(freedom)), c = cos(theta), term, sum;
    bool is_odd = freedom % 2;
    if (freedom == 1)
        return theta / HALF_PI;
    term = is_odd ? c : 1;
    sum = term;
    for (uint32_t k = is_odd ? 3 : 2; k < freedom; k += 2) {
        term *= c * c * (k - 1) / k;
        sum += term;
    }
    return is_odd ? (theta + sin(theta) * sum) / HALF_PI : sin(theta) * sum;
}

double samples_t(uint32_t freedom)
{
    double z = Z_TAIL, z2 = z * z, v = freedom;
    if (freedom > MOST_SUMMED)
        return z * (1 + (z2 + 1) / (4 * v) + ((5 * z2 + 16) * z2 + 3) / (96 * v * v) +
                    (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * v * v * v));
    double low = 1.9, high = 13; /* it is 12.706 for 1, and above 1.95996 always */
    while (high - low > 1e-9) {
        double middle = (low + high) / 2;
        if (student_inside(middle, freedom) < 1 - 2 * TAIL)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Mean and standard deviation, of n - 1. */
static double moments(const double *value, uint32_t count, double *deviation)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += value[i];
    double mean = sum / count;
    for (uint32_t i = 0; i < count; i++)
        squares += (value[i] - mean) * (value[i] - mean);
    *deviation = count > 1 ? sqrt(squares / (count - 1)) : 0;
    return mean;
}

struct sample_estimate samples_mean(const double *value, uint32_t count, double *deviation)
{
    double spread;
    double mean = moments(value, count, &spread);
    double half = count > 1 ? samples_t(count - 1) * spread / sqrt(count) : 0;
    if (deviation)
        *deviation = spread;
    return (struct sample_estimate){mean, {mean - half, mean + half, count < 2, count < 2}};
}

/* -- quantiles --------------------------------------------------------------------------------- */

static double binomial(uint32_t n, uint32_t k, double p)
{
    return exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma((double)(n - k) + 1) + k * log(p) +
               (n - k) * log1p(-p));
}

void samples_quantile_ranks(uint32_t count, double p, uint32_t *low, uint32_t *high)
{
    double below = 0; /* P(B < k) */
    *low = 0;
    for (uint32_t k = 0; k <= count; k++) {
        if (below <= TAIL)
            *low = k;
        below += binomial(count, k, p);
    }
    double above = 0; /* P(B >= k) */
    *high = count + 1;
    for (uint32_t k = count; k > 0; k--) {
        above += binomial(count, k, p);
        if (above > TAIL)
            break;
        *high = k;
    }
}

struct sample_estimate samples_quantile(const double *sorted, uint32_t count, double p)
{
    double h = (count - 1) * p;
    uint32_t below = (uint32_t)h;
    uint32_t next = below + 1 < count ? below + 1 : below;
    uint32_t low, high;
    samples_quantile_ranks(count, p, &low, &high);
    return (struct sample_estimate){
        .at = sorted[below] + (h - below) * (sorted[next] - sorted[below]),
        .range = {.low = sorted[low ? low - 1 : 0],
                  .high = sorted[high <= count ? high - 1 : count - 1],
                  .is_open_low = low == 0,
                  .is_open_high = high > count},
    };
}

double samples_width(const struct sample_estimate *estimate)
{
    const struct interval *range = &estimate->range;
    if (range->is_open_low || range->is_open_high)
        return HUGE_VAL;
    return estimate->at != 0 ? (range->high - range->low) / fabs(estimate->at) : 0;
}

/* -- pairs ------------------------------------------------------------------------------------- */

static double won(double a, double b)
{
    return a < b ? 1 : a == b ? 0.5 : 0;
}

struct sample_estimate samples_beats(const double *a, uint32_t a_count, const double *b,
                                     uint32_t b_count)
{
    double *of_a = calloc((size_t)a_count + b_count, sizeof *of_a), *of_b = of_a + a_count;
    need_memory(of_a != NULL);
    uint32_t shared = a_count < b_count ? a_count : b_count;
    double pairs = (double)a_count * b_count - shared, sum = 0;
    for (uint32_t i = 0; i < a_count; i++) {
        for (uint32_t j = 0; j < b_count; j++) {
            double point = i == j ? 0 : won(a[i], b[j]);
            of_a[i] += point;
            of_b[j] += point;
        }
        sum += of_a[i];
    }
    for (uint32_t i = 0; i < a_count; i++)
        of_a[i] /= b_count - (i < shared ? 1 : 0);
    for (uint32_t j = 0; j < b_count; j++)
        of_b[j] /= a_count - (j < shared ? 1 : 0);
    double at = sum / pairs, by_a, by_b;
    moments(of_a, a_count, &by_a);
    moments(of_b, b_count, &by_b);
    free(of_a);
    double half = Z_TAIL * sqrt(by_a * by_a / a_count + by_b * by_b / b_count);
    if (!(half > 0)) /* all pairs, or none */
        half = 1 - pow(TAIL, 1.0 / (a_count < b_count ? a_count : b_count));
    return (struct sample_estimate){at, {fmax(0, at - half), fmin(1, at + half), false, false}};
}
