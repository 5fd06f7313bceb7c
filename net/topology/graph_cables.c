/* The links of a graph file: from an entry to cables. */
#include "net/topology/graph_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_CABLES = 1 << 20 };

/* How two selections are joined; the last three join one selection with itself. */
enum pairing { PAIR_EACH, PAIR_ALL, PAIR_BLOCKS, PAIR_DEAL, PAIR_RING, PAIR_LINE, PAIR_FULL };
static const char *const pair_names[] = {"each", "all", "blocks", "deal", NULL};

/* An entry of `links`. */
struct cable {
    enum pairing pairing;
    struct selection a, b;
    double there_Bps, back_Bps; /* back: 0 if one-way */
    double latency_ns;
    uint32_t count, dim;
};

static enum status fail(struct graph *graph, const struct doc_node *node, const char *field)
{
    return topology_at(graph->doc, node, field, graph->diag);
}

/* -- one cable ------------------------------------------------------------------------------ */

/* The figures of a dimension are those of the widest link that an NPU has in it. */
static void note_dim(struct graph *graph, const struct cable *cable, uint32_t a, uint32_t b)
{
    struct fabric_dim *dim = &graph->dim[cable->dim];
    double Bps = cable->there_Bps * cable->count;
    if ((a >= graph->npu_count && b >= graph->npu_count) || Bps <= dim->bandwidth_Bps)
        return;
    dim->bandwidth_Bps = Bps;
    dim->latency_ns = cable->latency_ns;
}

static enum status add_pair(struct graph *graph, const struct cable *cable, uint32_t a, uint32_t b)
{
    if (a == b)
        return diag_fail(graph->diag, STATUS_BAD_CONFIG, "a link from %.60s to itself",
                         graph->nodes.node_name.text[a]);
    note_dim(graph, cable, a, b);
    uint32_t there =
        fabric_add_link(graph->builder, a, b, cable->there_Bps, cable->latency_ns, cable->dim);
    fabric_set_count(graph->builder, there, cable->count);
    if (cable->back_Bps <= 0)
        return STATUS_OK;
    uint32_t back =
        fabric_add_link(graph->builder, b, a, cable->back_Bps, cable->latency_ns, cable->dim);
    fabric_set_count(graph->builder, back, cable->count);
    return STATUS_OK;
}

/* Refused before the first is added: a few letters can ask for very many. */
static enum status check_link_count(struct graph *graph, const struct cable *cable)
{
    uint64_t a = cable->a.count;
    uint64_t pairs = a;
    if (cable->pairing == PAIR_ALL)
        pairs = a * cable->b.count;
    else if (cable->pairing == PAIR_FULL)
        pairs = a * (a - 1) / 2;
    graph->link_count += 2 * pairs;
    if (graph->link_count <= FABRIC_MAX_LINKS)
        return STATUS_OK;
    return diag_fail(graph->diag, STATUS_BAD_CONFIG,
                     "%" PRIu64 " links, more than the %d supported", graph->link_count,
                     FABRIC_MAX_LINKS);
}

static enum status add_two_sets(struct graph *graph, const struct cable *cable)
{
    const struct selection *a = &cable->a, *b = &cable->b;
    enum status status = STATUS_OK;
    if (cable->pairing == PAIR_ALL) {
        for (uint32_t i = 0; i < a->count && status == STATUS_OK; i++)
            for (uint32_t k = 0; k < b->count && status == STATUS_OK; k++)
                status = add_pair(graph, cable, a->number[i], b->number[k]);
        return status;
    }
    uint32_t block = a->count / b->count; /* both have one or more */
    for (uint32_t i = 0; i < a->count && status == STATUS_OK; i++) {
        uint32_t k = cable->pairing == PAIR_BLOCKS ? i / block : i % b->count;
        status = add_pair(graph, cable, a->number[i], b->number[k]);
    }
    return status;
}

static enum status add_one_set(struct graph *graph, const struct cable *cable)
{
    const uint32_t *number = cable->a.number;
    uint32_t count = cable->a.count;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i + 1 < count && status == STATUS_OK; i++) {
        uint32_t last = cable->pairing == PAIR_FULL ? count - 1 : i + 1;
        for (uint32_t k = i + 1; k <= last && status == STATUS_OK; k++)
            status = add_pair(graph, cable, number[i], number[k]);
    }
    if (cable->pairing == PAIR_RING && count > 2 && status == STATUS_OK)
        status = add_pair(graph, cable, number[count - 1], number[0]);
    return status;
}

/* -- reading a cable -------------------------------------------------------------------------- */

static enum status select_nodes(struct graph *graph, const struct doc_node *entry,
                                const char *field, const char *key, struct selection *selection)
{
    const char *text;
    enum status status = doc_get_text(graph->doc, doc_find(entry, key), field, &text, graph->diag);
    if (status == STATUS_OK)
        status = node_set_select(&graph->nodes, text, selection, graph->diag);
    return status;
}

static enum status pairing_missing(struct graph *graph, const struct cable *cable)
{
    diag_fail(graph->diag, STATUS_BAD_CONFIG, "%" PRIu32 " nodes with %" PRIu32 ": pair is missing",
              cable->a.count, cable->b.count);
    diag_hint(graph->diag, "add pair: each, all, blocks or deal");
    return STATUS_BAD_CONFIG;
}

