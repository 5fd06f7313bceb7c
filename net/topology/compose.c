#include "net/topology/compose.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "net/topology/lstopo_doc.h"
#include "net/topology/topology_doc.h"
#include "net/topology/topology_file.h"

enum { MOST_NAME = 160 };

enum order { ORDER_NODE, ORDER_RAIL };
enum attach { ATTACH_NIC, ATTACH_NPU };
static const char *const order_names[] = {"node", "rail", NULL};
static const char *const attach_names[] = {"nic", "npu", NULL};

struct composition {
    const struct fabric *node, *network;
    uint32_t copies;
    unsigned order, attach;
    uint32_t port_count; /* NICs (or NPUs) of a node that the network joins */
    uint32_t *port;      /* their numbers in `node` */
    struct fabric_builder *builder;
    uint32_t *of_node;    /* [copies * node->node_count] number in the whole */
    uint32_t *of_network; /* [network->node_count] */
};

/* -- adding ---------------------------------------------------------------------------------- */

static void find_ports(struct composition *whole)
{
    const struct fabric *node = whole->node;
    uint8_t role = whole->attach == ATTACH_NPU ? ROLE_NPU : ROLE_NIC;
    whole->port = calloc(node->node_count, sizeof *whole->port);
    need_memory(whole->port != NULL);
    for (uint32_t v = 0; v < node->node_count; v++) {
        if (node->node[v].role == role)
            whole->port[whole->port_count++] = v;
    }
}

static void add_copies(struct composition *whole, bool npus)
{
    const struct fabric *node = whole->node;
    uint32_t first = npus ? 0 : node->npu_count;
    uint32_t end = npus ? node->npu_count : node->node_count;
    for (uint32_t copy = 0; copy < whole->copies; copy++) {
        for (uint32_t v = first; v < end; v++) {
            char name[MOST_NAME];
            snprintf(name, sizeof name, "n%" PRIu32 "/%.120s", copy, node->node[v].name);
            whole->of_node[(size_t)copy * node->node_count + v] =
                fabric_add_node(whole->builder, (enum fabric_role)node->node[v].role, name);
        }
    }
}

/* The network's NPU i is port j of copy c. */
static uint32_t port_of(const struct composition *whole, uint32_t i)
{
    bool by_rail = whole->order == ORDER_RAIL;
    uint32_t copy = by_rail ? i % whole->copies : i / whole->port_count;
    uint32_t j = by_rail ? i / whole->copies : i % whole->port_count;
    return whole->of_node[(size_t)copy * whole->node->node_count + whole->port[j]];
}

static void add_network(struct composition *whole)
{
    const struct fabric *network = whole->network;
    for (uint32_t v = 0; v < network->node_count; v++) {
        const struct fabric_node *node = &network->node[v];
        whole->of_network[v] =
            v < network->npu_count
                ? port_of(whole, v)
                : fabric_add_node(whole->builder, (enum fabric_role)node->role, node->name);
    }
}

static void add_links(struct composition *whole, const struct fabric *part, const uint32_t *of,
                      uint32_t dim)
{
    for (uint32_t i = 0; i < part->link_count; i++) {
        const struct fabric_link *link = &part->link[i];
        uint32_t handle = fabric_add_link(whole->builder, of[link->src], of[link->dst],
                                          link->bandwidth_Bps / link->count, link->latency_ns, dim);
        fabric_set_count(whole->builder, handle, link->count);
    }
}

/* Dimension 0: within a node, by its first NPU's widest link; 1: across, by the network's. */
static void add_dims(struct composition *whole)
{
    const struct fabric *part[2] = {whole->node, whole->network};
    uint32_t npus[2] = {whole->node->npu_count, whole->copies};
    for (uint32_t d = 0; d < 2; d++) {
        struct fabric_dim dim = {
            .kind = FABRIC_GRAPH, .npus = npus[d], .stride = d ? whole->node->npu_count : 1};
        for (uint32_t i = 0; i < part[d]->first_link[1]; i++) {
            const struct fabric_link *link = &part[d]->link[i];
            if (link->bandwidth_Bps > dim.bandwidth_Bps) {
                dim.bandwidth_Bps = link->bandwidth_Bps;
                dim.latency_ns = link->latency_ns;
            }
        }
        fabric_add_dim(whole->builder, dim);
    }
}

static void take_notices(struct composition *whole, const struct notices *from)
{
    for (size_t i = 0; i < from->count; i++)
        notices_add(fabric_builder_notices(whole->builder), from->row[i].kind, from->row[i].key,
                    from->row[i].count, "%s", from->row[i].example);
}

