/*
 * tuner_cost - the formulas of the tuner: what each algorithm and protocol is planned to take, and
 * what it takes. tuner.h has them in words. Only tuner*.c include it.
 *
 * Rules:
 *  1. A shape is made once for a request; each try fills a candidate's plan and time, and changes
 *     nothing else.
 *  2. `plan_us` decides; the time of a candidate is base_us + steps * alpha_us + transfer_us.
 */
#ifndef ORRERY_NET_COLLECTIVE_TUNER_COST_H
#define ORRERY_NET_COLLECTIVE_TUNER_COST_H

#include <math.h>

#include "net/collective/tuner_parts.h"

/* A request seen by the formulas. */
struct tuner_shape {
    const struct tuner_request *request;
    const struct tuner_system *system;
    const struct tuner_library *library;
    const struct tuner_generation *generation;
    double n, D, g; /* ranks, scale-up domains, ranks in one */
    double bytes;
    double S, I;                /* steps of a ring, those between domains */
    double B;                   /* bus bandwidth of all ring channels in a domain */
    double W;                   /* of the NICs of a domain */
    double links_Bps, nics_Bps; /* datasheet: a rank's links in its domain, the NICs of a domain */
    double channels;
    const double (*hop_us)[3]; /* ring, tree; inside a domain */
    bool over_pcie;
};

/* What one algorithm and protocol would take: what the library thinks, and what it comes to. */
struct tuner_candidate {
    enum tuner_algorithm algorithm;
    enum tuner_protocol protocol;
    double plan_us;
    double base_us, alpha_us, steps;
    double transfer_us; /* time - base - steps * alpha */
    double wire_bytes;
    double ideal_us; /* what the transfer would take at the datasheet's rates */
};

void tuner_find_shape(const struct tuner_request *request, struct tuner_shape *shape);

/* Fills `one`; false if the algorithm or the protocol cannot be had for this request. */
bool tuner_try(const struct tuner_shape *shape, enum tuner_algorithm algorithm,
               enum tuner_protocol protocol, struct tuner_candidate *one);

/* The only way of the kinds that tuner_is_point_to_point() names. */
void tuner_try_p2p(const struct tuner_shape *shape, struct tuner_candidate *p2p);

static inline bool tuner_is_point_to_point(int kind)
{
    return kind == COLL_ALL_TO_ALL || kind == COLL_GATHER || kind == COLL_SCATTER ||
           kind == TUNER_SEND_RECEIVE || kind == TUNER_DISPATCH;
}

static inline bool tuner_is_all_reduce(int kind)
{
    return kind == COLL_ALL_REDUCE || kind == COLL_BARRIER;
}

/* bytes / rate in us; a rate in bytes/s. */
static inline double tuner_us_of(double bytes, double rate_Bps)
{
    return bytes / rate_Bps * 1e6;
}

/* Latency between domains: the network's, which Simple pays twice (it flushes). */
static inline double tuner_net_us(const struct tuner_shape *shape, double hop_us, int protocol)
{
    return hop_us + shape->system->net_latency_us * (protocol == TUNER_SIMPLE ? 2 : 1);
}

/* Time at datasheet rates of `bytes` over a rank's links and `over_nics` over its domain's NICs. */
static inline double tuner_ideal_us(const struct tuner_shape *shape, double bytes, double over_nics)
{
    double us = tuner_us_of(bytes, shape->links_Bps);
    return shape->D > 1 ? fmax(us, tuner_us_of(over_nics, shape->nics_Bps)) : us;
}

/* What a kernel takes before its first step: a measured base of LL moves those of all protocols. */
double tuner_base_us(const struct tuner_shape *shape, int algorithm, int protocol);

#endif
