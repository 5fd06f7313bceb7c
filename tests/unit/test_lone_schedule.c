/* lone_schedule: the schedule that is proved and written is the one that would run. */
#define _POSIX_C_SOURCE 200809L
#include "run/lone_schedule.h"

#include <string.h>

#include "config/settings.h"
#include "net/collective/msccl_write.h"
#include "net/topology/resolve.h"
#include "tests/unit/config_bench.h"
#include "tests/unit/temp_file.h"

static struct lone_schedule lone;

static enum status make(const char *topology, enum collective_kind kind, uint64_t bytes,
                        const char *name)
{
    ck_assert_int_eq(setting_set_text(&config, setting_find("network.topology"), topology, "test",
                                      &notices, &diag),
                     STATUS_OK);
    ck_assert_msg(topology_resolve(&config, &notices, &diag) == STATUS_OK, "%s", diag.message);
    return lone_schedule_make(&lone, &config, kind, bytes, name, &diag);
}

static char *proof(void)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    ck_assert_msg(lone_schedule_print_proof(&lone, out, &diag) == STATUS_OK, "%s", diag.message);
    fclose(out);
    return text;
}

/* 2 (n - 1) steps of S / n: 6 messages of 1000 B from each of 4. */
START_TEST(what_is_printed)
{
    ck_assert_int_eq(make("ring:4", COLL_ALL_REDUCE, 4000, "ring"), STATUS_OK);
    char *text = proof();
    ck_assert_str_eq(text, "ring: all-reduce of 4 ranks is right: 24 messages, 24000 B in all, "
                           "6000 B by the busiest port; T = 6 a + 6000 b + 3000 r\n");
    free(text);
    lone_schedule_release(&lone);
}
END_TEST

/* The largest step of a message in a coordinate of 6 x 5, counted without wrapping around. */
static uint32_t largest_step(void)
{
    uint32_t most = 0;
    for (uint32_t p = 0; p < lone.request.n; p++) {
        for (uint32_t s = 0; s < lone.program[p].count; s++) {
            const struct program_step *step = &lone.program[p].step[s];
            if (step->op != STEP_SEND)
                continue;
            uint32_t columns = (uint32_t)abs((int)(p % 6) - (int)(step->peer % 6));
            uint32_t rows = (uint32_t)abs((int)(p / 6) - (int)(step->peer / 6));
            ck_assert(!columns || !rows);
            most = columns + rows > most ? columns + rows : most;
        }
    }
    return most;
}

/* A ring on a line goes out by every other place and comes back by the rest; on a torus it goes
 * round, so that one step is from the last place, 5, to the first. */
START_TEST(lines_are_known)
{
    ck_assert_int_eq(make("mesh:6x5", COLL_ALL_GATHER, 3000, "torus-bucket"), STATUS_OK);
    ck_assert_uint_eq(lone.request.no_wrap, 3);
    free(proof());
    ck_assert_uint_eq(largest_step(), 2);
    lone_schedule_release(&lone);
}
END_TEST

START_TEST(rings_wrap)
{
    ck_assert_int_eq(make("torus:6x5", COLL_ALL_GATHER, 3000, "torus-bucket"), STATUS_OK);
    ck_assert_uint_eq(lone.request.no_wrap, 0);
    ck_assert_uint_eq(largest_step(), 5);
    lone_schedule_release(&lone);
}
END_TEST

/* zipf:1 over 4 in some order of places: 12, 6, 4, 3 of 25 bytes, the own place among them. */
START_TEST(uneven_sizes_are_taken)
{
    ck_assert_int_eq(setting_set_text(&config, setting_find("system.all-to-all-sizes"),
                                      "zipf:1,seed=3", "test", &notices, &diag),
                     STATUS_OK);
    ck_assert_msg(make("switch:4", COLL_ALL_TO_ALL, 25, "linear") == STATUS_OK, "%s", diag.message);
    uint64_t sent = lone.request.sizes[0];
    for (uint32_t s = 0; s < lone.program[0].count; s++) {
        const struct program_step *step = &lone.program[0].step[s];
        if (step->op != STEP_SEND)
            continue;
        ck_assert_uint_eq(step->bytes, lone.request.sizes[step->peer]);
        sent += step->bytes;
    }
    ck_assert_uint_eq(sent, 25);
    lone_schedule_release(&lone);
}
END_TEST

static const struct {
    const char *topology, *name, *message;
    enum collective_kind kind;
    enum status status;
} bad[] = {
    {"torus:4x4", "ring", "runs in each of 2 dimensions", COLL_ALL_REDUCE, STATUS_BAD_CONFIG},
    {"ring:4", "auto", "auto is a choice, not a schedule", COLL_ALL_REDUCE, STATUS_BAD_CONFIG},
    {"ring:4", "rings", "unknown algorithm \"rings\"", COLL_ALL_REDUCE, STATUS_BAD_CONFIG},
    {"ring:4", "bruck", "the bruck algorithm cannot run all-reduce", COLL_ALL_REDUCE,
     STATUS_BAD_CONFIG},
    {"switch:257", "ring", "at most 256 can be proved", COLL_ALL_GATHER, STATUS_NO_MEMORY},
    {"switch:1", "ring", "one rank alone has no schedule", COLL_ALL_GATHER, STATUS_BAD_CONFIG},
};

START_TEST(refused)
{
    ck_assert_int_eq(make(bad[_i].topology, bad[_i].kind, 4096, bad[_i].name), bad[_i].status);
    ck_assert_msg(strstr(diag.message, bad[_i].message) != NULL, "%s", diag.message);
    lone_schedule_release(&lone);
}
END_TEST

/* Written, and read again: the same proof. A file of 4 does not fit a network of 5. */
START_TEST(files)
{
    char folder[TEMP_PATH], path[TEMP_PATH + 8];
    temp_folder(folder);
    snprintf(path, sizeof path, "%s/s.xml", folder);
    ck_assert_int_eq(make("ring:4", COLL_ALL_REDUCE, 4000, "ring"), STATUS_OK);
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(msccl_write(&lone.request, &lone.schedule, lone.program, "ring", out, &diag),
                     STATUS_OK);
    fclose(out);
    lone_schedule_release(&lone);
    tear_down();
    set_up();
    ck_assert_msg(make("ring:4", COLL_ALL_REDUCE, 4000, path) == STATUS_OK, "%s", diag.message);
    char *text = proof();
    ck_assert_ptr_nonnull(strstr(text, "is right: 24 messages, 24000 B in all"));
    free(text);
    lone_schedule_release(&lone);
    tear_down();
    set_up();
    ck_assert_int_eq(make("ring:5", COLL_ALL_REDUCE, 4000, path), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.message, "the file has 4 gpus, the network 5 NPUs");
    ck_assert_str_eq(diag.file, path);
    lone_schedule_release(&lone);
    temp_folder_remove(folder);
}
END_TEST

static Suite *lone_schedule_suite(void)
{
    Suite *suite = suite_create("lone_schedule");
    TCase *tcase = tcase_create("lone_schedule");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, what_is_printed);
    tcase_add_test(tcase, lines_are_known);
    tcase_add_test(tcase, rings_wrap);
    tcase_add_test(tcase, uneven_sizes_are_taken);
    tcase_add_loop_test(tcase, refused, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tcase, files);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(lone_schedule_suite())
