/*
 * scale_meaning - what the names of groups in a job mean, and which of them are data-parallel: a
 * part of scale_trace.c.
 */
#ifndef ORRERY_WORKLOADS_SCALE_MEANING_H
#define ORRERY_WORKLOADS_SCALE_MEANING_H

#include "workloads/scale_trace.h"

/* Groups of one name and meaning, as the scaled job has them: `list` of the original. */
struct meaning {
    const char *name; /* in the scaled job */
    const char *from; /* in the original */
    const struct group_entry *list;
    uint32_t count; /* lists; 0: all ranks */
    bool grows;
};

struct scaling {
    const struct workload *from;
    const struct group_file *groups;
    uint32_t ranks, copies;
    const char *grow;
    struct meaning *meaning;
    uint32_t meaning_count, meaning_room;
    struct group_file *out;
    bool has_messages;
    uint64_t gathers; /* rescaled */
    struct notices *notices;
    struct diag *diag;
};

/* The meaning of group name `index` of a trace, until the next call; NULL: all ranks, or a name
 * that the run refuses. */
const struct meaning *scaling_meaning(struct scaling *scaling, const struct trace *trace,
                                      uint32_t index);

/* scale_trace.h, rule 2: sets has_messages. */
enum status scaling_survey(struct scaling *scaling);

/* Every name of `grow` must be used. */
enum status scaling_check_names(const struct scaling *scaling);

#endif
