#include <stdlib.h>

#include "base/memory.h"
#include "base/mix.h"
#include "base/table.h"
#include "net/model/maxmin_parts.h"

/*
 * A set is kept the second time it is solved: steps of rings and tori come back thousands of times,
 * a large all-to-all does not. The hash only finds a candidate; the routes are compared in full.
 */
enum { MOST_SETS = 1 << 12, SEEN_SLOTS = 1 << 14 };
#define MOST_BYTES ((size_t)256 << 20)

struct kept_link {
    uint32_t link;
    double level, load;
};

struct kept_set {
    uint64_t hash;
    uint32_t flow_count, element_count, link_count;
    uint32_t capacities; /* the solver's */
    uint32_t *path;      /* by flow: number of links, then the links */
    double *weight;      /* of the weighted flows, in order; NULL if none */
    uint32_t weight_count;
    uint32_t *bottleneck; /* by flow */
    struct kept_link *link;
};

struct maxmin_cache {
    struct table by_hash; /* hash -> set */
    struct kept_set set[MOST_SETS];
    uint32_t set_count;
    size_t bytes;
    uint64_t last_hash;        /* of the set that was looked for last */
    uint64_t seen[SEEN_SLOTS]; /* hashes of sets solved once */
};

struct maxmin_cache *maxmin_cache_create(void)
{
    struct maxmin_cache *cache = calloc(1, sizeof *cache);
    need_memory(cache != NULL);
    table_init(&cache->by_hash);
    return cache;
}

void maxmin_cache_destroy(struct maxmin_cache *cache)
{
    for (uint32_t i = 0; i < cache->set_count; i++) {
        free(cache->set[i].path);
        free(cache->set[i].weight);
        free(cache->set[i].bottleneck);
        free(cache->set[i].link);
    }
    table_release(&cache->by_hash);
    free(cache);
}

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * MIX_STEP;
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const struct maxmin *solver)
{
    const uint32_t *started = solver->started.base;
    uint64_t hash = solver->started.count ^ (uint64_t)solver->capacities << 40;
    for (size_t i = 0; i < solver->started.count; i++) {
        const struct maxmin_flow *flow = flow_at(solver, started[i]);
        const struct maxmin_element *element = element_at(solver, flow->first);
        hash = mixed(hash, flow->count);
        for (uint32_t k = 0; k < flow->count; k++)
            hash = mixed(hash, element[k].link);
    }
    return hash;
}

static bool is_same(const struct maxmin *solver, const struct kept_set *set)
{
    const uint32_t *started = solver->started.base, *path = set->path;
    uint32_t weights = 0;
    if (set->capacities != solver->capacities || set->flow_count != solver->started.count ||
        set->element_count != solver->running_elements)
        return false;
    for (size_t i = 0; i < solver->started.count; i++) {
        const struct maxmin_flow *flow = flow_at(solver, started[i]);
        const struct maxmin_element *element = element_at(solver, flow->first);
        if (*path++ != (uint32_t)(flow->count << 1 | flow->is_weighted))
            return false;
        for (uint32_t k = 0; k < flow->count; k++) {
            if (*path++ != element[k].link)
                return false;
            if (flow->is_weighted && (weights == set->weight_count ||
                                      set->weight[weights++] != weight_of(solver, flow, k)))
                return false;
        }
    }
    return true;
}

static void apply(struct maxmin *solver, const struct kept_set *set)
{
    const uint32_t *started = solver->started.base;
    for (uint32_t i = 0; i < set->link_count; i++) {
        set_level(solver, set->link[i].link, set->link[i].level);
        solver->link[set->link[i].link].load = set->link[i].load;
    }
    for (uint32_t i = 0; i < set->flow_count; i++)
        set_bottleneck(solver, started[i], set->bottleneck[i]);
}

bool maxmin_cache_find(struct maxmin *solver)
{
    struct maxmin_cache *cache = solver->cache;
    cache->last_hash = hash_of(solver);
    uint32_t number = table_find(&cache->by_hash, cache->last_hash);
    if (number == TABLE_NONE || !is_same(solver, &cache->set[number]))
        return false;
    apply(solver, &cache->set[number]);
    return true;
}

static void *taken(struct maxmin_cache *cache, size_t count, size_t size)
{
    void *memory = malloc((count + 1) * size);
    need_memory(memory != NULL);
    cache->bytes += (count + 1) * size;
    return memory;
}

static void keep_flows(struct maxmin *solver, struct kept_set *set)
{
    const uint32_t *started = solver->started.base;
    uint32_t *path = set->path;
    for (uint32_t i = 0; i < set->flow_count; i++) {
        const struct maxmin_flow *flow = flow_at(solver, started[i]);
        set->bottleneck[i] = state_at(solver, started[i])->bottleneck;
        *path++ = (uint32_t)(flow->count << 1 | flow->is_weighted);
        for (uint32_t k = 0; k < flow->count; k++) {
            *path++ = element_at(solver, flow->first + k)->link;
            if (flow->is_weighted)
                set->weight[set->weight_count++] = weight_of(solver, flow, k);
        }
    }
}

static size_t count_weights(const struct maxmin *solver)
{
    const uint32_t *started = solver->started.base;
    size_t weights = 0;
    for (size_t i = 0; i < solver->started.count; i++) {
        const struct maxmin_flow *flow = flow_at(solver, started[i]);
        weights += flow->is_weighted ? flow->count : 0;
    }
    return weights;
}

void maxmin_cache_keep(struct maxmin *solver)
{
    struct maxmin_cache *cache = solver->cache;
    uint64_t *seen = &cache->seen[cache->last_hash % SEEN_SLOTS];
    if (*seen != cache->last_hash) {
        *seen = cache->last_hash;
        return;
    }
    size_t flows = solver->started.count, elements = solver->running_elements;
    size_t weights = count_weights(solver);
    if (cache->set_count == MOST_SETS || elements > UINT32_MAX / 2 ||
        cache->bytes + 16 * (flows + 2 * elements) > MOST_BYTES ||
        table_find(&cache->by_hash, cache->last_hash) != TABLE_NONE)
        return;
    struct kept_set *set = &cache->set[cache->set_count];
    *set = (struct kept_set){.hash = cache->last_hash,
                             .flow_count = (uint32_t)flows,
                             .capacities = solver->capacities,
                             .element_count = (uint32_t)elements,
                             .link_count = solver->busy.count};
    set->path = taken(cache, flows + elements, sizeof *set->path);
    set->weight = weights > 0 ? taken(cache, weights, sizeof *set->weight) : NULL;
    set->bottleneck = taken(cache, flows, sizeof *set->bottleneck);
    set->link = taken(cache, set->link_count, sizeof *set->link);
    keep_flows(solver, set);
    for (uint32_t i = 0; i < set->link_count; i++) {
        uint32_t link = solver->busy.item[i];
        set->link[i] = (struct kept_link){link, solver->level[link], solver->link[link].load};
    }
    table_put(&cache->by_hash, set->hash, cache->set_count++);
}
