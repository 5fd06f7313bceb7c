/*
 * study_page - a study as one HTML file: curves, Pareto front, heat map, all points, failures.
 *
 * Rules:
 *  1. The page depends on the store's table, the title and the program's version, and on nothing
 *     else: the same bytes for the same study.
 *  2. The figures in it are those of `orrery results --format json`. Its schema is "orrery.page/1"
 *     (README.md).
 *  3. Of more points than STUDY_PAGE_ROWS it holds the ends of every measure, the Pareto fronts of
 *     time with each other measure, the first failures, and of the rest an even sample; it says how
 *     many of how many.
 *  4. A live page takes its data from "data.json" (study_page_data()) beside it, and listens to the
 *     event stream "events" (text/event-stream): after each message (without a name, or "progress",
 *     "change", "end") the data is asked for again, at most every two seconds. Data of a message
 *     may be JSON with "done", "total" and "failed", and with "reason" (why nothing can be read),
 *     "state", "version", "points_per_s", "left_s": that is shown at once. After a message "end"
 *     the page listens no more. Point N links to "point/N".
 */
#ifndef ORRERY_PAGE_STUDY_PAGE_H
#define ORRERY_PAGE_STUDY_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "sweep/store.h"

enum { STUDY_PAGE_ROWS = 16384 };

struct study_page {
    const struct store_table *table;
    const char *version; /* of orrery */
    const char *title;   /* "study.db" */
    bool is_live;
};

/* The whole page; of a live one `table` is not looked at and may be NULL. */
void study_page_write(const struct study_page *page, FILE *out);

/* The data alone, JSON. */
void study_page_data(const struct study_page *page, FILE *out);

#endif
