#include "net/topology/dragonfly.h"

#include <stdio.h>

enum { KEY_GLOBALBW = KEY_FIRST_OWN, KEY_GLOBALLAT };
enum { ROW_GROUPS, ROW_CHASSIS, ROW_ROUTERS, ROW_HOSTS, ROWS };

static uint32_t cables_of(const struct spec_factor *factor, uint32_t row)
{
    return factor->columns[row] > 1 ? factor->size[row][1] : 1;
}

static uint64_t routers_of(const struct spec_factor *factor)
{
    return (uint64_t)factor->size[ROW_GROUPS][0] * factor->size[ROW_CHASSIS][0] *
           factor->size[ROW_ROUTERS][0];
}

static enum status check(const struct spec_factor *factor, uint64_t *npus, struct diag *diag)
{
    if (factor->rows != ROWS || factor->columns[ROW_HOSTS] != 1)
        return diag_fail(diag, STATUS_BAD_CONFIG,
                         "dragonfly takes four rows, the last of one number");
    *npus = factor->size[ROW_HOSTS][0];
    for (uint32_t row = 0; row < ROW_HOSTS; row++) {
        if (factor->columns[row] > 2 || factor->size[row][0] == 0 || cables_of(factor, row) == 0)
            return diag_fail(diag, STATUS_BAD_CONFIG,
                             "dragonfly: row %u has a number and its cables, both 1 or more",
                             row + 1);
        *npus = *npus > CONFIG_MAX_NPUS ? *npus : *npus * factor->size[row][0];
    }
    uint64_t routers = *npus > CONFIG_MAX_NPUS ? 0 : routers_of(factor);
    uint64_t ports = factor->size[ROW_ROUTERS][0] + (uint64_t)factor->size[ROW_CHASSIS][0];
    if (*npus > CONFIG_MAX_NPUS || routers * ports > FABRIC_MAX_LINKS / 2)
        return diag_fail(diag, STATUS_BAD_CONFIG, "the dragonfly is too large");
    return STATUS_OK;
}

struct making {
    struct fabric_builder *builder;
    const struct spec_factor *factor;
    uint32_t groups, chassis, routers, hosts;
    uint32_t first_router;
};

static uint32_t router_at(const struct making *making, uint32_t group, uint32_t number)
{
    return making->first_router + group * making->chassis * making->routers + number;
}

static void add_cables(const struct making *making, uint32_t a, uint32_t b, bool global,
                       uint32_t count)
{
    const struct spec_factor *factor = making->factor;
    bool own_bandwidth = global && factor->value[KEY_GLOBALBW].given;
    bool own_latency = global && factor->value[KEY_GLOBALLAT].given;
    uint32_t handle = fabric_add_cable(
        making->builder, a, b, spec_number(factor, own_bandwidth ? KEY_GLOBALBW : KEY_BW),
        spec_number(factor, own_latency ? KEY_GLOBALLAT : KEY_LAT), 0);
    fabric_set_count(making->builder, handle, count);
}

static void add_group(struct making *making, uint32_t group)
{
    uint32_t chassis = making->chassis, routers = making->routers;
    for (uint32_t c = 0; c < chassis; c++) {
        for (uint32_t r = 0; r < routers; r++) {
            char name[60];
            snprintf(name, sizeof name, "g%u.c%u.r%u", group, c, r);
            uint32_t v = fabric_add_node(making->builder, ROLE_SWITCH, name);
            struct fabric_node *node = fabric_builder_node(making->builder, v);
            node->level = 1;
            node->below_stride = 1;
            node->below_count = making->hosts;
            node->below_first = (v - making->first_router) * making->hosts;
        }
    }
}

static void join_group(const struct making *making, uint32_t group)
{
    uint32_t chassis = making->chassis, routers = making->routers;
    uint32_t within = cables_of(making->factor, ROW_ROUTERS);
    uint32_t between = cables_of(making->factor, ROW_CHASSIS);
    for (uint32_t a = 0; a < chassis * routers; a++) {
        for (uint32_t b = a + 1; b < (a / routers + 1) * routers; b++)
            add_cables(making, router_at(making, group, a), router_at(making, group, b), false,
                       within);
        for (uint32_t b = a + routers; b < chassis * routers; b += routers)
            add_cables(making, router_at(making, group, a), router_at(making, group, b), false,
                       between);
    }
}

static enum status build(const struct spec_factor *factor, struct fabric **fabric,
                         struct diag *diag)
{
    struct making making = {.builder = fabric_builder_create(),
                            .factor = factor,
                            .groups = factor->size[ROW_GROUPS][0],
                            .chassis = factor->size[ROW_CHASSIS][0],
                            .routers = factor->size[ROW_ROUTERS][0],
                            .hosts = factor->size[ROW_HOSTS][0]};
    uint32_t routers = (uint32_t)routers_of(factor), in_group = making.chassis * making.routers;
    making.first_router = routers * making.hosts;
    fabric_add_npus(making.builder, making.first_router);
    for (uint32_t g = 0; g < making.groups; g++)
        add_group(&making, g);
    for (uint32_t i = 0; i < making.first_router; i++)
        add_cables(&making, i, making.first_router + i / making.hosts, false,
                   (uint32_t)spec_number(factor, KEY_COUNT));
    for (uint32_t g = 0; g < making.groups; g++) {
        join_group(&making, g);
        for (uint32_t other = g + 1; other < making.groups; other++)
            add_cables(&making, router_at(&making, g, other % in_group),
                       router_at(&making, other, g % in_group), true,
                       cables_of(factor, ROW_GROUPS));
    }
    enum status status = fabric_finish(making.builder, "dragonfly", fabric, diag);
    if (status == STATUS_OK)
        (*fabric)->dragonfly =
            (struct fabric_dragonfly){making.groups, making.chassis, making.routers, making.hosts};
    return status;
}

uint32_t dragonfly_gateway(const struct fabric *fabric, uint32_t group, uint32_t other)
{
    uint32_t in_group = fabric->dragonfly.chassis * fabric->dragonfly.routers;
    return fabric->npu_count + group * in_group + other % in_group;
}

const struct spec_kind dragonfly_kind = {
    .name = "dragonfly",
    .sizes = "GROUPS,cables/CHASSIS,cables/ROUTERS,cables/HOSTS",
    .summary = "groups of chassis of routers, all pairs of groups joined",
    .key = {SPEC_LINK_KEYS,
            {"globalbw", SPEC_BANDWIDTH, -1, NULL, "of a cable between groups (default: bw)",
             false},
            {"globallat", SPEC_DURATION, -1, NULL, "of a link between groups (default: lat)",
             false}},
    .check = check,
    .build = build,
};
