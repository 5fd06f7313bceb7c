/* notice: counted by kind and key, said once, clean for a terminal. */
#include "tests/unit/unit.h"

#include <string.h>

#include "base/notice.h"

static struct notices notices;

static void begin(void)
{
    notices_init(&notices);
}

static void end(void)
{
    notices_release(&notices);
}

START_TEST(kind_and_key_make_a_row)
{
    notices_add(&notices, NOTICE_IGNORED, "key", 2, "first %d", 1);
    notices_add(&notices, NOTICE_IGNORED, "key", 3, "second");
    notices_add(&notices, NOTICE_GUESSED, "key", 1, "other kind");
    notices_add(&notices, NOTICE_IGNORED, "keys", 0, "other key");
    ck_assert_uint_eq(notices.count, 3);
    ck_assert_uint_eq(notices.row[0].count, 5);
    ck_assert_str_eq(notices.row[0].example, "first 1");
    ck_assert_int_eq(notices.row[1].kind, NOTICE_GUESSED);
    ck_assert_uint_eq(notices.row[2].count, 0);
}
END_TEST

/* Past the first allocation rows keep their order and their counts. */
START_TEST(order_of_first_appearance)
{
    static char keys[40][16];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 40; i++) {
            snprintf(keys[i], sizeof keys[i], "key%d", i);
            notices_add(&notices, NOTICE_ODDITY, keys[i], (uint64_t)i, "%d", i);
        }
    }
    ck_assert_uint_eq(notices.count, 40);
    for (int i = 0; i < 40; i++) {
        ck_assert_ptr_eq(notices.row[i].key, keys[i]);
        ck_assert_uint_eq(notices.row[i].count, 3 * (uint64_t)i);
    }
}
END_TEST

static const struct {
    const char *example, *kept;
} examples[] = {
    {"a\x1b[31mb", "a?[31mb"},
    {"two\nlines\r\t", "two?lines??"},
    {"\xc3\xa9\x7f", "\xc3\xa9?"},
    {"", ""},
};

START_TEST(examples_are_clean)
{
    notices_add(&notices, NOTICE_IGNORED, "k", 1, "%s", examples[_i].example);
    ck_assert_str_eq(notices.row[0].example, examples[_i].kept);
}
END_TEST

static const struct {
    struct notice notice;
    const char *text;
} shown[] = {
    {{NOTICE_IGNORED, "unknown key", 1, "net.yml:3"}, "ignored: unknown key, 1 time: net.yml:3"},
    {{NOTICE_GUESSED, "size", 0, ""}, "guessed: size, 0 times"},
    {{NOTICE_DEFAULTED, "unit", 7, "x"}, "defaulted: unit, 7 times: x"},
    {{NOTICE_CLAMPED, "k", 2, ""}, "clamped: k, 2 times"},
    {{NOTICE_REPAIRED, "k", 2, ""}, "repaired: k, 2 times"},
    {{NOTICE_ODDITY, "k", UINT64_MAX, ""}, "oddity: k, 18446744073709551615 times"},
};

START_TEST(in_words)
{
    char text[NOTICE_TEXT];
    ck_assert_str_eq(notice_show(text, sizeof text, &shown[_i].notice), shown[_i].text);
}
END_TEST

START_TEST(long_example_is_cut)
{
    char longest[1000], text[NOTICE_TEXT];
    memset(longest, 'e', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    notices_add(&notices, NOTICE_DEFAULTED, "key", 1, "%s", longest);
    ck_assert_uint_eq(strlen(notices.row[0].example), sizeof notices.row[0].example - 1);
    notice_show(text, sizeof text, &notices.row[0]);
    ck_assert_uint_eq(strlen(text), strlen("defaulted: key, 1 time: ") + 191);
}
END_TEST

#define ROWS(table) (int)(sizeof table / sizeof *table)

static Suite *notice_suite(void)
{
    Suite *suite = suite_create("notice");
    TCase *tcase = tcase_create("notice");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, kind_and_key_make_a_row);
    tcase_add_test(tcase, order_of_first_appearance);
    tcase_add_loop_test(tcase, examples_are_clean, 0, ROWS(examples));
    tcase_add_loop_test(tcase, in_words, 0, ROWS(shown));
    tcase_add_test(tcase, long_example_is_cut);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(notice_suite())
