/*
 * streams - runs a stream through one phase: the exchange machine, and what comes to streams: items
 * of their agenda and messages, which are matched by receive slot.
 *
 * stream_messages.c sends and receives, stream_program.c is the program machine.
 */
#include "sched/follow.h"
#include "sched/stream_parts.h"

/* -- exchange machine ----------------------------------------------------------------------- */

static inline bool is_anticlockwise(const struct stream *stream)
{
    return stream->anticlockwise >> stream->phase & 1;
}

static void exchange_insert(struct sched *sched, const struct phase *phase, struct stream *stream)
{
    const struct exchange *exchange = &phase->schedule.exchange;
    if (!stream->group_left) {
        stream->group_left = exchange->parallel + exchange->reducible;
        stream->in_odd_group = !stream->in_odd_group;
    }
    bool is_reducible = stream->group_left <= exchange->reducible;
    bool reduces = is_reducible && exchange->reduce != REDUCE_NEVER &&
                   (exchange->reduce == REDUCE_ALL || stream->in_odd_group);
    bool is_sent_back = is_reducible && stream->group_left > exchange->parallel;
    stream->group_left--;
    uint32_t step = exchange->same_bytes ? 0 : stream->inserted % exchange->period;
    stream->inserted++;
    if (sched->bus && !phase->request.small_group) {
        bus_hand_over(sched, stream, NONE, exchange->step[step].bytes, reduces, !is_reducible,
                      is_sent_back);
        return;
    }
    agenda_add(&sched->agenda, stream->rank, time_after(now_of(sched), phase->hand_over_ps),
               item_payload(ITEM_HAND_OVER, reduces, index_of(sched, stream)));
}

static void exchange_start(struct sched *sched, const struct phase *phase, struct stream *stream)
{
    const struct exchange *exchange = &phase->schedule.exchange;
    stream->left = exchange->sends;
    stream->free = stream->inserted = stream->sent = stream->received = 0;
    stream->group_left = 0;
    stream->in_odd_group = false;
    stream->last_sent = 0;
    for (uint32_t i = 0; i < exchange->parallel; i++)
        exchange_insert(sched, phase, stream);
}

/*
 * A stream that stands for all members of its group sends to itself. If its messages are equal, one
 * at a time, and nothing but their arrivals decides when the next goes, the network sends them all.
 */
static bool exchange_send_all(struct sched *sched, const struct instance *instance,
                              const struct phase *phase, struct stream *stream, uint32_t to,
                              uint32_t slot)
{
    const struct exchange *exchange = &phase->schedule.exchange;
    if (!instance->seats || instance->members > 1 || stream->left < 2 || exchange->period > 1 ||
        exchange->parallel > 1 || exchange->gated || sched->bus ||
        !stream_send_chain(sched, instance, stream, to, slot, exchange->step[0].bytes,
                           stream->left))
        return false;
    stream->received += stream->left - 1;
    stream->inserted += stream->left - 1;
    stream->sent += stream->left;
    stream->left = 0;
    stream->free--;
    stream_post(sched, instance, stream, stream->phase, slot);
    return true;
}

/* Sends the next inserted message if there is one and a hand-over to spend on it; false if not. */
static bool exchange_send_next(struct sched *sched, const struct instance *instance,
                               const struct phase *phase, struct stream *stream)
{
    if (stream->inserted == stream->sent || !stream->left || !stream->free)
        return false;
    const struct exchange *exchange = &phase->schedule.exchange;
    uint32_t j = stream->sent;
    if (j >= exchange->period)
        j = exchange->period == 1 ? 0 : j % exchange->period;
    const struct exchange_step *step = &exchange->step[j];
    bool anticlockwise = is_anticlockwise(stream);
    uint32_t p = stream->phase_position;
    uint32_t to = exchange_to(exchange, p, phase->n, step->offset, anticlockwise);
    uint32_t from = exchange_from(exchange, p, phase->n, step->offset, anticlockwise);
    uint32_t slot = exchange_slot(exchange, step, phase->n, anticlockwise);
    if (exchange_send_all(sched, instance, phase, stream, to, slot))
        return true;
    stream->left--;
    stream->free--;
    stream->sent++;
    struct sched_totals *totals = totals_of(sched, stream->rank);
    totals->messages_sent++;
    totals->bytes_sent += step->bytes;
    if (exchange->gated)
        fold_mark_gate(sched, stream, FOLD_SENT);
    stream_send_to(sched, instance, stream, to, slot, step->bytes);
    stream_receive_from(sched, instance, stream, from, slot);
    return true;
}

void stream_hand_over_done(struct sched *sched, struct stream *stream)
{
    const struct instance *instance = instance_at(sched, stream->instance);
    const struct phase *phase = phase_of(instance, stream->phase);
    const struct exchange *exchange = &phase->schedule.exchange;
    stream->free++;
    uint32_t tries = 1;
    if (exchange->gated && stream->left <= phase->n - 1) {
        fold_mark_gate(sched, stream, FOLD_AT_GATE);
        if (stream->received < phase->n - 1)
            return;
        tries = exchange->parallel;
    }
    while (tries && exchange_send_next(sched, instance, phase, stream))
        tries--;
    if (!stream->left && stream->free == exchange->parallel)
        queue_proceed(sched, stream, false);
}

