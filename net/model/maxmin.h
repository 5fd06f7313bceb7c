/*
 * maxmin - how flows share links: weighted max-min fairness, solved again only where it changed.
 *
 * A flow of rate x takes weight * x of the capacity of each of its links. All rates rise together
 * from 0; a link that is full holds back the flows on it, the others rise on (progressive filling;
 * Bertsekas and Gallager, "Data Networks", 1992, section 6.5.2). The rate at which a link filled up
 * is its *level*; a flow's rate is the least level on its way, that of its *bottleneck*.
 * Worked example, capacities 10 and 4: flow A on both, B on the first, C on the second. The second
 * fills up at 2 (A, C); the first has 8 left for B.
 *
 * Rules:
 *  1. Weights are > 0: the share of a sprayed route on a link, or the number of symmetric flows
 *     that one flow stands for. Each link is in a flow's list at most once, and at least one is.
 *  2. A flow is added idle and then started; start and stop take effect at maxmin_solve(), which is
 *     meant to be called once for all that starts and stops at one time.
 *  3. Rates are a function of the set of running flows, to the last bit, but for one in a hundred
 *     thousand that lies within 2^-62 of the middle between two: weights are cut to multiples of
 *     2^-40, so that their sums are exact; what links give is added up in 64 bits; levels are
 *     rounded to 45 bits (off by at most 3e-14); links that fill up at one level do so together. So
 *     symmetric flows keep one rate, and so do those that stand for many (run/link_fold.h).
 *  4. Cost of a solve: all that changed, and what that holds back; at worst once the whole, which
 *     is O(flow-links + links log links). A whole solve of flows that ran together before is
 *     looked up.
 *  5. Numbers of flows are reused after maxmin_remove().
 */
#ifndef ORRERY_NET_MODEL_MAXMIN_H
#define ORRERY_NET_MODEL_MAXMIN_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define MAXMIN_NONE UINT32_MAX

/* What a weight counts as. Sums of these, and such sums times a whole number, count as they are. */
static inline double maxmin_weight(double weight)
{
    double cut = rint(weight * 0x1p40) * 0x1p-40;
    return cut > 0 ? cut : 0x1p-40;
}

struct maxmin; /* opaque */

/* `capacity` (> 0, finite; in any one unit) is copied. */
struct maxmin *maxmin_create(const double *capacity, uint32_t link_count);
void maxmin_destroy(struct maxmin *solver);

/* A new, idle flow. `weight` may be NULL: all 1. The lists are copied. */
uint32_t maxmin_add(struct maxmin *solver, uint32_t count, const uint32_t *link,
                    const double *weight);

/* A flow that started is not stopped before the next solve. */
void maxmin_start(struct maxmin *solver, uint32_t flow);
void maxmin_stop(struct maxmin *solver, uint32_t flow);

/* Forgets an idle flow. */
void maxmin_remove(struct maxmin *solver, uint32_t flow);

/* The link has another capacity (> 0, finite) from the next solve on, which is of everything. */
void maxmin_set_capacity(struct maxmin *solver, uint32_t link, double capacity);

/* Solves for the flows that run now. */
void maxmin_solve(struct maxmin *solver);

/* After a solve: a link's level, in capacity per weight; INFINITY if it holds nobody back. */
double maxmin_level(const struct maxmin *solver, uint32_t link);

/* The link whose level is the flow's rate; MAXMIN_NONE before its first solve. */
uint32_t maxmin_bottleneck(const struct maxmin *solver, uint32_t flow);
double maxmin_rate(const struct maxmin *solver, uint32_t flow);

/* Does any flow run on the link? */
bool maxmin_is_used(const struct maxmin *solver, uint32_t link);

/* The rate that an idle flow would have if no other ran on its links. */
double maxmin_rate_alone(const struct maxmin *solver, uint32_t flow);

/* What the last solve changed, borrowed until the next: links with another level than before, and
 * flows that may have another bottleneck. Each once. */
const uint32_t *maxmin_changed_links(const struct maxmin *solver, uint32_t *count);
const uint32_t *maxmin_moved_flows(const struct maxmin *solver, uint32_t *count);

/* Calls `visit` for each link of a flow, with its weight there. */
void maxmin_visit(const struct maxmin *solver, uint32_t flow,
                  void (*visit)(void *context, uint32_t link, double weight), void *context);

/* From now on links whose load changes are noted; returns how many links there are. */
uint32_t maxmin_watch_loads(struct maxmin *solver);

/* After a solve: calls `visit` for each link whose load may have changed since the last call. */
void maxmin_visit_touched(struct maxmin *solver, void (*visit)(void *context, uint32_t link),
                          void *context);

/* After a solve: sum of weight x rate of the flows on the link. */
double maxmin_load(const struct maxmin *solver, uint32_t link);

/* How solves went, for tests. */
struct maxmin_counts {
    uint64_t solves, whole, cached; /* cached ones are also counted in `whole` */
};
struct maxmin_counts maxmin_counts(const struct maxmin *solver);

#endif
