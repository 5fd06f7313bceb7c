/*
 * Traces of PyTorch's profiler (Kineto): what the device did, one file a rank.
 *
 * Ops are events of category kernel, gpu_memcpy and gpu_memset, in either case. A kernel of a
 * communication library is communication, with kind, size and group from its arguments ("Collective
 * name", "In msg nelems", "dtype", "Group size") where it has them; every other kernel is compute;
 * copies are neither. Sizes are those of model/trace.h rule 5.
 *
 * Steps are annotations "ProfilerStep#N" of the host. Of a trace with several, the ops of one are
 * compared: those that begin within its annotation on the device if there is one, else on the host.
 * Which one, side_options.step_choice says; the usual one is that of median length. Begins count
 * from the step's, without steps from the first op's.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "compare/kinds.h"
#include "compare/trace_events.h"
#include "model/op.h"

struct kineto_op {
    struct instant begin;
    struct outcome_op op;
};

struct kineto_step {
    uint64_t number;
    struct instant begin;
    int64_t duration_ps;
};

struct kineto_steps {
    struct kineto_step *row;
    uint32_t count, room;
};

struct kineto {
    const struct reading *reading;
    struct arena arena;
    struct kineto_op *op;
    uint32_t count, room;
    struct kineto_steps host, device;
    int64_t rank; /* that the trace says, or -1 */
};

/* -- events ---------------------------------------------------------------------------------- */

static enum status take_step(struct kineto *kineto, struct kineto_steps *steps,
                             const struct trace_event *event)
{
    const char *number = event->name + strlen("ProfilerStep#");
    uint64_t value;
    if (!decimal_u64(number, strlen(number), &value))
        return STATUS_OK;
    steps->row =
        arena_grow(&kineto->arena, steps->row, steps->count, &steps->room, sizeof *steps->row);
    steps->row[steps->count++] = (struct kineto_step){value, event->begin, event->duration_ps};
    return STATUS_OK;
}

/* The rank's own part, or the whole buffer: what model/trace.h rule 5 calls the size. */
static uint64_t size_of(const struct doc_node *arguments)
{
    uint64_t elements = trace_number(arguments, "In msg nelems", OUTCOME_NO_SIZE), bytes;
    uint32_t each = kinds_type_bytes(trace_text(arguments, "dtype"));
    if (elements == OUTCOME_NO_SIZE || !each || __builtin_mul_overflow(elements, each, &bytes))
        return OUTCOME_NO_SIZE;
    return bytes;
}

static void describe_collective(struct outcome_op *op, const struct trace_event *event,
                                struct names *words)
{
    const char *said = trace_text(event->arguments, "Collective name");
    uint64_t group = trace_number(event->arguments, "Group size", 0);
    op->collective = *said ? kinds_find_collective(said) : kinds_of_kernel(event->name);
    op->group_size = group < UINT32_MAX ? (uint32_t)group : 0;
    op->size_bytes = size_of(event->arguments);
    const char *class = op->collective >= 0 ? collective_name((enum collective_kind)op->collective)
                                            : "send or receive";
    op->class = names_add(words, class, strlen(class));
}

static bool is_any(const char *category, const char *const *known)
{
    for (; *known; known++)
        if (strcmp(category, *known) == 0)
            return true;
    return false;
}

static enum status take_event(void *context, const struct trace_event *event)
{
    static const char *const kernels[] = {"kernel", "Kernel", NULL};
    static const char *const copies[] = {"gpu_memcpy", "gpu_memset", "Memcpy", "Memset", NULL};
    struct kineto *kineto = context;
    struct names *words = kineto->reading->outcome->words;
    if (strncmp(event->name, "ProfilerStep#", 13) == 0)
        return take_step(kineto,
                         strcmp(event->category, "gpu_user_annotation") == 0 ? &kineto->device
                                                                             : &kineto->host,
                         event);
    bool is_kernel = is_any(event->category, kernels);
    if (!is_kernel && !is_any(event->category, copies))
        return STATUS_OK;
    const char *class = is_kernel ? kinds_class_of(event->name) : "copy";
    bool is_communication = is_kernel && kinds_is_communication(event->name);
    kineto->op =
        arena_grow(&kineto->arena, kineto->op, kineto->count, &kineto->room, sizeof *kineto->op);
    struct kineto_op *added = &kineto->op[kineto->count++];
    added->begin = event->begin;
    added->op = (struct outcome_op){
        .name = names_add(words, event->name, strlen(event->name)),
        .class = names_add(words, class, strlen(class)),
        .duration_ps = event->duration_ps,
        .collective = -1,
        .size_bytes = OUTCOME_NO_SIZE,
        .is_compute = is_kernel && !is_communication,
        .is_communication = is_communication,
    };
    if (is_communication)
        describe_collective(&added->op, event, words);
    return STATUS_OK;
}

static enum status take_member(void *context, const struct json_items *top,
                               const struct json_item *item)
{
    struct kineto *kineto = context;
    struct doc doc;
    if (strcmp(item->key, "distributedInfo") != 0)
        return STATUS_OK;
    enum status status = json_item_parse(top, item, &doc);
    if (status != STATUS_OK)
        return status;
    uint64_t rank = trace_number(doc.root, "rank", UINT64_MAX);
    uint64_t world = trace_number(doc.root, "world_size", 0);
    if (rank < UINT32_MAX)
        kineto->rank = (int64_t)rank;
    if (world < UINT32_MAX)
        kineto->reading->outcome->ranks_in_all = (uint32_t)world;
    doc_release(&doc);
    return STATUS_OK;
}

/* -- which step ------------------------------------------------------------------------------ */

