/*
 * study - what a study file asks for: a base, axes, and which of their points.
 *
 *     base:                        # keys and values that every point has
 *       job: llama3-8b
 *       cluster: preset:dgx-h100,nodes=4
 *     axes:                        # the grid of their values; the last varies fastest
 *       plan.tp: [1, 2, 4, 8]
 *       network.injection: {from: 100GB/s, to: 400GB/s, step: 100GB/s}
 *       plan.global-batch: {from: 64, to: 1024, factor: 2}
 *     zip:                         # groups of axes that move together, each as one axis of the grid
 *       - {cluster: [a.yaml, b.yaml], system.launch-overhead: [2us, 5us]}
 *     filter: plan.tp <= 4 or plan.global-batch > 128      # expression.h, over the axes
 *     sample: {count: 100, seed: 7}                        # so many of what the filter leaves
 *     limits: {time: 60s, memory: 4GB}                     # of this machine, for a point
 *     best: time                   # column that progress shows the best of: "least time", "most mfu"
 *
 * Rules:
 *  1. Keys are the caller's (study_keys): this module knows none. A key stands in one axis at most;
 *     an axis wins over the base.
 *  2. A range is linear (`step`, or `count` values) or geometric (`factor`, or `count` with `scale:
 *     log`), from `from` to `to`, both included where they are met. Ends carry the same unit. The
 *     values of a range are written with at most 12 digits.
 *  3. Values are kept as text, as they are written. At most STUDY_AXES axes and STUDY_VALUES values
 *     of one.
 *  4. A value stands once in an axis of the grid; in a zip it may be repeated.
 *  5. Everything is owned by study->arena.
 */
#ifndef ORRERY_SWEEP_STUDY_H
#define ORRERY_SWEEP_STUDY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/doc.h"

enum { STUDY_AXES = 24, STUDY_VALUES = 1 << 16, STUDY_BASE = 64 };

struct study_pair {
    const char *key, *text;
    uint32_t line;
};

struct axis {
    const char *key;
    uint32_t line, count;
    const char **text;
    double *number; /* quantity.h; not-a-number of a text */
};

/* Axes that move together: one, or those of a zip. */
struct axis_group {
    uint32_t first, axes; /* consecutive in study->axis */
    uint32_t length;      /* values */
};

struct study {
    struct arena arena;
    const char *path, *folder; /* folder ends with '/', or is "" */
    const char *text;          /* the file, to be kept with its results */
    uint32_t base_count, axis_count, group_count;
    struct study_pair base[STUDY_BASE];
    struct axis axis[STUDY_AXES];
    struct axis_group group[STUDY_AXES]; /* the first varies slowest */
    const char *keys[STUDY_AXES + 1];    /* of the axes, NULL-terminated */
    const char *filter;                  /* NULL: all */
    uint32_t sample_count;               /* 0: all */
    uint64_t seed;
    double time_limit_s;         /* 0: none */
    uint64_t memory_limit_bytes; /* 0: the default */
    const char *best;            /* NULL: least time */
};

/* What a key may be. Fails, with message and hint, for a key that there is not. */
struct study_keys {
    enum status (*check)(const void *context, const char *key, struct diag *diag);
    const void *context;
};

/* `study` is released by the caller in every case. */
enum status study_load(struct study *study, const char *path, const struct study_keys *keys,
                       struct diag *diag);
/* The same from memory; `path` is for messages and for what is beside it. */
enum status study_parse(struct study *study, const char *path, const char *text, size_t length,
                        const struct study_keys *keys, struct diag *diag);
void study_release(struct study *study);

#endif
