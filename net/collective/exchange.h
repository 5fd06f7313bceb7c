/*
 * exchange - ring, direct and halving-doubling: schedules of the EXCHANGE form.
 *
 * n positions, d bytes, T(m) message time, e hand-over, r reduction; equal starts, no contention:
 *   ring    reduce-scatter (n-1)(T(d/n) + e + r) + e          all-gather (n-1)(T(d) + e) + e
 *           all-reduce (n-1)(T+e+r) + (n-1)(T+e) + e          all-to-all n(n-1)/2 (T+e) + e
 *   direct  n-1 messages at once (or a window of them), offset 1, 2, ..
 *   halvingDoubling  all-reduce: d/2, d/4, .. to offset 1, 2, .., then back
 * Sources: Patarasuk & Yuan 2009 (ring); Thakur, Rabenseifner, Gropp 2005 (halving-doubling).
 * Sizes, directions and reductions follow ASTRA-sim's native algorithms exactly.
 */
#ifndef ORRERY_NET_COLLECTIVE_EXCHANGE_H
#define ORRERY_NET_COLLECTIVE_EXCHANGE_H

#include "model/collective.h"

extern const struct collective_ops collective_ring;
extern const struct collective_ops collective_direct;
extern const struct collective_ops collective_halving_doubling;

#endif
