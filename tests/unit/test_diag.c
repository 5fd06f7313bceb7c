/* diag, status: the messages that users see. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "tests/unit/unit.h"

static const char *printed(const struct diag *diag)
{
    static char text[2048];
    FILE *out = fmemopen(text, sizeof text, "w");
    diag_print(diag, out);
    fclose(out);
    return text;
}

START_TEST(whole_message)
{
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(diag_fail(&diag, STATUS_BAD_INPUT, "expected %d", 5), STATUS_BAD_INPUT);
    diag_in(&diag, "W/ar.3.et");
    diag_rank(&diag, 3);
    diag_at(&diag, DIAG_NODE, 17);
    diag_field(&diag, "comm_size");
    diag_hint(&diag, "do %s", "that");
    ck_assert_str_eq(printed(&diag), "orrery: bad-input: W/ar.3.et: rank 3: node 17: comm_size: "
                                     "expected 5\n  hint: do that\n");
}
END_TEST

START_TEST(first_cause_stays)
{
    struct diag diag = DIAG_NONE;
    diag_fail(&diag, STATUS_IO, "first");
    diag_in(&diag, "a");
    diag_at(&diag, DIAG_LINE, 1);
    ck_assert_int_eq(diag_fail(&diag, STATUS_USAGE, "second"), STATUS_USAGE);
    diag_in(&diag, "b");
    diag_at(&diag, DIAG_LINE, 2);
    ck_assert_str_eq(printed(&diag), "orrery: io: a: line 1: first\n");
}
END_TEST

START_TEST(long_and_odd_text)
{
    struct diag diag = DIAG_NONE;
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    diag_fail(&diag, STATUS_IO, "%s", text);
    diag_in(&diag, text);
    diag_field(&diag, "a\nb\x1b[31m");
    diag_hint(&diag, "%s", "c\td\x7f");
    ck_assert_uint_lt(strlen(diag.message), sizeof diag.message);
    ck_assert_uint_lt(strlen(diag.file), sizeof diag.file);
    ck_assert_str_eq(diag.field, "a?b?[31m");
    ck_assert_str_eq(diag.hint, "c?d?");
    struct diag path = DIAG_NONE;
    diag_in(&path, "x\x1b]0;title\a\xc3\xa9.et");
    ck_assert_str_eq(path.file, "x?]0;title?\xc3\xa9.et"); /* letters of other scripts stay */
}
END_TEST

/* Exit codes are documented, distinct, and never those of a signal. */
START_TEST(exit_codes)
{
    for (int i = 0; i < STATUS_COUNT; i++) {
        int code = status_exit_code((enum status)i);
        ck_assert(code < 128 || code == 130);
        ck_assert_ptr_nonnull(status_name((enum status)i));
        ck_assert(status_help((enum status)i)[0]);
        for (int j = 0; j < i; j++)
            ck_assert_int_ne(code, status_exit_code((enum status)j));
    }
    ck_assert_int_eq(status_exit_code(STATUS_OK), 0);
    ck_assert_int_eq(status_exit_code(STATUS_USAGE), 2);
}
END_TEST

static Suite *suite_of_diag(void)
{
    TCase *rows = tcase_create("diag");
    tcase_add_test(rows, whole_message);
    tcase_add_test(rows, first_cause_stays);
    tcase_add_test(rows, long_and_odd_text);
    tcase_add_test(rows, exit_codes);
    Suite *suite = suite_create("diag");
    suite_add_tcase(suite, rows);
    return suite;
}

RUN_SUITE(suite_of_diag())
