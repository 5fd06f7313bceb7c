#include "net/topology/resolve.h"

#include <string.h>

#include "config/settings.h"
#include "net/topology/changes.h"
#include "net/topology/fabric.h"

static bool sees_links(enum net_backend backend)
{
    return backend >= NET_IDEAL;
}

/* The block of ASTRA-sim's that a dimension is nearest to, for tables and for its algorithms. */
static enum net_block block_of(enum fabric_kind kind)
{
    return kind == FABRIC_RING || kind == FABRIC_LINE ? NET_RING
           : kind == FABRIC_FULL                      ? NET_FULLY_CONNECTED
                                                      : NET_SWITCH;
}

static void set_dims(struct config *config, const struct fabric *fabric)
{
    struct network_config *network = &config->network;
    network->dim_count = fabric->dim_count;
    network->npu_count = fabric->npu_count;
    for (uint32_t d = 0; d < fabric->dim_count; d++) {
        const struct fabric_dim *dim = &fabric->dim[d];
        network->dim[d] = (struct net_dim){
            .block = block_of((enum fabric_kind)dim->kind),
            .npus = dim->npus,
            .bandwidth_B_per_ns = dim->bandwidth_Bps / 1e9,
            .latency_ns = dim->latency_ns,
            .no_wrap = dim->kind == FABRIC_LINE,
        };
    }
    const char *source = config_source(config, "network.topology");
    config_note(config, "network.npus", source ? source : "default", "%u", network->npu_count);
}

static enum status blame(const struct config *config, struct diag *diag)
{
    diag_field(diag, "network.topology");
    const char *source = config_source(config, "network.topology");
    if (source && strcmp(source, "default") != 0)
        diag_in(diag, source);
    return diag->status;
}

static void choose_backend(struct config *config)
{
    const char *source = config_source(config, "network.backend");
    if (!config->network.topology || (source && strncmp(source, "default", 7) != 0))
        return;
    config->network.backend = NET_FLOW;
    setting_note(config, setting_find("network.backend"), "default with a topology");
}

static enum status refuse_topology(const struct config *config, struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_CONFIG, "a topology needs a backend that sees links");
    diag_hint(diag, "set network.backend to ideal, analytical, flow or link");
    return blame(config, diag);
}

static enum status apply_changes(const struct config *config, struct fabric *fabric,
                                 struct diag *diag)
{
    enum status status = fabric_change(fabric, config->network.changes, diag);
    const char *source = config_source(config, "network.changes");
    if (status != STATUS_OK && source)
        diag_in(diag, source);
    return status;
}

/* A table of many cells resolves its topology for each: a notice is taken over once. */
static void take_notices(const struct fabric *fabric, struct notices *notices)
{
    size_t before = notices->count;
    for (size_t i = 0; i < fabric->notices.count; i++) {
        const struct notice *row = &fabric->notices.row[i];
        size_t k = 0;
        while (k < before && strcmp(notices->row[k].key, row->key) != 0)
            k++;
        if (k == before)
            notices_add(notices, row->kind, row->key, row->count, "%s", row->example);
    }
}

enum status topology_resolve(struct config *config, struct notices *notices, struct diag *diag)
{
    struct network_config *network = &config->network;
    choose_backend(config);
    if (!sees_links(network->backend))
        return network->topology ? refuse_topology(config, diag) : STATUS_OK;
    if (!network->topology && network->dim_count == 0)
        return STATUS_OK; /* config_finish() says that there is no network */
    struct fabric *fabric = NULL;
    enum status status = network->topology ? fabric_parse(network->topology, &fabric, diag)
                                           : fabric_of_dims(network, &fabric, diag);
    if (status != STATUS_OK)
        return blame(config, diag);
    network->fabric = fabric;
    network->fabric_destroy = fabric_destroy;
    set_dims(config, fabric);
    if (notices)
        take_notices(fabric, notices);
    if (notices && network->routes && network->routing != ROUTING_STATIC)
        notices_add(notices, NOTICE_IGNORED, "routes without routing static", 1, "%s",
                    network->routes);
    return network->changes ? apply_changes(config, fabric, diag) : STATUS_OK;
}
