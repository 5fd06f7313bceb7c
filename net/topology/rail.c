#include "net/topology/rail.h"

#include <math.h>
#include <stdio.h>

enum {
    KEY_UPBW = KEY_FIRST_OWN,
    KEY_UPLAT,
    KEY_UPCOUNT,
    KEY_INBW,
    KEY_INLAT,
    KEY_INSIDE,
    KEY_NIC,
    KEY_NICBW,
    KEY_NICLAT,
    KEY_UNIT,
    KEY_SPINES,
    KEY_TAPER,
    KEY_POD
};

enum inside { INSIDE_SWITCH, INSIDE_FULL, INSIDE_NONE };

static const char *const inside_names[] = {"switch", "full", "none", NULL};

struct cluster {
    const struct spec_factor *factor;
    struct fabric_builder *builder;
    uint32_t in_node, nodes; /* G, N */
    uint32_t unit, units;    /* nodes under a leaf; N / unit */
    uint32_t pod, pods;      /* units in a pod; units / pod */
    uint32_t spines, cores;  /* per pod; per spine, 0 with one pod */
    uint32_t first_leaf, first_spine, first_core;
};

static uint32_t given_or(const struct spec_factor *factor, uint32_t key, uint32_t fallback)
{
    return factor->value[key].given ? (uint32_t)factor->value[key].number : fallback;
}

static enum status divides(const char *what, uint32_t part, const char *of, uint32_t whole,
                           struct diag *diag)
{
    if (part > 0 && whole % part == 0)
        return STATUS_OK;
    return diag_fail(diag, STATUS_BAD_CONFIG, "rail: %s=%u does not divide the %u %s", what, part,
                     whole, of);
}

static enum status cluster_of(const struct spec_factor *factor, struct cluster *cluster,
                              struct diag *diag)
{
    if (factor->rows != 1 || factor->columns[0] != 2 || factor->size[0][0] == 0 ||
        factor->size[0][1] == 0)
        return diag_fail(diag, STATUS_BAD_CONFIG,
                         "rail takes two sizes of 1 or more: NPUs per node, and nodes");
    uint32_t in_node = factor->size[0][0], nodes = factor->size[0][1];
    uint32_t unit = given_or(factor, KEY_UNIT, nodes);
    *cluster = (struct cluster){.factor = factor, .in_node = in_node, .nodes = nodes, .unit = unit};
    enum status status = divides("unit", unit, "nodes", nodes, diag);
    if (status != STATUS_OK)
        return status;
    cluster->units = nodes / unit;
    cluster->pod = given_or(factor, KEY_POD, cluster->units);
    status = divides("pod", cluster->pod, "units", cluster->units, diag);
    if (status != STATUS_OK)
        return status;
    cluster->pods = cluster->units / cluster->pod;
    double taper = spec_number(factor, KEY_TAPER), spines = unit / taper;
    if (factor->value[KEY_SPINES].given && factor->value[KEY_TAPER].given)
        return diag_fail(diag, STATUS_BAD_CONFIG, "rail takes spines or taper, not both");
    if (!factor->value[KEY_SPINES].given && (spines < 1 || fabs(rint(spines) - spines) > 1e-9))
        return diag_fail(diag, STATUS_BAD_CONFIG,
                         "taper=%g does not divide the %u links down of a leaf", taper, unit);
    cluster->spines = given_or(factor, KEY_SPINES, (uint32_t)rint(spines));
    cluster->cores = cluster->pods > 1 ? cluster->pod * in_node : 0;
    return STATUS_OK;
}

static enum status check(const struct spec_factor *factor, uint64_t *npus, struct diag *diag)
{
    struct cluster cluster;
    enum status status = cluster_of(factor, &cluster, diag);
    if (status != STATUS_OK)
        return status;
    *npus = (uint64_t)cluster.in_node * cluster.nodes;
    uint64_t leaves = (uint64_t)cluster.units * cluster.in_node;
    double inside = factor->value[KEY_INSIDE].number == INSIDE_FULL ? cluster.in_node - 1.0 : 2.0;
    double links = *npus * (inside + 4.0) + 2.0 * leaves * cluster.spines +
                   2.0 * cluster.pods * cluster.spines * cluster.cores;
    if (*npus > CONFIG_MAX_NPUS || links > FABRIC_MAX_LINKS)
        return diag_fail(diag, STATUS_BAD_CONFIG, "the cluster has more than %d NPUs or %d links",
                         CONFIG_MAX_NPUS, FABRIC_MAX_LINKS);
    return STATUS_OK;
}

