#include "tests/agree/messages/goal.h"

#include <stdlib.h>
#include <string.h>

#include "model/network.h"

enum { NONE = UINT32_MAX, KIND_ARRIVED = 1, KIND_DONE };

static uint32_t lines_of(const char *text)
{
    uint32_t lines = 1;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static uint32_t find_label(const struct goal *goal, uint32_t first, uint32_t label)
{
    for (uint32_t i = first; i < goal->op_count; i++)
        if (goal->op[i].label == label)
            return i;
    return NONE;
}

static bool add_edge(struct goal *goal, uint32_t first, uint32_t after, uint32_t before)
{
    uint32_t from = find_label(goal, first, before), to = find_label(goal, first, after);
    if (from == NONE || to == NONE)
        return false;
    goal->edge[goal->edge_count] = (struct goal_edge){to, goal->op[from].first_edge};
    goal->op[from].first_edge = goal->edge_count++;
    goal->op[to].required++;
    return true;
}

/* One line inside a rank: an op, or "lX requires lY". */
static bool parse_line(struct goal *goal, const char *line, uint32_t rank, uint32_t first)
{
    unsigned label, other, peer, tag;
    unsigned long long amount;
    struct goal_op op = {.rank = rank, .first_edge = NONE, .partner = NONE};
    if (sscanf(line, "l%u requires l%u", &label, &other) == 2)
        return add_edge(goal, first, label, other);
    if (sscanf(line, "l%u: send %llub to %u tag %u", &label, &amount, &peer, &tag) == 4)
        op.kind = GOAL_SEND, op.peer = peer, op.tag = tag;
    else if (sscanf(line, "l%u: recv %llub from %u tag %u", &label, &amount, &peer, &tag) == 4)
        op.kind = GOAL_RECV, op.peer = peer, op.tag = tag;
    else if (sscanf(line, "l%u: calc %llu", &label, &amount) == 2)
        op.kind = GOAL_CALC;
    else
        return false;
    op.label = label;
    op.amount = amount;
    goal->op[goal->op_count++] = op;
    return true;
}

static bool pair_messages(struct goal *goal)
{
    for (uint32_t s = 0; s < goal->op_count; s++) {
        struct goal_op *send = &goal->op[s];
        if (send->kind != GOAL_SEND)
            continue;
        for (uint32_t r = 0; r < goal->op_count && send->partner == NONE; r++) {
            struct goal_op *recv = &goal->op[r];
            if (recv->kind == GOAL_RECV && recv->partner == NONE && recv->rank == send->peer &&
                recv->peer == send->rank && recv->tag == send->tag) {
                send->partner = r;
                recv->partner = s;
            }
        }
        if (send->partner == NONE)
            return false;
    }
    return true;
}

bool goal_parse(struct goal *goal, const char *text)
{
    *goal = (struct goal){0};
    arena_init(&goal->arena);
    uint32_t lines = lines_of(text);
    goal->op = arena_array(&goal->arena, lines, sizeof *goal->op);
    goal->edge = arena_array(&goal->arena, lines, sizeof *goal->edge);
    unsigned rank = 0, value;
    uint32_t first = 0;
    while (*text) {
        const char *end = strchr(text, '\n');
        size_t length = end ? (size_t)(end - text) : strlen(text);
        char line[128];
        if (length >= sizeof line)
            return false;
        memcpy(line, text, length);
        line[length] = '\0';
        if (sscanf(line, "num_ranks %u", &value) == 1)
            goal->ranks = value;
        else if (sscanf(line, "rank %u {", &value) == 1)
            rank = value, first = goal->op_count;
        else if (line[0] == 'l' && !parse_line(goal, line, rank, first))
            return false;
        text += length + (end != NULL);
    }
    return goal->ranks > 0 && pair_messages(goal);
}

void goal_release(struct goal *goal)
{
    arena_release(&goal->arena);
}

/* -- running ---------------------------------------------------------------------------------- */

struct run {
    struct goal *goal;
    struct engine engine;
    const struct network_ops *ops;
    void *net;
    time_ps *end_ps;
    uint32_t *done; /* stack of ops that are done */
    uint32_t depth;
};

static void finish(struct run *run, uint32_t op)
{
    run->done[run->depth++] = op;
}

static void start(struct run *run, uint32_t index)
{
    struct goal_op *op = &run->goal->op[index];
    struct engine *engine = &run->engine;
    switch (op->kind) {
    case GOAL_SEND:
        run->ops->send(run->net, op->rank, op->peer, op->amount,
                       engine_payload(KIND_ARRIVED, op->partner));
        finish(run, index);
        break;
    case GOAL_RECV:
        op->is_ready = true;
        if (op->arrived)
            finish(run, index);
        break;
    case GOAL_CALC:
        engine_push(engine, engine->now + op->amount * PS_PER_NS, engine_payload(KIND_DONE, index));
        break;
    }
}

/* Starts all that waits for what is done, and so on. */
static void drain(struct run *run)
{
    while (run->depth > 0) {
        const struct goal_op *op = &run->goal->op[run->done[--run->depth]];
        if (op->kind != GOAL_SEND)
            run->end_ps[op->rank] = run->engine.now;
        for (uint32_t e = op->first_edge; e != NONE; e = run->goal->edge[e].next)
            if (--run->goal->op[run->goal->edge[e].to].required == 0)
                start(run, run->goal->edge[e].to);
    }
}

static void on_arrived(void *context, uint64_t payload)
{
    struct run *run = context;
    uint32_t index = (uint32_t)(payload & ENGINE_DATA_MASK);
    struct goal_op *op = &run->goal->op[index];
    op->arrived = true;
    if (op->is_ready)
        finish(run, index);
    drain(run);
}

static void on_done(void *context, uint64_t payload)
{
    finish(context, (uint32_t)(payload & ENGINE_DATA_MASK));
    drain(context);
}

enum status goal_run(struct goal *goal, const struct network_config *config, time_ps *end_ps,
                     struct diag *diag)
{
    struct run run = {.goal = goal, .ops = network_model_of(config->backend), .end_ps = end_ps};
    engine_init(&run.engine);
    engine_on(&run.engine, KIND_ARRIVED, on_arrived, &run);
    engine_on(&run.engine, KIND_DONE, on_done, &run);
    enum status status = run.ops->check(config, diag);
    if (status == STATUS_OK)
        status = run.ops->create(&run.net, config, &run.engine, diag);
    if (status == STATUS_OK) {
        run.done = arena_array(&goal->arena, goal->op_count + 1, sizeof *run.done);
        for (uint32_t r = 0; r < goal->ranks; r++)
            end_ps[r] = TIME_NEVER;
        for (uint32_t i = 0; i < goal->op_count; i++) {
            bool is_first = goal->op[i].required == 0 && !goal->op[i].is_ready;
            if (is_first)
                start(&run, i);
        }
        drain(&run);
        while (engine_run(&run.engine, UINT64_MAX, TIME_NEVER) == ENGINE_SLICE)
            continue;
        run.ops->destroy(run.net);
    }
    engine_release(&run.engine);
    return status;
}
