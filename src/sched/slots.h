/*
 * slots - where the ready nodes of a rank wait for their turn.
 *
 * Rules:
 *  1. A lane is a heap of ready nodes, smallest index first, with a number of free slots. The first
 *     CLASS_COUNT lanes are the classes of nodes (host, compute, communication, free).
 *  2. With system.streams each stream that the trace names has a lane of its own with one slot, for
 *     its compute and communication: a device queues work per stream. At most MOST_LANES: further
 *     streams share the last, which a notice says.
 *  3. Which lane a node waits in is fixed per trace (struct lane_map), shared by its ranks.
 */
#ifndef ORRERY_SCHED_SLOTS_H
#define ORRERY_SCHED_SLOTS_H

#include "base/arena.h"
#include "base/notice.h"
#include "config/config.h"
#include "model/trace.h"

enum slot_class { CLASS_HOST, CLASS_COMPUTE, CLASS_COMM, CLASS_FREE, CLASS_COUNT };
enum { MOST_LANES = 250 };

struct lane_map {
    uint32_t count;   /* lanes */
    uint8_t *of_node; /* [nodes], or NULL: the class of the node */
};

struct lane {
    uint32_t *node; /* binary heap */
    uint32_t count, room;
    uint32_t slots_free;
};

enum slot_class slot_class_of(const struct trace_node *node);

/* Memory is the arena's. */
void lane_map_init(struct lane_map *map, const struct trace *trace,
                   const struct system_config *system, struct arena *arena,
                   struct notices *notices);

static inline uint32_t lane_of(const struct lane_map *map, const struct trace *trace, uint32_t node)
{
    return map->of_node ? map->of_node[node] : slot_class_of(&trace->node[node]);
}

void lanes_init(struct lane *lanes, const struct lane_map *map, const struct system_config *system);
void lanes_release(struct lane *lanes, const struct lane_map *map);

void lane_push(struct lane *lane, uint32_t node);
uint32_t lane_pop(struct lane *lane);

/* The lane whose smallest ready node is the smallest of those that could be issued now, or NULL. */
struct lane *lanes_next(struct lane *lanes, uint32_t count);

#endif
