/*
 * fold_turn - in a folded run, watches a place where messages wait for each other.
 *
 * A port or a class of links stands for one of every rank of a class. Two messages that come to it
 * at one time do so in an order that other ranks may not share, and which decides who waits. The
 * order is everybody's only if one rank sends both, over the same link, in acts that the scheduler
 * does in one order on all ranks. Otherwise the fold is given up.
 */
#ifndef ORRERY_NET_MODEL_FOLD_TURN_H
#define ORRERY_NET_MODEL_FOLD_TURN_H

#include "model/network.h"

/* Who came last. */
struct fold_turn {
    time_ps at;
    uint32_t way; /* the sender's own port or link; FOLD_TURN_OTHER: it came from elsewhere */
    struct fold_act act;
};

#define FOLD_TURN_OTHER UINT32_MAX
#define FOLD_TURN_NONE  ((struct fold_turn){.at = TIME_NEVER, .way = FOLD_TURN_OTHER})

/* A message comes now, by `way`; sets *fold->is_tied and stops the engine if that is a tie. */
static inline void fold_turn_note(struct fold_turn *last, const struct link_fold *fold,
                                  struct engine *engine, uint32_t way)
{
    struct fold_turn turn = {.at = engine->now, .way = way};
    if (way != FOLD_TURN_OTHER)
        turn.act = *fold->act;
    bool is_ordered =
        way != FOLD_TURN_OTHER && way == last->way && fold_act_is_before(&last->act, &turn.act);
    if (last->at == turn.at && !is_ordered)
        *fold->is_tied = engine->stop = true;
    *last = turn;
}

#endif
