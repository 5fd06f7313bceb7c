/* memory_report: what ranks held at their peak, by hand. */
#define _POSIX_C_SOURCE 200809L
#include "report/memory_report.h"

#include <string.h>

#include "tests/unit/unit.h"

/* Fixed 10 GB, at most 15: 3 of activations, 2 of weights that were gathered. No rank held a
 * buffer at its peak: that kind has no column. */
static struct memory_row rows[] = {
    {.trace = "(stage 0)",
     .ranks = 8,
     .fixed_bytes = 10000000000,
     .most_bytes = 15000000000,
     .most_of = {[LIFE_ACTIVATION] = 3000000000, [LIFE_WEIGHT] = 2000000000},
     .most_ps = 7000000},
    {.trace = "(stage 1)",
     .ranks = 4,
     .fixed_bytes = 6000000000,
     .most_bytes = 7000000000,
     .most_of = {[LIFE_ACTIVATION] = 1000000000},
     .most_ps = 9000000},
};

static const struct run_result result = {.memory = rows, .memory_count = 2};

static char *printed;
static size_t length;

START_TEST(as_text)
{
    FILE *out = open_memstream(&printed, &length);
    memory_text(&result, out);
    fclose(out);
    ck_assert_str_eq(
        printed, "device memory: the most that a rank held at once, and what of it at that moment\n"
                 "             ranks   at most        at     fixed  activation    weight\n"
                 "  (stage 0)      8  15.00 GB  7.000 us  10.00 GB    3.000 GB  2.000 GB\n"
                 "  (stage 1)      4  7.000 GB  9.000 us  6.000 GB    1.000 GB       0 B\n\n");
    free(printed);
}
END_TEST

START_TEST(as_json)
{
    struct json_writer json;
    FILE *out = open_memstream(&printed, &length);
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    memory_json(&result, &json);
    json_map_end(&json);
    fclose(out);
    ck_assert_ptr_nonnull(
        strstr(printed, "{\"trace\": \"(stage 0)\", \"ranks\": 8, \"most_bytes\": 15000000000, "
                        "\"most_at_ps\": 7000000, \"fixed_bytes\": 10000000000, "
                        "\"activation\": 3000000000, "));
    ck_assert_ptr_nonnull(strstr(printed, "\"weight\": 2000000000"));
    free(printed);
}
END_TEST

static Suite *memory_report_suite(void)
{
    Suite *suite = suite_create("memory_report");
    TCase *all = tcase_create("all");
    tcase_add_test(all, as_text);
    tcase_add_test(all, as_json);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(memory_report_suite())
