#include "net/topology/graph_file.h"

#include <inttypes.h>
#include <stdio.h>

#include "net/topology/graph_parts.h"

static const char *const role_names[] = {"npu", "switch", "nic", "host", NULL};

static enum status fail(struct graph *graph, const struct doc_node *node, const char *field)
{
    return topology_at(graph->doc, node, field, graph->diag);
}

/* -- nodes ---------------------------------------------------------------------------------- */

static enum status add_nodes(struct graph *graph, const struct doc_node *entry, const char *field,
                             enum fabric_role role)
{
    uint32_t first = graph->nodes.node_name.count;
    uint32_t count = 0;
    const char *name = NULL;
    enum status status =
        topology_count(graph->doc, entry, field, "count", CONFIG_MAX_NPUS, &count, graph->diag);
    if (status == STATUS_OK)
        status = doc_get_text(graph->doc, doc_find(entry, "name"), field, &name, graph->diag);
    if (status != STATUS_OK)
        return status;
    if ((uint64_t)first + count > FABRIC_MAX_NODES ||
        (role == ROLE_NPU && (uint64_t)graph->npu_count + count > CONFIG_MAX_NPUS)) {
        diag_fail(graph->diag, STATUS_BAD_CONFIG, "more nodes than the %d supported",
                  role == ROLE_NPU ? CONFIG_MAX_NPUS : FABRIC_MAX_NODES);
        return fail(graph, doc_find(entry, "count"), field);
    }
    if (node_set_add(&graph->nodes, name, count, graph->diag) != STATUS_OK)
        return fail(graph, doc_find(entry, "name"), field);
    for (uint32_t i = first; i < graph->nodes.node_name.count; i++)
        fabric_add_node(graph->builder, role, graph->nodes.node_name.text[i]);
    if (role == ROLE_NPU)
        graph->npu_count += graph->nodes.node_name.count - first;
    return STATUS_OK;
}

/* The NPUs are added first, as the builder wants; ranks are in the order of the file. */
static enum status read_nodes(struct graph *graph, const struct doc_node *list, bool npus)
{
    static const char *const known[] = {"name", "role", "count", NULL};
    enum status status = doc_want(graph->doc, list, "nodes", DOC_LIST, graph->diag);
    for (uint32_t i = 0; status == STATUS_OK && i < list->count; i++) {
        const struct doc_node *entry = &list->child[i];
        char field[GRAPH_FIELD];
        snprintf(field, sizeof field, "nodes[%" PRIu32 "]", i);
        unsigned role = 0;
        status = topology_keys(graph->doc, entry, field, known, graph->diag);
        if (status == STATUS_OK && !doc_find(entry, "role"))
            status =
                doc_fail(graph->doc, NULL, field, "a role: npu, switch, nic or host", graph->diag);
        if (status == STATUS_OK)
            status =
                topology_word(graph->doc, entry, field, "role", role_names, &role, graph->diag);
        if (status == STATUS_OK && npus == (role == ROLE_NPU))
            status = add_nodes(graph, entry, field, (enum fabric_role)role);
        else if (status != STATUS_OK)
            return fail(graph, entry, field);
    }
    return status;
}

/* -- the whole ------------------------------------------------------------------------------- */

static enum status read_defaults(struct graph *graph, const struct doc_node *node)
{
    static const char *const known[] = {"bandwidth", "latency", NULL};
    if (!node)
        return STATUS_OK;
    enum status status = topology_keys(graph->doc, node, "defaults", known, graph->diag);
    if (status == STATUS_OK)
        status = topology_bandwidth(graph->doc, node, "defaults", "bandwidth",
                                    &graph->bandwidth_Bps, graph->diag);
    if (status == STATUS_OK)
        status = topology_duration(graph->doc, node, "defaults", "latency", &graph->latency_ns,
                                   graph->diag);
    return status;
}

static enum status read_dims(struct graph *graph, const struct doc_node *list)
{
    if (!list)
        return STATUS_OK;
    enum status status = doc_want(graph->doc, list, "dims", DOC_LIST, graph->diag);
    if (status == STATUS_OK && (list->count == 0 || list->count > CONFIG_MAX_DIMS)) {
        diag_fail(graph->diag, STATUS_BAD_CONFIG, "%" PRIu32 " sizes; expected 1 to %d",
                  list->count, CONFIG_MAX_DIMS);
        return fail(graph, list, "dims");
    }
    uint64_t product = 1;
    for (uint32_t d = 0; status == STATUS_OK && d < list->count; d++) {
        uint64_t npus = 1;
        status = doc_get_u64(graph->doc, &list->child[d], "dims", 1, CONFIG_MAX_NPUS, &npus,
                             graph->diag);
        graph->dim[graph->dim_count++] = (struct fabric_dim){
            .kind = FABRIC_GRAPH, .npus = (uint32_t)npus, .stride = (uint32_t)product};
        product *= npus;
        if (product > CONFIG_MAX_NPUS)
            break;
    }
    if (status != STATUS_OK || product == graph->npu_count)
        return status;
    diag_fail(graph->diag, STATUS_BAD_CONFIG,
              "the sizes multiply out to %" PRIu64 ", but there are %" PRIu32 " NPUs", product,
              graph->npu_count);
    return fail(graph, list, "dims");
}

static enum status read_all(struct graph *graph)
{
    static const char *const known[] = {"nodes", "links", "dims", "defaults", "changes", NULL};
    const struct doc_node *root = graph->doc->root;
    const struct doc_node *nodes = doc_find(root, "nodes");
    enum status status = topology_keys(graph->doc, root, "", known, graph->diag);
    if (status == STATUS_OK)
        status = read_defaults(graph, doc_find(root, "defaults"));
    if (status == STATUS_OK)
        status = read_nodes(graph, nodes, true);
    if (status == STATUS_OK)
        status = read_nodes(graph, nodes, false);
    if (status == STATUS_OK && graph->npu_count == 0)
        status =
            doc_fail(graph->doc, nodes, "nodes", "at least one node with role npu", graph->diag);
    if (status == STATUS_OK)
        status = read_dims(graph, doc_find(root, "dims"));
    if (status == STATUS_OK)
        status = graph_read_links(graph, doc_find(root, "links"));
    for (uint32_t d = 0; status == STATUS_OK && d < graph->dim_count; d++) {
        if (graph->dim[d].bandwidth_Bps <= 0) { /* no link says that it serves this dimension */
            graph->dim[d].bandwidth_Bps = graph->dim[0].bandwidth_Bps;
            graph->dim[d].latency_ns = graph->dim[0].latency_ns;
        }
        fabric_add_dim(graph->builder, graph->dim[d]);
    }
    return status;
}

enum status graph_file_read(const struct doc *doc, struct fabric **fabric, struct diag *diag)
{
    struct graph graph = {
        .doc = doc, .builder = fabric_builder_create(), .latency_ns = -1, .diag = diag};
    node_set_init(&graph.nodes);
    enum status status = read_all(&graph);
    node_set_release(&graph.nodes);
    if (status != STATUS_OK) {
        fabric_builder_destroy(graph.builder);
        return status;
    }
    status = fabric_finish(graph.builder, doc->path, fabric, diag);
    if (status != STATUS_OK)
        diag_in(diag, doc->path);
    return status;
}
