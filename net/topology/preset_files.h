/*
 * preset_files - the files of configs/clusters, which the build puts into the program
 * (scripts/embed): a preset works wherever the program is run.
 */
#ifndef ORRERY_NET_TOPOLOGY_PRESET_FILES_H
#define ORRERY_NET_TOPOLOGY_PRESET_FILES_H

#include <stddef.h>

struct embedded_file {
    const char *name; /* "dgx-h100": the file's name without its suffix */
    const char *text; /* NUL-terminated */
    size_t length;
};

/* By name; the last has a NULL name. */
extern const struct embedded_file preset_files[];

#endif
