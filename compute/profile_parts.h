/*
 * profile_parts - what profile_load.c makes and profile.c asks.
 *
 * Rules:
 *  1. Rows of one group (equal in all but sizes) stand together, sorted by their sizes.
 *  2. axis[a][0 .. axis_count[a]) are the distinct values of size a in the group, ascending.
 */
#ifndef ORRERY_COMPUTE_PROFILE_PARTS_H
#define ORRERY_COMPUTE_PROFILE_PARTS_H

#include "base/arena.h"
#include "compute/profile.h"

enum { PROFILE_SIZES = 7 };

struct profile_row {
    struct op_shape shape; /* finished */
    uint64_t size[PROFILE_SIZES];
    double ns;
    uint32_t samples;
};

struct profile_group {
    struct op_shape kind;          /* with all sizes, flops and bytes 0 */
    uint32_t first, count;         /* rows */
    uint64_t *axis[PROFILE_SIZES]; /* rule 2 */
    uint32_t axis_count[PROFILE_SIZES];
};

struct profile {
    struct arena *arena; /* of everything here */
    struct profile_row *row;
    uint32_t row_count, room;
    struct profile_group *group;
    uint32_t group_count;
};

/* Takes the sizes out of `shape`: into `size`, and what remains into *kind. */
void profile_split(const struct op_shape *shape, uint64_t size[PROFILE_SIZES],
                   struct op_shape *kind);

/* Order of sizes. */
int profile_compare(const uint64_t a[PROFILE_SIZES], const uint64_t b[PROFILE_SIZES]);

/* Sorts and averages the rows, and makes the groups. */
void profile_seal(struct profile *profile);

#endif
