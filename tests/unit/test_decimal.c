/* decimal: all digits or nothing, up to 2^64 - 1. */
#include "tests/unit/unit.h"

#include <string.h>

#include "base/decimal.h"

static const struct {
    const char *text;
    size_t length;
    bool good;
    uint64_t value;
} rows[] = {
    {"0", 1, true, 0},
    {"007", 3, true, 7},
    {"12x", 2, true, 12}, /* only `length` characters are looked at */
    {"12x", 3, false, 0},
    {"18446744073709551615", 20, true, UINT64_MAX},
    {"18446744073709551616", 20, false, 0},
    {"18446744073709551620", 20, false, 0},
    {"99999999999999999999", 20, false, 0},
    {"100000000000000000000", 21, false, 0},
    {"000000000000000000000001", 24, true, 1},
    {"", 0, false, 0},
    {"+1", 2, false, 0},
    {"-1", 2, false, 0},
    {" 1", 2, false, 0},
    {"1 ", 2, false, 0},
    {"1.0", 3, false, 0},
    {"0x10", 4, false, 0},
    {"\xd9\xa1", 2, false, 0}, /* a digit of another script */
};

START_TEST(decimal_rows)
{
    uint64_t value = 99;
    bool good = decimal_u64(rows[_i].text, rows[_i].length, &value);
    ck_assert_int_eq(good, rows[_i].good);
    if (good)
        ck_assert_uint_eq(value, rows[_i].value);
}
END_TEST

static Suite *decimal_suite(void)
{
    Suite *suite = suite_create("decimal");
    TCase *tcase = tcase_create("decimal");
    tcase_add_loop_test(tcase, decimal_rows, 0, (int)(sizeof rows / sizeof *rows));
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(decimal_suite())
