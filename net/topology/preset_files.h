/*
 * preset_files - the files of configs/clusters, inside the program.
 */
#ifndef ORRERY_NET_TOPOLOGY_PRESET_FILES_H
#define ORRERY_NET_TOPOLOGY_PRESET_FILES_H

#include "base/embedded.h"

extern const struct embedded_file preset_files[]; /* by name; the last has a NULL name */

#endif
