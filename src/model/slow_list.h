/*
 * slow_list - what is slow for a time, one short line each.
 *
 *     list   := line ((';' | newline) line)*          '#' starts a comment
 *     line   := what ':' action ['from' TIME] ['to' TIME]
 *
 *     rank 17: 1.3x from 10ms to 30ms; ranks 0-7,9: 1.1x        variation.slow-ranks
 *     leaf0--spine1: bw*0.5 from 10ms to 30ms                   variation.slow-links
 *
 * Rules:
 *  1. What and action are the caller's to read (compute/rank_speed.h, net/model/link_speed.h).
 *  2. Times are simulated times of the run; without `from` it is from the start, without `to` to
 *     the end. Several lines about one thing multiply while they overlap.
 */
#ifndef ORRERY_MODEL_SLOW_LIST_H
#define ORRERY_MODEL_SLOW_LIST_H

#include "base/diag.h"
#include "base/units.h"

enum { SLOW_LINE_MOST = 256 };

struct slow_line {
    char text[SLOW_LINE_MOST]; /* cut in place: what, and action */
    char *what, *action;       /* trimmed, in `text` */
    time_ps from, to;          /* TIME_NEVER: to the end */
};

/*
 * Calls `take` for each line of `text`; anything but STATUS_OK ends it. Messages get the field
 * `key` and the line. NULL is an empty list.
 */
enum status slow_list_read(const char *text, const char *key,
                           enum status (*take)(void *context, struct slow_line *line,
                                               struct diag *diag),
                           void *context, struct diag *diag);

/*
 * How fast something is over time: from mark[i].at on it takes mark[i].factor times as long. The
 * first mark is at 0; times ascend.
 */
struct pace_mark {
    time_ps at;
    double factor;
};

struct pace {
    struct pace_mark *mark;
    uint32_t count; /* 0: factor 1 throughout */
};

void pace_release(struct pace *pace);

/* From `from` to `to` (TIME_NEVER: on) it takes `factor` times as long as it did before. */
void pace_multiply(struct pace *pace, time_ps from, time_ps to, double factor);

double pace_at(const struct pace *pace, time_ps time);

/* The next time after `time` at which the factor changes, or TIME_NEVER. */
time_ps pace_next(const struct pace *pace, time_ps time);

/*
 * How long `work_ps` of work takes that begins at `from`: the factor is integrated over. 10 ms of
 * work from 5 ms on, under a factor of 2 from 10 to 14 ms: 5 + 4 (2 done) + 3 = 12 ms.
 */
double pace_duration(const struct pace *pace, time_ps from, double work_ps);

/* The work that is done from `from` to `to`. */
double pace_work(const struct pace *pace, time_ps from, time_ps to);

#endif
