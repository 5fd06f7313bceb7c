#include "run/sampling_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "net/model/link_speed.h"

const double sampling_quantiles[] = {0.05, 0.5, 0.95, 0.99};
const char *const sampling_quantile_names[] = {"p5", "median", "p95", "p99"};

static double compute_of(void *context, uint32_t sample, uint32_t rank)
{
    const struct sampling *sampling = context;
    return (double)sampling->compute_s[(size_t)sample * sampling->rank_count + rank];
}

/* How much a rank's own compute varies. */
static void measure_compute(const struct sampling *sampling, struct sampling_figures *figures)
{
    uint32_t n = sampling->count, ranks = sampling->rank_count;
    double *of_rank = malloc(n * sizeof *of_rank);
    need_memory(of_rank != NULL);
    for (uint32_t r = 0; r < ranks; r++) {
        double deviation;
        for (uint32_t i = 0; i < n; i++)
            of_rank[i] = (double)sampling->compute_s[(size_t)i * ranks + r];
        double mean = samples_mean(of_rank, n, &deviation).at;
        figures->compute_spread += mean > 0 ? deviation / mean / ranks : 0;
    }
    free(of_rank);
}

/* How far the slowest rank is from the mean, and which it is (the first of several alike). */
static void find_slowest(const struct sampling *sampling, struct sampling_figures *figures)
{
    uint32_t n = sampling->count, ranks = sampling->rank_count;
    uint32_t *led = calloc(ranks, sizeof *led);
    need_memory(led != NULL);
    for (uint32_t i = 0; i < n; i++) {
        const float *row = sampling->compute_s + (size_t)i * ranks;
        uint32_t most = 0;
        double sum = 0;
        for (uint32_t r = 0; r < ranks; r++) {
            most = row[r] > row[most] ? r : most;
            sum += (double)row[r];
        }
        led[most]++;
        figures->compute_most += sum > 0 ? (double)row[most] * ranks / sum / n : 0;
    }
    for (uint32_t r = 0; r < ranks; r++) {
        if (led[r] > figures->slow_count) {
            figures->slow_rank = r;
            figures->slow_count = led[r];
        }
    }
    free(led);
}

static double link_of(void *context, uint32_t sample, uint32_t link)
{
    const struct sampling *sampling = context;
    struct variation_config variation = sampling->variation;
    variation.sample += sample;
    return link_speed_factor(&variation, link);
}

static struct culprit_list find_culprits(const struct sampling *sampling, uint32_t things,
                                         double (*figure)(void *, uint32_t, uint32_t))
{
    struct culprit_list list = {.count = 0};
    const struct culprit_question question = {.time = sampling->time_ps,
                                              .count = sampling->count,
                                              .things = things,
                                              .figure = figure,
                                              .context = (void *)(uintptr_t)sampling};
    list.count = culprits_find(&question, list.top, SHOWN_CULPRITS);
    return list;
}

struct sampling_figures sampling_figures(const struct sampling *sampling)
{
    struct sampling_figures figures = {.deviation_ps = 0};
    uint32_t n = sampling->count;
    double *sorted = malloc(n * sizeof *sorted);
    need_memory(sorted != NULL);
    memcpy(sorted, sampling->time_ps, n * sizeof *sorted);
    samples_sort(sorted, n);
    figures.mean = samples_mean(sorted, n, &figures.deviation_ps);
    for (int q = 0; q < SAMPLING_QUANTILES; q++)
        figures.quantile[q] = samples_quantile(sorted, n, sampling_quantiles[q]);
    figures.least_ps = sorted[0];
    figures.most_ps = sorted[n - 1];
    free(sorted);
    if (sampling->link_count && (uint64_t)sampling->link_count * n <= LINK_DRAWS_MOST)
        figures.links = find_culprits(sampling, sampling->link_count, link_of);
    if (!sampling->compute_s)
        return figures;
    measure_compute(sampling, &figures);
    find_slowest(sampling, &figures);
    figures.ranks = find_culprits(sampling, sampling->rank_count, compute_of);
    return figures;
}
