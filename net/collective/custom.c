#include "net/collective/custom.h"

#include <stdlib.h>

#include "net/collective/program.h"

enum { MOST_SLOTS = 1 << 24, MOST_STEPS = 1 << 28 }; /* bits of a ticket and of an agenda item */

/* One side of a message, to be paired with the other. */
struct half {
    uint32_t from, to, tag;
    uint64_t bytes;
    bool is_recv;
    uint32_t position, node; /* whose step it is */
};

static int compare_halves(const void *left, const void *right)
{
    const struct half *a = left, *b = right;
#define ORDER(field)                                                                               \
    if (a->field != b->field)                                                                      \
    return a->field < b->field ? -1 : 1
    ORDER(from);
    ORDER(to);
    ORDER(tag);
    ORDER(bytes);
    ORDER(is_recv);
    ORDER(node);
#undef ORDER
    return 0;
}

static enum status node_fail(struct trace *trace, const struct trace_node *node, struct diag *diag,
                             const char *field, const char *message)
{
    diag_fail(diag, STATUS_BAD_INPUT, "%s", message);
    diag_in(diag, trace->path);
    diag_at(diag, DIAG_NODE, node->id);
    diag_field(diag, "%s", field);
    return STATUS_BAD_INPUT;
}

/* Checks one node of a custom collective's file. */
static enum status check_node(struct trace *trace, uint32_t index, uint32_t p, uint32_t n,
                              struct diag *diag)
{
    const struct trace_node *node = &trace->node[index];
    bool is_comm = node->type == OP_SEND || node->type == OP_RECV;
    if (!is_comm && node->type != OP_COMPUTE)
        return node_fail(trace, node, diag, "type",
                         "a custom collective may hold send, receive and compute nodes only");
    if (is_comm && (!(node->flags & NODE_HAS_PEER) || node->peer >= n))
        return node_fail(trace, node, diag, node->type == OP_SEND ? "comm_dst" : "comm_src",
                         "expected a position of the group");
    if (is_comm && node->peer == p)
        return node_fail(trace, node, diag, node->type == OP_SEND ? "comm_dst" : "comm_src",
                         "a position cannot send a message to itself");
    if (is_comm && !(node->flags & NODE_HAS_SIZE))
        return node_fail(trace, node, diag, "comm_size", "a message needs a size");
    return STATUS_OK;
}

static uint32_t gather_halves(struct trace *const *traces, uint32_t n, struct half *halves)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < n; p++) {
        for (uint32_t i = 0; i < traces[p]->count; i++) {
            const struct trace_node *node = &traces[p]->node[i];
            bool is_recv = node->type == OP_RECV;
            if (!is_recv && node->type != OP_SEND)
                continue;
            halves[count++] = (struct half){
                .from = is_recv ? node->peer : p,
                .to = is_recv ? p : node->peer,
                .tag = node->tag,
                .bytes = node->size_bytes,
                .is_recv = is_recv,
                .position = p,
                .node = i,
            };
        }
    }
    return count;
}

static bool same_channel(const struct half *a, const struct half *b)
{
    return a->from == b->from && a->to == b->to && a->tag == b->tag && a->bytes == b->bytes;
}

/* Gives both sides of each message the slot number of the receiver's step. */
static enum status pair_halves(struct half *halves, uint32_t count, struct trace *const *traces,
                               struct program *programs, uint32_t *slots_used, struct diag *diag)
{
    qsort(halves, count, sizeof *halves, compare_halves);
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        uint32_t sends = 0;
        for (end = begin; end < count && same_channel(&halves[begin], &halves[end]); end++)
            sends += !halves[end].is_recv;
        if (2 * sends != end - begin) {
            const struct half *odd = &halves[2 * sends > end - begin ? begin : end - 1];
            return node_fail(traces[odd->position], &traces[odd->position]->node[odd->node], diag,
                             odd->is_recv ? "receive" : "send",
                             "no partner with the same positions, tag and size");
        }
        for (uint32_t k = 0; k < sends; k++) {
            struct half *send = &halves[begin + k], *recv = &halves[begin + sends + k];
            uint32_t slot = slots_used[recv->position]++;
            programs[send->position].step[send->node].slot = slot;
            programs[recv->position].step[recv->node].slot = slot;
        }
    }
    return STATUS_OK;
}

