/*
 * critical_path_blame - where the time of a run's critical path went, by what, and by whom.
 *
 * Rules:
 *  1. Each table accounts for every picosecond of the path once: its rows sum to the makespan.
 *     path_blame_check() proves it.
 *  2. Rows are by time, most first; equal ones by name.
 *  3. By op: names of nodes with each number as '*' ("mb*.forward.layer*.qkv"), so that alike ops
 *     of layers and micro-batches are one row.
 *  4. By part: what the time scales with, which makes it the run's sensitivity. If a part takes x
 *     ps and gets p % faster (p small), the run takes x p / 100 less, as long as no other path is
 *     longer then. (A part that is halved saves x / 2 at most.)
 */
#ifndef ORRERY_STATS_CRITICAL_PATH_BLAME_H
#define ORRERY_STATS_CRITICAL_PATH_BLAME_H

#include "stats/critical_path_slack.h"
#include "stats/critical_path_parts.h"

enum blame_by {
    BLAME_BY_PART,
    BLAME_BY_COLLECTIVE, /* kind and group; what is no communication is one row */
    BLAME_BY_CLASS,      /* of op */
    BLAME_BY_LINK_CLASS, /* "leaf--spine" */
    BLAME_BY_LINK,       /* critical_path_split.h says which */
    BLAME_BY_STAGE,      /* trace: of a generated job, the pipeline stage */
    BLAME_BY_RANK,
    BLAME_BY_OP,
    BLAME_BY_COUNT
};

/* "by part", ..; and in JSON: "parts", .. */
extern const char *const blame_by_names[BLAME_BY_COUNT];
extern const char *const blame_by_keys[BLAME_BY_COUNT];

/* The one row of the tables of links if the network model sees none. */
extern const char blame_no_links[];

struct blame_row {
    const char *name;
    const char *change; /* by part: the setting that it scales with, or "" */
    int part, dim;      /* by part: enum path_part, dimension or -1 */
    time_ps time_ps;
    uint32_t pieces;
    bool is_measured;    /* by part: run/perturb.h */
    int64_t measured_ps; /* how much longer the run is when the part takes 1 % longer */
};

struct blame_table {
    struct blame_row *row;
    uint32_t count;
};

struct path_blame {
    struct arena arena; /* of all */
    time_ps end_ps;
    uint32_t pieces; /* of the path */
    struct blame_table by[BLAME_BY_COUNT];
    struct slack_row *slack; /* of all ops, by class */
    uint32_t slack_count;
};

void path_blame_init(struct path_blame *blame);
void path_blame_release(struct path_blame *blame);

/*
 * Fills `blame`, which is new, from a path of `timeline`. The traces are not changed, but asked for
 * their names.
 */
void path_blame_find(struct path_blame *blame, const struct critical_path *path,
                     const struct timeline *timeline, struct path_splitter *splitter);

/* Rule 1; STATUS_LAW and which table. */
enum status path_blame_check(const struct path_blame *blame, struct diag *diag);

/* Sum of a part's rows (of dimension `dim`, or -1: of all). */
time_ps path_blame_part(const struct path_blame *blame, enum path_part part, int dim);

#endif
