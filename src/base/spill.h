/*
 * spill - a growing array that lives in memory or, when told so, in a file the kernel can page out.
 *
 * Rules:
 *  1. A paged array is a shared mapping of an unlinked temporary file in $TMPDIR (default /var/tmp,
 *     then /tmp), so a trace larger than memory costs disk, not the run. Its disk space is
 *     allocated before it is used: a full disk is an error here, not a signal later.
 *  2. Growing may move the array: keep indices, not pointers, until spill_fit().
 *  3. New elements are not cleared.
 */
#ifndef ORRERY_BASE_SPILL_H
#define ORRERY_BASE_SPILL_H

#include <stdbool.h>
#include <stddef.h>

struct spill {
    void *data;
    size_t element_bytes;
    size_t count;    /* elements in use */
    size_t capacity; /* elements there is room for */
    int fd;          /* of the temporary file, or -1 */
    bool paged;
};

void spill_init(struct spill *spill, size_t element_bytes, bool paged);
void spill_release(struct spill *spill);

/* Moves an array that lives in memory to a file. False if the disk is exhausted. */
bool spill_page(struct spill *spill);

/* Room for `more` elements beyond those in use. False if memory or disk is exhausted. */
bool spill_reserve(struct spill *spill, size_t more);

/* Appends `more` elements; the first of them, or NULL if memory or disk is exhausted. */
void *spill_push(struct spill *spill, size_t more);

/* Ends the growing: gives unused room back, and the file descriptor of a paged array. */
void spill_fit(struct spill *spill);

#endif
