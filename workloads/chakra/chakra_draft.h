/*
 * chakra_draft - one node as a reader found it, before it means anything.
 *
 * Rules:
 *  1. Every reader (wire, reference, legacy, JSON) fills the same draft, so what attributes mean is
 *     decided in one place: draft_finish().
 *  2. Text is borrowed from the reader until the next node. It ends at its first NUL.
 *  3. An attribute without a value is not "given"; it is only counted.
 */
#ifndef ORRERY_WORKLOADS_CHAKRA_CHAKRA_DRAFT_H
#define ORRERY_WORKLOADS_CHAKRA_CHAKRA_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/notice.h"
#include "base/table.h"
#include "model/trace.h"

/* X(enumerator, name in the trace) - the attributes that have an effect. */
#define CHAKRA_ATTR_LIST(X)                                                                        \
    X(ATTR_IS_CPU_OP, "is_cpu_op")                                                                 \
    X(ATTR_NUM_OPS, "num_ops")                                                                     \
    X(ATTR_TENSOR_SIZE, "tensor_size")                                                             \
    X(ATTR_COMM_TYPE, "comm_type")                                                                 \
    X(ATTR_COMM_SIZE, "comm_size")                                                                 \
    X(ATTR_COMM_SRC, "comm_src")                                                                   \
    X(ATTR_COMM_DST, "comm_dst")                                                                   \
    X(ATTR_COMM_TAG, "comm_tag")                                                                   \
    X(ATTR_COMM_PRIORITY, "comm_priority")                                                         \
    X(ATTR_COMM_GROUP, "comm_group")                                                               \
    X(ATTR_PG_NAME, "pg_name")                                                                     \
    X(ATTR_INVOLVED_DIM, "involved_dim")                                                           \
    X(ATTR_STREAM, "stream")                                                                       \
    X(ATTR_ROOT, "root")                                                                           \
    X(ATTR_ROOT_RANK, "root_rank")                                                                 \
    X(ATTR_RUNTIME, "runtime")                                                                     \
    X(ATTR_OP_SHAPE, "op_shape")                                                                   \
    X(ATTR_PEER_PLACES, "peer_places")                                                             \
    X(ATTR_HOLDS, "holds")                                                                         \
    X(ATTR_KERNELS, "kernels")

enum chakra_attr {
#define X(name, text) name,
    CHAKRA_ATTR_LIST(X)
#undef X
        ATTR_COUNT,
    ATTR_OTHER = ATTR_COUNT
};

enum chakra_value_kind {
    VALUE_NONE,
    VALUE_SIGNED,   /* bits: two's complement */
    VALUE_UNSIGNED, /* bits */
    VALUE_BOOL,     /* bits: 0 or 1 */
    VALUE_REAL,     /* real */
    VALUE_TEXT,     /* text, length */
    VALUE_BYTES,    /* text, length */
    VALUE_INTEGERS, /* list; length: elements, bits: bit i set if element i (of 64) is not 0 */
    VALUE_LIST,     /* list of anything else */
};

struct chakra_value {
    enum chakra_value_kind kind;
    union {
        uint64_t bits;
        double real;
        const char *text;
    };
    size_t length;
};

struct chakra_text {
    const char *at; /* not NUL-terminated; NULL if absent */
    size_t length;
};

/* Reused from node to node. */
struct id_list {
    uint64_t *id;
    size_t count, capacity;
};

struct chakra_draft {
    uint64_t id;
    int64_t type;    /* numbered as in the current schema; unknown ones as in the file */
    bool type_known; /* false: `type` is a number the file's schema does not have */
    uint64_t duration_us, start_us; /* 0: absent */
    struct chakra_text name;
    struct chakra_text in_values, in_shapes, in_types;
    struct id_list data, control;
    uint32_t given; /* bit a: attr[a] is set */
    struct chakra_value attr[ATTR_COUNT];
    uint32_t valueless_count, repeated_count, other_count, unknown_field_count;
    struct chakra_text other; /* an attribute that no model reads, for the message */
};

void draft_init(struct chakra_draft *draft);
void draft_release(struct chakra_draft *draft);

/* Forgets the node, keeps the memory. */
void draft_reset(struct chakra_draft *draft);

/* False if memory is exhausted. */
bool id_list_add(struct id_list *list, uint64_t id);

enum chakra_attr chakra_attr_find(const char *name, size_t length);
const char *chakra_attr_name(enum chakra_attr attr);

/* Records attribute `name` (which may be unknown) with its value. */
void draft_attr(struct chakra_draft *draft, struct chakra_text name,
                const struct chakra_value *value);

/* The distinct shapes of a trace's ops, numbered in order of first use. */
struct shape_list {
    struct names text;
    struct op_shape *shape; /* [text.count] */
    uint32_t room;
};

/* Tensors held between two nodes, as node `first` says it (chakra_holds.c). */
struct hold {
    uint64_t first, last; /* ids */
    uint64_t bytes;
    enum life_kind kind;
};
struct hold_list {
    struct hold *hold;
    uint32_t count, room;
    uint64_t fixed_bytes;
};

/* What draft_finish() needs to know and to report to. */
struct draft_context {
    struct names *group_names;
    struct shape_list *shapes;
    struct hold_list *holds;
    struct notices *notices;
    struct diag *diag;
    int64_t rank; /* for examples, or -1 */
    uint64_t other_attr_count, valueless_count, repeated_count, unknown_field_count;
};

/*
 * Turns a draft into a node: everything but `name` and the parents. Fails with STATUS_BAD_INPUT,
 * naming node and attribute, on a value that cannot be used.
 */
enum status draft_finish(const struct chakra_draft *draft, struct draft_context *context,
                         struct trace_node *node);

/*
 * Reads attribute `holds` of a node (orrery's own): words "KIND:BYTES:LAST", a tensor from the
 * start of this node to the end of the node with id LAST, and "fixed:BYTES", what is held all the
 * time. Fails on anything else.
 */
enum status holds_read(const struct chakra_draft *draft, struct draft_context *context);

/* The lives of a trace whose nodes are in order, sorted; false if a node that `list` names is not
 * there. */
bool holds_resolve(const struct hold_list *list, struct trace *trace, uint64_t *missing_id);

/* "node 17", or "rank 3 node 17" where the rank is known: the start of every example. */
struct draft_place {
    char text[56];
};
struct draft_place draft_place(const struct chakra_draft *draft,
                               const struct draft_context *context);

/* Counts what is odd about a node; the first of each kind becomes the example of its notice. */
void draft_count_oddities(const struct chakra_draft *draft, struct draft_context *context);

/* Adds the notices that were only counted while reading. */
void draft_report(const struct draft_context *context);

#endif