/* -- building ------------------------------------------------------------------------------- */

struct below {
    uint32_t first, stride, count;
};

static uint32_t add_switch(const struct cluster *cluster, const char *word, uint32_t number,
                           uint8_t level, struct below below)
{
    char name[40];
    snprintf(name, sizeof name, "%s%u", word, number);
    uint32_t v = fabric_add_node(cluster->builder, ROLE_SWITCH, name);
    struct fabric_node *node = fabric_builder_node(cluster->builder, v);
    node->level = level;
    node->below_first = below.first;
    node->below_stride = below.stride;
    node->below_count = below.count;
    return v;
}

static void join_node(const struct cluster *cluster, uint32_t number, uint32_t hub)
{
    const struct spec_factor *factor = cluster->factor;
    double bandwidth_Bps = spec_number(factor, KEY_INBW),
           latency_ns = spec_number(factor, KEY_INLAT);
    uint32_t first = number * cluster->in_node;
    for (uint32_t i = 0; i < cluster->in_node; i++) {
        if (hub != FABRIC_NONE)
            fabric_add_cable(cluster->builder, first + i, hub, bandwidth_Bps, latency_ns, 0);
        for (uint32_t k = i + 1; k < cluster->in_node && hub == FABRIC_NONE; k++)
            fabric_add_cable(cluster->builder, first + i, first + k, bandwidth_Bps, latency_ns, 0);
    }
}

static void add_insides(const struct cluster *cluster)
{
    uint32_t inside = (uint32_t)spec_number(cluster->factor, KEY_INSIDE), n = cluster->in_node;
    if (inside == INSIDE_NONE || n == 1)
        return;
    for (uint32_t i = 0; i < cluster->nodes; i++) {
        uint32_t hub = FABRIC_NONE;
        if (inside == INSIDE_SWITCH)
            hub = add_switch(cluster, "node", i, 1, (struct below){i * n, 1, n});
        join_node(cluster, i, hub);
    }
}

static void add_switches(struct cluster *cluster)
{
    uint32_t n = cluster->in_node, in_unit = cluster->unit * n, in_pod = in_unit * cluster->pod;
    for (uint32_t i = 0; i < cluster->units * n; i++) {
        uint32_t v = add_switch(cluster, "leaf", i, 1,
                                (struct below){i / n * in_unit + i % n, n, cluster->unit});
        cluster->first_leaf = i == 0 ? v : cluster->first_leaf;
    }
    for (uint32_t i = 0; i < cluster->pods * cluster->spines; i++) {
        uint32_t v = add_switch(cluster, "spine", i, 2,
                                (struct below){i / cluster->spines * in_pod, 1, in_pod});
        cluster->first_spine = i == 0 ? v : cluster->first_spine;
    }
    for (uint32_t i = 0; i < cluster->spines * cluster->cores; i++) {
        uint32_t v = add_switch(cluster, "core", i, 3, (struct below){0, 1, cluster->nodes * n});
        cluster->first_core = i == 0 ? v : cluster->first_core;
    }
}

static void add_port(const struct cluster *cluster, uint32_t npu)
{
    const struct spec_factor *factor = cluster->factor;
    uint32_t n = cluster->in_node, port = npu;
    uint32_t leaf = cluster->first_leaf + npu / n / cluster->unit * n + npu % n;
    if (factor->value[KEY_NIC].given) {
        char name[40];
        snprintf(name, sizeof name, "nic%u", npu);
        port = fabric_add_node(cluster->builder, ROLE_NIC, name);
        struct fabric_node *node = fabric_builder_node(cluster->builder, port);
        node->below_first = npu;
        node->below_stride = node->below_count = 1;
        fabric_add_cable(cluster->builder, npu, port, spec_number(factor, KEY_NICBW),
                         spec_number(factor, KEY_NICLAT), 1);
    }
    uint32_t handle = fabric_add_cable(cluster->builder, port, leaf, spec_number(factor, KEY_BW),
                                       spec_number(factor, KEY_LAT), 1);
    fabric_set_count(cluster->builder, handle, (uint32_t)spec_number(factor, KEY_COUNT));
}

static void join_switches(const struct cluster *cluster, uint32_t a, uint32_t b)
{
    const struct spec_factor *factor = cluster->factor;
    bool own_bandwidth = factor->value[KEY_UPBW].given,
         own_latency = factor->value[KEY_UPLAT].given;
    uint32_t handle = fabric_add_cable(cluster->builder, a, b,
                                       spec_number(factor, own_bandwidth ? KEY_UPBW : KEY_BW),
                                       spec_number(factor, own_latency ? KEY_UPLAT : KEY_LAT), 1);
    fabric_set_count(cluster->builder, handle, (uint32_t)spec_number(factor, KEY_UPCOUNT));
}

