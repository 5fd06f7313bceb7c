#include "base/blank.h"

#include <string.h>

#include "tests/unit/unit.h"

static const struct {
    const char *in, *out;
} rows[] = {
    {"", ""},
    {" \t\r\n\v\f", ""},
    {"plain", "plain"},
    {"  link a -> b \r\n", "link a -> b"},
    {"\xa0x\xff ", "\xa0x\xff"}, /* bytes that are negative as char */
};

START_TEST(blanks_around_go_and_those_within_stay)
{
    char text[32];
    strcpy(text, rows[_i].in);
    ck_assert_str_eq(blank_trim(text), rows[_i].out);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("blank");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, blanks_around_go_and_those_within_stay, 0, sizeof rows / sizeof *rows);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
