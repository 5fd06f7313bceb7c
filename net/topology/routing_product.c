/*
 * Dimension order: coordinate after coordinate is set right, each within the copy of the factor
 * that the route is on. To and from a node that is no NPU (a switch of a copy) the copy's own
 * dimension comes last or first.
 */
#include "net/topology/routing_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct product_dim {
    const struct fabric *factor;
    const uint32_t *link; /* fabric_factor's */
    uint32_t first_node, end_node, extra;
    uint32_t stride, npus;
    uint8_t kind;
    bool oneway, as_simgrid;
    uint32_t *up, *down;     /* rings and lines: the factor's links from an NPU */
    struct routing *routing; /* other factors */
};

struct product_routes {
    uint32_t dim_count;
    struct product_dim dim[CONFIG_MAX_DIMS];
};

/* Where a node is: its coordinates, and for one that is no NPU its dimension and number there. */
struct place {
    uint32_t at[CONFIG_MAX_DIMS]; /* with own_dim: at[own_dim] is the number in the factor */
    uint32_t own_dim;             /* FABRIC_NONE: an NPU */
};

static void index_neighbours(struct product_dim *dim)
{
    dim->up = malloc(2 * sizeof *dim->up * (dim->npus + 1));
    need_memory(dim->up);
    dim->down = dim->up + dim->npus + 1;
    for (uint32_t i = 0; i < dim->npus; i++) {
        uint32_t above = (i + 1) % dim->npus, below = (i + dim->npus - 1) % dim->npus;
        dim->up[i] = fabric_find_link(dim->factor, i, above);
        dim->down[i] = fabric_find_link(dim->factor, i, below);
    }
}

static enum status create_dim(struct product_dim *dim, const struct fabric *fabric, uint32_t d,
                              const struct network_config *config, struct diag *diag)
{
    const struct fabric_factor *factor = &fabric->factor[d];
    uint32_t extra = factor->fabric->node_count - factor->fabric->npu_count;
    uint32_t copies = fabric->npu_count / fabric->dim[d].npus;
    *dim = (struct product_dim){.factor = factor->fabric,
                                .link = factor->link,
                                .first_node = factor->first_node,
                                .end_node = factor->first_node + copies * extra,
                                .extra = extra,
                                .stride = fabric->dim[d].stride,
                                .npus = fabric->dim[d].npus,
                                .kind = fabric->dim[d].kind,
                                .oneway = fabric->dim[d].oneway,
                                .as_simgrid = config->routing == ROUTING_SIMGRID};
    if (dim->kind == FABRIC_RING || dim->kind == FABRIC_LINE)
        index_neighbours(dim);
    if (dim->kind != FABRIC_TREE && dim->kind != FABRIC_GRAPH)
        return STATUS_OK;
    struct network_config inner = *config;
    if (inner.routing == ROUTING_DIMENSION_ORDER)
        inner.routing = ROUTING_AUTO;
    if (inner.routing == ROUTING_STATIC)
        inner.routing = ROUTING_SHORTEST;
    return routing_create(&dim->routing, dim->factor, &inner, diag);
}

struct product_routes *product_routes_create(const struct fabric *fabric,
                                             const struct network_config *config, struct diag *diag)
{
    struct product_routes *product = calloc(1, sizeof *product);
    need_memory(product);
    for (; product->dim_count < fabric->dim_count; product->dim_count++) {
        uint32_t d = product->dim_count;
        if (create_dim(&product->dim[d], fabric, d, config, diag) != STATUS_OK) {
            product_routes_destroy(product);
            return NULL;
        }
    }
    return product;
}

void product_routes_destroy(struct product_routes *product)
{
    if (!product)
        return;
    for (uint32_t d = 0; d < product->dim_count; d++) {
        free(product->dim[d].up);
        routing_destroy(product->dim[d].routing);
    }
    free(product);
}

