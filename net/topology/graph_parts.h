/*
 * graph_parts - what the two halves of the graph file's reader share. Only graph_*.c include it.
 */
#ifndef ORRERY_NET_TOPOLOGY_GRAPH_PARTS_H
#define ORRERY_NET_TOPOLOGY_GRAPH_PARTS_H

#include "net/topology/graph_file.h"
#include "net/topology/node_set.h"
#include "net/topology/topology_doc.h"

enum { GRAPH_FIELD = 40 };

struct graph {
    const struct doc *doc;
    struct fabric_builder *builder;
    struct node_set nodes; /* numbered as in the builder */
    uint32_t npu_count;
    uint64_t link_count;
    double bandwidth_Bps; /* `defaults`; 0: none */
    double latency_ns;    /* `defaults`; below 0: none */
    uint32_t dim_count;   /* 0: the file does not say */
    struct fabric_dim dim[CONFIG_MAX_DIMS];
    struct diag *diag;
};

/* Reads the list `links` into the builder; nodes and defaults are there (graph_cables.c). */
enum status graph_read_links(struct graph *graph, const struct doc_node *list);

#endif
