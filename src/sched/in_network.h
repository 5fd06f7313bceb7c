/*
 * in_network - switches that reduce and multicast for a group (model/collective.h, PEER_NETWORK).
 *
 * A *reduction* is one operation: one slot of one phase of one line of members. Its data goes link
 * by link between the nodes of the group's tree, up and then down from the root. Switches work on
 * the stream as it passes: a switch begins to send up when it has heard the head of the stream of
 * each child, and down when it has heard the head from above, so that data alone in the network
 * takes its bytes once, not once per hop. A head is a message without bytes. A member has the
 * result when all data has come up and what leads down to it has come down. If less comes down than
 * went up (reduce-scatter), the last of it cannot leave the root before all has come up: then a
 * tail, without bytes, follows the data down. Switches take no time of their own.
 * For the totals a message is sent by a rank and has arrived at its first switch, or comes from its
 * last.
 */
#ifndef ORRERY_SCHED_IN_NETWORK_H
#define ORRERY_SCHED_IN_NETWORK_H

#include "sched/state.h"

/* False if there is no room for its pool. */
bool in_network_init(struct sched *sched);
void in_network_release(struct sched *sched);

/* The stream's STEP_SEND to a PEER_NETWORK value, whose receive is of `down_bytes`. Without a tree
 * of switches the run ends with a finding. */
void in_network_send(struct sched *sched, struct stream *stream, const struct phase *phase,
                     const struct program_step *step, uint64_t down_bytes);

/* EVENT_IN_NETWORK: a message has come to the next node of its tree. */
void in_network_on_hop(void *sched, uint64_t payload);

#endif
