/*
 * analytical - latency of the route + bytes / its least bandwidth; messages never meet.
 */
#ifndef ORRERY_NET_MODEL_ANALYTICAL_H
#define ORRERY_NET_MODEL_ANALYTICAL_H

#include "model/network.h"

extern const struct network_ops network_analytical;

#endif
