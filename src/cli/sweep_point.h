/*
 * sweep_point - a point of a study as a run: keys of a study file to inputs, and the run's figures.
 *
 * Keys (sweep_keys()): `job` or `model` (a file, or a model's name), `cluster`, `topology` (network.topology),
 * `framework`, `plan` ("tp=8,pp=4"), `plan.<key>`; `config` (the one-file form); `workload`, `system-file`,
 * `network-file`, `memory-file`, `injection-scale` (ASTRA-sim's files), `comm-groups`; `price` ($ per device and
 * hour); and every setting of config/settings.h. Paths are relative to the study's folder.
 */
#ifndef ORRERY_CLI_SWEEP_POINT_H
#define ORRERY_CLI_SWEEP_POINT_H

#include "sweep/sweep.h"

extern const struct study_keys sweep_keys;

/* Prints the keys, for --help. */
void sweep_print_keys(FILE *out);

/* What does not change from point to point, and the traces of the last one. */
struct sweep_points;

/* The study must outlive it. Fails if the study's values cannot make a run at all. */
struct sweep_points *sweep_points_create(const struct study *study, struct diag *diag);
void sweep_points_destroy(struct sweep_points *points);

/* Reads the traces of the point at `place`, if it has any, so that workers share them. */
void sweep_points_warm(struct sweep_points *points, uint32_t place);

/* Of struct sweep_points. */
extern const struct sweep_ops sweep_point_ops;

#endif
