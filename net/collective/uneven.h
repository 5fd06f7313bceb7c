/*
 * uneven - who sends how much to whom in an uneven all-to-all (mixture of experts).
 *
 * The text is one of
 *   zipf:S[,seed=N]  destinations are weighted by 1 / k^S, k = 1 .. n dealt out by the seed: hot
 *                    experts, the same for every sender (S = 0: even; measured routers are near 1)
 *   FILE             n lines of n numbers separated by commas or blanks: weight of what the
 *                    position of the line sends to the position of the column; # starts a comment
 * All n ranks together send n x bytes, what a node's own place gets included, as in the even case;
 * a weight's share is rounded to whole bytes. At most 4,096 ranks.
 */
#ifndef ORRERY_NET_COLLECTIVE_UNEVEN_H
#define ORRERY_NET_COLLECTIVE_UNEVEN_H

#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "model/collective.h"

/* Fills *sizes, [n * n] in `arena`, row by sender. */
enum status uneven_sizes(const char *text, uint32_t n, uint64_t bytes, struct arena *arena,
                         const uint64_t **sizes, struct diag *diag);

/* Gives the request its sizes, if it is an all-to-all and `text` is not NULL. */
enum status uneven_give(const char *text, struct schedule_request *request, struct arena *arena,
                        struct diag *diag);

/* Bytes that a position sends to others, the mean of all. */
double uneven_sent_bytes(const uint64_t *sizes, uint32_t n);

#endif
