/*
 * fold_watch - notices, in a folded run, when the order of same-time actions could differ between
 * the ranks that one rank stands for.
 *
 * (A rank here is one that stands for its class; its actions are compared with its own only.)
 *
 * What can go wrong: at one time T, a rank's own items and arrivals from several peers are ordered
 * by rank numbers, so two items they register for the same later time may run in one order on one
 * rank and in the other on another. That matters only for actions on what the rank's streams share:
 * the end of a phase (queues), the end of a node (slots), and with congestion a send (links).
 *
 * Two such actions A, B of one time are in the same order on every rank if
 *  - they happen inside one item, or their items were registered at different times, or by one
 *    event or item: then the order is that of registration; or
 *  - they belong to sibling streams: chunks of one collective in the same phase of the same plan,
 *    in one direction, started at the same time. The first to start is ahead of the other at every
 *    step: on each rank its j-th hand-over, send and arrival come before the other's j-th (messages
 *    of one sender keep their order on the way), by induction over j. So it is for exchanges, and
 *    for programs that are a chain; where steps of a program run side by side, the last of them to
 *    end may be another on each rank, and siblings may enter the queue of their next phase in
 *    another order. (They may end their last phases in any order: whichever is first, the stream
 *    that waits at the head of the queue starts. Their sends are below.)
 *  - both are ends of a last phase, and ranks are woken once for all that ends at one time
 *    (nodes.c): counts go down and queues go on, each in its own order, whichever is first. Ends of
 *    nodes matter only where each of them wakes the rank.
 * Otherwise the fold is given up and the run done again unfolded. Every action is compared with all
 * others of its time.
 *
 * The steps of a program have no such induction: two of them that send at one time may do so in
 * either order. That matters only if the messages meet in a port or on a link of the rank, which
 * the network model knows; it is told of the action with every send (fold_act_of()).
 *
 * Within a stream the order matters in one place: the gate of an exchange (collective.h, `gated`),
 * which a hand-over passes only after the arrival that lets it. An arrival of time T was pushed
 * before T, so it precedes a group of items that was registered at T on every rank; any other
 * meeting of the two at one time gives the fold up. (A message that takes no time at all is pushed
 * at T; then all that the gate holds leaves at T in either order.)
 */
#include "sched/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct fold_action {
    time_ps registered;
    uint32_t cause;  /* who registered the item */
    uint32_t serial; /* number of the item itself */
    uint32_t seat;   /* whose: other ranks' actions share nothing with it */
    bool is_stream;
    uint8_t phase;
    bool is_anticlockwise;
    bool is_entry; /* the end of a phase, and the stream enters the queue of the next */
    bool is_exit;  /* of its last phase, and its node does not wake the rank at once */
    uint32_t op;
    const struct chunk_plan *plan;
    time_ps phase_start;
};

static struct fold_action describe(const struct sched *sched, const struct stream *stream)
{
    struct fold_action action = {
        .registered = sched->agenda.item_registered,
        .cause = sched->item->cause,
        .serial = sched->agenda.cause,
        .seat = sched->item_rank,
    };
    if (!stream)
        return action;
    const struct instance *instance = instance_at(sched, stream->instance);
    action.is_stream = true;
    action.phase = stream->phase;
    action.is_anticlockwise = stream->anticlockwise >> stream->phase & 1;
    action.op = instance->op;
    action.plan = instance->plan;
    action.phase_start = stream->phase_start;
    return action;
}

/* Do the steps of a stream come one by one, in an order that the first to start keeps? */
static bool is_in_turn(const struct fold_action *action)
{
    const struct phase *phase = &action->plan->phase[action->phase];
    return phase->schedule.form == SCHEDULE_EXCHANGE || phase->program[0].is_chain;
}

static bool are_siblings(const struct fold_action *a, const struct fold_action *b)
{
    return a->is_stream && b->is_stream && a->op == b->op && a->plan == b->plan &&
           a->phase == b->phase && a->is_anticlockwise == b->is_anticlockwise &&
           a->phase_start == b->phase_start && (!a->is_entry || !b->is_entry || is_in_turn(a));
}

