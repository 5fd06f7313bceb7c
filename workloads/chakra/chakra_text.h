/*
 * chakra_text - the texts inside a trace: tensor shapes and types, and process-group declarations.
 *
 * They are nested lists as Python prints them: [[53120], []], ['Tensor(float)', 'Int'],
 * ['[{"pg_name": "0", "ranks": [0, 1]}]']. Parsing is tolerant: text that is not understood gives
 * "no", never an error, and costs time linear in its length.
 */
#ifndef ORRERY_WORKLOADS_CHAKRA_CHAKRA_TEXT_H
#define ORRERY_WORKLOADS_CHAKRA_CHAKRA_TEXT_H

#include "base/arena.h"
#include "model/trace.h"
#include "workloads/chakra/chakra_draft.h"

/*
 * Bytes of all tensors in an inputs text: product of each shape times the size of its type, also
 * for lists of tensors. False if there is no tensor, a type or shape is not understood, or the sum
 * does not fit in 63 bits.
 *   shapes [[4096, 2], []], types ['Tensor(float)', 'Int']: 4096 * 2 * 4 B = 32768 B
 */
bool chakra_text_bytes(struct chakra_text shapes, struct chakra_text types, uint64_t *bytes);

/* Groups declared by metadata nodes, gathered over a trace. */
struct group_list {
    struct trace_group *group;
    uint32_t count, capacity;
};

/*
 * Adds the groups declared in `values` to `list`; texts and ranks live in `arena`. False if the
 * text holds something that looks like groups but cannot be read. A repeated name with the same
 * members is added once.
 */
bool chakra_text_groups(struct chakra_text values, struct arena *arena, struct group_list *list);
void group_list_release(struct group_list *list);

#endif
