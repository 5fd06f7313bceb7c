#include "base/loop.h"

#include <signal.h>
#include <stdlib.h>

/* libev's headers alias its watcher types by design. */
#define EV_STRICT_ALIASING 1
#include <ev.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/watch.h"

struct loop_fd {
    struct loop *loop;
    struct loop_fd *next, **link; /* *link is this one */
    ev_io io;
    loop_call *call;
    void *context;
};

struct loop_timer {
    struct loop *loop;
    struct loop_timer *next, **link;
    ev_timer timer;
    loop_call *call;
    void *context;
};

struct loop {
    struct ev_loop *ev;
    struct loop_fd *fds;
    struct loop_timer *timers;
    ev_signal interrupt, terminate;
    bool is_signalled;
};

static void on_signal(struct ev_loop *ev, ev_signal *signal, int events)
{
    (void)events;
    struct loop *loop = signal->data;
    loop->is_signalled = true;
    ev_break(ev, EVBREAK_ALL);
}

static void on_readable(struct ev_loop *ev, ev_io *io, int events)
{
    (void)ev;
    (void)events;
    struct loop_fd *source = io->data;
    source->call(source->context);
}

static void on_timer(struct ev_loop *ev, ev_timer *timer, int events)
{
    (void)ev;
    (void)events;
    struct loop_timer *source = timer->data;
    source->call(source->context);
}

struct loop *loop_create(void)
{
    struct loop *loop = calloc(1, sizeof *loop);
    need_memory(loop != NULL);
    loop->ev = ev_loop_new(EVFLAG_AUTO);
    if (!loop->ev) {
        free(loop);
        return NULL;
    }
    ev_signal_init(&loop->interrupt, on_signal, SIGINT);
    ev_signal_init(&loop->terminate, on_signal, SIGTERM);
    loop->interrupt.data = loop->terminate.data = loop;
    return loop;
}

void loop_destroy(struct loop *loop)
{
    if (!loop)
        return;
    while (loop->fds)
        loop_fd_remove(loop->fds);
    while (loop->timers)
        loop_timer_remove(loop->timers);
    ev_loop_destroy(loop->ev);
    free(loop);
}

bool loop_run(struct loop *loop)
{
    loop->is_signalled = false;
    ev_signal_start(loop->ev, &loop->interrupt);
    ev_signal_start(loop->ev, &loop->terminate);
    ev_run(loop->ev, 0);
    ev_signal_stop(loop->ev, &loop->interrupt);
    ev_signal_stop(loop->ev, &loop->terminate);
    watch_signals(); /* libev gave back the defaults */
    return loop->is_signalled;
}

void loop_stop(struct loop *loop)
{
    ev_break(loop->ev, EVBREAK_ALL);
}

double loop_now_s(const struct loop *loop)
{
    (void)loop;
    return clock_now_s();
}

struct loop_fd *loop_fd_add(struct loop *loop, int fd, loop_call *call, void *context)
{
    struct loop_fd *source = calloc(1, sizeof *source);
    need_memory(source != NULL);
    *source = (struct loop_fd){.loop = loop, .link = &loop->fds, .call = call, .context = context};
    source->next = loop->fds;
    if (source->next)
        source->next->link = &source->next;
    loop->fds = source;
    ev_io_init(&source->io, on_readable, fd, EV_READ);
    source->io.data = source;
    ev_io_start(loop->ev, &source->io);
    return source;
}

void loop_fd_remove(struct loop_fd *source)
{
    if (!source)
        return;
    ev_io_stop(source->loop->ev, &source->io);
    *source->link = source->next;
    if (source->next)
        source->next->link = source->link;
    free(source);
}

struct loop_timer *loop_timer_add(struct loop *loop, loop_call *call, void *context)
{
    struct loop_timer *timer = calloc(1, sizeof *timer);
    need_memory(timer != NULL);
    *timer =
        (struct loop_timer){.loop = loop, .link = &loop->timers, .call = call, .context = context};
    timer->next = loop->timers;
    if (timer->next)
        timer->next->link = &timer->next;
    loop->timers = timer;
    ev_timer_init(&timer->timer, on_timer, 0, 0);
    timer->timer.data = timer;
    return timer;
}

void loop_timer_remove(struct loop_timer *timer)
{
    if (!timer)
        return;
    ev_timer_stop(timer->loop->ev, &timer->timer);
    *timer->link = timer->next;
    if (timer->next)
        timer->next->link = timer->link;
    free(timer);
}

void loop_timer_start(struct loop_timer *timer, double after_s)
{
    struct ev_loop *ev = timer->loop->ev;
    ev_timer_stop(ev, &timer->timer);
    ev_now_update(ev);
    ev_timer_set(&timer->timer, after_s > 0 ? after_s : 0, 0);
    ev_timer_start(ev, &timer->timer);
}

void loop_timer_stop(struct loop_timer *timer)
{
    ev_timer_stop(timer->loop->ev, &timer->timer);
}

bool loop_timer_is_on(const struct loop_timer *timer)
{
    return ev_is_active(&timer->timer);
}
