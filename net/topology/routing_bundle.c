/*
 * Bundles of a sprayed tree. Switches of a level with the same NPUs below them and the same reach
 * are of one class; the links from one class to another are a bundle.
 *
 * Why their shares are equal. A message starts at an NPU, a class of its own. Suppose each member
 * of class C holds the same part of it. All members have the same ways on, and these lie in one
 * bundle (tree_ways_agree()); each has the same number of links in it, of one bandwidth (checked
 * here), so every link of the bundle gets the same share; each member of the next class has the
 * same number of them coming in (checked here), so its members hold the same part too. If a check
 * fails there are no bundles.
 */
#include "net/topology/routing_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"

struct bundling {
    const struct fabric *fabric;
    uint32_t *class_of;   /* [node] */
    uint32_t *class_size; /* [class] */
    uint32_t *bundle_of;  /* [link] */
    uint32_t bundles;
    uint32_t *first;  /* [bundle] its first link */
    uint32_t *links;  /* [bundle] how many */
    uint32_t *counts; /* [bundle] of one node, while it is looked at */
};

static void classify(const struct routing *routing, struct bundling *b)
{
    struct names names;
    names_init(&names);
    for (uint32_t v = 0; v < b->fabric->node_count; v++) {
        uint32_t words[TREE_CLASS_WORDS];
        if (v < b->fabric->npu_count) {
            b->class_of[v] = v;
        } else {
            tree_class(routing, v, words);
            char key[TREE_CLASS_WORDS * 11 + 1] = "";
            for (size_t i = 0, used = 0; i < TREE_CLASS_WORDS; i++)
                used += (size_t)snprintf(key + used, sizeof key - used, "%u,", words[i]);
            uint32_t number = names_add(&names, key, strlen(key));
            b->class_of[v] = b->fabric->npu_count + number;
        }
        b->class_size[b->class_of[v]]++;
    }
    names_release(&names);
}

static bool gather(struct bundling *b)
{
    struct table table;
    bool equal = true;
    table_init(&table);
    for (uint32_t i = 0; i < b->fabric->link_count && equal; i++) {
        const struct fabric_link *link = &b->fabric->link[i];
        uint64_t key = (uint64_t)b->class_of[link->src] << 32 | b->class_of[link->dst];
        uint32_t bundle = table_find(&table, key);
        if (bundle == TABLE_NONE) {
            bundle = b->bundles++;
            table_put(&table, key, bundle);
            b->first[bundle] = i;
        }
        const struct fabric_link *first = &b->fabric->link[b->first[bundle]];
        equal =
            link->bandwidth_Bps == first->bandwidth_Bps && link->latency_ns == first->latency_ns;
        b->links[bundle]++;
        b->bundle_of[i] = bundle;
    }
    table_release(&table);
    return equal;
}

/*
 * Has each node that sends into a bundle the same number of links in it as the others of its class?
 * By the reverse links the same holds for the receiving end.
 */
static bool regular(const struct bundling *b)
{
    const struct fabric *fabric = b->fabric;
    bool fine = true;
    for (uint32_t v = 0; v < fabric->node_count && fine; v++) {
        uint32_t size = b->class_size[b->class_of[v]];
        for (uint32_t k = fabric->first_link[v]; k < fabric->first_link[v + 1]; k++)
            b->counts[b->bundle_of[k]]++;
        for (uint32_t k = fabric->first_link[v]; k < fabric->first_link[v + 1]; k++) {
            uint32_t bundle = b->bundle_of[k];
            if (fabric->link[k].reverse == FABRIC_NONE ||
                (uint64_t)b->counts[bundle] * size != b->links[bundle])
                fine = false;
        }
        for (uint32_t k = fabric->first_link[v]; k < fabric->first_link[v + 1]; k++)
            b->counts[b->bundle_of[k]] = 0;
    }
    return fine;
}

static bool ways_agree(const struct routing *routing, const struct bundling *b)
{
    for (uint32_t v = 0; v < b->fabric->node_count; v++)
        if (!tree_ways_agree(routing, v, b->class_of))
            return false;
    return true;
}

static uint32_t *numbers(size_t count)
{
    uint32_t *made = calloc(count + 1, sizeof *made);
    need_memory(made);
    return made;
}

static void bundle_tree(struct routing *routing)
{
    const struct fabric *fabric = routing->fabric;
    struct bundling b = {.fabric = fabric,
                         .class_of = numbers(fabric->node_count),
                         .class_size = numbers(fabric->node_count),
                         .bundle_of = numbers(fabric->link_count),
                         .first = numbers(fabric->link_count),
                         .links = numbers(fabric->link_count),
                         .counts = numbers(fabric->link_count)};
    classify(routing, &b);
    if (gather(&b) && regular(&b) && ways_agree(routing, &b)) {
        routing->bundle_count = b.bundles;
        routing->bundle_of_link = b.bundle_of;
    } else {
        free(b.bundle_of);
    }
    free(b.class_of);
    free(b.class_size);
    free(b.first);
    free(b.links);
    free(b.counts);
}

void bundles_create(struct routing *routing)
{
    if (routing->policy != ROUTING_SPRAY || routing->failed)
        return;
    if (routing->tree) {
        bundle_tree(routing);
    } else if (routing->product) {
        uint32_t *bundle_of = numbers(routing->fabric->link_count);
        uint32_t count = product_bundles(routing->product, routing->fabric, bundle_of);
        if (count == 0) {
            free(bundle_of);
            return;
        }
        routing->bundle_count = count;
        routing->bundle_of_link = bundle_of;
    }
}

uint32_t routing_bundles(const struct routing *routing, const uint32_t **bundle_of_link)
{
    *bundle_of_link = routing->bundle_of_link;
    return routing->bundle_count;
}

void routing_find_bundled(struct routing *routing, uint32_t src, uint32_t dst, struct route *route)
{
    promise(routing->bundle_count > 0 && src != dst);
    routing->path.count = 0;
    if (routing->product)
        product_route_bundled(routing, src, dst);
    else
        tree_first_route(routing, src, dst, route);
    double latency_ns = 0;
    for (uint32_t i = 0; i < routing->path.count; i++) {
        latency_ns += routing->fabric->link[routing->path.link[i]].latency_ns;
        routing->path.link[i] = routing->bundle_of_link[routing->path.link[i]];
    }
    *route = (struct route){
        .count = routing->path.count, .link = routing->path.link, .latency_ns = latency_ns};
}
