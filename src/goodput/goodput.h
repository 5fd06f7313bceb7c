/*
 * goodput - how much of a job's time is useful when devices fail, and how often to checkpoint.
 *
 * The job works for `interval`, stops for `stall` while a snapshot is taken, and goes on. A
 * failure stops it: the job starts again from the last snapshot that is on storage, which takes
 * `restart` (detect, reschedule, load, warm up), once there is a node in place of the failed one.
 * What was done since that snapshot is lost.
 *
 * Rules:
 *  1. Failures come at a constant rate L (exponential times between them) while the job runs,
 *     checkpoints or restarts, not while it waits for a repair. A failure during a restart starts
 *     the restart again.
 *  2. A blocking checkpoint: stall = write, and the snapshot counts when the stall ends. An
 *     asynchronous one: it counts `write` after that, while the job works on; so the interval and
 *     the stall together are at least `write`.
 *  3. A failed node is under repair for an exponential time of mean `repair`, and is a spare then.
 *     GOODPUT_REPLACE: with a spare at hand the job restarts at once, else it waits for the first
 *     repair. No spares: it waits each time. repair = 0: there is always a spare.
 *     GOODPUT_SHRINK: it restarts without the node's replicas and is slower by `node_ratio` for
 *     each node that is missing; a node that comes back joins after the next snapshot, by a
 *     restart.
 *  4. Closed form. With T = interval + stall, w = write if asynchronous, else 0, and
 *     R* = (e^(L restart) - 1) / L (a restart under failures), a cycle from one snapshot that
 *     counts to the next takes
 *
 *         X = (1 - e^(-LT)) (1/L + R* + e^(L restart) (e^(L(T+w)) - 1) / L)
 *
 *     at w = 0 this is Daly's e^(L restart) (e^(LT) - 1) / L (J. T. Daly, "A higher order
 *     estimate of the optimum checkpoint interval for restart dumps", FGCS 22, 2006, eq. 20). For
 *     each failure the job waits B(s, L repair) repair / (s + 1) with s spares: B is Erlang's
 *     loss formula, the share of time in which all spares are under repair, and s + 1 repairs run
 *     at once then. Goodput is interval / (X (1 + L wait)). Exact, but for rule 6 and
 *     GOODPUT_SHRINK: there on average L repair nodes are missing, and each costs a restart more.
 *  5. Times are in s, rates in 1/s, shares of all time. The shares add up to 1.
 *  6. Stops that are planned (maintenance) come at a constant rate P while the job works: it
 *     writes a checkpoint first, steps stopping for it, and restarts. In closed form each takes
 *     write + R*; that it is a checkpoint more, after which less is lost, is left out.
 *  7. Failures that are not noticed (wrong results) are not here.
 */
#ifndef ORRERY_GOODPUT_GOODPUT_H
#define ORRERY_GOODPUT_GOODPUT_H

#include <stdbool.h>
#include <stdint.h>

enum goodput_policy { GOODPUT_REPLACE, GOODPUT_SHRINK };

struct goodput_input {
    double step_s, tokens; /* of a step; step_s > 0; tokens 0: not known */
    uint32_t devices;      /* of the job, without spares */
    uint32_t node_devices; /* that fail together, and are replaced */
    double failures_per_s; /* of the job */
    double planned_per_s;  /* stops, rule 6 */
    double write_s, stall_s;
    bool is_async; /* else stall_s = write_s */
    double restart_s;
    enum goodput_policy policy;
    uint32_t spares; /* nodes */
    double repair_s;
    double node_ratio; /* GOODPUT_SHRINK: of its speed that the job loses with a node */
};

enum goodput_share {
    SHARE_USEFUL,
    SHARE_CHECKPOINT, /* stalls for snapshots that counted */
    SHARE_LOST,       /* work, and stalls, that a failure undid */
    SHARE_RESTART,
    SHARE_PLANNED, /* stops: checkpoint and restart */
    SHARE_WAITING, /* for a repair */
    SHARE_SLOWER,  /* GOODPUT_SHRINK: what the missing nodes would have done */
    GOODPUT_SHARES
};

extern const char *const goodput_share_names[GOODPUT_SHARES];

struct goodput {
    double interval_s;
    double share[GOODPUT_SHARES];
    double failures_per_day; /* of all time: none come while the job waits */
};

/* Closed form at an interval (> 0, and as rule 2 says). */
struct goodput goodput_at(const struct goodput_input *input, double interval_s);

/* The interval of the most goodput: golden section over its logarithm. */
double goodput_best_interval(const struct goodput_input *input);

/* The least interval that can be: rule 2, and one step. */
double goodput_least_interval(const struct goodput_input *input);

/* Young: sqrt(2 stall / L) (CACM 17, 1974). Daly: with d = stall L / 2, below d = 1,
 * sqrt(2 stall / L) (1 + sqrt(d) / 3 + d / 9) - stall, else 1 / L (FGCS 2006, eq. 37). */
double goodput_young_interval(const struct goodput_input *input);
double goodput_daly_interval(const struct goodput_input *input);

/* Useful tokens a day. */
double goodput_tokens_per_day(const struct goodput_input *input, const struct goodput *goodput);

/* The same for each device that is paid for: the job's, and the spares. */
double goodput_tokens_per_device(const struct goodput_input *input, const struct goodput *goodput);

/* Share of failures that find no spare (Erlang's B); 1 without spares, 0 with repair 0. */
double goodput_no_spare(const struct goodput_input *input);

#endif
