#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "report/draw_parts.h"
#include "report/topology_words.h"

/* A way to say which nodes are drawn as one: those with equal keys. Higher `step`: coarser. */
typedef uint64_t key_of(const struct drawing *drawing, uint32_t node, uint32_t step);

static uint64_t key(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t parts[3] = {a, b, c};
    return hash_bytes(parts, sizeof parts, 0);
}

/* -- trees ---------------------------------------------------------------------------------- */

/* How far apart the NPUs below a switch are: their number, or more if they are strided (rails). */
static uint32_t span_of(const struct fabric_node *node)
{
    uint32_t stride = node->below_stride ? node->below_stride : 1;
    return node->role == ROLE_NPU || node->below_count == 0 ? 1 : node->below_count * stride;
}

/* The least span of a switch that is above `span`: blocks of that size are the next coarser. */
static uint32_t next_span(const struct fabric *fabric, uint32_t span)
{
    uint32_t least = fabric->npu_count;
    for (uint32_t v = fabric->npu_count; v < fabric->node_count; v++) {
        uint32_t own = span_of(&fabric->node[v]);
        least = own > span && own < least ? own : least;
    }
    return least;
}

/* Step 1: the NPUs of the smallest switches; 2: also switches over the same NPUs; 3, ..: all within
 * a block of the next size. Switches of rails stay apart from those within a node. */
static uint64_t tree_key(const struct drawing *drawing, uint32_t node, uint32_t step)
{
    const struct fabric_node *row = &drawing->fabric->node[node];
    if (row->role != ROLE_NPU && step == 1)
        return key(node, 1, 1);
    uint32_t first = row->role == ROLE_NPU ? node : row->below_first;
    uint32_t span = span_of(row);
    uint32_t size = span > drawing->coarse ? span : drawing->coarse;
    return key(first / size, row->level, row->below_stride > 1 ? 3 : 2);
}

/* -- products --------------------------------------------------------------------------------- */

/* Step s: lines along the first s dimensions become one; switches stay with their lines. */
static uint64_t product_key(const struct drawing *drawing, uint32_t node, uint32_t step)
{
    const struct fabric *fabric = drawing->fabric;
    if (node >= fabric->npu_count) {
        uint32_t link = fabric->first_link[node];
        uint32_t below = link < fabric->first_link[node + 1] ? fabric->link[link].dst : 0;
        below = below < fabric->npu_count ? below : 0;
        uint8_t dim = link < fabric->first_link[node + 1] ? fabric->link[link].dim : 0;
        uint32_t size = step < fabric->dim_count ? fabric->dim[step].stride : fabric->npu_count;
        return key(below / size, dim + 1u, 3);
    }
    uint32_t size = step < fabric->dim_count ? fabric->dim[step].stride : fabric->npu_count;
    return key(node / size, 0, 3);
}

/* -- graphs ---------------------------------------------------------------------------------- */

/* Nodes with the same neighbours over alike links. */
static uint64_t neighbours_key(const struct fabric *fabric, uint32_t node)
{
    uint64_t sum = 0;
    for (uint32_t l = fabric->first_link[node]; l < fabric->first_link[node + 1]; l++)
        sum += key(fabric->link[l].dst, fabric->link[l].count,
                   (uint64_t)fabric->link[l].bandwidth_Bps);
    return key(sum, fabric->node[node].role, 4);
}

/* Step 1: copies of a node (names "n3/..") as one, or nodes with the same neighbours; from 2 on:
 * runs of numbers within a role, ever longer. */
static uint64_t graph_key(const struct drawing *drawing, uint32_t node, uint32_t step)
{
    const struct fabric *fabric = drawing->fabric;
    const char *name = fabric->node[node].name;
    const char *slash = strchr(name, '/');
    uint8_t role = fabric->node[node].role;
    if (step == 1 && slash)
        return hash_bytes(name, (size_t)(slash - name), 5);
    if (step == 1)
        return neighbours_key(fabric, node);
    uint32_t run = (fabric->node_count / DRAW_MOST_NODES + 1) << (step - 2);
    return key(node / run, role, 6);
}

/* -- grouping --------------------------------------------------------------------------------- */

static uint32_t number_groups(struct drawing *drawing, key_of *of, uint32_t step)
{
    struct table table;
    table_init(&table);
    uint32_t count = 0;
    for (uint32_t v = 0; v < drawing->fabric->node_count; v++) {
        uint64_t node_key = of(drawing, v, step);
        uint32_t group = table_find(&table, node_key);
        if (group == TABLE_NONE) {
            group = count++;
            table_put(&table, node_key, group);
        }
        drawing->box_of[v] = group;
    }
    table_release(&table);
    return count;
}

static const char *box_label(struct drawing *drawing, const struct draw_box *box)
{
    const struct fabric_node *node = &drawing->fabric->node[box->first];
    char text[64];
    if (box->members == 1)
        return node->name;
    const char *slash = strchr(node->name, '/');
    int length = slash && !drawing->fabric->is_tree
                     ? snprintf(text, sizeof text, "%.*s", (int)(slash - node->name), node->name)
                     : snprintf(text, sizeof text, "%" PRIu32 " %s", box->members,
                                topology_role_words(node->role, box->members));
    return arena_text(&drawing->arena, text,
                      (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

static void make_boxes(struct drawing *drawing, uint32_t count)
{
    const struct fabric *fabric = drawing->fabric;
    drawing->box_count = count;
    drawing->box = arena_array(&drawing->arena, count, sizeof *drawing->box);
    for (uint32_t v = 0; v < fabric->node_count; v++) {
        struct draw_box *box = &drawing->box[drawing->box_of[v]];
        if (box->members++ == 0) {
            box->first = v;
            box->role = fabric->node[v].role;
            box->level = fabric->node[v].level;
        }
    }
    for (uint32_t b = 0; b < count; b++)
        drawing->box[b].label = box_label(drawing, &drawing->box[b]);
}

void draw_group(struct drawing *drawing)
{
    const struct fabric *fabric = drawing->fabric;
    key_of *of = fabric->is_tree ? tree_key : fabric->is_product ? product_key : graph_key;
    uint32_t most_steps = fabric->is_tree ? 20 : fabric->is_product ? fabric->dim_count : 24;
    uint32_t count = fabric->node_count;
    for (uint32_t v = 0; v < count; v++)
        drawing->box_of[v] = v;
    /* A level of a tree is one row: fewer and wider boxes than in a plane. */
    uint32_t most =
        fabric->is_tree && count > DRAW_MOST_NODES ? DRAW_MOST_NODES / 2 : DRAW_MOST_NODES;
    for (uint32_t step = 1; count > most && step <= most_steps; step++) {
        if (fabric->is_tree && step != 2)
            drawing->coarse = next_span(fabric, drawing->coarse);
        count = number_groups(drawing, of, step);
        drawing->grouped = true;
    }
    make_boxes(drawing, count);
    if (drawing->grouped)
        snprintf(drawing->note, sizeof drawing->note,
                 "%" PRIu32 " nodes drawn as %" PRIu32
                 " boxes; a line between boxes stands for all "
                 "cables between them",
                 fabric->node_count, count);
}
