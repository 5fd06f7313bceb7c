/*
 * draw - random networks and collectives, from a seed; and the same with one thing changed.
 */
#ifndef ORRERY_TESTS_AGREE_FORMS_DRAW_H
#define ORRERY_TESTS_AGREE_FORMS_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/agree/forms/lone.h"

enum { DRAW_MOST_FACTORS = 3, DRAW_MOST_TEXT = 400, DRAW_MOST_RANKS = 64 };

struct drawn_factor {
    const char *form; /* a one-line form with @b for its bandwidth and @l for its latency */
    uint32_t npus;
    bool is_transitive; /* some symmetry that routing keeps maps any rank to any other */
    double GBps, latency_ns;
};

struct drawn_net {
    struct drawn_factor factor[DRAW_MOST_FACTORS];
    uint32_t factor_count, npus;
    const char *routing;
};

/* A factor's number, or all of them. */
#define ALL_FACTORS UINT32_MAX

/* What is changed: bandwidths and latencies of one factor, or of all, are multiplied. */
struct net_change {
    uint32_t factor;
    double bandwidth, latency;
};

/* At most `most` NPUs. */
void draw_net(uint64_t *state, uint32_t most, struct drawn_net *net);
void draw_net_text(const struct drawn_net *net, const struct net_change *change,
                   char to[DRAW_MOST_TEXT]);

/* A collective on a network: `topology` of `given` is left to the caller. */
struct drawn_collective {
    struct lone_case given;
    char chunks[16], active[16], seed[16];
};
void draw_collective(uint64_t *state, const struct drawn_net *net, struct drawn_collective *drawn);

#endif
