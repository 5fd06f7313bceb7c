/*
 * ideal - a bound: ports only, a network core without limits.
 */
#ifndef ORRERY_NET_MODEL_IDEAL_H
#define ORRERY_NET_MODEL_IDEAL_H

#include "model/network.h"

extern const struct network_ops network_ideal;

#endif
