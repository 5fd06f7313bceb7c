/*
 * diff_links - links that two runs have both, and what each carried in either.
 *
 * Only where both network models see links. If the fabrics have the same links (names of ends, in
 * the same order), each link is a row, by |busy time of B - A|, most first; else each dimension is,
 * as the mean over its links that carried something.
 */
#ifndef ORRERY_REPORT_DIFF_LINKS_H
#define ORRERY_REPORT_DIFF_LINKS_H

#include "report/diff_report.h"

struct diff_link {
    char name[96]; /* "npu0->switch1", "dimension 0 (8 and 16)": links that carried something */
    double rate_a_Bps, rate_b_Bps;
    double bytes_a, bytes_b;
    time_ps busy_a_ps, busy_b_ps, queued_a_ps, queued_b_ps;
};

/* The caller's to free; *count may be 0. */
struct diff_link *diff_links_find(const struct diff_run *a, const struct diff_run *b,
                                  uint32_t *count);

#endif
