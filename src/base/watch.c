#include "base/watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* libev's headers alias its watcher types by design. */
#define EV_STRICT_ALIASING 1
#include <ev.h>

#include "base/memory.h"

struct watch {
    struct ev_loop *loop;
    ev_timer progress, limit;
    enum watch_reason reason;
    bool is_terminal, line_is_shown;
    time_ps now;
    uint64_t events, events_shown;
    double shown_s; /* loop time of the last progress line */
};

/* What a signal handler sees is global, and it must not see it half written: signals are held back
 * meanwhile. */
static char doomed[4096];
static volatile sig_atomic_t is_asked; /* to stop, while a run is watched; no poll has seen it */

static void hold_signals(sigset_t *before)
{
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGHUP);
    sigprocmask(SIG_BLOCK, &ours, before);
}

static void let_signals(const sigset_t *before)
{
    sigprocmask(SIG_SETMASK, before, NULL);
}

static sigset_t waiting_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

void watch_hold(bool is_held)
{
    sigset_t set = waiting_signals();
    sigprocmask(is_held ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

bool watch_pause(double seconds)
{
    sigset_t set = waiting_signals();
    struct timespec span = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    return sigtimedwait(&set, NULL, &span) < 0;
}

void watch_unlink(const char *path)
{
    sigset_t before;
    hold_signals(&before);
    if (!path || snprintf(doomed, sizeof doomed, "%s", path) >= (int)sizeof doomed)
        doomed[0] = '\0';
    let_signals(&before);
}

/* Only calls that are safe in a signal handler. */
static void end_at_once(int signal_number)
{
    static const char text[] = "orrery: interrupted: stopped by a signal\n";
    (void)signal_number;
    if (doomed[0])
        unlink(doomed);
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    _exit(written < 0 ? 130 : status_exit_code(STATUS_INTERRUPTED));
}

/* Rule 2: what does not poll, such as a long proof before the first event, is not waited for. */
static void ask_to_stop(int signal_number)
{
    (void)signal_number;
    is_asked = true;
    alarm(1);
}

static void take_signals(void (*call)(int signal_number))
{
    struct sigaction action = {.sa_handler = call, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = end_at_once;
    sigaction(SIGALRM, &action, NULL);
}

void watch_signals(void)
{
    take_signals(end_at_once);
    struct sigaction action = {.sa_handler = end_at_once};
    sigemptyset(&action.sa_mask);
    struct sigaction hangup; /* nohup ignores it: so do we then */
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

/* libev would abort(): exhausted memory ends the program as in an arena. */
static void *allocate(void *memory, long size)
{
    if (!size) {
        free(memory);
        return NULL;
    }
    void *moved = realloc(memory, (size_t)size);
    need_memory(moved != NULL);
    return moved;
}

static void on_limit(struct ev_loop *loop, ev_timer *timer, int events)
{
    (void)loop;
    (void)events;
    struct watch *watch = timer->data;
    if (watch->reason == WATCH_NONE)
        watch->reason = WATCH_WALL_LIMIT;
}

double watch_rate(uint64_t events, uint64_t events_before, double elapsed_s)
{
    uint64_t fresh = events >= events_before ? events - events_before : events;
    return elapsed_s > 0 ? (double)fresh / elapsed_s : 0;
}

static void on_progress(struct ev_loop *loop, ev_timer *timer, int events)
{
    (void)events;
    struct watch *watch = timer->data;
    double elapsed_s = ev_now(loop) - watch->shown_s;
    double rate = watch_rate(watch->events, watch->events_shown, elapsed_s);
    char time[32];
    fprintf(stderr, "%ssimulated %s, %.2f M events, %.2f M events/s%s",
            watch->is_terminal ? "\r\x1b[K" : "orrery: ",
            units_show_time(time, sizeof time, watch->now), (double)watch->events / 1e6, rate / 1e6,
            watch->is_terminal ? "" : "\n");
    watch->line_is_shown = watch->is_terminal;
    watch->events_shown = watch->events;
    watch->shown_s = ev_now(loop);
}

struct watch *watch_start(bool progress, double wall_limit_s)
{
    struct watch *watch = calloc(1, sizeof *watch);
    need_memory(watch != NULL);
    ev_set_allocator(allocate);
    watch->loop = ev_loop_new(EVFLAG_AUTO);
    if (!watch->loop) {
        free(watch);
        return NULL;
    }
    watch->is_terminal = isatty(STDERR_FILENO) != 0;
    watch->shown_s = ev_now(watch->loop);
    ev_timer_init(&watch->progress, on_progress, 1, 1);
    ev_timer_init(&watch->limit, on_limit, wall_limit_s, 0);
    watch->progress.data = watch->limit.data = watch;
    take_signals(ask_to_stop);
    if (progress)
        ev_timer_start(watch->loop, &watch->progress);
    if (wall_limit_s > 0)
        ev_timer_start(watch->loop, &watch->limit);
    return watch;
}

bool watch_poll(void *context, time_ps now, uint64_t events)
{
    struct watch *watch = context;
    watch->now = now;
    watch->events = events;
    ev_run(watch->loop, EVRUN_NOWAIT);
    if (is_asked) {
        is_asked = false;
        alarm(0);
        watch->reason = WATCH_SIGNAL;
    }
    return watch->reason == WATCH_NONE;
}

enum watch_reason watch_stop(struct watch *watch)
{
    if (!watch)
        return WATCH_NONE;
    if (watch->line_is_shown)
        fputs("\r\x1b[K", stderr);
    ev_timer_stop(watch->loop, &watch->progress);
    ev_timer_stop(watch->loop, &watch->limit);
    ev_loop_destroy(watch->loop);
    take_signals(end_at_once);
    if (is_asked)
        raise(SIGTERM); /* too late for a poll: as outside of a run */
    alarm(0);
    enum watch_reason reason = watch->reason;
    free(watch);
    return reason;
}
