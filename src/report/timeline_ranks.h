/*
 * timeline_ranks - a list of ranks as a user writes it: "0,8-15".
 */
#ifndef ORRERY_REPORT_TIMELINE_RANKS_H
#define ORRERY_REPORT_TIMELINE_RANKS_H

#include <stdint.h>

#include "base/diag.h"

/* Into an ascending list without repeats, all below `limit`, which the caller frees; NULL on
 * failure. */
enum status timeline_read_ranks(const char *text, uint32_t limit, uint32_t **rank, uint32_t *count,
                                struct diag *diag);

#endif
