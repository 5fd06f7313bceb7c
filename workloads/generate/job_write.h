/*
 * job_write - a job as Chakra files: PREFIX.<rank>.et, and its communicator groups in
 * PREFIX.groups.json.
 *
 * Forms:
 *   JOB_FORM_RANKS   what ASTRA-sim reads: groups have numbers for names and stand in the file as
 *                    {"1": [ranks..], ..}; messages name the rank at the other side. Ranks whose
 *                    files have the same content (the same groups, no messages) share one.
 *   JOB_FORM_SHARED  one file for all ranks of a trace, however many: groups keep their names,
 *                    which stand for several lists of ranks ({"tp": [[0, 1], [2, 3]]},
 *                    config/group_file.h), and messages have `peer_places`. Only orrery reads it.
 *
 * Rules:
 *  1. Files that are equal are hard links where the file system has them, else copies.
 *  2. Both forms run to the same picosecond as the job in memory.
 *  3. Attributes: is_cpu_op; compute: num_ops, tensor_size, op_shape (model/op_shape.h), kernels if
 *     the host launches more than one; collective: comm_type, comm_size, pg_name; message:
 *     comm_size, comm_src, comm_dst, comm_tag, or pg_name and peer_places; all: stream (job_trace.h
 *     has their names), holds (chakra_draft.h: lives of tensors). All dependencies are data
 *     dependencies.
 *  4. On failure the files already written stay.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_JOB_WRITE_H
#define ORRERY_WORKLOADS_GENERATE_JOB_WRITE_H

#include "base/diag.h"
#include "config/group_file.h"
#include "model/trace.h"

enum job_form { JOB_FORM_RANKS, JOB_FORM_SHARED };

struct job_files {
    uint32_t written, shared; /* files of their own; links or copies of another */
    uint64_t bytes;           /* of those written */
};

/* `groups`: entries of one name follow each other. `written` may be NULL. */
enum status job_write(const struct workload *workload, const struct group_file *groups,
                      const char *prefix, enum job_form form, struct job_files *written,
                      struct diag *diag);

#endif
