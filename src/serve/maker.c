#include "serve/maker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/gzip.h"
#include "base/memory.h"

enum { LEAST_PACKED = 1024, NICER = 5 };
#define LARGEST_BODY ((size_t)1 << 30)

static const char text_type[] = "text/plain; charset=utf-8";

enum slot_state { SLOT_IDLE, SLOT_QUEUED, SLOT_RUNNING };

struct slot {
    struct maker *maker;
    char key[MAKER_KEY];
    const char *type;
    enum slot_state state;
    uint64_t asked;         /* in order of requests */
    uint64_t queued;        /* in order of the queue */
    struct body *body;      /* NULL: none yet */
    unsigned status;        /* of it */
    uint64_t version, next; /* of the body; of the one that is made */
    double fresh_s, limit_s;
    pid_t pid;
    int pipe;
    struct loop_fd *readable;
    struct loop_timer *limit;
    bool is_late;
    unsigned char *bytes; /* of the pipe */
    size_t length, room;
};

struct maker {
    struct loop *loop;
    const struct maker_ops *ops;
    void *context;
    struct slot slot[MAKER_SLOTS];
    uint32_t jobs;
    uint64_t count; /* of requests and of the queue */
};

/* What comes through the pipe first; then both arrays. */
struct made {
    unsigned status;
    size_t length, packed_length;
};

/* -- in the process ---------------------------------------------------------------------------- */

_Noreturn static void make(const struct slot *slot, pid_t parent, int to)
{
    const struct maker *maker = slot->maker;
    child_begin(parent);
    child_close_all_but(to);
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    setpriority(PRIO_PROCESS, 0, NICER); /* what is watched comes first */
    char *bytes = NULL;
    struct made made = {.status = 0};
    FILE *out = open_memstream(&bytes, &made.length);
    need_memory(out != NULL);
    made.status = maker->ops->make(maker->context, slot->key, out);
    need_memory(fclose(out) == 0);
    unsigned char *packed =
        made.length < LEAST_PACKED ? NULL : gzip_bytes(bytes, made.length, &made.packed_length);
    bool is_sent = child_write(to, &made, sizeof made) && child_write(to, bytes, made.length) &&
                   child_write(to, packed, made.packed_length);
    free(packed);
    free(bytes);
    _exit(is_sent ? 0 : 1);
}

/* -- in the server ----------------------------------------------------------------------------- */

static void start_queued(struct maker *maker);

/* NULL if what came is not whole. */
static struct body *read_made(struct slot *slot)
{
    struct made made;
    if (slot->length < sizeof made)
        return NULL;
    memcpy(&made, slot->bytes, sizeof made);
    if (slot->length - sizeof made != made.length + made.packed_length)
        return NULL;
    unsigned char *bytes = malloc(made.length + 1), *packed = NULL;
    need_memory(bytes != NULL);
    memcpy(bytes, slot->bytes + sizeof made, made.length);
    if (made.packed_length) {
        packed = malloc(made.packed_length);
        need_memory(packed != NULL);
        memcpy(packed, slot->bytes + sizeof made + made.length, made.packed_length);
    }
    slot->status = made.status;
    return body_create(made.status == 200 ? slot->type : text_type, bytes, made.length, packed,
                       made.packed_length);
}

static struct body *describe(struct slot *slot, int how)
{
    slot->status = slot->is_late ? 504 : 500;
    if (slot->is_late)
        return body_text(text_type, "504 this took longer than %g s\n", slot->limit_s);
    if (WIFSIGNALED(how))
        return body_text(text_type, "500 this could not be made: signal %d (%s)\n", WTERMSIG(how),
                         strsignal(WTERMSIG(how)));
    return body_text(text_type, "500 this could not be made: exit code %d\n", WEXITSTATUS(how));
}

static double bounded(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

/* Of a processor, by the children that have ended. */
static double children_s(void)
{
    struct rusage all = {0};
    getrusage(RUSAGE_CHILDREN, &all);
    return (double)(all.ru_utime.tv_sec + all.ru_stime.tv_sec) +
           (double)(all.ru_utime.tv_usec + all.ru_stime.tv_usec) / 1e6;
}

/* The process is waited for: it has closed its pipe, so it is about to end. */
static void close_job(struct slot *slot, int *how)
{
    kill(slot->pid, SIGKILL);
    while (waitpid(slot->pid, how, 0) < 0 && errno == EINTR) {
    }
    loop_fd_remove(slot->readable);
    loop_timer_remove(slot->limit);
    close(slot->pipe);
    slot->readable = NULL;
    slot->limit = NULL;
    slot->state = SLOT_IDLE;
    slot->maker->jobs--;
}

static void end_job(struct slot *slot)
{
    struct maker *maker = slot->maker;
    int how = 0;
    double before_s = children_s();
    close_job(slot, &how);
    double took_s = children_s() - before_s;
    body_drop(slot->body);
    slot->body = read_made(slot);
    if (!slot->body)
        slot->body = describe(slot, how);
    free(slot->bytes);
    slot->bytes = NULL;
    slot->length = slot->room = 0;
    double now_s = loop_now_s(maker->loop);
    slot->version = slot->next;
    slot->fresh_s = now_s + (slot->status == 200 ? bounded(200 * took_s, 0.25, 120) : 1);
    start_queued(maker);
    maker->ops->ready(maker->context);
}

static void on_limit(void *context)
{
    struct slot *slot = context;
    slot->is_late = true;
    kill(slot->pid, SIGKILL); /* its pipe ends with it */
}

static void on_readable(void *context)
{
    struct slot *slot = context;
    for (;;) {
        if (slot->room - slot->length < 65536) {
            slot->room = slot->room ? 2 * slot->room : 1 << 18;
            slot->bytes = realloc(slot->bytes, slot->room);
            need_memory(slot->bytes != NULL);
        }
        ssize_t n = read(slot->pipe, slot->bytes + slot->length, slot->room - slot->length);
        if (n > 0)
            slot->length += (size_t)n;
        else if (n < 0 && errno == EINTR)
            continue;
        else if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0 || slot->length > LARGEST_BODY) {
            end_job(slot);
            return;
        }
    }
}

