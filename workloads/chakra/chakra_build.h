/*
 * chakra_build - gathers nodes in file order and links them into a trace in id order.
 *
 * Rules:
 *  1. build_add() per node, then build_finish() once, which hands the arrays to the trace object;
 *     build_release() on every path.
 *  2. Costs: 88 B a node, 16 B a node and 8 B an edge while reading; 96 B a node and 4 B an edge
 *     afterwards. Arrays that outgrow the limit are paged (spill.h).
 */
#ifndef ORRERY_WORKLOADS_CHAKRA_CHAKRA_BUILD_H
#define ORRERY_WORKLOADS_CHAKRA_CHAKRA_BUILD_H

#include "base/arena.h"
#include "base/file.h"
#include "base/table.h"
#include "model/trace.h"
#include "workloads/chakra/chakra.h"
#include "workloads/chakra/chakra_draft.h"
#include "workloads/chakra/chakra_text.h"
#include "base/spill.h"

/* trace_node.name of a kept file: offset << 24 | length. */
enum { NAME_LENGTH_BITS = 24, NAME_LENGTH_MASK = (1 << NAME_LENGTH_BITS) - 1 };

/* The trace object: what destroy() gives back. `trace` is first. */
struct chakra_trace {
    struct trace trace;
    struct chakra_facts facts;
    struct arena arena;
    struct names group_names;
    struct shape_list shapes;
    struct hold_list holds;
    struct group_list groups;
    struct spill node, parent_begin, parent, missing;
    struct file file; /* kept while names are read from it */
    bool has_file;
    char *shown; /* last name given out */
    size_t shown_capacity;
};

struct chakra_trace *chakra_trace_create(const char *path);

/* Keeps `file` for names; `build_add` then stores offsets instead of copies. */
void chakra_trace_keep_file(struct chakra_trace *made, const struct file *file);

struct chakra_build {
    struct chakra_trace *made;
    struct draft_context context;
    struct spill begin;     /* two per node: first data parent, first control parent */
    struct spill parent_id; /* uint64, file order */
    bool is_sorted;         /* so far ids ascend */
    uint64_t last_id;
    uint32_t duplicate[2]; /* if has_duplicate: records, from 0 */
    bool has_duplicate;
};

void build_init(struct chakra_build *build, struct chakra_trace *made, bool paged,
                struct notices *notices, struct diag *diag, int64_t rank);
void build_release(struct chakra_build *build);

/* A node with the id of the one before fails as build_finish() does. */
enum status build_add(struct chakra_build *build, const struct chakra_draft *draft);

/*
 * Sorts, finds duplicates, resolves parents, fills made->trace. A duplicate id gives
 * STATUS_BAD_INPUT with has_duplicate set and *diag untouched: the caller knows the offsets.
 */
enum status build_finish(struct chakra_build *build);

#endif
