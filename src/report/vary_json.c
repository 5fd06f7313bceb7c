#include <stdlib.h>

#include "report/json_writer.h"
#include "report/vary_parts.h"

static void estimate_json(struct json_writer *json, const char *key,
                          const struct sample_estimate *estimate)
{
    json_map_begin(json, key, JSON_INLINE);
    json_double(json, "ps", estimate->at);
    if (!estimate->range.is_open_low)
        json_double(json, "low_ps", estimate->range.low);
    if (!estimate->range.is_open_high)
        json_double(json, "high_ps", estimate->range.high);
    json_map_end(json);
}

static void culprits_json(struct json_writer *json, const struct vary_job *job)
{
    const struct culprit_list *ranks = &job->figures.ranks, *links = &job->figures.links;
    json_u64(json, "slow_samples", culprits_tail(job->sampling.count));
    json_list_begin(json, "slow_samples_have_in_common", JSON_LINES);
    for (uint32_t i = 0; i < ranks->count && i < SHOWN_CULPRITS; i++) {
        json_map_begin(json, NULL, JSON_INLINE);
        json_u64(json, "rank", ranks->top[i].thing);
        json_double(json, "compute_there_s", ranks->top[i].late);
        json_double(json, "compute_in_all_s", ranks->top[i].all);
        json_double(json, "standard_errors", ranks->top[i].z);
        json_map_end(json);
    }
    for (uint32_t i = 0; i < links->count && i < SHOWN_CULPRITS; i++) {
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "link", job->link_name[i]);
        json_double(json, "bandwidth_there_ratio", 1 / links->top[i].late);
        json_double(json, "bandwidth_in_all_ratio", 1 / links->top[i].all);
        json_double(json, "standard_errors", links->top[i].z);
        json_map_end(json);
    }
    json_list_end(json);
}

static void job_json(struct json_writer *json, const struct vary_job *job)
{
    const struct sampling_figures *figures = &job->figures;
    json_map_begin(json, NULL, JSON_LINES);
    json_text(json, "job", job->name);
    json_text(json, "varies", job->varies);
    json_u64(json, "seed", job->seed);
    json_u64(json, "first_sample", job->first_sample);
    json_u64(json, "samples", job->sampling.count);
    json_bool(json, "is_known_well_enough", job->sampling.is_converged);
    json_u64(json, "devices", job->devices);
    if (job->tokens)
        json_u64(json, "tokens", job->tokens);
    json_u64(json, "plain_ps", job->sampling.plain_ps);
    json_u64(json, "only_slow_for_a_time_ps", job->sampling.steady_ps);
    estimate_json(json, "mean", &figures->mean);
    for (int q = 0; q < SAMPLING_QUANTILES; q++)
        estimate_json(json, sampling_quantile_names[q], &figures->quantile[q]);
    json_double(json, "standard_deviation_ps", figures->deviation_ps);
    if (job->sampling.compute_s) {
        json_double(json, "compute_of_a_rank_varies_ratio", figures->compute_spread);
        json_double(json, "slowest_rank_over_mean_ratio", figures->compute_most);
        json_u64(json, "rank_most_often_slowest", figures->slow_rank);
        json_u64(json, "samples_in_which_it_is", figures->slow_count);
    }
    json_list_begin(json, "alone", JSON_LINES);
    for (uint32_t i = 0; i < job->source_count; i++) {
        json_map_begin(json, NULL, JSON_LINES);
        json_text(json, "what", job->source[i].what);
        estimate_json(json, "mean", &job->source[i].mean);
        json_map_end(json);
    }
    json_list_end(json);
    culprits_json(json, job);
    json_list_begin(json, "makespan_ps", JSON_INLINE);
    for (uint32_t i = 0; i < job->sampling.count; i++)
        json_whole(json, NULL, job->sampling.time_ps[i]);
    json_list_end(json);
    json_map_end(json);
}

static void pairs_json(struct json_writer *json, const struct vary_report *report)
{
    json_list_begin(json, "probability_that_a_is_faster", JSON_LINES);
    for (uint32_t a = 0; a < report->count; a++) {
        for (uint32_t b = a + 1; b < report->count; b++) {
            struct sample_estimate beats;
            if (!vary_beats(report, a, b, &beats))
                continue;
            json_map_begin(json, NULL, JSON_INLINE);
            json_u64(json, "a", a);
            json_u64(json, "b", b);
            json_double(json, "probability", beats.at);
            json_double(json, "low", beats.range.low);
            json_double(json, "high", beats.range.high);
            json_map_end(json);
        }
    }
    json_list_end(json);
}

static void order_json(struct json_writer *json, const char *key, const struct vary_report *report,
                       int quantile)
{
    struct vary_place *order = vary_ranked(report, quantile);
    json_list_begin(json, key, JSON_INLINE);
    for (uint32_t i = 0; i < report->count; i++)
        json_u64(json, NULL, order[i].job);
    json_list_end(json);
    free(order);
}

void vary_json(const struct vary_report *report, FILE *out)
{
    struct json_writer json;
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    json_text(&json, "schema", "orrery.vary/1");
    json_text(&json, "orrery", report->version);
    json_double(&json, "until_ratio", report->until);
    json_double(&json, "confidence", 0.95);
    json_list_begin(&json, "jobs", JSON_LINES);
    for (uint32_t i = 0; i < report->count; i++)
        job_json(&json, &report->job[i]);
    json_list_end(&json);
    json_text(&json, "ranked_by", vary_is_by_token(report) ? "time for a token" : "time of a run");
    order_json(&json, "by_median", report, AT_MEDIAN);
    order_json(&json, "by_p95", report, AT_P95);
    pairs_json(&json, report);
    json_notices(&json, report->notices);
    json_map_end(&json);
}
