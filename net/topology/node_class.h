/*
 * node_class - kinds of nodes by their names: what stands before the number, after the last dot.
 *
 *     npu12 -> npu    spine3 -> spine    d1.0.switch2 -> switch
 *
 * A class of links is a pair of them: "leaf--spine" are all cables between leaf and spine switches.
 */
#ifndef ORRERY_NET_TOPOLOGY_NODE_CLASS_H
#define ORRERY_NET_TOPOLOGY_NODE_CLASS_H

#include "net/topology/fabric.h"

enum { NODE_CLASS_TEXT = 32 };

/* The class of node `name`, cut to NODE_CLASS_TEXT - 1 letters; a name without any is its own. */
void node_class(const char *name, char text[NODE_CLASS_TEXT]);

/* "npu, leaf, spine": the classes, in order of first node, as far as there is room. */
const char *node_class_list(const struct fabric *fabric, char *text, size_t room);

/* Is there a node of that class? */
bool node_class_is_there(const struct fabric *fabric, const char *text);

#endif
