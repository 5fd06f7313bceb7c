/* study_page, study_rows, page_shell: a study's data is whole, safe and bounded. */
#include "page/study_page.h"

#include <math.h>
#include <string.h>

#include "base/doc.h"
#include "base/mix.h"
#include "page/page_shell.h"
#include "page/study_rows.h"
#include "tests/unit/unit.h"

static const char *axis_names[] = {"plan.tp", "cluster", NULL};
static const char *values[][2] = {
    {"1", "a"}, {"2", "b</script><!--\"'"}, {"4", "c\xff\xe2\x80\xae"}};
static struct store_table table;

static double number(uint64_t row, uint64_t salt)
{
    return (double)(mix64(row * 64 + salt) >> 11) / 9007199254740992.0;
}

/* A study of `count` points; every 97th failed. */
static void make(uint32_t count)
{
    table = (struct store_table){.program = "p",
                                 .study = "axes: {}",
                                 .axis_count = 2,
                                 .count = count,
                                 .axis = axis_names,
                                 .row = calloc(count, sizeof *table.row)};
    for (uint32_t i = 0; i < count; i++) {
        bool is_ok = i % 97 != 5;
        struct store_row *row = &table.row[i];
        *row = (struct store_row){.ordinal = i,
                                  .is_done = true,
                                  .state = is_ok ? "ok" : "does-not-fit",
                                  .reason = is_ok ? "" : "too <large>",
                                  .axis = values[i % 3]};
        for (int k = 0; k < MEASURE_COUNT; k++)
            row->value[k] = is_ok ? 1 + number(i, (uint64_t)k) : NAN;
    }
}

static void release(void)
{
    free(table.row);
    table.row = NULL;
}

static char *text_of(bool is_page, size_t *length)
{
    char *text = NULL;
    const struct study_page page = {&table, "1", "a<b>&\"c", false};
    FILE *out = open_memstream(&text, length);
    (is_page ? study_page_write : study_page_data)(&page, out);
    fclose(out);
    return text;
}

static uint32_t count_of(const char *text, const char *part)
{
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        count++;
    return count;
}

START_TEST(names_do_not_leave_their_place)
{
    size_t length;
    make(9);
    char *text = text_of(true, &length);
    ck_assert_uint_eq(strlen(text), length);
    ck_assert_uint_eq(count_of(text, "</script"), 2); /* the data's and the script's */
    ck_assert_uint_eq(count_of(text, "<!--"), 0);
    ck_assert_ptr_nonnull(strstr(text, "b\\u003c/script>\\u003c!--\\\"'"));
    ck_assert_ptr_nonnull(strstr(text, "<title>a&lt;b&gt;&amp;&quot;c</title>"));
    ck_assert_ptr_nonnull(strstr(text, "default-src 'none'"));
    ck_assert_ptr_nonnull(strstr(text, "script-src 'sha256-"));
    ck_assert_ptr_null(strstr(text, "unsafe"));
    ck_assert_ptr_null(strstr(text, "connect-src"));
    free(text);
}
END_TEST

START_TEST(data_is_json_with_every_point)
{
    size_t length;
    struct doc doc;
    struct diag diag = DIAG_NONE;
    make(300);
    char *text = text_of(false, &length);
    ck_assert_int_eq(doc_parse(&doc, "data", text, length, DOC_JSON, &diag), STATUS_OK);
    ck_assert_ptr_nonnull(strstr(text, "\"schema_version\": \"orrery.page/1\""));
    ck_assert_ptr_nonnull(strstr(text, "\"count\": 300,"));
    ck_assert_ptr_nonnull(strstr(text, "\"values\": [[\"1\", 1], [\"2\", 2], [\"4\", 4]]"));
    ck_assert_ptr_nonnull(strstr(text, "\"values\": [\"\", \"too <large>\"]"));
    doc_release(&doc);
    free(text);
}
END_TEST

static bool is_beaten(uint32_t row, int measure, double sign)
{
    const double *a = table.row[row].value;
    for (uint32_t i = 0; i < table.count; i++) {
        const double *b = table.row[i].value;
        if (b[MEASURE_TIME] <= a[MEASURE_TIME] && sign * b[measure] <= sign * a[measure] &&
            (b[MEASURE_TIME] < a[MEASURE_TIME] || sign * b[measure] < sign * a[measure]))
            return true;
    }
    return false;
}

/* Each front against the definition, in quadratic time. */
START_TEST(a_sample_holds_every_front)
{
    make(3000);
    for (uint32_t i = 0; i < table.count; i += 3) /* equal ones too */
        table.row[i].value[MEASURE_TIME] = 1 + floor(8 * number(i, 50)) / 8;
    bool kept[3000] = {0};
    struct arena arena;
    arena_init(&arena);
    struct study_rows rows = study_rows_choose(&table, 1000, &arena);
    for (uint32_t i = 0; i < rows.count; i++) {
        ck_assert(i == 0 || rows.row[i] > rows.row[i - 1]);
        kept[rows.row[i]] = true;
    }
    ck_assert_uint_lt(rows.count, 2000);
    ck_assert_uint_ge(rows.count, 1000);
    for (int measure = MEASURE_DEVICES; measure < MEASURE_DEVICES + 5; measure++) {
        for (uint32_t i = 0; i < table.count; i++) {
            if (kept[i] || strcmp(table.row[i].state, "ok") != 0)
                continue;
            ck_assert(is_beaten(i, measure, 1) && is_beaten(i, measure, -1));
        }
    }
    arena_release(&arena);
}
END_TEST

/* 100,000 points: a page of less than 6 MB, which says what it holds. PAGE_FILE=f keeps it. */
START_TEST(a_page_of_very_many_points_is_bounded)
{
    size_t length;
    make(100000);
    char *text = text_of(true, &length);
    ck_assert_uint_lt(length, 6 << 20);
    ck_assert_ptr_nonnull(strstr(text, " of 100000 points: the ends of each measure"));
    const char *path = getenv("PAGE_FILE");
    FILE *out = path ? fopen(path, "w") : NULL;
    if (out) {
        fwrite(text, 1, length, out);
        fclose(out);
    }
    free(text);
}
END_TEST

START_TEST(a_study_without_points_has_a_page)
{
    size_t length;
    struct doc doc;
    struct diag diag = DIAG_NONE;
    make(0);
    char *text = text_of(false, &length);
    ck_assert_int_eq(doc_parse(&doc, "data", text, length, DOC_JSON, &diag), STATUS_OK);
    doc_release(&doc);
    free(text);
}
END_TEST

START_TEST(a_live_page_asks_its_own_server_alone)
{
    char *text = NULL;
    size_t length;
    const struct study_page page = {NULL, "1", "x", true};
    FILE *out = open_memstream(&text, &length);
    study_page_write(&page, out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "connect-src 'self'"));
    ck_assert_ptr_nonnull(strstr(text, "data-from=\"data.json\" data-events=\"events\""));
    free(text);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("study_page");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, NULL, release);
    tcase_add_test(all, names_do_not_leave_their_place);
    tcase_add_test(all, data_is_json_with_every_point);
    tcase_add_test(all, a_sample_holds_every_front);
    tcase_add_test(all, a_page_of_very_many_points_is_bounded);
    tcase_add_test(all, a_study_without_points_has_a_page);
    tcase_add_test(all, a_live_page_asks_its_own_server_alone);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
