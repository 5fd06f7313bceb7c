/*
 * bench_sweep - what a study costs beside its points. The lines of issue 5: at least 95 %
 * efficiency at 2 workers over points of 50 ms, less than 2 ms a point, 100,000 points in less than
 * 200 MB.
 *
 * Points here burn so much CPU time, sleep as long, or do nothing; everything else is as in `orrery
 * sweep`. Efficiency is the points' time over workers x wall time: on a machine with other work it
 * is that work which shows where points burn, and what the harness adds where they sleep.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sweep/sweep.h"
#include "tests/bench/bench.h"

static double point_s;
static bool is_sleeping;

static double clock_s(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void run(void *context, uint32_t place, struct point_result *result,
                struct input_list *inputs)
{
    (void)context;
    double end_s = clock_s(CLOCK_PROCESS_CPUTIME_ID) + point_s;
    strcpy(result->state, "ok");
    for (int i = 0; i < MEASURE_COUNT; i++)
        result->value[i] = sqrt(place + 1.0 / (i + 3));
    for (int i = 0; i < 6; i++) {
        char path[32];
        snprintf(path, sizeof path, "absent/input%d.yaml", i);
        input_list_add(inputs, "file", path, 0); /* not there, then as now */
    }
    if (is_sleeping) {
        const struct timespec pause = {.tv_nsec = (long)(point_s * 1e9)};
        nanosleep(&pause, NULL);
        return;
    }
    while (clock_s(CLOCK_PROCESS_CPUTIME_ID) < end_s) {
    }
}

static void named(void *context, uint32_t place, struct input_list *inputs)
{
    (void)context;
    (void)place;
    (void)inputs;
}

static enum status any_key(const void *context, const char *key, struct diag *diag)
{
    (void)context;
    (void)key;
    (void)diag;
    return STATUS_OK;
}

/* A study of 4 axes; returns its wall time. */
static double bench(const char *folder, uint32_t points, uint32_t workers, double seconds)
{
    static const struct sweep_ops ops = {run, named, NULL};
    const struct study_keys keys = {any_key, NULL};
    char path[256], store[256];
    struct diag diag = DIAG_NONE;
    struct study study;
    struct progress progress;
    snprintf(path, sizeof path, "%s/study.yaml", folder);
    snprintf(store, sizeof store, "%s/%" PRIu32 "-%" PRIu32 ".db", folder, points, workers);
    FILE *file = fopen(path, "w");
    if (!file)
        return 0;
    fprintf(file,
            "base: {job: llama3-8b}\naxes:\n  plan.tp: [1, 2]\n  plan.pp: [1, 2, 4, 8, 16]\n"
            "  system.launch-overhead: {from: 1us, to: 10us, step: 1us}\n"
            "  network.injection: {from: 1GB/s, to: 2000GB/s, count: %" PRIu32 "}\n",
            points / 100);
    fclose(file);
    point_s = seconds;
    const struct sweep_options options = {
        .store = store, .program = "bench", .workers = workers, .show = PROGRESS_SILENT};
    double begin = clock_s(CLOCK_MONOTONIC);
    enum status status = study_load(&study, path, &keys, &diag);
    if (status == STATUS_OK)
        status = sweep_run(&study, &options, &ops, NULL, &progress, &diag);
    double wall_s = clock_s(CLOCK_MONOTONIC) - begin;
    study_release(&study);
    if (status != STATUS_OK) {
        diag_print(&diag, stderr);
        exit(status_exit_code(status));
    }
    return wall_s;
}

static double size_MB(const char *folder, const char *name)
{
    char path[256];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &info) == 0 ? (double)info.st_size / 1e6 : 0;
}

static void bench_sleeping(const char *folder)
{
    is_sleeping = true;
    double wall_s = bench(folder, 500, 2, 0.05);
    is_sleeping = false;
    printf("500 points that sleep 50 ms, 2 workers: %.2f s, efficiency %.1f %%\n", wall_s,
           500 * 0.05 / (2 * wall_s) * 100);
}

static void bench_all(const char *folder)
{
    double wall_s = bench(folder, 400, 2, 0.05);
    printf("400 points of 50 ms, 2 workers: %.2f s, efficiency %.1f %%\n", wall_s,
           400 * 0.05 / (2 * wall_s) * 100);
    bench_sleeping(folder);
    wall_s = bench(folder, 10000, 1, 0);
    printf("10000 points of nothing, 1 worker: %.3f ms a point\n", wall_s / 10000 * 1e3);
    wall_s = bench(folder, 100000, 2, 0);
    printf("100000 points, 2 workers: %.1f s, store %.1f MB\n", wall_s,
           size_MB(folder, "100000-2.db"));
    wall_s = bench(folder, 100000, 2, 0);
    printf("the same again, from the store: %.2f s\n", wall_s);
}

/* With any argument: the sleeping points alone. */
int main(int argc, char **argv)
{
    char folder[200], command[256];
    const char *tmp = getenv("TMPDIR");
    (void)argv;
    snprintf(folder, sizeof folder, "%.180s/bench_sweep_XXXXXX", tmp && tmp[0] ? tmp : "/tmp");
    if (!mkdtemp(folder))
        return 1;
    if (argc > 1)
        bench_sleeping(folder);
    else
        bench_all(folder);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) == 0 ? 0 : 1;
}