/* Do the two counts suit the pairing? */
static enum status check_pairing(struct graph *graph, const struct cable *cable)
{
    uint32_t a = cable->a.count, b = cable->b.count;
    if (cable->pairing == PAIR_EACH && a != b) {
        diag_fail(graph->diag, STATUS_BAD_CONFIG,
                  "pair: each needs equally many nodes, found %" PRIu32 " and %" PRIu32, a, b);
    } else if (cable->pairing == PAIR_BLOCKS && a % b != 0) {
        diag_fail(graph->diag, STATUS_BAD_CONFIG,
                  "pair: blocks needs a multiple of b's %" PRIu32 " nodes in a, found %" PRIu32, b,
                  a);
    } else {
        return STATUS_OK;
    }
    diag_hint(graph->diag, "pairings: each, all, blocks, deal");
    return STATUS_BAD_CONFIG;
}

static enum status read_two_sets(struct graph *graph, const struct doc_node *entry,
                                 const char *field, struct cable *cable)
{
    unsigned pairing = PAIR_ALL;
    enum status status = select_nodes(graph, entry, field, "a", &cable->a);
    if (status == STATUS_OK)
        status = select_nodes(graph, entry, field, "b", &cable->b);
    if (status == STATUS_OK)
        status = topology_word(graph->doc, entry, field, "pair", pair_names, &pairing, graph->diag);
    if (status != STATUS_OK)
        return status;
    cable->pairing = (enum pairing)pairing;
    if (!doc_find(entry, "pair") && cable->a.count > 1 && cable->b.count > 1)
        return pairing_missing(graph, cable);
    return check_pairing(graph, cable);
}

/* a and b, or one of ring, line and full. */
static enum status read_ends(struct graph *graph, const struct doc_node *entry, const char *field,
                             struct cable *cable)
{
    static const char *const shape[] = {"ring", "line", "full"};
    int found = -1, ways = doc_find(entry, "a") || doc_find(entry, "b");
    for (int i = 0; i < 3; i++) {
        if (doc_find(entry, shape[i])) {
            found = i;
            ways++;
        }
    }
    if (ways != 1)
        return doc_fail(graph->doc, entry, field, "either a and b, or one of ring, line and full",
                        graph->diag);
    if (found < 0)
        return read_two_sets(graph, entry, field, cable);
    cable->pairing = (enum pairing)(PAIR_RING + found);
    return select_nodes(graph, entry, field, shape[found], &cable->a);
}

static enum status read_quantities(struct graph *graph, const struct doc_node *entry,
                                   const char *field, struct cable *cable)
{
    const struct doc *doc = graph->doc;
    struct diag *diag = graph->diag;
    bool one_way = false;
    cable->there_Bps = graph->bandwidth_Bps;
    cable->latency_ns = graph->latency_ns;
    enum status status =
        topology_bandwidth(doc, entry, field, "bandwidth", &cable->there_Bps, diag);
    cable->back_Bps = cable->there_Bps;
    if (status == STATUS_OK)
        status = topology_bandwidth(doc, entry, field, "bandwidth-back", &cable->back_Bps, diag);
    if (status == STATUS_OK)
        status = topology_duration(doc, entry, field, "latency", &cable->latency_ns, diag);
    if (status == STATUS_OK)
        status = topology_count(doc, entry, field, "count", MOST_CABLES, &cable->count, diag);
    if (status == STATUS_OK)
        status = topology_flag(doc, entry, field, "one-way", &one_way, diag);
    if (status != STATUS_OK)
        return status;
    if (cable->there_Bps <= 0)
        return doc_fail(doc, NULL, field, "a bandwidth, here or in defaults", diag);
    if (cable->latency_ns < 0)
        return doc_fail(doc, NULL, field, "a latency, here or in defaults", diag);
    if (one_way && doc_find(entry, "bandwidth-back"))
        return diag_fail(diag, STATUS_BAD_CONFIG, "one-way and bandwidth-back contradict");
    if (one_way)
        cable->back_Bps = 0;
    return STATUS_OK;
}

static enum status read_dim(struct graph *graph, const struct doc_node *entry, const char *field,
                            struct cable *cable)
{
    const struct doc_node *dims = doc_find(graph->doc->root, "dims");
    const struct doc_node *dim = doc_find(entry, "dim");
    if (!dim)
        return STATUS_OK;
    uint64_t most = dims && dims->kind == DOC_LIST && dims->count ? dims->count - 1 : 0;
    uint64_t value = 0;
    enum status status = doc_get_u64(graph->doc, dim, field, 0, most, &value, graph->diag);
    cable->dim = (uint32_t)value;
    return status;
}

static enum status read_cable(struct graph *graph, const struct doc_node *entry, const char *field)
{
    static const char *const known[] = {
        "a",       "b",     "pair",    "ring", "line", "full", "bandwidth", "bandwidth-back",
        "latency", "count", "one-way", "dim",  NULL};
    struct cable cable = {.count = 1};
    enum status status = topology_keys(graph->doc, entry, field, known, graph->diag);
    if (status == STATUS_OK)
        status = read_ends(graph, entry, field, &cable);
    if (status == STATUS_OK)
        status = read_quantities(graph, entry, field, &cable);
    if (status == STATUS_OK)
        status = read_dim(graph, entry, field, &cable);
    if (status == STATUS_OK)
        status = check_link_count(graph, &cable);
    if (status == STATUS_OK)
        status =
            cable.pairing < PAIR_RING ? add_two_sets(graph, &cable) : add_one_set(graph, &cable);
    free(cable.a.number);
    free(cable.b.number);
    return status == STATUS_OK ? status : fail(graph, entry, field);
}

enum status graph_read_links(struct graph *graph, const struct doc_node *list)
{
    enum status status = doc_want(graph->doc, list, "links", DOC_LIST, graph->diag);
    for (uint32_t i = 0; status == STATUS_OK && i < list->count; i++) {
        char field[GRAPH_FIELD];
        snprintf(field, sizeof field, "links[%" PRIu32 "]", i);
        status = read_cable(graph, &list->child[i], field);
    }
    return status;
}