static int compare_lengths(const void *left, const void *right)
{
    const struct kineto_step *a = left, *b = right;
    if (a->duration_ps != b->duration_ps)
        return a->duration_ps < b->duration_ps ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static const struct kineto_step *find_step(const struct kineto_steps *steps, uint64_t number)
{
    for (uint32_t i = 0; i < steps->count; i++)
        if (steps->row[i].number == number)
            return &steps->row[i];
    return NULL;
}

/* *window NULL: all of the trace. */
static enum status choose_step(struct kineto *kineto, const struct kineto_step **window)
{
    const struct side_options *options = kineto->reading->options;
    struct kineto_steps *host = &kineto->host;
    *window = NULL;
    if (!host->count || options->step_choice == STEP_ALL)
        return STATUS_OK;
    qsort(host->row, host->count, sizeof *host->row, compare_lengths);
    uint64_t number = options->step_choice == STEP_NUMBER ? options->step
                                                          : host->row[(host->count - 1) / 2].number;
    const struct kineto_step *chosen = find_step(host, number);
    if (!chosen) {
        reading_fail_line(kineto->reading, 0, "there is no ProfilerStep#%" PRIu64, number);
        diag_hint(kineto->reading->diag, "%" PRIu32 " steps, the shortest is #%" PRIu64,
                  host->count, host->row[0].number);
        return STATUS_BAD_INPUT;
    }
    const struct kineto_step *device = find_step(&kineto->device, number);
    *window = device ? device : chosen;
    if (options->step_choice == STEP_MEDIAN && host->count > 1)
        notices_add(&kineto->reading->outcome->notices, NOTICE_GUESSED,
                    "step whose ops are compared: that of median length", 1,
                    "ProfilerStep#%" PRIu64 " of %" PRIu32 "; see --step", number, host->count);
    return STATUS_OK;
}

/* -- the outcome ----------------------------------------------------------------------------- */

static struct instant first_begin(const struct kineto *kineto)
{
    struct instant first = kineto->op[0].begin;
    for (uint32_t i = 1; i < kineto->count; i++)
        if (instant_is_before(kineto->op[i].begin, first))
            first = kineto->op[i].begin;
    return first;
}

static void add_ops(struct kineto *kineto, const struct kineto_step *window, uint32_t rank)
{
    struct outcome *outcome = kineto->reading->outcome;
    uint32_t outside = 0;
    if (!kineto->count)
        return;
    struct instant from = window ? window->begin : first_begin(kineto);
    for (uint32_t i = 0; i < kineto->count; i++) {
        const struct kineto_op *op = &kineto->op[i];
        int64_t begin = instant_since(op->begin, from);
        if (window && (instant_is_before(op->begin, from) || begin >= window->duration_ps)) {
            outside++;
            continue;
        }
        struct outcome_op *added = outcome_add_op(outcome, rank, "", "");
        uint32_t order = added->order;
        *added = op->op;
        added->rank = rank;
        added->order = order;
        added->begin_ps = begin;
    }
    if (outside)
        notices_add(&outcome->notices, NOTICE_IGNORED, "ops outside of the step", outside,
                    "of rank %" PRIu32, rank);
}

static uint32_t rank_of(const struct kineto *kineto)
{
    const struct reading *reading = kineto->reading;
    if (kineto->rank >= 0)
        return (uint32_t)kineto->rank;
    if (reading->rank >= 0)
        return (uint32_t)reading->rank;
    notices_add(&reading->outcome->notices, NOTICE_GUESSED,
                "rank of a trace that does not say it: 0", 1, "%s", reading->path);
    return 0;
}

static enum status build(struct kineto *kineto)
{
    struct outcome *outcome = kineto->reading->outcome;
    const struct kineto_step *window;
    if (!kineto->count && !kineto->host.count) {
        reading_fail_line(kineto->reading, 0, "neither device events nor steps are in the trace");
        diag_hint(kineto->reading->diag,
                  "profile with ProfilerActivity.CUDA, or call profiler.step()");
        return STATUS_BAD_INPUT;
    }
    enum status status = choose_step(kineto, &window);
    if (status != STATUS_OK)
        return status;
    uint32_t rank = rank_of(kineto);
    outcome->grain_ps = 1000;
    if (!kineto->count)
        notices_add(&outcome->notices, NOTICE_ODDITY, "trace without device events", 1, "%s",
                    kineto->reading->path);
    for (uint32_t i = 0; i < kineto->host.count; i++)
        outcome_add_step(outcome, kineto->host.row[i].number, rank,
                         kineto->host.row[i].duration_ps);
    add_ops(kineto, window, rank);
    return STATUS_OK;
}

static enum status read_kineto(const struct reading *reading)
{
    static const char *const words[] = {"\"kernel\"", "\"Kernel\"",    "gpu_mem", "Memcpy\"",
                                        "Memset\"",   "ProfilerStep#", NULL};
    static const struct trace_events_ops ops = {
        .event = take_event, .words = words, .member = take_member};
    struct kineto kineto = {.reading = reading, .rank = -1};
    arena_init(&kineto.arena);
    enum status status = trace_events_read(reading, &ops, &kineto);
    if (status == STATUS_OK)
        status = build(&kineto);
    arena_release(&kineto.arena);
    return status;
}

static bool is_kineto(const char *head, size_t length)
{
    if (!length || !strchr("{[", *head) || *head == '\0')
        return false;
    return reader_has(head, length, "\"traceEvents\"") ||
           reader_has(head, length, "\"deviceProperties\"") ||
           (reader_has(head, length, "\"ph\"") && reader_has(head, length, "\"ts\""));
}

const struct reader reader_kineto = {
    .name = "Kineto trace",
    .from = "torch.profiler, export_chrome_trace(); one file a rank",
    .is_mine = is_kineto,
    .read = read_kineto,
    .is_per_rank = true,
};
