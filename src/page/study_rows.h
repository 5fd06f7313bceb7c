/*
 * study_rows - which points of a large study its page holds (study_page.h, rule 3).
 */
#ifndef ORRERY_PAGE_STUDY_ROWS_H
#define ORRERY_PAGE_STUDY_ROWS_H

#include "base/arena.h"
#include "sweep/store.h"

struct study_rows {
    uint32_t *row; /* numbers of the table's rows, ascending */
    uint32_t count;
};

/* At most about `most` of the table's rows; in `arena`. */
struct study_rows study_rows_choose(const struct store_table *table, uint32_t most,
                                    struct arena *arena);

#endif
