/*
 * tuner_preset_files - the files of configs/libraries and configs/systems, inside the program.
 */
#ifndef ORRERY_NET_COLLECTIVE_TUNER_PRESET_FILES_H
#define ORRERY_NET_COLLECTIVE_TUNER_PRESET_FILES_H

#include "base/embedded.h"

extern const struct embedded_file library_files[]; /* by name; the last has a NULL name */
extern const struct embedded_file system_files[];  /* the same */

#endif
