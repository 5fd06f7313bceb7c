/*
 * mix - a mixing function of 64 bits, and the generator of random numbers that is made of it.
 *
 * SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
 * The same on every machine; from state 0 the first number is 0xe220a8397b1dcdaf.
 */
#ifndef ORRERY_BASE_MIX_H
#define ORRERY_BASE_MIX_H

#include <stdint.h>
#include <string.h>

#define MIX_STEP 0x9e3779b97f4a7c15u /* 2^64 / golden ratio, odd */

/* The finaliser: a bijection whose every output bit depends on every input bit; 0 stays 0. */
static inline uint64_t mix64(uint64_t word)
{
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
    word = (word ^ word >> 27) * 0x94d049bb133111ebu;
    return word ^ word >> 31;
}

/* A hash of what `hash` stands for and one word more: sums of such hashes stand for sets, so every
 * bit depends on all of both. */
static inline uint64_t mix_in(uint64_t hash, uint64_t word)
{
    return mix64(hash + (word + 1) * MIX_STEP);
}

/* The next random number. Any state will do as seed. */
static inline uint64_t random_next(uint64_t *state)
{
    return mix64(*state += MIX_STEP);
}

/* A random number below `limit` (> 0); the bias of the modulus is below limit / 2^64. */
static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)(random_next(state) % limit);
}

/* The bits of a number, to be hashed; 0.0 and -0.0 differ. */
static inline uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
