/* units: spellings that agree, spellings that are refused, human forms. */
#include <stdlib.h>

#include "base/units.h"
#include "tests/unit/unit.h"

struct good {
    const char *text;
    double value;
};

static const struct good bandwidths[] = {
    {"50GB/s", 50e9},     {"50 GB/s", 50e9},  {"400Gbps", 50e9},  {"50000 MB/s", 50e9},
    {"400 Gbit/s", 50e9}, {"400Gb/s", 50e9},  {"1 B/s", 1},       {"8bps", 1},
    {"1KiB/s", 1024},     {"1kB/s", 1000},    {"1e3 B/s", 1000},  {".5GB/s", 5e8},
    {" 2.GB/s\t", 2e9},   {"1TiB/s", 0x1p40}, {"1Tbps", 1.25e11}, {"46.566GiB/s", 46.566 * 0x1p30},
};

static const char *const bad_bandwidths[] = {
    "50 GBs",   "0GB/s",      "-1GB/s",    "GB/s",     "",
    "50",       "50gb/s",     "0x10GB/s",  "infGB/s",  "nanB/s",
    "1e999B/s", "1e308TB/s",  "5 0GB/s",   "50GB/s x", "50GB/sGB/sGB/sGB/s",
    "--5GB/s",  "1e-320B/s0", "1e-400B/s",
};

START_TEST(bandwidth_spellings)
{
    struct diag diag = DIAG_NONE;
    double Bps = 0;
    ck_assert_int_eq(units_parse_bandwidth(bandwidths[_i].text, NULL, &Bps, NULL, &diag), 0);
    ck_assert_double_eq(Bps, bandwidths[_i].value);
}
END_TEST

START_TEST(clocks_and_powers)
{
    struct diag diag = DIAG_NONE;
    double value = 0;
    ck_assert_int_eq(units_parse_clock("1.98GHz", NULL, &value, NULL, &diag), 0);
    ck_assert_double_eq_tol(value, 1.98e9, 1);
    ck_assert_int_eq(units_parse_power("1.2 kW", NULL, &value, NULL, &diag), 0);
    ck_assert_double_eq_tol(value, 1200, 1e-9);
    ck_assert_int_eq(units_parse_power("700", NULL, &value, NULL, &diag), STATUS_BAD_CONFIG);
    ck_assert_ptr_nonnull(strstr(diag.hint, "kW"));
}
END_TEST

/* T15: 46.566 GiB/s is 50 GB/s to 1e-5. */
START_TEST(binary_prefix_agrees)
{
    struct diag diag = DIAG_NONE;
    double Bps = 0;
    ck_assert_int_eq(units_parse_bandwidth("46.566GiB/s", NULL, &Bps, NULL, &diag), 0);
    ck_assert_double_eq_tol(Bps, 50e9, 50e9 * 1e-5);
}
END_TEST

START_TEST(bandwidth_refused)
{
    struct diag diag = DIAG_NONE;
    double Bps = 0;
    ck_assert_int_eq(units_parse_bandwidth(bad_bandwidths[_i], NULL, &Bps, NULL, &diag),
                     STATUS_BAD_CONFIG);
    ck_assert_int_eq(diag.status, STATUS_BAD_CONFIG);
    ck_assert_ptr_nonnull(strstr(diag.hint, "GiB/s"));
}
END_TEST

START_TEST(bare_numbers)
{
    struct diag diag = DIAG_NONE;
    double value = 0;
    bool bare = false;
    ck_assert_int_eq(units_parse_bandwidth("50", "GB/s", &value, &bare, &diag), 0);
    ck_assert(bare);
    ck_assert_double_eq(value, 50e9);
    ck_assert_int_eq(units_parse_bandwidth("50Gbps", "GB/s", &value, &bare, &diag), 0);
    ck_assert(!bare);
    ck_assert_int_eq(units_parse_duration("7", "us", &value, &bare, &diag), 0);
    ck_assert(bare);
    ck_assert_double_eq(value, 7000);
}
END_TEST

static const struct good durations[] = {
    {"1.5us", 1500}, {"500ns", 500}, {"10 ms", 1e7}, {"2s", 2e9},     {"0ns", 0},
    {"250ps", 0.25}, {"1min", 6e10}, {"1h", 3.6e12}, {"0.5 ns", 0.5},
};
static const char *const bad_durations[] = {"-1ns", "10 msec", "ns", "10", "1e308 h", "1us 2ns"};

