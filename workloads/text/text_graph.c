#include "workloads/text/text_graph.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"

/* Bits of trace_node.dims. */
enum { FIRST_DIM = 0x01, OTHER_DIMS = 0xfe, DIMS = 8 };

static const char group_tp[] = "tp", group_dp[] = "dp", group_ep[] = "ep", group_dp_ep[] = "dp-ep";

static uint32_t or_one(uint32_t value)
{
    return value > 0 ? value : 1;
}

/* -- ranks ------------------------------------------------------------------------------------- */

static bool is_transformer(enum text_mode mode)
{
    return mode == TEXT_TRANSFORMER || mode == TEXT_TRANSFORMER_RECOMPUTE;
}

uint32_t text_graph_ranks(const struct text_file *file)
{
    uint64_t fewest = (uint64_t)file->model_group * or_one(file->ep) * or_one(file->pp);
    fewest *= is_transformer(file->mode) ? 2 : 1;
    if (file->all_gpus > 0)
        return file->all_gpus;
    return fewest <= UINT32_MAX ? (uint32_t)fewest : UINT32_MAX;
}

/* At most so many nodes in a pass. */
static uint64_t most_nodes(const struct text_file *file)
{
    uint64_t nodes = (uint64_t)file->layer_count * 2 * TEXT_PASSES;
    uint32_t checkpoint = 0; /* the nearest below */
    for (uint32_t l = 0; l < file->layer_count; l++) {
        nodes += file->layer[l].is_initiator ? 2 * (uint64_t)(l - checkpoint) : 0;
        checkpoint = file->layer[l].is_checkpoint ? l : checkpoint;
    }
    return nodes;
}

enum status text_graph_check(const struct text_file *file, uint32_t ranks, uint32_t passes,
                             struct diag *diag)
{
    if (most_nodes(file) > PARENT_INDEX / passes)
        return diag_fail(diag, STATUS_NO_MEMORY,
                         "%" PRIu32 " layers in %" PRIu32 " passes may be %" PRIu64
                         " nodes a pass; a trace has at most %" PRIu32,
                         file->layer_count, passes, most_nodes(file), PARENT_INDEX);
    uint64_t unit = (uint64_t)file->model_group * or_one(file->ep) * or_one(file->pp);
    enum status status = STATUS_OK;
    if (file->all_gpus > 0 && file->all_gpus != ranks)
        status = diag_fail(diag, STATUS_BAD_CONFIG,
                           "the workload is of %" PRIu32
                           " ranks (all_gpus), the network has %" PRIu32 " NPUs",
                           file->all_gpus, ranks);
    else if (ranks % unit != 0)
        status = diag_fail(diag, STATUS_BAD_CONFIG,
                           "groups of %" PRIu32 " (model-parallel) x %" PRIu32 " (ep) x %" PRIu32
                           " (pp) do not divide %" PRIu32 " NPUs",
                           file->model_group, or_one(file->ep), or_one(file->pp), ranks);
    if (status == STATUS_OK)
        return status;
    uint64_t nearest = file->all_gpus > 0 ? file->all_gpus : (ranks / unit + (ranks < unit)) * unit;
    diag_hint(diag, "give a network of %" PRIu64 " NPUs", nearest);
    return status;
}

/* -- collectives ------------------------------------------------------------------------------- */

struct graph {
    struct text_trace *text;
    const struct text_file *file;
    uint32_t ranks;
    uint64_t lone; /* collectives of one rank */
    /* [layer]: its weight-gradient collective of the pass before, or TRACE_NONE */
    uint32_t *weights;
};

static const enum text_part part_of_pass[] = {
    [TEXT_FORWARD] = PART_FORWARD,
    [TEXT_INPUT_GRADIENT] = PART_INPUT_GRADIENT,
    [TEXT_WEIGHT_GRADIENT] = PART_WEIGHT_GRADIENT,
};

