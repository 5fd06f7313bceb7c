/*
 * preset_files - the files of configs/models and configs/frameworks, inside the program.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_PRESET_FILES_H
#define ORRERY_WORKLOADS_GENERATE_PRESET_FILES_H

#include "base/embedded.h"

/* By name; the last has a NULL name. */
extern const struct embedded_file model_files[];
extern const struct embedded_file framework_files[];

#endif
