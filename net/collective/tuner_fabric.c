#include "net/collective/tuner_fabric.h"

#include <math.h>
#include <string.h>

#include "net/collective/tuner_parts.h"

/* What NPU 0 can send over its links of dimensions first .. last, and how many links these are. */
static double injection_Bps(const struct fabric *fabric, uint32_t first, uint32_t last,
                            uint32_t *links)
{
    double sum = 0;
    *links = 0;
    for (uint32_t l = fabric->first_link[0]; l < fabric->first_link[1]; l++) {
        const struct fabric_link *link = &fabric->link[l];
        if (link->dim < first || link->dim > last)
            continue;
        sum += link->bandwidth_Bps;
        *links += link->count;
    }
    return sum;
}

static bool is_row(const struct fabric_dim *dim)
{
    return dim->kind == FABRIC_RING || dim->kind == FABRIC_LINE;
}

static bool is_torus(const struct fabric *fabric)
{
    for (uint32_t d = 0; d < fabric->dim_count; d++) {
        if (!is_row(&fabric->dim[d]))
            return false;
    }
    return true;
}

static bool is_network(const struct fabric *fabric)
{
    uint8_t kind = fabric->dim[0].kind;
    return fabric->dim_count == 1 && (kind == FABRIC_TREE || kind == FABRIC_GRAPH);
}

/* NPUs of a domain: of a torus, of its first row. */
static uint32_t domain_size(const struct fabric *fabric)
{
    return is_network(fabric) ? 1 : fabric->dim[0].npus;
}

uint32_t tuner_domains(const struct fabric *fabric)
{
    return fabric->npu_count / domain_size(fabric);
}

/* The domain: its size, links and planned rate. */
static void set_scale_up(struct tuner_system *system, const struct fabric *fabric)
{
    double planned = system->ring_rate_Bps / (system->links * system->link_rate_Bps);
    if (is_network(fabric))
        planned = 1; /* NICs are, by the tuner */
    const struct fabric_dim *dim = &fabric->dim[0];
    uint32_t links;
    double rate = injection_Bps(fabric, 0, 0, &links);
    system->domain = system->gpus_per_node = domain_size(fabric);
    system->scale_up = dim->kind == FABRIC_FULL ? SCALE_UP_MESH : SCALE_UP_SWITCH;
    system->has_nvls = system->has_nvls && dim->kind == FABRIC_SWITCH;
    if (is_torus(fabric)) {
        system->scale_up = SCALE_UP_TORUS;
        system->domain = fabric->npu_count;
    }
    system->links = fmax(1, links);
    system->link_rate_Bps = fmax(1, rate) / system->links;
    system->ring_rate_Bps = fmax(1, rate * planned);
}

/* The network: what an NPU has in the dimensions above the domain. */
static void set_scale_out(struct tuner_system *system, const struct fabric *fabric)
{
    uint32_t links;
    uint32_t first = is_network(fabric) || fabric->dim_count == 1 ? 0 : 1;
    double rate = injection_Bps(fabric, first, CONFIG_MAX_DIMS, &links);
    system->nics_per_node = system->gpus_per_node;
    system->nic_rate_Bps = fmax(1, rate);
}

enum status tuner_system_of_fabric(struct tuner *tuner, const struct fabric *fabric,
                                   const char *like, const struct tuner_system **system,
                                   struct diag *diag)
{
    const struct tuner_system *preset;
    enum status status = tuner_find_system(tuner, like, &preset, diag);
    if (status != STATUS_OK)
        return status;
    struct tuner_system *own = arena_take(&tuner->arena, sizeof *own);
    *own = *preset;
    own->name = arena_text(&tuner->arena, fabric->text, strlen(fabric->text));
    own->summary = own->name;
    set_scale_up(own, fabric);
    set_scale_out(own, fabric);
    *system = own;
    return STATUS_OK;
}

static struct algorithm_choice ring_schedule(int kind, uint32_t domains, uint32_t per_domain)
{
    if (kind == COLL_BROADCAST || kind == COLL_REDUCE)
        return (struct algorithm_choice){.id = ALG_CHAIN, .flat = true};
    if (domains > 1 && per_domain > 1)
        return (struct algorithm_choice){
            .id = ALG_MULTI_RING, .flat = true, .channels = per_domain};
    return (struct algorithm_choice){.id = ALG_RING, .flat = true};
}

bool tuner_schedule(const struct tuner_choice *choice, int kind, uint32_t domains,
                    uint32_t per_domain, struct algorithm_choice *schedule)
{
    static const enum algorithm_id ids[TUNER_ALGORITHM_COUNT] = {
        [TUNER_TREE] = ALG_BINARY_TREES,
        [TUNER_NVLS] = ALG_NVLS,
        [TUNER_NVLS_TREE] = ALG_NVLS_TREE,
        [TUNER_POINT_TO_POINT] = ALG_DIRECT,
    };
    bool has_several = kind != COLL_BARRIER && kind < COLL_KIND_COUNT;
    if (has_several && choice->algorithm == TUNER_RING)
        *schedule = ring_schedule(kind, domains, per_domain);
    else if (has_several)
        *schedule = (struct algorithm_choice){.id = ids[choice->algorithm], .flat = true};
    if (kind == COLL_GATHER || kind == COLL_SCATTER)
        schedule->id = ALG_LINEAR;
    return has_several;
}