START_TEST(duration_spellings)
{
    struct diag diag = DIAG_NONE;
    double ns = -1;
    ck_assert_int_eq(units_parse_duration(durations[_i].text, NULL, &ns, NULL, &diag), 0);
    ck_assert_double_eq(ns, durations[_i].value);
}
END_TEST

START_TEST(duration_refused)
{
    struct diag diag = DIAG_NONE;
    double ns;
    ck_assert_int_eq(units_parse_duration(bad_durations[_i], NULL, &ns, NULL, &diag),
                     STATUS_BAD_CONFIG);
}
END_TEST

static const struct good rates[] = {
    {"312TFLOPS", 312e12}, {"1.5 PFLOP/s", 1.5e15}, {"989 Tflop/s", 989e12}, {"5GFLOPS", 5e9}};

START_TEST(flop_spellings)
{
    struct diag diag = DIAG_NONE;
    double value = 0;
    ck_assert_int_eq(units_parse_flops(rates[_i].text, NULL, &value, NULL, &diag), 0);
    ck_assert_double_eq_tol(value, rates[_i].value, 1);
    ck_assert_int_eq(units_parse_flops("0TFLOPS", NULL, &value, NULL, &diag), STATUS_BAD_CONFIG);
}
END_TEST

static const struct {
    uint64_t ps;
    const char *text;
} times[] = {
    {0, "0 ps"},
    {552, "552 ps"},
    {999, "999 ps"},
    {1000, "1.000 ns"},
    {4552, "4.552 ns"},
    {3500000000, "3.500 ms"},
    {999999, "1.000 us"},
    {99994999, "99.99 us"},
    {99996000, "100.0 us"},
    {2000000000000000, "2000.0 s"},
    {TIME_NEVER, "never"},
};

START_TEST(time_shown)
{
    char text[32];
    ck_assert_str_eq(units_show_time(text, sizeof text, times[_i].ps), times[_i].text);
}
END_TEST

/* Sums and products stop at the end of time. */
START_TEST(times_saturate)
{
    ck_assert_uint_eq(time_later(3, 5), 5);
    ck_assert_uint_eq(time_later(5, 3), 5);
    ck_assert_uint_eq(time_times(7, 3), 21);
    ck_assert_uint_eq(time_times(7, 0), 0);
    ck_assert_uint_eq(time_times(TIME_NEVER / 2, 2), TIME_NEVER / 2 * 2);
    ck_assert_uint_eq(time_times(TIME_NEVER / 2, 3), TIME_NEVER);
    ck_assert_uint_eq(time_times(TIME_NEVER, 1), TIME_NEVER);
}
END_TEST

START_TEST(sizes_shown)
{
    char text[32];
    ck_assert_str_eq(units_show_bytes(text, sizeof text, 12), "12 B");
    ck_assert_str_eq(units_show_bytes(text, sizeof text, 1.4e9), "1.400 GB");
    ck_assert_str_eq(units_show_rate(text, sizeof text, 50e9), "50.00 GB/s");
    ck_assert_str_eq(units_show_rate(text, sizeof text, 0.125), "0.125 B/s");
}
END_TEST

#define ROWS(table) (int)(sizeof table / sizeof *table)

static Suite *suite_of_units(void)
{
    TCase *rows = tcase_create("units");
    tcase_add_loop_test(rows, bandwidth_spellings, 0, ROWS(bandwidths));
    tcase_add_loop_test(rows, bandwidth_refused, 0, ROWS(bad_bandwidths));
    tcase_add_test(rows, binary_prefix_agrees);
    tcase_add_test(rows, clocks_and_powers);
    tcase_add_test(rows, bare_numbers);
    tcase_add_loop_test(rows, duration_spellings, 0, ROWS(durations));
    tcase_add_loop_test(rows, duration_refused, 0, ROWS(bad_durations));
    tcase_add_loop_test(rows, flop_spellings, 0, ROWS(rates));
    tcase_add_loop_test(rows, time_shown, 0, ROWS(times));
    tcase_add_test(rows, times_saturate);
    tcase_add_test(rows, sizes_shown);
    Suite *suite = suite_create("units");
    suite_add_tcase(suite, rows);
    return suite;
}

RUN_SUITE(suite_of_units())
