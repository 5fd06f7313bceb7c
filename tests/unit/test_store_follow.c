/* store_follow: what a reader sees of a store that another writes, replaces, cuts or takes away. */
#include "sweep/store_follow.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "sweep/store.h"
#include "tests/unit/temp_file.h"
#include "tests/unit/unit.h"

static char folder[TEMP_PATH], path[TEMP_PATH + 16], other[TEMP_PATH + 16];

static void enter(void)
{
    temp_folder(folder);
    snprintf(path, sizeof path, "%s/s.db", folder);
    snprintf(other, sizeof other, "%s/other.db", folder);
}

static void leave(void)
{
    temp_folder_remove(folder);
}

/* A store of `count` points, request i is {i + 1, salt}; `text` is the study's. */
static struct store *begin(const char *name, uint32_t count, uint64_t salt, const char *text)
{
    struct diag diag = DIAG_NONE;
    struct study study = {.path = "s.yaml", .folder = "", .text = text};
    uint32_t place[64] = {0};
    struct points points = {.place = place, .count = count, .grid = count};
    struct identity request[64];
    for (uint32_t i = 0; i < count; i++)
        request[i] = (struct identity){{i + 1, salt}};
    struct store *store = store_open(name, true, &diag);
    ck_assert_msg(store != NULL, "%s", diag.message);
    ck_assert_int_eq(store_set_study(store, &study, &points, request, "p", &diag), STATUS_OK);
    return store;
}

static void put(struct store *store, uint32_t i, uint64_t salt, const char *state, double mfu)
{
    struct diag diag = DIAG_NONE;
    struct point_result result;
    struct input_file input = {"file", "x", 0};
    point_result_clear(&result, state);
    result.value[MEASURE_TIME] = 1.0 + i;
    result.value[MEASURE_MFU] = mfu;
    struct identity request = {{i + 1, salt}};
    ck_assert_int_eq(store_put(store, request, &result, &input, 1, 1, &diag), STATUS_OK);
}

static uint32_t done(const struct store_follow *follow)
{
    return store_state_done(store_follow_state(follow));
}

START_TEST(counts_as_results_come)
{
    struct store_follow *follow = store_follow_create(path);
    const struct store_state *state = store_follow_state(follow);
    ck_assert(store_follow_look(follow)); /* there is none yet */
    ck_assert(!state->is_well && state->why.status == STATUS_IO);
    ck_assert(!store_follow_look(follow));

    struct store *store = begin(path, 4, 7, "best: most mfu\n");
    ck_assert(store_follow_look(follow));
    ck_assert(state->is_well);
    ck_assert_uint_eq(state->progress.total, 4);
    ck_assert_uint_eq(done(follow), 0);
    ck_assert_int_eq(state->writer, 0); /* a process does not see its own lock */
    put(store, 2, 7, "ok", 0.25);
    put(store, 0, 7, "ok", 0.5);
    put(store, 1, 7, "stuck", 0.9);
    put(store, 9, 7, "ok", 0.9); /* of no point of this study */
    ck_assert(store_follow_look(follow));
    ck_assert_uint_eq(done(follow), 3);
    ck_assert_uint_eq(state->progress.failed, 1);
    ck_assert_double_eq(state->progress.best, 0.5);
    ck_assert_uint_eq(state->progress.best_ordinal, 0);
    ck_assert_int_eq(state->progress.best_column, MEASURE_MFU);
    uint64_t version = state->version;
    ck_assert(!store_follow_look(follow));
    put(store, 1, 7, "ok", 0.75); /* again: it replaces the row */
    ck_assert(store_follow_look(follow));
    ck_assert_uint_eq(state->version, version + 1);
    ck_assert_uint_eq(done(follow), 3);
    ck_assert_uint_eq(state->progress.failed, 0);
    ck_assert_double_eq(state->progress.best, 0.75);
    store_close(store);
    ck_assert(!store_follow_look(follow)); /* out of WAL, nothing new */
    store_follow_destroy(follow);
}
END_TEST

/* Points whose values mean the same have one request: they end together. */
START_TEST(equal_requests_count_each)
{
    struct diag diag = DIAG_NONE;
    struct study study = {.path = "s.yaml", .folder = "", .text = "x"};
    uint32_t place[3] = {0};
    struct points points = {.place = place, .count = 3, .grid = 3};
    struct identity request[3] = {{{1, 7}}, {{2, 7}}, {{1, 7}}};
    struct store *store = store_open(path, true, &diag);
    ck_assert_int_eq(store_set_study(store, &study, &points, request, "p", &diag), STATUS_OK);
    put(store, 0, 7, "ok", 0);
    struct store_follow *follow = store_follow_create(path);
    store_follow_look(follow);
    ck_assert_uint_eq(done(follow), 2);
    put(store, 1, 7, "ok", 0);
    store_follow_look(follow);
    ck_assert_uint_eq(done(follow), 3);
    store_close(store);
    store_follow_destroy(follow);
}
END_TEST

