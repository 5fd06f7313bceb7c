#include "feed/graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct edge_rule {
    bool data, control;
};

static struct edge_rule rule_for(const struct trace *trace, enum deps_mode mode)
{
    switch (mode) {
    case DEPS_DATA:
        return (struct edge_rule){.data = true};
    case DEPS_CONTROL:
        return (struct edge_rule){.control = true};
    case DEPS_AUTO:
        if (trace->producer == PRODUCER_PYTORCH_CONVERTER && trace->data_edge_count)
            return (struct edge_rule){.data = true};
        break;
    case DEPS_BOTH:
        break;
    }
    return (struct edge_rule){true, true};
}

static bool edge_counts(struct edge_rule rule, uint32_t parent)
{
    return parent & PARENT_IS_CONTROL ? rule.control : rule.data;
}

/* Edges to nodes that are not in the file. */
static enum status check_missing(const struct trace *trace, struct edge_rule rule,
                                 const struct workload_config *config, struct notices *notices,
                                 struct diag *diag)
{
    for (uint32_t i = 0; i < trace->missing_count; i++) {
        const struct missing_parent *missing = &trace->missing[i];
        uint64_t child = trace->node[missing->child].id;
        if (missing->is_control ? !rule.control : !rule.data)
            continue;
        if (missing->is_control || config->drop_missing_parents) {
            notices_add(notices, missing->is_control ? NOTICE_IGNORED : NOTICE_REPAIRED,
                        missing->is_control ? "control dependency on a node that is not in the file"
                                            : "data dependency on a node that is not in the file",
                        1, "node %" PRIu64 " on %" PRIu64 " (%s)", child, missing->id, trace->path);
            continue;
        }
        diag_fail(diag, STATUS_BAD_INPUT, "depends on node %" PRIu64 ", which is not in the file",
                  missing->id);
        diag_in(diag, trace->path);
        diag_at(diag, DIAG_NODE, child);
        diag_field(diag, "data_deps");
        diag_hint(diag, "the file may be cut; --drop-missing-parents runs it without such edges");
        return STATUS_BAD_INPUT;
    }
    return STATUS_OK;
}

/* Calls for each edge that counts, once: `last_child[p]` remembers the last child seen for p. */
static void take_edges(struct graph *graph, struct edge_rule rule, uint32_t *last_child, bool fill)
{
    const struct trace *trace = graph->trace;
    memset(last_child, 0xff, graph->count * sizeof *last_child);
    for (uint32_t i = 0; i < graph->count; i++) {
        for (uint64_t e = trace->parent_begin[i]; e < trace->parent_begin[i + 1]; e++) {
            uint32_t parent = trace->parent[e] & PARENT_INDEX;
            if (!edge_counts(rule, trace->parent[e]) || last_child[parent] == i)
                continue;
            last_child[parent] = i;
            if (fill)
                graph->child[graph->child_begin[parent]++] = i;
            else
                graph->child_begin[parent]++, graph->parent_count[i]++;
        }
    }
}

static void build_children(struct graph *graph, struct edge_rule rule)
{
    size_t n = graph->count;
    uint32_t *last_child = malloc((n + 1) * sizeof *last_child);
    graph->parent_count = calloc(n + 1, sizeof *graph->parent_count);
    graph->child_begin = calloc(n + 1, sizeof *graph->child_begin);
    need_memory(last_child && graph->parent_count && graph->child_begin);
    take_edges(graph, rule, last_child, false);
    uint64_t total = 0;
    for (size_t i = 0; i <= n; i++) {
        uint64_t count = i < n ? graph->child_begin[i] : 0;
        graph->child_begin[i] = total;
        total += count;
    }
    graph->child = malloc((total + 1) * sizeof *graph->child);
    need_memory(graph->child != NULL);
    take_edges(graph, rule, last_child, true);
    /* Filling moved each begin to its end, which is the next one's begin: shift back. */
    memmove(graph->child_begin + 1, graph->child_begin, n * sizeof *graph->child_begin);
    graph->child_begin[0] = 0;
    free(last_child);
}

/* Removes the edge parent -> child from the lists. */
static void drop_edge(struct graph *graph, uint32_t parent, uint32_t child)
{
    uint64_t at = graph->child_begin[parent];
    while (graph->child[at] != child)
        at++;
    /* Lists stay contiguous: the tail of all children moves down by one. Rare, so O(edges). */
    uint64_t total = graph->child_begin[graph->count];
    memmove(&graph->child[at], &graph->child[at + 1], (total - at - 1) * sizeof *graph->child);
    for (uint32_t i = parent + 1; i <= graph->count; i++)
        graph->child_begin[i]--;
    graph->parent_count[child]--;
}

