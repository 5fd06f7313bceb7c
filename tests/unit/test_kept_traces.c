#include "cli/kept_traces.h"

#include <string.h>

#include "tests/unit/temp_file.h"
#include "tests/unit/unit.h"

static char folder[TEMP_PATH];
static struct kept_traces kept;

static void enter(void)
{
    temp_folder(folder);
    memset(&kept, 0, sizeof kept);
}

static void leave(void)
{
    kept_traces_release(&kept);
    temp_folder_remove(folder);
}

static const char *trace_path(int number)
{
    static char path[TEMP_PATH + 16];
    snprintf(path, sizeof path, "%s/%d.json", folder, number);
    return path;
}

static void write_trace(int number)
{
    FILE *file = fopen(trace_path(number), "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "{\"workload_graph\": [{\"Id\": %d, \"Name\": \"n\", \"NodeType\": 4}]}", number);
    fclose(file);
}

static const struct kept_set *ask(int number, struct diag *diag)
{
    struct config config;
    struct group_file groups;
    struct notices notices;
    config_init(&config);
    group_file_init(&groups);
    notices_init(&notices);
    config.workload.prefix = trace_path(number);
    config.workload.replicate = true;
    config.network.npu_count = 2;
    const struct kept_set *set = kept_traces_open(&kept, &config, &groups, &notices, diag);
    notices_release(&notices);
    group_file_release(&groups);
    config_release(&config);
    return set;
}

/* What is kept is not read again: its file may be gone. */
START_TEST(reads_once)
{
    struct diag diag = DIAG_NONE;
    write_trace(1);
    const struct kept_set *set = ask(1, &diag);
    ck_assert_msg(set != NULL, "%s", diag.message);
    ck_assert_uint_eq(set->inputs.count, 1);
    ck_assert_str_eq(set->inputs.file[0].role, "traces");
    unlink(trace_path(1));
    ck_assert_ptr_eq(ask(1, &diag), set);
    ck_assert_ptr_null(ask(2, &diag)); /* never there */
    ck_assert_int_eq(diag.status, STATUS_IO);
    ck_assert_ptr_eq(ask(1, &diag), set);
}
END_TEST

/* One more than there is room for: the one that was asked for longest ago goes, not the oldest. */
START_TEST(makes_room)
{
    struct diag diag = DIAG_NONE;
    for (int i = 0; i <= KEPT_TRACES; i++)
        write_trace(i);
    for (int i = 0; i < KEPT_TRACES; i++)
        ck_assert_ptr_nonnull(ask(i, &diag));
    ck_assert_ptr_nonnull(ask(0, &diag));
    ck_assert_ptr_nonnull(ask(KEPT_TRACES, &diag));
    for (int i = 0; i <= KEPT_TRACES; i++)
        unlink(trace_path(i));
    for (int i = 0; i <= KEPT_TRACES; i++) {
        diag = DIAG_NONE;
        if (i != 1)
            ck_assert_msg(ask(i, &diag) != NULL, "%d: %s", i, diag.message);
    }
    ck_assert_ptr_null(ask(1, &diag));
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("kept_traces");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, enter, leave);
    tcase_add_test(all, reads_once);
    tcase_add_test(all, makes_room);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
