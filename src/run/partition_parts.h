/*
 * partition_parts - what the files of partition share. Only partition*.c includes it.
 */
#ifndef ORRERY_RUN_PARTITION_PARTS_H
#define ORRERY_RUN_PARTITION_PARTS_H

#include "base/mix.h"
#include "run/partition.h"

/* Hashes of what things are before messages are looked at. */
struct first_colours {
    uint64_t *rank, *link, *group;
};

/* Equal hashes become one class; returns true if there are more classes than before. */
bool classes_from(struct classes *classes, const uint64_t *hash);

/* The two ways. NULL, or why not. */
const char *partition_rounds(struct partition *partition, const struct partition_job *job,
                             struct first_colours *first, uint32_t most, uint64_t most_routes);
const char *partition_worklist(struct partition *partition, const struct partition_job *job,
                               const struct first_colours *first, uint32_t most);

#endif
