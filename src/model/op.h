/*
 * op - the words of a workload: kinds of operation and kinds of collective, as Chakra numbers them.
 */
#ifndef ORRERY_MODEL_OP_H
#define ORRERY_MODEL_OP_H

/* X(enumerator, short name). Values 0-7 are Chakra's NodeType. */
#define OP_LIST(X)                                                                                 \
    X(OP_INVALID, "invalid")                                                                       \
    X(OP_METADATA, "metadata")                                                                     \
    X(OP_MEM_LOAD, "memory-load")                                                                  \
    X(OP_MEM_STORE, "memory-store")                                                                \
    X(OP_COMPUTE, "compute")                                                                       \
    X(OP_SEND, "send")                                                                             \
    X(OP_RECV, "receive")                                                                          \
    X(OP_COLLECTIVE, "collective")                                                                 \
    X(OP_HOST_WORK, "host-work") /* types 8-10 of newer schemas: fixed-duration host work */

enum op_type {
#define X(name, text) name,
    OP_LIST(X)
#undef X
        OP_TYPE_COUNT
};

/* X(enumerator, short name). Values are Chakra's CollectiveCommType. */
#define COLLECTIVE_LIST(X)                                                                         \
    X(COLL_ALL_REDUCE, "all-reduce")                                                               \
    X(COLL_REDUCE, "reduce")                                                                       \
    X(COLL_ALL_GATHER, "all-gather")                                                               \
    X(COLL_GATHER, "gather")                                                                       \
    X(COLL_SCATTER, "scatter")                                                                     \
    X(COLL_BROADCAST, "broadcast")                                                                 \
    X(COLL_ALL_TO_ALL, "all-to-all")                                                               \
    X(COLL_REDUCE_SCATTER, "reduce-scatter")                                                       \
    X(COLL_REDUCE_SCATTER_BLOCK, "reduce-scatter-block")                                           \
    X(COLL_BARRIER, "barrier")

enum collective_kind {
#define X(name, text) name,
    COLLECTIVE_LIST(X)
#undef X
        COLL_KIND_COUNT
};

static inline const char *op_name(enum op_type type)
{
    static const char *const names[] = {
#define X(name, text) [name] = text,
        OP_LIST(X)
#undef X
    };
    return names[type];
}

static inline const char *collective_name(enum collective_kind kind)
{
    static const char *const names[] = {
#define X(name, text) [name] = text,
        COLLECTIVE_LIST(X)
#undef X
    };
    return names[kind];
}

#endif
