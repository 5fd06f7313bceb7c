#include "run/lab_bound.h"

#include <math.h>

#include "net/collective/uneven.h"
#include "net/topology/fabric.h"

/*
 * Bound by what a rank must send (or receive) through all its links together, after the latency of
 * one hop: all-reduce 2(n-1)/n S, reduce-scatter, all-gather, all-to-all (n-1)/n S, rooted kinds S
 * in or out of the root (Patarasuk & Yuan 2009).
 */
static void set_even(struct lab *lab, const struct fabric *fabric)
{
    double least_Bps = 0, least_ns = 0;
    for (uint32_t v = 0; v < fabric->npu_count; v++) {
        double sum_Bps = 0;
        for (uint32_t l = fabric->first_link[v]; l < fabric->first_link[v + 1]; l++) {
            sum_Bps += fabric->link[l].bandwidth_Bps;
            if ((v == 0 && l == 0) || fabric->link[l].latency_ns < least_ns)
                least_ns = fabric->link[l].latency_ns;
        }
        if (v == 0 || sum_Bps < least_Bps)
            least_Bps = sum_Bps;
    }
    lab->injection_Bps = least_Bps;
    double bytes = lab->request->kind == COLL_BARRIER ? 0 : (double)lab->request->bytes;
    double need = bytes * lab_bus_factor(lab->request->kind, lab->ranks);
    lab->bound_ps = lab->ranks > 1 ? time_rounded(least_ns + need / least_Bps * 1e9, false) : 0;
}

/*
 * An uneven all-to-all: what the rank that is busiest, out or in, must pass through all its links.
 */
static enum status set_uneven(struct lab *lab, const struct config *config, struct diag *diag)
{
    const struct fabric *fabric = config->network.fabric;
    uint32_t n = lab->ranks;
    const uint64_t *sizes;
    enum status status = uneven_sizes(config->system.all_to_all_sizes, n, lab->request->bytes,
                                      &lab->arena, &sizes, diag);
    if (status != STATUS_OK)
        return status;
    double *out_Bps = arena_array(&lab->arena, fabric->node_count, sizeof *out_Bps);
    double *in_Bps = arena_array(&lab->arena, fabric->node_count, sizeof *in_Bps);
    double least_ns = HUGE_VAL, most_ns = 0;
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        const struct fabric_link *link = &fabric->link[l];
        out_Bps[link->src] += link->bandwidth_Bps;
        in_Bps[link->dst] += link->bandwidth_Bps;
        least_ns = link->src < n ? fmin(least_ns, link->latency_ns) : least_ns;
    }
    for (uint32_t p = 0; p < n; p++) {
        double sent = 0, received = 0;
        for (uint32_t q = 0; q < n; q++) {
            sent += q == p ? 0 : (double)sizes[(size_t)p * n + q];
            received += q == p ? 0 : (double)sizes[(size_t)q * n + p];
        }
        most_ns = fmax(most_ns, fmax(sent / out_Bps[p], received / in_Bps[p]) * 1e9);
    }
    lab->bound_ps = n > 1 ? time_rounded(least_ns + most_ns, false) : 0;
    return STATUS_OK;
}

enum status lab_bound(struct lab *lab, const struct config *config, struct diag *diag)
{
    set_even(lab, config->network.fabric);
    bool is_uneven = config->system.all_to_all_sizes && lab->request->kind == COLL_ALL_TO_ALL;
    return is_uneven ? set_uneven(lab, config, diag) : STATUS_OK;
}
