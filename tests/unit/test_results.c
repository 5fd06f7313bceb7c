/* results, pivot, results_write: rows of a store as tables. */
#include "sweep/results_write.h"

#include <math.h>
#include <string.h>

#include "base/mix.h"
#include "tests/unit/unit.h"

enum { ROWS = 6 };

static const char *axis_names[] = {"tp", "net", NULL};
static const char *texts[ROWS][2] = {{"10", "flow"}, {"2", "flow"}, {"10", "link"},
                                     {"2", "link"},  {"4", "flow"}, {"4", "a,b"}};
/* time, cost; the last is not ok, the one before has no cost */
static const double figures[ROWS][2] = {{5, 1}, {3, 2}, {1, 9}, {5, 1}, {0.5, NAN}, {0.1, 0.1}};

static struct store_row rows[ROWS];
static struct store_table table;
static struct results results;

static void make(void)
{
    table = (struct store_table){
        .program = "p", .axis_count = 2, .count = ROWS, .axis = axis_names, .row = rows};
    for (uint32_t i = 0; i < ROWS; i++) {
        rows[i] = (struct store_row){
            .ordinal = i, .is_done = true, .state = "ok", .reason = "", .axis = texts[i]};
        for (int k = 0; k < MEASURE_COUNT; k++)
            rows[i].value[k] = NAN;
        rows[i].value[MEASURE_TIME] = figures[i][0];
        rows[i].value[MEASURE_COST] = figures[i][1];
    }
    rows[5].state = "does-not-fit";
    rows[5].reason = "too \"large\"";
    results_init(&results, &table);
}

static void release(void)
{
    results_release(&results);
}

/* The numbers of the points that are left, in order. */
static const char *left(void)
{
    static char text[64];
    text[0] = '\0';
    for (uint32_t i = 0; i < results.row_count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%u",
                 rows[results.row[i]].ordinal);
    return text;
}

static const struct {
    enum status (*act)(struct results *results, const char *text, struct diag *diag);
    const char *text, *left; /* NULL: refused */
} acts[] = {
    {results_filter, "tp == 10", "02"}, /* a number, not the text "10" */
    {results_filter, "net == 'flow' and time_s >= 3", "01"},
    {results_filter, "cost >= 0 or state != 'ok'", "01235"},
    {results_filter, "point < 2", "01"},
    {results_filter, "tp == 99", ""},
    {results_filter, "tq == 1", NULL},
    {results_filter, "net > 1", NULL},
    {results_sort, "time_s", "542103"},
    {results_sort, "-time_s,tp", "301245"},
    {results_sort, "tp,net", "135402"}, /* 4 < 10: by number; "flow" after "a,b" */
    {results_sort, "cost", "503124"},   /* what has none comes last */
    {results_sort, "-cost", "210354"},
    {results_sort, "tq", NULL},
    {results_sort, "tp,tp,tp,tp", NULL},
    {results_pareto, "time_s,cost", "2103"}, /* equal ones both */
    {results_pareto, "-time_s,-cost", "0312"},
    {results_pareto, "time_s,cost,-tp", "210"},
    {results_pareto, "time_s", NULL},
    {results_pareto, "time_s,tq", NULL},
};

START_TEST(acts_on_rows)
{
    struct diag diag = DIAG_NONE;
    enum status status = acts[_i].act(&results, acts[_i].text, &diag);
    ck_assert_msg((status == STATUS_OK) == (acts[_i].left != NULL), "\"%s\": %s", acts[_i].text,
                  diag.message);
    if (!acts[_i].left)
        ck_assert_int_eq(status, STATUS_USAGE);
    else
        ck_assert_msg(strcmp(left(), acts[_i].left) == 0, "\"%s\" leaves %s", acts[_i].text,
                      left());
}
END_TEST

