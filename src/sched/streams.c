/*
 * streams - runs a stream through one phase: the exchange machine and the program machine
 * (model/collective.h), and the matching of their messages by receive slot.
 */
#include "sched/state.h"

/* -- where things are ----------------------------------------------------------------------- */

static inline bool is_anticlockwise(const struct stream *stream)
{
    return stream->anticlockwise >> stream->phase & 1;
}

/* A stream's place in one of its phases. */
struct place {
    const struct phase *phase;
    uint32_t index;      /* of the phase */
    uint32_t p;          /* phase position */
    uint32_t first_peer; /* stream of phase position 0 */
};

static inline struct place place_now(const struct instance *instance, const struct stream *stream)
{
    return (struct place){phase_of(instance, stream->phase), stream->phase, stream->phase_position,
                          stream->first_peer};
}

/* The same for any phase, also one not begun or over: it follows from the position alone. */
static struct place place_in(const struct instance *instance, const struct stream *stream,
                             uint32_t index)
{
    const struct phase *phase = phase_of(instance, index);
    uint32_t p = stream->position / phase->stride % phase->n;
    return (struct place){phase, index, p,
                          instance->first_stream + stream->position - p * phase->stride};
}

/* Stream of phase position k, or of who stands for it. */
static inline uint32_t peer_stream(const struct sched *sched, const struct stream *stream,
                                   const struct place *place, uint32_t k)
{
    if (__builtin_expect(!sched->part.fold, 1))
        return place->first_peer + k * place->phase->stride;
    uint32_t position = stream->position + (k - place->p) * place->phase->stride;
    return instance_at(sched, stream->instance)->first_stream +
           sched->part.fold->class_of[position];
}

/* NPU of phase position k. */
static inline uint32_t peer_rank(const struct instance *instance, const struct stream *stream,
                                 const struct place *place, uint32_t k)
{
    uint32_t position = stream->position + (k - place->p) * place->phase->stride;
    return instance->ranks ? instance->ranks[position] : position;
}

static inline size_t slot_index(const struct sched *sched, const struct instance *instance,
                                const struct stream *stream, uint32_t phase, uint32_t slot)
{
    size_t member = seat_of(sched, stream->position);
    return member * instance->plan->slots + phase_of(instance, phase)->slot_base + slot;
}

/* The program of phase position k, with peers to be relabelled by peer_of(). */
static const struct program *program_at(struct sched *sched, const struct phase *phase, uint32_t k)
{
    return plan_program(sched->part.book, phase, k);
}

/* The peer of a step of program_at(phase, k). */
static inline uint32_t peer_of(const struct phase *phase, uint32_t k,
                               const struct program_step *step)
{
    return schedule_relabel(&phase->request, phase->schedule.symmetry, k, step->peer);
}

/* The receive of slot `slot` of phase position k. */
static uint32_t find_recv(struct sched *sched, const struct phase *phase, uint32_t k, uint32_t slot)
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

/* -- messages ------------------------------------------------------------------------------- */

static void transmit(struct sched *sched, const struct instance *instance, struct stream *stream,
                     const struct place *place, uint32_t k, uint32_t slot, uint64_t bytes)
{
    if (sched->sends_meet)
        fold_mark(sched, stream);
    if (sched->part.link_fold)
        *sched->part.link_fold->act = fold_act_of(sched, stream);
    uint32_t from = rank_at(sched, stream->rank), to = peer_rank(instance, stream, place, k);
    uint64_t ticket =
        ticket_of(EVENT_ARRIVAL, place->index, slot, peer_stream(sched, stream, place, k));
    uint32_t dim = place->phase->network_dim >= 0 ? (uint32_t)place->phase->network_dim
                                                  : sched->network->dimension(sched->net, from, to);
    struct sched_totals *totals = totals_of(sched, stream->rank);
    totals->dimension[dim].messages++;
    totals->dimension[dim].bytes += bytes;
    sched->network->send(sched->net, from, to, bytes, ticket);
}

