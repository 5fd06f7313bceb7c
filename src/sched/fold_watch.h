/*
 * fold_watch - does a folded run meet a tie whose order could differ between the ranks that one
 * stands for? Nothing in other runs. Not for other rooms; fold_watch.c says what can go wrong.
 */
#ifndef ORRERY_SCHED_FOLD_WATCH_H
#define ORRERY_SCHED_FOLD_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/units.h"
#include "model/network.h"

struct sched;
struct stream;

/* Actions of one time whose order matters. */
struct fold_watch {
    struct fold_action *action;
    uint32_t count, room;
    time_ps time;           /* of the actions */
    struct fold_gate *gate; /* [gate_room], by stream */
    uint32_t gate_room;
    bool is_broken;
};

/* In a folded run: what the item being run does now (for `stream`, or NULL) depends on the order of
 * same-time items. Breaks the fold if that order could differ between ranks. */
void fold_mark(struct sched *sched, const struct stream *stream);

/* The same at the end of a phase of the stream. */
void fold_mark_end(struct sched *sched, const struct stream *stream);

/* What is being done now for `stream`: told to a network model that must order sends itself, since
 * only it knows which of them meet. */
struct fold_act fold_act_of(const struct sched *sched, const struct stream *stream);

/* The same for a message of a node. */
struct fold_act fold_act_of_node(const struct sched *sched);

/* In a folded run: the stream, whose exchange is gated, sends, waits at its gate or passes it, or
 * has received enough to pass it. Breaks the fold if ranks could see these in another order. */
enum fold_step { FOLD_SENT, FOLD_AT_GATE, FOLD_MAY_PASS };
void fold_mark_gate(struct sched *sched, const struct stream *stream, enum fold_step step);

#endif
