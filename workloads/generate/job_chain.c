/*
 * job_chain - the chain of nodes that a rank's program waits for one by one, and what runs beside
 * it, each stream in order (job_stage.h).
 */
#include "base/status.h"
#include "workloads/generate/job_stage.h"

/* Parents of the next node. */
struct parents {
    uint32_t node[MAX_DUE + 2];
    uint32_t count;
};

static void wait_for(struct parents *parents, uint32_t node)
{
    if (node != TRACE_NONE)
        parents->node[parents->count++] = node;
}

/* Moves what is due by point `at` to the parents; `is_chain`: the chain then has it behind. */
static void take_due(struct stage_writer *writer, uint64_t at, bool is_chain,
                     struct parents *parents)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < writer->due_count; i++) {
        const struct due due = writer->due[i];
        if (due.wait > at) {
            writer->due[left++] = due;
            continue;
        }
        wait_for(parents, due.node);
        if (is_chain && writer->lane[due.stream].last == due.node)
            writer->lane[due.stream].is_behind = true;
    }
    writer->due_count = left;
}

static bool is_parent(const struct parents *parents, uint32_t node)
{
    for (uint32_t i = 0; i < parents->count; i++) {
        if (parents->node[i] == node)
            return true;
    }
    return false;
}

static uint32_t add(struct stage_writer *writer, const char *text, struct job_place place,
                    const struct trace_node *node, const struct op_shape *shape,
                    struct parents *parents, bool has_tail)
{
    struct lane *lane = &writer->lane[node->stream];
    if (node->stream != STREAM_COMPUTE && !(has_tail && lane->is_behind) &&
        !is_parent(parents, lane->last))
        wait_for(parents, lane->last);
    lane->last =
        job_trace_add(writer->out, text, place, *node, shape, parents->node, parents->count);
    lane->is_behind = false;
    return lane->last;
}

uint32_t stage_chain(struct stage_writer *writer, const char *text, struct job_place place,
                     struct trace_node node, const struct op_shape *shape, uint64_t at)
{
    struct parents parents = {.count = 0};
    wait_for(&parents, writer->tail);
    take_due(writer, at, true, &parents);
    writer->tail = add(writer, text, place, &node, shape, &parents, true);
    writer->lane[node.stream].is_behind = true;
    return writer->tail;
}

uint32_t stage_aside(struct stage_writer *writer, const char *text, struct job_place place,
                     struct trace_node node, enum aside_after after, uint64_t at)
{
    struct parents parents = {.count = 0};
    if (after != AFTER_NOTHING)
        wait_for(&parents, writer->tail);
    if (after == AFTER_DUE)
        take_due(writer, at, false, &parents);
    return add(writer, text, place, &node, NULL, &parents, after != AFTER_NOTHING);
}

uint32_t stage_after(struct stage_writer *writer, const char *text, struct job_place place,
                     struct trace_node node, uint32_t parent)
{
    struct parents parents = {{parent}, 1};
    return add(writer, text, place, &node, NULL, &parents, false);
}

void stage_owe(struct stage_writer *writer, uint32_t node, enum job_stream stream, uint64_t wait)
{
    promise(writer->due_count < MAX_DUE);
    writer->due[writer->due_count++] = (struct due){wait, node, stream};
}

struct trace_node stage_collective(struct stage_writer *writer, enum collective_kind collective,
                                   enum group_kind kind, uint64_t bytes, enum job_stream stream)
{
    return (struct trace_node){.type = OP_COLLECTIVE,
                               .collective = (uint8_t)collective,
                               .size_bytes = bytes,
                               .group = job_trace_group(writer->out, kind),
                               .stream = stream,
                               .flags = NODE_HAS_SIZE | NODE_HAS_KIND};
}
