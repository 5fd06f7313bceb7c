/*
 * link - messages queue first come first served at every directed link of their route.
 *
 * A unit is a whole message or, with segment_bytes, a piece of that size (the last may be smaller);
 * segment_header_bytes are added to each piece on the wire, an empty message being one header. For
 * a unit of s bytes on a link of bandwidth b and latency l, its head being there at t:
 *
 *   it starts at max(t, free); free = start + s / b           the link works s / b for it
 *   cut-through:       its head is at the next node at start + l, its tail at
 *                      max(start + s / b, tail here) + l
 *   store-and-forward: head and tail are at the next node at start + (l + s / b)
 *
 * and it has arrived when its tail is at the destination. So on an idle path
 *   cut-through, whole:      sum of l + s / least b            (as `analytical`)
 *   store-and-forward:       sum of (l + s / b)
 *   n equal segments of w:   sum of (l + w / b) + (n - 1) x w / least b
 *     (cut-through of segments: sum of l + n x w / least b)
 *   4 MB in 1000 segments over three links of 50 GB/s, 500 ns: 3 x (500 + 80) + 999 x 80 = 81660.
 *
 * Rules:
 *  1. First come is by the time the head is there; at equal times, by who joined the link before
 *     first, and so on back to the order of send(). A message's segments join its first link
 *     together, in order; at the second link, at equal times, a segment counts as joined when the
 *     one before it came: an empty message that is stored and forwarded passes the last segment.
 *  2. A link that is fed by a slower one is busy s / b only: what comes from two slow links runs on
 *     a fast one at the same time, as packets would, and no link ever carries more than b.
 *  3. Queues are without limit; nothing is dropped, nothing stops the sender.
 *  4. Parallel cables are one link of the summed bandwidth. With ideal spraying on a tree a bundle
 *     (paths.h) is one such link. Spraying on other graphs cuts a message into parts, each on a
 *     path of its own (link_spray.h).
 *  5. Times are rounded per link, to ps or (whole_ns) cut to ns. On a ring, a switch or a full mesh
 *     store-and-forward of whole messages is ASTRA-sim's congestion-aware model. Its order at
 *     equal times may differ where queues were before: there it is by the start on the link
 *     before, here by joining it.
 *
 * Cost: one event per unit and link (the queue of a link is one number, the time it is free: who
 * comes first is served first, so the start is known on joining). Nothing is allocated in steady
 * state. A whole path in one event would not be the same: another message, sent later, may reach a
 * link of the path before this one does.
 */
#ifndef ORRERY_NET_MODEL_LINK_H
#define ORRERY_NET_MODEL_LINK_H

#include "model/network.h"

extern const struct network_ops network_link;

#endif
