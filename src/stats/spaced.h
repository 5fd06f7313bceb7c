/*
 * spaced - of many things as many as fit, evenly spaced: the same ones whenever it is asked.
 */
#ifndef ORRERY_STATS_SPACED_H
#define ORRERY_STATS_SPACED_H

#include <stdint.h>

/* Thing i of the `count` that are chosen of `asked`: that at floor(i x asked / count). */
static inline uint32_t spaced_at(uint32_t i, uint32_t count, uint32_t asked)
{
    return (uint32_t)((uint64_t)i * asked / count);
}

/*
 * How many of `asked` things are chosen so that their cost() is at most `most`, at least one (if
 * one is asked for); *sum is what they cost.
 */
uint32_t spaced_fit(uint32_t asked, uint64_t most,
                    uint64_t (*cost)(const void *context, uint32_t thing), const void *context,
                    uint64_t *sum);

#endif
