/*
 * msccl_check - what can be wrong with an MSCCL file beyond its syntax.
 */
#ifndef ORRERY_NET_COLLECTIVE_MSCCL_CHECK_H
#define ORRERY_NET_COLLECTIVE_MSCCL_CHECK_H

#include "net/collective/msccl.h"

/*
 * Resolves dependencies, places and slots of a file that was read: every gpu is there, thread
 * blocks have different channels to a peer, sends and receives pair, no step waits for itself.
 * The diag names the line.
 */
enum status msccl_check(struct msccl *msccl, struct arena *arena, struct diag *diag);

static inline bool msccl_sends(enum msccl_op op)
{
    return op == MSCCL_SEND || op == MSCCL_RECV_COPY_SEND || op == MSCCL_RECV_REDUCE_SEND ||
           op == MSCCL_RECV_REDUCE_COPY_SEND;
}

static inline bool msccl_receives(enum msccl_op op)
{
    return op >= MSCCL_RECV && op <= MSCCL_RECV_REDUCE_COPY_SEND;
}

static inline bool msccl_reduces(enum msccl_op op)
{
    return op >= MSCCL_RECV_REDUCE_SEND && op <= MSCCL_RECV_REDUCE_COPY_SEND;
}

#endif
