/*
 * link_speed - what varies of links: each its own for the whole run, and links slow for a time.
 *
 * With variation.link-jitter a link's bandwidth is the fabric's by a random factor of mean 1,
 * with variation.latency-jitter its latency times one. variation.slow-links has lines of
 * model/slow_list.h whose links are named as in net/topology/changes.h:
 *
 *     leaf0--spine1: bw*0.5 from 10ms to 30ms; rank 5: bw*0.8
 *
 * Rules:
 *  1. Routes and the choice of algorithms are those of the fabric as it is built: what varies is
 *     not known to who plans.
 *  2. A server of paths.h that is a bundle has the sum of its links' bandwidths, each with its own
 *     factor, and keeps its latency. So do routes that are sprayed over single links.
 *  3. flow solves again at each edge of a window. analytical integrates over the message's time on
 *     the link. The other models take no windows: variation_check() in inputs.c refuses them.
 *  4. Figures of links (busy, utilisation) go by the fabric's bandwidth.
 */
#ifndef ORRERY_NET_MODEL_LINK_SPEED_H
#define ORRERY_NET_MODEL_LINK_SPEED_H

#include "model/jitter.h"
#include "model/slow_list.h"
#include "net/topology/fabric.h"

/* The factors of a link for the whole run: bandwidth is divided by the first (it is how much longer
 * bytes take), latency is multiplied by the second. */
double link_speed_factor(const struct variation_config *config, uint32_t link);
double link_latency_factor(const struct variation_config *config, uint32_t link);

/* A link that is slow for a time. */
struct slow_link {
    uint32_t link, server;
    double B_per_ns; /* when it is not */
    struct pace pace;
};

struct link_speed {
    struct slow_link *slow; /* ascending by server */
    uint32_t count;
    const double *B_per_ns; /* [servers], borrowed: when none is */
};

/* *made stays NULL if no link is slow for a time. `server_of_link` may be NULL. */
enum status link_speed_create(struct link_speed **made, const struct network_config *config,
                              const uint32_t *server_of_link, const double *B_per_ns,
                              struct diag *diag);
void link_speed_destroy(struct link_speed *speed);

/* Bandwidth of a server at a time. */
double link_speed_at(const struct link_speed *speed, uint32_t server, time_ps time);

/* The next time after `time` at which one changes, or TIME_NEVER. */
time_ps link_speed_next(const struct link_speed *speed, time_ps time);

#endif
