/*
 * job_entries - the communicator groups of a job as job_write writes them: which entry of the group
 * file each rank means by a name, and the file.
 *
 * An entry with no ranks stands for all. Borrows the groups.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_JOB_ENTRIES_H
#define ORRERY_WORKLOADS_GENERATE_JOB_ENTRIES_H

#include "base/table.h"
#include "config/group_file.h"
#include "workloads/generate/job_write.h"

struct job_entries {
    const struct group_file *groups;
    uint32_t ranks;      /* of the job */
    struct names names;  /* of groups */
    uint32_t *member_of; /* [name][rank]: entry of the group file, or TRACE_NONE */
};

void job_entries_init(struct job_entries *entries, const struct group_file *groups, uint32_t ranks);
void job_entries_release(struct job_entries *entries);

/* The entry that `rank` means by a name of its trace, or TRACE_NONE: all ranks. */
uint32_t job_entry_of(const struct job_entries *entries, const char *name, uint32_t rank);

/* The member `places` onwards of `rank` in the entry. */
uint32_t job_member_after(const struct job_entries *entries, uint32_t entry, uint32_t rank,
                          uint32_t places);

/* {"1": [0, 1], ..}, or in the shared form {"tp": [[0, 1], ..], "dp": [..]} */
enum status job_entries_write(const struct job_entries *entries, const char *path,
                              enum job_form form, struct diag *diag);

#endif
