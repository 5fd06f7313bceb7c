#include "base/program.h"

#include <signal.h>
#include <string.h>

#include "tests/unit/unit.h"

static const struct {
    const char *script;
    int code;
    const char *out, *err_line;
} rows[] = {
    {"echo one; echo two >&2; echo three >&2; exit 3", 3, "one\n", "three"},
    {"kill -9 $$", 137, "", ""},
    {"printf 'x\\n\\n \\n' >&2", 0, "", "x"},
    {"kill -s PIPE $$; echo alive", 141, "", ""}, /* not ignored, although we do */
};

START_TEST(says_what_it_said)
{
    struct diag diag = DIAG_NONE;
    struct program_said said;
    const char *const argv[] = {"sh", "-c", rows[_i].script, NULL};
    signal(SIGPIPE, SIG_IGN);
    ck_assert_int_eq(program_run(argv, &said, &diag), STATUS_OK);
    ck_assert_int_eq(said.code, rows[_i].code);
    ck_assert_str_eq(said.out, rows[_i].out);
    ck_assert_str_eq(program_last_line(said.err), rows[_i].err_line);
    program_said_release(&said);
}
END_TEST

START_TEST(says_what_is_not_there)
{
    struct diag diag = DIAG_NONE;
    struct program_said said;
    const char *const argv[] = {"no-such-program-here", NULL};
    ck_assert_int_eq(program_run(argv, &said, &diag), STATUS_IO);
    ck_assert_ptr_nonnull(strstr(diag.message, "no-such-program-here"));
    program_said_release(&said);
    ck_assert(!program_exists("no-such-program-here"));
    ck_assert(program_exists("sh"));
}
END_TEST

START_TEST(filters_a_file_and_has_no_other_environment)
{
    struct diag diag = DIAG_NONE;
    FILE *from = tmpfile(), *to = tmpfile();
    char name[] = "NAME=value", text[64];
    char *const environment[] = {name, NULL};
    const char *const argv[] = {"sh", "-c", "read a; echo \"$a, $NAME, ${HOME-none}\"; exit 3",
                                NULL};
    int code;
    signal(SIGPIPE, SIG_IGN);
    ck_assert(from && to && fputs("line\n", from) >= 0 && fflush(from) == 0);
    rewind(from);
    fputs("before: ", to); /* what is there stays, flushed or not */
    ck_assert_int_eq(program_filter(argv, environment, from, to, &code, &diag), STATUS_OK);
    ck_assert_int_eq(code, 3);
    rewind(to);
    ck_assert_ptr_nonnull(fgets(text, sizeof text, to));
    ck_assert_str_eq(text, "before: line, value, none\n");

    const char *const dies[] = {"sh", "-c", "kill -s PIPE $$", NULL};
    ck_assert_int_eq(program_filter(dies, environment, from, to, &code, &diag), STATUS_OK);
    ck_assert_int_eq(code, 141);
    const char *const none[] = {"no-such-program-here", NULL};
    ck_assert_int_eq(program_filter(none, environment, from, to, &code, &diag), STATUS_IO);
    fclose(from);
    fclose(to);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("program");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, says_what_it_said, 0, sizeof rows / sizeof *rows);
    tcase_add_test(all, says_what_is_not_there);
    tcase_add_test(all, filters_a_file_and_has_no_other_environment);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
