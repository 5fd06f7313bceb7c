/* A worker's own side, and what the master sees of it from outside. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/workers_parts.h"

/* -- in the worker ----------------------------------------------------------------------------- */

static bool read_all(int fd, void *to, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = read(fd, (char *)to + done, size - done);
        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* A signal to the terminal's group is for the master, who ends the workers. */
static void become_worker(const struct worker *worker, pid_t master)
{
    child_begin(master);
    signal(SIGTERM, SIG_IGN); /* who ends all processes of a job means the master */
    if (worker->words)
        dup2(fileno(worker->words), STDERR_FILENO);
    const struct pool *pool = worker->pool;
    for (uint32_t i = 0; i < pool->options->count; i++) {
        if (i == worker->index || pool->worker[i].to < 0)
            continue;
        close(pool->worker[i].to);
        close(pool->worker[i].from);
    }
    placement_bind(pool->options->placement, worker->index);
}

_Noreturn void worker_serve(const struct worker *worker, pid_t master, int tasks, int replies)
{
    const struct pool *pool = worker->pool;
    uint64_t task;
    become_worker(worker, master);
    while (read_all(tasks, &task, sizeof task)) {
        const void *reply = NULL;
        uint64_t length = pool->ops->work(pool->context, task, &reply);
        if (!child_write(replies, &length, sizeof length) || !child_write(replies, reply, length))
            break;
    }
    _exit(0);
}

/* -- seen from the master ---------------------------------------------------------------------- */

/* The last line that is no hint. */
static void last_words(struct worker *worker, char *to, size_t size)
{
    char line[256];
    *to = '\0';
    if (!worker->words)
        return;
    rewind(worker->words);
    while (fgets(line, sizeof line, worker->words)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] && line[0] != ' ')
            snprintf(to, size, "%s", line);
    }
}

void worker_describe(struct worker *worker, int how, struct work_outcome *outcome)
{
    const struct workers_options *options = worker->pool->options;
    char words[256], *reason = outcome->reason;
    size_t size = sizeof outcome->reason;
    last_words(worker, words, sizeof words);
    if (outcome->end == WORK_OVER_MEMORY && !worker->is_over)
        snprintf(reason, size, "%s", words);
    else if (outcome->end == WORK_OVER_TIME)
        snprintf(reason, size, "took longer than %g s", options->time_limit_s);
    else if (outcome->end == WORK_OVER_MEMORY)
        snprintf(reason, size, "took more than %.0f MB of memory",
                 (double)options->memory_limit_bytes / 1e6);
    else if (WIFSIGNALED(how))
        snprintf(reason, size, "signal %d (%s)%s%s", WTERMSIG(how), strsignal(WTERMSIG(how)),
                 words[0] ? ": " : "", words);
    else
        snprintf(reason, size, "exit code %d%s%s", WEXITSTATUS(how), words[0] ? ": " : "", words);
}

uint64_t worker_resident_bytes(pid_t pid)
{
    char path[64];
    unsigned long long all = 0, resident = 0;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    bool is_read = fscanf(file, "%llu %llu", &all, &resident) == 2;
    fclose(file);
    return is_read ? resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}
