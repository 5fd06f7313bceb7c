/*
 * perturb - one parameter of a run changed so that what scales with it takes longer, or less, for a
 * moment: a real run with it says what that is worth (a finite difference), beside what the
 * critical path says.
 *
 *     perturb_begin(&perturbed, &config, PART_BANDWIDTH, 1, 1.01);   dimension 1: rate / 1.01
 *     simulate(&config, ..);
 *     perturb_end(&perturbed);                                  the configuration is as it was
 *
 * Algorithms that are chosen by the network's rates (`auto`) may be chosen differently then.
 */
#ifndef ORRERY_RUN_PERTURB_H
#define ORRERY_RUN_PERTURB_H

#include "config/config.h"
#include "stats/critical_path_blame.h"

#define PERTURB_RATIO 1.01 /* of a finite difference */

struct perturbed {
    struct config *config;
    double *value; /* a number of the configuration, or NULL, and what it was */
    double before;
    double *link;    /* [links of the fabric] what they were, or NULL */
    bool is_latency; /* of those */
};

/* What the part takes is `ratio` times (> 0) as long. False, and nothing is changed, if the part
 * has no parameter. `dim`: of link parts. */
bool perturb_begin(struct perturbed *perturbed, struct config *config, enum path_part part, int dim,
                   double ratio);
void perturb_end(struct perturbed *perturbed);

#endif
