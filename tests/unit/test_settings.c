/* settings: the table itself, and text to value to text, with every kind of mistake. */
#include <string.h>

#include "config/settings.h"
#include "tests/unit/config_bench.h"

static const size_t widths[] = {
    [SETTING_BOOL] = sizeof(bool),       [SETTING_U32] = sizeof(uint32_t),
    [SETTING_CHOICE] = sizeof(unsigned), [SETTING_NS] = sizeof(uint64_t),
    [SETTING_TIME] = sizeof(time_ps),    [SETTING_RATE] = sizeof(double),
    [SETTING_FLOPS] = sizeof(double),    [SETTING_REAL] = sizeof(double),
    [SETTING_U64] = sizeof(uint64_t),    [SETTING_REAL_NS] = sizeof(double),
    [SETTING_BYTES] = sizeof(uint64_t),  [SETTING_NAME_OR_PATH] = sizeof(char *),
    [SETTING_TEXT] = sizeof(char *),     [SETTING_TEXTS] = sizeof(char *),
    [SETTING_PATH] = sizeof(char *),     [SETTING_WHOLE_RATE] = sizeof(uint64_t),
};

/* No two rows share a key or a byte of struct config; each row has what its type needs. */
START_TEST(rows_are_sound)
{
    static unsigned char taken[sizeof(struct config)];
    for (const struct setting *row = settings; row->key; row++) {
        ck_assert_ptr_eq(setting_find(row->key), row);
        ck_assert_ptr_nonnull(strchr(row->key, '.'));
        ck_assert_int_eq(row->choices != NULL, row->type == SETTING_CHOICE);
        if (row->type == SETTING_U32 || row->type == SETTING_REAL)
            ck_assert_msg(row->least < row->most, "%s has no range", row->key);
        if (row->type == SETTING_REAL)
            ck_assert_ptr_nonnull(row->unit);
        for (size_t i = 0; i < widths[row->type]; i++)
            ck_assert_msg(!taken[row->offset + i]++, "%s shares its place", row->key);
    }
}
END_TEST

START_TEST(sections_are_known)
{
    static const char *const sections[] = {"workload.", "network.",   "system.",
                                           "memory.",   "variation.", "run."};
    size_t section = 0;
    for (const struct setting *row = settings; row->key; row++) {
        while (section < 6 && strncmp(row->key, sections[section], strlen(sections[section])) != 0)
            section++;
        ck_assert_msg(section < 6, "%s is out of order", row->key);
    }
}
END_TEST

/* What is wrong with a text, in words. */
static const struct {
    const char *key, *text, *message, *hint;
} mistakes[] = {
    {"system.rendezvous", "yes", "expected true or false, found \"yes\"", ""},
    {"system.scheduling-policy", "FIF", "expected LIFO, FIFO or EXPLICIT, found \"FIF\"",
     "did you mean \"FIFO\"?"},
    {"system.scheduling-policy", "", "expected LIFO, FIFO or EXPLICIT, found \"\"", ""},
    {"memory.type", "per_node", "expected none, per-npu, per-node or pool, found \"per_node\"",
     "did you mean \"per-node\"?"},
    {"system.comm-slots", "0", "expected an integer from 1 to 65536, found \"0\"", ""},
    {"system.comm-slots", "+1", "expected an integer from 1 to 65536, found \"+1\"", ""},
    {"system.comm-slots", "1 ", "expected an integer from 1 to 65536, found \"1 \"", ""},
    {"system.comm-slots", "18446744073709551617",
     "expected an integer from 1 to 65536, found \"18446744073709551617\"", ""},
    {"system.endpoint-delay", "1ps", "expected whole nanoseconds, found \"1ps\"", ""},
    {"system.endpoint-delay", "1e10 s", "expected whole nanoseconds, found \"1e10 s\"", ""},
    {"run.max-time", "6000h", "expected less than 213 days of simulated time, found \"6000h\"", ""},
    {"memory.bandwidth", "1.5GB/s",
     "expected whole bytes per nanosecond (whole GB/s), found \"1.5GB/s\"", ""},
    {"system.bus-G", "nan", "expected a number from 0 to 1000000, found \"nan\"", ""},
    {"system.bus-G", "0x1p3", "expected a number from 0 to 1000000, found \"0x1p3\"", ""},
    {"system.bus-G", "1e6.", "expected a number from 0 to 1000000, found \"1e6.\"", ""},
    {"workload.traces", "", "expected a path, found \"\"", ""},
};

START_TEST(mistakes_are_explained)
{
    const struct setting *setting = setting_find(mistakes[_i].key);
    struct config before = config;
    ck_assert_int_eq(setting_set_text(&config, setting, mistakes[_i].text, "test", &notices, &diag),
                     STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.message, mistakes[_i].message);
    ck_assert_str_eq(diag.hint, mistakes[_i].hint);
    ck_assert_str_eq(diag.field, mistakes[_i].key);
    ck_assert_uint_eq(notices.count, 0);
    ck_assert_int_eq(memcmp(&before, &config, sizeof config), 0); /* nothing was touched */
    ck_assert_str_eq(config_source(&config, mistakes[_i].key), "default");
}
END_TEST

static const struct {
    const char *key, *text, *unit; /* NULL: nothing to say */
} bare[] = {
    {"system.endpoint-delay", "5", "ns"},     {"run.max-time", "5", "ns"},
    {"run.max-time", "never", NULL},          {"system.local-memory-bandwidth", "5", "GB/s"},
    {"memory.bandwidth", "5", "GB/s"},        {"system.peak-compute", "5", "TFLOPS"},
    {"system.peak-compute", "5TFLOPS", NULL}, {"system.bus-G", "5", NULL},
    {"system.comm-slots", "5", NULL},
};

START_TEST(bare_numbers_are_said)
{
    char example[100];
    const struct setting *setting = setting_find(bare[_i].key);
    ck_assert_int_eq(setting_set_text(&config, setting, bare[_i].text, "test", &notices, &diag),
                     STATUS_OK);
    ck_assert_uint_eq(notices.count, bare[_i].unit ? 1 : 0);
    if (!bare[_i].unit)
        return;
    snprintf(example, sizeof example, "%s: %s was taken as %s", bare[_i].key, bare[_i].text,
             bare[_i].unit);
    ck_assert_str_eq(notices.row[0].example, example);
}
END_TEST

/* Text is copied: the caller's may change. */
START_TEST(paths_are_owned)
{
    char path[] = "some/path";
    setting_set_text(&config, setting_find("workload.traces"), path, "test", &notices, &diag);
    path[0] = 'X';
    ck_assert_str_eq(config.workload.prefix, "some/path");
}
END_TEST

#define ROWS(table) (int)(sizeof table / sizeof *table)

static Suite *settings_suite(void)
{
    Suite *suite = suite_create("settings");
    TCase *tcase = tcase_create("settings");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, rows_are_sound);
    tcase_add_test(tcase, sections_are_known);
    tcase_add_loop_test(tcase, mistakes_are_explained, 0, ROWS(mistakes));
    tcase_add_loop_test(tcase, bare_numbers_are_said, 0, ROWS(bare));
    tcase_add_test(tcase, paths_are_owned);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(settings_suite())
