/*
 * nearest - the valid choice next to one that is not: for the hints of refusals.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_NEAREST_H
#define ORRERY_WORKLOADS_GENERATE_NEAREST_H

#include <stdint.h>

/* The divisor of n (at least 1) nearest to `wanted`, the smaller of two equally near. */
uint64_t nearest_divisor(uint64_t n, uint64_t wanted);

/* The multiple of `unit` nearest to `wanted`, at least one; the greater of two equally near. */
uint64_t nearest_multiple(uint64_t unit, uint64_t wanted);

/* The greatest common divisor; b may be 0. */
uint64_t common_divisor(uint64_t a, uint64_t b);

#endif
