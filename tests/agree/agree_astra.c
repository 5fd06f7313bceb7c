/*
 * agree_astra - runs the cases that were run on ASTRA-sim and compares every rank, to the
 * nanosecond.
 *
 * Data is in $ORRERY_SHARED/data/astra (default ../shared); without it the program says "skipped".
 * Each case runs twice: as it comes, and with --no-fold. Exit code 1 if a case differs that
 * ASTRA-sim finished with sense, or if any run ends by a signal, a hang, or without a word.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/agree/command.h"
#include "tests/agree/tables.h"

enum { JOBS_MOST = 16 };

struct settings {
    const char *orrery, *filter;
    const char *only; /* "folded", "unfolded" or NULL: both */
    bool scaling, verbose, brief;
    int jobs;
    unsigned wall_limit_s;
    char data[COMMAND_PATH], scratch[COMMAND_PATH];
    char program[COMMAND_PATH]; /* our copy of `orrery`: a build during the run does no harm */
};

static int usage(FILE *out, int code)
{
    fputs("usage: agree_astra [--orrery PROGRAM] [--filter TEXT] [--only folded|unfolded]\n"
          "                   [--jobs N] [--wall-limit SECONDS] [--scaling] [--brief] [--verbose]\n"
          "  --filter TEXT   only cases whose name contains TEXT\n"
          "  --scaling       the growth series, with time and memory beside ASTRA-sim's (1 job)\n"
          "  --brief         no table of the cases ASTRA-sim did not finish\n"
          "  --verbose       print each command\n",
          out);
    return code;
}

static bool take_value(int argc, char **argv, int *i, const char *option, const char **value)
{
    if (strcmp(argv[*i], option) != 0 || *i + 1 >= argc)
        return false;
    *value = argv[++*i];
    return true;
}

static bool take_flag(const char *word, const char *option, bool *flag)
{
    if (strcmp(word, option) != 0)
        return false;
    return *flag = true;
}

static bool parse(struct settings *settings, int argc, char **argv)
{
    const char *jobs = NULL, *limit = NULL;
    for (int i = 1; i < argc; i++) {
        if (!take_value(argc, argv, &i, "--orrery", &settings->orrery) &&
            !take_value(argc, argv, &i, "--filter", &settings->filter) &&
            !take_value(argc, argv, &i, "--only", &settings->only) &&
            !take_value(argc, argv, &i, "--jobs", &jobs) &&
            !take_value(argc, argv, &i, "--wall-limit", &limit) &&
            !take_flag(argv[i], "--scaling", &settings->scaling) &&
            !take_flag(argv[i], "--brief", &settings->brief) &&
            !take_flag(argv[i], "--verbose", &settings->verbose))
            return false;
    }
    settings->jobs = jobs != NULL ? atoi(jobs) : settings->scaling ? 1 : 2;
    settings->wall_limit_s = limit != NULL ? (unsigned)atoi(limit) : 60;
    return settings->jobs >= 1 && settings->jobs <= JOBS_MOST && settings->wall_limit_s > 0;
}

static void finish(struct launch *launches, int jobs, struct agreement *const *owner)
{
    int done = launch_reap(launches, jobs);
    promise(done >= 0);
    struct agreement *one = owner[done];
    int mode = (int)(launches[done].outcome - one->outcome);
    one->verdict[mode] = compare(one->row, &one->outcome[mode]);
    outcome_release(&one->outcome[mode]);
}

static int free_slot(const struct launch *launches, int jobs)
{
    for (int i = 0; i < jobs; i++) {
        if (launches[i].pid == 0)
            return i;
    }
    return -1;
}

/* Starts `one` in `mode`, after a place is free. */
static enum status start(const struct settings *settings, struct agreement *one,
                         enum fold_mode mode, struct launch *launches, struct agreement **owner,
                         struct diag *diag)
{
    struct command command;
    const struct command_place place = {settings->program, settings->data, settings->scratch};
    enum status status = command_make(&command, one->row, &place, mode == FOLDED, diag);
    if (status != STATUS_OK)
        return status;
    if (settings->verbose)
        command_print(&command, stdout);
    int slot = free_slot(launches, settings->jobs);
    if (slot < 0) {
        finish(launches, settings->jobs, owner);
        slot = free_slot(launches, settings->jobs);
    }
    struct launch *launch = &launches[slot];
    snprintf(launch->folder, sizeof launch->folder, "%s", settings->scratch);
    snprintf(launch->tag, sizeof launch->tag, "%.80s.%d", one->row->name, mode);
    outcome_init(&one->outcome[mode], one->row->npus);
    launch->outcome = &one->outcome[mode];
    owner[slot] = one;
    one->ran[mode] = true;
    if (!launch_start(launch, command.argv, settings->wall_limit_s))
        return diag_fail(diag, STATUS_NO_MEMORY, "no further process can be started");
    return STATUS_OK;
}