static void place_of(const struct product_routes *product, uint32_t node, uint32_t npu_count,
                     struct place *place)
{
    place->own_dim = FABRIC_NONE;
    uint32_t rank = node;
    for (uint32_t d = 0; node >= npu_count && d < product->dim_count; d++) {
        const struct product_dim *dim = &product->dim[d];
        if (node < dim->first_node || node >= dim->end_node)
            continue;
        uint32_t line = (node - dim->first_node) / dim->extra;
        place->own_dim = d;
        rank = line / dim->stride * dim->stride * dim->npus + line % dim->stride;
        break;
    }
    for (uint32_t d = 0; d < product->dim_count; d++)
        place->at[d] = rank / product->dim[d].stride % product->dim[d].npus;
    if (place->own_dim != FABRIC_NONE) {
        const struct product_dim *dim = &product->dim[place->own_dim];
        place->at[place->own_dim] = dim->npus + (node - dim->first_node) % dim->extra;
    }
}

/* The copy of dimension d's factor in which `place` is. */
static uint32_t line_of(const struct product_routes *product, const struct place *place, uint32_t d)
{
    uint32_t line = 0, step = 1;
    for (uint32_t e = 0; e < product->dim_count; e++) {
        if (e == d)
            continue;
        line += place->at[e] * step;
        step *= product->dim[e].npus;
    }
    return line;
}

/* Of two ways of one length upwards; SimGrid goes down from exactly half way round. */
static bool goes_up(const struct product_dim *dim, uint32_t from, uint32_t up)
{
    if (2 * up == dim->npus)
        return !dim->as_simgrid || from != up;
    return 2 * up < dim->npus;
}

static void walk_ring(struct routing *routing, const struct product_dim *dim, const uint32_t *link,
                      uint32_t from, uint32_t to)
{
    uint32_t n = dim->npus, up = to > from ? to - from : to + n - from;
    bool upwards = dim->kind == FABRIC_LINE ? to > from : dim->oneway || goes_up(dim, from, up);
    while (from != to) {
        route_add_share(routing, link[upwards ? dim->up[from] : dim->down[from]], 1);
        from = upwards ? (from + 1 == n ? 0 : from + 1) : (from == 0 ? n - 1 : from - 1);
    }
}

/* Within a factor that has a routing of its own. Copies hash apart. */
static void walk_within(struct routing *routing, const struct product_dim *dim, uint32_t line,
                        uint32_t from, uint32_t to)
{
    const uint32_t *link = dim->link + (size_t)line * dim->factor->link_count;
    struct route route;
    dim->routing->seed = routing->seed + line;
    dim->routing->attempt = routing->attempt;
    if (routing->bundled)
        tree_first_route(dim->routing, from, to, &route);
    else
        routing_find(dim->routing, from, to, &route);
    for (uint32_t i = 0; i < route.count; i++)
        route_add_share(routing, link[route.link[i]], route.share ? route.share[i] : 1);
    routing->sprayed = routing->sprayed || route.share;
}

/* Appends the links of one copy of a factor from node `from` of it to node `to`. */
static void walk(struct routing *routing, const struct product_dim *dim, uint32_t line,
                 uint32_t from, uint32_t to)
{
    const uint32_t *link = dim->link + (size_t)line * dim->factor->link_count;
    const uint32_t *first = dim->factor->first_link;
    uint32_t hub = dim->npus;
    if (dim->routing) {
        walk_within(routing, dim, line, from, to);
    } else if (dim->kind == FABRIC_FULL) {
        route_add_share(routing, link[first[from] + (to < from ? to : to - 1)], 1);
    } else if (dim->kind == FABRIC_SWITCH) {
        if (from != hub)
            route_add_share(routing, link[first[from]], 1);
        if (to != hub)
            route_add_share(routing, link[first[hub] + to], 1);
    } else {
        walk_ring(routing, dim, link, from, to);
    }
}

static void step(struct routing *routing, struct place *here, const struct place *there, uint32_t d)
{
    if (here->at[d] == there->at[d])
        return;
    walk(routing, &routing->product->dim[d], line_of(routing->product, here, d), here->at[d],
         there->at[d]);
    here->at[d] = there->at[d];
}

void product_route(struct routing *routing, uint32_t src, uint32_t dst)
{
    const struct product_routes *product = routing->product;
    struct place here, there;
    place_of(product, src, routing->fabric->npu_count, &here);
    place_of(product, dst, routing->fabric->npu_count, &there);
    uint32_t last = there.own_dim;
    if (here.own_dim != FABRIC_NONE) {
        uint32_t d = here.own_dim;
        bool same_copy = d == last && line_of(product, &here, d) == line_of(product, &there, d);
        if (d != last || same_copy) {
            step(routing, &here, &there, d);
        } else { /* another copy's switch: down to the line's first NPU */
            struct place down = here;
            down.at[d] = 0;
            step(routing, &here, &down, d);
        }
    }
    for (uint32_t d = 0; d < product->dim_count; d++)
        if (d != last)
            step(routing, &here, &there, d);
    if (last != FABRIC_NONE)
        step(routing, &here, &there, last);
}

