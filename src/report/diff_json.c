#include <stdlib.h>

#include "config/names.h"
#include "report/diff_links.h"
#include "report/diff_report.h"
#include "report/json_writer.h"

/* -- figures ----------------------------------------------------------------------------------- */

static void put_change(struct json_writer *json, const char *key, time_ps a, time_ps b)
{
    json_i64(json, key, difference_of(a, b));
}

static void put_run(struct json_writer *json, const char *key, const struct diff_run *run)
{
    json_map_begin(json, key, JSON_LINES);
    json_text(json, "result", run->word);
    json_text(json, "job", run->job);
    json_text(json, "network_model", net_backend_names[run->config->network.backend]);
    json_u64(json, "rank_count", run->result->rank_count);
    json_u64(json, "end_ps", run->result->end_ps);
    json_notices(json, &run->result->notices);
    json_map_end(json);
}

static void put_inputs(struct json_writer *json, const struct diff_report *report)
{
    json_list_begin(json, "inputs", JSON_LINES);
    for (uint32_t i = 0; i < report->input_count; i++) {
        const struct diff_input *input = &report->input[i];
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "kind", input->kind);
        json_text(json, "key", input->key);
        json_text(json, "a", input->a);
        json_text(json, "b", input->b);
        json_map_end(json);
    }
    json_list_end(json);
}

static void put_table(struct json_writer *json, const char *key,
                      const struct difference_table *table, bool has_terms)
{
    json_list_begin(json, key, JSON_LINES);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct difference_row *row = &table->row[i];
        json_map_begin(json, NULL, JSON_INLINE);
        if (has_terms)
            json_text(json, "term", rank_term_keys[row->term]);
        json_text(json, "name", row->name);
        json_bool(json, "in_a", row->in_a);
        json_bool(json, "in_b", row->in_b);
        json_u64(json, "a_ps", row->a_ps);
        json_u64(json, "b_ps", row->b_ps);
        put_change(json, "difference_ps", row->a_ps, row->b_ps);
        json_map_end(json);
    }
    json_list_end(json);
}

static void put_terms(struct json_writer *json, const char *key, const time_ps *terms)
{
    json_map_begin(json, key, JSON_INLINE);
    for (int term = 0; term < RANK_TERM_COUNT; term++)
        json_u64(json, rank_term_keys[term], terms[term]);
    json_map_end(json);
}

static void put_ranks(struct json_writer *json, const char *key, const struct difference_ranks *row,
                      uint32_t count)
{
    json_list_begin(json, key, JSON_LINES);
    for (uint32_t i = 0; i < count; i++) {
        json_map_begin(json, NULL, JSON_INLINE);
        if (row[i].name)
            json_text(json, "stage", row[i].name);
        else
            json_u64(json, "first_rank", row[i].first);
        json_u64(json, "ranks_in_a", row[i].count_a);
        json_u64(json, "ranks_in_b", row[i].count_b);
        put_terms(json, "a_ps", row[i].a_ps);
        put_terms(json, "b_ps", row[i].b_ps);
        json_map_end(json);
    }
    json_list_end(json);
}

static void put_links(struct json_writer *json, const struct diff_report *report)
{
    uint32_t count;
    struct diff_link *link = diff_links_find(&report->a, &report->b, &count);
    json_list_begin(json, "links", JSON_LINES);
    for (uint32_t i = 0; i < count; i++) {
        const struct diff_link *row = &link[i];
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "link", row->name);
        json_double(json, "a_bytes_per_s", row->rate_a_Bps);
        json_double(json, "b_bytes_per_s", row->rate_b_Bps);
        json_whole(json, "a_bytes", row->bytes_a);
        json_whole(json, "b_bytes", row->bytes_b);
        json_u64(json, "a_busy_ps", row->busy_a_ps);
        json_u64(json, "b_busy_ps", row->busy_b_ps);
        json_u64(json, "a_queued_ps", row->queued_a_ps);
        json_u64(json, "b_queued_ps", row->queued_b_ps);
        json_map_end(json);
    }
    json_list_end(json);
    free(link);
}

/* -- the whole --------------------------------------------------------------------------------- */

void diff_json(const struct diff_report *report, FILE *out)
{
    static const char *const mean_keys[TERMS_BY_COUNT] = {"terms", "collectives", "classes", "ops"};
    const struct difference *difference = report->difference;
    struct json_writer json;
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    json_text(&json, "schema_version", "orrery.diff/1");
    json_text(&json, "orrery_version", report->version);
    put_run(&json, "a", &report->a);
    put_run(&json, "b", &report->b);
    put_change(&json, "difference_ps", difference->a_ps, difference->b_ps);
    put_inputs(&json, report);
    json_map_begin(&json, "mean_rank", JSON_LINES);
    for (int by = 0; by < TERMS_BY_COUNT; by++)
        put_table(&json, mean_keys[by], &difference->by[DIFFERENCE_MEAN + by], by == TERMS_BY_PART);
    json_map_end(&json);
    json_map_begin(&json, "critical_path", JSON_LINES);
    for (int by = 0; by < BLAME_BY_COUNT; by++)
        put_table(&json, blame_by_keys[by], &difference->by[DIFFERENCE_PATH + by], false);
    json_map_end(&json);
    put_ranks(&json, "stages", difference->stage, difference->stage_count);
    put_ranks(&json, "ranks", difference->rank, difference->rank_count);
    put_links(&json, report);
    json_map_end(&json);
}
