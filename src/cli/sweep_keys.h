/*
 * sweep_keys - the keys of a study's base and axes, and the inputs that their values are.
 *
 * Keys: `job` or `model` (a file, or a model's name), `cluster`, `topology` (network.topology),
 * `framework`, `plan` ("tp=8,pp=4"), `plan.<key>`; `config` (the one-file form); `workload`,
 * `system-file`, `network-file`, `memory-file`, `injection-scale` (ASTRA-sim's files),
 * `comm-groups`; `price` (system.device-price); `samples` (runs of a point: sweep/measure.h); every
 * setting of config/settings.h; and of a `config` or `cluster` also `system.collectives.<name>` and
 * `network.dims[<n>].<key>`; `let.<name>` (sweep_let.h). Paths are relative to the study's folder.
 * Of the plan in a base, keys that have an axis, or a `plan.<key>`, are left out: those win.
 */
#ifndef ORRERY_CLI_SWEEP_KEYS_H
#define ORRERY_CLI_SWEEP_KEYS_H

#include "cli/inputs.h"
#include "sweep/study.h"

enum { POINT_PLAN_TEXT = 1024, POINT_SAMPLES_MOST = 100000 };

extern const struct study_keys sweep_keys;

/* Prints the keys, for --help. */
void sweep_print_keys(FILE *out);

/* What a study's keys cannot be together: too many settings, two things to run. */
enum status sweep_keys_check(const struct study *study, struct diag *diag);

/* What one point is given. Texts are the study's, or of `arena`. */
struct point_inputs {
    struct inputs inputs;
    struct arena arena;
    char plan[POINT_PLAN_TEXT];
    uint32_t samples; /* 0: one run, without percentiles */
};

void point_inputs_init(struct point_inputs *point);
void point_inputs_release(struct point_inputs *point);

/* The point at `place` of the grid; `study` has passed sweep_keys_check(). */
enum status point_inputs_fill(struct point_inputs *point, const struct study *study, uint32_t place,
                              struct diag *diag);

#endif
