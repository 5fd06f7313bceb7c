/*
 * collective_profile - how long each collective of a run takes after each of its members comes, and
 * what of that scales with the links: from runs of it alone.
 *
 * A collective is run with nothing else, on the run's network, by all ranks of the traces that
 * take part (so that groups of one name, which do the same at the same time, meet on links as they
 * do in the run), with one member so late that all others have done what they can without it. What
 * each then needs until its end is the matrix of stats/replay.h. The same with latencies and
 * bandwidths of each dimension 1 % longer says what scales with them, and 10 times as long, or as
 * short, whether that still holds so far away.
 *
 * Rules:
 *  1. Of a folded run a member is a class of ranks that are alike, late together.
 *  2. Collectives of more than MOST_MEMBERS members, custom ones, those that could not be run
 *     alone, and all that come after MOST_WORK (events, and NPUs of each run) have no profile:
 *     `left_out` counts them.
 *  3. Example: a ring all-reduce of 4 is 6 messages one after the other. After the member that
 *     comes last, itself needs 4 more, the one next to it 5, the one opposite 6, the one before it
 *     3.
 */
#ifndef ORRERY_RUN_COLLECTIVE_PROFILE_H
#define ORRERY_RUN_COLLECTIVE_PROFILE_H

#include "run/explain_run.h"

/* Where what a profile says ends to hold, as a change of the parameter, and by how much its
 * collective is off 10 % away: run/collective_steps.h. 0, 0: it holds. */
struct collective_step {
    double more, off_ps;
};

struct collective_profiles {
    struct arena arena;
    struct replay_profile *profile;
    uint32_t *of_meeting;                /* [meetings] number of a profile, or UINT32_MAX */
    const struct collective_step **step; /* of each: [key][slower, faster] */
    uint32_t count, left_out;
};

/* STATUS_INTERRUPTED if the run's watch says so; collective_profiles_release() in every case. */
enum status collective_profiles_find(struct collective_profiles *profiles,
                                     const struct explained *run);
void collective_profiles_release(struct collective_profiles *profiles);

/* Says in rows of links where collectives step aside, and ends their ranges there
 * (run/collective_steps.h). */
void collective_steps_mark(const struct collective_profiles *profiles,
                           const struct timeline *timeline, struct sensitivity *sensitivity);

#endif
