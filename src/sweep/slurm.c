#include "sweep/slurm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/program.h"

enum { WORD = 4200, WORDS = 16 };

/* -- what can be wrong ------------------------------------------------------------------------- */

/* What it says -> what to do. */
static const struct {
    const char *said, *hint;
} hints[] = {
    {"partition", "sinfo lists the partitions: --slurm-option partition=NAME"},
    {"job array", "fewer tasks: --chunk-points N (scontrol show config: MaxArraySize)"},
    {"account", "--slurm-option account=NAME"},
    {"contact slurm", "is the controller up? scontrol ping"},
    {"controller", "is the controller up? scontrol ping"},
    {"credential", "is munged running on this machine?"},
    {"unrecognized option", "an option as sbatch names it, without dashes: partition=NAME"},
    {"", "options of sbatch are given as --slurm-option NAME=VALUE"},
};

static enum status fail_said(const char *program, struct program_said *said, struct diag *diag)
{
    const char *line = program_last_line(said->err);
    size_t i = 0;
    while (!strstr(said->err, hints[i].said))
        i++;
    /* sbatch's own last line may be "Try .. --help": the error is above it. */
    char *error = strstr(said->err, "error: ");
    if (error) {
        error[strcspn(error, "\n")] = '\0';
        line = error + strlen("error: ");
    }
    diag_fail(diag, STATUS_IO, "%s: %s", program,
              *line ? line : "ended with an error, and said nothing");
    diag_hint(diag, "%s", hints[i].hint);
    return STATUS_IO;
}

enum status slurm_check(struct diag *diag)
{
    static const char *const commands[] = {"sbatch", "squeue"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (program_exists(commands[i]))
            continue;
        diag_fail(diag, STATUS_IO, "there is no %s on this machine", commands[i]);
        diag_field(diag, "--engine slurm");
        diag_hint(diag, "give the command where jobs are submitted from, or use --engine local");
        return STATUS_IO;
    }
    return STATUS_OK;
}

enum status slurm_check_options(const char *const *option, struct diag *diag)
{
    static const char *const ours[] = {
        "array", "a",        "chdir",     "D",    "dependency", "d",    "job-name", "J", "output",
        "o",     "parsable", "test-only", "wait", "W",          "wrap", "clusters", "M", NULL};
    for (size_t i = 0; option[i]; i++) {
        size_t length = strcspn(option[i], "=");
        const char *fault =
            length == 0 || option[i][0] == '-' ? "expected NAME or NAME=VALUE" : NULL;
        for (size_t k = 0; !fault && ours[k]; k++) {
            if (strlen(ours[k]) == length && strncmp(ours[k], option[i], length) == 0)
                fault = "this option of sbatch is orrery's to give";
        }
        if (!fault)
            continue;
        diag_fail(diag, STATUS_USAGE, "%s, found \"%.80s\"", fault, option[i]);
        diag_field(diag, "--slurm-option");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* -- submitting -------------------------------------------------------------------------------- */

struct words {
    char text[WORDS + SLURM_OPTIONS][WORD];
    const char *argv[WORDS + SLURM_OPTIONS + 1];
    uint32_t count;
};

static void add(struct words *words, const char *before, const char *text)
{
    char *to = words->text[words->count];
    snprintf(to, WORD, "%s%s", before, text);
    words->argv[words->count++] = to;
}

static void add_number(struct words *words, const char *before, uint32_t number)
{
    char text[16];
    snprintf(text, sizeof text, "%" PRIu32, number);
    add(words, before, text);
}

/* A letter is a short option: "p=main" is "-pmain". */
static void add_options(struct words *words, const char *const *option)
{
    for (size_t i = 0; option && option[i] && i < SLURM_OPTIONS; i++) {
        bool is_letter = option[i][1] == '\0' || option[i][1] == '=';
        char letter[3] = {'-', option[i][0], '\0'};
        if (is_letter)
            add(words, letter, option[i][1] ? option[i] + 2 : "");
        else
            add(words, "--", option[i]);
    }
}

enum status slurm_submit(const struct slurm_job *job, char id[SLURM_ID], struct diag *diag)
{
    struct words *words = calloc(1, sizeof *words);
    struct program_said said;
    need_memory(words != NULL);
    add(words, "sbatch", "");
    add(words, "--parsable", "");
    add_options(words, job->option);
    add(words, "--job-name=", job->name);
    add(words, "--output=", job->log);
    if (job->tasks)
        add_number(words, "--array=0-", job->tasks - 1);
    if (job->after)
        add(words, "--dependency=afterany:", job->after);
    if (job->cpus)
        add_number(words, "--cpus-per-task=", job->cpus);
    add(words, job->script, "");
    enum status status = program_run(words->argv, &said, diag);
    if (status == STATUS_OK && said.code != 0)
        status = fail_said("sbatch", &said, diag);
    if (status == STATUS_OK) /* "JOB" or "JOB;CLUSTER" */
        snprintf(id, SLURM_ID, "%.*s", (int)strcspn(said.out, ";\n"), said.out);
    program_said_release(&said);
    free(words);
    return status;
}

/* -- asking ------------------------------------------------------------------------------------ */

enum status slurm_live(const char *name, bool *live, uint32_t tasks, uint32_t *count,
                       uint32_t *running, struct diag *diag)
{
    char by_name[WORD];
    struct program_said said;
    snprintf(by_name, sizeof by_name, "--name=%s", name);
    const char *const argv[] = {"squeue", "--noheader", "--array", by_name, "--format=%K %T", NULL};
    *count = *running = 0;
    memset(live, 0, tasks * sizeof *live);
    enum status status = program_run(argv, &said, diag);
    if (status == STATUS_OK && said.code != 0)
        status = fail_said("squeue", &said, diag);
    for (const char *at = said.out; status == STATUS_OK && *at; at += strcspn(at, "\n")) {
        at += strspn(at, "\n ");
        uint64_t task = 0;
        size_t length = strcspn(at, " \n");
        if (!decimal_u64(at, length, &task) || task >= tasks || live[task])
            continue;
        live[task] = true;
        ++*count;
        *running += at[length] == ' ' && strncmp(at + length + 1, "PENDING", 7) != 0;
    }
    program_said_release(&said);
    return status;
}
