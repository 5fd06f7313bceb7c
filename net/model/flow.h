/*
 * flow - max-min fair sharing of every link on any graph.
 */
#ifndef ORRERY_NET_MODEL_FLOW_H
#define ORRERY_NET_MODEL_FLOW_H

#include "model/network.h"

extern const struct network_ops network_flow;

#endif
