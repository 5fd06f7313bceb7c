#include "cli/sweep_let.h"

#include <string.h>

#include "tests/unit/unit.h"

static const char *const speeds[] = {"{n}", "200Gbps"};
static const char *const texts[] = {"a{x}b"};

/* let.n is 4; let.speed is an axis of two values; `topology` the text that is filled. */
static void make_study(struct study *study, const char *text)
{
    *study = (struct study){.base_count = 3, .axis_count = 2};
    study->base[0] = (struct study_pair){"let.n", "4", 1};
    study->base[1] = (struct study_pair){"let.speed", "never", 2};
    study->base[2] = (struct study_pair){"topology", text, 3};
    study->axis[0] = (struct axis){"let.speed", 4, 2, (const char **)speeds, NULL};
    study->axis[1] = (struct axis){"plan", 5, 1, (const char **)texts, NULL};
}

static const struct {
    const char *text, *filled;
} rows[] = {
    {"rail:8x{n},bw={speed}", "rail:8x4,bw=200Gbps"},
    {"{n}{n}{speed}", "44200Gbps"},
    {"{m} {n {n}} {} {", "{m} {n 4} {} {"}, /* only names that there are */
    {"llama3-8b{layers={n}}", "llama3-8b{layers=4}"},
    {"plain", "plain"},
    {"", ""},
};

START_TEST(fills_names)
{
    struct study *study = calloc(1, sizeof *study);
    struct arena arena;
    uint32_t value[] = {1, 0};
    arena_init(&arena);
    make_study(study, rows[_i].text);
    ck_assert_str_eq(sweep_let_fill(&arena, study, value, rows[_i].text), rows[_i].filled);
    value[0] = 0; /* what is put in is not looked at again */
    ck_assert_str_eq(sweep_let_fill(&arena, study, value, "{speed}"), "{n}");
    arena_release(&arena);
    free(study);
}
END_TEST

START_TEST(refuses_what_stands_nowhere)
{
    struct study *study = calloc(1, sizeof *study);
    struct diag diag = DIAG_NONE;
    make_study(study, "{n}{speed}");
    ck_assert_int_eq(sweep_let_check(study, &diag), STATUS_OK);
    make_study(study, "{speed}"); /* a let in a let is none */
    ck_assert_int_eq(sweep_let_check(study, &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.field, "let.n");
    free(study);
}
END_TEST

START_TEST(knows_keys)
{
    static const char *const good[] = {"let.n", "let.n-1", "let.a_B9"};
    static const char *const bad[] = {"let.", "let", "let.a.b", "let.a{", "plan.let", "let.a b"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        ck_assert_msg(sweep_let_is_key(good[i]), "%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!sweep_let_is_key(bad[i]), "%s", bad[i]);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("sweep_let");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, fills_names, 0, sizeof rows / sizeof *rows);
    tcase_add_test(all, refuses_what_stands_nowhere);
    tcase_add_test(all, knows_keys);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
