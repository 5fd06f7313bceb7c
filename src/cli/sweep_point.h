/*
 * sweep_point - a point of a study as a run, and the run's figures.
 */
#ifndef ORRERY_CLI_SWEEP_POINT_H
#define ORRERY_CLI_SWEEP_POINT_H

#include "sweep/sweep.h"

/* What does not change from point to point, and traces. */
struct sweep_points;

/* The study must outlive it. Fails if the study's values cannot make a run at all. */
struct sweep_points *sweep_points_create(const struct study *study, struct diag *diag);
void sweep_points_destroy(struct sweep_points *points);

/* Of struct sweep_points. */
extern const struct sweep_ops sweep_point_ops;

#endif
