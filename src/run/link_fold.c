#include "run/link_fold.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/table.h"
#include "net/model/ideal.h"

#define ALWAYS_WORTH_A_LOOK ((uint64_t)1 << 24) /* routes: about a second */

/* Messages of one instant may be sorted in any way only where none waits for another. */
static bool order_is_free(const struct network_config *network)
{
    return !network_model_of(network->backend)->has_queues && !network_has_endpoint_costs(network);
}

/* With queues: every link that a class of ranks uses belongs to a class of that size. */
static bool has_own_links(struct link_proof *proof, const struct message_types *types)
{
    struct partition *partition = &proof->partition;
    for (uint32_t t = 0; t < types->count; t++) {
        for (uint32_t c = 0; c < partition->ranks.count; c++) {
            uint32_t rank = partition->ranks.first[c];
            struct route route;
            partition_route(partition, rank, message_type_target(&types->type[t], rank), &route);
            for (uint32_t i = 0; i < route.count; i++) {
                uint32_t links = partition->links.size[partition->links.of[route.link[i]]];
                if (links != partition->ranks.size[c])
                    return false;
            }
        }
    }
    return true;
}

/* A look at a route costs what a message does: a proof that fails adds little to the unfolded run. */
static uint64_t routes_worth_a_look(struct plan_book *book, uint32_t ranks)
{
    uint64_t messages = 0;
    for (uint32_t p = 0; p < book->count; p++)
        messages += plan_messages(book, book->plan[p]) * ranks;
    return messages / 4 > ALWAYS_WORTH_A_LOOK ? messages / 4 : ALWAYS_WORTH_A_LOOK;
}

static bool holds(struct link_proof *proof, const struct network_config *network,
                  struct plan_book *book, bool prefer_xor, const char **why)
{
    struct message_types types;
    uint64_t most = routes_worth_a_look(book, network->npu_count);
    uint64_t most_types = most / network->npu_count;
    uint32_t capped = most_types < UINT32_MAX ? (uint32_t)most_types : UINT32_MAX;
    bool is_proved = message_types_collect(&types, book, prefer_xor, capped, why) &&
                     partition_refine(&proof->partition, &types, network->npu_count / 2, most, why);
    if (is_proved && network->backend == NET_LINK && !has_own_links(proof, &types)) {
        *why = "messages of different ranks share links";
        is_proved = false;
    }
    message_types_release(&types);
    return is_proved;
}

static void fill_fold(struct link_proof *proof)
{
    const struct classes *links = &proof->partition.links, *ranks = &proof->partition.ranks;
    proof->class_of_link = calloc(links->things + 1, sizeof *proof->class_of_link);
    proof->class_size = calloc(links->things + 1, sizeof *proof->class_size);
    need_memory(proof->class_of_link && proof->class_size);
    for (uint32_t l = 0; l < links->things; l++) {
        proof->class_of_link[l] = links->first[links->of[l]];
        proof->class_size[l] = links->size[links->of[l]];
    }
    proof->fold = (struct link_fold){.by_bundle = proof->partition.by_bundle,
                                     .class_of = proof->class_of_link,
                                     .class_size = proof->class_size,
                                     .class_of_rank = ranks->of,
                                     .first_of_class = ranks->first,
                                     .ranks_of_class = ranks->size,
                                     .is_tied = &proof->is_tied,
                                     .act = &proof->act};
}

/* Condition (4). */
static uint64_t *colours_of_ports(const struct fabric *fabric)
{
    struct ideal_ports *ports = calloc(fabric->npu_count, sizeof *ports);
    uint64_t *colour = calloc(fabric->npu_count, sizeof *colour);
    need_memory(ports && colour);
    ideal_find_ports(fabric, ports);
    for (uint32_t r = 0; r < fabric->npu_count; r++)
        colour[r] = hash_bytes(&ports[r], sizeof ports[r], 0);
    free(ports);
    return colour;
}

bool link_proof_init(struct link_proof *proof, const struct config *config, struct plan_book *book,
                     const char **why)
{
    const struct network_config *network = &config->network;
    *proof = (struct link_proof){0};
    *why = "the network cannot be routed";
    if (!partition_init(&proof->partition, network))
        return false;
    if (network->backend == NET_IDEAL)
        proof->partition.rank_colour = colours_of_ports(network->fabric);
    uint32_t all = UINT32_MAX, by_distance = all, by_flip = all;
    if (holds(proof, network, book, false, why))
        by_distance = proof->partition.ranks.count;
    if (by_distance > 1 && order_is_free(network) && holds(proof, network, book, true, why))
        by_flip = proof->partition.ranks.count;
    if (by_distance == all && by_flip == all)
        return false;
    if (by_distance > 1 && by_flip >= by_distance && !holds(proof, network, book, false, why))
        return false; /* not reached: it held before */
    fill_fold(proof);
    return true;
}

void link_proof_release(struct link_proof *proof)
{
    partition_release(&proof->partition);
    free(proof->class_of_link);
    free(proof->class_size);
    *proof = (struct link_proof){0};
}

void link_proof_spread(const struct link_proof *proof, struct link_figures *rows)
{
    const struct partition *partition = &proof->partition;
    const struct fabric *fabric = partition->fabric;
    if (!partition->by_bundle) {
        for (uint32_t l = 0; l < fabric->link_count; l++)
            rows[l] = rows[proof->class_of_link[l]];
        return;
    }
    /* Links of a bundle carry equal shares: any of the leading bundle's has the figures. */
    uint32_t *link_of = calloc(partition->links.things, sizeof *link_of);
    struct link_figures *lead = calloc(partition->links.things, sizeof *lead);
    need_memory(link_of && lead);
    for (uint32_t l = fabric->link_count; l-- > 0;)
        link_of[partition->bundle_of_link[l]] = l;
    for (uint32_t b = 0; b < partition->links.things; b++)
        lead[b] = rows[link_of[proof->class_of_link[b]]];
    for (uint32_t l = 0; l < fabric->link_count; l++)
        rows[l] = lead[partition->bundle_of_link[l]];
    free(link_of);
    free(lead);
}
