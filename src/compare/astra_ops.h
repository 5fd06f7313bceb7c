/*
 * astra_ops - ops from the debug lines of an ASTRA-sim log ("trace-enabled": 1 in the system file,
 * level debug):
 *
 *   issue,sys->id=0, tick=0, node->id=7, node->name=fwd, node->type=4
 *   callback,sys->id=0, tick=5000, node->id=7, node->name=fwd, node->type=4
 *
 * An op is an issue and the next callback of its rank and node. What has one line only is counted.
 * Types are Chakra's; a log does not say which collective a node is. A name may hold commas.
 */
#ifndef ORRERY_COMPARE_ASTRA_OPS_H
#define ORRERY_COMPARE_ASTRA_OPS_H

#include "compare/reader.h"

struct astra_event;

struct astra_ops {
    const struct reading *reading;
    struct arena arena;
    struct astra_event *event;
    uint32_t count, room;
};

void astra_ops_begin(struct astra_ops *ops, const struct reading *reading);
void astra_ops_release(struct astra_ops *ops);

/* True if the line has such an event; *status says whether it could be read. */
bool astra_ops_take(struct astra_ops *ops, const char *text, size_t length, uint64_t line,
                    enum status *status);

/* Adds the ops of the ranks that finished to the outcome. */
void astra_ops_end(struct astra_ops *ops);

#endif
