#include "workloads/generate/nearest_plan.h"

#include <math.h>
#include <stdio.h>

enum { MOST_CHOICES = 12 }; /* of a degree that are tried: the nearest */

struct degrees {
    uint32_t tp, cp, pp, interleave;
};

struct choices {
    uint32_t value[MOST_CHOICES]; /* ascending distance from what was wanted */
    uint32_t count;
};

/* Squared, so that several small steps are nearer than one large one. */
static double apart(uint32_t a, uint32_t b)
{
    double steps = log2((double)a / (double)(b ? b : 1));
    return steps * steps;
}

/* Keeps the nearest; of equally near ones the smaller, which comes first. */
static void offer(struct choices *choices, uint32_t value, uint32_t wanted)
{
    uint32_t place = choices->count;
    while (place > 0 && apart(value, wanted) < apart(choices->value[place - 1], wanted))
        place--;
    if (place == MOST_CHOICES)
        return;
    uint32_t last = choices->count < MOST_CHOICES ? choices->count++ : MOST_CHOICES - 1;
    for (uint32_t i = last; i > place; i--)
        choices->value[i] = choices->value[i - 1];
    choices->value[place] = value;
}

/* Divisors of `of` up to `most`. */
static struct choices divisors(uint32_t of, uint32_t most, uint32_t wanted)
{
    struct choices choices = {.count = 0};
    for (uint32_t d = 1; d <= most && d <= of; d++)
        if (of % d == 0)
            offer(&choices, d, wanted);
    return choices;
}

static bool fits_tensor(const struct model_spec *model, uint32_t tp)
{
    bool kv_fits = model->kv_heads % tp == 0 || tp % model->kv_heads == 0;
    return model->heads % tp == 0 && kv_fits && model->ffn % tp == 0;
}

static bool fits_layers(const struct model_spec *model, const struct degrees *degrees)
{
    uint64_t stages = (uint64_t)degrees->pp * degrees->interleave;
    uint64_t layers = model->layers;
    if (degrees->interleave > 1 && degrees->pp == 1)
        return false;
    return stages == 1 || layers % stages == 0 || (layers + 1) % stages == 0 ||
           (layers + 2) % stages == 0;
}

static double distance(const struct train_plan *plan, const struct degrees *degrees)
{
    return apart(degrees->tp, plan->tp) + apart(degrees->cp, plan->cp) +
           apart(degrees->pp, plan->pp) + 0.5 * apart(degrees->interleave, plan->interleave);
}

/* Virtual stages nearest to what was wanted. */
static bool find_interleave(const struct train_plan *plan, const struct model_spec *model,
                            struct degrees *degrees)
{
    bool is_found = false;
    struct degrees one = *degrees;
    for (one.interleave = 1; one.interleave <= model->layers; one.interleave++) {
        if (!fits_layers(model, &one))
            continue;
        if (!is_found || distance(plan, &one) < distance(plan, degrees))
            degrees->interleave = one.interleave;
        is_found = true;
    }
    return is_found;
}

static bool find_degrees(const struct train_plan *plan, const struct model_spec *model,
                         bool keeps_inner, struct degrees *best)
{
    uint32_t ranks = plan->ranks;
    struct choices tp = divisors(ranks ? ranks : model->heads, model->heads, plan->tp);
    struct choices cp = divisors(ranks ? ranks : plan->cp, 4096, plan->cp);
    struct choices pp = divisors(ranks ? ranks : model->layers, model->layers + 2, plan->pp);
    bool is_found = false;
    for (uint32_t i = 0; i < tp.count * cp.count * pp.count; i++) {
        struct degrees one = {.tp = tp.value[i % tp.count],
                              .cp = cp.value[i / tp.count % cp.count],
                              .pp = pp.value[i / tp.count / cp.count],
                              .interleave = 1};
        uint64_t product = (uint64_t)one.tp * one.cp * one.pp;
        bool stays = one.tp == plan->tp && one.cp == plan->cp;
        if ((ranks && ranks % product != 0) || (keeps_inner && !stays) ||
            !fits_tensor(model, one.tp) || !find_interleave(plan, model, &one))
            continue;
        if (!is_found || distance(plan, &one) < distance(plan, best))
            *best = one;
        is_found = true;
    }
    return is_found;
}

bool nearest_plan(const struct train_plan *plan, const struct model_spec *model, bool keeps_inner,
                  char *text, size_t size)
{
    struct degrees best;
    if (model->family != MODEL_TRANSFORMER || !find_degrees(plan, model, keeps_inner, &best))
        return false;
    const struct {
        const char *name;
        uint32_t was, is;
    } degrees[] = {{"tp", plan->tp, best.tp},
                   {"cp", plan->cp, best.cp},
                   {"pp", plan->pp, best.pp},
                   {"interleave", plan->interleave, best.interleave}};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees && used < size; i++)
        if (degrees[i].was != degrees[i].is)
            used += (size_t)snprintf(text + used, size - used, "%s%s %u", used ? ", " : "",
                                     degrees[i].name, degrees[i].is);
    return used > 0;
}
