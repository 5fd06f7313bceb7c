/*
 * sampling_figures - what samples of a job say: its times with intervals, and what makes it slow.
 */
#ifndef ORRERY_RUN_SAMPLING_FIGURES_H
#define ORRERY_RUN_SAMPLING_FIGURES_H

#include "run/sampling.h"
#include "stats/culprits.h"
#include "stats/samples.h"

enum { SHOWN_CULPRITS = 8, LINK_DRAWS_MOST = 1 << 26 /* samples x links that are looked at */ };
enum sampling_quantile { AT_P05, AT_MEDIAN, AT_P95, AT_P99, SAMPLING_QUANTILES };

struct culprit_list {
    struct culprit top[SHOWN_CULPRITS];
    uint32_t count; /* in all */
};

struct sampling_figures {
    struct sample_estimate mean, quantile[SAMPLING_QUANTILES]; /* in ps */
    double deviation_ps, least_ps, most_ps;
    double compute_spread; /* standard deviation / mean of a rank's compute, mean of all ranks */
    double compute_most;   /* mean over samples: most compute of a rank / mean of all ranks */
    uint32_t slow_rank;    /* which had the most compute of all in most samples .. */
    uint32_t slow_count;   /* .. in how many */
    struct culprit_list ranks; /* by compute, in s */
    struct culprit_list links; /* by how much longer bytes take than at the fabric's bandwidth */
};

extern const double sampling_quantiles[SAMPLING_QUANTILES];           /* 0.05, .. */
extern const char *const sampling_quantile_names[SAMPLING_QUANTILES]; /* "p5", "median", .. */

struct sampling_figures sampling_figures(const struct sampling *sampling);

#endif
