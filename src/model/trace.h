/*
 * trace - the one form that every workload reader produces: a graph of operations for one rank.
 *
 * Rules:
 *  1. Nodes are in ascending id, so a node's index order is its id order ("smallest id first" is
 *     "smallest index first"). Ids are arbitrary uint64; indices are dense from 0.
 *  2. A node is a fixed record decoded once. Sizes are bytes, durations nanoseconds.
 *  3. Parents are stored as indices in the order of the file, data before control, duplicates kept;
 *     PARENT_IS_CONTROL marks a control dependency. Parents whose id is not in the file are not in
 *     that list but in `missing`.
 *  4. A trace is read-only after loading and may be shared by many ranks. The loader that made it
 *     destroys it (trace->destroy).
 *  5. What each collective means by `size_bytes`: all-gather: each rank's own input;
 *     reduce-scatter, all-reduce, all-to-all: each rank's full buffer; broadcast, reduce: the
 *     buffer; gather, scatter: one rank's part; barrier: ignored.
 *  6. With NODE_PEER_IN_GROUP the other side of a message is the member `peer` places after the
 *     rank itself in the group of the node, around its end: so many ranks can share one trace. In a
 *     group of 4, 1 is the next and 3 the one before.
 */
#ifndef ORRERY_MODEL_TRACE_H
#define ORRERY_MODEL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/op.h"
#include "model/op_shape.h"

#define TRACE_NONE        UINT32_MAX
#define PARENT_IS_CONTROL 0x80000000u /* flag in trace->parent[] */
#define PARENT_INDEX      0x7fffffffu /* mask; a trace has at most 2^31 - 1 nodes */

enum node_flag {
    NODE_IS_HOST = 1 << 0,      /* is_cpu_op true: runs on the host, not the device */
    NODE_HAS_SIZE = 1 << 1,     /* size_bytes was in the input (or derived, see next) */
    NODE_SIZE_DERIVED = 1 << 2, /* size_bytes was computed from shapes and types */
    NODE_HAS_FLOPS = 1 << 3,    /* flop_count was in the input */
    NODE_HAS_KIND = 1 << 4,     /* collective kind was in the input (0 is all-reduce!) */
    NODE_HAS_PEER = 1 << 5,     /* peer (send, receive) or root (rooted collectives) given */
    NODE_HAS_TAG = 1 << 6,
    NODE_HAS_DIMS = 1 << 7, /* involved_dim given: `dims`, `dim_count` hold it */
    NODE_HAS_STREAM = 1 << 8,
    NODE_HAS_OWNER = 1 << 9, /* the local side of a send/receive was given: `owner` */
    NODE_PEER_IN_GROUP =
        1 << 10, /* send, receive: `peer` counts places onwards in `group` (rule 6) */
};

struct trace_node {
    uint64_t id;          /* as in the file */
    uint64_t duration_ns; /* recorded duration; 0 if absent */
    uint64_t start_ns;    /* recorded start; 0 if absent (only used to break cycles) */
    uint64_t size_bytes;  /* comm: payload (rule 5); compute, memory: tensor bytes moved */
    uint64_t flop_count;  /* compute: operations */
    uint64_t name;        /* private to the loader: see trace_name() */
    uint32_t group;       /* index into trace->group_names, or TRACE_NONE: all ranks */
    uint32_t peer;        /* send: destination; receive: source; rooted collective: root rank */
    uint32_t owner;       /* send: source; receive: destination, if NODE_HAS_OWNER */
    uint32_t tag;         /* send, receive */
    int32_t priority;     /* comm_priority, 0 if absent */
    int32_t stream;       /* stream of the device, if NODE_HAS_STREAM */
    uint32_t shape;       /* compute: index into trace->shape, or TRACE_NONE */
    uint16_t flags;       /* enum node_flag */
    uint8_t type;         /* enum op_type */
    uint8_t collective;   /* enum collective_kind, if OP_COLLECTIVE */
    uint8_t dims;         /* bit d: dimension d takes part */
    uint8_t dim_count;    /* number of entries given for `dims` (at most 8) */
    uint16_t kernels;     /* compute: that the host launches for it; 0: one */
};

/*
 * What a node is run as. A collective marked as host op that does not say which collective it is is
 * the host side of a launch (PyTorch's c10d::* ops in old converter files): host work.
 */
