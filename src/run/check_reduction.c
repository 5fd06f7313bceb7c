#include "run/check_reduction.h"

#include <stdlib.h>

#include "base/memory.h"
#include "sched/reduction_tree.h"

/* The peer value of the network that position 0 sends to; 0, which it is not, if it sends to
 * none. */
static uint32_t network_peer(struct plan_book *book, const struct phase *phase)
{
    if (phase->schedule.form != SCHEDULE_PROGRAM)
        return 0;
    const struct program *program = plan_program(book, phase, 0);
    for (uint32_t s = 0; s < program->count; s++) {
        if (program->step[s].op == STEP_SEND && peer_is_network(program->step[s].peer))
            return program->step[s].peer;
    }
    return 0;
}

/* Ranks of the first line of a phase: all positions, a domain, or a rail. */
static uint32_t first_line(const struct phase *phase, const struct comm_group *group, uint32_t peer,
                           uint32_t *rank)
{
    uint32_t domain = phase->request.dim[0];
    uint32_t step = peer == PEER_RAIL ? domain : 1;
    uint32_t count = peer == PEER_DOMAIN ? domain
                     : peer == PEER_RAIL ? phase->n / domain
                                         : phase->n;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t position = i * step * phase->stride;
        rank[i] = group->is_world ? position : group->ranks[position];
    }
    return count;
}

static enum status try_tree(const struct config *config, const uint32_t *rank, uint32_t count,
                            struct diag *diag)
{
    struct network_config network = config->network;
    network.routing = ROUTING_AUTO; /* as sched/in_network.c */
    struct routing *routing;
    enum status status = routing_create(&routing, network.fabric, &network, diag);
    if (status != STATUS_OK)
        return status;
    struct arena arena;
    struct reduction_tree tree;
    arena_init(&arena);
    status = reduction_tree_make(&tree, network.fabric, routing, rank, count, &arena, diag);
    arena_release(&arena);
    routing_destroy(routing);
    return status;
}

enum status check_reduction(const struct config *config, struct plan_book *book,
                            const struct chunk_plan *plan, const struct comm_group *group,
                            struct diag *diag)
{
    enum status status = STATUS_OK;
    for (uint32_t p = 0; p < plan->phase_count && status == STATUS_OK; p++) {
        const struct phase *phase = &plan->phase[p];
        uint32_t peer = network_peer(book, phase);
        if (!peer)
            continue;
        if (!config->network.fabric)
            return diag_fail(diag, STATUS_BAD_CONFIG,
                             "%s needs a network model that sees switches: ideal, analytical, flow "
                             "or link",
                             phase->algorithm->name);
        uint32_t *rank = calloc(phase->n, sizeof *rank);
        need_memory(rank != NULL);
        uint32_t count = first_line(phase, group, peer, rank);
        status = try_tree(config, rank, count, diag);
        free(rank);
    }
    return status;
}
