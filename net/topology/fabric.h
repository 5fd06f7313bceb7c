/*
 * fabric - the network as a graph: NPUs, switches, NICs and hosts, and the links between them.
 *
 * Rules:
 *  1. Nodes 0 .. npu_count - 1 are the NPUs, in rank order; all other nodes follow. Only NPUs are
 *     ranks: switches, NICs and hosts are never counted as accelerators.
 *  2. A link is one direction. Cables are added as pairs that name each other in `reverse`.
 *     Parallel cables are one link with `count` > 1, whose bandwidth is that of all together.
 *  3. Links are numbered by their source node: those of node v are first_link[v] ..
 *     first_link[v + 1] - 1, in the order in which they were added.
 *  4. A fabric is made with a builder, checked by fabric_finish() and then const. Its memory is one
 *     arena.
 *  5. `dim` are the logical dimensions of the rank number (dimension 0 varies fastest; their sizes
 *     multiply out to npu_count): what algorithms "per dimension" mean, and what tables are by. A
 *     graph without structure has one.
 */
#ifndef ORRERY_NET_TOPOLOGY_FABRIC_H
#define ORRERY_NET_TOPOLOGY_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/notice.h"
#include "config/config.h"

#define FABRIC_NONE UINT32_MAX

enum { FABRIC_MAX_NODES = 1 << 25, FABRIC_MAX_LINKS = 1 << 25 };

enum fabric_role { ROLE_NPU, ROLE_SWITCH, ROLE_NIC, ROLE_HOST };

/* What a dimension, or the whole, is made of: routing and drawing use it. */
enum fabric_kind {
    FABRIC_RING,   /* both directions, n >= 3 wraps */
    FABRIC_LINE,   /* a mesh dimension */
    FABRIC_FULL,   /* a link for every pair */
    FABRIC_SWITCH, /* one switch */
    FABRIC_TREE,   /* levels of switches: leaf-spine, fat-tree, rails */
    FABRIC_GRAPH,  /* anything else: dragonfly, files */
    FABRIC_KIND_COUNT
};

/* "ring", "line", "full", "switch", "tree", "graph". */
const char *fabric_kind_name(unsigned kind);

struct fabric_node {
    const char *name; /* unique: "npu3", "leaf1", or as the file has it */
    uint8_t role;     /* enum fabric_role */
    uint8_t level;    /* trees: 0 NPUs (and NICs), 1 next to them, .. ; else 0 */
    /* Trees: the NPUs below a switch are first, first + stride, .. (count of them). */
    uint32_t below_first, below_stride, below_count;
};

struct fabric_link {
    uint32_t src, dst;
    uint32_t reverse;     /* the link of the other direction, or FABRIC_NONE */
    uint32_t count;       /* parallel cables, >= 1 */
    double bandwidth_Bps; /* of all `count` together; 0 if the link has failed */
    double latency_ns;
    uint8_t dim; /* logical dimension it serves */
};

struct fabric_dim {
    uint8_t kind; /* enum fabric_kind */
    uint32_t npus;
    uint32_t stride;      /* rank distance between neighbours: product of the sizes before it */
    double bandwidth_Bps; /* of a link that an NPU has in it */
    double latency_ns;    /* of such a link */
    bool oneway;          /* FABRIC_RING: links only go upwards */
};

/*
 * A product is a copy of a factor for every line of NPUs along a dimension. Copy l of dimension d
 * has the NPUs whose other coordinates make l (lower ones first); its other nodes are first_node +
 * l * (factor's node_count - npu_count) .., in the factor's order; link f of the factor is link[l *
 * factor's link_count + f] there.
 */
struct fabric_factor {
    struct fabric *fabric; /* owned; NULL: the dimension is no factor, or has one NPU */
    uint32_t first_node;
    const uint32_t *link;
};

/* Node npu_count + (group * chassis + c) * routers + r is router r of chassis c of a group. */
struct fabric_dragonfly {
    uint32_t groups; /* 0: the fabric is none */
    uint32_t chassis, routers, hosts;
};