static enum status run_all(const struct settings *settings, struct agreement *list, uint32_t count,
                           struct diag *diag)
{
    struct launch launches[JOBS_MOST] = {{0}};
    struct agreement *owner[JOBS_MOST];
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        for (int mode = 0; mode < FOLD_MODES && status == STATUS_OK; mode++) {
            static const char *const names[] = {"folded", "unfolded"};
            if (settings->only == NULL || strcmp(settings->only, names[mode]) == 0)
                status = start(settings, &list[i], (enum fold_mode)mode, launches, owner, diag);
        }
    }
    while (free_slot(launches, settings->jobs) != 0 || settings->jobs > 1) {
        bool running = false;
        for (int i = 0; i < settings->jobs; i++)
            running = running || launches[i].pid > 0;
        if (!running)
            break;
        finish(launches, settings->jobs, owner);
    }
    return status;
}

static int report(const struct settings *settings, const struct agreement *list, uint32_t count)
{
    uint32_t passed, failed;
    if (settings->scaling) {
        tables_scaling(list, count, stdout);
    } else {
        tables_series(list, count, stdout);
        if (!settings->brief) {
            puts("\ncases ASTRA-sim did not finish, or finished with nonsense:");
            tables_others(list, count, stdout);
        }
    }
    tables_differences(list, count, stdout);
    tables_count(list, count, &passed, &failed);
    printf("agree: %" PRIu32 " passed, %" PRIu32 " failed, 0 skipped\n", passed, failed);
    return failed == 0 && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static enum status select_and_run(const struct settings *settings, const struct row *rows,
                                  uint32_t count, int *exit_code, struct diag *diag)
{
    struct agreement *list = calloc(count > 0 ? count : 1, sizeof *list);
    uint32_t selected = 0;
    promise(list != NULL);
    for (uint32_t i = 0; i < count; i++) {
        if (settings->filter == NULL || strstr(rows[i].name, settings->filter) != NULL)
            list[selected++].row = &rows[i];
    }
    enum status status = run_all(settings, list, selected, diag);
    if (status == STATUS_OK)
        *exit_code = report(settings, list, selected);
    free(list);
    return status;
}

/* Removes what command.c wrote. Names come from our own mkdtemp(). */
static void remove_scratch(const char *scratch)
{
    char command[COMMAND_PATH + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    if (system(command) != 0)
        fprintf(stderr, "agree: %s is left behind\n", scratch);
}

static bool make_scratch(struct settings *settings)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(settings->scratch, sizeof settings->scratch, "%.400s/orrery-agree-XXXXXX",
             tmp != NULL && tmp[0] == '/' && strchr(tmp, '\'') == NULL ? tmp : "/tmp");
    return mkdtemp(settings->scratch) != NULL;
}

static enum status copy_program(struct settings *settings, struct diag *diag)
{
    struct file file;
    struct out_file out;
    enum status status = file_load(&file, settings->orrery, FILE_NO_LIMIT, diag);
    if (status != STATUS_OK)
        return status;
    snprintf(settings->program, sizeof settings->program, "%.480s/orrery", settings->scratch);
    status = out_file_open(&out, settings->program, diag);
    if (status == STATUS_OK) {
        fwrite(file.bytes, 1, file.length, out.stream);
        status = out_file_commit(&out, diag);
    }
    file_release(&file);
    if (status == STATUS_OK && chmod(settings->program, 0700) != 0)
        status = diag_fail(diag, STATUS_IO, "%s cannot be made a program", settings->program);
    return status;
}

int main(int argc, char **argv)
{
    struct settings settings = {.orrery = "build/release/orrery"};
    if (!parse(&settings, argc, argv))
        return usage(stderr, STATUS_USAGE);
    const char *shared = getenv("ORRERY_SHARED");
    char path[COMMAND_PATH + 32];
    snprintf(settings.data, sizeof settings.data, "%.400s/data/astra",
             shared != NULL ? shared : "../shared");
    snprintf(path, sizeof path, "%s/%s", settings.data,
             settings.scaling ? "scaling.jsonl" : "reference.jsonl");
    if (!file_exists(path)) {
        printf("agree: 0 passed, 0 failed, 1 skipped\n%s is absent\n", path);
        return EXIT_SUCCESS;
    }
    struct diag diag = DIAG_NONE;
    struct row *rows;
    uint32_t count;
    int exit_code = EXIT_FAILURE;
    if (!make_scratch(&settings)) {
        perror(settings.scratch);
        return EXIT_FAILURE;
    }
    if (copy_program(&settings, &diag) == STATUS_OK &&
        rows_load(path, &rows, &count, &diag) == STATUS_OK) {
        select_and_run(&settings, rows, count, &exit_code, &diag);
        rows_release(rows, count);
    }
    if (diag.status != STATUS_OK)
        diag_print(&diag, stderr);
    remove_scratch(settings.scratch);
    return exit_code;
}
