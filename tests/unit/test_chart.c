/* chart, chart_svg: charts as JSON and as SVG. */
#include "report/chart.h"

#include <math.h>
#include <string.h>

#include "base/doc.h"
#include "report/chart_svg.h"
#include "tests/unit/unit.h"

static char *text;
static size_t length;

static void release(void)
{
    free(text);
    text = NULL;
}

static void draw(const struct chart *chart, const struct chart_svg_options *options)
{
    release();
    FILE *out = open_memstream(&text, &length);
    chart_svg(&chart, 1, options, out);
    fclose(out);
}

static uint32_t count_of(const char *part)
{
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        count++;
    return count;
}

/* Two bars of two parts; the second has nothing of the second part. */
static void make_bars(struct chart *chart)
{
    static const char *names[] = {"rank <0> & \"1\"", "rank 2"};
    chart_init(chart, CHART_BARS, "times");
    chart->x = (struct chart_axis){.label = "time", .unit = "ps", .from_zero = true};
    chart->y = (struct chart_axis){.label = "", .unit = "", .name = names, .names = 2};
    struct chart_series *a = chart_add(chart, "compute", 2), *b = chart_add(chart, "idle", 2);
    a->y[0] = 3e6, a->y[1] = 1e6, b->y[0] = 2e6;
}

/* 3 us and 2 us, then 1 us: the first bar is 5 us long. */
START_TEST(bars_stand_one_after_the_other)
{
    struct chart chart;
    make_bars(&chart);
    draw(&chart, &(struct chart_svg_options){0});
    ck_assert_uint_eq(count_of("<rect class=\"f"), 3 + 2 * 0);
    ck_assert_uint_eq(count_of("<title>"), 3);
    ck_assert_ptr_nonnull(strstr(text, "rank &lt;0&gt; &amp; &quot;1&quot;, idle: 2 \302\265s"));
    ck_assert_ptr_nonnull(strstr(text, ">time (\302\265s)</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">5</text>"));
    ck_assert_ptr_null(strstr(text, "nan"));
    double x[3], width[3];
    const char *at = text;
    for (int i = 0; i < 3; i++) {
        at = strstr(at, "<rect class=\"f");
        ck_assert_int_eq(
            sscanf(at, "<rect class=\"f%*d\" x=\"%lf\" y=\"%*f\" width=\"%lf\"", &x[i], &width[i]),
            2);
        at++;
    }
    ck_assert_double_eq_tol(x[0] + width[0], x[1], 0.02);
    ck_assert_double_eq_tol(width[0] / width[1], 1.5, 1e-3);
    ck_assert_double_eq_tol(width[0] / width[2], 3, 1e-2);
    chart_release(&chart);
}
END_TEST

START_TEST(a_drawing_is_as_wide_as_asked)
{
    struct chart chart;
    make_bars(&chart);
    draw(&chart, &(struct chart_svg_options){.width_mm = 84, .height_mm = 60, .title = "a & b"});
    ck_assert_ptr_nonnull(strstr(text, "width=\"84.00mm\""));
    ck_assert_ptr_nonnull(strstr(text, ">a &amp; b</text>"));
    ck_assert_ptr_null(strstr(text, "prefers-color-scheme"));
    draw(&chart, &(struct chart_svg_options){.is_adaptive = true});
    ck_assert_ptr_nonnull(strstr(text, "prefers-color-scheme"));
    chart_release(&chart);
}
END_TEST

/* A figure that is not there breaks no line and is no point. */
START_TEST(lines_leave_out_what_is_not_there)
{
    struct chart chart;
    chart_init(&chart, CHART_XY, "t");
    chart.x.label = "devices";
    struct chart_series *line = chart_add(&chart, "a", 3);
    line->has_line = true;
    for (int i = 0; i < 3; i++) {
        line->x[i] = i;
        line->y[i] = i == 1 ? NAN : i;
    }
    draw(&chart, &(struct chart_svg_options){0});
    ck_assert_uint_eq(count_of("<polyline"), 1);
    ck_assert_uint_eq(count_of("<circle"), 2);
    ck_assert_ptr_null(strstr(text, "nan"));
    chart_release(&chart);
}
END_TEST

START_TEST(cells_without_figures_are_empty)
{
    static const char *down[] = {"a", "b"}, *across[] = {"x", "y", "z"};
    double cell[] = {1, 2, NAN, 4, 5, 6};
    struct chart chart;
    chart_init(&chart, CHART_HEAT, "t");
    chart.y = (struct chart_axis){.label = "d", .unit = "", .name = down, .names = 2};
    chart.x = (struct chart_axis){.label = "e", .unit = "", .name = across, .names = 3};
    chart.cell = cell;
    draw(&chart, &(struct chart_svg_options){0});
    ck_assert_uint_eq(count_of(" fill=\"#"), 5);
    ck_assert_uint_eq(count_of("class=\"none\""), 1);
    ck_assert_ptr_nonnull(strstr(text, "b, z: 6</title>"));
    chart_release(&chart);
}
END_TEST

/* Counts of a histogram add up to the figures. */
START_TEST(a_histogram_counts_all)
{
    struct chart chart;
    chart_init(&chart, CHART_HISTOGRAM, "t");
    struct chart_series *series = chart_add(&chart, "points", 1000);
    for (int i = 0; i < 1000; i++)
        series->y[i] = (double)(i * i % 977);
    draw(&chart, &(struct chart_svg_options){0});
    unsigned sum = 0, bin;
    for (const char *at = text; (at = strstr(at, "<title>")); at++) {
        ck_assert_int_eq(sscanf(at, "<title>%u<", &bin), 1);
        sum += bin;
    }
    ck_assert_uint_eq(sum, 1000);
    chart_release(&chart);
}
END_TEST

START_TEST(json_can_be_read)
{
    struct chart chart;
    struct json_writer json;
    struct doc doc;
    struct diag diag = DIAG_NONE;
    make_bars(&chart);
    release();
    FILE *out = open_memstream(&text, &length);
    json_init(&json, out);
    chart_json(&chart, &json);
    fclose(out);
    ck_assert_int_eq(doc_parse(&doc, "chart", text, length, DOC_JSON, &diag), STATUS_OK);
    ck_assert_ptr_nonnull(strstr(text, "\"values\": [3000000, 1000000]"));
    ck_assert_ptr_nonnull(strstr(text, "\"values\": [2000000, null]"));
    doc_release(&doc);
    chart_release(&chart);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("chart");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, NULL, release);
    tcase_add_test(all, bars_stand_one_after_the_other);
    tcase_add_test(all, a_drawing_is_as_wide_as_asked);
    tcase_add_test(all, lines_leave_out_what_is_not_there);
    tcase_add_test(all, cells_without_figures_are_empty);
    tcase_add_test(all, a_histogram_counts_all);
    tcase_add_test(all, json_can_be_read);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
