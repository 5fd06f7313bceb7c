/*
 * link_series - how much each link carried when: bytes by equal buckets of time.
 *
 * Rules:
 *  1. A network model tells it as a link_meter (model/network.h). What is carried from one time to
 *     another is spread over the buckets in between evenly, to the byte: the buckets of a server
 *     sum to the whole bytes that it was told, whatever they were split into.
 *  2. Memory is bounded: LINK_SERIES_BYTES for all buckets together (and 20 bytes a link). There
 *     are at most 512 buckets of a time; when time goes on past the last, or more servers are used
 *     than there is room for, two become one. A run ends with at least half of its buckets in use,
 *     unless it is shorter than they are. Links that carry nothing take no buckets. There are never
 *     fewer than 16 buckets: beyond half a million links in use, 128 bytes each are taken.
 *  3. link_series_settle() makes each link's sum what the run says that it carried, which models
 *     that integrate rates (flow) miss by rounding: the rest goes to the server's last bucket.
 *  4. Of a network model that sees no links, "link" here is a dimension: all links in it.
 *  5. In a folded run a link has the buckets of the one that stands for it; of a bundle its share.
 */
#ifndef ORRERY_STATS_LINK_SERIES_H
#define ORRERY_STATS_LINK_SERIES_H

#include "model/network.h"

enum { LINK_SERIES_BUCKETS = 512, LINK_SERIES_LEAST = 16 };

#define LINK_SERIES_BYTES ((uint64_t)64 << 20)

struct link_series {
    uint32_t link_count; /* or dimensions, of a network model that sees no links; 0: nothing told */
    uint32_t buckets;    /* of a server: a power of two */
    time_ps width_ps;    /* of a bucket: bucket b is [b, b + 1) x width_ps */
    uint64_t most_bytes;
    uint32_t *place; /* [link_count] of a server among those used, + 1; 0: carries nothing */
    struct link_server {
        double told;      /* bytes, ever */
        uint64_t counted; /* of those in buckets */
        uint32_t last;    /* bucket in which it last carried something */
    } * server;           /* [used] */
    uint64_t *bucket;     /* [used][buckets] */
    uint32_t used, room;
    uint32_t *server_of;      /* [link_count] after link_series_settle(); the server of each link */
    double *share_of;         /* its part of what that carries */
    double most_missed_bytes; /* the most that settling moved */
};

/* The meter that fills `series`. */
struct link_meter link_series_meter(struct link_series *series);

void link_series_init(struct link_series *series);
void link_series_release(struct link_series *series);

/* Begins anew for a run with `link_count` links (and no more servers). */
void link_series_begin(struct link_series *series, uint32_t link_count);

/* The link is `share` of `server`, and carried rows[link] in the run, which is over. Call for every
 * link, in ascending order, before link_series_settle(). */
void link_series_map(struct link_series *series, uint32_t link, uint32_t server, double share);
void link_series_settle(struct link_series *series, const struct link_figures *rows);

/* The buckets of the link's server, whole bytes; NULL: it carried nothing. The link has share_of of
 * them. */
const uint64_t *link_series_of(const struct link_series *series, uint32_t link);

#endif
