/*
 * timeline_view - what a timeline shows of a run, and what is left out so that it fits.
 *
 * Rules:
 *  1. Asked for are the ranks of `rank`, or all that were simulated, and the ops of at least one ps
 *     that touch [from, to].
 *  2. A file has at most `most_slices` of their slices. If that is less, ranks are left out: those
 *     shown are evenly spaced among those asked for, the first always among them. If one rank alone
 *     is too much, its shortest ops are left out.
 *  3. The choice depends on the view alone; the file says what was asked for and what is there.
 */
#ifndef ORRERY_REPORT_TIMELINE_VIEW_H
#define ORRERY_REPORT_TIMELINE_VIEW_H

#include "config/config.h"
#include "net/topology/fabric.h"
#include "stats/critical_path.h"
#include "stats/link_series.h"
#include "stats/result.h"
#include "stats/timeline.h"

/* The version of what the files hold: tracks, names of arguments and of facts. */
#define TIMELINE_SCHEMA "orrery.timeline/1"

enum { TIMELINE_USUAL_SLICES = 200000 };

struct timeline_view {
    const struct timeline *timeline;
    const struct run_result *result;
    const char *version, *job;
    const uint32_t *rank; /* [rank_count] ascending; NULL: each that was simulated */
    uint32_t rank_count;
    uint32_t asked_count;             /* if `rank` is not all that were asked for; else 0 */
    uint64_t most_slices;             /* 0: TIMELINE_USUAL_SLICES */
    time_ps from, to;                 /* to 0: the end */
    const struct critical_path *path; /* NULL: not shown */
    const struct link_series *links;  /* NULL: no counters of links; else with the network */
    const struct network_config *network;
    uint32_t most_links; /* with counters of their own: the busiest */
};

struct timeline_pick {
    uint32_t *rank; /* [count] those shown, ascending; owned */
    uint32_t count, asked;
    uint64_t slices;       /* of ops */
    uint64_t too_short;    /* ops of the ranks shown that are left out (rule 2) */
    time_ps longest_short; /* the longest of those */
};

/* The ranks and ops that are shown; release in every case. */
void timeline_pick_init(struct timeline_pick *pick, const struct timeline_view *view);
void timeline_pick_release(struct timeline_pick *pick);

/* When the op ended, or where the run got. */
static inline time_ps timeline_end_of(const struct timeline_view *view,
                                      const struct timeline_op *op)
{
    return op->end == TIME_NEVER ? view->result->end_ps : op->end;
}

/* Is the time from `begin` to `end` asked for? */
static inline bool timeline_is_asked(const struct timeline_view *view, time_ps begin, time_ps end)
{
    return end > begin && end >= view->from && (view->to == 0 || begin <= view->to);
}

/* Is op number `op` of the timeline drawn? */
bool timeline_shows(const struct timeline_view *view, const struct timeline_pick *pick,
                    uint32_t op);

#endif
