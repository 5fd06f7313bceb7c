#include <stdlib.h>

#include "base/memory.h"
#include "report/vary_parts.h"

bool vary_is_by_token(const struct vary_report *report)
{
    bool differ = false;
    for (uint32_t i = 0; i < report->count; i++) {
        if (!report->job[i].tokens)
            return false;
        differ = differ || report->job[i].tokens != report->job[0].tokens;
    }
    return differ;
}

static double unit_of(const struct vary_report *report, uint32_t job)
{
    return vary_is_by_token(report) ? (double)report->job[job].tokens : 1;
}

static int compare(const void *left, const void *right)
{
    const struct vary_place *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->job < b->job ? -1 : a->job > b->job;
}

struct vary_place *vary_ranked(const struct vary_report *report, int quantile)
{
    struct vary_place *order = calloc(report->count, sizeof *order);
    need_memory(order != NULL);
    for (uint32_t i = 0; i < report->count; i++)
        order[i] = (struct vary_place){
            report->job[i].figures.quantile[quantile].at / unit_of(report, i), i};
    qsort(order, report->count, sizeof *order, compare);
    return order;
}

/* The samples of a job in that unit, to be freed. */
static double *scaled(const struct vary_report *report, uint32_t job)
{
    const struct sampling *sampling = &report->job[job].sampling;
    double *time = calloc(sampling->count, sizeof *time), unit = unit_of(report, job);
    need_memory(time != NULL);
    for (uint32_t i = 0; i < sampling->count; i++)
        time[i] = sampling->time_ps[i] / unit;
    return time;
}

bool vary_beats(const struct vary_report *report, uint32_t a, uint32_t b,
                struct sample_estimate *beats)
{
    uint32_t a_count = report->job[a].sampling.count, b_count = report->job[b].sampling.count;
    if (a_count < 2 || b_count < 2)
        return false;
    double *of_a = scaled(report, a), *of_b = scaled(report, b);
    *beats = samples_beats(of_a, a_count, of_b, b_count);
    free(of_a);
    free(of_b);
    return true;
}