/* Puts the node into its group; returns the group's members. */
static uint32_t choose_group(const struct graph *graph, const struct text_collective *collective,
                             enum text_pass pass, struct trace_node *node)
{
    const struct text_file *file = graph->file;
    uint32_t tp = file->model_group, stage = graph->ranks / or_one(file->pp), ep = or_one(file->ep);
    uint32_t dp = stage / tp, size = dp, stride = tp;
    const char *name = group_dp;
    if (collective->scope == TEXT_EXPERT) {
        name = group_ep;
        size = ep;
    } else if (collective->scope == TEXT_EXPERT_DATA) {
        name = group_dp_ep;
        size = dp / ep;
        stride = tp * ep;
    } else if (pass != TEXT_WEIGHT_GRADIENT) {
        name = group_tp;
        size = tp;
        stride = 1;
    }
    if (size > 1)
        node->group = text_trace_group(graph->text, name, graph->ranks, size, stride);
    return size;
}

static void choose_dims(enum text_mode mode, enum text_pass pass, struct trace_node *node)
{
    if (mode != TEXT_DATA_MODEL && mode != TEXT_MODEL_DATA)
        return;
    bool is_first = (mode == TEXT_DATA_MODEL) == (pass != TEXT_WEIGHT_GRADIENT);
    node->flags |= NODE_HAS_DIMS;
    node->dims = is_first ? FIRST_DIM : OTHER_DIMS;
    node->dim_count = DIMS;
}

/* True if layers of this mode run a collective of this pass. */
static bool runs(enum text_mode mode, enum text_pass pass)
{
    switch (mode) {
    case TEXT_MICRO:
    case TEXT_DATA:
    case TEXT_DATA_REORDER:
        return pass == TEXT_WEIGHT_GRADIENT;
    case TEXT_MODEL:
    case TEXT_INFERENCE:
        return pass != TEXT_WEIGHT_GRADIENT;
    default:
        return true;
    }
}

/* The collective of a layer's pass, or TRACE_NONE. */
static uint32_t collect(struct graph *graph, const struct text_layer *layer, enum text_pass pass,
                        enum text_part part)
{
    const struct text_collective *collective = &layer->collective[pass];
    if (!collective->is_there || !runs(layer->mode, pass))
        return TRACE_NONE;
    uint32_t members = graph->ranks;
    struct trace_node node = {.collective = collective->kind, .group = TRACE_NONE};
    if (is_transformer(layer->mode))
        members = choose_group(graph, collective, pass, &node);
    if (members == 1 && graph->ranks > 1) {
        graph->lone++;
        return TRACE_NONE;
    }
    choose_dims(layer->mode, pass, &node);
    bool is_total = graph->file->is_simai && collective->kind == COLL_ALL_GATHER;
    node.size_bytes = is_total ? collective->bytes / members + (collective->bytes % members != 0)
                               : collective->bytes;
    return text_trace_collective(graph->text, layer->name, part, node);
}

static uint32_t collect_pass(struct graph *graph, const struct text_layer *layer,
                             enum text_pass pass)
{
    return collect(graph, layer, pass, part_of_pass[pass]);
}

static void compute(struct graph *graph, const struct text_layer *layer, enum text_pass pass)
{
    text_trace_compute(graph->text, layer->name, part_of_pass[pass], layer->compute_ns[pass]);
}

/* -- modes ------------------------------------------------------------------------------------- */

static void forward_blocking(struct graph *graph)
{
    for (uint32_t l = 0; l < graph->file->layer_count; l++) {
        const struct text_layer *layer = &graph->file->layer[l];
        text_trace_wait(graph->text, graph->weights[l]);
        compute(graph, layer, TEXT_FORWARD);
        text_trace_wait(graph->text, collect_pass(graph, layer, TEXT_FORWARD));
    }
}

/* Forward again, from the nearest checkpoint below layer `l` to the layer below it. */
static void recompute(struct graph *graph, uint32_t l)
{
    uint32_t from = l - 1; /* text_file has checked that there is a checkpoint */
    while (!graph->file->layer[from].is_checkpoint)
        from--;
    for (; from < l; from++) {
        const struct text_layer *layer = &graph->file->layer[from];
        text_trace_compute(graph->text, layer->name, PART_RECOMPUTE,
                           layer->compute_ns[TEXT_FORWARD]);
        text_trace_wait(graph->text, collect(graph, layer, TEXT_FORWARD, PART_RECOMPUTE));
    }
}

