/*
 * kept_traces - traces that stay parsed from one point of a study to the next, and from the master to
 * its workers, which share its memory.
 *
 * Rules:
 *  1. Sets of traces are told apart by what decides which files are read, and how.
 *  2. KEPT_TRACES sets stay; the one that was asked for longest ago makes room. Once this process has
 *     taken an eighth of the memory that there is, a new set takes the place of all others.
 *  3. Traces that are scaled have groups of their own, which go with their point: they are the
 *     caller's.
 */
#ifndef ORRERY_CLI_KEPT_TRACES_H
#define ORRERY_CLI_KEPT_TRACES_H

#include "cli/work.h"
#include "sweep/sweep.h"

enum { KEPT_TRACES = 16 };

struct kept_set {
    uint64_t key; /* 0: free */
    uint64_t asked;
    struct work work;
    struct input_list inputs; /* all of its files are one */
};

struct kept_traces {
    struct kept_set set[KEPT_TRACES];
    uint64_t asked;
};

void kept_traces_release(struct kept_traces *kept);

/* The set that `config` names, read if it is not there. Until the next call. NULL with a message. */
const struct kept_set *kept_traces_open(struct kept_traces *kept, const struct config *config,
                                        struct group_file *groups, struct notices *notices,
                                        struct diag *diag);

#endif
