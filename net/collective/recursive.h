/*
 * recursive - recursive doubling and halving-doubling: partners across a power of two.
 *
 * n = c + rest, c the largest power of two, L = log2 c. If there is a rest, the odd ones of the
 * first 2 rest positions give all their data to the even ones before, and get the result after
 * (two more messages of S; recursive doubling waits for only one of them if rest <= c/2). Message
 * times, equal starts, nothing shared:
 *   recursive-doubling  all-reduce  L (a + S b + S r); the whole data to partner i xor 2^k
 *   halving-doubling    all-reduce  2L a + 2 (c-1)/c S b + (c-1)/c S r; the near partner gets most
 *                       reduce-scatter, all-gather  L a + (n-1) m b for a power of two; else members
 *                       with an extra move its block too, and the two more messages are S and m
 * Sources: Thakur, Rabenseifner, Gropp 2005; Rabenseifner 2004.
 */
#ifndef ORRERY_NET_COLLECTIVE_RECURSIVE_H
#define ORRERY_NET_COLLECTIVE_RECURSIVE_H

#include "model/collective.h"

extern const struct collective_ops collective_recursive_doubling;
extern const struct collective_ops collective_rabenseifner;

/* The program of halvingDoubling (exchange.h), described. */
void recursive_halving_program(const struct schedule_request *request,
                               const struct schedule *schedule, uint32_t position,
                               struct arena *arena, struct program *program);

#endif