static inline enum op_type trace_run_as(const struct trace_node *node)
{
    bool is_launch =
        node->type == OP_COLLECTIVE && node->flags & NODE_IS_HOST && !(node->flags & NODE_HAS_KIND);
    return is_launch ? OP_HOST_WORK : (enum op_type)node->type;
}

/* A collective, or one side of a message. */
static inline bool trace_is_communication(const struct trace_node *node)
{
    enum op_type type = trace_run_as(node);
    return type == OP_COLLECTIVE || type == OP_SEND || type == OP_RECV;
}

/* A parent id that no node of the file has. */
struct missing_parent {
    uint32_t child; /* index */
    bool is_control;
    uint64_t id;
};

/* A communicator group declared inside the trace (process-group metadata). */
struct trace_group {
    const char *name;
    uint32_t *ranks; /* in the order given */
    uint32_t count;  /* 0: all ranks */
    bool
        is_family; /* one of several of its name, without a common member (model/group.h, rule 4) */
};

/* X(enumerator, name) - what a tensor is, in the table of lives. */
#define LIFE_LIST(X)                                                                               \
    X(LIFE_ACTIVATION, "activation")                                                               \
    X(LIFE_TRANSIENT, "transient")                                                                 \
    X(LIFE_WEIGHT, "weight")                                                                       \
    X(LIFE_GRADIENT, "gradient")                                                                   \
    X(LIFE_BUFFER, "buffer")

enum life_kind {
#define X(name, text) name,
    LIFE_LIST(X)
#undef X
        LIFE_KIND_COUNT
};

static inline const char *life_name(enum life_kind kind)
{
    static const char *const names[] = {
#define X(name, text) [name] = text,
        LIFE_LIST(X)
#undef X
    };
    return names[kind];
}

/* A tensor that is held from the start of node `first` to the end of node `last`. */
struct trace_life {
    uint32_t first, last; /* indices */
    uint64_t bytes;
    uint8_t kind; /* enum life_kind */
};

/* Who wrote the file, as far as it can be told; decides which dependencies count by default. */
enum trace_producer { PRODUCER_UNKNOWN, PRODUCER_PYTORCH_CONVERTER };

struct trace {
    uint32_t count; /* nodes */
    struct trace_node *node;
    uint64_t *parent_begin; /* [count + 1] offsets into parent[] */
    uint32_t *parent;       /* index | PARENT_IS_CONTROL */
    struct missing_parent *missing;
    uint32_t missing_count;
    const char **group_names; /* communicator names that nodes use */
    uint32_t group_name_count;
    struct trace_group *groups; /* declared in the trace */
    uint32_t group_count;
    struct op_shape *shape; /* distinct shapes of compute nodes */
    uint32_t shape_count;
    struct trace_life *life; /* what is in the device's memory for a time, ascending by `first` */
    uint32_t life_count;
    uint64_t fixed_bytes; /* held all the time beside: weights, gradients, states; 0: unknown */
    enum trace_producer producer;
    uint64_t data_edge_count, control_edge_count; /* as in the file, missing ones included */
    uint64_t content_hash;                        /* of the file's (inflated) bytes */
    const char *path;      /* "": one node made in memory, there is no place to name */
    const char *format;    /* e.g. "chakra-et 0.0.4", "chakra-json" */
    const char *version;   /* metadata's version text, "" if none */
    const char *schema;    /* metadata's schema attribute, "" if none */
    size_t resident_bytes; /* held for nodes and edges, names apart */

    /* Text of a node's name (never NULL), valid until the next call. */
    const char *(*name_of)(struct trace *trace, uint32_t index);
    void (*destroy)(struct trace *trace);
};

static inline const char *trace_name(struct trace *trace, uint32_t index)
{
    return trace->name_of(trace, index);
}

/* A name with each number as '*', "mb*.forward.layer*.qkv": what alike nodes have in common. */
void trace_family(const char *name, char *family, size_t room);

/* Puts the lives in order: by first node, then last, then the rest. */
void trace_sort_lives(struct trace *trace);

/* The traces of a run: rank r runs traces[trace_of_rank[r]]. */
struct workload {
    uint32_t rank_count;
    uint32_t *trace_of_rank;
    struct trace **traces; /* distinct contents, in order of first use */
    uint32_t trace_count;
};

#endif
