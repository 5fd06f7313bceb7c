/* fabric_util - a fabric from its one-line form or a graph, and what every route must hold. */
#ifndef ORRERY_TESTS_UNIT_FABRIC_UTIL_H
#define ORRERY_TESTS_UNIT_FABRIC_UTIL_H

#include <math.h>
#include <string.h>

#include "net/topology/fabric.h"
#include "net/topology/graph_file.h"
#include "net/topology/routing.h"
#include "tests/unit/unit.h"

static inline struct fabric *fabric_from(const char *text)
{
    struct fabric *fabric = NULL;
    struct diag diag = DIAG_NONE;
    enum status status = fabric_parse(text, &fabric, &diag);
    ck_assert_msg(status == STATUS_OK, "%s: %s: %s", text, diag.field, diag.message);
    return fabric;
}

/* A YAML graph (net/topology/graph_file.h). */
static inline struct fabric *graph_from(const char *yaml)
{
    struct doc doc;
    struct fabric *fabric = NULL;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(doc_parse(&doc, "graph", yaml, strlen(yaml), DOC_YAML, &diag), STATUS_OK);
    ck_assert_msg(graph_file_read(&doc, &fabric, &diag) == STATUS_OK, "%s: %s", yaml, diag.message);
    doc_release(&doc);
    return fabric;
}

static inline struct routing *routing_from(const struct fabric *fabric, enum net_routing policy)
{
    struct routing *routing = NULL;
    struct diag diag = DIAG_NONE;
    struct network_config config = {.routing = policy, .seed = 7};
    enum status status = routing_create(&routing, fabric, &config, &diag);
    ck_assert_msg(status == STATUS_OK, "%s: %s", fabric->text, diag.message);
    return routing;
}

/* Contiguous from `src` to `dst`, no node twice. */
static inline void expect_path(const struct fabric *fabric, const struct route *route, uint32_t src,
                               uint32_t dst)
{
    unsigned char *seen = calloc(fabric->node_count, 1);
    uint32_t at = src;
    double latency_ns = 0;
    seen[src] = 1;
    for (uint32_t i = 0; i < route->count; i++) {
        const struct fabric_link *link = &fabric->link[route->link[i]];
        ck_assert_msg(link->src == at, "%s: %u to %u: hop %u is not contiguous", fabric->text, src,
                      dst, i);
        ck_assert(link->bandwidth_Bps > 0);
        at = link->dst;
        ck_assert_msg(!seen[at], "%s: %u to %u: a loop", fabric->text, src, dst);
        seen[at] = 1;
        latency_ns += link->latency_ns;
    }
    ck_assert_msg(at == dst, "%s: %u to %u ends at %u", fabric->text, src, dst, at);
    ck_assert(fabs(latency_ns - route->latency_ns) <= 1e-9 * latency_ns);
    free(seen);
}

/* What goes into a node comes out, but for the source (1 more out) and the destination. */
static inline void expect_flow(const struct fabric *fabric, const struct route *route, uint32_t src,
                               uint32_t dst)
{
    double *balance = calloc(fabric->node_count, sizeof *balance);
    for (uint32_t i = 0; i < route->count; i++) {
        const struct fabric_link *link = &fabric->link[route->link[i]];
        ck_assert(route->share[i] > 0 && route->share[i] <= 1 + 1e-12);
        ck_assert(link->bandwidth_Bps > 0);
        balance[link->src] += route->share[i];
        balance[link->dst] -= route->share[i];
    }
    for (uint32_t v = 0; v < fabric->node_count; v++)
        ck_assert_msg(fabs(balance[v] - (v == src) + (v == dst)) < 1e-12,
                      "%s: %u to %u: node %u has a balance of %g", fabric->text, src, dst, v,
                      balance[v]);
    free(balance);
}

static inline void expect_route(const struct fabric *fabric, struct routing *routing, uint32_t src,
                                uint32_t dst)
{
    struct route route;
    routing_find(routing, src, dst, &route);
    if (route.share)
        expect_flow(fabric, &route, src, dst);
    else
        expect_path(fabric, &route, src, dst);
}

/* Every pair of nodes that messages may go between. */
static inline void expect_all_routes(const struct fabric *fabric, struct routing *routing)
{
    for (uint32_t a = 0; a < fabric->node_count; a++)
        for (uint32_t b = 0; b < fabric->node_count; b++)
            if (a != b)
                expect_route(fabric, routing, a, b);
}

#endif
