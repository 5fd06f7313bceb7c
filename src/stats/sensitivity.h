/*
 * sensitivity - what a run's time changes by when one class of parameters gets faster or slower,
 * and how far that holds.
 *
 * A change of x % means that everything that scales with the parameter takes x % more time, or
 * less: links with a bandwidth of 1/1.01 for 1 %. From the run's replay (stats/replay.h): its time
 * is convex and piecewise linear in x, so the range over which what 1 % costs holds ends where the
 * longest path has left that line by a share of what it says. That is found exactly, by Newton's
 * steps from the far end, each of which drops a piece of the curve.
 *
 * Rules:
 *  1. Slower and faster are told apart: where two paths are equally long, a slower parameter costs
 *     by the steepest, a faster one saves by the least steep.
 *  2. `from` and `to`: between them each percent costs no more, or saves no less, than the first
 *     one, within SENSITIVITY_WITHIN of it; -1 is "takes no time", SENSITIVITY_MOST is as far as it
 *     is looked. A parameter of which 1 % costs nothing has the range over which it costs nothing.
 *  3. `exact_from`, `exact_to`: as far as the slopes of the run as it is hold, to the picosecond.
 *     Where several paths are nearly as long that may be less than 1 %.
 *  4. Ranks: their compute on the device. In a folded run a row is of all ranks that are alike, at
 *     once. If there are many ranks, rows are of those on the critical path that have most.
 *  5. What the replay leaves out, the sensitivities do: contention, order on lanes, algorithms.
 *     Where a library takes another algorithm within 10 % the range ends, and `step` says by how
 *     much at most.
 */
#ifndef ORRERY_STATS_SENSITIVITY_H
#define ORRERY_STATS_SENSITIVITY_H

#include "stats/replay.h"

#define SENSITIVITY_WITHIN 0.01
#define SENSITIVITY_MOST   9.0 /* ten times as long */

/* Where the run may leave what is said, all at once (way 0: slower, 1: faster), and by how much at
 * most 10 % away. 0, 0: nowhere. */
struct sensitivity_step {
    double more, off_ps;
};

struct sensitivity_row {
    enum path_part part; /* PATH_PART_COUNT: of a rank */
    int dim;             /* of links, else -1 */
    uint32_t rank, alike;
    double slower_ps, faster_ps;             /* what 1 % more costs, 1 % less saves */
    double from, to;                         /* rule 2 */
    double slope_slower_ps, slope_faster_ps; /* per unit: what the first picosecond is worth */
    double exact_from, exact_to;             /* rule 3 */
    double ten_slower_ps, ten_faster_ps;     /* what 10 % more costs, 10 % less saves */
    double most_ps;                          /* saved if it takes no time */
    struct sensitivity_step step[2];         /* rule 5; found by run/collective_steps.h */
};

struct sensitivity {
    struct arena arena; /* of the rows */
    time_ps end_ps;
    struct sensitivity_row *part; /* what costs most first, as far as it is in the run */
    uint32_t part_count;
    struct sensitivity_row *rank; /* the same */
    uint32_t rank_count;
    uint32_t seats; /* of how many there could be rows */
};

void sensitivity_init(struct sensitivity *sensitivity);
void sensitivity_release(struct sensitivity *sensitivity);

/* Fills it from a replay, of the run of `timeline`. */
void sensitivity_find(struct sensitivity *sensitivity, struct replay *replay,
                      const struct timeline *timeline);

#endif
