#include "net/topology/product.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct making {
    struct fabric **factor;
    uint32_t count;
    uint64_t npus;
    uint32_t stride[CONFIG_MAX_DIMS];
    uint32_t first_node[CONFIG_MAX_DIMS];
};

static uint32_t copies_of(const struct making *making, uint32_t dim)
{
    return (uint32_t)(making->npus / making->factor[dim]->npu_count);
}

static uint32_t extra_of(const struct making *making, uint32_t dim)
{
    return making->factor[dim]->node_count - making->factor[dim]->npu_count;
}

/* The node of the product that node `f` of copy `line` of a factor is. */
static uint32_t node_of(const struct making *making, uint32_t dim, uint32_t line, uint32_t f)
{
    uint32_t n = making->factor[dim]->npu_count, stride = making->stride[dim];
    if (f >= n)
        return making->first_node[dim] + line * extra_of(making, dim) + (f - n);
    return line / stride * stride * n + f * stride + line % stride;
}

static enum status check_size(const struct making *making, struct diag *diag)
{
    uint64_t links = 0, nodes = making->npus;
    for (uint32_t d = 0; d < making->count; d++) {
        links += (uint64_t)copies_of(making, d) * making->factor[d]->link_count;
        nodes += (uint64_t)copies_of(making, d) * extra_of(making, d);
    }
    if (links <= FABRIC_MAX_LINKS && nodes <= FABRIC_MAX_NODES)
        return STATUS_OK;
    return diag_fail(diag, STATUS_BAD_CONFIG,
                     "the topology has %llu nodes and %llu links; the limits are %d and %d",
                     (unsigned long long)nodes, (unsigned long long)links, FABRIC_MAX_NODES,
                     FABRIC_MAX_LINKS);
}

static void add_nodes(struct making *making, struct fabric_builder *builder, uint32_t dim)
{
    const struct fabric *factor = making->factor[dim];
    uint32_t copies = copies_of(making, dim);
    for (uint32_t line = 0; line < copies; line++) {
        for (uint32_t f = factor->npu_count; f < factor->node_count; f++) {
            char name[160];
            if (copies == 1)
                snprintf(name, sizeof name, "%s", factor->node[f].name);
            else
                snprintf(name, sizeof name, "d%u.%u.%.120s", dim, line, factor->node[f].name);
            uint32_t v = fabric_add_node(builder, factor->node[f].role, name);
            if (line == 0 && f == factor->npu_count)
                making->first_node[dim] = v;
            struct fabric_node *node = fabric_builder_node(builder, v);
            node->level = factor->node[f].level;
            node->below_count = factor->node[f].below_count;
            node->below_stride = factor->node[f].below_stride * making->stride[dim];
            node->below_first = node_of(making, dim, line, factor->node[f].below_first);
        }
    }
}

static void add_links(const struct making *making, struct fabric_builder *builder, uint32_t dim)
{
    const struct fabric *factor = making->factor[dim];
    uint32_t copies = copies_of(making, dim);
    for (uint32_t line = 0; line < copies; line++) {
        for (uint32_t i = 0; i < factor->link_count; i++) {
            const struct fabric_link *link = &factor->link[i];
            uint32_t handle =
                fabric_add_link(builder, node_of(making, dim, line, link->src),
                                node_of(making, dim, line, link->dst),
                                link->bandwidth_Bps / link->count, link->latency_ns, dim);
            fabric_set_count(builder, handle, link->count);
        }
    }
}

/*
 * A node's links come dimension by dimension, as add_links() was called, and within one in the
 * factor's order. `used` counts, per NPU, those of the dimensions before.
 */
static void map_links(const struct making *making, struct fabric *fabric, uint32_t dim,
                      uint32_t *used)
{
    const struct fabric *factor = making->factor[dim];
    uint32_t copies = copies_of(making, dim);
    uint32_t *map =
        arena_array(&fabric->arena, (size_t)copies * factor->link_count + 1, sizeof *map);
    for (uint32_t line = 0; line < copies; line++) {
        uint32_t *of_line = map + (size_t)line * factor->link_count;
        for (uint32_t f = 0; f < factor->node_count; f++) {
            uint32_t v = node_of(making, dim, line, f);
            uint32_t next = fabric->first_link[v] + (v < fabric->npu_count ? used[v] : 0);
            for (uint32_t i = factor->first_link[f]; i < factor->first_link[f + 1]; i++)
                of_line[i] = next++;
            if (v < fabric->npu_count)
                used[v] = next - fabric->first_link[v];
        }
    }
    fabric->factor[dim] = (struct fabric_factor){
        .fabric = making->factor[dim], .first_node = making->first_node[dim], .link = map};
    making->factor[dim] = NULL;
}

static void map_all_links(struct making *making, struct fabric *fabric)
{
    uint32_t *used = calloc(fabric->npu_count, sizeof *used);
    need_memory(used);
    for (uint32_t d = 0; d < making->count; d++)
        map_links(making, fabric, d, used);
    free(used);
}

static void begin(struct making *making, struct fabric_builder *builder)
{
    uint32_t stride = 1;
    for (uint32_t d = 0; d < making->count; d++) {
        struct fabric_dim dim = making->factor[d]->dim[0];
        dim.stride = making->stride[d] = stride;
        fabric_add_dim(builder, dim);
        stride *= making->factor[d]->npu_count;
    }
    fabric_add_npus(builder, (uint32_t)making->npus);
}

enum status product_build(struct fabric **factors, uint32_t count, const char *text,
                          struct fabric **fabric, struct diag *diag)
{
    struct making making = {.factor = factors, .count = count, .npus = 1};
    for (uint32_t d = 0; d < count; d++) {
        promise(factors[d]->dim_count == 1 && !factors[d]->is_product);
        making.npus *= factors[d]->npu_count;
    }
    enum status status = STATUS_OK;
    if (making.npus > CONFIG_MAX_NPUS)
        status = diag_fail(diag, STATUS_BAD_CONFIG, "more than %d NPUs", CONFIG_MAX_NPUS);
    if (status == STATUS_OK)
        status = check_size(&making, diag);
    if (status == STATUS_OK) {
        struct fabric_builder *builder = fabric_builder_create();
        begin(&making, builder);
        for (uint32_t d = 0; d < count; d++)
            add_nodes(&making, builder, d);
        for (uint32_t d = 0; d < count; d++)
            add_links(&making, builder, d);
        status = fabric_finish(builder, text, fabric, diag);
    }
    if (status == STATUS_OK) {
        (*fabric)->is_product = true;
        map_all_links(&making, *fabric);
    }
    for (uint32_t d = 0; d < count; d++)
        fabric_destroy(factors[d]);
    return status;
}
