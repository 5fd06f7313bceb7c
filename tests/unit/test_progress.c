#include "sweep/progress.h"

#include <math.h>
#include <string.h>

#include "sweep/sweep.h"
#include "tests/unit/unit.h"

static const struct {
    const char *best;
    enum measure column; /* MEASURE_COUNT: refused */
    bool is_most;
} bests[] = {
    {NULL, MEASURE_TIME, false},         {"time_s", MEASURE_TIME, false},
    {"least cost", MEASURE_COST, false}, {"most mfu", MEASURE_MFU, true},
    {"most mfuu", MEASURE_COUNT, false}, {"", MEASURE_COUNT, false},
    {"most", MEASURE_COUNT, false},      {"best mfu", MEASURE_COUNT, false},
};

START_TEST(reads_best)
{
    struct progress progress;
    struct diag diag = DIAG_NONE;
    enum status status = progress_init(&progress, PROGRESS_SILENT, 1, bests[_i].best, &diag);
    ck_assert_int_eq(status == STATUS_OK, bests[_i].column != MEASURE_COUNT);
    if (status != STATUS_OK)
        return;
    ck_assert_int_eq(progress.best_column, bests[_i].column);
    ck_assert_int_eq(progress.best_is_most, bests[_i].is_most);
}
END_TEST

static void add(struct progress *progress, uint32_t ordinal, const char *state, double mfu)
{
    struct point_result result;
    point_result_clear(&result, state);
    result.value[MEASURE_MFU] = mfu;
    progress_add(progress, ordinal, &result, ordinal % 2);
}

/* The best does not depend on the order in which points end: of equal ones it is the first. */
START_TEST(keeps_the_best)
{
    struct progress progress;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(progress_init(&progress, PROGRESS_SILENT, 9, "most mfu", &diag), STATUS_OK);
    add(&progress, 7, "ok", 0.4);
    add(&progress, 3, "ok", 0.5);
    add(&progress, 2, "ok", 0.5);
    add(&progress, 5, "does-not-fit", 0.9);
    add(&progress, 4, "ok", NAN);
    ck_assert_uint_eq(progress.best_ordinal, 2);
    ck_assert_uint_eq(progress.failed, 1);
    ck_assert_uint_eq(progress.stored, 3);
    ck_assert_uint_eq(progress.ran, 2);
}
END_TEST

START_TEST(shows_spans)
{
    char text[48];
    ck_assert_str_eq(progress_span(text, sizeof text, 12.34), "12.3 s");
    ck_assert_str_eq(progress_span(text, sizeof text, 250), "4 min 10 s");
    ck_assert_str_eq(progress_span(text, sizeof text, 7500), "2 h 5 min");
}
END_TEST

/* A file is one input, whatever it was called. */
START_TEST(lists_inputs_once)
{
    struct input_list list = {.count = 0};
    input_list_add(&list, "file", "configs/README.md", 1);
    input_list_add(&list, "file", "./configs/../configs/README.md", 1);
    input_list_add(&list, "file", "absent/folder/x", 0);
    ck_assert_uint_eq(list.count, 2);
    ck_assert_int_eq(list.file[0].path[0], '/');
    ck_assert_uint_ne(input_hash_now("file", list.file[0].path), 0);
    ck_assert_uint_eq(input_hash_now("file", list.file[1].path), 0);
    input_list_release(&list);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("progress");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, reads_best, 0, sizeof bests / sizeof *bests);
    tcase_add_test(all, keeps_the_best);
    tcase_add_test(all, shows_spans);
    tcase_add_test(all, lists_inputs_once);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
