#include "config/names.h"

#include <string.h>

const char *const net_block_names[] = {
    [NET_RING] = "Ring", [NET_FULLY_CONNECTED] = "FullyConnected", [NET_SWITCH] = "Switch", NULL};
const char *const net_backend_names[] = {[NET_CONGESTION_UNAWARE] = "congestion-unaware",
                                         [NET_CONGESTION_AWARE] = "congestion-aware",
                                         [NET_IDEAL] = "ideal",
                                         [NET_ANALYTICAL] = "analytical",
                                         [NET_FLOW] = "flow",
                                         [NET_LINK] = "link",
                                         NULL};
const char *const net_routing_names[] = {[ROUTING_AUTO] = "auto",
                                         [ROUTING_SHORTEST] = "shortest",
                                         [ROUTING_ECMP] = "ecmp",
                                         [ROUTING_DIMENSION_ORDER] = "dimension-order",
                                         [ROUTING_UP_DOWN] = "up-down",
                                         [ROUTING_SPRAY] = "spray",
                                         [ROUTING_STATIC] = "static",
                                         [ROUTING_SIMGRID] = "simgrid",
                                         NULL};
const char *const net_forwarding_names[] = {
    [FORWARD_CUT_THROUGH] = "cut-through", [FORWARD_STORE] = "store-and-forward", NULL};
const char *const slot_names[] = {[SLOT_ALL_REDUCE] = "all-reduce",
                                  [SLOT_ALL_GATHER] = "all-gather",
                                  [SLOT_REDUCE_SCATTER] = "reduce-scatter",
                                  [SLOT_ALL_TO_ALL] = "all-to-all",
                                  [SLOT_BROADCAST] = "broadcast",
                                  [SLOT_REDUCE] = "reduce",
                                  [SLOT_GATHER] = "gather",
                                  [SLOT_SCATTER] = "scatter",
                                  [SLOT_BARRIER] = "barrier",
                                  NULL};
const char *const policy_names[] = {
    [POLICY_LIFO] = "LIFO", [POLICY_FIFO] = "FIFO", [POLICY_EXPLICIT] = "EXPLICIT", NULL};
const char *const optimization_names[] = {
    [COLL_BASELINE] = "baseline", [COLL_LOCAL_BW_AWARE] = "localBWAware", NULL};
const char *const dim_order_names[] = {[DIMS_ASCENDING] = "ascending",
                                       [DIMS_ROUND_ROBIN] = "round-robin",
                                       [DIMS_GREEDY] = "greedy",
                                       NULL};
const char *const compute_model_names[] = {[COMPUTE_REPLAY] = "replay",
                                           [COMPUTE_ROOFLINE] = "roofline",
                                           [COMPUTE_DEVICE] = "device",
                                           NULL};
const char *const jitter_form_names[] = {
    [JITTER_LOGNORMAL] = "lognormal",     [JITTER_NORMAL] = "normal", [JITTER_GAMMA] = "gamma",
    [JITTER_EXPONENTIAL] = "exponential", [JITTER_NONE] = "none",     NULL};
const char *const memory_type_names[] = {[MEMORY_NONE] = "none",
                                         [MEMORY_PER_NPU] = "per-npu",
                                         [MEMORY_PER_NODE] = "per-node",
                                         [MEMORY_POOL] = "pool",
                                         NULL};
const char *const deps_mode_names[] = {[DEPS_AUTO] = "auto",
                                       [DEPS_DATA] = "data",
                                       [DEPS_CONTROL] = "control",
                                       [DEPS_BOTH] = "both",
                                       NULL};

const char *net_block_name(enum net_block block)
{
    return net_block_names[block];
}

bool names_value(const char *const *names, const char *text, unsigned *value)
{
    for (unsigned i = 0; names[i]; i++) {
        if (strcmp(names[i], text) == 0) {
            *value = i;
            return true;
        }
    }
    return false;
}

char *names_next(char **rest)
{
    char *word = *rest;
    if (!word)
        return NULL;
    *rest = strchr(word, ',');
    if (*rest)
        *(*rest)++ = '\0';
    return word;
}

const char *names_text(char *to, size_t size, const char *const *names)
{
    size_t used = 0;
    to[0] = '\0';
    for (size_t i = 0; names[i] && used < size; i++) {
        const char *before = i == 0 ? "" : names[i + 1] ? ", " : " or ";
        used += (size_t)snprintf(to + used, size - used, "%s%s", before, names[i]);
    }
    return to;
}
