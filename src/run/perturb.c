#include "run/perturb.h"

#include <stdlib.h>

#include "base/memory.h"
#include "net/topology/fabric.h"

/* A number of the configuration, and what multiplies it; 0 means 1 where `is_ratio`. */
static bool change(struct perturbed *perturbed, double *value, double factor, bool is_ratio)
{
    perturbed->value = value;
    perturbed->before = *value;
    *value = (is_ratio && *value <= 0 ? 1 : *value) * factor;
    return true;
}

static double *of_link(struct fabric_link *link, bool is_latency)
{
    return is_latency ? &link->latency_ns : &link->bandwidth_Bps;
}

static bool change_links(struct perturbed *perturbed, struct config *config, int dim, double factor)
{
    bool is_latency = perturbed->is_latency;
    struct fabric *fabric = config->network.fabric;
    if (dim < 0 || dim >= (int)config->network.dim_count)
        return false;
    if (!fabric) {
        struct net_dim *at = &config->network.dim[dim];
        return change(perturbed, is_latency ? &at->latency_ns : &at->bandwidth_B_per_ns, factor,
                      false);
    }
    perturbed->link = malloc(((size_t)fabric->link_count + 1) * sizeof *perturbed->link);
    need_memory(perturbed->link != NULL);
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        double *value = of_link(&fabric->link[l], is_latency);
        perturbed->link[l] = *value;
        *value *= fabric->link[l].dim == dim ? factor : 1;
    }
    return true;
}

bool perturb_begin(struct perturbed *perturbed, struct config *config, enum path_part part, int dim,
                   double ratio)
{
    struct system_config *system = &config->system;
    *perturbed = (struct perturbed){.config = config, .is_latency = part == PART_LATENCY};
    switch (part) {
    case PART_MATRIX:
        return change(perturbed, &system->matrix_ratio, 1 / ratio, true);
    case PART_ATTENTION:
        return change(perturbed, &system->attention_ratio, 1 / ratio, true);
    case PART_MEMORY_BOUND:
        return change(perturbed, &system->memory_ratio, ratio, true);
    case PART_PEAK:
        return change(perturbed, &system->peak_flop_per_s, 1 / ratio, false);
    case PART_LOCAL_MEMORY:
        return change(perturbed, &system->local_memory_Bps, 1 / ratio, false);
    case PART_SLOWED:
        return change(perturbed, &system->overlap_slowdown, ratio, false);
    case PART_STEP_OVERHEAD:
        return change(perturbed, &system->step_overhead_ns, ratio, false);
    case PART_LAUNCH:
        return change(perturbed, &system->launch_overhead_ns, ratio, false);
    case PART_LAUNCH_COMM:
        return change(perturbed, &system->collective_launch_ns, ratio, false);
    case PART_LATENCY:
        return change_links(perturbed, config, dim, ratio);
    case PART_BANDWIDTH:
        return change_links(perturbed, config, dim, 1 / ratio);
    default:
        return false;
    }
}

void perturb_end(struct perturbed *perturbed)
{
    struct fabric *fabric = perturbed->config->network.fabric;
    if (perturbed->value)
        *perturbed->value = perturbed->before;
    for (uint32_t l = 0; perturbed->link && l < fabric->link_count; l++)
        *of_link(&fabric->link[l], perturbed->is_latency) = perturbed->link[l];
    free(perturbed->link);
    perturbed->link = NULL;
}
