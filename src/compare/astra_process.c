#include "compare/astra_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/watch.h"

#define MOST_LOG_BYTES ((rlim_t)4 << 30)

static double now_s(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* -- in the child ------------------------------------------------------------------------------ */

static void usual_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGALRM, SIGCHLD};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool open_streams(const struct process *process)
{
    int nothing = open("/dev/null", O_RDONLY);
    int log = open(process->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (nothing < 0 || log < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(log, STDOUT_FILENO) < 0 ||
        dup2(log, STDERR_FILENO) < 0)
        return false;
    return chdir(process->folder) == 0;
}

/* Never returns: writes errno to `failed` if the program did not start. */
static _Noreturn void become(const struct process *process, pid_t parent, int failed)
{
    const struct rlimit no_core = {0, 0}, log = {MOST_LOG_BYTES, MOST_LOG_BYTES};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    setpgid(0, 0);
    usual_signals();
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_FSIZE, &log);
    if (open_streams(process))
        execvp(process->words[0], (char *const *)process->words);
    int error = errno;
    ssize_t written = write(failed, &error, sizeof error);
    _exit(written < 0 ? 126 : 127);
}

/* -- in the parent ----------------------------------------------------------------------------- */

/* The error with which the child failed to start, or 0. */
static int start_error(int failed)
{
    int error = 0;
    ssize_t got;
    do
        got = read(failed, &error, sizeof error);
    while (got < 0 && errno == EINTR);
    return got == sizeof error ? error : 0;
}

static enum status await(const struct process *process, pid_t child, struct process_end *end,
                         struct watch *watch)
{
    double begin_s = now_s();
    enum status status = STATUS_OK;
    bool is_stopped = false;
    while (waitpid(child, &end->how, is_stopped ? 0 : WNOHANG) != child) {
        static const struct timespec pause = {0, 5000000};
        if (is_stopped)
            continue; /* EINTR */
        nanosleep(&pause, NULL);
        if (watch && !watch_poll(watch, 0, 0))
            status = STATUS_INTERRUPTED;
        end->is_over_time = process->limit_s > 0 && now_s() - begin_s > process->limit_s;
        is_stopped = status != STATUS_OK || end->is_over_time;
        if (is_stopped)
            kill(-child, SIGKILL);
    }
    kill(-child, SIGKILL); /* what it left behind */
    end->seconds = now_s() - begin_s;
    end->is_good = !is_stopped && WIFEXITED(end->how) && WEXITSTATUS(end->how) == 0;
    struct rusage usage = {0};
    getrusage(RUSAGE_CHILDREN, &usage);
    end->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
    return status;
}

static enum status fail_start(const struct process *process, int error, struct diag *diag)
{
    diag_fail(diag, STATUS_IO, "cannot be run: %s", strerror(error));
    diag_in(diag, process->words[0]);
    return STATUS_IO;
}

enum status process_run(const struct process *process, struct process_end *end, struct diag *diag)
{
    int failed[2];
    pid_t parent = getpid();
    *end = (struct process_end){0};
    if (pipe(failed) != 0 || fcntl(failed[0], F_SETFD, FD_CLOEXEC) != 0 ||
        fcntl(failed[1], F_SETFD, FD_CLOEXEC) != 0)
        return fail_start(process, errno, diag);
    struct watch *watch = watch_start(false, 0);
    pid_t child = fork();
    if (child == 0)
        become(process, parent, failed[1]);
    int fork_error = child < 0 ? errno : 0;
    close(failed[1]);
    enum status status = STATUS_OK;
    int error = fork_error;
    if (child > 0) {
        setpgid(child, child); /* whoever comes first */
        error = start_error(failed[0]);
        status = await(process, child, end, watch);
    }
    close(failed[0]);
    enum watch_reason reason = watch_stop(watch);
    if (error)
        return fail_start(process, error, diag);
    if (status == STATUS_INTERRUPTED || reason == WATCH_SIGNAL)
        status = diag_fail(diag, STATUS_INTERRUPTED, "stopped by a signal; so was %.200s",
                           process->words[0]);
    return status;
}

const char *process_describe(const struct process_end *end, char *to, size_t size)
{
    if (WIFSIGNALED(end->how))
        snprintf(to, size, "signal %d (%s)", WTERMSIG(end->how), strsignal(WTERMSIG(end->how)));
    else
        snprintf(to, size, "exit code %d", WEXITSTATUS(end->how));
    return to;
}
