/*
 * child - what a forked process does first, and how it writes to its parent.
 */
#ifndef ORRERY_BASE_CHILD_H
#define ORRERY_BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * In the child: it ends when `parent` ends, however that happens, and leaves a terminal's Ctrl-C
 * and hang-up to it; SIGTERM ends it.
 */
void child_begin(pid_t parent);

/* Closes all descriptors but the first three and `kept`. */
void child_close_all_but(int kept);

/* Writes all; false if the other end is gone. */
bool child_write(int fd, const void *from, size_t size);

#endif
