/* chart_scale: units, ticks and places of axes. */
#include "report/chart_scale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

static const struct {
    const char *unit;
    double most, shown;
    const char *with;
} units[] = {
    {"ps", 1234567, 1.234567, "\302\265s"}, /* 1234567 ps are 1.234567 us */
    {"ps", 999, 999, "ps"},
    {"s", 0.25, 250, "ms"},
    {"ns", 3e9, 3, "s"},
    {"s", 7200, 7200, "s"},
    {"B", 5e10, 50, "GB"},
    {"B/s", 1e3, 1, "kB/s"},
    {"flop", 3e21, 3000, "Eflop"},
    {"", 5e10, 5e10, ""},
    {"$", 5e10, 5e10, "$"},
    {"ps", 0, 0, "ps"},
};

START_TEST(units_have_prefixes)
{
    char text[CHART_UNIT];
    double factor = chart_unit(text, units[_i].unit, units[_i].most);
    ck_assert_str_eq(text, units[_i].with);
    ck_assert_double_eq_tol(units[_i].most * factor, units[_i].shown,
                            1e-9 * units[_i].shown + 1e-12);
}
END_TEST

static struct chart_scale scale_of(struct chart_axis axis, double low, double high)
{
    struct chart_scale scale;
    chart_scale_init(&scale, &axis, (double[]){low, high}, (double[]){0, 100});
    return scale;
}

/* 0 to 9: a quarter is 2.25, so steps of 2: 0, 2, .., 10. */
START_TEST(linear_ticks_are_round_and_hold_the_figures)
{
    struct chart_scale scale = scale_of((struct chart_axis){.unit = "", .from_zero = true}, 3, 9);
    ck_assert_uint_eq(scale.ticks, 6);
    ck_assert_double_eq(scale.tick[1], 2);
    ck_assert_double_eq(chart_place(&scale, 10), 100);
    ck_assert_double_eq(chart_place(&scale, 5), 50);
}
END_TEST

/* Steps of 0.05 near 335: a figure of three digits would say 335 at each. */
START_TEST(ticks_that_are_close_have_digits_to_tell_them_apart)
{
    struct chart_scale scale = scale_of((struct chart_axis){.unit = ""}, 334.9, 335.1);
    char text[40], before[40] = "";
    for (uint32_t i = 0; i < scale.ticks; i++) {
        ck_assert_str_ne(chart_tick(&scale, text, sizeof text, i), before);
        ck_assert_double_eq_tol(strtod(text, NULL), scale.tick[i], 1e-9);
        strcpy(before, text);
    }
    ck_assert_str_eq(before, "335.10");
}
END_TEST

/* 1 to 100000: decades; 0.1 of the way in logarithms. */
START_TEST(logarithmic_ticks_are_powers)
{
    struct chart_scale scale = scale_of((struct chart_axis){.unit = "", .is_log = true}, 1, 100000);
    ck_assert_uint_eq(scale.ticks, 6);
    for (uint32_t i = 0; i < scale.ticks; i++)
        ck_assert_double_eq_tol(scale.tick[i], pow(10, i), 1e-6 * pow(10, i));
    double step = chart_place(&scale, 10) - chart_place(&scale, 1);
    ck_assert_double_eq_tol(chart_place(&scale, 100) - chart_place(&scale, 10), step, 1e-9);
    struct chart_scale narrow = scale_of((struct chart_axis){.unit = "", .is_log = true}, 8, 64);
    ck_assert_uint_eq(narrow.ticks, 3); /* 10, 20, 50 */
    struct chart_scale zero = scale_of((struct chart_axis){.unit = "", .is_log = true}, 0, 64);
    ck_assert(!zero.is_log);
}
END_TEST

/* Whatever the figures, all are on the axis, places are finite, ticks ascend. */
START_TEST(every_axis_holds_its_figures)
{
    static const double ends[][2] = {
        {0, 0},  {5, 5},       {-3, -3},         {1e-12, 1e12}, {1, 0},
        {-5, 7}, {1e15, 1e15}, {0.1, 0.1000001}, {1e-300, 1},   {INFINITY, -INFINITY}};
    for (int flags = 0; flags < 4; flags++) {
        struct chart_axis axis = {.unit = "ps", .is_log = flags & 1, .from_zero = flags & 2};
        struct chart_scale scale = scale_of(axis, ends[_i][0], ends[_i][1]);
        bool is_empty = !(ends[_i][0] <= ends[_i][1]);
        for (int k = 0; k < 2; k++) {
            double place = chart_place(&scale, is_empty ? k : ends[_i][k]);
            ck_assert(place >= -1e-6 && place <= 100 + 1e-6);
        }
        for (uint32_t i = 1; i < scale.ticks; i++)
            ck_assert(scale.tick[i] > scale.tick[i - 1]);
    }
}
END_TEST

static const struct {
    double shown;
    const char *text;
} figures[] = {{0, "0"},       {0.25, "0.25"}, {12.5, "12.5"},     {1234.4, "1234"},
               {1e9, "1e+09"}, {-2, "-2"},     {0.00001, "1e-05"}, {3, "3"}};

START_TEST(figures_are_short)
{
    char text[40];
    ck_assert_str_eq(chart_figure(text, sizeof text, figures[_i].shown), figures[_i].text);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *all = suite_create("chart_scale");
    TCase *table = tcase_create("table");
    tcase_add_loop_test(table, units_have_prefixes, 0, sizeof units / sizeof *units);
    tcase_add_test(table, linear_ticks_are_round_and_hold_the_figures);
    tcase_add_test(table, ticks_that_are_close_have_digits_to_tell_them_apart);
    tcase_add_test(table, logarithmic_ticks_are_powers);
    tcase_add_loop_test(table, every_axis_holds_its_figures, 0, 10);
    tcase_add_loop_test(table, figures_are_short, 0, sizeof figures / sizeof *figures);
    suite_add_tcase(all, table);
    return all;
}

RUN_SUITE(suite_of())
