#include "base/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/watch.h"
#include "base/workers_parts.h"

/* -- starting ---------------------------------------------------------------------------------- */

static void on_readable(struct ev_loop *loop, ev_io *io, int events);
static void on_child(struct ev_loop *loop, ev_child *child, int events);

static bool make_pipes(int task[2], int reply[2])
{
    if (pipe(task) != 0)
        return false;
    if (pipe(reply) == 0)
        return true;
    close(task[0]);
    close(task[1]);
    return false;
}

static void watch_worker(struct worker *worker)
{
    struct ev_loop *loop = worker->pool->loop;
    fcntl(worker->from, F_SETFL, O_NONBLOCK);
    ev_io_init(&worker->readable, on_readable, worker->from, EV_READ);
    ev_child_init(&worker->child, on_child, worker->pid, 0);
    worker->readable.data = worker->child.data = worker;
    ev_io_start(loop, &worker->readable);
    ev_child_start(loop, &worker->child);
}

/* False if the system refuses a process. */
static bool start_worker(struct worker *worker)
{
    int task[2], reply[2];
    if (!make_pipes(task, reply))
        return false;
    if (!worker->words)
        worker->words = tmpfile();
    fflush(NULL); /* what stands in buffers is the master's to write */
    pid_t master = getpid(), pid = fork();
    if (pid == 0) {
        close(task[1]);
        close(reply[0]);
        worker_serve(worker, master, task[0], reply[1]);
    }
    close(task[0]);
    close(reply[1]);
    if (pid < 0) {
        close(task[1]);
        close(reply[0]);
        return false;
    }
    worker->pid = pid;
    worker->to = task[1];
    worker->from = reply[0];
    worker->length = 0;
    worker->is_over = false;
    worker->pool->living++;
    watch_worker(worker);
    return true;
}

static void kill_worker(struct worker *worker, enum work_end end)
{
    if (worker->pid <= 0 || worker->is_over)
        return;
    worker->is_over = true;
    worker->end = end;
    kill(worker->pid, SIGKILL);
}

static void stop_pool(struct pool *pool, enum status status)
{
    if (pool->status == STATUS_OK)
        pool->status = status;
    ev_break(pool->loop, EVBREAK_ALL);
}

/* -- tasks ------------------------------------------------------------------------------------- */

static void send_task(struct worker *worker)
{
    struct pool *pool = worker->pool;
    worker->is_busy = true;
    pool->busy++;
    worker->start_s = clock_now_s();
    if (worker->words && ftruncate(fileno(worker->words), 0) == 0)
        rewind(worker->words);
    if (pool->options->time_limit_s > 0) {
        ev_timer_set(&worker->limit, pool->options->time_limit_s, 0);
        ev_now_update(pool->loop);
        ev_timer_start(pool->loop, &worker->limit);
    }
    /* A worker that is gone is told by its end. */
    (void)!child_write(worker->to, &worker->task, sizeof worker->task);
}

static void give_task(struct worker *worker)
{
    struct pool *pool = worker->pool;
    if (worker->is_busy || !worker->pid || pool->status != STATUS_OK)
        return;
    if (pool->ops->next(pool->context, &worker->task)) {
        worker->tries = 1;
        send_task(worker);
    } else if (pool->busy == 0) {
        stop_pool(pool, STATUS_OK);
    }
}

static void end_task(struct worker *worker, struct work_outcome *outcome)
{
    struct pool *pool = worker->pool;
    ev_timer_stop(pool->loop, &worker->limit);
    worker->is_busy = false;
    pool->busy--;
    outcome->tries = worker->tries;
    outcome->seconds = clock_now_s() - worker->start_s;
    enum status status = pool->ops->done(pool->context, worker->task, outcome, pool->diag);
    if (status != STATUS_OK)
        stop_pool(pool, status);
}

/* True once a whole reply is there. */
static bool has_reply(const struct worker *worker)
{
    uint64_t length = 0;
    if (worker->length < sizeof length)
        return false;
    memcpy(&length, worker->reply, sizeof length);
    return worker->length >= sizeof length + length;
}