START_TEST(another_study_or_another_file)
{
    struct store_follow *follow = store_follow_create(path);
    struct store *store = begin(path, 3, 7, "one");
    put(store, 0, 7, "ok", 0);
    store_follow_look(follow);
    store_close(store);
    store = begin(path, 5, 7, "two"); /* the study has grown: what ended counts */
    ck_assert(store_follow_look(follow));
    ck_assert_uint_eq(store_follow_state(follow)->progress.total, 5);
    ck_assert_uint_eq(done(follow), 1);
    store_close(store);
    store = begin(other, 2, 8, "three");
    put(store, 0, 8, "ok", 0);
    put(store, 1, 8, "ok", 0);
    store_close(store);
    ck_assert_int_eq(rename(other, path), 0);
    ck_assert(store_follow_look(follow));
    ck_assert_uint_eq(store_follow_state(follow)->progress.total, 2);
    ck_assert_uint_eq(done(follow), 2);
    store_follow_destroy(follow);
}
END_TEST

/* Gone, cut, something else: a reason, and well again when the store is. */
START_TEST(damage_and_recovery)
{
    struct store_follow *follow = store_follow_create(path);
    const struct store_state *state = store_follow_state(follow);
    struct store *store = begin(path, 3, 7, "one");
    put(store, 0, 7, "ok", 0);
    store_close(store);
    char command[4 * TEMP_PATH];
    snprintf(command, sizeof command, "cp '%s' '%s'", path, other);
    ck_assert_int_eq(system(command), 0);
    static const char *const damages[] = {"rm '%s'", "truncate -s 2000 '%s'", "truncate -s 0 '%s'",
                                          "echo nothing >'%s'", "rm '%s'; mkdir '%s'"};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        store_follow_look(follow);
        ck_assert(state->is_well);
        ck_assert_uint_eq(done(follow), 1);
        int n = snprintf(command, sizeof command, damages[i], path, path);
        ck_assert_int_lt(n, (int)sizeof command);
        ck_assert_int_eq(system(command), 0);
        store_follow_look(follow); /* the first failure may be a lock */
        store_follow_look(follow);
        ck_assert_msg(!state->is_well && state->why.message[0], "%s", damages[i]);
        ck_assert_uint_eq(state->progress.total, 0);
        snprintf(command, sizeof command, "rm -rf '%s'; cp '%s' '%s'", path, other, path);
        ck_assert_int_eq(system(command), 0);
    }
    store_follow_look(follow);
    ck_assert(state->is_well);
    store_follow_destroy(follow);
}
END_TEST

/* The lock of another process is seen, and so is that it went. */
START_TEST(sees_who_writes)
{
    struct store_follow *follow = store_follow_create(path);
    int up[2], down[2];
    char byte = 0;
    ck_assert_int_eq(pipe(up) | pipe(down), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct store *store = begin(path, 3, 7, "one");
        put(store, 0, 7, "ok", 0);
        bool is_told = write(up[1], &byte, 1) == 1 && read(down[0], &byte, 1) == 1;
        _exit(is_told ? 0 : 1); /* as if killed: the log stays */
    }
    ck_assert_int_eq(read(up[0], &byte, 1), 1);
    store_follow_look(follow);
    ck_assert_int_eq(store_follow_state(follow)->writer, pid);
    ck_assert_uint_eq(done(follow), 1);
    uint64_t version = store_follow_state(follow)->version;
    int how;
    ck_assert_int_eq(write(down[1], &byte, 1), 1);
    ck_assert_int_eq(waitpid(pid, &how, 0), pid);
    ck_assert_int_eq(how, 0);
    ck_assert(store_follow_look(follow)); /* that it went is a change of state, not of content */
    ck_assert_int_eq(store_follow_state(follow)->writer, 0);
    ck_assert_uint_eq(store_follow_state(follow)->version, version);
    ck_assert_uint_eq(done(follow), 1);
    store_follow_destroy(follow);
}
END_TEST

START_TEST(sees_jobs_of_a_cluster)
{
    struct store_follow *follow = store_follow_create(path);
    store_close(begin(path, 3, 7, "one"));
    store_follow_look(follow);
    ck_assert(!store_follow_state(follow)->has_jobs);
    char command[TEMP_PATH + 64];
    snprintf(command, sizeof command, "mkdir -p '%s/s.db.slurm/orrery-s-1'", folder);
    ck_assert_int_eq(system(command), 0);
    ck_assert(store_follow_look(follow));
    ck_assert(store_follow_state(follow)->has_jobs);
    store_follow_destroy(follow);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("store_follow");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, enter, leave);
    tcase_add_test(all, counts_as_results_come);
    tcase_add_test(all, equal_requests_count_each);
    tcase_add_test(all, another_study_or_another_file);
    tcase_add_test(all, damage_and_recovery);
    tcase_add_test(all, sees_who_writes);
    tcase_add_test(all, sees_jobs_of_a_cluster);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
