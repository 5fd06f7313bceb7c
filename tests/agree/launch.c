#define _DEFAULT_SOURCE /* wait4 */
#include "tests/agree/launch.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/table.h"

static void output_path(char *to, size_t size, const struct launch *launch, const char *suffix)
{
    snprintf(to, size, "%s/%s.%s", launch->folder, launch->tag, suffix);
}

static bool redirect(const struct launch *launch, const char *suffix, int to)
{
    char path[640];
    output_path(path, sizeof path, launch, suffix);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    return fd >= 0 && dup2(fd, to) >= 0;
}

bool launch_start(struct launch *launch, char *const *argv, unsigned wall_limit_s)
{
    fflush(NULL);
    launch->pid = fork();
    if (launch->pid != 0)
        return launch->pid > 0;
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || !redirect(launch, "out", STDOUT_FILENO) ||
        !redirect(launch, "err", STDERR_FILENO))
        _exit(126);
    alarm(wall_limit_s);
    execv(argv[0], argv);
    dprintf(STDERR_FILENO, "cannot run %s\n", argv[0]);
    _exit(127);
}

/*
 * One line "sys[R] finished, N cycles, exposed communication M cycles.", whatever stands before it
 * (ASTRA-sim writes a time stamp there).
 */
static bool parse_line(const char *line, uint32_t *rank, uint64_t *cycles, uint64_t *exposed)
{
    const char *at = strstr(line, "sys[");
    int end = 0;
    if (at == NULL)
        return false;
    int fields = sscanf(at,
                        "sys[%" SCNu32 "] finished, %" SCNu64
                        " cycles, exposed communication %" SCNu64 " cycles.%n",
                        rank, cycles, exposed, &end);
    return fields == 3 && end > 0 && at[end] == '\0';
}

static void take_line(struct outcome *outcome, const char *line)
{
    uint32_t rank;
    uint64_t cycles, exposed;
    if (!parse_line(line, &rank, &cycles, &exposed) || rank >= outcome->npus ||
        outcome->rank[rank].seen) {
        outcome->odd_lines++;
        return;
    }
    outcome->rank[rank] = (struct rank_line){true, cycles, exposed};
    outcome->finished++;
}

static void read_stdout(struct outcome *outcome, const char *path)
{
    struct file file;
    struct diag diag = DIAG_NONE;
    if (file_load(&file, path, FILE_NO_LIMIT, &diag) != STATUS_OK)
        return;
    outcome->stdout_hash = hash_bytes(file.bytes, file.length, 0);
    const char *at = (const char *)file.bytes, *end = at + file.length;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop == NULL ? end : stop) - at);
        char line[256];
        snprintf(line, sizeof line, "%.*s", (int)(length < 255 ? length : 255), at);
        take_line(outcome, line);
        at += length + 1;
    }
    file_release(&file);
}

static void read_stderr(struct outcome *outcome, const char *path)
{
    FILE *in = fopen(path, "r");
    if (in == NULL)
        return;
    if (fgets(outcome->first_error, sizeof outcome->first_error, in) == NULL)
        outcome->first_error[0] = '\0';
    outcome->first_error[strcspn(outcome->first_error, "\n")] = '\0';
    fclose(in);
}

static void fill_outcome(struct launch *launch, int wait_status, const struct rusage *usage)
{
    struct outcome *outcome = launch->outcome;
    char path[640];
    outcome->exit_code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
    outcome->signal_number = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
    outcome->timed_out = outcome->signal_number == SIGALRM;
    outcome->user_s = (double)usage->ru_utime.tv_sec + 1e-6 * (double)usage->ru_utime.tv_usec;
    outcome->peak_rss_kb = (uint64_t)usage->ru_maxrss;
    output_path(path, sizeof path, launch, "out");
    read_stdout(outcome, path);
    unlink(path);
    output_path(path, sizeof path, launch, "err");
    read_stderr(outcome, path);
    unlink(path);
}

int launch_reap(struct launch *launches, int count)
{
    int running = 0;
    for (int i = 0; i < count; i++)
        running += launches[i].pid > 0;
    while (running > 0) {
        struct rusage usage;
        int wait_status;
        pid_t pid = wait4(-1, &wait_status, 0, &usage);
        if (pid < 0)
            return -1;
        for (int i = 0; i < count; i++) {
            if (launches[i].pid != pid)
                continue;
            fill_outcome(&launches[i], wait_status, &usage);
            launches[i].pid = 0;
            return i;
        }
    }
    return -1;
}

void outcome_init(struct outcome *outcome, uint32_t npus)
{
    memset(outcome, 0, sizeof *outcome);
    outcome->npus = npus;
    outcome->rank = calloc(npus > 0 ? npus : 1, sizeof *outcome->rank);
    promise(outcome->rank != NULL);
}

void outcome_release(struct outcome *outcome)
{
    free(outcome->rank);
    outcome->rank = NULL;
}