static void take_reply(struct worker *worker)
{
    struct work_outcome outcome = {.end = WORK_DONE,
                                   .reply = worker->reply + sizeof(uint64_t),
                                   .length = worker->length - sizeof(uint64_t)};
    worker->length = 0;
    end_task(worker, &outcome);
}

/* Reads what there is; false at the end of the pipe. */
static bool drain(struct worker *worker)
{
    for (;;) {
        if (worker->room - worker->length < 4096) {
            worker->room = worker->room ? 2 * worker->room : 16384;
            worker->reply = realloc(worker->reply, worker->room);
            need_memory(worker->reply != NULL && worker->room <= 4 * WORKERS_REPLY_MOST);
        }
        ssize_t n =
            read(worker->from, worker->reply + worker->length, worker->room - worker->length);
        if (n > 0)
            worker->length += (size_t)n;
        else if (n == 0)
            return false;
        else if (errno != EINTR)
            return true;
    }
}

static void on_readable(struct ev_loop *loop, ev_io *io, int events)
{
    (void)events;
    struct worker *worker = io->data;
    if (!drain(worker))
        ev_io_stop(loop, io); /* its end says the rest */
    if (!worker->is_busy || !has_reply(worker) || worker->is_over)
        return;
    take_reply(worker);
    give_task(worker);
}

/* -- ends -------------------------------------------------------------------------------------- */

/* Its own limits apart: code 6 is memory (base/memory.h), SIGKILL is somebody else. */
static enum work_end why(const struct worker *worker, int how)
{
    if (worker->is_over)
        return worker->end;
    if (WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL)
        return WORK_KILLED;
    if (WIFEXITED(how) && WEXITSTATUS(how) == status_exit_code(STATUS_NO_MEMORY))
        return WORK_OVER_MEMORY;
    return WORK_CRASHED;
}

static void close_worker(struct worker *worker)
{
    struct pool *pool = worker->pool;
    ev_io_stop(pool->loop, &worker->readable);
    ev_child_stop(pool->loop, &worker->child);
    ev_timer_stop(pool->loop, &worker->limit);
    close(worker->to);
    close(worker->from);
    worker->to = worker->from = -1;
    worker->pid = 0;
    pool->living--;
}

static void replace_worker(struct worker *worker)
{
    struct pool *pool = worker->pool;
    if (start_worker(worker) || pool->living || pool->status != STATUS_OK)
        return;
    stop_pool(pool,
              diag_fail(pool->diag, STATUS_IO, "no worker can be started: %s", strerror(errno)));
}

static void on_child(struct ev_loop *loop, ev_child *child, int events)
{
    (void)loop;
    (void)events;
    struct worker *worker = child->data;
    struct pool *pool = worker->pool;
    int how = child->rstatus;
    drain(worker);
    struct work_outcome outcome = {.end = why(worker, how)};
    bool was_busy = worker->is_busy;
    if (was_busy && has_reply(worker)) {
        take_reply(worker); /* it died after its work */
        was_busy = false;
    }
    close_worker(worker);
    if (pool->status != STATUS_OK)
        return;
    bool again = was_busy && outcome.end == WORK_KILLED && worker->tries < WORKERS_TRIES;
    if (again) {
        replace_worker(worker);
        again = worker->pid > 0;
    }
    if (again) {
        worker->tries++;
        pool->busy--; /* send_task() counts it again */
        send_task(worker);
        return;
    }
    if (was_busy) {
        worker_describe(worker, how, &outcome);
        end_task(worker, &outcome);
    }
    if (!worker->pid)
        replace_worker(worker);
    give_task(worker);
}

static void on_limit(struct ev_loop *loop, ev_timer *timer, int events)
{
    (void)loop;
    (void)events;
    kill_worker(timer->data, WORK_OVER_TIME);
}

