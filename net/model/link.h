/*
 * link - messages queue FIFO at every link, cut-through or store-and-forward.
 */
#ifndef ORRERY_NET_MODEL_LINK_H
#define ORRERY_NET_MODEL_LINK_H

#include "model/network.h"

extern const struct network_ops network_link;

#endif