struct fabric {
    struct arena arena;
    const char *text; /* canonical one-line form; a file: its path */
    uint32_t npu_count, node_count, link_count;
    struct fabric_node *node;
    struct fabric_link *link;
    uint32_t *first_link; /* [node_count + 1] */
    uint32_t dim_count;
    struct fabric_dim dim[CONFIG_MAX_DIMS];
    bool is_product;  /* dimension d is made of copies of factor[d]: dimension-order routing */
    bool is_tree;     /* levels and `below` are set: up/down routing */
    bool has_changes; /* a link or rank was derated or failed: no symmetry to rely on */
    struct fabric_factor factor[CONFIG_MAX_DIMS]; /* is_product */
    struct fabric_dragonfly dragonfly;
    struct notices notices; /* what was guessed or ignored when a file was read; owned */
};

/* -- building ------------------------------------------------------------------------------- */

struct fabric_builder; /* opaque; net/topology/fabric.c */

struct fabric_builder *fabric_builder_create(void);
void fabric_builder_destroy(struct fabric_builder *builder);

/* Adds a node and returns its number. NPUs must be added first. `name` is copied. */
uint32_t fabric_add_node(struct fabric_builder *builder, enum fabric_role role, const char *name);

/* Adds NPUs called "npu0", "npu1", .. */
void fabric_add_npus(struct fabric_builder *builder, uint32_t count);

/* A cable: a link each way. Returns a handle for fabric_... functions of this file only. */
uint32_t fabric_add_cable(struct fabric_builder *builder, uint32_t a, uint32_t b,
                          double bandwidth_Bps, double latency_ns, uint32_t dim);

/* One direction only. */
uint32_t fabric_add_link(struct fabric_builder *builder, uint32_t src, uint32_t dst,
                         double bandwidth_Bps, double latency_ns, uint32_t dim);

/* `count` parallel cables (or links) instead of one; the bandwidth given was that of each. */
void fabric_set_count(struct fabric_builder *builder, uint32_t handle, uint32_t count);

/* What a reader guesses or ignores goes here, and to fabric->notices in the end. */
struct notices *fabric_builder_notices(struct fabric_builder *builder);

/* The builder's nodes and dimensions, to set what the functions above do not. */
struct fabric_node *fabric_builder_node(struct fabric_builder *builder, uint32_t node);
void fabric_add_dim(struct fabric_builder *builder, struct fabric_dim dim);

/*
 * Numbers the links, merges parallel ones, checks (names unique, bandwidths > 0, dimensions
 * multiply out, every NPU can reach every other; names who is cut off) and gives the fabric; the
 * builder is destroyed in every case.
 */
enum status fabric_finish(struct fabric_builder *builder, const char *text, struct fabric **fabric,
                          struct diag *diag);
void fabric_destroy(struct fabric *fabric);

/* -- the one-line form and files --------------------------------------------------------------- */

/*
 * Builds what `text` names: the one-line form (net/README.md has the grammar; "torus:8x8x4",
 * "fat-tree:16,taper=2"), or the path of a topology file (YAML graph, ASTRA-sim YAML, ns-3, lstopo
 * XML; told apart by content). fabric->text is the canonical form, which parses to the same fabric.
 */
enum status fabric_parse(const char *text, struct fabric **fabric, struct diag *diag);

/* ASTRA-sim's dimensions (ring, fully connected, switch) as a product fabric. */
enum status fabric_of_dims(const struct network_config *network, struct fabric **fabric,
                           struct diag *diag);

/* The link from `src` to `dst`, or FABRIC_NONE. */
uint32_t fabric_find_link(const struct fabric *fabric, uint32_t src, uint32_t dst);

/* The node called `name`, or FABRIC_NONE. */
uint32_t fabric_find_node(const struct fabric *fabric, const char *name);

#endif
