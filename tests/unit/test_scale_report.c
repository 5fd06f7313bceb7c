#include "report/scale_report.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

/* 8 devices take 1 s for 800 samples: 100 each. 16 take 1.25 s for 1,600: 80 each, 80 %. 32 did not
 * run. */
static struct scale_row rows[] = {
    {.devices = 4, .status = STATUS_DOES_NOT_FIT, .diag.message = "a & b", .diag.hint = "more"},
    {.devices = 8,
     .end_ps = 1000000000000,
     .step = {.unit = "samples", .tokens = 800, .plan = "dp 8, batch 800"}},
    {.devices = 16,
     .end_ps = 1250000000000,
     .step = {.unit = "samples", .tokens = 1600, .plan = "dp 16, batch 1600"}},
};

static const struct scale_table table = {
    .model = "a<b>", .cluster = "switch:{devices}", .row = rows, .count = 3};

static char *written(void (*write)(const struct scale_table *, FILE *))
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    write(&table, out);
    fclose(out);
    return text;
}

static void holds(void (*write)(const struct scale_table *, FILE *), const char *words)
{
    char *text = written(write);
    ck_assert_msg(strstr(text, words) != NULL, "\"%s\" is not in:\n%s", words, text);
    free(text);
}

START_TEST(efficiency_is_of_the_first_row_that_ran)
{
    ck_assert_double_eq(scale_efficiency(&table, 0), 0);
    ck_assert_double_eq(scale_efficiency(&table, 1), 1);
    ck_assert_double_eq_tol(scale_efficiency(&table, 2), 0.8, 1e-12);
}
END_TEST

START_TEST(every_format_counts_in_the_units_of_the_model)
{
    holds(scale_formats[0].write, "samples/s");
    holds(scale_formats[0].write, "80.0 %");
    holds(scale_formats[1].write, "\"samples_per_s\": 800,");
    holds(scale_formats[1].write, "\"schema\": \"orrery.scale/1\"");
    holds(scale_formats[2].write, ",samples,samples_per_s,");
    holds(scale_formats[2].write, "8,ok,1000000000000,800,800,");
}
END_TEST

START_TEST(a_row_that_did_not_run_says_why)
{
    holds(scale_formats[0].write, "does-not-fit: a & b");
    holds(scale_formats[0].write, "hint: more");
    holds(scale_formats[1].write, "\"reason\": \"a & b\"");
    holds(scale_formats[2].write, "4,does-not-fit,,,,,,,,,,,\n");
}
END_TEST

START_TEST(a_plot_has_axes_and_escapes_names)
{
    holds(scale_plot, "a&lt;b&gt; on switch:{devices}");
    holds(scale_plot, ">time (s)<");
    holds(scale_plot, ">efficiency (%)<");
    holds(scale_plot, ">devices<");
    holds(scale_plot, "16 devices: 80 %");
}
END_TEST

/* 1 s, then 10 ms: decades from 0.01 to 1. */
START_TEST(a_time_that_falls_far_has_decades)
{
    struct scale_row far[] = {{.devices = 1, .end_ps = 1000000000000, .step = {.tokens = 1}},
                              {.devices = 100, .end_ps = 10000000000, .step = {.tokens = 1}}};
    const struct scale_table steep = {
        .model = "m", .cluster = "c", .is_strong = true, .row = far, .count = 2};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    scale_plot(&steep, out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, ">0.01</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">0.1</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">1</text>"));
    ck_assert_ptr_null(strstr(text, ">0.4</text>"));
    free(text);
}
END_TEST

/* Two ranks, 100 ps each: 60 and 40 compute, 20 exposed each: means 50 %, 20 % and a rest of 30
 * %. */
START_TEST(shares_are_means_over_ranks)
{
    struct rank_result ranks[2] = {{.compute_ps = 60}, {.compute_ps = 40}};
    uint32_t classes[2] = {0, 1};
    ranks[0].exposed_ps[0] = ranks[1].exposed_ps[1] = 20;
    struct run_result result;
    result_init(&result);
    result.class_result = ranks;
    result.class_of_rank = classes;
    result.rank_count = 2;
    result.end_ps = 100;
    struct scale_row row = {.devices = 2};
    scale_row_fill(&row, &result);
    ck_assert_double_eq_tol(row.compute_ratio, 0.5, 1e-12);
    ck_assert_double_eq_tol(row.exposed_ratio, 0.2, 1e-12);
    ck_assert_double_eq_tol(row.rest_ratio, 0.3, 1e-12);
}
END_TEST

static Suite *scale_report_suite(void)
{
    Suite *suite = suite_create("scale_report");
    TCase *tcase = tcase_create("table");
    tcase_add_test(tcase, efficiency_is_of_the_first_row_that_ran);
    tcase_add_test(tcase, every_format_counts_in_the_units_of_the_model);
    tcase_add_test(tcase, a_row_that_did_not_run_says_why);
    tcase_add_test(tcase, a_plot_has_axes_and_escapes_names);
    tcase_add_test(tcase, a_time_that_falls_far_has_decades);
    tcase_add_test(tcase, shares_are_means_over_ranks);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(scale_report_suite())
