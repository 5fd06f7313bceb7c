/* group_file: names are opaque, order is kept, bad lists are named. */
#include <string.h>

#include "config/group_file.h"
#include "tests/unit/temp_file.h"
#include "tests/unit/unit.h"

static struct group_file groups;
static struct diag diag;

static enum status load(const char *text)
{
    const char *path = temp_file(text);
    diag = DIAG_NONE;
    group_file_init(&groups);
    enum status status = group_file_load(&groups, path, &diag);
    unlink(path);
    return status;
}

START_TEST(good)
{
    ck_assert_int_eq(load("{\"dp_cp\": [3, 1, 2, 0], \"0\": [0, 1], \"default_pg\": [],\n"
                          "\"\": [5], \"\\u00e9\": [16777215]}"),
                     STATUS_OK);
    ck_assert_uint_eq(groups.count, 5);
    ck_assert_str_eq(groups.entry[0].name, "dp_cp");
    ck_assert_uint_eq(groups.entry[0].count, 4);
    ck_assert_uint_eq(groups.entry[0].ranks[0], 3);
    ck_assert_uint_eq(groups.entry[0].ranks[3], 0);
    ck_assert_str_eq(groups.entry[1].name, "0");
    ck_assert_uint_eq(groups.entry[2].count, 0);
    ck_assert_str_eq(groups.entry[3].name, "");
    ck_assert_str_eq(groups.entry[4].name, "\xc3\xa9");
    ck_assert_str_ne(groups.path, "");
    group_file_release(&groups);
    ck_assert_int_eq(load("{}"), STATUS_OK);
    ck_assert_uint_eq(groups.count, 0);
    group_file_release(&groups);
}
END_TEST

START_TEST(several_groups_of_one_name)
{
    ck_assert_int_eq(load("{\"dp\": [0, 2], \"tp\": [[0, 1], [3, 2]], \"ep\": [[0, 1]]}"),
                     STATUS_OK);
    ck_assert_uint_eq(groups.count, 4);
    ck_assert_str_eq(groups.entry[1].name, "tp");
    ck_assert_str_eq(groups.entry[2].name, "tp");
    ck_assert_uint_eq(groups.entry[2].ranks[0], 3);
    ck_assert_str_eq(groups.entry[3].name, "ep");
    ck_assert_uint_eq(groups.entry[3].count, 2);
    group_file_release(&groups);
}
END_TEST

static const struct {
    const char *text, *message;
} bad[] = {
    {"[[0, 1]]", "expected a map, found a list"},
    {"{\"1\": 5}", "expected a list of ranks, found a number 5"},
    {"{\"1\": {\"0\": 1}}", "expected a list of ranks, found a map"},
    {"{\"1\": [0, 1, 0]}", "rank 0 is listed twice (positions 0 and 2)"},
    {"{\"1\": [0, \"1\"]}", "found text \"1\""},
    {"{\"1\": [0, 1.0]}", "found a number 1.0"},
    {"{\"1\": [0, -1]}", "found a number -1"},
    {"{\"1\": [16777216]}", "from 0 to 16777215"},
    {"{\"1\": [0, [1]]}", "found a list"},
    {"{\"1\": [0], \"1\": [1]}", "duplicate"},
    {"{\"1\": [0, 1}", "JSON syntax"},
    {"{\"tp\": [[0, 1], 2]}", "expected a list of ranks, found a number 2"},
    {"{\"tp\": [[0, 1], [2, 0]]}", "rank 0 is listed twice"},
    {"{\"tp\": [[0, 1], [2]]}", "the first has 2, this one 1"},
    {"{\"tp\": [[]]}", "at least 1"},
    {"", "empty"},
};

START_TEST(refused)
{
    ck_assert_int_eq(load(bad[_i].text), STATUS_BAD_CONFIG);
    ck_assert_msg(strstr(diag.message, bad[_i].message) != NULL, "row %d: %s", _i, diag.message);
    ck_assert_str_ne(diag.file, "");
    ck_assert_uint_eq(groups.count, 0);
    group_file_release(&groups);
}
END_TEST

START_TEST(names_the_place)
{
    ck_assert_int_eq(load("{\n\"tp\": [0,\n 1,\n 0]}"), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.field, "group \"tp\"[2]");
    ck_assert_uint_eq(diag.at, 4);
    diag = DIAG_NONE;
    group_file_init(&groups);
    ck_assert_int_eq(group_file_load(&groups, "/no/file", &diag), STATUS_IO);
}
END_TEST

static Suite *suite_of_group_file(void)
{
    TCase *cases = tcase_create("group_file");
    tcase_add_test(cases, good);
    tcase_add_test(cases, several_groups_of_one_name);
    tcase_add_loop_test(cases, refused, 0, (int)(sizeof bad / sizeof *bad));
    tcase_add_test(cases, names_the_place);
    Suite *suite = suite_create("group_file");
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of_group_file())
