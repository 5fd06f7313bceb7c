/* orrery sweep: the points of a study, run and kept. */
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/units.h"
#include "base/workers.h"
#include "cli/cli.h"
#include "cli/sweep_keys.h"
#include "cli/sweep_point.h"
#include "sweep/points.h"

struct sweep_command {
    const char *study, *store, *workers, *time_limit, *memory_limit, *engine;
    bool is_unbound, retry, quiet, dry_run;
};

#define TEXT(option, word, member, what)                                                           \
    {                                                                                              \
        .name = option, .argument = word, .help = what, .take = take_text,                         \
        .offset = offsetof(struct sweep_command, member)                                           \
    }
#define FLAG(option, member, what)                                                                 \
    {                                                                                              \
        .name = option, .help = what, .take = take_flag,                                           \
        .offset = offsetof(struct sweep_command, member)                                           \
    }

static const struct option options[] = {
    TEXT("--store", "FILE", store, "where results are kept; default: the study's name with .db"),
    TEXT("--workers", "N", workers, "processes; default: one for each core"),
    TEXT("--time-limit", "TIME", time_limit, "of a point, on this machine; over the study's"),
    TEXT("--memory-limit", "SIZE", memory_limit, "of a point; default: this machine's, shared"),
    FLAG("--retry", retry, "run points again that crashed, were killed or met a limit"),
    FLAG("--no-bind", is_unbound, "do not bind workers to cores"),
    TEXT("--engine", "NAME", engine, "where points run: local (there is no other yet)"),
    FLAG("--dry-run", dry_run, "say how many points there are; run nothing"),
    FLAG("--quiet", quiet, "no progress"),
    {0},
};

static enum status read_options(const struct sweep_command *given, struct sweep_options *to,
                                struct diag *diag)
{
    uint64_t workers = 0;
    if (given->workers && (!decimal_u64(given->workers, strlen(given->workers), &workers) ||
                           workers < 1 || workers > WORKERS_MOST))
        return usage_error(diag, "--workers", "expected 1 to %d, found \"%.40s\"", WORKERS_MOST,
                           given->workers);
    if (given->engine && strcmp(given->engine, "local") != 0)
        return usage_error(diag, "--engine", "expected local, found \"%.40s\"", given->engine);
    struct diag wrong = DIAG_NONE;
    double ns = 0;
    if (given->time_limit &&
        (units_parse_duration(given->time_limit, "s", &ns, NULL, &wrong) != STATUS_OK || ns < 1e6 ||
         ns > 1e18))
        return usage_error(diag, "--time-limit",
                           "expected 1ms or more, such as 60s, found \"%.40s\"", given->time_limit);
    wrong = DIAG_NONE;
    if (given->memory_limit &&
        (units_parse_bytes(given->memory_limit, NULL, &to->memory_limit_bytes, NULL, &wrong) !=
             STATUS_OK ||
         to->memory_limit_bytes < 1000000))
        return usage_error(diag, "--memory-limit",
                           "expected 1MB or more, such as 4GB, found \"%.40s\"",
                           given->memory_limit);
    to->workers = (uint32_t)workers;
    to->time_limit_s = ns / 1e9;
    to->retry = given->retry;
    to->is_unbound = given->is_unbound;
    to->show = given->quiet            ? PROGRESS_SILENT
               : isatty(STDERR_FILENO) ? PROGRESS_TERMINAL
                                       : PROGRESS_LINES;
    return STATUS_OK;
}

/* "dir/name.yaml" to "dir/name.db". */
static enum status store_path(const struct sweep_command *given, char *to, size_t size,
                              struct diag *diag)
{
    const char *name = given->store ? given->store : given->study, *end = strrchr(name, '.');
    bool cut = !given->store && end && !strchr(end, '/');
    int length = cut ? (int)(end - name) : (int)strlen(name);
    int n = snprintf(to, size, "%.*s%s", length, name, given->store ? "" : ".db");
    return n < (int)size ? STATUS_OK
                         : usage_error(diag, "--store", "the path of the store is too long");
}

static enum status dry_run(const struct study *study, struct diag *diag)
{
    struct arena arena;
    struct points points;
    arena_init(&arena);
    enum status status = points_find(&points, study, &arena, diag);
    if (status == STATUS_OK)
        printf("%u points, of a grid of %u over %u axes\n", points.count, points.grid,
               study->axis_count);
    arena_release(&arena);
    return status;
}

static enum status run_study(const struct study *study, struct sweep_options *to, struct diag *diag)
{
    char program[64];
    to->program = identity_program(program, sizeof program, ORRERY_VERSION);
    struct sweep_points *points = sweep_points_create(study, diag);
    if (!points)
        return diag->status;
    sweep_points_warm(points, 0);
    struct progress progress;
    enum status status = sweep_run(study, to, &sweep_point_ops, points, &progress, diag);
    if (progress.total)
        progress_summary(&progress, status == STATUS_OK ? stdout : stderr);
    if (status == STATUS_INTERRUPTED)
        diag_hint(diag, "the same command goes on from here");
    sweep_points_destroy(points);
    return status;
}

static enum status sweep(const struct sweep_command *given, struct diag *diag)
{
    struct sweep_options to = {.workers = 0};
    char store[4096];
    struct study study;
    if (!given->study) {
        usage_error(diag, NULL, "a study's file is needed");
        diag_hint(diag, "orrery sweep configs/examples/studies/parallelism.yaml");
        return STATUS_USAGE;
    }
    enum status status = read_options(given, &to, diag);
    if (status == STATUS_OK)
        status = store_path(given, store, sizeof store, diag);
    if (status != STATUS_OK)
        return status;
    to.store = store;
    status = study_load(&study, given->study, &sweep_keys, diag);
    if (status == STATUS_OK)
        status = given->dry_run ? dry_run(&study, diag) : run_study(&study, &to, diag);
    study_release(&study);
    return status;
}

static int run_sweep(int argc, char **argv)
{
    struct sweep_command given = {0};
    struct diag diag = DIAG_NONE;
    int code;
    if (!options_begin(&command_sweep, argc, argv, &given, take_word, &code))
        return code;
    enum status status = sweep(&given, &diag);
    if (status != STATUS_OK)
        command_failed(&diag);
    return status_exit_code(status);
}

const struct command command_sweep = {
    .name = "sweep",
    .summary = "a study: many configurations, run in parallel and kept in one file",
    .usage = "STUDY.yaml [OPTIONS]",
    .about =
        "Runs each point of a study (src/sweep/study.h: base, axes, zip, filter, sample) in "
        "worker\n"
        "processes, and keeps each result in an SQLite file when it ends. Stopped in any way, the\n"
        "same command goes on; a repeated study is answered from the file. A point that cannot be\n"
        "run, crashes or meets a limit is a row with its reason. See orrery results.\n",
    .more = sweep_print_keys,
    .examples = "  orrery sweep configs/examples/studies/parallelism.yaml --store study.db\n"
                "  orrery sweep study.yaml --workers 8 --time-limit 60s --memory-limit 4GB\n"
                "  orrery sweep study.yaml --dry-run\n",
    .options = options,
    .run = run_sweep,
};
