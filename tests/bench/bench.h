/*
 * bench - the clock and the random numbers of the benchmark programs.
 */
#ifndef ORRERY_TESTS_BENCH_BENCH_H
#define ORRERY_TESTS_BENCH_BENCH_H

#include <stdint.h>
#include <sys/resource.h>

/* CPU seconds of this process in user mode: what a benchmark compares. */
static inline double bench_user_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

/* Peak resident memory of this process. */
static inline uint64_t bench_peak_rss_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss * 1024;
}

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016. */
static inline uint64_t bench_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717u;
}

#endif