static void backward_inputs_first(struct graph *graph)
{
    bool is_transformed = is_transformer(graph->file->mode);
    for (uint32_t l = graph->file->layer_count; l-- > 0;) {
        const struct text_layer *layer = &graph->file->layer[l];
        if (layer->is_initiator)
            recompute(graph, l);
        compute(graph, layer, TEXT_INPUT_GRADIENT);
        uint32_t inputs =
            l > 0 || is_transformed ? collect_pass(graph, layer, TEXT_INPUT_GRADIENT) : TRACE_NONE;
        compute(graph, layer, TEXT_WEIGHT_GRADIENT);
        graph->weights[l] = collect_pass(graph, layer, TEXT_WEIGHT_GRADIENT);
        text_trace_wait(graph->text, inputs);
    }
}

static void forward_plain(struct graph *graph, bool is_dlrm)
{
    const struct text_file *file = graph->file;
    uint32_t embedding = TRACE_NONE;
    for (uint32_t l = 0; l < file->layer_count; l++) {
        const struct text_layer *layer = &file->layer[l];
        if (is_dlrm && l > 0 && l == file->last_bottom_layer)
            text_trace_wait(graph->text, embedding);
        text_trace_wait(graph->text, graph->weights[l]);
        compute(graph, layer, TEXT_FORWARD);
        if (is_dlrm && layer->collective[TEXT_FORWARD].kind == COLL_ALL_TO_ALL) {
            uint32_t all_to_all = collect_pass(graph, layer, TEXT_FORWARD);
            embedding = l == 0 ? all_to_all : embedding;
        }
    }
}

static void backward_weights_first(struct graph *graph, bool is_dlrm)
{
    const struct text_file *file = graph->file;
    uint32_t embedding = TRACE_NONE;
    for (uint32_t l = file->layer_count; l-- > 0;) {
        const struct text_layer *layer = &file->layer[l];
        if (l == 0)
            text_trace_wait(graph->text, embedding);
        compute(graph, layer, TEXT_WEIGHT_GRADIENT);
        graph->weights[l] = collect_pass(graph, layer, TEXT_WEIGHT_GRADIENT);
        if (l == 0)
            break;
        compute(graph, layer, TEXT_INPUT_GRADIENT);
        if (is_dlrm && l == file->last_bottom_layer + 1)
            embedding = collect_pass(graph, &file->layer[0], TEXT_INPUT_GRADIENT);
    }
}

static void build_pass(struct graph *graph)
{
    const struct text_file *file = graph->file;
    bool is_dlrm = file->mode == TEXT_DLRM || file->mode == TEXT_DLRM_ENHANCED;
    switch (file->mode) {
    case TEXT_MICRO:
        for (uint32_t l = 0; l < file->layer_count; l++)
            collect_pass(graph, &file->layer[l], TEXT_WEIGHT_GRADIENT);
        break;
    case TEXT_DATA:
    case TEXT_DATA_REORDER:
    case TEXT_DLRM:
    case TEXT_DLRM_ENHANCED:
        forward_plain(graph, is_dlrm);
        backward_weights_first(graph, is_dlrm);
        break;
    case TEXT_INFERENCE:
        forward_blocking(graph);
        break;
    default:
        forward_blocking(graph);
        backward_inputs_first(graph);
    }
}

uint64_t text_graph_build(struct text_trace *text, const struct text_file *file, uint32_t ranks,
                          uint32_t passes)
{
    struct graph graph = {.text = text, .file = file, .ranks = ranks};
    graph.weights = malloc(file->layer_count * sizeof *graph.weights);
    need_memory(graph.weights != NULL);
    for (uint32_t l = 0; l < file->layer_count; l++)
        graph.weights[l] = TRACE_NONE;
    for (uint32_t pass = 0; pass < passes; pass++) {
        build_pass(&graph);
        text_trace_next_pass(text);
    }
    free(graph.weights);
    return graph.lone;
}
