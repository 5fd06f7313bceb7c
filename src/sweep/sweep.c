#include "sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/workers.h"
#include "sweep/points.h"
#include "sweep/store.h"

struct sweep {
    const struct study *study;
    const struct sweep_options *options;
    const struct sweep_ops *ops;
    void *context;
    struct progress *progress;
    struct arena arena;
    struct points points;
    struct identity *request; /* [points.count] */
    uint32_t *todo;           /* ordinals without a result */
    uint32_t todo_count, next;
    struct store *store;
    struct input_list inputs;
    unsigned char *reply; /* of a worker */
    size_t reply_room;
};

/* What a worker sends: this, then the inputs. */
struct reply_head {
    struct point_result result;
    uint32_t input_count;
};

/* -- in a worker ------------------------------------------------------------------------------- */

static size_t work(void *context, uint64_t task, const void **reply)
{
    struct sweep *sweep = context;
    struct reply_head head;
    sweep->inputs.count = 0;
    point_result_clear(&head.result, "");
    sweep->ops->run(sweep->context, sweep->points.place[task], &head.result, &sweep->inputs);
    head.input_count = sweep->inputs.count;
    size_t files = sweep->inputs.count * sizeof *sweep->inputs.file;
    if (sizeof head + files > sweep->reply_room) {
        sweep->reply_room = sizeof head + files;
        sweep->reply = realloc(sweep->reply, sweep->reply_room);
        need_memory(sweep->reply != NULL);
    }
    memcpy(sweep->reply, &head, sizeof head);
    if (files)
        memcpy(sweep->reply + sizeof head, sweep->inputs.file, files);
    *reply = sweep->reply;
    return sizeof head + files;
}

/* -- in the master ----------------------------------------------------------------------------- */

static bool next(void *context, uint64_t *task)
{
    struct sweep *sweep = context;
    if (sweep->next == sweep->todo_count)
        return false;
    *task = sweep->todo[sweep->next++];
    return true;
}

static const char *const states[] = {[WORK_CRASHED] = "crash",
                                     [WORK_OVER_TIME] = "time-limit",
                                     [WORK_OVER_MEMORY] = "memory-limit",
                                     [WORK_KILLED] = "killed"};

static void read_reply(struct reply_head *head, const struct work_outcome *outcome)
{
    promise(outcome->length >= sizeof *head);
    memcpy(head, outcome->reply, sizeof *head);
    promise(outcome->length == sizeof *head + head->input_count * sizeof(struct input_file));
}

static enum status done(void *context, uint64_t task, const struct work_outcome *outcome,
                        struct diag *diag)
{
    struct sweep *sweep = context;
    struct reply_head head = {.input_count = 0};
    const struct input_file *files;
    if (outcome->end == WORK_DONE) {
        read_reply(&head, outcome);
        files = (const struct input_file *)(const void *)((const unsigned char *)outcome->reply +
                                                          sizeof head);
    } else {
        point_result_clear(&head.result, states[outcome->end]);
        memcpy(head.result.reason, outcome->reason, sizeof outcome->reason);
        sweep->inputs.count = 0;
        sweep->ops->named(sweep->context, sweep->points.place[task], &sweep->inputs);
        files = sweep->inputs.file;
        head.input_count = sweep->inputs.count;
    }
    head.result.host_s = outcome->seconds;
    progress_add(sweep->progress, (uint32_t)task, &head.result, false);
    return store_put(sweep->store, sweep->request[task], &head.result, files, head.input_count,
                     outcome->tries, diag);
}

static void tick(void *context)
{
    struct sweep *sweep = context;
    progress_tick(sweep->progress, false);
}

static bool is_of_machine(const char *state)
{
    for (size_t i = WORK_CRASHED; i < sizeof states / sizeof *states; i++) {
        if (strcmp(state, states[i]) == 0)
            return true;
    }
    return false;
}

/* What the store has is not run; an unreadable file may be readable now. */
static void ask_store(struct sweep *sweep)
{
    sweep->todo = arena_array(&sweep->arena, sweep->points.count, sizeof *sweep->todo);
    store_begin_finding(sweep->store);
    for (uint32_t i = 0; i < sweep->points.count; i++) {
        struct point_result result;
        bool is_there = store_find(sweep->store, sweep->request[i], &result) &&
                        strcmp(result.state, "io") != 0 &&
                        !(sweep->options->retry && is_of_machine(result.state));
        if (is_there)
            progress_add(sweep->progress, i, &result, true);
        else
            sweep->todo[sweep->todo_count++] = i;
    }
    store_end_finding(sweep->store);
}

static enum status run_rest(struct sweep *sweep, struct diag *diag)
{
    static const struct workers_ops ops = {work, next, done, tick};
    const struct sweep_options *given = sweep->options;
    const struct study *study = sweep->study;
    uint32_t count = given->workers ? given->workers : placement_cores();
    if (count > sweep->todo_count)
        count = sweep->todo_count;
    struct placement *placement = given->is_unbound ? NULL : placement_create(count);
    struct workers_options options = {
        .count = count,
        .time_limit_s = given->time_limit_s > 0 ? given->time_limit_s : study->time_limit_s,
        .memory_limit_bytes = given->memory_limit_bytes   ? given->memory_limit_bytes
                              : study->memory_limit_bytes ? study->memory_limit_bytes
                                                          : memory_limit() / count,
        .placement = placement,
    };
    enum status status = workers_run(&options, &ops, sweep, diag);
    placement_destroy(placement);
    return status;
}

static enum status prepare(struct sweep *sweep, struct diag *diag)
{
    const struct study *study = sweep->study;
    enum status status = points_find(&sweep->points, study, &sweep->arena, diag);
    if (status == STATUS_OK)
        status = progress_init(sweep->progress, sweep->options->show, sweep->points.count,
                               study->best, diag);
    if (status != STATUS_OK)
        return status;
    sweep->request = arena_array(&sweep->arena, sweep->points.count, sizeof *sweep->request);
    for (uint32_t i = 0; i < sweep->points.count; i++)
        sweep->request[i] =
            identity_of_request(study, sweep->points.place[i], sweep->options->program);
    sweep->store = store_open(sweep->options->store, true, diag);
    if (!sweep->store)
        return diag->status;
    return store_set_study(sweep->store, study, &sweep->points, sweep->request,
                           sweep->options->program, diag);
}

enum status sweep_run(const struct study *study, const struct sweep_options *options,
                      const struct sweep_ops *ops, void *context, struct progress *progress,
                      struct diag *diag)
{
    struct sweep sweep = {
        .study = study, .options = options, .ops = ops, .context = context, .progress = progress};
    *progress = (struct progress){.total = 0};
    arena_init(&sweep.arena);
    enum status status = prepare(&sweep, diag);
    if (status == STATUS_OK) {
        ask_store(&sweep);
        if (sweep.todo_count)
            status = run_rest(&sweep, diag);
        progress_clear(progress);
    }
    store_close(sweep.store);
    input_list_release(&sweep.inputs);
    free(sweep.reply);
    arena_release(&sweep.arena);
    return status;
}
