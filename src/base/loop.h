/*
 * loop - an event loop for a program that waits for many things: descriptors, timers, signals
 * (libev).
 *
 * Rules:
 *  1. A loop is for a process that serves; runs and pools of processes have their own (watch,
 *     workers). One at a time: it takes SIGINT and SIGTERM from loop_run() to its end.
 *  2. A source is the caller's until loop_*_remove(), which its own call may do; what is left is
 *     removed with the loop.
 *  3. Calls come one after the other, never from a signal handler. Nothing here starts a thread.
 *  4. In a forked process the loop is not to be used.
 */
#ifndef ORRERY_BASE_LOOP_H
#define ORRERY_BASE_LOOP_H

#include <stdbool.h>

struct loop;
struct loop_fd;
struct loop_timer;

typedef void loop_call(void *context);

/* NULL if the system refuses one. */
struct loop *loop_create(void);
void loop_destroy(struct loop *loop);

/* Until loop_stop() or a signal; true: a signal. */
bool loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

/* Seconds of a clock that never goes back, as of the event that is being served. */
double loop_now_s(const struct loop *loop);

/* Calls as long as `fd` can be read without waiting (or is at its end). */
struct loop_fd *loop_fd_add(struct loop *loop, int fd, loop_call *call, void *context);
void loop_fd_remove(struct loop_fd *source); /* NULL: nothing */

/* A timer that stands still. */
struct loop_timer *loop_timer_add(struct loop *loop, loop_call *call, void *context);
void loop_timer_remove(struct loop_timer *timer); /* NULL: nothing */

/* Once, `after_s` from now; instead of what was asked before. */
void loop_timer_start(struct loop_timer *timer, double after_s);
void loop_timer_stop(struct loop_timer *timer);
bool loop_timer_is_on(const struct loop_timer *timer);

#endif
