/*
 * samples - what a number of samples says about what they were drawn from, and how surely.
 *
 * Rules:
 *  1. Intervals are of 95 % confidence, two-sided; samples are independent.
 *  2. The interval of a quantile p is between order statistics, and exact whatever the
 *     distribution: the number B of n samples below the quantile is binomial (n, p), so it lies
 *     between the l-th and the u-th smallest with probability P(l <= B < u). l is the largest
 *     with P(B < l) <= 2.5 %, u the smallest with P(B >= u) <= 2.5 % (David and Nagaraja, Order
 *     Statistics, 3rd ed., 7.1). Where there is no such sample the interval is open: the upper
 *     end of the 95th percentile needs 0.95^n <= 2.5 %, 72 samples.
 *  3. The estimate of a quantile is interpolated between the samples beside it: with h = (n - 1)
 *     p, sample floor(h) and the next by the fraction of h (Hyndman and Fan, "Sample quantiles in
 *     statistical packages", 1996, definition 7).
 *  4. The interval of the mean is by Student's t: mean -+ t(0.975, n-1) s / sqrt(n), with s the
 *     standard deviation (n - 1). t is right to 1e-8: found by Abramowitz and Stegun, 26.7.3 and
 *     26.7.4, or, beyond 200 degrees of freedom, their expansion 26.7.5.
 */
#ifndef ORRERY_STATS_SAMPLES_H
#define ORRERY_STATS_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
    double low, high;
    bool is_open_low,
        is_open_high; /* nothing is known of that end: low or high is of the samples */
};

struct sample_estimate {
    double at;
    struct interval range;
};

/* Sorts ascending. */
void samples_sort(double *value, size_t count);

/* Mean and its interval; *deviation (may be NULL) is the standard deviation, of n - 1. */
struct sample_estimate samples_mean(const double *value, uint32_t count, double *deviation);

/* Of sorted samples; 0 < p < 1. */
struct sample_estimate samples_quantile(const double *sorted, uint32_t count, double p);

/* Order statistics of rule 2, from 1 on: l in 0 .. n (0: open), u in 1 .. n + 1 (n + 1: open). */
void samples_quantile_ranks(uint32_t count, double p, uint32_t *low, uint32_t *high);

/* Width of the interval by the estimate; infinite if it is open. */
double samples_width(const struct sample_estimate *estimate);

/* Student's t: the quantile 97.5 % with `freedom` degrees of freedom, 1 or more. */
double samples_t(uint32_t freedom);

/*
 * Probability that a sample of a is below one of b, ties counting half: over all pairs but those
 * of one number, which may share what was drawn (Mann and Whitney, 1947). The interval is by
 * DeLong, DeLong and Clarke-Pearson (1988): variances of each sample's share of pairs won.
 * If one wins all, nothing varies: the other end is then that of n tries of n, 1 - 0.025^(1/n), n
 * the fewer samples.
 */
struct sample_estimate samples_beats(const double *a, uint32_t a_count, const double *b,
                                     uint32_t b_count);

#endif
