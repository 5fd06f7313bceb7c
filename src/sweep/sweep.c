#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/workers.h"
#include "sweep/sweep_parts.h"

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
    const struct sweep_part *part = sweep->options->part;
    progress_tick(sweep->progress, false);
    if (part)
        progress_save(sweep->progress, part->progress);
}

static bool is_of_machine(const char *state)
{
    for (size_t i = WORK_CRASHED; i < sizeof states / sizeof *states; i++) {
        if (strcmp(state, states[i]) == 0)
            return true;
    }
    return false;
}

static uint32_t wanted_count(const struct sweep *sweep)
{
    const struct sweep_part *part = sweep->options->part;
    return part ? part->count : sweep->points.count;
}

static uint32_t wanted(const struct sweep *sweep, uint32_t i)
{
    const struct sweep_part *part = sweep->options->part;
    return part ? part->ordinal[i] : i;
}

/* What the store has is not run; an unreadable file may be readable now. */
void sweep_ask_store(struct sweep *sweep)
{
    uint32_t count = wanted_count(sweep);
    if (!sweep->todo)
        sweep->todo = arena_array(&sweep->arena, count, sizeof *sweep->todo);
    sweep->todo_count = 0;
    store_begin_finding(sweep->store);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = wanted(sweep, i);
        struct point_result result;
        bool is_there = store_find(sweep->store, sweep->request[at], &result) &&
                        strcmp(result.state, "io") != 0 &&
                        !(sweep->options->retry && is_of_machine(result.state));
        if (is_there)
            progress_add(sweep->progress, at, &result, true);
        else
            sweep->todo[sweep->todo_count++] = at;
    }
    store_end_finding(sweep->store);
}

void sweep_count_ended(struct sweep *sweep)
{
    store_begin_finding(sweep->store);
    for (uint32_t i = 0; i < sweep->points.count; i++) {
        struct point_result result;
        if (store_find(sweep->store, sweep->request[i], &result))
            progress_add(sweep->progress, i, &result, true);
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
    for (uint32_t i = 0; sweep->ops->warm && i < sweep->todo_count; i++)
        sweep->ops->warm(sweep->context, sweep->points.place[sweep->todo[i]]);
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

/* A part was planned by another process, of the same program as long as nobody changed it. */
static enum status check_part(const struct sweep *sweep, uint32_t i, struct diag *diag)
{
    const struct sweep_part *part = sweep->options->part;
    if (!part || identity_equal(sweep->request[part->ordinal[i]], part->request[i]))
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG, "the program is not the one that submitted this study");
    diag_hint(diag, "give the sweep command again: it submits what has no result yet");
    return STATUS_BAD_CONFIG;
}

enum status sweep_prepare(struct sweep *sweep, struct diag *diag)
{
    const struct study *study = sweep->study;
    arena_init(&sweep->arena);
    enum status status = points_find(&sweep->points, study, &sweep->arena, diag);
    uint32_t count = wanted_count(sweep);
    if (status == STATUS_OK)
        status = progress_init(sweep->progress, sweep->options->show, count, study->best, diag);
    if (status != STATUS_OK)
        return status;
    sweep->request = arena_array(&sweep->arena, sweep->points.count, sizeof *sweep->request);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        uint32_t at = wanted(sweep, i);
        promise(at < sweep->points.count);
        sweep->request[at] =
            identity_of_request(study, sweep->points.place[at], sweep->options->program);
        status = check_part(sweep, i, diag);
    }
    return status;
}

/* A part's store needs no list of the study's points: its rows go to another. */
static enum status open_store(struct sweep *sweep, struct diag *diag)
{
    const struct sweep_options *options = sweep->options;
    sweep->store = options->part ? store_open_alone(options->store, 0, diag)
                                 : store_open(options->store, true, diag);
    if (!sweep->store)
        return diag->status;
    return options->part ? STATUS_OK
                         : store_set_study(sweep->store, sweep->study, &sweep->points,
                                           sweep->request, options->program, diag);
}

void sweep_release(struct sweep *sweep)
{
    store_close(sweep->store);
    sweep->store = NULL;
    input_list_release(&sweep->inputs);
    free(sweep->reply);
    arena_release(&sweep->arena);
}

enum status sweep_run(const struct study *study, const struct sweep_options *options,
                      const struct sweep_ops *ops, void *context, struct progress *progress,
                      struct diag *diag)
{
    struct sweep sweep = {
        .study = study, .options = options, .ops = ops, .context = context, .progress = progress};
    *progress = (struct progress){.total = 0};
    enum status status = sweep_prepare(&sweep, diag);
    if (status == STATUS_OK)
        status = open_store(&sweep, diag);
    if (status == STATUS_OK) {
        sweep_ask_store(&sweep);
        if (sweep.todo_count)
            status = run_rest(&sweep, diag);
        progress_clear(progress);
        if (options->part)
            progress_save(progress, options->part->progress);
    }
    sweep_release(&sweep);
    return status;
}
