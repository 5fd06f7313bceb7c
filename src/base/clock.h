/*
 * clock - how long something took on this machine, whatever somebody does to its time of day.
 */
#ifndef ORRERY_BASE_CLOCK_H
#define ORRERY_BASE_CLOCK_H

#include <time.h>

/* Seconds since a moment that no one knows. */
static inline double clock_now_s(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#endif
