#include "net/collective/verify.h"

#include <inttypes.h>

#include "base/status.h"
#include "net/collective/verify_flow.h"

/* -- the graph ------------------------------------------------------------------------------- */

static void index_steps(struct flow_graph *graph)
{
    uint32_t n = graph->request->n;
    graph->base = arena_array(graph->arena, n + 1, sizeof *graph->base);
    for (uint32_t p = 0; p < n; p++)
        graph->base[p + 1] = graph->base[p] + graph->program[p].count;
    graph->count = graph->base[n];
    graph->position = arena_array(graph->arena, graph->count, sizeof *graph->position);
    graph->partner = arena_array(graph->arena, graph->count, sizeof *graph->partner);
    graph->adder = arena_array(graph->arena, graph->count, sizeof *graph->adder);
    graph->added = arena_array(graph->arena, graph->count, sizeof *graph->added);
    for (uint32_t p = 0; p < n; p++) {
        for (uint32_t v = graph->base[p]; v < graph->base[p + 1]; v++) {
            graph->position[v] = p;
            graph->partner[v] = graph->adder[v] = graph->added[v] = VERIFY_NONE;
        }
    }
}

/* A send to switches is found by position and slot. */
static enum status note_network_send(struct flow_graph *graph, uint32_t send)
{
    const struct program_step *step = step_of(graph, send);
    uint32_t p = graph->position[send];
    uint32_t own = flow_recv_in(graph, p, step->slot);
    if (own == VERIFY_NONE || step_of(graph, own)->peer != step->peer)
        return flow_fail(graph, send, "nothing is received from the switches in slot %" PRIu32,
                         step->slot);
    if (graph->partner[own] != VERIFY_NONE)
        return flow_fail(graph, send, "slot %" PRIu32 " is used twice", step->slot);
    graph->partner[own] = send;
    graph->partner[send] = own;
    return STATUS_OK;
}

/* Every member of a network receive must send. */
static enum status check_members(struct flow_graph *graph, uint32_t recv)
{
    struct network_members members = flow_members(graph, recv);
    for (uint32_t i = 0; i < members.count; i++) {
        if (flow_member_send(graph, recv, members, i) == VERIFY_NONE)
            return flow_fail(graph, recv, "position %" PRIu32 " takes no part in it",
                             members.first + i * members.stride);
    }
    return STATUS_OK;
}

static enum status match_send(struct flow_graph *graph, uint32_t send)
{
    const struct program_step *step = step_of(graph, send);
    uint32_t p = graph->position[send];
    if (peer_is_network(step->peer))
        return note_network_send(graph, send);
    if (step->peer >= graph->request->n || step->peer == p)
        return flow_fail(graph, send, "sends to %" PRIu32 ", which is no other position",
                         step->peer);
    uint32_t recv = flow_recv_in(graph, step->peer, step->slot);
    if (recv == VERIFY_NONE || step_of(graph, recv)->peer != p)
        return flow_fail(graph, send, "position %" PRIu32 " does not receive it (slot %" PRIu32 ")",
                         step->peer, step->slot);
    if (graph->partner[recv] != VERIFY_NONE)
        return flow_fail(graph, send, "slot %" PRIu32 " of position %" PRIu32 " is used twice",
                         step->slot, step->peer);
    if (step_of(graph, recv)->bytes != step->bytes)
        return flow_fail(graph, send, "sends %" PRIu64 " B, %" PRIu64 " are received", step->bytes,
                         step_of(graph, recv)->bytes);
    graph->partner[recv] = send;
    graph->partner[send] = recv;
    return STATUS_OK;
}

/* Bytes of the pieces that a step names. */
static uint64_t named_bytes(const struct flow_graph *graph, uint32_t node)
{
    if (!graph->request->sizes)
        return flow_pieces(graph, node) * graph->schedule->piece_bytes;
    const struct data_range *range = ranges_of(graph, node);
    uint64_t bytes = 0;
    for (uint32_t r = 0; r < data_of(graph, node)->range_count; r++) {
        for (uint32_t k = 0; k < range[r].count; k++)
            bytes += graph->request->sizes[range[r].first + k];
    }
    return bytes;
}

