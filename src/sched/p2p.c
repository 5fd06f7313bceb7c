/*
 * p2p - point-to-point messages, matched in order per (source, destination, tag, size).
 *
 * A send is done when its message has arrived, posted receive or not; a receive at the arrival, or
 * when it is posted if that is later. At an arrival the sender is told first. With rendezvous the
 * receiver first sends a control message; the data leaves when that has arrived (ASTRA-sim).
 */
#include "sched/follow.h"

#include <inttypes.h>

/* Size in the key of the channel that holds a (source, destination, tag)'s rendezvous: control
 * messages are matched in order whatever the sizes of the data. */
#define ANY_SIZE UINT64_MAX

/* -- FIFOs of flights ----------------------------------------------------------------------- */

static void fifo_push(struct sched *sched, uint32_t *first, uint32_t *last, uint32_t flight)
{
    flight_at(sched, flight)->next = NONE;
    *(*first == NONE ? first : &flight_at(sched, *last)->next) = flight;
    *last = flight;
}

static uint32_t fifo_pop(struct sched *sched, uint32_t *first)
{
    uint32_t flight = *first;
    promise(flight != NONE);
    *first = flight_at(sched, flight)->next;
    return flight;
}

/* -- channels ------------------------------------------------------------------------------- */

static uint32_t find_channel(struct sched *sched, uint32_t src, uint32_t dst, uint32_t tag,
                             uint64_t bytes)
{
    const uint64_t key[3] = {(uint64_t)src << 32 | dst, tag, bytes};
    uint64_t hash = hash_bytes(key, sizeof key, 0);
    uint32_t first = table_find(&sched->channel_of, hash);
    for (uint32_t c = first; c != TABLE_NONE; c = channel_at(sched, c)->next) {
        const struct channel *channel = channel_at(sched, c);
        if (channel->src == src && channel->dst == dst && channel->tag == tag &&
            channel->bytes == bytes)
            return c;
    }
    uint32_t index = (uint32_t)grow_push(&sched->channels, 1);
    *channel_at(sched, index) = (struct channel){.bytes = bytes,
                                                 .src = src,
                                                 .dst = dst,
                                                 .tag = tag,
                                                 .in_flight = NONE,
                                                 .posted = NONE,
                                                 .unpaired = NONE,
                                                 .wants_control = NONE,
                                                 .control = NONE,
                                                 .next = first};
    table_put(&sched->channel_of, hash, index);
    return index;
}

static uint32_t other_side(const struct sched *sched, uint32_t rank, const struct trace_node *node)
{
    return groups_peer(sched->part.groups, sched->part.workload->trace_of_rank[rank], node, rank);
}

static const struct trace_node *node_of(const struct sched *sched, const struct flight *flight)
{
    return &sched->rank[flight->rank].graph->trace->node[flight->node];
}

/* A channel's ends are seats; the network knows ranks. */
static void transmit(struct sched *sched, uint32_t channel_index, uint32_t flight)
{
    struct channel *channel = channel_at(sched, channel_index);
    uint32_t src = rank_at(sched, channel->src);
    uint32_t dst = other_side(sched, src, node_of(sched, flight_at(sched, flight)));
    fifo_push(sched, &channel->in_flight, &channel->in_flight_last, flight);
    struct sched_dimension *dimension =
        &totals_of(sched, channel->src)->dimension[sched->network->dimension(sched->net, src, dst)];
    dimension->messages++;
    dimension->bytes += channel->bytes;
    const struct flight *sent = flight_at(sched, flight);
    if (is_free_node(&sched->rank[sent->rank], node_of(sched, sent))) {
        engine_push(sched->part.engine, now_of(sched),
                    engine_payload(EVENT_P2P_ARRIVAL, channel_index));
        return;
    }
    if (sched->part.link_fold)
        *sched->part.link_fold->act = fold_act_of_node(sched);
    sched->network->send(sched->net, src, dst, channel->bytes,
                         engine_payload(EVENT_P2P_ARRIVAL, channel_index));
}

void p2p_say_unclaimed(struct sched *sched)
{
    for (uint32_t c = 0; c < sched->channels.count; c++) {
        const struct channel *channel = channel_at(sched, c);
        if (channel->arrived)
            notices_add(sched->part.notices, NOTICE_ODDITY, "message that no receive asked for",
                        channel->arrived, "rank %u to %u, tag %u, %" PRIu64 " bytes", channel->src,
                        channel->dst, channel->tag, channel->bytes);
    }
}

static void post(struct sched *sched, uint32_t channel_index, uint32_t flight)
{
    struct channel *channel = channel_at(sched, channel_index);
    if (channel->arrived) {
        channel->arrived--;
        follow_late_receive(sched, channel, flight);
        engine_push(sched->part.engine, now_of(sched), engine_payload(EVENT_P2P_RECEIVED, flight));
        return;
    }
    fifo_push(sched, &channel->posted, &channel->posted_last, flight);
    if (channel->unpaired == NONE && flight_at(sched, flight)->peer_ps == TIME_NEVER)
        channel->unpaired = flight;
}

