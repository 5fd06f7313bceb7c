#include "sweep/store.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/unit/temp_file.h"
#include "tests/unit/unit.h"

static char folder[TEMP_PATH], path[TEMP_PATH + 16], input_path[TEMP_PATH + 16];

static void enter(void)
{
    temp_folder(folder);
    snprintf(path, sizeof path, "%s/s.db", folder);
    snprintf(input_path, sizeof input_path, "%s/input", folder);
}

static void leave(void)
{
    char command[TEMP_PATH + 16];
    snprintf(command, sizeof command, "chmod -R u+w '%s'", folder);
    ck_assert_int_eq(system(command), 0);
    temp_folder_remove(folder);
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

/* A study of one axis with `count` values. */
static void make_study(struct study *study, struct points *points, uint32_t count)
{
    *study = (struct study){.path = "s.yaml", .folder = "", .text = "text"};
    arena_init(&study->arena);
    study->axis_count = study->group_count = 1;
    study->group[0] = (struct axis_group){0, 1, count};
    study->axis[0] = (struct axis){"x\"y", 1, count, NULL, NULL};
    study->axis[0].text = arena_array(&study->arena, count, sizeof(char *));
    points->place = arena_array(&study->arena, count, sizeof(uint32_t));
    points->count = points->grid = count;
    for (uint32_t i = 0; i < count; i++) {
        char *text = arena_take(&study->arena, 16);
        snprintf(text, 16, "v'%u", i);
        study->axis[0].text[i] = text;
        points->place[i] = i;
    }
    study->axis[0].key = "x.y";
}

static struct identity request_of(uint32_t i)
{
    return (struct identity){{i, 7}};
}

static struct store *open_with(uint32_t count)
{
    struct diag diag = DIAG_NONE;
    struct study study;
    struct points points;
    struct identity request[64];
    struct store *store = store_open(path, true, &diag);
    ck_assert_msg(store != NULL, "%s", diag.message);
    make_study(&study, &points, count);
    for (uint32_t i = 0; i < count; i++)
        request[i] = request_of(i);
    ck_assert_int_eq(store_set_study(store, &study, &points, request, "p", &diag), STATUS_OK);
    study_release(&study);
    return store;
}

static enum status put(struct store *store, uint32_t i, const char *state, struct diag *diag)
{
    struct point_result result;
    struct input_file input = {"file", "", 0};
    snprintf(input.path, sizeof input.path, "%s", input_path);
    input.hash = input_hash_now("file", input_path);
    point_result_clear(&result, state);
    result.value[MEASURE_TIME] = 0.1 + i;
    return store_put(store, request_of(i), &result, &input, 1, 1, diag);
}

START_TEST(keeps_and_finds)
{
    struct diag diag = DIAG_NONE;
    struct point_result result;
    write_file(input_path, "one");
    struct store *store = open_with(3);
    ck_assert(!store_find(store, request_of(1), &result));
    ck_assert_int_eq(put(store, 1, "ok", &diag), STATUS_OK);
    ck_assert_int_eq(put(store, 2, "stuck", &diag), STATUS_OK);
    ck_assert(store_find(store, request_of(1), &result));
    ck_assert_str_eq(result.state, "ok");
    ck_assert_double_eq(result.value[MEASURE_TIME], 1.1);
    store_close(store);

    struct store_table table;
    store = store_open(path, false, &diag);
    ck_assert_int_eq(store_read(store, &table, &diag), STATUS_OK);
    ck_assert_uint_eq(table.count, 3);
    ck_assert_str_eq(table.axis[0], "x.y");
    ck_assert_str_eq(table.row[0].state, "pending");
    ck_assert(!table.row[0].is_done && table.row[2].is_done);
    ck_assert_str_eq(table.row[2].axis[0], "v'2");
    ck_assert_str_eq(table.row[2].state, "stuck");
    ck_assert_double_eq(table.row[2].value[MEASURE_TIME], 2.1);
    ck_assert(isnan(table.row[2].value[MEASURE_COST]));
    ck_assert_uint_eq(strlen(table.row[2].identity), 32);
    store_table_release(&table);
    store_close(store);
}
END_TEST

/* A file that changed, or went, makes its results unknown; put back, they are known again. */
START_TEST(inputs_count)
{
    struct diag diag = DIAG_NONE;
    struct point_result result;
    static const char *const contents[] = {"one", "two", NULL, "one"};
    write_file(input_path, "one");
    struct store *store = open_with(1);
    ck_assert_int_eq(put(store, 0, "ok", &diag), STATUS_OK);
    store_close(store);
    for (int i = 0; i < 4; i++) {
        if (contents[i])
            write_file(input_path, contents[i]);
        else
            unlink(input_path);
        store = open_with(1);
        ck_assert_int_eq(store_find(store, request_of(0), &result), i == 0 || i == 3);
        store_close(store);
    }
}
END_TEST

/* Files of ranks are one input: a changed, a new and a renamed one count, others do not. */
START_TEST(traces_are_hashed_together)
{
    char prefix[TEMP_PATH + 16], name[TEMP_PATH + 64];
    snprintf(prefix, sizeof prefix, "%s/step", folder);
    snprintf(name, sizeof name, "%s.0.et", prefix);
    write_file(name, "zero");
    uint64_t before = input_hash_now("traces", prefix);
    snprintf(name, sizeof name, "%s.db", prefix);
    write_file(name, "no trace");
    snprintf(name, sizeof name, "%s2.0.et", prefix);
    write_file(name, "of another prefix");
    ck_assert_uint_eq(input_hash_now("traces", prefix), before);
    snprintf(name, sizeof name, "%s.1.et", prefix);
    write_file(name, "one");
    ck_assert_uint_ne(input_hash_now("traces", prefix), before);
    unlink(name);
    ck_assert_uint_eq(input_hash_now("traces", prefix), before);
    snprintf(name, sizeof name, "%s.0.et", prefix);
    write_file(name, "nil");
    ck_assert_uint_ne(input_hash_now("traces", prefix), before);
}
END_TEST

START_TEST(one_writer)
{
    struct diag diag = DIAG_NONE;
    struct store *store = open_with(1);
    pid_t other = fork();
    if (other == 0) {
        bool is_refused =
            store_open(path, true, &diag) == NULL && strstr(diag.message, "another sweep") != NULL;
        bool is_readable = store_open(path, false, &diag) != NULL;
        _exit(is_refused && is_readable ? 0 : 1);
    }
    int how;
    ck_assert_int_eq(waitpid(other, &how, 0), other);
    ck_assert_int_eq(how, 0);
    store_close(store);
    store = store_open(path, true, &diag);
    ck_assert_ptr_nonnull(store);
    store_close(store);
}
END_TEST

START_TEST(refuses_what_is_no_store)
{
    struct diag diag = DIAG_NONE;
    write_file(path, "not a database, but long enough to be looked at as one, or so one may hope; "
                     "a header of SQLite has a hundred bytes and begins with its name");
    ck_assert_ptr_null(store_open(path, true, &diag));
    ck_assert_int_eq(diag.status, STATUS_BAD_INPUT);
    diag = DIAG_NONE;
    snprintf(path, sizeof path, "%s/absent/s.db", folder);
    ck_assert_ptr_null(store_open(path, true, &diag));
    ck_assert_int_eq(diag.status, STATUS_IO);
    diag = DIAG_NONE;
    ck_assert_ptr_null(store_open(path, false, &diag));
    ck_assert_int_eq(diag.status, STATUS_IO);
}
END_TEST

START_TEST(refuses_another_schema)
{
    struct diag diag = DIAG_NONE;
    char command[TEMP_PATH + 128];
    store_close(open_with(1));
    snprintf(command, sizeof command,
             "sqlite3 '%s' \"UPDATE meta SET value=99 WHERE key='schema'\" 2>/dev/null", path);
    if (system(command) != 0)
        return; /* no command line of SQLite here */
    ck_assert_ptr_null(store_open(path, false, &diag));
    ck_assert_ptr_nonnull(strstr(diag.message, "schema"));
}
END_TEST

/* -- merging ----------------------------------------------------------------------------------- */

/* A file of the results `first` to `last`, each of state `state`. */
static void make_part(const char *name, uint32_t first, uint32_t last, const char *state)
{
    struct diag diag = DIAG_NONE;
    struct store *part = store_open_alone(name, 0, &diag);
    ck_assert_msg(part != NULL, "%s", diag.message);
    for (uint32_t i = first; i <= last; i++)
        ck_assert_int_eq(put(part, i, state, &diag), STATUS_OK);
    store_close(part);
}

static void check_state(uint32_t i, const char *state)
{
    struct diag diag = DIAG_NONE;
    struct store_table table;
    struct store *store = store_open(path, false, &diag);
    ck_assert_int_eq(store_read(store, &table, &diag), STATUS_OK);
    ck_assert_str_eq(table.row[i].state, state);
    if (strcmp(state, "pending") != 0)
        ck_assert_double_eq(table.row[i].value[MEASURE_TIME], 0.1 + i);
    store_table_release(&table);
    store_close(store);
}

static struct store_merged merge(const char *part, enum status expected)
{
    struct diag diag = DIAG_NONE;
    struct store_merged merged;
    struct store *store = store_open_alone(path, 0, &diag);
    ck_assert_msg(store != NULL, "%s", diag.message);
    ck_assert_int_eq(store_merge(store, part, &merged, &diag), expected);
    store_close(store);
    return merged;
}

/* Rows of one file are taken once each, also those that came later; whatever the store had since. */
START_TEST(merges_once)
{
    char part[TEMP_PATH + 16], other[TEMP_PATH + 16];
    snprintf(part, sizeof part, "%s/0.db", folder);
    snprintf(other, sizeof other, "%s/1.db", folder);
    write_file(input_path, "one");
    store_close(open_with(6));
    make_part(part, 0, 2, "crash");
    struct store_merged merged = merge(part, STATUS_OK);
    ck_assert_uint_eq(merged.added, 3);
    ck_assert_uint_eq(merged.held, 3);
    check_state(2, "crash");
    check_state(3, "pending");
    make_part(other, 1, 3, "ok");
    merged = merge(other, STATUS_OK);
    ck_assert_uint_eq(merged.added, 3);
    check_state(1, "ok");
    merged = merge(part, STATUS_OK); /* old rows do not come back */
    ck_assert_uint_eq(merged.added, 0);
    ck_assert_uint_eq(merged.held, 3);
    check_state(1, "ok");
    make_part(part, 2, 4, "stuck"); /* rows 0, 1 stay; 2 is replaced; 3, 4 are new */
    merged = merge(part, STATUS_OK);
    ck_assert_uint_eq(merged.added, 3);
    ck_assert_uint_eq(merged.held, 5);
    check_state(1, "ok");
    check_state(4, "stuck");
    check_state(0, "crash");

    struct diag diag = DIAG_NONE; /* and what was merged is found again by its inputs */
    struct point_result result;
    struct store *store = open_with(6);
    ck_assert(store_find(store, request_of(4), &result));
    store_close(store);
    write_file(input_path, "two");
    store = store_open(path, true, &diag);
    ck_assert(!store_find(store, request_of(4), &result));
    store_close(store);
}
END_TEST

START_TEST(merges_no_damage)
{
    char part[TEMP_PATH + 16];
    snprintf(part, sizeof part, "%s/0.db", folder);
    store_close(open_with(3));
    write_file(part, "this is no database at all, but it is longer than a header of one, which has "
                     "a hundred bytes, of which sixteen are magic");
    merge(part, STATUS_BAD_INPUT);
    check_state(0, "pending");
    unlink(part);
    write_file(input_path, "one");
    make_part(part, 0, 2, "ok");
    ck_assert_int_eq(truncate(part, 5000), 0);
    merge(part, STATUS_BAD_INPUT);
    check_state(0, "pending");
}
END_TEST

static enum status put_elsewhere(const char *name)
{
    struct diag diag = DIAG_NONE;
    struct store *store = store_open_alone(name, 0, &diag);
    store_close(store);
    return diag.status;
}

/* Who writes alone keeps others out; a merge leaves the file of a living writer as it is. */
START_TEST(alone_is_alone)
{
    char part[TEMP_PATH + 16];
    struct diag diag = DIAG_NONE;
    snprintf(part, sizeof part, "%s/0.db", folder);
    write_file(input_path, "one");
    make_part(part, 0, 2, "ok");
    store_close(open_with(3));
    struct store *holder = store_open_alone(part, 0, &diag);
    ck_assert_ptr_nonnull(holder);
    pid_t child = fork(); /* locks are of processes */
    if (child == 0) {
        struct store_merged merged;
        struct store *store = store_open_alone(path, 0, &diag);
        bool good = store && store_merge(store, part, &merged, &diag) == STATUS_IO &&
                    diag.status == STATUS_OK && merged.added == 0;
        store_close(store);
        _exit(good && put_elsewhere(part) == STATUS_IO ? 0 : 1);
    }
    int how = 0;
    ck_assert_int_eq(waitpid(child, &how, 0), child);
    ck_assert(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    store_close(holder);
    check_state(0, "pending");
    merge(part, STATUS_OK);
    check_state(0, "ok");
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("store");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, enter, leave);
    tcase_add_test(all, keeps_and_finds);
    tcase_add_test(all, inputs_count);
    tcase_add_test(all, traces_are_hashed_together);
    tcase_add_test(all, one_writer);
    tcase_add_test(all, refuses_what_is_no_store);
    tcase_add_test(all, refuses_another_schema);
    tcase_add_test(all, merges_once);
    tcase_add_test(all, merges_no_damage);
    tcase_add_test(all, alone_is_alone);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