static enum status check_step(struct flow_graph *graph, uint32_t node)
{
    const struct step_data *data = data_of(graph, node);
    const struct data_range *range = ranges_of(graph, node);
    graph->adder[node] = node;
    for (uint32_t r = 0; r < data->range_count; r++) {
        if (range[r].first >= graph->layout->places ||
            range[r].count > graph->layout->places - range[r].first)
            return flow_fail(graph, node, "places %" PRIu32 " and %" PRIu32 " more, of %" PRIu32,
                             range[r].first, range[r].count, graph->layout->places);
    }
    uint8_t op = step_of(graph, node)->op;
    bool names = op == STEP_SEND || (op == STEP_RECV && data->range_count);
    if (names && named_bytes(graph, node) != step_of(graph, node)->bytes)
        return flow_fail(graph, node, "has %" PRIu64 " B for pieces of %" PRIu64 " B",
                         step_of(graph, node)->bytes, named_bytes(graph, node));
    if (op != STEP_RECV || data->effect != DATA_COMBINE)
        return STATUS_OK;
    uint32_t p = graph->position[node];
    const struct program_step *step = step_of(graph, node);
    for (uint32_t c = 0; c < step->child_count && graph->adder[node] == node; c++) {
        uint32_t child = graph->base[p] + graph->program[p].child[step->first_child + c];
        if (step_of(graph, child)->op == STEP_LOCAL && step_of(graph, child)->reduce) {
            graph->adder[node] = child;
            graph->added[child] = node;
        }
    }
    return STATUS_OK;
}

static enum status match(struct flow_graph *graph)
{
    enum status status = STATUS_OK;
    for (uint32_t v = 0; v < graph->count && !status; v++) {
        status = check_step(graph, v);
        if (!status && step_of(graph, v)->op == STEP_SEND)
            status = match_send(graph, v);
    }
    for (uint32_t v = 0; v < graph->count && !status; v++) {
        if (step_of(graph, v)->op != STEP_RECV)
            continue;
        if (peer_is_network(step_of(graph, v)->peer))
            status = check_members(graph, v);
        else if (graph->partner[v] == VERIFY_NONE)
            status = flow_fail(graph, v, "nothing is sent to it from position %" PRIu32,
                               step_of(graph, v)->peer);
    }
    return status;
}

/* -- the order ------------------------------------------------------------------------------- */

/* One walk over the graph in an order that its edges allow. */
struct walk {
    struct flow_graph *graph;
    const struct verify_weights *weights;
    uint32_t *left;  /* [step] edges into it that are not done */
    uint32_t *queue; /* steps that may be done, in order */
    uint32_t queued;
    uint64_t *time, *depth;  /* [step] when it can start, by weights and in messages */
    uint64_t *before, words; /* [step * words] bit set of all steps before it */
};

static void count_edges(struct walk *walk)
{
    struct flow_graph *graph = walk->graph;
    for (uint32_t v = 0; v < graph->count; v++) {
        const struct program_step *step = step_of(graph, v);
        walk->left[v] = step->parents;
        if (step->op == STEP_RECV)
            walk->left[v] += peer_is_network(step->peer) ? flow_members(graph, v).count : 1;
        if (!walk->left[v])
            walk->queue[walk->queued++] = v;
    }
}

/* `to` comes after `from`; it can start at that time and depth at the earliest. */
static void pass(struct walk *walk, uint32_t from, uint32_t to, uint64_t time, uint64_t depth)
{
    if (time > walk->time[to])
        walk->time[to] = time;
    if (depth > walk->depth[to])
        walk->depth[to] = depth;
    for (uint64_t w = 0; w < walk->words; w++)
        walk->before[to * walk->words + w] |= walk->before[from * walk->words + w];
    walk->before[to * walk->words + from / 64] |= 1ull << from % 64;
    if (!--walk->left[to])
        walk->queue[walk->queued++] = to;
}

