#include "sched/slots.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/table.h"

enum slot_class slot_class_of(const struct trace_node *node)
{
    enum op_type type = trace_run_as(node);
    if (node->type == OP_RECV)
        return CLASS_FREE;
    if (type == OP_COLLECTIVE || type == OP_SEND)
        return CLASS_COMM; /* also with is_cpu_op: communication goes to the network */
    if (node->flags & NODE_IS_HOST || type == OP_HOST_WORK)
        return CLASS_HOST;
    return node->type == OP_COMPUTE ? CLASS_COMPUTE : CLASS_COMM;
}

/* -- lanes of a trace ------------------------------------------------------------------------ */

static bool has_own_lane(const struct trace_node *node)
{
    enum slot_class class = slot_class_of(node);
    return node->flags & NODE_HAS_STREAM && (class == CLASS_COMPUTE || class == CLASS_COMM);
}

static uint8_t lane_of_stream(struct lane_map *map, struct table *lanes, int32_t stream,
                              uint32_t *sharing)
{
    uint32_t found = table_find(lanes, (uint32_t)stream);
    if (found != TABLE_NONE)
        return (uint8_t)found;
    bool is_full = map->count == MOST_LANES;
    *sharing += is_full;
    uint32_t lane = is_full ? MOST_LANES - 1 : map->count++;
    table_put(lanes, (uint32_t)stream, lane);
    return (uint8_t)lane;
}

void lane_map_init(struct lane_map *map, const struct trace *trace,
                   const struct system_config *system, struct arena *arena, struct notices *notices)
{
    *map = (struct lane_map){.count = CLASS_COUNT};
    if (!system->streams)
        return;
    map->of_node = arena_take(arena, trace->count + 1);
    struct table lanes;
    uint32_t sharing = 0;
    table_init(&lanes);
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct trace_node *node = &trace->node[i];
        map->of_node[i] = has_own_lane(node) ? lane_of_stream(map, &lanes, node->stream, &sharing)
                                             : (uint8_t)slot_class_of(node);
    }
    table_release(&lanes);
    if (sharing)
        notices_add(notices, NOTICE_CLAMPED, "streams beyond 246 of a trace share one", sharing,
                    "%.200s", trace->path);
}

/* -- lanes of a rank ------------------------------------------------------------------------- */

void lanes_init(struct lane *lanes, const struct lane_map *map, const struct system_config *system)
{
    const uint32_t slots[CLASS_COUNT] = {[CLASS_HOST] = system->host_slots,
                                         [CLASS_COMPUTE] = system->compute_slots,
                                         [CLASS_COMM] = system->comm_slots,
                                         [CLASS_FREE] = UINT32_MAX};
    for (uint32_t i = 0; i < map->count; i++)
        lanes[i] = (struct lane){.slots_free = i < CLASS_COUNT ? slots[i] : 1};
}

void lanes_release(struct lane *lanes, const struct lane_map *map)
{
    for (uint32_t i = 0; i < map->count; i++)
        free(lanes[i].node);
}

void lane_push(struct lane *lane, uint32_t node)
{
    if (lane->count == lane->room) {
        lane->room = lane->room ? 2 * lane->room : 8;
        lane->node = realloc(lane->node, lane->room * sizeof *lane->node);
        need_memory(lane->node != NULL);
    }
    uint32_t hole = lane->count++;
    for (; hole && lane->node[(hole - 1) / 2] > node; hole = (hole - 1) / 2)
        lane->node[hole] = lane->node[(hole - 1) / 2];
    lane->node[hole] = node;
}

uint32_t lane_pop(struct lane *lane)
{
    uint32_t top = lane->node[0], last = lane->node[--lane->count], hole = 0;
    for (uint32_t child; (child = 2 * hole + 1) < lane->count; hole = child) {
        if (child + 1 < lane->count && lane->node[child + 1] < lane->node[child])
            child++;
        if (lane->node[child] >= last)
            break;
        lane->node[hole] = lane->node[child];
    }
    lane->node[hole] = last;
    return top;
}

struct lane *lanes_next(struct lane *lanes, uint32_t count)
{
    struct lane *best = NULL;
    for (struct lane *lane = lanes; lane < lanes + count; lane++) {
        if (lane->count && lane->slots_free && (!best || lane->node[0] < best->node[0]))
            best = lane;
    }
    return best;
}
