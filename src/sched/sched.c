#include "sched/sched.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sched/in_network.h"
#include "sched/overlap.h"

/* Reserved addresses, not memory (base/grow.h). */
enum { MOST_STREAMS = 1 << 28, MOST_OTHERS = 1 << 26 };

/* -- recycled memory ------------------------------------------------------------------------ */

struct block {
    struct block *next;
};

static unsigned block_class(size_t bytes)
{
    return bytes <= sizeof(struct block) * 2 ? 4 : 64 - (unsigned)__builtin_clzll(bytes - 1);
}

void *block_take(struct sched *sched, size_t bytes)
{
    unsigned class = block_class(bytes);
    promise(class < sizeof sched->free_block / sizeof sched->free_block[0]);
    struct block *block = sched->free_block[class];
    if (!block)
        return arena_take(&sched->arena, (size_t)1 << class);
    sched->free_block[class] = block->next;
    memset(block, 0, bytes);
    return block;
}

void block_give(struct sched *sched, void *bytes_taken, size_t bytes)
{
    struct block *block = bytes_taken;
    unsigned class = block_class(bytes);
    block->next = sched->free_block[class];
    sched->free_block[class] = block;
}

/* -- events --------------------------------------------------------------------------------- */

static void on_item(void *self, uint32_t rank, const struct agenda_item *item)
{
    struct sched *sched = self;
    sched->item = item;
    sched->item_rank = rank;
    switch ((enum sched_item)(item->payload >> 60)) {
    case ITEM_NODE:
        node_done(sched, (uint32_t)item->payload);
        break;
    case ITEM_COMPUTE:
        if (overlap_has_ended(sched, (uint32_t)item->payload,
                              (uint32_t)(item->payload >> 32) & ITEM_A_MASK))
            node_done(sched, (uint32_t)item->payload);
        break;
    case ITEM_LAUNCH:
        node_launched(sched, (uint32_t)item->payload);
        break;
    case ITEM_MEMORY_NEXT:
        node_memory_next(sched, rank);
        break;
    case ITEM_BUS:
        bus_on_item(sched, rank, item);
        break;
    default:
        stream_on_item(sched, item);
        break;
    }
    sched->item = NULL;
}

static void register_events(struct sched *sched)
{
    static const struct {
        enum sched_event kind;
        engine_handler *call;
    } handlers[] = {
        {EVENT_ARRIVAL, stream_on_arrival},    {EVENT_RECEIVED, stream_on_received},
        {EVENT_CONTROL, stream_on_control},    {EVENT_GO, stream_on_go},
        {EVENT_P2P_ARRIVAL, p2p_on_arrival},   {EVENT_P2P_RECEIVED, p2p_on_received},
        {EVENT_P2P_CONTROL, p2p_on_control},   {EVENT_P2P_GO, p2p_on_go},
        {EVENT_IN_NETWORK, in_network_on_hop}, {EVENT_FROM_NETWORK, stream_on_network},
    };
    for (size_t i = 0; i < sizeof handlers / sizeof handlers[0]; i++)
        engine_on(sched->part.engine, handlers[i].kind, handlers[i].call, sched);
}

/* -- life ----------------------------------------------------------------------------------- */

static void make_groups(struct sched *sched)
{
    uint32_t count = sched->part.groups->table.count;
    sched->group = arena_array(&sched->arena, count, sizeof *sched->group);
    for (uint32_t g = 0; g < count; g++) {
        uint32_t members = sched->part.groups->table.group[g].count;
        if (sched->part.fold) /* collectives run in the lowest group of those that are alike */
            members = fold_group_of(sched, g)->lead == g ? fold_group_of(sched, g)->count : 0;
        sched->group[g].next_sequence =
            arena_array(&sched->arena, members, sizeof *sched->group[g].next_sequence);
    }
}

static void make_lanes(struct sched *sched)
{
    const struct workload *workload = sched->part.workload;
    sched->lane_map = arena_array(&sched->arena, workload->trace_count, sizeof *sched->lane_map);
    for (uint32_t t = 0; t < workload->trace_count; t++)
        lane_map_init(&sched->lane_map[t], workload->traces[t], sched->system, &sched->arena,
                      sched->part.notices);
}

static bool make_pools(struct sched *sched)
{
    return grow_init(&sched->streams, sizeof(struct stream), MOST_STREAMS) &&
           grow_init(&sched->instances, sizeof(struct instance), MOST_OTHERS) &&
           grow_init(&sched->ops, sizeof(struct coll_op), MOST_OTHERS) && in_network_init(sched) &&
           grow_init(&sched->steps_done, sizeof(struct step_done), MOST_OTHERS) &&
           grow_init(&sched->flights, sizeof(struct flight), MOST_OTHERS) &&
           grow_init(&sched->channels, sizeof(struct channel), MOST_OTHERS);
}

