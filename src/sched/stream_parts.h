/*
 * stream_parts - what the files of streams share: a stream's place in a phase, its peers, and its
 * messages. Only stream*.c and follow.h include it.
 */
#ifndef ORRERY_SCHED_STREAM_PARTS_H
#define ORRERY_SCHED_STREAM_PARTS_H

#include "sched/state.h"

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

/* Position in the stream's group of phase position k. */
static inline uint32_t peer_position(const struct stream *stream, const struct place *place,
                                     uint32_t k)
{
    return stream->position + (k - place->p) * place->phase->stride;
}

/* NPU of phase position k. */
static inline uint32_t peer_rank(const struct sched *sched, const struct instance *instance,
                                 const struct stream *stream, const struct place *place, uint32_t k)
{
    uint32_t position = peer_position(stream, place, k);
    const uint32_t *ranks =
        instance->seats ? instance->seats[member_of(sched, stream)].ranks : instance->ranks;
    return ranks ? ranks[position] : position;
}

/* Stream of phase position k, or of who stands for it. */
static inline uint32_t peer_stream(const struct sched *sched, const struct stream *stream,
                                   const struct place *place, uint32_t k)
{
    if (__builtin_expect(!sched->part.fold, 1))
        return place->first_peer + k * place->phase->stride;
    const struct instance *instance = instance_at(sched, stream->instance);
    uint32_t class = sched->part.fold->class_of[peer_rank(sched, instance, stream, place, k)];
    return instance->first_stream + fold_seat_find(instance->seats, instance->members, class);
}

static inline size_t slot_index(const struct sched *sched, const struct instance *instance,
                                const struct stream *stream, uint32_t phase, uint32_t slot)
{
    size_t member = member_of(sched, stream);
    return member * instance->plan->slots + phase_of(instance, phase)->slot_base + slot;
}

/* The program of phase position k, with peers to be relabelled by peer_of(). */
static inline const struct program *program_at(struct sched *sched, const struct phase *phase,
                                               uint32_t k)
{
    return plan_program(sched->part.book, phase, k);
}

/* The peer of a step of program_at(phase, k). */
static inline uint32_t peer_of(const struct phase *phase, uint32_t k,
                               const struct program_step *step)
{
    return schedule_relabel(&phase->request, phase->schedule.symmetry, k, step->peer);
}

/* -- messages (stream_messages.c) ------------------------------------------------------------ */

/* The receive of slot `slot` of phase position k: a step of its program. */
uint32_t stream_find_recv(struct sched *sched, const struct phase *phase, uint32_t k,
                          uint32_t slot);

/* Sends into slot `slot` of position k; with rendezvous, once its control message is here. */
void stream_send_to(struct sched *sched, const struct instance *instance, struct stream *stream,
                    uint32_t k, uint32_t slot, uint64_t bytes);

/*
 * The same for `count` messages that the stream sends to itself, standing for all members: each
 * leaves when the one before has arrived and was handed over. They arrive as one. False if that
 * cannot be.
 */
bool stream_send_chain(struct sched *sched, const struct instance *instance, struct stream *stream,
                       uint32_t k, uint32_t slot, uint64_t bytes, uint32_t count);

/* Posts the receive in `slot` of a phase. */
void stream_post(struct sched *sched, const struct instance *instance, struct stream *stream,
                 uint32_t phase, uint32_t slot);

/* Posts the receive in `slot` from position k; with rendezvous, when the control message that
 * leaves now has reached the sender. */
void stream_receive_from(struct sched *sched, const struct instance *instance,
                         struct stream *stream, uint32_t k, uint32_t slot);

/* The sending end of a message. */
struct sender {
    struct stream *stream;
    struct place place;
    uint32_t step; /* of its program; NONE: exchange */
};

/* Of the message of `ticket` to `receiver`. */
struct sender stream_find_sender(struct sched *sched, const struct stream *receiver,
                                 uint64_t ticket);

/* -- program machine (stream_program.c) ------------------------------------------------------ */

void program_start(struct sched *sched, const struct phase *phase, struct stream *stream);

/* A hand-over or delay ended: the reduction follows, if there is one. */
void program_handed_over(struct sched *sched, struct stream *stream, uint32_t step);

#endif
