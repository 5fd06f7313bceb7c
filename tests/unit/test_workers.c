/* workers: every way in which a task can end, and that none is lost. */
#include "base/workers.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "tests/unit/unit.h"

enum { MOST_TASKS = 256 };

struct bench {
    uint32_t count, next;
    enum work_end end[MOST_TASKS];
    uint32_t seen[MOST_TASKS], tries[MOST_TASKS];
    uint64_t answer[MOST_TASKS];
    char reason[MOST_TASKS][320];
    size_t length[MOST_TASKS];
    void (*act)(uint64_t task);
    enum status stop_with;
    uint64_t reply[1 << 17];
};

static struct bench bench;

static size_t work(void *context, uint64_t task, const void **reply)
{
    struct bench *mine = context;
    if (mine->act)
        mine->act(task);
    mine->reply[0] = task * task;
    *reply = mine->reply;
    return task % 7 == 3 ? sizeof mine->reply : sizeof mine->reply[0]; /* longer than a pipe */
}

static bool next(void *context, uint64_t *task)
{
    struct bench *mine = context;
    *task = mine->next;
    return mine->next < mine->count && ++mine->next;
}

static enum status done(void *context, uint64_t task, const struct work_outcome *outcome,
                        struct diag *diag)
{
    struct bench *mine = context;
    mine->seen[task]++;
    mine->end[task] = outcome->end;
    mine->tries[task] = outcome->tries;
    mine->length[task] = outcome->length;
    strcpy(mine->reason[task], outcome->reason);
    if (outcome->end == WORK_DONE)
        memcpy(&mine->answer[task], outcome->reply, sizeof(uint64_t));
    if (mine->stop_with != STATUS_OK && task == 5)
        return diag_fail(diag, mine->stop_with, "full");
    return STATUS_OK;
}

static const struct workers_ops ops = {work, next, done, NULL};

static enum status run(uint32_t tasks, struct workers_options options, void (*act)(uint64_t task))
{
    struct diag diag = DIAG_NONE;
    memset(&bench, 0, sizeof bench);
    bench.count = tasks;
    bench.act = act;
    return workers_run(&options, &ops, &bench, &diag);
}

START_TEST(each_task_is_done_once)
{
    ck_assert_int_eq(run(MOST_TASKS, (struct workers_options){.count = (uint32_t)_i}, NULL),
                     STATUS_OK);
    for (uint64_t i = 0; i < MOST_TASKS; i++) {
        ck_assert_uint_eq(bench.seen[i], 1);
        ck_assert_int_eq(bench.end[i], WORK_DONE);
        ck_assert_uint_eq(bench.answer[i], i * i);
        ck_assert_uint_eq(bench.length[i], i % 7 == 3 ? sizeof bench.reply : 8);
    }
}
END_TEST

START_TEST(no_task_at_all)
{
    ck_assert_int_eq(run(0, (struct workers_options){.count = 2}, NULL), STATUS_OK);
}
END_TEST

static void misbehave(uint64_t task)
{
    static volatile int *nowhere;
    switch (task) {
    case 3:
        signal(SIGSEGV, SIG_DFL);
        *nowhere = 1;
        break;
    case 5:
        fputs("orrery: promise broken here\n  hint: none\n", stderr);
        fflush(stderr);
        _exit(70);
    case 7:
        for (;;)
            pause();
    case 9:
        raise(SIGKILL);
        break;
    case 11: {
        size_t size = 300u << 20;
        char *much = malloc(size);
        memset(much, 1, size);
        sleep(5);
        _exit((int)much[5]);
    }
    case 13:
        memory_exhausted();
    default:
        break;
    }
}

START_TEST(ends_are_told_apart)
{
    struct workers_options options = {
        .count = 2, .time_limit_s = 0.5, .memory_limit_bytes = 200u << 20};
    ck_assert_int_eq(run(20, options, misbehave), STATUS_OK);
    for (uint64_t i = 0; i < 20; i++) {
        enum work_end want = i == 3 || i == 5     ? WORK_CRASHED
                             : i == 7             ? WORK_OVER_TIME
                             : i == 9             ? WORK_KILLED
                             : i == 11 || i == 13 ? WORK_OVER_MEMORY
                                                  : WORK_DONE;
        ck_assert_uint_eq(bench.seen[i], 1);
        ck_assert_msg(bench.end[i] == want, "task %d ended %d: %s", (int)i, (int)bench.end[i],
                      bench.reason[i]);
        ck_assert_uint_eq(bench.tries[i], i == 9 ? WORKERS_TRIES : 1);
    }
    ck_assert_ptr_nonnull(strstr(bench.reason[5], "promise broken here"));
    ck_assert_ptr_nonnull(strstr(bench.reason[13], "memory is exhausted"));
}
END_TEST

START_TEST(a_master_that_cannot_go_on_stops)
{
    struct diag diag = DIAG_NONE;
    memset(&bench, 0, sizeof bench);
    bench.count = MOST_TASKS;
    bench.stop_with = STATUS_IO;
    const struct workers_options options = {.count = 2};
    ck_assert_int_eq(workers_run(&options, &ops, &bench, &diag), STATUS_IO);
    ck_assert_str_eq(diag.message, "full");
    ck_assert_uint_lt(bench.next, 20);
}
END_TEST

static void interrupt_master(uint64_t task)
{
    if (task == 4)
        kill(getppid(), SIGTERM);
    const struct timespec pause = {.tv_nsec = 20000000};
    nanosleep(&pause, NULL);
}

START_TEST(a_signal_stops_it)
{
    ck_assert_int_eq(run(MOST_TASKS, (struct workers_options){.count = 2}, interrupt_master),
                     STATUS_INTERRUPTED);
    ck_assert_uint_lt(bench.next, 50);
}
END_TEST

START_TEST(places_are_asked_for)
{
    ck_assert_uint_ge(placement_cores(), 1);
    struct placement *placement = placement_create(1);
    struct workers_options options = {.count = 1, .placement = placement};
    ck_assert_int_eq(run(8, options, NULL), STATUS_OK);
    placement_destroy(placement);
    ck_assert_ptr_null(placement_create(100000));
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("workers");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, each_task_is_done_once, 1, 5);
    tcase_add_test(all, no_task_at_all);
    tcase_add_test(all, ends_are_told_apart);
    tcase_add_test(all, a_master_that_cannot_go_on_stops);
    tcase_add_test(all, a_signal_stops_it);
    tcase_add_test(all, places_are_asked_for);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
