#include "tests/agree/fluid/given_routes.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/table.h"
#include "net/model/fluid.h"

enum { MOST_LINKS = 256 };

/* The test program runs one row after the other. */
static const struct doc *given;

struct given_net {
    struct fluid *fluid;
    const struct doc_node *routes;
    struct table by_pair; /* src << 32 | dst -> child of `routes` */
    double hop_latency_ns;
};

bool given_routes_set(const struct doc *row)
{
    given = row;
    return doc_find(row->root, "routes") != NULL;
}

static enum status check(const struct network_config *config, struct diag *diag)
{
    (void)config, (void)diag;
    return STATUS_OK;
}

static void read_pairs(struct given_net *net)
{
    table_init(&net->by_pair);
    for (uint32_t i = 0; i < net->routes->count; i++) {
        char *rest;
        uint64_t src = strtoull(net->routes->child[i].key, &rest, 10);
        uint64_t dst = strtoull(rest + 1, NULL, 10);
        table_put(&net->by_pair, src << 32 | dst, i);
    }
}

static enum status create(void **self, const struct network_config *config, struct engine *engine,
                          struct diag *diag)
{
    (void)config, (void)diag;
    struct given_net *net = calloc(1, sizeof *net);
    const struct doc_node *bandwidths = doc_find(given->root, "link_bw");
    const struct doc_node *latency = doc_find(given->root, "hop_latency_s");
    double *B_per_ns = calloc(bandwidths->count + 1, sizeof *B_per_ns);
    need_memory(net != NULL && B_per_ns != NULL);
    for (uint32_t i = 0; i < bandwidths->count; i++)
        B_per_ns[i] = bandwidths->child[i].number / 1e9;
    net->fluid = fluid_create(B_per_ns, bandwidths->count, engine);
    free(B_per_ns);
    net->routes = doc_find(given->root, "routes");
    net->hop_latency_ns = latency->number * 1e9;
    read_pairs(net);
    *self = net;
    return STATUS_OK;
}

static void send(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket)
{
    struct given_net *net = self;
    uint32_t link[MOST_LINKS];
    uint32_t found = table_find(&net->by_pair, (uint64_t)src << 32 | dst);
    promise(found != TABLE_NONE);
    const struct doc_node *route = &net->routes->child[found];
    promise(route->count <= MOST_LINKS);
    for (uint32_t i = 0; i < route->count; i++)
        link[i] = (uint32_t)route->child[i].magnitude;
    struct fluid_way way = {
        .link = link,
        .count = route->count,
        .latency_ps = route->count * net->hop_latency_ns * (double)PS_PER_NS,
    };
    fluid_send(net->fluid, &way, bytes, ticket);
}

static void destroy(void *self)
{
    struct given_net *net = self;
    fluid_destroy(net->fluid);
    table_release(&net->by_pair);
    free(net);
}

const struct network_ops network_given_routes = {
    .name = "given-routes",
    .summary = "the fluid on routes of a reference",
    .check = check,
    .create = create,
    .send = send,
    .destroy = destroy,
};
