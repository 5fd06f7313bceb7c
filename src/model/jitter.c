#include "model/jitter.h"

#include <math.h>

#include "base/mix.h"
#include "config/names.h"

#define MOST_NORMAL_RATIO 0.3

void jitter_init(struct jitter *jitter, const struct variation_config *config,
                 enum jitter_stream stream, double ratio)
{
    *jitter = (struct jitter){
        .form = ratio > 0 ? config->form : JITTER_NONE,
        .ratio = ratio,
        .key = mix_in(mix_in(mix64(config->seed + MIX_STEP), config->sample), stream),
    };
    if (jitter->form == JITTER_LOGNORMAL) {
        jitter->b = log1p(ratio * ratio) / 2;
        jitter->a = sqrt(2 * jitter->b);
    }
    if (jitter->form == JITTER_GAMMA) {
        jitter->a = 1 / (ratio * ratio) - 1.0 / 3;
        jitter->b = 1 / sqrt(9 * jitter->a);
    }
}

/* -- numbers ----------------------------------------------------------------------------------- */

static double uniform(uint64_t *state)
{
    return ((double)(random_next(state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(uniform(state)));
    return radius * cos(2 * 3.14159265358979323846 * uniform(state));
}

/* Shape at least 1, so that d > 0; about one in fifty is drawn again. */
static double gamma_factor(const struct jitter *jitter, uint64_t *state)
{
    for (;;) {
        double z = normal(state);
        double v = 1 + jitter->b * z;
        if (v <= 0)
            continue;
        v = v * v * v;
        if (log(uniform(state)) < z * z / 2 + jitter->a * (1 - v + log(v)))
            return jitter->a * v * jitter->ratio * jitter->ratio;
    }
}

double jitter_factor(const struct jitter *jitter, uint64_t first, uint64_t second)
{
    uint64_t state = mix_in(mix_in(jitter->key, first), second);
    switch (jitter->form) {
    case JITTER_NONE:
        return 1;
    case JITTER_LOGNORMAL:
        return exp(jitter->a * normal(&state) - jitter->b);
    case JITTER_NORMAL:
        return fmax(0, 1 + jitter->ratio * normal(&state));
    case JITTER_GAMMA:
        return gamma_factor(jitter, &state);
    case JITTER_EXPONENTIAL:
        return 1 - jitter->ratio - jitter->ratio * log(uniform(&state));
    }
    return 1;
}

double jitter_exponential(const struct jitter *jitter, uint64_t first, uint64_t second)
{
    uint64_t state = mix_in(mix_in(jitter->key, first), second);
    return -log(uniform(&state));
}

/* -- the configuration ------------------------------------------------------------------------- */

bool variation_is_random(const struct variation_config *config)
{
    return config->form != JITTER_NONE &&
           (config->op_ratio > 0 || config->rank_ratio > 0 || config->link_ratio > 0 ||
            config->latency_ratio > 0 || config->start_delay_ns > 0);
}

bool variation_is_on(const struct variation_config *config)
{
    return variation_is_random(config) || config->slow_ranks || config->slow_links;
}

/* Which network models see what varies of links. */
static enum status check_links(const struct config *config, struct diag *diag)
{
    const struct variation_config *variation = &config->variation;
    enum net_backend backend = config->network.backend;
    bool integrates = backend == NET_FLOW || backend == NET_ANALYTICAL;
    const char *key = NULL, *models = "flow, analytical or link";
    if (variation->form != JITTER_NONE && !integrates && backend != NET_LINK)
        key = variation->link_ratio > 0      ? "link-jitter"
              : variation->latency_ratio > 0 ? "latency-jitter"
                                             : NULL;
    if (variation->slow_links && !integrates) {
        key = "slow-links";
        models = "flow or analytical";
    }
    if (!key)
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG, "needs the network model %s, found %s", models,
              net_backend_names[backend]);
    diag_field(diag, "variation.%s", key);
    diag_hint(diag, "--network-backend flow, on a topology");
    return diag->status;
}

enum status variation_check(const struct config *all, struct diag *diag)
{
    const struct variation_config *config = &all->variation;
    const struct {
        const char *key;
        double ratio;
    } rows[] = {{"op-jitter", config->op_ratio},
                {"rank-jitter", config->rank_ratio},
                {"link-jitter", config->link_ratio},
                {"latency-jitter", config->latency_ratio}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (config->form != JITTER_NORMAL || rows[i].ratio <= MOST_NORMAL_RATIO)
            continue;
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "a normal distribution goes below 0 at a ratio of %g: at most %g", rows[i].ratio,
                  MOST_NORMAL_RATIO);
        diag_hint(diag, "lognormal, gamma and exponential stay above 0");
        diag_field(diag, "variation.%s", rows[i].key);
        return diag->status;
    }
    return check_links(all, diag);
}
