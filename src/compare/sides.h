/*
 * sides - a side of a comparison from where the user says it is.
 *
 * Rules:
 *  1. PATH is a file, a folder of one trace a rank, or a prefix of such traces: PATH.<rank>.<any>.
 *  2. The rank of a trace is what it says itself, else the number in its name: "step.3.et",
 *     "rank-3.json.gz", "trace_rank3.json".
 *  3. Of a folder, files of no known kind are counted as ignored. All others must be of one kind,
 *     of which several files can be one side.
 */
#ifndef ORRERY_COMPARE_SIDES_H
#define ORRERY_COMPARE_SIDES_H

#include "compare/reader.h"

/* Fills `outcome`, which is initialised, and closes it. */
enum status side_read(struct outcome *outcome, const char *path, const struct side_options *options,
                      struct diag *diag);

/* The same from bytes; `name` stands for the path. */
enum status side_parse(struct outcome *outcome, const char *name, const void *bytes, size_t length,
                       const struct side_options *options, struct diag *diag);

/* The kind of a file, or NULL: none, or it cannot be read. */
const struct reader *side_kind(const char *path);

/* The rank in a file's name, or -1. */
int64_t side_rank_of_name(const char *path);

#endif