static bool have_one_order(const struct fold_action *a, const struct fold_action *b)
{
    return a->seat != b->seat || (a->is_exit && b->is_exit) || a->serial == b->serial ||
           a->registered != b->registered || a->cause == b->cause || are_siblings(a, b);
}

/* Alike for have_one_order() with a third action: items of one cause follow each other, so the
 * first stands for all of them. */
static bool are_alike(const struct fold_action *a, const struct fold_action *b)
{
    return a->seat == b->seat && a->registered == b->registered && a->is_exit == b->is_exit &&
           are_siblings(a, b);
}

static void keep(struct fold_watch *watch, const struct fold_action *action)
{
    if (watch->count == watch->room) {
        watch->room = watch->room ? 2 * watch->room : 16;
        watch->action = realloc(watch->action, watch->room * sizeof *watch->action);
        need_memory(watch->action != NULL);
    }
    watch->action[watch->count++] = *action;
}

static void break_fold(struct sched *sched)
{
    sched->fold.is_broken = true;
    sched->part.engine->stop = true;
}

static void mark(struct sched *sched, const struct fold_action *action)
{
    struct fold_watch *watch = &sched->fold;
    if (watch->time != now_of(sched)) {
        watch->time = now_of(sched);
        watch->count = 0;
    }
    bool is_known = false;
    for (uint32_t i = 0; i < watch->count; i++) {
        if (!have_one_order(&watch->action[i], action)) {
            break_fold(sched);
            return;
        }
        is_known |= are_alike(&watch->action[i], action);
    }
    if (!is_known)
        keep(watch, action);
}

void fold_mark(struct sched *sched, const struct stream *stream)
{
    if (!sched->part.fold || !sched->item || (!stream && sched->wakes_together))
        return;
    const struct fold_action action = describe(sched, stream);
    mark(sched, &action);
}

void fold_mark_end(struct sched *sched, const struct stream *stream)
{
    if (!sched->part.fold || !sched->item)
        return;
    struct fold_action action = describe(sched, stream);
    action.is_entry = action.phase + 1u < action.plan->phase_count;
    action.is_exit = !action.is_entry && sched->wakes_together;
    mark(sched, &action);
}

struct fold_act fold_act_of(const struct sched *sched, const struct stream *stream)
{
    const struct phase *phase = phase_of(instance_at(sched, stream->instance), stream->phase);
    struct fold_act act = {.serial = sched->agenda.cause,
                           .cause = sched->agenda.cause,
                           .is_watched = phase->schedule.form == SCHEDULE_EXCHANGE};
    if (sched->item) {
        act.is_item = true;
        act.registered = sched->agenda.item_registered;
        act.cause = sched->item->cause;
    }
    return act;
}

struct fold_act fold_act_of_node(const struct sched *sched)
{
    return (struct fold_act){.serial = sched->agenda.cause, .cause = sched->agenda.cause};
}

/* When the stream last did what. */
struct fold_gate {
    time_ps at[FOLD_MAY_PASS + 1];
};

static struct fold_gate *gate_of(struct sched *sched, const struct stream *stream)
{
    struct fold_watch *watch = &sched->fold;
    uint32_t index = index_of(sched, stream);
    if (index >= watch->gate_room) {
        uint32_t room = 2 * (index + 1);
        watch->gate = realloc(watch->gate, room * sizeof *watch->gate);
        need_memory(watch->gate != NULL);
        memset(watch->gate + watch->gate_room, 0xff,
               (room - watch->gate_room) * sizeof *watch->gate);
        watch->gate_room = room;
    }
    return &watch->gate[index];
}

void fold_mark_gate(struct sched *sched, const struct stream *stream, enum fold_step step)
{
    if (!sched->part.fold)
        return;
    struct fold_gate *gate = gate_of(sched, stream);
    time_ps now = now_of(sched);
    gate->at[step] = now;
    if (step == FOLD_MAY_PASS && (gate->at[FOLD_SENT] == now || gate->at[FOLD_AT_GATE] == now))
        break_fold(sched);
    if (step == FOLD_AT_GATE && gate->at[FOLD_MAY_PASS] == now &&
        sched->agenda.group_registered < now)
        break_fold(sched);
}