enum status sched_create(struct sched **made, const struct sched_parts *parts, struct diag *diag)
{
    struct sched *sched = calloc(1, sizeof *sched);
    need_memory(sched != NULL);
    *made = sched;
    sched->part = *parts;
    sched->system = &parts->config->system;
    sched->rank_count = parts->fold ? parts->fold->count : parts->config->network.npu_count;
    sched->active_per_queue =
        (sched->system->active_chunks_per_dim + sched->system->queues_per_dim - 1) /
        sched->system->queues_per_dim;
    const struct network_config *network = &parts->config->network;
    sched->network = network_model_of(network->backend);
    sched->sends_meet =
        parts->fold && (sched->network->has_queues || network_has_endpoint_costs(network));
    sched->wakes_together = parts->config->own_form;
    sched->free_instance = sched->free_op = sched->free_flight = NONE;
    sched->finding = DIAG_NONE;
    sched->net_config = parts->config->network;
    sched->net_config.variation = &parts->config->variation;
    jitter_init(&sched->start_delay, &parts->config->variation, JITTER_OF_START,
                parts->config->variation.start_delay_ns);
    arena_init(&sched->arena);
    sched->totals =
        arena_array(&sched->arena, parts->fold ? sched->rank_count : 1, sizeof *sched->totals);
    table_init(&sched->free_streams);
    table_init(&sched->channel_of);
    enum status status =
        remote_memory_init(&sched->memory, &parts->config->memory, sched->rank_count, diag);
    if (!status)
        status = rank_speed_create(&sched->speed, parts->config, diag);
    if (!status)
        status = sched->network->create(&sched->net, &sched->net_config, parts->engine, diag);
    if (status)
        return status;
    if (parts->link_fold && sched->network->fold)
        sched->network->fold(sched->net, parts->link_fold);
    if (parts->meter.carries && sched->network->meter)
        sched->network->meter(sched->net, &parts->meter);
    register_events(sched);
    sched->woken.seat = arena_array(&sched->arena, sched->rank_count, sizeof *sched->woken.seat);
    engine_on_settle(parts->engine, node_wake_all, sched);
    if (!make_pools(sched) || !agenda_init(&sched->agenda, parts->engine, sched->rank_count,
                                           EVENT_AGENDA, parts->fold != NULL, on_item, sched))
        return diag_fail(diag, STATUS_NO_MEMORY, "the system refuses to reserve address space");
    make_groups(sched);
    if (sched->system->shared_bus && !bus_create(sched))
        return diag_fail(diag, STATUS_NO_MEMORY, "the system refuses to reserve address space");
    make_lanes(sched);
    sched->rank = calloc(sched->rank_count, sizeof *sched->rank);
    need_memory(sched->rank != NULL);
    for (uint32_t r = 0; r < sched->rank_count; r++) {
        queue_init_rank(sched, &sched->rank[r]);
        node_init_rank(sched, r);
    }
    return STATUS_OK;
}

void sched_destroy(struct sched *sched)
{
    if (!sched)
        return;
    for (uint32_t r = 0; sched->rank && r < sched->rank_count; r++)
        node_release_rank(&sched->rank[r]);
    free(sched->fold.action);
    free(sched->fold.gate);
    for (uint32_t g = 0; sched->group && g < sched->part.groups->table.count; g++)
        free(sched->group[g].op);
    free(sched->rank);
    if (sched->net)
        sched->network->destroy(sched->net);
    bus_destroy(sched);
    remote_memory_release(&sched->memory);
    rank_speed_destroy(sched->speed);
    agenda_release(&sched->agenda);
    table_release(&sched->free_streams);
    table_release(&sched->channel_of);
    struct grow *pools[] = {&sched->streams, &sched->instances, &sched->ops,
                            &sched->flights, &sched->channels,  &sched->steps_done};
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++)
        grow_release(pools[i]);
    in_network_release(sched);
    arena_release(&sched->arena);
    free(sched);
}

size_t sched_stream_bytes(void)
{
    return sizeof(struct stream);
}

void sched_start(struct sched *sched)
{
    for (uint32_t r = 0; r < sched->rank_count; r++)
        node_issue_ready(sched, r);
}

bool sched_wake_late(struct sched *sched)
{
    bool found = false;
    for (uint32_t r = 0; r < sched->rank_count; r++) {
        if (!sched->rank[r].is_late)
            continue;
        found = true;
        notices_add(sched->part.notices, NOTICE_GUESSED,
                    "start of a zero-cost node's children (ASTRA-sim never starts them)", 1,
                    "rank %u", r);
        node_issue_ready(sched, r);
    }
    return found;
}

bool sched_all_finished(const struct sched *sched)
{
    uint32_t finished = 0;
    for (uint32_t t = 0; t < (sched->part.fold ? sched->rank_count : 1); t++)
        finished += sched->totals[t].seats_finished;
    return finished == sched->rank_count;
}

bool sched_fold_broken(const struct sched *sched)
{
    return sched->fold.is_broken;
}

void sched_say_leftovers(struct sched *sched)
{
    p2p_say_unclaimed(sched);
}

bool sched_links(const struct sched *sched, struct link_figures *rows)
{
    if (!sched->network->links)
        return false;
    sched->network->links(sched->net, rows);
    return true;
}

uint32_t sched_link_server(const struct sched *sched, uint32_t link, double *share)
{
    return sched->network->server_of(sched->net, link, share);
}

const struct sched_totals *sched_totals(const struct sched *sched, uint32_t class)
{
    return &sched->totals[class];
}

enum status sched_finding(const struct sched *sched, struct diag *diag)
{
    if (sched->finding.status != STATUS_OK)
        *diag = sched->finding;
    return sched->finding.status;
}
