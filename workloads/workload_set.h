/*
 * workload_set - finds and loads the traces of a run: one file per rank, or one for all.
 *
 * Rules:
 *  1. Rank r's trace is PREFIX.<r>.et, or with .json, .et.gz, .json.gz or .eg in place of .et. The
 *     first suffix that exists for a rank is taken.
 *  2. A PREFIX that is itself a file stands for that file when there is one rank.
 *  3. With `replicate`, one file serves all ranks: PREFIX if it is a file, else PREFIX.all, else
 *     PREFIX.0 (with the suffixes of rule 1). It is read once.
 *  4. Files with identical bytes share one trace.
 *  5. Fewer files than ranks is an error that names the first missing one. More files than ranks is
 *     an error, or with `ignore_extra` a notice.
 *  6. A PREFIX that is a text workload (text/text_file.h) serves all ranks, with or without
 *     `replicate`.
 *  7. options->memory_limit_bytes bounds the node and edge arrays of the whole set (0: 1 GiB a
 *     trace, half of the machine's memory for all); traces beyond it are paged (chakra.h, rule 6).
 */
#ifndef ORRERY_WORKLOADS_WORKLOAD_SET_H
#define ORRERY_WORKLOADS_WORKLOAD_SET_H

#include "base/diag.h"
#include "base/notice.h"
#include "config/config.h"
#include "model/trace.h"
#include "workloads/chakra/chakra.h"

/*
 * Loads the traces of `rank_count` ranks. `options` may be NULL. On success the caller calls
 * workload_release(); on failure nothing is left to release.
 */
enum status workload_open(struct workload *workload, const struct workload_config *config,
                          uint32_t rank_count, const struct chakra_options *options,
                          struct notices *notices, struct diag *diag);
void workload_release(struct workload *workload);

/*
 * True if the file at `path` is one that workload_open() would read: the same device and inode,
 * whatever its name.
 */
bool workload_reads(const struct workload_config *config, uint32_t rank_count, const char *path);

/* Ranks that a file is for: those a text workload asks for, or 1. */
uint32_t workload_file_ranks(const char *path);

/* Ranks 0 .. n-1 for which a trace file exists, at most `limit`: for commands without a network. */
uint32_t workload_count_files(const char *prefix, uint32_t limit);

#endif
