/*
 * output - a file that a command writes: complete or not at all, also if a signal ends the program.
 *
 * base/file.h's out_file, whose temporary file is known to watch.h while it is open. One at a time.
 */
#ifndef ORRERY_CLI_OUTPUT_H
#define ORRERY_CLI_OUTPUT_H

#include "base/diag.h"
#include "base/file.h"

/* `path` NULL or "-": standard output. After success one of the two below is due. */
enum status output_open(struct out_file *out, const char *path, struct diag *diag);
enum status output_commit(struct out_file *out, struct diag *diag);
void output_abandon(struct out_file *out);

#endif