/* Sends into slot `slot` of position k; with rendezvous, once its control message is here. */
static void send_to(struct sched *sched, const struct instance *instance, struct stream *stream,
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

static void post_now(struct sched *sched, const struct instance *instance, struct stream *stream,
                     uint32_t phase, uint32_t slot)
{
    size_t at = slot_index(sched, instance, stream, phase, slot);
    if (--instance->credit[at] >= 0)
        engine_push(sched->part.engine, now_of(sched),
                    ticket_of(EVENT_RECEIVED, phase, slot, index_of(sched, stream)));
}

/* Posts the receive in `slot` from position k; with rendezvous, when the control message that
 * leaves now has reached the sender. */
static void receive_from(struct sched *sched, const struct instance *instance,
                         struct stream *stream, uint32_t k, uint32_t slot)
{
    if (!instance->grant) {
        post_now(sched, instance, stream, stream->phase, slot);
        return;
    }
    struct place place = place_now(instance, stream);
    sched->totals->control_messages++;
    sched->network->send(sched->net, stream->rank, peer_rank(instance, stream, &place, k),
                         CONTROL_BYTES,
                         ticket_of(EVENT_CONTROL, stream->phase, slot, index_of(sched, stream)));
}

/* -- exchange machine ----------------------------------------------------------------------- */

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
    for (uint32_t i = 0; i < exchange->parallel; i++)
        exchange_insert(sched, phase, stream);
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
    stream->left--;
    stream->free--;
    stream->sent++;
    struct sched_totals *totals = totals_of(sched, stream->rank);
    totals->messages_sent++;
    totals->bytes_sent += step->bytes;
    if (exchange->gated)
        fold_mark_gate(sched, stream, FOLD_SENT);
    uint32_t slot = exchange_slot(exchange, step, phase->n, anticlockwise);
    send_to(sched, instance, stream, to, slot, step->bytes);
    receive_from(sched, instance, stream, from, slot);
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

/* -- program machine ------------------------------------------------------------------------ */

static void step_start(struct sched *sched, struct stream *stream, uint32_t index);

/* Releases the step's children; the phase ends with its last step. */
static void step_done(struct sched *sched, struct stream *stream, uint32_t index)
{
    const struct instance *instance = instance_at(sched, stream->instance);
    const struct phase *phase = phase_of(instance, stream->phase);
    const struct program *program = program_at(sched, phase, stream->phase_position);
    const struct program_step *step = &program->step[index];
    for (uint32_t c = 0; c < step->child_count; c++) {
        uint32_t child = program->child[step->first_child + c];
        if (!--stream->parents_left[child])
            step_start(sched, stream, child);
    }
    if (--stream->steps_left)
        return;
    block_give(sched, stream->parents_left, program->count * sizeof *stream->parents_left);
    stream->parents_left = NULL;
    queue_proceed(sched, stream, false);
}

static void step_start(struct sched *sched, struct stream *stream, uint32_t index)
{
    const struct instance *instance = instance_at(sched, stream->instance);
    const struct phase *phase = phase_of(instance, stream->phase);
    const struct program_step *step =
        &program_at(sched, phase, stream->phase_position)->step[index];
    switch ((enum program_op)step->op) {
    case STEP_SEND:
        if (peer_is_network(step->peer)) {
            uint32_t receive = find_recv(sched, phase, stream->phase_position, step->slot);
            in_network_send(sched, stream, phase, step,
                            program_at(sched, phase, stream->phase_position)->step[receive].bytes);
            step_done(sched, stream, index);
            break;
        }
        totals_of(sched, stream->rank)->messages_sent++;
        totals_of(sched, stream->rank)->bytes_sent += step->bytes;
        send_to(sched, instance, stream, peer_of(phase, stream->phase_position, step), step->slot,
                step->bytes);
        if (!step->until_arrival)
            step_done(sched, stream, index);
        break;
    case STEP_RECV:
        if (peer_is_network(step->peer))
            post_now(sched, instance, stream, stream->phase, step->slot);
        else
            receive_from(sched, instance, stream, peer_of(phase, stream->phase_position, step),
                         step->slot);
        break;
    case STEP_LOCAL:
        if (sched->bus)
            bus_hand_over(sched, stream, index, step->bytes, step->reduce, !step->parents,
                          step->bus_return == BUS_RETURN ||
                              (step->bus_return == BUS_RETURN_SECOND && stream->received > 1));
        else
            agenda_add(&sched->agenda, stream->rank, time_after(now_of(sched), phase->hand_over_ps),
                       item_payload(ITEM_STEP, index, index_of(sched, stream)));
        break;
    case STEP_DELAY:
        agenda_add(&sched->agenda, stream->rank,
                   time_after(now_of(sched), time_of_whole_ns(step->delay_ns)),
                   item_payload(ITEM_STEP, index, index_of(sched, stream)));
        break;
    }
}

static void program_start(struct sched *sched, const struct phase *phase, struct stream *stream)
{
    const struct program *program = program_at(sched, phase, stream->phase_position);
    stream->steps_left = program->count;
    stream->received = 0;
    if (!program->count) { /* a position with nothing to do is done at once, as an event */
        agenda_add(&sched->agenda, stream->rank, now_of(sched),
                   item_payload(ITEM_PHASE_END, 0, index_of(sched, stream)));
        return;
    }
    stream->parents_left = block_take(sched, program->count * sizeof *stream->parents_left);
    for (uint32_t s = 0; s < program->count; s++)
        stream->parents_left[s] = program->step[s].parents;
    for (uint32_t s = 0; s < program->count; s++) {
        if (!program->step[s].parents)
            step_start(sched, stream, s);
    }
}

/* A hand-over or delay ended: the reduction follows, if there is one. */
static void step_handed_over(struct sched *sched, struct stream *stream, uint32_t index)
{
    const struct instance *instance = instance_at(sched, stream->instance);
    const struct phase *phase = phase_of(instance, stream->phase);
    const struct program_step *step =
        &program_at(sched, phase, stream->phase_position)->step[index];
    if (step->op == STEP_LOCAL && step->reduce)
        agenda_add(&sched->agenda, stream->rank,
                   time_after(now_of(sched), plan_reduction_time(sched->system, step->bytes)),
                   item_payload(ITEM_STEP_REDUCED, index, index_of(sched, stream)));
    else
        step_done(sched, stream, index);
}

void stream_step_done_local(struct sched *sched, struct stream *stream, uint32_t step)
{
    step_done(sched, stream, step);
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
        step_handed_over(sched, stream, a);
        return;
    case ITEM_PHASE_END:
        queue_proceed(sched, stream, false);
        return;
    default:
        step_done(sched, stream, a);
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
    uint32_t step = find_recv(sched, phase, stream->phase_position, ticket_slot(ticket));
    const struct program_step *receive =
        &program_at(sched, phase, stream->phase_position)->step[step];
    if (!peer_is_network(receive->peer)) /* those are counted by in_network_send() */
        totals_of(sched, stream->rank)->bytes_arrived += receive->bytes;
    stream->received++;
    step_done(sched, stream, step);
}

/* The sending end of the message of a ticket. */
struct sender {
    struct stream *stream;
    struct place place;
    uint32_t step; /* of its program; NONE: exchange */
};

static struct sender find_sender(struct sched *sched, const struct stream *receiver,
                                 uint64_t ticket)
{
    const struct instance *instance = instance_at(sched, receiver->instance);
    struct place to = place_in(instance, receiver, ticket_phase(ticket));
    uint32_t slot = ticket_slot(ticket), k, step = NONE;
    if (to.phase->schedule.form == SCHEDULE_EXCHANGE) {
        k = exchange_sender(&to.phase->schedule.exchange, to.p, to.phase->n, slot);
    } else {
        uint32_t recv = find_recv(sched, to.phase, to.p, slot);
        k = peer_of(to.phase, to.p, &program_at(sched, to.phase, to.p)->step[recv]);
        step = find_send(sched, to.phase, k, to.p, slot);
    }
    struct stream *stream = stream_at(sched, to.first_peer + k * to.phase->stride);
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

void stream_on_arrival(void *self, uint64_t ticket)
{
    struct sched *sched = self;
    struct stream *stream = stream_at(sched, ticket_stream(ticket));
    const struct instance *instance = instance_at(sched, stream->instance);
    const struct phase *phase = phase_of(instance, ticket_phase(ticket));
    sched->agenda.cause++;
    totals_of(sched, stream->rank)->messages_arrived++;
    if (phase->schedule.form == SCHEDULE_PROGRAM && phase->algorithm->waits_for_arrival) {
        struct sender sender = find_sender(sched, stream, ticket);
        if (program_at(sched, phase, sender.place.p)->step[sender.step].until_arrival)
            step_done(sched, sender.stream, sender.step);
    }
    size_t at = slot_index(sched, instance, stream, ticket_phase(ticket), ticket_slot(ticket));
    if (instance->credit[at]++ < 0)
        take_message(sched, stream, ticket);
}

void stream_on_network(void *self, uint64_t ticket)
{
    struct sched *sched = self;
    struct stream *stream = stream_at(sched, ticket_stream(ticket));
    const struct instance *instance = instance_at(sched, stream->instance);
    sched->agenda.cause++;
    size_t at = slot_index(sched, instance, stream, ticket_phase(ticket), ticket_slot(ticket));
    if (instance->credit[at]++ < 0)
        take_message(sched, stream, ticket);
}

void stream_on_received(void *self, uint64_t ticket)
{
    struct sched *sched = self;
    struct stream *stream = stream_at(sched, ticket_stream(ticket));
    sched->agenda.cause++;
    take_message(sched, stream, ticket);
}

/* Rendezvous: the data of `ticket` leaves its sender. */
void stream_on_go(void *self, uint64_t ticket)
{
    struct sched *sched = self;
    struct stream *receiver = stream_at(sched, ticket_stream(ticket));
    const struct instance *instance = instance_at(sched, receiver->instance);
    uint32_t slot = ticket_slot(ticket);
    struct sender sender = find_sender(sched, receiver, ticket);
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
    post_now(sched, instance, receiver, phase, slot);
    if (instance->grant[slot_index(sched, instance, receiver, phase, slot)].balance++ < 0)
        stream_on_go(sched, ticket);
}
