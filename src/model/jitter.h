/*
 * jitter - random factors of mean 1, each found from what it belongs to.
 *
 * Rules:
 *  1. A factor is a function of the configuration's seed and sample, of a stream (what varies) and
 *     of two numbers (which rank and op, which link): never of what was drawn before, so neither
 *     the order of events, nor threads, nor which ranks are simulated change it.
 *  2. With c the coefficient of variation (standard deviation / mean) and Z standard normal:
 *
 *         lognormal     exp(s Z - s^2 / 2), s^2 = ln(1 + c^2)        usual for times of kernels
 *         normal        1 + c Z, not below 0; c at most 0.3           Z < -1/c: 4e-4 at c = 0.3
 *         gamma         shape 1/c^2, scale c^2     Marsaglia and Tsang, "A simple method for
 *                       generating gamma variables", ACM TOMS 26 (2000), section 2
 *         exponential   1 - c + c E, E standard exponential           a floor and a long tail
 *
 *     Each has mean 1 and variance c^2, so that times stay what they were in the mean.
 *  3. Normal numbers are by Box and Muller ("A note on the generation of random normal deviates",
 *     1958), uniform ones have 53 bits and are never 0 or 1.
 */
#ifndef ORRERY_MODEL_JITTER_H
#define ORRERY_MODEL_JITTER_H

#include <stdbool.h>

#include "base/diag.h"
#include "config/config.h"

/* What varies; the numbers are part of what a seed means, and stay. */
enum jitter_stream {
    JITTER_OF_OP = 1,      /* rank, node of its trace */
    JITTER_OF_RANK = 2,    /* rank, 0 */
    JITTER_OF_LINK = 3,    /* link, 0 */
    JITTER_OF_LATENCY = 4, /* link, 0 */
    JITTER_OF_START = 5,   /* rank, node of its trace */
};

struct jitter {
    enum jitter_form form; /* JITTER_NONE: every factor is 1 */
    double ratio;
    double a, b; /* of the form: lognormal s and s^2 / 2; gamma d and 1 / sqrt(9 d) */
    uint64_t key;
};

void jitter_init(struct jitter *jitter, const struct variation_config *config,
                 enum jitter_stream stream, double ratio);

static inline bool jitter_is_on(const struct jitter *jitter)
{
    return jitter->form != JITTER_NONE;
}

/* The factor of `first` and `second`; 1 if nothing varies. */
double jitter_factor(const struct jitter *jitter, uint64_t first, uint64_t second);

/* A standard exponential number of the same kind, whatever the form: mean 1. */
double jitter_exponential(const struct jitter *jitter, uint64_t first, uint64_t second);

/* Does anything random differ between samples? */
bool variation_is_random(const struct variation_config *config);

/* Does anything at all differ from the plain run? */
bool variation_is_on(const struct variation_config *config);

/* Checks what no single setting can, the network model among it; `diag` gets the key. */
enum status variation_check(const struct config *config, struct diag *diag);

#endif
