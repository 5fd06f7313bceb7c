/* Lines of what is slow for a time, and work that is integrated over factors that change. */
#include <stdio.h>
#include <string.h>

#include "model/slow_list.h"
#include "tests/unit/unit.h"

static char seen[512];

static enum status see(void *context, struct slow_line *line, struct diag *diag)
{
    (void)context;
    (void)diag;
    size_t used = strlen(seen);
    snprintf(seen + used, sizeof seen - used, "[%s|%s|%llu|%s%llu]", line->what, line->action,
             (unsigned long long)line->from, line->to == TIME_NEVER ? "-" : "",
             line->to == TIME_NEVER ? 1ull : (unsigned long long)line->to);
    return STATUS_OK;
}

START_TEST(lines_are_read)
{
    struct diag diag = DIAG_NONE;
    const char *text = " rank 17 : 1.3x from 10ms to 30ms ; # a comment\n"
                       "npu1--top:bw*0.5\nranks 0-7,9: 2x to 1.5us;";
    *seen = '\0';
    ck_assert_int_eq(slow_list_read(text, "k", see, NULL, &diag), STATUS_OK);
    ck_assert_str_eq(seen, "[rank 17|1.3x|10000000000|30000000000][npu1--top|bw*0.5|0|-1]"
                           "[ranks 0-7,9|2x|0|1500000]");
    ck_assert_int_eq(slow_list_read(NULL, "k", see, NULL, &diag), STATUS_OK);
}
END_TEST

START_TEST(wrong_lines_are_refused)
{
    static const char *const rows[][2] = {
        {"rank 17", "expected WHAT: HOW [from TIME] [to TIME], found \"rank 17\""},
        {"rank 1: 2x from 3ms to 3ms", "ends before it begins: to 3ms"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct diag diag = DIAG_NONE;
        ck_assert_int_eq(slow_list_read(rows[i][0], "k", see, NULL, &diag), STATUS_BAD_CONFIG);
        ck_assert_str_eq(diag.message, rows[i][1]);
    }
    struct diag diag = DIAG_NONE;
    ck_assert_int_ne(slow_list_read("rank 1: 2x from soon", "k", see, NULL, &diag), STATUS_OK);
    ck_assert_str_eq(diag.field, "k \"rank 1: 2x from soon\"");
}
END_TEST

/* From 10 on twice as long, from 12 to 14 three times that, from 20 on as ever. */
static struct pace make_pace(void)
{
    struct pace pace = {0};
    pace_multiply(&pace, 12, 14, 3);
    pace_multiply(&pace, 10, 20, 2);
    return pace;
}

START_TEST(factors_multiply_where_they_overlap)
{
    struct pace pace = make_pace();
    static const double at[][2] = {{0, 1}, {9, 1}, {10, 2}, {12, 6}, {13, 6}, {14, 2}, {20, 1}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        ck_assert_double_eq(pace_at(&pace, (time_ps)at[i][0]), at[i][1]);
    ck_assert_uint_eq(pace_next(&pace, 0), 10);
    ck_assert_uint_eq(pace_next(&pace, 14), 20);
    ck_assert_uint_eq(pace_next(&pace, 20), TIME_NEVER);
    struct pace none = {0};
    ck_assert_double_eq(pace_at(&none, 5), 1);
    ck_assert_double_eq(pace_duration(&none, 5, 7), 7);
    pace_release(&pace);
}
END_TEST

/* From 5: 5 of work until 10, 1 until 12, 1/3 until 14, 3 until 20: 9 1/3 in 15; 12 take 2 2/3
 * more. */
START_TEST(work_is_integrated_over)
{
    struct pace pace = make_pace();
    ck_assert_double_eq_tol(pace_work(&pace, 5, 20), 9 + 1.0 / 3, 1e-12);
    ck_assert_double_eq_tol(pace_duration(&pace, 5, 12), 15 + 2 + 2.0 / 3, 1e-12);
    ck_assert_double_eq_tol(pace_duration(&pace, 5, 5.5), 6, 1e-12);
    ck_assert_double_eq_tol(pace_duration(&pace, 12, 0.25), 1.5, 1e-12);
    pace_release(&pace);
}
END_TEST

static Suite *slow_list_suite(void)
{
    Suite *suite = suite_create("slow_list");
    TCase *tcase = tcase_create("slow_list");
    tcase_add_test(tcase, lines_are_read);
    tcase_add_test(tcase, wrong_lines_are_refused);
    tcase_add_test(tcase, factors_multiply_where_they_overlap);
    tcase_add_test(tcase, work_is_integrated_over);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(slow_list_suite())
