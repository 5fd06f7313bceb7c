/*
 * step_summary - fills the figures of a training step from the job and the configuration of its
 * run.
 */
#ifndef ORRERY_RUN_STEP_SUMMARY_H
#define ORRERY_RUN_STEP_SUMMARY_H

#include "config/config.h"
#include "stats/step_figures.h"
#include "workloads/generate/job_spec.h"

/* `spec` has passed job_spec_finish(), and both are borrowed. */
struct step_figures step_summary(const struct job_spec *spec, const struct config *config);

#endif
