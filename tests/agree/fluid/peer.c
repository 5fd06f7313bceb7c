#include "tests/agree/fluid/peer.h"

#include <string.h>

#include "net/topology/resolve.h"

enum status peer_open(struct peer_file *peers, const char *path, struct diag *diag)
{
    *peers = (struct peer_file){.path = path};
    if (file_load(&peers->file, path, FILE_NO_LIMIT, diag) != STATUS_OK)
        return diag->status;
    peers->rest = (const char *)peers->file.bytes;
    return STATUS_OK;
}

void peer_close(struct peer_file *peers)
{
    file_release(&peers->file);
}

bool peer_next(struct peer_file *peers, struct doc *row, struct diag *diag)
{
    const char *end = (const char *)peers->file.bytes + peers->file.length;
    while (peers->rest < end) {
        const char *begin = peers->rest;
        const char *stop = memchr(begin, '\n', (size_t)(end - begin));
        if (!stop)
            stop = end;
        peers->rest = stop < end ? stop + 1 : end;
        peers->line++;
        if (stop == begin)
            continue;
        if (doc_parse(row, peers->path, begin, (size_t)(stop - begin), DOC_JSON, diag) == STATUS_OK)
            return true;
        diag->at = peers->line;
        return false;
    }
    return false;
}

const char *peer_text(const struct doc *row, const char *key)
{
    const struct doc_node *node = doc_find(row->root, key);
    return node && node->kind == DOC_TEXT ? node->text : "";
}

double peer_number(const struct doc *row, const char *key)
{
    const struct doc_node *node = doc_find(row->root, key);
    return node && node->kind == DOC_NUMBER ? node->number : 0;
}

void peer_flows(const struct doc *row, struct traffic *traffic)
{
    const struct doc_node *list = doc_find(row->root, "flow_list");
    for (uint32_t i = 0; list && i < list->count; i++) {
        const struct doc_node *flow = list->child[i].child;
        traffic_add(traffic, (uint32_t)flow[1].magnitude, (uint32_t)flow[2].magnitude,
                    flow[3].magnitude);
        for (uint32_t d = 0; d < flow[4].count; d++)
            traffic_depend(traffic, (uint32_t)flow[4].child[d].magnitude - 1);
    }
}

enum status peer_run(const struct peer_network *network, const struct traffic *traffic,
                     struct traffic_result *result, struct diag *diag)
{
    struct config config;
    config_init(&config);
    config.network.topology = network->topology;
    config.network.backend = network->backend;
    config_note(&config, "network.backend", "agree_net", "%s", "set");
    config.network.routing = network->routing;
    config.network.seed = network->seed;
    config.network.whole_ns = false;
    enum status status = topology_resolve(&config, NULL, diag);
    if (status == STATUS_OK)
        status = traffic_check(traffic, config.network.npu_count, diag);
    if (status == STATUS_OK) {
        const struct network_ops *ops =
            network->ops ? network->ops : network_model_of(network->backend);
        const struct traffic_net net = {ops, &config.network};
        status = traffic_run(traffic, &net, NULL, result, diag);
    }
    config_release(&config);
    return status;
}