static void fail_start(struct slot *slot)
{
    struct maker *maker = slot->maker;
    body_drop(slot->body);
    slot->body = body_text(text_type, "503 no process can be started: %s\n", strerror(errno));
    slot->status = 503;
    slot->version = slot->next;
    slot->fresh_s = loop_now_s(maker->loop) + 1;
    slot->state = SLOT_IDLE;
}

static void start_job(struct slot *slot)
{
    struct maker *maker = slot->maker;
    int ends[2];
    if (pipe(ends) != 0) {
        fail_start(slot);
        return;
    }
    fflush(NULL);
    pid_t parent = getpid();
    slot->pid = fork();
    if (slot->pid == 0)
        make(slot, parent, ends[1]);
    close(ends[1]);
    if (slot->pid < 0) {
        close(ends[0]);
        fail_start(slot);
        return;
    }
    slot->state = SLOT_RUNNING;
    slot->is_late = false;
    slot->pipe = ends[0];
    fcntl(slot->pipe, F_SETFD, FD_CLOEXEC);
    fcntl(slot->pipe, F_SETFL, O_NONBLOCK);
    slot->readable = loop_fd_add(maker->loop, slot->pipe, on_readable, slot);
    slot->limit = loop_timer_add(maker->loop, on_limit, slot);
    loop_timer_start(slot->limit, slot->limit_s);
    maker->jobs++;
}

/* The one that has waited longest. */
static struct slot *next_queued(struct maker *maker)
{
    struct slot *best = NULL;
    for (struct slot *slot = maker->slot; slot < maker->slot + MAKER_SLOTS; slot++) {
        if (slot->state == SLOT_QUEUED && (!best || slot->queued < best->queued))
            best = slot;
    }
    return best;
}

static void start_queued(struct maker *maker)
{
    struct slot *slot;
    while (maker->jobs < MAKER_JOBS && (slot = next_queued(maker)))
        start_job(slot);
}

/* -- slots ------------------------------------------------------------------------------------- */

/* NULL if all are at work. */
static struct slot *find_slot(struct maker *maker, const struct maker_order *order)
{
    struct slot *oldest = NULL;
    for (struct slot *slot = maker->slot; slot < maker->slot + MAKER_SLOTS; slot++) {
        if (strcmp(slot->key, order->key) == 0)
            return slot;
        if (slot->state == SLOT_IDLE && (!oldest || slot->asked < oldest->asked))
            oldest = slot;
    }
    if (!oldest)
        return NULL;
    body_drop(oldest->body);
    *oldest = (struct slot){.maker = maker, .type = order->type};
    promise(strlen(order->key) < sizeof oldest->key);
    strcpy(oldest->key, order->key);
    return oldest;
}

static bool is_good(const struct slot *slot, const struct maker_order *order, double now_s)
{
    if (!slot->body)
        return false;
    if (slot->status != 200)
        return now_s < slot->fresh_s;
    return slot->version == order->version || (!order->is_final && now_s < slot->fresh_s);
}

enum server_turn maker_get(struct maker *maker, const struct maker_order *order,
                           struct server_reply *reply)
{
    struct slot *slot = find_slot(maker, order);
    if (!slot) {
        *reply = (struct server_reply){.status = 503, .retry_after_s = 2};
        return SERVER_REPLY;
    }
    slot->asked = ++maker->count;
    if (slot->state == SLOT_IDLE && !is_good(slot, order, loop_now_s(maker->loop))) {
        slot->state = SLOT_QUEUED;
        slot->queued = ++maker->count;
        slot->next = order->version;
        slot->limit_s = order->limit_s;
        start_queued(maker);
    }
    if (slot->state != SLOT_IDLE)
        return SERVER_WAIT;
    *reply = (struct server_reply){.status = slot->status, .body = slot->body};
    return SERVER_REPLY;
}

/* -- life -------------------------------------------------------------------------------------- */

struct maker *maker_create(struct loop *loop, const struct maker_ops *ops, void *context)
{
    struct maker *maker = calloc(1, sizeof *maker);
    need_memory(maker != NULL);
    *maker = (struct maker){.loop = loop, .ops = ops, .context = context};
    for (int i = 0; i < MAKER_SLOTS; i++)
        maker->slot[i].maker = maker;
    return maker;
}

void maker_destroy(struct maker *maker)
{
    if (!maker)
        return;
    for (struct slot *slot = maker->slot; slot < maker->slot + MAKER_SLOTS; slot++) {
        int how;
        if (slot->state == SLOT_RUNNING)
            close_job(slot, &how);
        body_drop(slot->body);
        free(slot->bytes);
    }
    free(maker);
}
