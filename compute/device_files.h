/*
 * device_files - the files of configs/devices, inside the program.
 */
#ifndef ORRERY_COMPUTE_DEVICE_FILES_H
#define ORRERY_COMPUTE_DEVICE_FILES_H

#include "base/embedded.h"

extern const struct embedded_file device_files[]; /* by name; the last has a NULL name */

#endif