static void pass_message(struct walk *walk, uint32_t send)
{
    struct flow_graph *graph = walk->graph;
    const struct program_step *step = step_of(graph, send);
    uint64_t start = walk->time[send] + walk->weights->latency, depth = walk->depth[send] + 1;
    uint32_t own = graph->partner[send];
    if (!peer_is_network(step->peer)) {
        pass(walk, send, own, start + step->bytes * walk->weights->per_byte, depth);
        return;
    }
    struct network_members members = flow_members(graph, own);
    for (uint32_t i = 0; i < members.count; i++) {
        uint32_t recv = flow_recv_in(graph, members.first + i * members.stride, step->slot);
        uint64_t down = step_of(graph, recv)->bytes;
        uint64_t bytes = down > step->bytes ? down : step->bytes;
        pass(walk, send, recv, start + bytes * walk->weights->per_byte, depth);
    }
}

static void pass_on(struct walk *walk, uint32_t node, struct verified *verified)
{
    struct flow_graph *graph = walk->graph;
    const struct program_step *step = step_of(graph, node);
    const struct program *program = &graph->program[graph->position[node]];
    uint64_t time = walk->time[node], depth = walk->depth[node];
    if (step->op == STEP_SEND) {
        pass_message(walk, node);
        if (step->until_arrival) {
            time += walk->weights->latency + step->bytes * walk->weights->per_byte;
            depth++;
        }
    }
    if (step->op == STEP_LOCAL && step->reduce)
        time += step->bytes * walk->weights->per_reduced_byte;
    for (uint32_t c = 0; c < step->child_count; c++)
        pass(walk, node, graph->base[graph->position[node]] + program->child[step->first_child + c],
             time, depth);
    if (time > verified->time)
        verified->time = time;
    if (depth > verified->latency_terms)
        verified->latency_terms = depth;
}

static enum status stuck(const struct walk *walk)
{
    uint32_t v = 0;
    while (!walk->left[v])
        v++;
    return flow_fail(walk->graph, v, "can never start: the steps wait for each other");
}

static enum status run(struct walk *walk, struct verified *verified)
{
    struct flow_graph *graph = walk->graph;
    count_edges(walk);
    for (uint32_t i = 0; i < walk->queued; i++) {
        enum status status = flow_data_apply(graph, walk->queue[i]);
        if (status)
            return status;
        pass_on(walk, walk->queue[i], verified);
    }
    return walk->queued == graph->count ? STATUS_OK : stuck(walk);
}

static bool is_before(const struct walk *walk, uint32_t a, uint32_t b)
{
    return walk->before[b * walk->words + a / 64] >> a % 64 & 1;
}

/* Two accesses of one place, one of which writes, must have an order. */
static enum status check_races(const struct walk *walk)
{
    const struct flow_graph *graph = walk->graph;
    size_t places = (size_t)graph->request->n * graph->layout->places;
    for (size_t i = 0; i < places; i++) {
        for (uint32_t a = graph->first_access[i]; a != VERIFY_NONE; a = graph->access[a].next) {
            for (uint32_t b = graph->access[a].next; b != VERIFY_NONE; b = graph->access[b].next) {
                const struct access *late = &graph->access[a], *early = &graph->access[b];
                if (late->kind == early->kind && late->kind != ACCESS_WRITE)
                    continue;
                if (late->step == early->step || is_before(walk, early->step, late->step))
                    continue;
                return flow_fail(graph, late->step,
                                 "place %zu is touched in any order by this step and step %" PRIu32,
                                 i % graph->layout->places,
                                 early->step - graph->base[graph->position[early->step]]);
            }
        }
    }
    return STATUS_OK;
}

