/*
 * How streams send and receive: matching by receive slot, and rendezvous, where a sender waits for
 * the receiver's control message.
 */
#include "sched/follow.h"
#include "sched/stream_parts.h"

/* The same for any phase, also one not begun or over: it follows from the position alone. */
static struct place place_in(const struct instance *instance, const struct stream *stream,
                             uint32_t index)
{
    const struct phase *phase = phase_of(instance, index);
    uint32_t p = stream->position / phase->stride % phase->n;
    return (struct place){phase, index, p,
                          instance->first_stream + stream->position - p * phase->stride};
}

uint32_t stream_find_recv(struct sched *sched, const struct phase *phase, uint32_t k, uint32_t slot)
{
    const struct program *program = program_at(sched, phase, k);
    promise(slot < program->slot_count && program->recv_of_slot[slot] < program->count);
    return program->recv_of_slot[slot];
}

/* The send of phase position k into slot `slot` of position `to`. */
static uint32_t find_send(struct sched *sched, const struct phase *phase, uint32_t k, uint32_t to,
                          uint32_t slot)
{
    const struct program *program = program_at(sched, phase, k);
    uint32_t low = 0, high = program->send_count;
    while (low < high) { /* the first send into that slot of anybody */
        uint32_t middle = low + (high - low) / 2;
        if (program->send[middle].slot < slot)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < program->send_count && program->send[low].slot == slot; low++) {
        uint32_t s = program->send[low].step;
        if (peer_of(phase, k, &program->step[s]) == to)
            return s;
    }
    promise(!"a message has no send");
    return NONE;
}

/* What the library's messages take of the links' time. */
static uint64_t wire_bytes(const struct phase *phase, uint64_t bytes)
{
    double share = phase->wire_share;
    return share < 1 ? (uint64_t)((double)bytes / share + 0.5) : bytes;
}

static void count_messages(struct sched *sched, const struct stream *stream, uint32_t dimension,
                           uint64_t bytes, uint32_t messages)
{
    struct sched_dimension *totals = &totals_of(sched, stream->rank)->dimension[dimension];
    totals->messages += messages;
    totals->bytes += bytes * messages;
}

/* All messages of a ring's member go to one neighbour: over one connection, which keeps their
 * order. (ASTRA-sim knows no connections.) */
static bool keeps_order(const struct sched *sched, const struct phase *phase)
{
    return sched->wakes_together && sched->network->send_after &&
           phase->schedule.form == SCHEDULE_EXCHANGE && phase->schedule.exchange.period == 1;
}

static void transmit(struct sched *sched, const struct instance *instance, struct stream *stream,
                     const struct place *place, uint32_t k, uint32_t slot, uint64_t bytes)
{
    if (sched->sends_meet)
        fold_mark(sched, stream);
    if (sched->part.link_fold)
        *sched->part.link_fold->act = fold_act_of(sched, stream);
    uint32_t from = rank_at(sched, stream->rank), to = peer_rank(sched, instance, stream, place, k);
    uint32_t peer = peer_stream(sched, stream, place, k);
    uint64_t ticket = ticket_of(EVENT_ARRIVAL, place->index, slot, peer);
    if (instance->origins)
        follow_send(sched, instance, stream, ticket);
    uint32_t dim = place->phase->network_dim >= 0 ? (uint32_t)place->phase->network_dim
                                                  : sched->network->dimension(sched->net, from, to);
    count_messages(sched, stream, dim, bytes, 1);
    if (keeps_order(sched, place->phase))
        stream->last_sent = sched->network->send_after(
            sched->net, from, to, wire_bytes(place->phase, bytes), stream->last_sent, ticket);
    else
        sched->network->send(sched->net, from, to, wire_bytes(place->phase, bytes), ticket);
}

bool stream_send_chain(struct sched *sched, const struct instance *instance, struct stream *stream,
                       uint32_t k, uint32_t slot, uint64_t bytes, uint32_t count)
{
    struct place place = place_now(instance, stream);
    const struct phase *phase = place.phase;
    if (!sched->network->send_chain || sched->sends_meet || bytes == 0 || phase->reduce_ps[0] > 0 ||
        instance->grant)
        return false;
    uint32_t from = rank_at(sched, stream->rank);
    uint32_t to = peer_rank(sched, instance, stream, &place, k);
    uint64_t ticket = ticket_of(EVENT_ARRIVAL, place.index, slot, index_of(sched, stream));
    if (!sched->network->send_chain(sched->net, from, to, wire_bytes(phase, bytes), count,
                                    phase->hand_over_ps, ticket))
        return false;
    uint32_t dim = phase->network_dim >= 0 ? (uint32_t)phase->network_dim
                                           : sched->network->dimension(sched->net, from, to);
    count_messages(sched, stream, dim, bytes, count);
    struct sched_totals *totals = totals_of(sched, stream->rank);
    totals->messages_sent += count;
    totals->bytes_sent += bytes * count;
    totals->messages_arrived += count - 1; /* the last is counted when it comes */
    totals->bytes_arrived += bytes * (count - 1);
    return true;
}