static void exchange_received(struct sched *sched, const struct phase *phase, struct stream *stream)
{
    const struct exchange *exchange = &phase->schedule.exchange;
    uint32_t step = exchange->same_bytes ? 0 : stream->received % exchange->period;
    stream->received++;
    totals_of(sched, stream->rank)->bytes_arrived += exchange->step[step].bytes;
    if (exchange->gated && stream->received >= phase->n - 1)
        fold_mark_gate(sched, stream, FOLD_MAY_PASS);
    exchange_insert(sched, phase, stream);
}

/* -- entry points --------------------------------------------------------------------------- */

void stream_start_phase(struct sched *sched, struct stream *stream)
{
    const struct instance *instance = instance_at(sched, stream->instance);
    const struct phase *phase = phase_of(instance, stream->phase);
    stream->phase_start = now_of(sched);
    stream->phase_position = stream->position / phase->stride % phase->n;
    stream->first_peer =
        instance->first_stream + stream->position - stream->phase_position * phase->stride;
    if (phase->schedule.form == SCHEDULE_EXCHANGE)
        exchange_start(sched, phase, stream);
    else
        program_start(sched, phase, stream);
}

void stream_on_item(struct sched *sched, const struct agenda_item *item)
{
    struct stream *stream = stream_at(sched, (uint32_t)item->payload);
    uint32_t a = (uint32_t)(item->payload >> 32) & 0xfffffff;
    switch ((enum sched_item)(item->payload >> 60)) {
    case ITEM_HAND_OVER:
        if (a) { /* the reduction follows as an item of its own, even if it takes no time */
            const struct phase *phase =
                phase_of(instance_at(sched, stream->instance), stream->phase);
            const struct exchange *exchange = &phase->schedule.exchange;
            uint32_t step = exchange->same_bytes ? 0 : (stream->inserted - 1) % exchange->period;
            agenda_add(&sched->agenda, stream->rank,
                       time_after(now_of(sched), phase->reduce_ps[step]),
                       item_payload(ITEM_REDUCED, 0, (uint32_t)item->payload));
            return;
        }
        stream_hand_over_done(sched, stream);
        return;
    case ITEM_REDUCED:
        stream_hand_over_done(sched, stream);
        return;
    case ITEM_STEP:
        program_handed_over(sched, stream, a);
        return;
    case ITEM_PHASE_END:
        queue_proceed(sched, stream, false);
        return;
    default:
        program_step_done(sched, stream, a);
        return;
    }
}

/* The message of `ticket` meets its posted receive. */
static void take_message(struct sched *sched, struct stream *stream, uint64_t ticket)
{
    const struct instance *instance = instance_at(sched, stream->instance);
    const struct phase *phase = phase_of(instance, stream->phase);
    promise(stream->phase == ticket_phase(ticket));
    if (phase->schedule.form == SCHEDULE_EXCHANGE) {
        exchange_received(sched, phase, stream);
        return;
    }
    uint32_t step = stream_find_recv(sched, phase, stream->phase_position, ticket_slot(ticket));
    const struct program_step *receive =
        &program_at(sched, phase, stream->phase_position)->step[step];
    if (!peer_is_network(receive->peer)) /* those are counted by in_network_send() */
        totals_of(sched, stream->rank)->bytes_arrived += receive->bytes;
    stream->received++;
    program_step_done(sched, stream, step);
}

void stream_on_arrival(void *self, uint64_t ticket)
{
    struct sched *sched = self;
    struct stream *stream = stream_at(sched, ticket_stream(ticket));
    const struct instance *instance = instance_at(sched, stream->instance);
    const struct phase *phase = phase_of(instance, ticket_phase(ticket));
    sched->agenda.cause++;
    totals_of(sched, stream->rank)->messages_arrived++;
    if (phase->schedule.form == SCHEDULE_PROGRAM && phase->algorithm->waits_for_arrival) {
        struct sender sender = stream_find_sender(sched, stream, ticket);
        if (program_at(sched, phase, sender.place.p)->step[sender.step].until_arrival)
            program_step_done(sched, sender.stream, sender.step);
    }
    size_t at = slot_index(sched, instance, stream, ticket_phase(ticket), ticket_slot(ticket));
    bool is_awaited = instance->credit[at]++ < 0;
    if (instance->origins)
        follow_arrival(&instance->origins[at], stream, is_awaited);
    if (is_awaited)
        take_message(sched, stream, ticket);
}

void stream_on_network(void *self, uint64_t ticket)
{
    struct sched *sched = self;
    struct stream *stream = stream_at(sched, ticket_stream(ticket));
    const struct instance *instance = instance_at(sched, stream->instance);
    sched->agenda.cause++;
    size_t at = slot_index(sched, instance, stream, ticket_phase(ticket), ticket_slot(ticket));
    if (instance->credit[at]++ >= 0)
        return;
    if (instance->origins)
        stream->origin = op_at(sched, instance->op)->last_member;
    take_message(sched, stream, ticket);
}

void stream_on_received(void *self, uint64_t ticket)
{
    struct sched *sched = self;
    struct stream *stream = stream_at(sched, ticket_stream(ticket));
    sched->agenda.cause++;
    take_message(sched, stream, ticket);
}