/* Against the definition: a row is in the front if no candidate beats it. */
START_TEST(front_is_the_front)
{
    uint64_t state = (uint64_t)_i;
    struct diag diag = DIAG_NONE;
    for (uint32_t i = 0; i < ROWS; i++) {
        rows[i].state = "ok";
        rows[i].value[MEASURE_TIME] = (double)(random_next(&state) % 4);
        rows[i].value[MEASURE_COST] = (double)(random_next(&state) % 4);
        rows[i].value[MEASURE_MFU] = (double)(random_next(&state) % 3);
    }
    ck_assert_int_eq(results_pareto(&results, "time_s,cost,-mfu", &diag), STATUS_OK);
    uint32_t expected = 0, found = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        bool beaten = false;
        for (uint32_t k = 0; k < ROWS; k++) {
            const double *a = rows[k].value, *b = rows[i].value;
            beaten |= a[MEASURE_TIME] <= b[MEASURE_TIME] && a[MEASURE_COST] <= b[MEASURE_COST] &&
                      a[MEASURE_MFU] >= b[MEASURE_MFU] &&
                      (a[MEASURE_TIME] < b[MEASURE_TIME] || a[MEASURE_COST] < b[MEASURE_COST] ||
                       a[MEASURE_MFU] > b[MEASURE_MFU]);
        }
        expected |= (uint32_t)!beaten << i;
    }
    for (uint32_t i = 0; i < results.row_count; i++)
        found |= 1u << results.row[i];
    ck_assert_uint_eq(found, expected);
}
END_TEST

static const struct {
    const char *text;
    double first, last; /* of the table; rows 2, 4, 10 down, flow and link across */
} pivots[] = {
    {"tp,net,time_s", 3, 1},
    {"tp,net,time_s,count", 1, 1},
    {"net,state,time_s,least", 0.5, 1},
    {"net,state,time_s,most", 5, 5},
    {"net,state,time_s,mean", (5 + 3 + 0.5) / 3, 3},
    {"net,state,time_s,count", 3, 2},
};

START_TEST(pivots_rows)
{
    struct pivot pivot;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(pivot_make(&pivot, &results, pivots[_i].text, &diag), STATUS_OK);
    ck_assert_double_eq_tol(pivot.cell[0], pivots[_i].first, 1e-12);
    ck_assert_double_eq_tol(pivot.cell[pivot.rows * pivot.columns - 1], pivots[_i].last, 1e-12);
    if (strncmp(pivots[_i].text, "tp", 2) == 0) {
        ck_assert_str_eq(pivot.row[0], "2");
        ck_assert_str_eq(pivot.row[2], "10");
    }
}
END_TEST

START_TEST(refuses_pivots)
{
    static const char *const wrong[] = {"tp,net", "tp,net,time_s,median", "", "tp,nt,time_s",
                                        "tp,net,time_s,least,x"};
    struct pivot pivot;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct diag diag = DIAG_NONE;
        ck_assert_msg(pivot_make(&pivot, &results, wrong[i], &diag) == STATUS_USAGE, "%s",
                      wrong[i]);
    }
}
END_TEST

static const char *written(const struct results_format *format)
{
    static char text[8192];
    FILE *out = tmpfile();
    ck_assert_ptr_nonnull(out);
    format->rows(&results, out);
    rewind(out);
    text[fread(text, 1, sizeof text - 1, out)] = '\0';
    fclose(out);
    return text;
}

START_TEST(writes_csv)
{
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(results_show(&results, "point,net,cost,reason", &diag), STATUS_OK);
    ck_assert_int_eq(results_filter(&results, "tp == 4", &diag), STATUS_OK);
    ck_assert_str_eq(written(&results_formats[1]),
                     "point,net,cost,reason\n4,flow,,\n5,\"a,b\",0.1,\"too \"\"large\"\"\"\n");
}
END_TEST

START_TEST(writes_all_formats)
{
    for (const struct results_format *format = results_formats; format->name; format++)
        ck_assert_ptr_nonnull(strstr(written(format), "time_s"));
    results_show_usual(&results);
    ck_assert_ptr_nonnull(strstr(written(&results_formats[0]), "reason"));
}
END_TEST

/* Each number reads back as itself. */
START_TEST(numbers_are_exact)
{
    static const double numbers[] = {0.1, 1.0 / 3, 1e-12, 54, 1.84714549832, 0.30000000000000004};
    char text[40];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ck_assert_double_eq(strtod(results_number(text, sizeof text, numbers[i]), NULL),
                            numbers[i]);
    ck_assert_str_eq(results_number(text, sizeof text, 0.1), "0.1");
    ck_assert_str_eq(results_number(text, sizeof text, NAN), "");
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("results");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, make, release);
    tcase_add_loop_test(all, acts_on_rows, 0, sizeof acts / sizeof *acts);
    tcase_add_loop_test(all, front_is_the_front, 0, 50);
    tcase_add_loop_test(all, pivots_rows, 0, sizeof pivots / sizeof *pivots);
    tcase_add_test(all, refuses_pivots);
    tcase_add_test(all, writes_csv);
    tcase_add_test(all, writes_all_formats);
    tcase_add_test(all, numbers_are_exact);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