void stream_send_to(struct sched *sched, const struct instance *instance, struct stream *stream,
                    uint32_t k, uint32_t slot, uint64_t bytes)
{
    struct place place = place_now(instance, stream);
    if (!instance->grant) {
        transmit(sched, instance, stream, &place, k, slot, bytes);
        return;
    }
    uint32_t peer = peer_stream(sched, stream, &place, k);
    size_t at = slot_index(sched, instance, stream_at(sched, peer), place.index, slot);
    if (--instance->grant[at].balance >= 0)
        engine_push(sched->part.engine, now_of(sched),
                    ticket_of(EVENT_GO, place.index, slot, peer));
}

void stream_post(struct sched *sched, const struct instance *instance, struct stream *stream,
                 uint32_t phase, uint32_t slot)
{
    size_t at = slot_index(sched, instance, stream, phase, slot);
    if (--instance->credit[at] >= 0)
        engine_push(sched->part.engine, now_of(sched),
                    ticket_of(EVENT_RECEIVED, phase, slot, index_of(sched, stream)));
}

void stream_receive_from(struct sched *sched, const struct instance *instance,
                         struct stream *stream, uint32_t k, uint32_t slot)
{
    if (!instance->grant) {
        stream_post(sched, instance, stream, stream->phase, slot);
        return;
    }
    struct place place = place_now(instance, stream);
    sched->totals->control_messages++;
    sched->network->send(sched->net, stream->rank, peer_rank(sched, instance, stream, &place, k),
                         CONTROL_BYTES,
                         ticket_of(EVENT_CONTROL, stream->phase, slot, index_of(sched, stream)));
}

struct sender stream_find_sender(struct sched *sched, const struct stream *receiver,
                                 uint64_t ticket)
{
    const struct instance *instance = instance_at(sched, receiver->instance);
    struct place to = place_in(instance, receiver, ticket_phase(ticket));
    uint32_t slot = ticket_slot(ticket), k, step = NONE;
    if (to.phase->schedule.form == SCHEDULE_EXCHANGE) {
        k = exchange_sender(&to.phase->schedule.exchange, to.p, to.phase->n, slot);
    } else {
        uint32_t recv = stream_find_recv(sched, to.phase, to.p, slot);
        k = peer_of(to.phase, to.p, &program_at(sched, to.phase, to.p)->step[recv]);
        step = find_send(sched, to.phase, k, to.p, slot);
    }
    struct stream *stream = stream_at(sched, peer_stream(sched, receiver, &to, k));
    return (struct sender){stream, place_in(instance, stream, to.index), step};
}

/* Size of the next message into the slot: the sender may be past the phase already. */
static uint64_t next_bytes(struct sched *sched, const struct sender *sender, uint32_t slot,
                           uint32_t gone)
{
    if (sender->step != NONE)
        return program_at(sched, sender->place.phase, sender->place.p)->step[sender->step].bytes;
    const struct exchange *exchange = &sender->place.phase->schedule.exchange;
    if (exchange->same_bytes)
        return exchange->step[0].bytes;
    uint32_t j = 0;
    while (exchange->step[j].slot != slot || gone--)
        j++;
    return exchange->step[j].bytes;
}

/* Rendezvous: the data of `ticket` leaves its sender. */
void stream_on_go(void *self, uint64_t ticket)
{
    struct sched *sched = self;
    struct stream *receiver = stream_at(sched, ticket_stream(ticket));
    const struct instance *instance = instance_at(sched, receiver->instance);
    uint32_t slot = ticket_slot(ticket);
    struct sender sender = stream_find_sender(sched, receiver, ticket);
    struct grant *grant =
        &instance->grant[slot_index(sched, instance, receiver, sender.place.index, slot)];
    uint64_t bytes = next_bytes(sched, &sender, slot, grant->gone++);
    uint32_t p = place_in(instance, receiver, sender.place.index).p;
    transmit(sched, instance, sender.stream, &sender.place, p, slot, bytes);
}

/* Rendezvous: the receiver's control message is at the sender. The receive is posted now, and
 * the data leaves if the sender is ready. */
void stream_on_control(void *self, uint64_t ticket)
{
    struct sched *sched = self;
    struct stream *receiver = stream_at(sched, ticket_stream(ticket));
    const struct instance *instance = instance_at(sched, receiver->instance);
    uint32_t phase = ticket_phase(ticket), slot = ticket_slot(ticket);
    stream_post(sched, instance, receiver, phase, slot);
    if (instance->grant[slot_index(sched, instance, receiver, phase, slot)].balance++ < 0)
        stream_on_go(sched, ticket);
}
