/* series_util - what the series of every link of a finished run must hold. */
#ifndef ORRERY_TESTS_UNIT_SERIES_UTIL_H
#define ORRERY_TESTS_UNIT_SERIES_UTIL_H

#include <math.h>

#include "net/topology/fabric.h"
#include "stats/link_series.h"
#include "stats/result.h"
#include "tests/unit/unit.h"

static inline uint64_t series_sum(const struct link_series *series, uint32_t link)
{
    const uint64_t *bucket = link_series_of(series, link);
    uint64_t sum = 0;
    for (uint32_t b = 0; bucket && b < series->buckets; b++)
        sum += bucket[b];
    return sum;
}

/*
 * Buckets sum to what the link carried, to the byte where that is whole; settling moved no more
 * than rounding to ps explains (a message begins, ends and changes its rate up to half a ps early
 * or late); where messages contend, no bucket has more than the link can carry; nothing is beyond
 * the end.
 */
static inline void expect_series(const struct link_series *series, const struct run_result *result,
                                 const struct network_config *network)
{
    uint64_t messages = 0;
    double widest_B_per_ps = 0;
    bool contends = network_model_of(network->backend)->has_contention;
    for (uint32_t l = 0; l < result->link_count; l++) {
        const struct link_figures *row = &result->link[l];
        double Bps = network->fabric->link[l].bandwidth_Bps;
        double width_s = (double)series->width_ps / 1e12, share = series->share_of[l];
        const uint64_t *bucket = link_series_of(series, l);
        ck_assert_msg(series_sum(series, l) == (uint64_t)(row->bytes / share + 0.5),
                      "%s link %u: %lu of %.3f bytes", network->fabric->text, l,
                      (unsigned long)series_sum(series, l), row->bytes);
        messages += row->messages;
        widest_B_per_ps = fmax(widest_B_per_ps, Bps / share / 1e12);
        /* An assertion costs a system call: one a link. */
        uint32_t bad = 0, most = 0;
        for (uint32_t b = 0; bucket && b < series->buckets; b++) {
            bad += bucket[b] && b * series->width_ps > result->end_ps;
            most = bucket[b] > bucket[most] ? b : most;
        }
        ck_assert_msg(
            !bad && (!bucket || !contends ||
                     (double)bucket[most] * share <= Bps * width_s * (1 + 1e-9) + 2 + 4e-12 * Bps),
            "%s link %u bucket %u: %lu of %.1f bytes", network->fabric->text, l, most,
            bucket ? (unsigned long)bucket[most] : 0, Bps * width_s);
    }
    ck_assert_msg(series->most_missed_bytes <= 1 + 4 * widest_B_per_ps * (double)messages,
                  "settling moved %.3f bytes", series->most_missed_bytes);
}

#endif
