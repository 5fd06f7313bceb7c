#include <math.h>

#include "compare/compare_report.h"
#include "report/json_writer.h"

/* A whole number with its sign, or null. */
static void put_ps(struct json_writer *json, const char *key, int64_t ps)
{
    json_double(json, key, ps == OUTCOME_UNSAID ? NAN : (double)ps);
}

static void put_side(struct json_writer *json, const char *key, const struct outcome *side)
{
    json_map_begin(json, key, JSON_LINES);
    json_text(json, "path", side->path);
    json_text(json, "kind", side->kind);
    json_u64(json, "ranks", side->rank_count);
    json_u64(json, "ops", side->op_count);
    json_u64(json, "step_times", side->step_count);
    put_ps(json, "grain_ps", side->grain_ps);
    put_ps(json, "end_ps", side->end_ps);
    json_notices(json, &side->notices);
    json_map_end(json);
}

static void put_list(struct json_writer *json, const char *key, const uint32_t *number,
                     uint32_t count)
{
    json_list_begin(json, key, JSON_INLINE);
    for (uint32_t i = 0; i < count; i++)
        json_u64(json, NULL, number[i]);
    json_list_end(json);
}

static void put_ranks(struct json_writer *json, const struct comparison *comparison)
{
    json_map_begin(json, "ranks", JSON_LINES);
    json_u64(json, "both", comparison->ranks_both);
    json_u64(json, "equal", comparison->ranks_equal);
    json_bool(json, "finish_is_said", comparison->finish_is_said);
    put_list(json, "only_a", comparison->only_a, comparison->only_a_count);
    put_list(json, "only_b", comparison->only_b, comparison->only_b_count);
    json_map_end(json);
}

static void put_steps(struct json_writer *json, const char *key, const struct step_times *times)
{
    if (!times->count)
        return;
    json_map_begin(json, key, JSON_INLINE);
    json_u64(json, "count", times->count);
    json_double(json, "mean_ps", times->mean_ps);
    json_double(json, "median_ps", times->median_ps);
    json_double(json, "least_ps", times->least_ps);
    json_double(json, "most_ps", times->most_ps);
    json_double(json, "deviation_ps", times->count > 1 ? times->deviation_ps : NAN);
    json_double(json, "mean_low_ps", times->has_interval ? times->low_ps : NAN);
    json_double(json, "mean_high_ps", times->has_interval ? times->high_ps : NAN);
    json_map_end(json);
}

static void put_row(struct json_writer *json, const struct compare_row *row)
{
    const struct error_stats *error = &row->error;
    bool has_percent = error->pairs > error->without_percent;
    double pairs = error->pairs ? (double)error->pairs : NAN;
    double has_pairs = error->pairs ? 0 : NAN;
    const struct {
        const char *key;
        double value;
    } percents[] = {
        {"mean_percent", error->mean_percent},
        {"mean_abs_percent", error->mean_abs_percent},
        {"median_abs_percent", error->median_abs_percent},
        {"p90_abs_percent", error->p90_abs_percent},
        {"worst_percent", error->worst_percent},
    };
    json_map_begin(json, NULL, JSON_INLINE);
    json_text(json, "part", compare_part_keys[row->part]);
    json_text(json, "name", row->name);
    json_u64(json, "pairs", error->pairs);
    json_u64(json, "equal", error->equal);
    json_u64(json, "without_percent", error->without_percent);
    json_double(json, "a_mean_ps", error->total_a_ps / pairs);
    json_double(json, "b_mean_ps", error->total_b_ps / pairs);
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++)
        json_double(json, percents[i].key, has_percent ? percents[i].value : NAN);
    json_text(json, "worst", row->worst);
    json_double(json, "most_difference_ps",
                error->wide_count ? (double)error->wide[0].a_ps - (double)error->wide[0].b_ps
                                  : has_pairs);
    json_text(json, "widest", row->widest);
    json_u64(json, "only_a", row->only_a);
    json_u64(json, "only_b", row->only_b);
    json_double(json, "only_a_ps", row->only_a_ps);
    json_double(json, "only_b_ps", row->only_b_ps);
    json_map_end(json);
}

static void put_wide(struct json_writer *json, const char *key, const struct compare_wide *wide,
                     uint32_t count)
{
    json_list_begin(json, key, JSON_LINES);
    for (uint32_t i = 0; i < count; i++) {
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "which", wide[i].which);
        if (*wide[i].class)
            json_text(json, "class", wide[i].class);
        put_ps(json, "a_ps", wide[i].a_ps);
        put_ps(json, "b_ps", wide[i].b_ps);
        json_map_end(json);
    }
    json_list_end(json);
}

static void put_inputs(struct json_writer *json, const struct comparison *comparison)
{
    json_map_begin(json, "inputs", JSON_LINES);
    json_bool(json, "said_by_both", comparison->inputs_are_said);
    json_u64(json, "same", comparison->inputs_same);
    json_list_begin(json, "differ", JSON_LINES);
    for (uint32_t i = 0; i < comparison->input_count; i++) {
        const struct compare_input *input = &comparison->input[i];
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "key", input->key);
        json_text(json, "is", input->is_file ? "file" : "setting");
        json_text(json, "a", input->a);
        json_text(json, "b", input->b);
        json_map_end(json);
    }
    json_list_end(json);
    json_map_end(json);
}

static void put_tolerance(struct json_writer *json, const struct compare_report *report)
{
    if (!report->tolerance->is_asked)
        return;
    json_map_begin(json, "tolerance", JSON_LINES);
    json_double(json, "general_percent",
                report->tolerance->general_percent < 0 ? NAN : report->tolerance->general_percent);
    for (int part = 0; part < COMPARE_PART_COUNT; part++)
        if (report->tolerance->part_percent[part] >= 0)
            json_double(json, compare_part_keys[part], report->tolerance->part_percent[part]);
    json_u64(json, "rows_beyond", report->verdict->beyond);
    json_text(json, "first_beyond", report->verdict->beyond ? report->verdict->first : NULL);
    json_map_end(json);
}

void compare_json(const struct compare_report *report, FILE *out)
{
    const struct comparison *comparison = report->comparison;
    bool has_ops = comparison->a->op_count && comparison->b->op_count;
    struct json_writer json;
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    json_text(&json, "schema_version", COMPARE_SCHEMA);
    json_text(&json, "orrery_version", report->version);
    put_side(&json, "a", comparison->a);
    put_side(&json, "b", comparison->b);
    put_ranks(&json, comparison);
    json_text(&json, "ops_aligned_by", has_ops ? align_by_names[comparison->align] : NULL);
    put_steps(&json, "steps_a", &comparison->step_a);
    put_steps(&json, "steps_b", &comparison->step_b);
    json_list_begin(&json, "rows", JSON_LINES);
    for (uint32_t i = 0; i < comparison->row_count; i++)
        put_row(&json, &comparison->row[i]);
    json_list_end(&json);
    put_wide(&json, "widest_ranks", comparison->wide_rank, comparison->wide_rank_count);
    put_wide(&json, "widest_ops", comparison->wide_op, comparison->wide_op_count);
    put_inputs(&json, comparison);
    put_tolerance(&json, report);
    json_map_end(&json);
}
