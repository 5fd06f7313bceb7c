/* orrery sweep: the points of a study, run and kept. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/units.h"
#include "base/workers.h"
#include "cli/cli.h"
#include "cli/sweep_jobs.h"
#include "cli/sweep_keys.h"
#include "cli/sweep_point.h"
#include "sweep/points.h"

struct sweep_command {
    const char *study, *store, *workers, *time_limit, *memory_limit, *engine;
    bool is_unbound, retry, quiet, dry_run;
    const char *chunk_points, *chunk; /* of --engine slurm, as what follows */
    const char *slurm_option[SLURM_OPTIONS + 1];
    bool wait, merge;
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

static enum status take_slurm_option(void *to, const struct option *option, const char *value,
                                     struct diag *diag)
{
    struct sweep_command *given = to;
    uint32_t count = 0;
    while (given->slurm_option[count])
        count++;
    if (count == SLURM_OPTIONS)
        return usage_error(diag, option->name, "at most %d times", SLURM_OPTIONS);
    given->slurm_option[count] = value;
    return STATUS_OK;
}

static const struct option options[] = {
    TEXT("--store", "FILE", store, "where results are kept; default: the study's name with .db"),
    TEXT("--workers", "N", workers, "processes; default: one for each core"),
    TEXT("--time-limit", "TIME", time_limit, "of a point, on this machine; over the study's"),
    TEXT("--memory-limit", "SIZE", memory_limit, "of a point; default: this machine's, shared"),
    FLAG("--retry", retry, "run points again that crashed, were killed or met a limit"),
    FLAG("--no-bind", is_unbound, "do not bind workers to cores"),
    TEXT("--engine", "NAME", engine, "where points run: local (the default), or slurm: a cluster"),
    FLAG("--dry-run", dry_run, "say how many points there are; run nothing"),
    FLAG("--quiet", quiet, "no progress"),
    {.name = "--slurm-option",
     .argument = "NAME=VALUE",
     .help = "slurm: an option of sbatch, as partition=NAME; again for more",
     .take = take_slurm_option},
    TEXT("--chunk-points", "N", chunk_points, "slurm: points of a task; default: 100, or more"),
    FLAG("--wait", wait, "slurm: follow the jobs to their end; Ctrl-C leaves them running"),
    TEXT("--chunk", "K", chunk, "what a task of a job runs: STUDY is a folder in STORE.slurm"),
    FLAG("--merge", merge, "what the last job runs, of the same folder"),
    {0},
};

/* A decimal of 1 to `most`; 0 if there is none. */
static enum status read_count(const char *option, const char *text, uint64_t most, uint32_t *count,
                              struct diag *diag)
{
    uint64_t value = 0;
    if (text && (!decimal_u64(text, strlen(text), &value) || value < 1 || value > most))
        return usage_error(diag, option, "expected 1 to %" PRIu64 ", found \"%.40s\"", most, text);
    *count = (uint32_t)value;
    return STATUS_OK;
}

static bool is_slurm(const struct sweep_command *given)
{
    return given->engine && strcmp(given->engine, "slurm") == 0;
}

static enum status check_engine(const struct sweep_command *given, struct diag *diag)
{
    if (given->engine && !is_slurm(given) && strcmp(given->engine, "local") != 0)
        return usage_error(diag, "--engine", "expected local or slurm, found \"%.40s\"",
                           given->engine);
    const char *only = given->slurm_option[0] ? "--slurm-option"
                       : given->chunk_points  ? "--chunk-points"
                       : given->wait          ? "--wait"
                                              : NULL;
    if (only && !is_slurm(given))
        return usage_error(diag, only, "this is an option of --engine slurm");
    if ((given->chunk != NULL) + given->merge + is_slurm(given) > 1)
        return usage_error(diag, given->chunk ? "--chunk" : "--merge",
                           "this is what a job runs: with one of --chunk, --merge, --engine slurm");
    return STATUS_OK;
}

static enum status read_options(const struct sweep_command *given, struct sweep_options *to,
                                struct diag *diag)
{
    enum status status = read_count("--workers", given->workers, WORKERS_MOST, &to->workers, diag);
    if (status == STATUS_OK)
        status = check_engine(given, diag);
    if (status != STATUS_OK)
        return status;
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
    struct progress progress;
    enum status status = sweep_run(study, to, &sweep_point_ops, points, &progress, diag);
    if (progress.total)
        progress_summary(&progress, status == STATUS_OK ? stdout : stderr);
    if (status == STATUS_INTERRUPTED)
        diag_hint(diag, "the same command goes on from here");
    sweep_points_destroy(points);
    return status;
}

/* A task takes the limits of the command that submits it. Their text has passed read_options(). */
static enum status run_on_slurm(const struct sweep_command *given, const struct study *study,
                                struct sweep_options *to, struct diag *diag)
{
    char program[64], task[256];
    struct slurm_options slurm = {.option = given->slurm_option, .task_options = task};
    enum status status =
        read_count("--chunk-points", given->chunk_points, UINT32_MAX, &slurm.chunk_points, diag);
    if (status != STATUS_OK)
        return status;
    const char *const limits[][2] = {{"--time-limit", given->time_limit},
                                     {"--memory-limit", given->memory_limit}};
    int length = snprintf(task, sizeof task, "%s", to->is_unbound ? "--no-bind" : "");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (limits[i][1])
            length += snprintf(task + length, sizeof task - (size_t)length, "%s%s '%.60s'",
                               length ? " " : "", limits[i][0], limits[i][1]);
    }
    slurm.cpus = to->workers;
    to->program = identity_program(program, sizeof program, ORRERY_VERSION);
    status = sweep_keys_check(study, diag);
    return status == STATUS_OK ? sweep_jobs_submit(study, to, &slurm, given->wait, diag) : status;
}

static enum status run_job(const struct sweep_command *given, struct sweep_options *to,
                           struct diag *diag)
{
    uint64_t task = 0;
    if (given->merge)
        return sweep_jobs_merge(given->study, diag);
    if (!decimal_u64(given->chunk, strlen(given->chunk), &task) || task > UINT32_MAX)
        return usage_error(diag, "--chunk", "expected the number of a task, found \"%.40s\"",
                           given->chunk);
    return sweep_jobs_chunk(given->study, (uint32_t)task, to, diag);
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
    if (status == STATUS_OK && (given->chunk || given->merge))
        return run_job(given, &to, diag);
    if (status == STATUS_OK)
        status = store_path(given, store, sizeof store, diag);
    if (status != STATUS_OK)
        return status;
    to.store = store;
    status = study_load(&study, given->study, &sweep_keys, diag);
    if (status == STATUS_OK)
        status = given->dry_run    ? dry_run(&study, diag)
                 : is_slurm(given) ? run_on_slurm(given, &study, &to, diag)
                                   : run_study(&study, &to, diag);
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
        "run, crashes or meets a limit is a row with its reason. See orrery results.\n"
        "--engine slurm submits them as an array of jobs, from a folder that the cluster shares, "
        "with\n"
        "one more that merges what the tasks leave beside the store (src/sweep/README.md).\n",
    .more = sweep_print_keys,
    .examples = "  orrery sweep configs/examples/studies/parallelism.yaml --store study.db\n"
                "  orrery sweep study.yaml --workers 8 --time-limit 60s --memory-limit 4GB\n"
                "  orrery sweep study.yaml --dry-run\n"
                "  orrery sweep study.yaml --engine slurm --slurm-option partition=main --wait\n",
    .options = options,
    .run = run_sweep,
};
