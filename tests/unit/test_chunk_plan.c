#include "sweep/chunk_plan.h"

#include <string.h>
#include <sys/stat.h>

#include "tests/unit/temp_file.h"
#include "tests/unit/unit.h"

static char folder[TEMP_PATH];

static void enter(void)
{
    temp_folder(folder);
}

static void leave(void)
{
    temp_folder_remove(folder);
}

/* 7 points in tasks of 3: 3, 3 and 1. */
static void make_plan(struct chunk_plan *plan)
{
    *plan = (struct chunk_plan){.folder = folder,
                                .jobs = CHUNK_JOBS "a-1",
                                .program = "0.1+2",
                                .study = "a \"b\".yaml",
                                .text = "base:\n  x: 1\n",
                                .store = "/s.db",
                                .chunk_points = 3,
                                .count = 7};
    arena_init(&plan->arena);
    plan->ordinal = arena_array(&plan->arena, 7, sizeof *plan->ordinal);
    plan->request = arena_array(&plan->arena, 7, sizeof *plan->request);
    for (uint32_t i = 0; i < 7; i++) {
        plan->ordinal[i] = 10 * i;
        plan->request[i] = (struct identity){{i ? UINT64_MAX - i : 0, i}};
    }
}

START_TEST(comes_back)
{
    struct diag diag = DIAG_NONE;
    struct chunk_plan plan, again;
    uint32_t first;
    make_plan(&plan);
    ck_assert_int_eq(chunk_plan_write(&plan, &diag), STATUS_OK);
    ck_assert_int_eq(chunk_plan_read(&again, folder, &diag), STATUS_OK);
    ck_assert_str_eq(again.study, plan.study);
    ck_assert_str_eq(again.text, plan.text);
    ck_assert_str_eq(again.store, plan.store);
    ck_assert_str_eq(again.jobs, plan.jobs);
    ck_assert_str_eq(again.program, plan.program);
    ck_assert_uint_eq(again.count, 7);
    for (uint32_t i = 0; i < 7; i++) {
        ck_assert_uint_eq(again.ordinal[i], plan.ordinal[i]);
        ck_assert(identity_equal(again.request[i], plan.request[i]));
    }
    ck_assert_uint_eq(chunk_plan_tasks(&again), 3);
    ck_assert_uint_eq(chunk_plan_part(&again, 1, &first), 3);
    ck_assert_uint_eq(first, 3);
    ck_assert_uint_eq(chunk_plan_part(&again, 2, &first), 1);
    ck_assert_uint_eq(first, 6);
    chunk_plan_release(&again);
    chunk_plan_release(&plan);
}
END_TEST

#define HEAD                                                                                       \
    "{\"schema\": \"orrery.sweep-plan/1\", \"jobs\": \"a\", \"program\": \"p\", \"study\": "       \
    "\"s\", \"text\": \"t\", \"store\": \"/s\", "
static const char *const wrong[] = {
    "",
    "[]",
    "{\"schema\": \"orrery.sweep-plan/2\"}",
    HEAD "\"chunk_points\": 0, \"points\": []}",
    HEAD "\"chunk_points\": 1}",
    HEAD "\"chunk_points\": 1, \"points\": [[1]]}",
    HEAD "\"chunk_points\": 1, \"points\": [[1, \"12\"]]}",
    HEAD "\"chunk_points\": 1, \"points\": [[-1, \"00000000000000000000000000000000\"]]}",
    HEAD "\"chunk_points\": 1, \"points\": [[1, \"0000000000000000000000000000000g\"]]}",
    HEAD "\"chunk_points\": 1, \"more\": 1, \"points\": []}",
};

START_TEST(refuses_what_is_no_plan)
{
    char path[TEMP_PATH + 16];
    struct diag diag = DIAG_NONE;
    struct chunk_plan plan;
    snprintf(path, sizeof path, "%s/plan.json", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(wrong[_i], file);
    fclose(file);
    ck_assert_int_eq(chunk_plan_read(&plan, folder, &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.file, path);
    chunk_plan_release(&plan);
}
END_TEST

START_TEST(lists_and_removes)
{
    char path[TEMP_PATH + 32];
    struct arena arena;
    struct chunk_plan plan;
    struct diag diag = DIAG_NONE;
    uint32_t count;
    arena_init(&arena);
    snprintf(path, sizeof path, "%s/" CHUNK_JOBS "x", folder);
    ck_assert_int_eq(mkdir(path, 0777), 0);
    make_plan(&plan);
    plan.folder = path;
    ck_assert_int_eq(chunk_plan_write(&plan, &diag), STATUS_OK);
    chunk_plan_release(&plan);
    char **name = chunk_submissions(&arena, folder, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_str_eq(name[0], CHUNK_JOBS "x");
    chunk_remove(path);
    chunk_submissions(&arena, folder, &count);
    ck_assert_uint_eq(count, 0);
    chunk_submissions(&arena, "/nowhere/at/all", &count);
    ck_assert_uint_eq(count, 0);
    arena_release(&arena);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("chunk_plan");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, enter, leave);
    tcase_add_test(all, comes_back);
    tcase_add_loop_test(all, refuses_what_is_no_plan, 0, sizeof wrong / sizeof *wrong);
    tcase_add_test(all, lists_and_removes);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
