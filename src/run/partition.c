#include "run/partition.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mix.h"
#include "base/table.h"

/* -- colours ---------------------------------------------------------------------------------- */

/* Sums of these stand for sets, so every bit must depend on all. */
static inline uint64_t mix(uint64_t a, uint64_t b)
{
    return mix64(a + (b + 1) * MIX_STEP);
}

static void classes_init(struct classes *classes, uint32_t things)
{
    *classes = (struct classes){.things = things};
    classes->of = calloc(things + 1, sizeof *classes->of);
    classes->first = calloc(things + 1, sizeof *classes->first);
    classes->size = calloc(things + 1, sizeof *classes->size);
    need_memory(classes->of && classes->first && classes->size);
}

static void classes_release(struct classes *classes)
{
    free(classes->of);
    free(classes->first);
    free(classes->size);
}

/* Equal hashes become one class; returns true if there are more classes than before. */
static bool classes_from(struct classes *classes, const uint64_t *hash)
{
    uint32_t before = classes->count;
    classes->count = table_number(hash, classes->things, classes->of);
    memset(classes->size, 0, classes->count * sizeof *classes->size);
    for (uint32_t i = 0; i < classes->things; i++) {
        uint32_t class = classes->of[i];
        if (classes->size[class]++ == 0)
            classes->first[class] = i;
    }
    return classes->count > before;
}

/* -- routes ----------------------------------------------------------------------------------- */

void partition_route(struct partition *partition, uint32_t src, uint32_t dst, struct route *route)
{
    if (partition->by_bundle)
        routing_find_bundled(partition->routing, src, dst, route);
    else
        routing_find(partition->routing, src, dst, route);
}

bool partition_init(struct partition *partition, const struct network_config *network)
{
    *partition = (struct partition){.fabric = network->fabric};
    struct diag diag = DIAG_NONE; /* the model's own create() says it */
    if (routing_create(&partition->routing, network->fabric, network, &diag) != STATUS_OK)
        return false;
    uint32_t bundles = routing_bundles(partition->routing, &partition->bundle_of_link);
    partition->by_bundle = bundles > 0;
    classes_init(&partition->ranks, network->npu_count);
    classes_init(&partition->links, bundles ? bundles : partition->fabric->link_count);
    return true;
}

void partition_release(struct partition *partition)
{
    if (partition->routing)
        routing_destroy(partition->routing);
    classes_release(&partition->ranks);
    classes_release(&partition->links);
    free(partition->rank_colour);
    *partition = (struct partition){0};
}

/* -- refinement ------------------------------------------------------------------------------- */

struct refinement {
    struct partition *partition;
    uint64_t *rank_hash, *link_hash;
};

static void colour_links_first(struct refinement *refinement)
{
    struct partition *partition = refinement->partition;
    const struct fabric *fabric = partition->fabric;
    memset(refinement->link_hash, 0, partition->links.things * sizeof *refinement->link_hash);
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        const struct fabric_link *link = &fabric->link[l];
        uint64_t hash = mix(bits_of(link->bandwidth_Bps), bits_of(link->latency_ns));
        refinement->link_hash[partition->by_bundle ? partition->bundle_of_link[l] : l] += hash;
    }
    partition->ranks.count = partition->links.count = 0;
    for (uint32_t r = 0; r < partition->ranks.things; r++)
        refinement->rank_hash[r] = partition->rank_colour ? partition->rank_colour[r] : 0;
    classes_from(&partition->links, refinement->link_hash);
    classes_from(&partition->ranks, refinement->rank_hash);
}

static void start_round(struct refinement *refinement)
{
    const struct partition *partition = refinement->partition;
    for (uint32_t r = 0; r < partition->ranks.things; r++)
        refinement->rank_hash[r] = mix(1, partition->ranks.of[r]);
    for (uint32_t l = 0; l < partition->links.things; l++)
        refinement->link_hash[l] = mix(2, partition->links.of[l]);
}

/* What one message says about its ends and its links. Sums: order does not matter. */
static void look_at_message(struct refinement *refinement, uint32_t type, uint32_t src,
                            uint32_t dst)
{
    struct partition *partition = refinement->partition;
    struct route route;
    partition_route(partition, src, dst, &route);
    uint64_t sender = mix(type, partition->ranks.of[src]);
    uint64_t path = mix(sender, bits_of(route.latency_ns));
    for (uint32_t i = 0; i < route.count; i++) {
        uint64_t share = route.share ? bits_of(route.share[i]) : 0;
        path = mix(path, mix(partition->links.of[route.link[i]], share));
        refinement->link_hash[route.link[i]] += mix(mix(sender, share), i);
    }
    refinement->rank_hash[src] += mix(path, partition->ranks.of[dst]);
    refinement->rank_hash[dst] += mix(mix(3, sender), 4);
}

static bool one_round(struct refinement *refinement, const struct message_types *types)
{
    struct partition *partition = refinement->partition;
    start_round(refinement);
    for (uint32_t t = 0; t < types->count; t++) {
        for (uint32_t rank = 0; rank < partition->ranks.things; rank++)
            look_at_message(refinement, t, rank, message_type_target(&types->type[t], rank));
    }
    bool ranks_split = classes_from(&partition->ranks, refinement->rank_hash);
    bool links_split = classes_from(&partition->links, refinement->link_hash);
    return ranks_split || links_split;
}

static const char *refine(struct refinement *refinement, const struct message_types *types,
                          uint32_t most, uint64_t most_routes)
{
    struct partition *partition = refinement->partition;
    uint64_t per_round = (uint64_t)types->count * partition->ranks.things, routes = 0;
    colour_links_first(refinement);
    for (;;) {
        routes += per_round;
        if (routes > most_routes)
            return "too many routes to compare";
        bool goes_on = one_round(refinement, types);
        if (partition->ranks.count > most)
            return "ranks differ in what their messages pass";
        if (!goes_on)
            return NULL;
    }
}

bool partition_refine(struct partition *partition, const struct message_types *types, uint32_t most,
                      uint64_t most_routes, const char **why)
{
    struct refinement refinement = {
        .partition = partition,
        .rank_hash = calloc(partition->ranks.things + 1, sizeof *refinement.rank_hash),
        .link_hash = calloc(partition->links.things + 1, sizeof *refinement.link_hash),
    };
    need_memory(refinement.rank_hash && refinement.link_hash);
    const char *failed = refine(&refinement, types, most, most_routes);
    free(refinement.rank_hash);
    free(refinement.link_hash);
    if (failed)
        *why = failed;
    return !failed;
}
