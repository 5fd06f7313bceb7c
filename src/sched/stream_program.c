/*
 * The program machine: runs the steps of a phase whose schedule is a PROGRAM (model/collective.h).
 */
#include "sched/in_network.h"
#include "sched/stream_parts.h"

/* A message to a peer; true if it is done by having left. */
static bool begin_send(struct sched *sched, const struct instance *instance, struct stream *stream,
                       const struct program_step *step)
{
    const struct phase *phase = phase_of(instance, stream->phase);
    uint32_t p = stream->phase_position;
    if (peer_is_network(step->peer)) {
        uint32_t receive = stream_find_recv(sched, phase, p, step->slot);
        in_network_send(sched, stream, phase, step,
                        program_at(sched, phase, p)->step[receive].bytes);
        return true;
    }
    struct sched_totals *totals = totals_of(sched, stream->rank);
    totals->messages_sent++;
    totals->bytes_sent += step->bytes;
    stream_send_to(sched, instance, stream, peer_of(phase, p, step), step->slot, step->bytes);
    return !step->until_arrival;
}

/* Begins a step; true if it is done at once. */
static bool step_begin(struct sched *sched, struct stream *stream, uint32_t index)
{
    const struct instance *instance = instance_at(sched, stream->instance);
    const struct phase *phase = phase_of(instance, stream->phase);
    uint32_t p = stream->phase_position;
    const struct program_step *step = &program_at(sched, phase, p)->step[index];
    uint64_t item = item_payload(ITEM_STEP, index, index_of(sched, stream));
    switch ((enum program_op)step->op) {
    case STEP_SEND:
        return begin_send(sched, instance, stream, step);
    case STEP_RECV:
        if (peer_is_network(step->peer))
            stream_post(sched, instance, stream, stream->phase, step->slot);
        else
            stream_receive_from(sched, instance, stream, peer_of(phase, p, step), step->slot);
        break;
    case STEP_LOCAL:
        if (sched->bus)
            bus_hand_over(sched, stream, index, step->bytes, step->reduce, !step->parents,
                          step->bus_return == BUS_RETURN ||
                              (step->bus_return == BUS_RETURN_SECOND && stream->received > 1));
        else
            agenda_add(&sched->agenda, stream->rank, time_after(now_of(sched), phase->hand_over_ps),
                       item);
        break;
    case STEP_DELAY:
        agenda_add(&sched->agenda, stream->rank,
                   time_after(now_of(sched), time_of_whole_ns(step->delay_ns)), item);
        break;
    }
    return false;
}

/* Chains of steps that are done at once are as long as the file they come from: depth first by a
 * stack of our own, `sched->steps_done`, which is empty whenever this begins. */
void program_step_done(struct sched *sched, struct stream *stream, uint32_t index)
{
    const struct instance *instance = instance_at(sched, stream->instance);
    const struct phase *phase = phase_of(instance, stream->phase);
    const struct program *program = program_at(sched, phase, stream->phase_position);
    struct grow *stack = &sched->steps_done;
    struct step_done at = {index, 0};
    promise(stack->count == 0);
    for (;;) {
        const struct program_step *step = &program->step[at.step];
        if (at.next_child < step->child_count) {
            uint32_t child = program->child[step->first_child + at.next_child++];
            if (--stream->parents_left[child] || !step_begin(sched, stream, child))
                continue;
            size_t top = grow_push(stack, 1);
            ((struct step_done *)stack->base)[top] = at;
            at = (struct step_done){child, 0};
            continue;
        }
        stream->steps_left--;
        if (stack->count == 0)
            break;
        at = ((struct step_done *)stack->base)[--stack->count];
    }
    if (stream->steps_left)
        return;
    block_give(sched, stream->parents_left, program->count * sizeof *stream->parents_left);
    stream->parents_left = NULL;
    queue_proceed(sched, stream, false);
}

void program_start(struct sched *sched, const struct phase *phase, struct stream *stream)
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
        if (!program->step[s].parents && step_begin(sched, stream, s))
            program_step_done(sched, stream, s);
    }
}

void program_handed_over(struct sched *sched, struct stream *stream, uint32_t index)
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
        program_step_done(sched, stream, index);
}
