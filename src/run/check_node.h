/*
 * check_node - can every node of every rank be simulated? Found before the first event.
 *
 * Sizes, kinds, roots, peers, tags, memory and compute attributes; whether each collective's
 * algorithm can run it in its group; whether this rank may send or receive what the node says.
 * What is defaulted or odd is counted as a notice.
 */
#ifndef ORRERY_RUN_CHECK_NODE_H
#define ORRERY_RUN_CHECK_NODE_H

#include "base/notice.h"
#include "config/config.h"
#include "model/trace.h"
#include "sched/groups.h"
#include "sched/plan.h"

struct node_checks {
    const struct config *config;
    const struct workload *workload;
    const struct groups *groups;
    struct plan_book *book;
    struct notices *notices;
    struct diag *diag;
};

enum status check_nodes(const struct node_checks *checks);

#endif
