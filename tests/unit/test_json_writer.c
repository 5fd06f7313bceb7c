#include "tests/unit/unit.h"

#include <math.h>
#include <stdint.h>

#include "report/json_writer.h"

static char *text;
static size_t length;
static struct json_writer json;

static void start(void)
{
    json_init(&json, open_memstream(&text, &length));
}

static void stop(void)
{
    free(text);
}

static void expect(const char *wanted)
{
    fclose(json.out);
    ck_assert_str_eq(text, wanted);
}

START_TEST(layout_is_lines_and_inline)
{
    json_map_begin(&json, NULL, JSON_LINES);
    json_u64(&json, "a_ps", UINT64_MAX);
    json_list_begin(&json, "b", JSON_LINES);
    json_map_begin(&json, NULL, JSON_INLINE);
    json_bool(&json, "x", true);
    json_list_begin(&json, "y", JSON_LINES); /* inside inline: inline too */
    json_u64(&json, NULL, 1);
    json_u64(&json, NULL, 2);
    json_list_end(&json);
    json_map_end(&json);
    json_list_end(&json);
    json_list_begin(&json, "empty", JSON_LINES);
    json_list_end(&json);
    json_map_end(&json);
    expect("{\n"
           "  \"a_ps\": 18446744073709551615,\n"
           "  \"b\": [\n"
           "    {\"x\": true, \"y\": [1, 2]}\n"
           "  ],\n"
           "  \"empty\": []\n"
           "}\n");
}
END_TEST

START_TEST(text_is_escaped)
{
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"q\"b\\", "q\\\"b\\\\"},
        {"\n\t\x01\x7f", "\\n\\t\\u0001\\u007f"},
        {"\xc3\xa9\xf0\x9f\x98\x80", "\xc3\xa9\xf0\x9f\x98\x80"},
        {"a\xff"
         "b",
         "a\\ufffdb"},                             /* never a lead byte */
        {"\xc0\xaf", "\\ufffd\\ufffd"},            /* overlong '/' */
        {"\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd"}, /* a surrogate */
        {"cut\xe2\x82", "cut\\ufffd\\ufffd"},      /* ends inside a character */
    };
    char wanted[64];
    snprintf(wanted, sizeof wanted, "[\"%s\"]\n", rows[_i].out);
    json_list_begin(&json, NULL, JSON_INLINE);
    json_text(&json, NULL, rows[_i].in);
    json_list_end(&json);
    expect(wanted);
}
END_TEST

START_TEST(doubles_are_whole_or_exact_or_null)
{
    json_list_begin(&json, NULL, JSON_INLINE);
    json_us_of_ns(&json, NULL, 1234567);
    json_us_of_ns(&json, NULL, UINT64_MAX);
    json_us_of_ns(&json, NULL, 12);
    json_double(&json, NULL, 67108864.0);
    json_double(&json, NULL, 0.1);
    json_double(&json, NULL, (double)NAN);
    json_double(&json, NULL, (double)INFINITY);
    json_text(&json, NULL, NULL);
    json_list_end(&json);
    expect("[1234.567, 18446744073709551.615, 0.012, 67108864, 0.10000000000000001, null, null, "
           "null]\n");
}
END_TEST

START_TEST(totals_are_digits_however_large)
{
    json_list_begin(&json, NULL, JSON_INLINE);
    json_whole(&json, NULL, 0);
    json_whole(&json, NULL, 47.6);
    json_whole(&json, NULL, 18446744073709551616.0); /* 2^64 */
    json_whole(&json, NULL, (double)INFINITY);
    json_list_end(&json);
    expect("[0, 48, 18446744073709551616, null]\n");
}
END_TEST

START_TEST(value_without_key_in_map_breaks_a_promise)
{
    json_map_begin(&json, NULL, JSON_LINES);
    json_u64(&json, NULL, 1);
}
END_TEST

static Suite *json_suite(void)
{
    Suite *suite = suite_create("json_writer");
    TCase *writer = tcase_create("writer");
    tcase_add_checked_fixture(writer, start, stop);
    tcase_add_test(writer, layout_is_lines_and_inline);
    tcase_add_loop_test(writer, text_is_escaped, 0, 7);
    tcase_add_test(writer, doubles_are_whole_or_exact_or_null);
    tcase_add_test(writer, totals_are_digits_however_large);
    tcase_add_exit_test(writer, value_without_key_in_map_breaks_a_promise, 70);
    suite_add_tcase(suite, writer);
    return suite;
}

RUN_SUITE(json_suite())