static void add_all(struct composition *whole)
{
    size_t nodes = (size_t)whole->copies * whole->node->node_count;
    whole->of_node = malloc(nodes * sizeof *whole->of_node);
    whole->of_network = malloc(whole->network->node_count * sizeof *whole->of_network);
    need_memory(whole->of_node && whole->of_network);
    add_copies(whole, true);
    add_copies(whole, false);
    add_network(whole);
    for (uint32_t copy = 0; copy < whole->copies; copy++)
        add_links(whole, whole->node, whole->of_node + (size_t)copy * whole->node->node_count, 0);
    add_links(whole, whole->network, whole->of_network, 1);
    add_dims(whole);
    take_notices(whole, &whole->node->notices);
    take_notices(whole, &whole->network->notices);
    free(whole->of_node);
    free(whole->of_network);
}

/* -- checks --------------------------------------------------------------------------------- */

static enum status check_ports(struct composition *whole, struct diag *diag)
{
    uint64_t ports = (uint64_t)whole->copies * whole->port_count;
    const char *what = whole->attach == ATTACH_NPU ? "NPUs" : "NICs";
    if (whole->port_count == 0) {
        diag_fail(diag, STATUS_BAD_CONFIG, "the node has no NIC");
        diag_hint(diag, "attach: npu joins its NPUs themselves with the network");
        return STATUS_BAD_CONFIG;
    }
    if (ports == whole->network->npu_count)
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG,
              "the network has %" PRIu32 " ends, but %" PRIu32 " copies with %" PRIu32
              " %s each have %" PRIu64,
              whole->network->npu_count, whole->copies, whole->port_count, what, ports);
    diag_hint(diag, "choose a network with %" PRIu64 " NPUs", ports);
    return STATUS_BAD_CONFIG;
}

static enum status check_size(const struct composition *whole, struct diag *diag)
{
    uint64_t copies = whole->copies;
    uint64_t npus = copies * whole->node->npu_count;
    uint64_t nodes = copies * whole->node->node_count + whole->network->node_count;
    uint64_t links = copies * whole->node->link_count + whole->network->link_count;
    if (npus <= CONFIG_MAX_NPUS && nodes <= FABRIC_MAX_NODES && links <= FABRIC_MAX_LINKS)
        return STATUS_OK;
    return diag_fail(diag, STATUS_BAD_CONFIG,
                     "%" PRIu64 " NPUs, %" PRIu64 " nodes and %" PRIu64
                     " links are more than the %d, %d and %d supported",
                     npus, nodes, links, CONFIG_MAX_NPUS, FABRIC_MAX_NODES, FABRIC_MAX_LINKS);
}

/* -- reading -------------------------------------------------------------------------------- */

static enum status read_words(struct composition *whole, const struct doc *doc, struct diag *diag)
{
    static const char *const known[] = {"node",   "copies",  "network", "order",
                                        "attach", "changes", NULL};
    enum status status = topology_keys(doc, doc->root, "", known, diag);
    if (status == STATUS_OK && !doc_find(doc->root, "copies"))
        status = doc_fail(doc, NULL, "copies", "how many nodes there are", diag);
    if (status == STATUS_OK)
        status =
            topology_count(doc, doc->root, "", "copies", CONFIG_MAX_NPUS, &whole->copies, diag);
    if (status == STATUS_OK)
        status = topology_word(doc, doc->root, "", "order", order_names, &whole->order, diag);
    if (status == STATUS_OK)
        status = topology_word(doc, doc->root, "", "attach", attach_names, &whole->attach, diag);
    return status;
}

static enum status read_parts(const struct doc *doc, uint32_t depth, struct fabric **node,
                              struct fabric **network, struct diag *diag)
{
    const struct doc_node *entry = doc_find(doc->root, "node");
    enum status status = entry && entry->kind == DOC_MAP
                             ? lstopo_doc_read(doc, entry, "node", node, diag)
                             : topology_beside(doc, entry, "node", depth, node, diag);
    if (status == STATUS_OK)
        status =
            topology_beside(doc, doc_find(doc->root, "network"), "network", depth, network, diag);
    return status;
}

static enum status build(struct composition *whole, const struct doc *doc, struct fabric **fabric,
                         struct diag *diag)
{
    find_ports(whole);
    enum status status = check_ports(whole, diag);
    if (status == STATUS_OK)
        status = check_size(whole, diag);
    if (status == STATUS_OK) {
        whole->builder = fabric_builder_create();
        add_all(whole);
        status = fabric_finish(whole->builder, doc->path, fabric, diag);
    }
    free(whole->port);
    if (status != STATUS_OK)
        diag_in(diag, doc->path);
    return status;
}

enum status compose_read(const struct doc *doc, uint32_t depth, struct fabric **fabric,
                         struct diag *diag)
{
    struct composition whole = {0};
    struct fabric *node = NULL, *network = NULL;
    enum status status = read_words(&whole, doc, diag);
    if (status == STATUS_OK)
        status = read_parts(doc, depth, &node, &network, diag);
    if (status == STATUS_OK) {
        whole.node = node;
        whole.network = network;
        status = build(&whole, doc, fabric, diag);
    }
    fabric_destroy(node);
    fabric_destroy(network);
    return status;
}
