/*
 * sampling - one job run many times, each run with a sample of its own of what varies.
 *
 * Rules:
 *  1. Sample i is the run with variation.sample = first + i; what it draws is a function of that
 *     (model/jitter.h), so any run of them can be done again alone: `orrery run --sample I`.
 *  2. Samples are run by a pool of processes (base/workers.h) in rounds: 20 at first, then a
 *     quarter more each. After a round the rule to stop is looked at, so how many samples there
 *     are is a function of their values alone, whatever the number of processes.
 *  3. The rule: intervals of 95 % of median and of 95th percentile are both no wider than `until`
 *     of their estimate (stats/samples.h). Looking more than once makes the true confidence
 *     somewhat less than 95 %.
 *  4. Where nothing random varies, one sample is all.
 *  5. A sample that does not end (a finding, a crash) ends the sampling with its reason.
 */
#ifndef ORRERY_RUN_SAMPLING_H
#define ORRERY_RUN_SAMPLING_H

#include "config/config.h"
#include "run/simulate.h"
#include "stats/samples.h"

enum { SAMPLING_LEAST = 20, SAMPLING_MOST = 100000, SAMPLING_RANKS = 1 << 14 };
#define SAMPLING_FIGURES ((uint64_t)1 << 28) /* 1 GiB */

struct sampling_options {
    uint32_t most;    /* samples; fewer if the rule holds before */
    double until;     /* 0: all of them */
    uint32_t workers; /* 0: one for each core */
    void (*tick)(void *context, uint32_t done, uint32_t most); /* every half second; or NULL */
    void *context;
};

struct sampling {
    time_ps plain_ps;  /* without any variation */
    time_ps steady_ps; /* without what is random: with slow ranks and links */
    uint32_t count, rank_count;
    struct variation_config variation; /* of sample 0; texts are borrowed */
    uint32_t link_count;               /* of the fabric, if links vary at random; else 0 */
    double *time_ps;                   /* [count] makespan of each sample */
    float *compute_s;  /* [count][rank_count] compute of each rank; NULL: too many to keep */
    bool keeps_ranks;  /* up to SAMPLING_RANKS ranks, and SAMPLING_FIGURES of all samples */
    bool is_converged; /* rule 3 held */
};

/* sampling_release() is due in every case. */
enum status sampling_run(struct sampling *sampling, const struct config *config,
                         const struct workload *workload, const struct group_file *groups,
                         const struct sampling_options *options, struct diag *diag);
void sampling_release(struct sampling *sampling);

/*
 * What each thing that varies costs alone: as many samples as there were, or SOURCE_SAMPLES, with
 * all other ratios 0. Together they cost less than the sum as a rule: what waits for the slowest
 * rank waits once.
 */
enum { MOST_SOURCES = 6, SOURCE_SAMPLES = 200 };

struct sampling_source {
    char what[48];               /* "ops 5 %" */
    struct sample_estimate mean; /* ps */
};

/* Fills up to MOST_SOURCES of `source`; none if only one thing varies. */
enum status sampling_sources(const struct sampling *sampling, const struct config *config,
                             const struct workload *workload, const struct group_file *groups,
                             const struct sampling_options *options, struct sampling_source *source,
                             uint32_t *count, struct diag *diag);

#endif
