/*
 * progress - how far a study is: done of total, points per second, time left, the best so far,
 * failures.
 *
 * Rules:
 *  1. On a terminal one line over itself; else, where lines were asked for, one every ten seconds.
 *  2. The rate is over the points that this process ran, not those from the store.
 *  3. The best is over points whose state is "ok".
 */
#ifndef ORRERY_SWEEP_PROGRESS_H
#define ORRERY_SWEEP_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "sweep/measure.h"

enum progress_show { PROGRESS_SILENT, PROGRESS_LINES, PROGRESS_TERMINAL };

struct progress {
    enum progress_show show;
    uint32_t total, stored, ran, failed;
    double start_s, shown_s;
    enum measure best_column;
    bool best_is_most, has_best;
    double best;
    uint32_t best_ordinal;
    bool line_is_shown;
    char more[64]; /* stands at the line's end */
};

/* `best`: "time_s", "least COLUMN" or "most COLUMN"; NULL: least time_s. */
enum status progress_init(struct progress *progress, enum progress_show show, uint32_t total,
                          const char *best, struct diag *diag);

/* A point has a result; `is_stored`: it was there before. */
void progress_add(struct progress *progress, uint32_t ordinal, const struct point_result *result,
                  bool is_stored);

/* Shows the line if it is time, or at once. */
void progress_tick(struct progress *progress, bool at_once);

/* Takes the line off the terminal. */
void progress_clear(struct progress *progress);

/* The counts and the best, into a file: another process reads how far this one is. A file that
 * cannot be written, or is not there, costs the picture and no more. */
void progress_save(const struct progress *progress, const char *path);

/* Adds what progress_save() wrote to the points that ran. False if there is none. */
bool progress_join(struct progress *progress, const char *path);

/* The closing lines of a study. */
void progress_summary(const struct progress *progress, FILE *out);

/* "12.3 s", "4 min 10 s", "2 h 5 min". */
const char *progress_span(char *to, size_t size, double seconds);

#endif