static void join_levels(const struct cluster *cluster)
{
    uint32_t leaves = cluster->units * cluster->in_node, in_pod = cluster->pod * cluster->in_node;
    for (uint32_t i = 0; i < leaves; i++)
        for (uint32_t s = 0; s < cluster->spines; s++)
            join_switches(cluster, cluster->first_leaf + i,
                          cluster->first_spine + i / in_pod * cluster->spines + s);
    for (uint32_t i = 0; i < cluster->pods * cluster->spines; i++)
        for (uint32_t c = 0; c < cluster->cores; c++)
            join_switches(cluster, cluster->first_spine + i,
                          cluster->first_core + i % cluster->spines * cluster->cores + c);
}

static void add_dims(const struct cluster *cluster)
{
    const struct spec_factor *factor = cluster->factor;
    bool full = spec_number(factor, KEY_INSIDE) == INSIDE_FULL;
    bool none = spec_number(factor, KEY_INSIDE) == INSIDE_NONE;
    double port_Bps = spec_number(factor, KEY_BW) * spec_number(factor, KEY_COUNT);
    double port_ns = spec_number(factor, KEY_LAT);
    fabric_add_dim(
        cluster->builder,
        (struct fabric_dim){.kind = full   ? FABRIC_FULL
                                    : none ? FABRIC_TREE
                                           : FABRIC_SWITCH,
                            .npus = cluster->in_node,
                            .stride = 1,
                            .bandwidth_Bps = none ? port_Bps : spec_number(factor, KEY_INBW),
                            .latency_ns = none ? port_ns : spec_number(factor, KEY_INLAT)});
    fabric_add_dim(cluster->builder, (struct fabric_dim){.kind = FABRIC_TREE,
                                                         .npus = cluster->nodes,
                                                         .stride = cluster->in_node,
                                                         .bandwidth_Bps = port_Bps,
                                                         .latency_ns = port_ns});
}

static enum status build(const struct spec_factor *factor, struct fabric **fabric,
                         struct diag *diag)
{
    struct cluster cluster;
    enum status status = cluster_of(factor, &cluster, diag);
    if (status != STATUS_OK)
        return status;
    cluster.builder = fabric_builder_create();
    uint32_t npus = cluster.in_node * cluster.nodes;
    fabric_add_npus(cluster.builder, npus);
    add_dims(&cluster);
    add_insides(&cluster);
    add_switches(&cluster);
    for (uint32_t i = 0; i < npus; i++)
        add_port(&cluster, i);
    join_levels(&cluster);
    status = fabric_finish(cluster.builder, "rail", fabric, diag);
    if (status == STATUS_OK)
        (*fabric)->is_tree = true;
    return status;
}

const struct spec_kind rail_kind = {
    .name = "rail",
    .aliases = "rails railoptimised railoptimized",
    .sizes = "GxN (NPUs per node x nodes)",
    .summary = "nodes joined inside, rails of leaf switches, spines, cores",
    .key = {SPEC_LINK_KEYS,
            {"upbw", SPEC_BANDWIDTH, -1, NULL, "of a cable between switches (default: bw)", false},
            {"uplat", SPEC_DURATION, -1, NULL, "of a link between switches (default: lat)", false},
            {"upcount", SPEC_COUNT, 1, NULL, "parallel cables between switches", false},
            {"inbw", SPEC_BANDWIDTH, 450e9, NULL, "of a link inside a node", false},
            {"inlat", SPEC_DURATION, 300, NULL, "of a link inside a node", false},
            {"inside", SPEC_CHOICE, INSIDE_SWITCH, inside_names, "what joins a node", false},
            {"nic", SPEC_FLAG, 0, NULL, "NIC nodes between NPUs and leaves", false},
            {"nicbw", SPEC_BANDWIDTH, 64e9, NULL, "between an NPU and its NIC", true},
            {"niclat", SPEC_DURATION, 200, NULL, "between an NPU and its NIC", true},
            {"unit", SPEC_COUNT, 0, NULL, "nodes under a leaf (default: all)", true},
            {"spines", SPEC_COUNT, 0, NULL, "spines of a pod (default: unit / taper)", true},
            {"taper", SPEC_RATIO, 1, NULL, "links down over links up of a leaf", false},
            {"pod", SPEC_COUNT, 0, NULL, "units in a pod (default: all)", true}},
    .check = check,
    .build = build,
};
