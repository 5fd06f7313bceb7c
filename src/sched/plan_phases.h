/*
 * plan_phases - the phases of a chunk: what plan.c and plan_phases.c share. Not for others.
 */
#ifndef ORRERY_SCHED_PLAN_PHASES_H
#define ORRERY_SCHED_PLAN_PHASES_H

#include "sched/plan.h"

/* Fills the phases of a plan whose key is set; fails if an algorithm cannot run it. */
enum status plan_make_phases(struct plan_book *book, struct chunk_plan *plan, struct diag *diag);

/* The configured algorithms of a kind, or NULL for kinds without a slot. */
const struct algorithm_list *plan_list_of(const struct config *config, enum collective_kind kind);

/* Is it run in each dimension, and in chunks? The others are one phase over all members. */
bool plan_has_dims(enum collective_kind kind);

/* Blames the algorithm of `kind`, in the words of the form that it was given in; `dim` is its
 * position in ASTRA-sim's list, or -1. */
void plan_blame(const struct config *config, enum collective_kind kind, int dim, struct diag *diag);

#endif
