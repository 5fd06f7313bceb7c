/*
 * changes - slow and failed links and ranks, one short line each, applied to a fabric.
 *
 *     changes := change ((';' | newline) change)*          '#' starts a comment
 *     change  := what ':' action (',' action)*
 *     what    := ['link'] NODE '->' NODE       one direction
 *              | ['link'] NODE '--' NODE       both directions
 *              | 'rank' NUMBER                 all links of an NPU, both directions
 *              | 'node' NODE                   all links of a node, both directions
 *              | 'dim' NUMBER                  all links of a logical dimension
 *              | CLASS                         all links of nodes of a class, both directions
 *     action  := 'fail'
 *              | 'bw*' FACTOR | 'bw=' BANDWIDTH      of all cables of the link together
 *              | 'lat*' FACTOR | 'lat=' TIME | 'lat+' TIME
 *
 * In a link, either NODE may be a CLASS (node_class.h): all links between such nodes. A node of
 * that name goes first.
 *
 *     npu3->leaf0:bw*0.5; leaf1--spine2:fail; rank 5:bw*0.8; link a->b:lat=3us;
 *     spine:bw*0.5; npu->leaf:lat+1us; dim 1:bw*0.9
 *
 * Rules:
 *  1. They are applied in order, to the links as they are then. Factors are above 0; more than 1 is
 *     faster (or, for lat, slower).
 *  2. A failed link has bandwidth 0; `bw=` brings it back.
 *  3. fabric->has_changes is set. The dimensions' figures stay those of the whole links.
 */
#ifndef ORRERY_NET_TOPOLOGY_CHANGES_H
#define ORRERY_NET_TOPOLOGY_CHANGES_H

#include "net/topology/fabric.h"

/*
 * Applies `text`. Fails, with a suggestion for an unknown name, if a change cannot be read, names
 * no link, or if the failed links cut NPUs off, who are named; the fabric may then be changed in
 * part.
 */
enum status fabric_change(struct fabric *fabric, const char *text, struct diag *diag);

/* Calls `visit` for each link that `what` (the grammar's) names; it is changed on the way. */
enum status fabric_visit_named(const struct fabric *fabric, char *what,
                               void (*visit)(void *context, uint32_t link), void *context,
                               struct diag *diag);

/* The ratio of "bw*0.5": above 0. */
enum status fabric_read_ratio(const char *text, double *ratio, struct diag *diag);

#endif
