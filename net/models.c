#include "model/network.h"

#include "net/model/congestion_aware.h"
#include "net/model/congestion_unaware.h"

const struct network_ops *const network_models[] = {
    [NET_CONGESTION_UNAWARE] = &network_congestion_unaware,
    [NET_CONGESTION_AWARE] = &network_congestion_aware,
    NULL,
};

const struct network_ops *network_model_of(enum net_backend backend)
{
    return network_models[backend];
}
