/*
 * culprits - what the slowest of a number of samples had in common.
 *
 * Of each thing (a rank, a link) every sample has a figure that is larger where the thing was
 * slower. In the slowest tenth, k samples, some thing or other is slow; the question is whether
 * one is more often than the rest. With u the figure less its mean over all samples, by its
 * standard deviation, t the mean of u in the slowest samples, m the mean of t over all things and
 * s the deviation of u there: if things are alike, z = (t - m) / (s / sqrt(k)) is about standard
 * normal. A thing is listed if one in twenty lists of things that are alike would have one so far
 * above: z > sqrt(2 ln(20 things)), as P(Z > z) <= exp(-z^2 / 2): 3.8 of 64.
 */
#ifndef ORRERY_STATS_CULPRITS_H
#define ORRERY_STATS_CULPRITS_H

#include <stdint.h>

struct culprit {
    uint32_t thing;
    double z;         /* standard errors above the others */
    double late, all; /* mean of the figure in the slowest samples, and in all */
};

enum { CULPRITS_LEAST = 50 }; /* samples below which nothing is looked for */

struct culprit_question {
    const double *time; /* [count] of the samples */
    uint32_t count, things;
    double (*figure)(void *context, uint32_t sample, uint32_t thing);
    void *context;
};

/* How many samples the slowest tenth is. */
uint32_t culprits_tail(uint32_t count);

/* Fills up to `room` of `to`, those furthest above first; returns how many there are in all. */
uint32_t culprits_find(const struct culprit_question *question, struct culprit *to, uint32_t room);

#endif