static void count_bytes(const struct flow_graph *graph, struct verified *verified)
{
    for (uint32_t p = 0; p < graph->request->n; p++) {
        uint64_t sent = 0, received = 0;
        for (uint32_t v = graph->base[p]; v < graph->base[p + 1]; v++) {
            const struct program_step *step = step_of(graph, v);
            verified->messages += step->op == STEP_SEND;
            sent += step->op == STEP_SEND ? step->bytes : 0;
            received += step->op == STEP_RECV ? step->bytes : 0;
        }
        verified->total_bytes += sent;
        uint64_t most = sent > received ? sent : received;
        if (most > verified->port_bytes)
            verified->port_bytes = most;
    }
}

/* -- entry points ----------------------------------------------------------------------------- */

static enum status check_size(const struct schedule_request *request,
                              const struct schedule *schedule, const struct program *program,
                              struct diag *diag)
{
    uint64_t steps = 0;
    for (uint32_t p = 0; p < request->n && request->n <= VERIFY_MOST_POSITIONS; p++)
        steps += program[p].count;
    uint64_t places = (uint64_t)request->n * schedule->pieces;
    if (request->n <= VERIFY_MOST_POSITIONS && steps <= VERIFY_MOST_STEPS && places < 1 << 26)
        return STATUS_OK;
    diag_fail(diag, STATUS_NO_MEMORY,
              "a proof takes at most %d positions and %d steps in all, here are %" PRIu32
              " and %" PRIu64,
              VERIFY_MOST_POSITIONS, VERIFY_MOST_STEPS, request->n, steps);
    diag_hint(diag, "verify the same algorithm on fewer positions or chunks");
    return STATUS_NO_MEMORY;
}

enum status verify_programs(const struct schedule_request *request, const struct schedule *schedule,
                            const struct program *program, const struct verify_weights *weights,
                            struct verified *verified, struct diag *diag)
{
    *verified = (struct verified){0};
    enum status status = check_size(request, schedule, program, diag);
    if (status)
        return status;
    struct arena arena;
    arena_init(&arena);
    struct flow_graph graph = {.request = request,
                               .schedule = schedule,
                               .program = program,
                               .layout = schedule->layout,
                               .arena = &arena,
                               .diag = diag};
    if (!graph.layout)
        graph.layout = verify_standard_layout(request, schedule->pieces, &arena);
    index_steps(&graph);
    struct walk walk = {.graph = &graph, .weights = weights, .words = (graph.count + 63) / 64};
    walk.left = arena_array(&arena, graph.count, sizeof *walk.left);
    walk.queue = arena_array(&arena, graph.count, sizeof *walk.queue);
    walk.time = arena_array(&arena, graph.count, sizeof *walk.time);
    walk.depth = arena_array(&arena, graph.count, sizeof *walk.depth);
    walk.before = arena_array(&arena, graph.count * walk.words, sizeof *walk.before);
    flow_data_begin(&graph);
    status = match(&graph);
    if (!status)
        status = run(&walk, verified);
    if (!status)
        status = flow_data_end(&graph);
    if (!status)
        status = check_races(&walk);
    count_bytes(&graph, verified);
    arena_release(&arena);
    return status;
}

enum status verify_algorithm(const struct collective_ops *ops,
                             const struct schedule_request *request,
                             const struct verify_weights *weights, struct verified *verified,
                             struct diag *diag)
{
    struct arena arena;
    arena_init(&arena);
    struct schedule_request described = *request;
    described.is_described = true;
    struct schedule schedule;
    ops->plan(&described, &arena, &schedule);
    enum status status;
    if (!schedule.pieces || !ops->program) {
        status = diag_fail(diag, STATUS_BAD_CONFIG,
                           "the %s algorithm does not say what data its messages carry", ops->name);
    } else {
        struct program *program = arena_array(&arena, request->n, sizeof *program);
        uint32_t made = request->n <= VERIFY_MOST_POSITIONS ? request->n : 0;
        for (uint32_t p = 0; p < made; p++)
            ops->program(&described, &schedule, p, &arena, &program[p]);
        status = verify_programs(&described, &schedule, program, weights, verified, diag);
    }
    arena_release(&arena);
    return status;
}
