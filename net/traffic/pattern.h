/*
 * pattern - flow lists of well-known shapes.
 *
 * Rules:
 *  1. The same request gives the same list on every machine.
 *  2. `count`, `offset` and `seed` mean what the row of traffic_patterns[] says; a pattern that has
 *     no use for one ignores it, and 0 is its default.
 */
#ifndef ORRERY_NET_TRAFFIC_PATTERN_H
#define ORRERY_NET_TRAFFIC_PATTERN_H

#include "net/traffic/traffic.h"

struct pattern_request {
    uint32_t npus; /* >= 2 */
    uint64_t bytes;
    uint64_t seed;
    uint32_t count, offset;
};

struct traffic_pattern {
    const char *name;
    const char *summary;
    const char *bytes; /* what `bytes` is; NULL: the size of each flow */
    const char *count; /* what `count` is, with its default; NULL: it has no use for one */
    bool power_of_two; /* needs a power of two of NPUs */
    bool is_random;    /* depends on `seed` */
    bool has_offset;   /* depends on `offset` */
    /* Fails if the request does not fit; n >= 2 is sure. NULL: any does. */
    enum status (*check)(const struct pattern_request *request, struct diag *diag);
    void (*add)(const struct pattern_request *request, struct traffic *traffic);
    uint64_t (*flows)(const struct pattern_request *request); /* how many add() adds */
};

/* The last has a NULL name. */
extern const struct traffic_pattern traffic_patterns[];

/* NULL if there is none of that name. */
const struct traffic_pattern *pattern_find(const char *name);

/* Appends the flows of the pattern. Fails if the request does not fit it. */
enum status pattern_add(const struct traffic_pattern *pattern,
                        const struct pattern_request *request, struct traffic *traffic,
                        struct diag *diag);

#endif
