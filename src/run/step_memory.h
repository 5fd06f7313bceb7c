/*
 * step_memory - does a training job fit in the memory of its devices?
 */
#ifndef ORRERY_RUN_STEP_MEMORY_H
#define ORRERY_RUN_STEP_MEMORY_H

#include "config/config.h"
#include "stats/step_figures.h"
#include "workloads/generate/job_spec.h"

/* `spec` has passed job_spec_finish(). */
void step_memory_find(struct step_memory *memory, const struct job_spec *spec,
                      const struct config *config);

/* STATUS_DOES_NOT_FIT with what is needed, what there is, and what helps; or STATUS_OK. */
enum status step_memory_check(const struct step_memory *memory, const struct config *config,
                              struct diag *diag);

#endif
