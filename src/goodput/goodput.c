#include "goodput/goodput.h"

#include <math.h>

const char *const goodput_share_names[GOODPUT_SHARES] = {
    [SHARE_USEFUL] = "useful",          [SHARE_CHECKPOINT] = "checkpointing",
    [SHARE_LOST] = "lost work",         [SHARE_RESTART] = "restarting",
    [SHARE_PLANNED] = "planned stops",  [SHARE_WAITING] = "waiting",
    [SHARE_SLOWER] = "running smaller",
};

#define DAY_S 86400.0

/* Times of a cycle, from one snapshot that counts to the next, while the job is not waiting. */
struct cycle {
    double attempts, restarts;
};

/* Failures in a time, for an exponent. A job that meets 300 of them does nothing useful (e^-300 of
 * its time); more would make shares inf / inf. */
static double failures_in(double rate, double x)
{
    return fmin(rate * x, 300);
}

/* (e^(r x) - 1) / r; x at r = 0. */
static double grown(double rate, double x)
{
    return rate > 0 ? expm1(failures_in(rate, x)) / rate : x;
}

static double lag_of(const struct goodput_input *input)
{
    return input->is_async ? input->write_s : 0;
}

static struct cycle cycle_of(const struct goodput_input *input, double interval_s)
{
    double rate = input->failures_per_s, segment = interval_s + input->stall_s;
    double again = segment + lag_of(input);
    if (!(rate > 0))
        return (struct cycle){segment, 0};
    double fails = -expm1(-rate * segment);
    return (struct cycle){
        .attempts = fails / rate + fails * grown(rate, again),
        .restarts = fails * exp(failures_in(rate, again)) * grown(rate, input->restart_s),
    };
}

double goodput_no_spare(const struct goodput_input *input)
{
    double load = input->failures_per_s * input->repair_s, inverse = 1;
    if (!(load > 0))
        return 0;
    for (uint32_t s = 1; s <= input->spares; s++)
        inverse = 1 + inverse * s / load; /* 1 / B(s) = 1 + s / (load B(s - 1)) */
    return 1 / inverse;
}

struct goodput goodput_at(const struct goodput_input *input, double interval_s)
{
    struct cycle cycle = cycle_of(input, interval_s);
    double rate = input->failures_per_s, segment = interval_s + input->stall_s;
    double planned =
        input->planned_per_s * cycle.attempts * (input->write_s + grown(rate, input->restart_s));
    double running = cycle.attempts + cycle.restarts + planned;
    double waiting = 0, slower = 0, joins = 0;
    if (input->policy == GOODPUT_REPLACE) {
        waiting = running * rate * goodput_no_spare(input) * input->repair_s / (input->spares + 1);
    } else {
        joins = running * rate * input->restart_s;
        slower = interval_s * fmin(1, rate * input->repair_s * input->node_ratio);
    }
    double all = running + waiting + joins;
    return (struct goodput){
        .interval_s = interval_s,
        .share = {[SHARE_USEFUL] = (interval_s - slower) / all,
                  [SHARE_CHECKPOINT] = input->stall_s / all,
                  [SHARE_LOST] = (cycle.attempts - segment) / all,
                  [SHARE_RESTART] = (cycle.restarts + joins) / all,
                  [SHARE_PLANNED] = planned / all,
                  [SHARE_WAITING] = waiting / all,
                  [SHARE_SLOWER] = slower / all},
        .failures_per_day = rate * (running / all) * DAY_S,
    };
}

/* -- intervals --------------------------------------------------------------------------------- */

double goodput_least_interval(const struct goodput_input *input)
{
    return fmax(input->step_s, lag_of(input) - input->stall_s);
}

double goodput_best_interval(const struct goodput_input *input)
{
    double least = goodput_least_interval(input);
    double rate = input->failures_per_s;
    if (!(rate > 0))
        return HUGE_VAL;
    const double golden = 0.6180339887498949;
    double low = log(least), high = log(fmax(least * 2, 100 / rate));
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double at_a = goodput_at(input, exp(a)).share[SHARE_USEFUL];
    double at_b = goodput_at(input, exp(b)).share[SHARE_USEFUL];
    while (high - low > 1e-9) {
        if (at_a >= at_b) {
            high = b, b = a, at_b = at_a;
            a = high - golden * (high - low);
            at_a = goodput_at(input, exp(a)).share[SHARE_USEFUL];
        } else {
            low = a, a = b, at_a = at_b;
            b = low + golden * (high - low);
            at_b = goodput_at(input, exp(b)).share[SHARE_USEFUL];
        }
    }
    return exp((low + high) / 2);
}

double goodput_young_interval(const struct goodput_input *input)
{
    return sqrt(2 * input->stall_s / input->failures_per_s);
}

double goodput_daly_interval(const struct goodput_input *input)
{
    double d = input->stall_s * input->failures_per_s / 2;
    if (d >= 1)
        return 1 / input->failures_per_s;
    return goodput_young_interval(input) * (1 + sqrt(d) / 3 + d / 9) - input->stall_s;
}

/* -- tokens ------------------------------------------------------------------------------------ */

double goodput_tokens_per_day(const struct goodput_input *input, const struct goodput *goodput)
{
    return input->tokens / input->step_s * DAY_S * goodput->share[SHARE_USEFUL];
}

double goodput_tokens_per_device(const struct goodput_input *input, const struct goodput *goodput)
{
    double spares = input->policy == GOODPUT_REPLACE ? (double)input->spares : 0;
    double paid = input->devices + spares * input->node_devices;
    return goodput_tokens_per_day(input, goodput) / paid;
}
