#include "model/network.h"

#include "net/model/analytical.h"
#include "net/model/congestion_aware.h"
#include "net/model/congestion_unaware.h"
#include "net/model/flow.h"
#include "net/model/ideal.h"
#include "net/model/link.h"

const struct network_ops *const network_models[] = {
    [NET_CONGESTION_UNAWARE] = &network_congestion_unaware,
    [NET_CONGESTION_AWARE] = &network_congestion_aware,
    [NET_IDEAL] = &network_ideal,
    [NET_ANALYTICAL] = &network_analytical,
    [NET_FLOW] = &network_flow,
    [NET_LINK] = &network_link,
    NULL,
};

const struct network_ops *network_model_of(enum net_backend backend)
{
    return network_models[backend];
}
