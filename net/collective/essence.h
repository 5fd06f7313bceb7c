/*
 * essence - what a program's messages wait for once the steps that take no time are left out.
 *
 * For export into forms that have messages and reductions only. Hand-overs without reduction are
 * left out, and, if wanted, waiting for a send that is done when it leaves: whoever waited for them
 * waits for what they waited for. With an endpoint delay of 0 the times are the same.
 */
#ifndef ORRERY_NET_COLLECTIVE_ESSENCE_H
#define ORRERY_NET_COLLECTIVE_ESSENCE_H

#include "base/arena.h"
#include "model/collective.h"

struct essence {
    uint32_t count;  /* steps of the program */
    uint32_t *order; /* [count] the steps, each after those it waits for */
    uint32_t *recv;  /* [count] of a reduction: the receive whose data it adds, else NO_STEP */
    uint32_t *first; /* [count + 1] into `need` */
    uint32_t *need;  /* the messages and reductions that a step waits for, each once */
    uint32_t need_count;
};

/*
 * Works on any program without a cycle; lives in `arena`. With `keeps_all` a reduction that follows
 * a receive is waited for, and so is every send; else reductions take no time, and a send is waited
 * for only if it is done at its arrival.
 */
void essence_of(const struct program *program, bool keeps_all, struct arena *arena,
                struct essence *essence);

#endif
