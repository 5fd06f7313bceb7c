/* study_charts: which rows a chart has, and what its lines go through. */
#include "sweep/study_charts.h"

#include <math.h>
#include <string.h>

#include "tests/unit/unit.h"

/* tp 1 takes 2, 4, 9 and 10 s; tp 2 takes 3, 5 and 7 s. The last failed. */
static const char *axis_names[] = {"plan.tp", NULL};
static const char *one[] = {"1"}, *two[] = {"2"};
static const struct {
    const char **axis;
    double time_s, memory_bytes;
} made[] = {{one, 9, 1},  {two, 5, 6}, {one, 2, 8}, {two, 3, 7},
            {one, 10, 5}, {two, 7, 9}, {one, 4, 3}, {two, NAN, 1}};
enum { ROWS = sizeof made / sizeof *made };
static struct store_row rows[ROWS];
static struct store_table table;
static struct results results;
static struct chart chart;

static void make(void)
{
    table = (struct store_table){
        .axis_count = 1, .count = ROWS, .axis = axis_names, .row = rows, .program = "p"};
    for (uint32_t i = 0; i < ROWS; i++) {
        bool is_ok = !isnan(made[i].time_s);
        rows[i] = (struct store_row){.ordinal = i,
                                     .is_done = true,
                                     .state = is_ok ? "ok" : "crash",
                                     .reason = "",
                                     .axis = made[i].axis};
        for (int k = 0; k < MEASURE_COUNT; k++)
            rows[i].value[k] = NAN;
        rows[i].value[MEASURE_TIME] = made[i].time_s;
        rows[i].value[MEASURE_MEMORY] = made[i].memory_bytes;
    }
    results_init(&results, &table);
}

static void fill(const char *name, const struct study_chart_request *request)
{
    const struct study_chart *kind = study_charts;
    struct diag diag = DIAG_NONE;
    while (kind->name && strcmp(kind->name, name) != 0)
        kind++;
    ck_assert_ptr_nonnull(kind->name);
    ck_assert_msg(kind->fill(&chart, &results, request, &diag) == STATUS_OK, "%s", diag.message);
}

static void release(void)
{
    chart_release(&chart);
    results_release(&results);
}

static const struct chart_series *line(void)
{
    for (uint32_t i = 0; i < chart.series_count; i++) {
        if (chart.series[i].has_line)
            return &chart.series[i];
    }
    ck_abort_msg("no line");
    return NULL;
}

/* The median of four is the mean of the middle two: (4 + 9) / 2. */
START_TEST(lines_go_through_the_best_or_the_median)
{
    static const double want[2][2] = {{2, 3}, {6.5, 5}};
    make();
    struct study_chart_request request = {
        .x = "plan.tp", .y = "time_s", .by = "state", .is_median = _i == 1};
    fill("scaling", &request);
    ck_assert_uint_eq(line()->count, 2);
    for (uint32_t i = 0; i < 2; i++)
        ck_assert_msg(line()->y[i] == want[_i][i], "place %u: %g", i, line()->y[i]);
    release();
}
END_TEST

/* (2, 8), (3, 7), (4, 3) and (9, 1); (5, 6), (10, 5) and (7, 9) are beaten by (4, 3). */
START_TEST(a_front_has_what_nothing_beats)
{
    static const double time_s[] = {2, 3, 4, 9};
    make();
    struct study_chart_request request = {.x = "time_s", .y = "memory_bytes"};
    fill("pareto", &request);
    ck_assert_uint_eq(line()->count, 4);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert(line()->x[i] == time_s[i]);
    release();
}
END_TEST

START_TEST(a_distribution_has_each_point_that_ended_well)
{
    make();
    struct study_chart_request request = {.x = "time_s"};
    fill("distribution", &request);
    ck_assert_uint_eq(chart.series[0].count, ROWS - 1);
    release();
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("study_charts");
    TCase *tcase = tcase_create("all");
    tcase_add_loop_test(tcase, lines_go_through_the_best_or_the_median, 0, 2);
    tcase_add_test(tcase, a_front_has_what_nothing_beats);
    tcase_add_test(tcase, a_distribution_has_each_point_that_ended_well);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(suite_of())