/* Kahn's algorithm. Marks what can run in `reached` and returns how many that is. */
static uint32_t reach(const struct graph *graph, uint32_t *left, uint32_t *queue)
{
    uint32_t head = 0, tail = 0;
    memcpy(left, graph->parent_count, graph->count * sizeof *left);
    for (uint32_t i = 0; i < graph->count; i++) {
        if (!left[i])
            queue[tail++] = i;
    }
    while (head < tail) {
        uint32_t node = queue[head++];
        for (uint64_t c = graph->child_begin[node]; c < graph->child_begin[node + 1]; c++) {
            if (!--left[graph->child[c]])
                queue[tail++] = graph->child[c];
        }
    }
    return tail;
}

/*
 * Some cycle among the nodes with left > 0: every one of them has a parent among them, so walking
 * from parent to parent must repeat. Writes the cycle, each node a child of the next one.
 */
static uint32_t find_cycle(const struct graph *graph, const uint32_t *left, uint32_t *cycle)
{
    uint32_t *parent_of = malloc(graph->count * sizeof *parent_of);
    uint32_t *seen_at = calloc(graph->count, sizeof *seen_at);
    need_memory(parent_of && seen_at);
    uint32_t node = UINT32_MAX, steps = 0;
    for (uint32_t i = graph->count; i-- > 0;) {
        if (!left[i])
            continue;
        node = i;
        for (uint64_t c = graph->child_begin[i]; c < graph->child_begin[i + 1]; c++)
            parent_of[graph->child[c]] = i;
    }
    while (!seen_at[node]) {
        cycle[steps++] = node;
        seen_at[node] = steps;
        node = parent_of[node];
    }
    uint32_t first = seen_at[node] - 1;
    memmove(cycle, cycle + first, (steps - first) * sizeof *cycle);
    free(seen_at);
    free(parent_of);
    return steps - first;
}

static enum status cycle_fail(const struct graph *graph, const uint32_t *cycle, uint32_t length,
                              struct diag *diag)
{
    struct trace *trace = graph->trace;
    char text[400];
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < length && i < 6 && at < sizeof text - 80; i++) {
        at +=
            (size_t)snprintf(text + at, sizeof text - at, "%s%" PRIu64 " (%.40s)", i ? " <- " : "",
                             trace->node[cycle[i]].id, trace_name(trace, cycle[i]));
    }
    diag_fail(diag, STATUS_BAD_INPUT, "dependency cycle of %u node%s: %s%s", length,
              length == 1 ? " (a node that depends on itself)" : "s", text,
              length > 6 ? " <- .." : "");
    diag_in(diag, trace->path);
    diag_at(diag, DIAG_NODE, trace->node[cycle[0]].id);
    diag_hint(diag, "--break-cycles drops the edge that goes back in start time and says so");
    return STATUS_BAD_INPUT;
}

/* The edge of the cycle whose parent starts latest after its child (ties: the largest id). */
static uint32_t edge_to_break(const struct trace *trace, const uint32_t *cycle, uint32_t length)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < length; i++) {
        const struct trace_node *parent = &trace->node[cycle[(i + 1) % length]];
        const struct trace_node *best_parent = &trace->node[cycle[(best + 1) % length]];
        if (parent->start_ns != best_parent->start_ns ? parent->start_ns > best_parent->start_ns
                                                      : parent->id > best_parent->id)
            best = i;
    }
    return best;
}

static enum status check_cycles(struct graph *graph, const struct workload_config *config,
                                struct notices *notices, struct diag *diag)
{
    size_t n = graph->count;
    uint32_t *left = malloc((n + 1) * sizeof *left);
    uint32_t *order = malloc((n + 1) * sizeof *order);
    need_memory(left && order);
    enum status status = STATUS_OK;
    while (!status && reach(graph, left, order) < n) {
        uint32_t length = find_cycle(graph, left, order);
        if (!config->break_cycles) {
            status = cycle_fail(graph, order, length, diag);
            break;
        }
        uint32_t i = edge_to_break(graph->trace, order, length);
        uint32_t child = order[i], parent = order[(i + 1) % length];
        drop_edge(graph, parent, child);
        notices_add(notices, NOTICE_REPAIRED, "dependency dropped to break a cycle", 1,
                    "node %" PRIu64 " on %" PRIu64 " (%s)", graph->trace->node[child].id,
                    graph->trace->node[parent].id, graph->trace->path);
    }
    free(left);
    free(order);
    return status;
}

enum status graph_build(struct graph *graph, struct trace *trace,
                        const struct workload_config *config, struct notices *notices,
                        struct diag *diag)
{
    *graph = (struct graph){.trace = trace, .count = trace->count};
    struct edge_rule rule = rule_for(trace, config->deps);
    enum status status = check_missing(trace, rule, config, notices, diag);
    if (status)
        return status;
    build_children(graph, rule);
    status = check_cycles(graph, config, notices, diag);
    if (status)
        graph_release(graph);
    return status;
}

void graph_release(struct graph *graph)
{
    free(graph->parent_count);
    free(graph->child_begin);
    free(graph->child);
    *graph = (struct graph){0};
}
