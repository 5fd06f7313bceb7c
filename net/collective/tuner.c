#include "net/collective/tuner.h"

#include <math.h>

#include "net/collective/tuner_cost.h"

/* -- choosing --------------------------------------------------------------------------------- */

static void keep_better(const struct tuner_candidate *candidate, bool *has_best,
                        struct tuner_candidate *best)
{
    if (!*has_best || candidate->plan_us < best->plan_us)
        *best = *candidate;
    *has_best = true;
}

/* The best of the algorithms and protocols whose bits are set; false if none can be had. */
static bool choose_among(const struct tuner_shape *shape, uint32_t algorithms, uint32_t protocols,
                         struct tuner_candidate *best)
{
    bool has_best = false;
    for (int algorithm = TUNER_RING; algorithm < TUNER_POINT_TO_POINT; algorithm++) {
        for (int protocol = TUNER_LL; protocol < TUNER_PROTOCOL_COUNT; protocol++) {
            struct tuner_candidate one;
            bool is_wanted = algorithms >> algorithm & 1 && protocols >> protocol & 1;
            if (is_wanted && tuner_try(shape, (enum tuner_algorithm)algorithm,
                                       (enum tuner_protocol)protocol, &one))
                keep_better(&one, &has_best, best);
        }
    }
    return has_best;
}

static struct tuner_candidate choose(const struct tuner_shape *shape)
{
    struct tuner_candidate best = {.algorithm = TUNER_POINT_TO_POINT};
    const struct tuner_request *request = shape->request;
    if (tuner_is_point_to_point(request->kind)) {
        tuner_try_p2p(shape, &best);
        return best;
    }
    uint32_t algorithms = request->algorithms ? request->algorithms : UINT32_MAX;
    uint32_t protocols = request->protocols ? request->protocols : UINT32_MAX;
    bool found = choose_among(shape, algorithms, protocols, &best) ||
                 choose_among(shape, UINT32_MAX, UINT32_MAX, &best);
    promise(found); /* Simple rings are everywhere */
    return best;
}

/* NCCL takes away channels while one would have less than its threads are worth (enqueue.cc). */
static uint32_t channels_of(const struct tuner_shape *shape, const struct tuner_candidate *best)
{
    double all = shape->channels;
    if (best->algorithm == TUNER_NVLS || best->algorithm == TUNER_NVLS_TREE)
        all = shape->generation->nvls_channels;
    if (best->algorithm == TUNER_POINT_TO_POINT)
        all = shape->library->p2p_channels;
    double worth = shape->library->channel_bytes[best->protocol];
    if (best->algorithm == TUNER_RING && best->protocol == TUNER_LL)
        worth *= shape->n;
    if (best->algorithm == TUNER_RING || best->algorithm == TUNER_TREE)
        all = fmax(1, fmin(all, floor(shape->bytes / worth)));
    return (uint32_t)fmin(fmax(1, all), UINT16_MAX);
}

static enum status check(const struct tuner_request *request, struct diag *diag)
{
    const struct tuner_system *system = request->system;
    if (request->ranks < 2) {
        diag_fail(diag, STATUS_BAD_CONFIG, "expected at least 2 ranks, found %u", request->ranks);
        diag_field(diag, "ranks");
        return STATUS_BAD_CONFIG;
    }
    if (request->nodes < 1 || request->ranks % request->nodes != 0) {
        diag_fail(diag, STATUS_BAD_CONFIG, "expected a divisor of %u ranks, found %u nodes",
                  request->ranks, request->nodes);
        diag_field(diag, "nodes");
        return STATUS_BAD_CONFIG;
    }
    uint32_t in_node = request->ranks / request->nodes;
    if (in_node > system->gpus_per_node && system->scale_up != SCALE_UP_TORUS) {
        diag_fail(diag, STATUS_BAD_CONFIG, "%u ranks in a node, but %s has %u GPUs in one", in_node,
                  system->name, system->gpus_per_node);
        diag_field(diag, "nodes");
        diag_hint(diag, "at least %u nodes are needed",
                  (request->ranks + system->gpus_per_node - 1) / system->gpus_per_node);
        return STATUS_BAD_CONFIG;
    }
    return STATUS_OK;
}

enum status tuner_choose(const struct tuner_request *request, struct tuner_choice *choice,
                         struct diag *diag)
{
    enum status status = check(request, diag);
    if (status != STATUS_OK)
        return status;
    struct tuner_shape shape;
    tuner_find_shape(request, &shape);
    struct tuner_candidate best = choose(&shape);
    /* Domains that ranks fill unevenly have no whole number of steps. */
    double steps = fmax(1, round(best.steps));
    *choice = (struct tuner_choice){.algorithm = best.algorithm,
                                    .protocol = best.protocol,
                                    .channels = channels_of(&shape, &best),
                                    .steps = (uint32_t)steps,
                                    .base_us = fmax(best.base_us, request->launch_us),
                                    .alpha_us = best.steps * best.alpha_us / steps,
                                    .wire_bytes = best.wire_bytes};
    /* Without bytes any rate is right: the links' own says that nothing slows them. */
    bool moves = best.transfer_us > 0;
    choice->rate_Bps = moves ? best.wire_bytes / best.transfer_us * 1e6 : shape.links_Bps;
    choice->rate_share = moves ? best.ideal_us / best.transfer_us : 1;
    choice->time_us = choice->base_us + best.steps * best.alpha_us + best.transfer_us;
    return STATUS_OK;
}

void tuner_system_size(const struct tuner_system *system, uint32_t *node, uint32_t *domain)
{
    *node = system->gpus_per_node;
    *domain = system->domain;
}

uint64_t tuner_bytes(enum collective_kind kind, uint64_t size_bytes, uint32_t ranks)
{
    if (kind == COLL_BARRIER)
        return 0;
    bool per_rank = kind == COLL_ALL_GATHER || kind == COLL_GATHER || kind == COLL_SCATTER;
    if (!per_rank)
        return size_bytes;
    return size_bytes <= UINT64_MAX / ranks ? size_bytes * ranks : UINT64_MAX;
}

const char *tuner_algorithm_name(enum tuner_algorithm algorithm)
{
    static const char *const names[] = {"ring", "tree", "nvls", "nvls-tree", "point-to-point"};
    return names[algorithm];
}

const char *tuner_protocol_name(enum tuner_protocol protocol)
{
    static const char *const names[] = {"LL", "LL128", "Simple"};
    return names[protocol];
}