static void on_memory(struct ev_loop *loop, ev_timer *timer, int events)
{
    (void)loop;
    (void)events;
    struct pool *pool = timer->data;
    for (uint32_t i = 0; i < pool->options->count; i++) {
        struct worker *worker = &pool->worker[i];
        if (worker->is_busy && worker->pid &&
            worker_resident_bytes(worker->pid) > pool->options->memory_limit_bytes)
            kill_worker(worker, WORK_OVER_MEMORY);
    }
}

static void on_signal(struct ev_loop *loop, ev_signal *signal, int events)
{
    (void)loop;
    (void)events;
    struct pool *pool = signal->data;
    diag_fail(pool->diag, STATUS_INTERRUPTED, "stopped by a signal");
    stop_pool(pool, STATUS_INTERRUPTED);
}

static void on_tick(struct ev_loop *loop, ev_timer *timer, int events)
{
    (void)loop;
    (void)events;
    struct pool *pool = timer->data;
    pool->ops->tick(pool->context);
}

/* -- the pool ---------------------------------------------------------------------------------- */

static void start_watchers(struct pool *pool)
{
    ev_signal_init(&pool->interrupt, on_signal, SIGINT);
    ev_signal_init(&pool->terminate, on_signal, SIGTERM);
    ev_timer_init(&pool->tick, on_tick, 0.5, 0.5);
    ev_timer_init(&pool->memory, on_memory, 0.05, 0.05);
    pool->interrupt.data = pool->terminate.data = pool->tick.data = pool->memory.data = pool;
    ev_signal_start(pool->loop, &pool->interrupt);
    ev_signal_start(pool->loop, &pool->terminate);
    if (pool->ops->tick)
        ev_timer_start(pool->loop, &pool->tick);
    if (pool->options->memory_limit_bytes)
        ev_timer_start(pool->loop, &pool->memory);
}

static void stop_watchers(struct pool *pool)
{
    ev_signal_stop(pool->loop, &pool->interrupt);
    ev_signal_stop(pool->loop, &pool->terminate);
    ev_timer_stop(pool->loop, &pool->tick);
    ev_timer_stop(pool->loop, &pool->memory);
    watch_signals(); /* libev gave back the defaults */
}

static void end_workers(struct pool *pool)
{
    for (uint32_t i = 0; i < pool->options->count; i++) {
        struct worker *worker = &pool->worker[i];
        pid_t pid = worker->pid;
        if (pid > 0) {
            kill(pid, SIGKILL);
            close_worker(worker);
            while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
            }
        }
        if (worker->words)
            fclose(worker->words);
        free(worker->reply);
    }
}

static void start_workers(struct pool *pool)
{
    for (uint32_t i = 0; i < pool->options->count; i++) {
        struct worker *worker = &pool->worker[i];
        *worker = (struct worker){.pool = pool, .index = i, .to = -1, .from = -1};
        ev_timer_init(&worker->limit, on_limit, 0, 0);
        worker->limit.data = worker;
    }
    for (uint32_t i = 0; i < pool->options->count; i++)
        replace_worker(&pool->worker[i]);
    for (uint32_t i = 0; i < pool->options->count; i++)
        give_task(&pool->worker[i]);
}

enum status workers_run(const struct workers_options *options, const struct workers_ops *ops,
                        void *context, struct diag *diag)
{
    struct pool pool = {.options = options, .ops = ops, .context = context, .diag = diag};
    promise(options->count >= 1 && options->count <= WORKERS_MOST);
    pool.loop = ev_default_loop(EVFLAG_AUTO);
    if (!pool.loop)
        return diag_fail(diag, STATUS_IO, "the system gives no event loop");
    pool.worker = calloc(options->count, sizeof *pool.worker);
    need_memory(pool.worker != NULL);
    start_watchers(&pool);
    start_workers(&pool);
    if (pool.status == STATUS_OK && pool.busy)
        ev_run(pool.loop, 0);
    end_workers(&pool);
    stop_watchers(&pool);
    free(pool.worker);
    return pool.status;
}
