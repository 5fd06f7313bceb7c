#include "run/link_fold.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/table.h"
#include "net/model/ideal.h"
#include "run/fold_groups.h"
#include "run/message_types.h"
#include "run/slow_colours.h"

#define ALWAYS_WORTH_A_LOOK ((uint64_t)1 << 24) /* routes: about a second */

/* Messages of one instant may be sorted in any way only where none waits for another. */
static bool order_is_free(const struct network_config *network)
{
    return !network_model_of(network->backend)->has_queues && !network_has_endpoint_costs(network);
}

/* Looks at the links of one class's messages. */
struct own_links {
    struct partition *partition;
    uint32_t class;
    bool are_own;
};

static void look_at_links(void *context, uint64_t label, uint32_t to)
{
    struct own_links *look = context;
    struct partition *partition = look->partition;
    struct route route;
    (void)label;
    partition_route(partition, partition->ranks.first[look->class], to, &route);
    for (uint32_t i = 0; i < route.count; i++) {
        uint32_t links = partition->links.size[partition->links.of[route.link[i]]];
        look->are_own = look->are_own && links == partition->ranks.size[look->class];
    }
}

/* With queues: every link that a class of ranks uses belongs to a class of that size. */
static bool has_own_links(struct partition *partition, const struct message_types *types)
{
    struct own_links look = {.partition = partition, .are_own = true};
    for (; look.class < partition->ranks.count && look.are_own; look.class ++)
        message_types_visit(types, partition->ranks.first[look.class], look_at_links, &look);
    return look.are_own;
}

/* -- the job as partition.h asks for it -------------------------------------------------------- */

static void visit(const void *self, uint32_t rank,
                  void (*call)(void *context, uint64_t label, uint32_t to), void *context)
{
    message_types_visit(self, rank, call, context);
}

static uint64_t rank_hash(const void *self, uint32_t rank)
{
    return message_types_rank_hash(self, rank);
}

static uint32_t slot_count(const void *self, uint32_t rank)
{
    return message_types_slots(self, rank);
}

static uint32_t group(const void *self, uint32_t rank, uint32_t slot)
{
    return message_types_group(self, rank, slot);
}

/* A look at a route costs what a message does: a proof that fails adds little to the unfolded
 * run. */
static uint64_t routes_worth_a_look(struct plan_book *book, uint32_t ranks)
{
    uint64_t messages = 0;
    for (uint32_t p = 0; p < book->count; p++)
        messages += plan_messages(book, book->plan[p]) * ranks;
    return messages / 4 > ALWAYS_WORTH_A_LOOK ? messages / 4 : ALWAYS_WORTH_A_LOOK;
}

/* What the proof is about, for a whole job. */
struct job {
    const struct config *config;
    const struct workload *workload;
    struct prepared *prepared;
    struct job_shape shape;
};

static bool refine(struct link_proof *proof, const struct job *job,
                   const struct message_types *types, uint64_t most_routes, const char **why)
{
    const struct network_config *network = &job->config->network;
    const struct partition_job messages = {.self = types,
                                           .visit = visit,
                                           .rank_hash = rank_hash,
                                           .slot_count = slot_count,
                                           .group = group,
                                           .group_count = job->prepared->groups.table.count};
    struct partition *partition = &proof->partition;
    if (!partition_refine(partition, &messages, network->npu_count / 2, most_routes, why))
        return false;
    if (!fold_messages_match(types, &partition->ranks, why))
        return false;
    *why = "messages of different ranks share links";
    if (network->backend == NET_LINK && !has_own_links(partition, types))
        return false;
    fold_groups_release(&proof->groups);
    return fold_groups_init(&proof->groups, &job->prepared->groups, &partition->ranks,
                            &partition->groups, types, why);
}

static bool holds(struct link_proof *proof, const struct job *job, bool prefer_xor,
                  const char **why)
{
    struct message_types types;
    uint32_t ranks = job->config->network.npu_count;
    uint64_t most = routes_worth_a_look(&job->prepared->book, ranks), most_steps = most / ranks;
    uint32_t capped = most_steps < UINT32_MAX ? (uint32_t)most_steps : UINT32_MAX;
    bool is_proved = message_types_collect(&types, job->config, job->workload, job->prepared,
                                           &job->shape, prefer_xor, capped, why) &&
                     refine(proof, job, &types, most, why);
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

/* Is there an exchange whose messages may be sorted either way? */
static bool has_free_exchange(const struct job *job)
{
    const struct plan_book *book = &job->prepared->book;
    for (uint32_t p = 0; p < book->count; p++) {
        for (uint32_t i = 0; i < book->plan[p]->phase_count; i++) {
            if (message_pattern_is_free(&book->plan[p]->phase[i]))
                return true;
        }
    }
    return false;
}

/* Sorts messages by distance, or by flips, whichever gives fewer classes. */
static bool prove(struct link_proof *proof, const struct job *job, const char **why)
{
    uint32_t all = UINT32_MAX, by_distance = all, by_flip = all;
    if (holds(proof, job, false, why))
        by_distance = proof->partition.ranks.count;
    if (by_distance > 1 && order_is_free(&job->config->network) && has_free_exchange(job) &&
        holds(proof, job, true, why))
        by_flip = proof->partition.ranks.count;
    if (by_distance == all && by_flip == all)
        return false;
    if (by_distance > 1 && by_flip >= by_distance && by_flip != all)
        return holds(proof, job, false, why);
    return true;
}

bool link_proof_init(struct link_proof *proof, const struct config *config,
                     const struct workload *workload, struct prepared *prepared, const char **why)
{
    const struct network_config *network = &config->network;
    *proof = (struct link_proof){0};
    *why = "the network cannot be routed";
    if (!partition_init(&proof->partition, network, prepared->groups.table.count))
        return false;
    if (network->backend == NET_IDEAL)
        proof->partition.rank_colour = colours_of_ports(network->fabric);
    *why = "what is slow for a time cannot be read";
    if (!slow_colours_add(&proof->partition, config))
        return false;
    struct job job = {.config = config, .workload = workload, .prepared = prepared};
    job_shape_init(&job.shape, workload, prepared->graphs, prepared->variant);
    bool is_proved = prove(proof, &job, why);
    job_shape_release(&job.shape);
    if (is_proved)
        fill_fold(proof);
    return is_proved;
}

void link_proof_release(struct link_proof *proof)
{
    partition_release(&proof->partition);
    fold_groups_release(&proof->groups);
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
