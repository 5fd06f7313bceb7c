#include "net/topology/shift_load.h"

#include <stdlib.h>

#include "base/memory.h"

struct shift_load shift_load_take(struct routing *routing, const struct fabric *fabric,
                                  uint32_t shift)
{
    promise(shift > 0 && shift < fabric->npu_count);
    double *load = calloc((size_t)fabric->link_count + 1, sizeof *load);
    need_memory(load);
    for (uint32_t src = 0; src < fabric->npu_count; src++) {
        uint32_t dst = (uint32_t)(((uint64_t)src + shift) % fabric->npu_count);
        struct route route;
        routing_find(routing, src, dst, &route);
        for (uint32_t i = 0; i < route.count; i++)
            load[route.link[i]] += route.share ? route.share[i] : 1;
    }
    struct shift_load worst = {.link = FABRIC_NONE};
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        double each = load[l] > 0 ? fabric->link[l].bandwidth_Bps / load[l] : 0;
        /* Shares are sums of fractions: equal links must not differ by the last bit. */
        if (load[l] > 0 && (worst.link == FABRIC_NONE || each < worst.each_Bps * (1 - 1e-12)))
            worst = (struct shift_load){each, l, load[l]};
    }
    free(load);
    return worst;
}