static void build_program(struct trace *trace, uint64_t least_duration_ns, struct arena *arena,
                          struct program *program)
{
    struct program_builder build;
    uint64_t edges = trace->parent_begin[trace->count];
    program_open(&build, arena, program, trace->count, (uint32_t)edges);
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct trace_node *node = &trace->node[i];
        program_step_add(&build,
                         (struct program_step){
                             .op = node->type == OP_SEND   ? STEP_SEND
                                   : node->type == OP_RECV ? STEP_RECV
                                                           : STEP_DELAY,
                             .peer = node->peer,
                             .bytes = node->size_bytes,
                             .delay_ns = node->duration_ns ? node->duration_ns : least_duration_ns,
                             .until_arrival = true,
                         });
    }
    for (uint32_t i = 0; i < trace->count; i++) {
        for (uint64_t e = trace->parent_begin[i]; e < trace->parent_begin[i + 1]; e++) {
            uint32_t parent = trace->parent[e] & PARENT_INDEX;
            bool is_repeated = false;
            for (uint64_t f = trace->parent_begin[i]; f < e; f++)
                is_repeated |= (trace->parent[f] & PARENT_INDEX) == parent;
            if (!is_repeated)
                program_edge_add(&build, parent, i);
        }
    }
    program_close(&build);
}

enum status custom_schedule(struct trace *const *traces, uint32_t n, uint64_t least_duration_ns,
                            struct arena *arena, struct schedule *schedule, struct diag *diag)
{
    struct program *programs = arena_array(arena, n, sizeof *programs);
    uint64_t total = 0;
    for (uint32_t p = 0; p < n; p++) {
        for (uint32_t i = 0; i < traces[p]->count; i++) {
            enum status status = check_node(traces[p], i, p, n, diag);
            if (status)
                return status;
        }
        total += traces[p]->count;
        build_program(traces[p], least_duration_ns, arena, &programs[p]);
    }
    struct half *halves = arena_array(arena, total, sizeof *halves);
    uint32_t *slots_used = arena_array(arena, n, sizeof *slots_used);
    uint32_t count = gather_halves(traces, n, halves);
    enum status status = pair_halves(halves, count, traces, programs, slots_used, diag);
    if (status)
        return status;
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM, .program_data = programs};
    for (uint32_t p = 0; p < n; p++) {
        program_index_slots(&programs[p], arena);
        if (slots_used[p] >= MOST_SLOTS || traces[p]->count >= MOST_STEPS)
            return diag_fail(diag, STATUS_BAD_INPUT,
                             "position %u of a custom collective has %u nodes and %u receives; %d "
                             "and %d are the most",
                             p, traces[p]->count, slots_used[p], MOST_STEPS - 1, MOST_SLOTS - 1);
        schedule->slots = slots_used[p] > schedule->slots ? slots_used[p] : schedule->slots;
    }
    return STATUS_OK;
}

static enum status check(const struct schedule_request *request, struct diag *diag)
{
    (void)request, (void)diag;
    return STATUS_OK; /* custom_schedule() has checked the files */
}

static void program(const struct schedule_request *request, const struct schedule *schedule,
                    uint32_t position, struct arena *arena, struct program *made)
{
    (void)request, (void)arena;
    *made = ((struct program *)schedule->program_data)[position];
}

const struct collective_ops collective_custom = {
    .name = "custom",
    .waits_for_arrival = true,
    .summary = "a Chakra file per position (*-implementation-custom)",
    .check = check,
    .program = program,
};
