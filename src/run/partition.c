#include "run/partition.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "run/partition_parts.h"

/* More messages than this are not kept: 4 M of them, with 6 links each, take 0.6 GB. */
#define MOST_KEPT ((uint64_t)1 << 22)

/* Ranks that send to this many others are near to all: colours stop to split after a few rounds. */
#define MANY_PEERS 64

const char partition_too_many_routes[] = "too many routes to compare";
const char partition_too_many_classes[] = "ranks differ in what their messages pass";

/* -- classes ---------------------------------------------------------------------------------- */

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

bool classes_from(struct classes *classes, const uint64_t *hash)
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

bool partition_init(struct partition *partition, const struct network_config *network,
                    uint32_t group_count)
{
    *partition = (struct partition){.fabric = network->fabric};
    struct diag diag = DIAG_NONE; /* the model's own create() says it */
    if (routing_create(&partition->routing, network->fabric, network, &diag) != STATUS_OK)
        return false;
    uint32_t bundles = routing_bundles(partition->routing, &partition->bundle_of_link);
    partition->by_bundle = bundles > 0;
    classes_init(&partition->ranks, network->npu_count);
    classes_init(&partition->links, bundles ? bundles : partition->fabric->link_count);
    classes_init(&partition->groups, group_count);
    return true;
}

void partition_release(struct partition *partition)
{
    if (partition->routing)
        routing_destroy(partition->routing);
    classes_release(&partition->ranks);
    classes_release(&partition->links);
    classes_release(&partition->groups);
    free(partition->rank_colour);
    free(partition->link_colour);
    *partition = (struct partition){0};
}

/* -- refinement ------------------------------------------------------------------------------- */

static void fill_first(const struct partition *partition, const struct partition_job *job,
                       struct first_colours *first)
{
    const struct fabric *fabric = partition->fabric;
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        const struct fabric_link *link = &fabric->link[l];
        uint64_t hash = mix_in(bits_of(link->bandwidth_Bps), bits_of(link->latency_ns));
        if (partition->link_colour)
            hash = mix_in(hash, partition->link_colour[l]);
        first->link[partition->by_bundle ? partition->bundle_of_link[l] : l] += hash;
    }
    for (uint32_t r = 0; r < partition->ranks.things; r++) {
        uint64_t seen = partition->rank_colour ? partition->rank_colour[r] : 0;
        first->rank[r] = mix_in(job->rank_hash(job->self, r), seen);
        for (uint32_t s = 0, slots = job->slot_count(job->self, r); s < slots; s++)
            first->group[job->group(job->self, r, s)] += mix_in(s, 8);
    }
}

static void count_message(void *context, uint64_t label, uint32_t to)
{
    (void)label, (void)to;
    ++*(uint64_t *)context;
}

bool partition_refine(struct partition *partition, const struct partition_job *job, uint32_t most,
                      uint64_t most_routes, const char **why)
{
    struct first_colours first = {
        .rank = calloc(partition->ranks.things + 1, sizeof *first.rank),
        .link = calloc(partition->links.things + 1, sizeof *first.link),
        .group = calloc(partition->groups.things + 1, sizeof *first.group),
    };
    need_memory(first.rank && first.link && first.group);
    uint64_t messages = 0;
    for (uint32_t r = 0; r < partition->ranks.things && messages <= most_routes; r++)
        job->visit(job->self, r, count_message, &messages);
    const char *failed = messages > most_routes ? partition_too_many_routes : NULL;
    if (!failed) {
        fill_first(partition, job, &first);
        bool by_rounds = messages > MOST_KEPT || messages / MANY_PEERS > partition->ranks.things;
        failed = by_rounds ? partition_rounds(partition, job, &first, most, most_routes)
                           : partition_worklist(partition, job, &first, most);
    }
    free(first.rank);
    free(first.link);
    free(first.group);
    if (failed)
        *why = failed;
    return !failed;
}