/* -- the two sides -------------------------------------------------------------------------- */

void p2p_send(struct sched *sched, uint32_t flight, const struct trace_node *node)
{
    uint32_t src = flight_at(sched, flight)->rank;
    uint32_t dst = seat_of(sched, other_side(sched, rank_at(sched, src), node));
    uint32_t index = find_channel(sched, src, dst, node->tag, node->size_bytes);
    struct channel *channel = channel_at(sched, index);
    flight_at(sched, flight)->object = index;
    totals_of(sched, src)->messages_sent++;
    totals_of(sched, src)->bytes_sent += channel->bytes;
    if (channel->unpaired != NONE) { /* its receive waits already: from now on, not for a peer */
        struct flight *receive = flight_at(sched, channel->unpaired);
        receive->peer_ps = now_of(sched);
        channel->unpaired = receive->next;
    } else if (!sched->system->rendezvous) {
        channel->sent_ahead++;
    }
    if (!sched->system->rendezvous) {
        transmit(sched, index, flight);
        return;
    }
    struct channel *control = channel_at(sched, find_channel(sched, src, dst, node->tag, ANY_SIZE));
    if (control->granted) {
        control->granted--;
        engine_push(sched->part.engine, now_of(sched), engine_payload(EVENT_P2P_GO, flight));
    } else {
        fifo_push(sched, &control->wants_control, &control->wants_control_last, flight);
    }
}

void p2p_recv(struct sched *sched, uint32_t flight, const struct trace_node *node)
{
    uint32_t dst = flight_at(sched, flight)->rank;
    uint32_t src = seat_of(sched, other_side(sched, rank_at(sched, dst), node));
    uint32_t index = find_channel(sched, src, dst, node->tag, node->size_bytes);
    struct channel *channel = channel_at(sched, index);
    flight_at(sched, flight)->object = index;
    if (!sched->system->rendezvous) {
        if (channel->sent_ahead) {
            channel->sent_ahead--;
            flight_at(sched, flight)->peer_ps = now_of(sched);
        }
        post(sched, index, flight);
        return;
    }
    flight_at(sched, flight)->peer_ps = 0; /* both sides take part at once: nobody waits idly */
    uint32_t control_index = find_channel(sched, src, dst, node->tag, ANY_SIZE);
    struct channel *control = channel_at(sched, control_index);
    fifo_push(sched, &control->control, &control->control_last, flight);
    sched->totals->control_messages++;
    sched->network->send(sched->net, dst, src, CONTROL_BYTES,
                         engine_payload(EVENT_P2P_CONTROL, control_index));
}

/* -- events --------------------------------------------------------------------------------- */

void p2p_on_arrival(void *self, uint64_t payload)
{
    struct sched *sched = self;
    struct channel *channel = channel_at(sched, (uint32_t)(payload & ENGINE_DATA_MASK));
    sched->agenda.cause++;
    totals_of(sched, channel->dst)->messages_arrived++;
    totals_of(sched, channel->dst)->bytes_arrived += channel->bytes;
    bool was_posted = channel->posted != NONE;
    uint32_t sent = fifo_pop(sched, &channel->in_flight);
    uint32_t sent_seat = flight_at(sched, sent)->rank, sent_node = flight_at(sched, sent)->node;
    node_done(sched, sent);
    if (was_posted) {
        uint32_t receive = fifo_pop(sched, &channel->posted);
        flight_at(sched, receive)->peer_seat = sent_seat;
        flight_at(sched, receive)->peer_node = sent_node;
        node_done(sched, receive);
    } else {
        channel->arrived++;
        follow_early(sched, channel, (struct member_came){sent_seat, sent_node});
    }
}

void p2p_on_received(void *self, uint64_t payload)
{
    struct sched *sched = self;
    sched->agenda.cause++;
    node_done(sched, (uint32_t)(payload & ENGINE_DATA_MASK));
}

void p2p_on_go(void *self, uint64_t payload)
{
    struct sched *sched = self;
    uint32_t flight = (uint32_t)(payload & ENGINE_DATA_MASK);
    transmit(sched, flight_at(sched, flight)->object, flight);
}

void p2p_on_control(void *self, uint64_t payload)
{
    struct sched *sched = self;
    struct channel *control = channel_at(sched, (uint32_t)(payload & ENGINE_DATA_MASK));
    uint32_t receive = fifo_pop(sched, &control->control);
    post(sched, flight_at(sched, receive)->object, receive);
    if (control->wants_control == NONE) {
        control->granted++;
        return;
    }
    uint32_t sends = fifo_pop(sched, &control->wants_control);
    flight_at(sched, sends)->peer_seat = flight_at(sched, receive)->rank;
    flight_at(sched, sends)->peer_node = flight_at(sched, receive)->node;
    transmit(sched, flight_at(sched, sends)->object, sends);
}
