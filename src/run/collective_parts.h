/* collective_parts - collectives being run alone, for run/collective_profile.c and
 * run/collective_alone.c. */
#ifndef ORRERY_RUN_COLLECTIVE_PARTS_H
#define ORRERY_RUN_COLLECTIVE_PARTS_H

#include "run/collective_profile.h"
#include "run/lone_trace.h"

enum { MOST_MEMBERS = 32, NO_SEAT = -1 };

struct profiling {
    const struct explained *run;
    struct collective_profiles *profiles;
    const uint32_t *first_member, *member; /* ops of each meeting */
    struct config config;                  /* the run's, without what is not the network */
    uint64_t work;
    enum status status;
    /* the collective at hand */
    uint32_t count;
    const uint32_t *op; /* [count] */
    uint32_t seat[MOST_MEMBERS];
    struct lone_trace *plain, *late; /* [traces of the workload]; late: of member `late` */
    struct lone_trace idle;
    struct workload workload;
    time_ps end_ps[MOST_MEMBERS]; /* of the last run */
    time_ps delay;                /* of the late member */
    const struct replay_profile *profile;
    const struct collective_step *step;
    struct replay_bend *bend;
    uint32_t bend_count, bend_room;
};

/* What member `member` of the collective at hand runs. */
const struct trace_node *profiling_node(const struct profiling *profiling, uint32_t member);

/* Runs it alone, with member `late` (NO_SEAT: none) `delay_ps` after the others; fills end_ps.
 * False if that does not end. */
bool profiling_run(struct profiling *profiling, int late, time_ps delay_ps);

/* The same with what scales with key `k` of links `ratio` times as long (*has: there is such):
 * each member's time from the coming of member `late`, or of all at once (late = count), on. */
bool profiling_fill_changed(struct profiling *profiling, uint32_t late, uint32_t k, double ratio,
                            bool *has, double *column);

#endif
