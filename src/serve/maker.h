/*
 * maker - bodies made in processes of their own, so that a server never waits for one, and kept.
 *
 * Rules:
 *  1. A body is made by a fork of this process: it sees what the server had read, and cannot hurt
 *     it. One that takes longer than its limit is ended: 504. One that crashes: 500.
 *  2. MAKER_JOBS at a time, the rest in order. MAKER_SLOTS are kept; who was asked for least lately
 *     goes. All of them at work: 503.
 *  3. A body is of a version of the store. After a change the old one is given for 200 times as
 *     long as it took a processor to make (a quarter of a second at least, two minutes at most):
 *     watching takes half a percent of one core, however many watch and however large the study.
 *  4. What failed is kept for a second.
 */
#ifndef ORRERY_SERVE_MAKER_H
#define ORRERY_SERVE_MAKER_H

#include <stdint.h>
#include <stdio.h>

#include "base/loop.h"
#include "serve/server.h"

enum { MAKER_SLOTS = 16, MAKER_JOBS = 2, MAKER_KEY = 64 };

struct maker_ops {
    /* In the process: writes the body of `key` to `out`, or, with another status than 200, why not.
     * Returns the status of HTTP. */
    unsigned (*make)(void *context, const char *key, FILE *out);

    /* One is ready: who waits may ask again. */
    void (*ready)(void *context);
};

struct maker_order {
    const char *key;  /* shorter than MAKER_KEY */
    const char *type; /* a constant */
    uint64_t version;
    double limit_s;
    bool is_final; /* no version is expected after this one: an old body is not given */
};

struct maker;

struct maker *maker_create(struct loop *loop, const struct maker_ops *ops, void *context);
void maker_destroy(struct maker *maker);

/* SERVER_REPLY with *reply, or SERVER_WAIT: ask again after ready(). */
enum server_turn maker_get(struct maker *maker, const struct maker_order *order,
                           struct server_reply *reply);

#endif