/* -- hashed ------------------------------------------------------------------------------------ */

bool product_is_simple(const struct fabric *fabric)
{
    for (uint32_t d = 0; d < fabric->dim_count; d++)
        if (fabric->dim[d].kind == FABRIC_TREE || fabric->dim[d].kind == FABRIC_GRAPH)
            return false;
    return fabric->is_product;
}

/* Ways on from `here` in dimension d: 0, 1, or 2 half way round an even ring. */
static uint32_t ways_in(const struct product_dim *dim, uint32_t here, uint32_t there)
{
    if (here == there)
        return 0;
    uint32_t up = (there + dim->npus - here) % dim->npus;
    return dim->kind == FABRIC_RING && !dim->oneway && dim->npus > 2 && 2 * up == dim->npus ? 2 : 1;
}

/* One hop (over a switch: two) in dimension d; `other` takes the second of two ways. */
static void hop_in(struct routing *routing, struct place *here, const struct place *there,
                   uint32_t d, bool other)
{
    const struct product_dim *dim = &routing->product->dim[d];
    uint32_t n = dim->npus, at = here->at[d], up = (there->at[d] + n - at) % n, next = there->at[d];
    if (dim->kind == FABRIC_LINE)
        next = there->at[d] > at ? at + 1 : at - 1;
    else if (dim->kind == FABRIC_RING)
        next = dim->oneway || (2 * up <= n && !other) ? (at + 1) % n : (at + n - 1) % n;
    walk(routing, dim, line_of(routing->product, here, d), at, next);
    here->at[d] = next;
}

/*
 * Between NPUs a shortest path goes on in any dimension that is not yet right; half way round an
 * even ring both ways are. So the choices at a node need no search.
 */
bool product_hashed_route(struct routing *routing, uint32_t src, uint32_t dst)
{
    const struct product_routes *product = routing->product;
    struct place here, there;
    if (src >= routing->fabric->npu_count || dst >= routing->fabric->npu_count)
        return false;
    place_of(product, src, routing->fabric->npu_count, &here);
    place_of(product, dst, routing->fabric->npu_count, &there);
    for (;;) {
        uint32_t ways = 0, node = 0, d = 0;
        for (uint32_t e = 0; e < product->dim_count; e++) {
            ways += ways_in(&product->dim[e], here.at[e], there.at[e]);
            node += here.at[e] * product->dim[e].stride;
        }
        if (ways == 0)
            return true;
        uint32_t choice = route_choice(routing->seed, src, dst, node, ways);
        for (uint32_t more; (more = ways_in(&product->dim[d], here.at[d], there.at[d])) <= choice;
             d++)
            choice -= more;
        hop_in(routing, &here, &there, d, choice == 1);
    }
}

/* -- bundles ---------------------------------------------------------------------------------- */

/* A bundle of a factor is one of each of its copies; links of other factors are alone. */
uint32_t product_bundles(const struct product_routes *product, const struct fabric *fabric,
                         uint32_t *bundle_of_link)
{
    uint32_t next = 0;
    for (uint32_t d = 0; d < product->dim_count; d++) {
        const struct product_dim *dim = &product->dim[d];
        const uint32_t *inner = NULL;
        uint32_t links = dim->factor->link_count, count = links;
        uint32_t copies = fabric->npu_count / dim->npus;
        if (dim->routing && (count = routing_bundles(dim->routing, &inner)) == 0)
            return 0;
        for (uint32_t line = 0; line < copies; line++) {
            for (uint32_t i = 0; i < links; i++)
                bundle_of_link[dim->link[(size_t)line * links + i]] = next + (inner ? inner[i] : i);
            next += count;
        }
    }
    return next;
}

void product_route_bundled(struct routing *routing, uint32_t src, uint32_t dst)
{
    routing->bundled = true;
    product_route(routing, src, dst);
    routing->bundled = false;
}
