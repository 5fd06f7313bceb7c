/*
 * bucket_parts - what the algorithms of bucket.h share: how parts go through dimensions.
 */
#ifndef ORRERY_NET_COLLECTIVE_BUCKET_PARTS_H
#define ORRERY_NET_COLLECTIVE_BUCKET_PARTS_H

#include "model/collective.h"

/* What differs between the algorithms; lives in schedule.program_data. */
struct bucket {
    uint32_t dims;
    uint32_t size[CONFIG_MAX_DIMS], stride[CONFIG_MAX_DIMS]; /* of the coordinates */
    uint32_t no_wrap;
    uint32_t parts;
    bool rotates;    /* part t starts in dimension t / 2 and turns backwards if t is odd */
    uint32_t domain; /* multi-ring on a shape: NPUs of a domain, else 0 */
    bool zigzags;    /* order of a domain from its start: 0, 1, -1, 2, -2, .. */
    uint32_t *unit;  /* multi-ring: stride of each part, and its inverse mod n [2 parts] */
};

/* Messages of one part. */
uint32_t bucket_rounds(const struct bucket *bucket, enum collective_kind kind);

/* collective_ops.program of all of them. */
void bucket_program(const struct schedule_request *request, const struct schedule *schedule,
                    uint32_t position, struct arena *arena, struct program *made);

#endif
