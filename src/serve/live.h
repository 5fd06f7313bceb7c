/*
 * live - a store looked at while it changes, and what is said of it: the events of a page.
 *
 * Rules:
 *  1. A look every LIVE_LOOK_S (store_follow.h). What changed is published at once; the same again
 *     every LIVE_BEAT_S, so that those who listen know that somebody speaks.
 *  2. An event is named "progress". Its id is the version of the store, its data one line of JSON,
 *     schema "orrery.progress/1": version, state ("running", "stopped", "ended", "waiting",
 *     "unavailable"; "queued": jobs of a cluster have the rest), reason, done, total, failed,
 *     points_per_s and left_s (null: unknown), best (null: none yet): column, unit, value, point.
 *     No event is the last: another sweep may begin.
 *  3. The rate is over what ended in the last half minute of looking.
 */
#ifndef ORRERY_SERVE_LIVE_H
#define ORRERY_SERVE_LIVE_H

#include "base/loop.h"
#include "serve/body.h"
#include "sweep/store_follow.h"

#define LIVE_LOOK_S 0.5
#define LIVE_BEAT_S 10.0

struct live;

struct live_ops {
    void (*publish)(void *context, struct body *event);
};

/* The first look is at once; publish() is not called before loop_run(). */
struct live *live_create(struct loop *loop, const char *store, const struct live_ops *ops,
                         void *context);
void live_destroy(struct live *live);

const struct store_state *live_state(const struct live *live);

/* True if all points have ended and nobody writes. */
bool live_is_complete(const struct live *live);

/* The present state as of rule 2, without the frame of an event. */
struct body *live_progress(const struct live *live);

#endif
