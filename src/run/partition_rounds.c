/*
 * Rounds over all messages: each thing's colour is hashed with what its messages say until no class
 * splits any more; there are at most as many rounds as classes.
 */
#include "run/partition_parts.h"

struct rounds {
    struct partition *partition;
    const struct partition_job *job;
    struct first_colours *hash;
    uint32_t src; /* whose messages are looked at */
    uint64_t routes;
};

static void start_round(struct rounds *rounds)
{
    const struct partition *partition = rounds->partition;
    for (uint32_t r = 0; r < partition->ranks.things; r++)
        rounds->hash->rank[r] = mix_in(1, partition->ranks.of[r]);
    for (uint32_t l = 0; l < partition->links.things; l++)
        rounds->hash->link[l] = mix_in(2, partition->links.of[l]);
    for (uint32_t g = 0; g < partition->groups.things; g++)
        rounds->hash->group[g] = mix_in(7, partition->groups.of[g]);
}

/* What one message says about its ends and its links. Sums: order does not matter. */
static void look_at_message(void *context, uint64_t label, uint32_t dst)
{
    struct rounds *rounds = context;
    struct partition *partition = rounds->partition;
    struct route route;
    partition_route(partition, rounds->src, dst, &route);
    rounds->routes++;
    uint64_t sender = mix_in(label, partition->ranks.of[rounds->src]);
    uint64_t path = mix_in(sender, bits_of(route.latency_ns));
    for (uint32_t i = 0; i < route.count; i++) {
        uint64_t share = route.share ? bits_of(route.share[i]) : 0;
        path = mix_in(path, mix_in(partition->links.of[route.link[i]], share));
        rounds->hash->link[route.link[i]] += mix_in(mix_in(sender, share), i);
    }
    rounds->hash->rank[rounds->src] += mix_in(path, partition->ranks.of[dst]);
    rounds->hash->rank[dst] += mix_in(mix_in(3, sender), 4);
}

static void look_at_groups(struct rounds *rounds, uint32_t rank)
{
    const struct partition *partition = rounds->partition;
    const struct partition_job *job = rounds->job;
    for (uint32_t s = 0, slots = job->slot_count(job->self, rank); s < slots; s++) {
        uint32_t group = job->group(job->self, rank, s);
        rounds->hash->rank[rank] += mix_in(mix_in(5, s), partition->groups.of[group]);
        rounds->hash->group[group] += mix_in(mix_in(6, s), partition->ranks.of[rank]);
    }
}

static bool split(struct rounds *rounds)
{
    struct partition *partition = rounds->partition;
    bool ranks = classes_from(&partition->ranks, rounds->hash->rank);
    bool links = classes_from(&partition->links, rounds->hash->link);
    bool groups = classes_from(&partition->groups, rounds->hash->group);
    return ranks || links || groups;
}

const char *partition_rounds(struct partition *partition, const struct partition_job *job,
                             struct first_colours *first, uint32_t most, uint64_t most_routes)
{
    struct rounds rounds = {.partition = partition, .job = job, .hash = first};
    partition->ranks.count = partition->links.count = partition->groups.count = 0;
    for (bool goes_on = split(&rounds); goes_on; goes_on = split(&rounds)) {
        start_round(&rounds);
        for (rounds.src = 0; rounds.src < partition->ranks.things; rounds.src++) {
            job->visit(job->self, rounds.src, look_at_message, &rounds);
            look_at_groups(&rounds, rounds.src);
            if (rounds.routes > most_routes)
                return partition_too_many_routes;
        }
        if (partition->ranks.count > most)
            return partition_too_many_classes;
    }
    return NULL;
}
