#include "net/collective/tuner_cost.h"

#include <math.h>

static bool is_rooted(int kind)
{
    return kind == COLL_BROADCAST || kind == COLL_REDUCE;
}

/* -- the shape of a request ------------------------------------------------------------------- */

/* Scale-up domains that the ranks span: nodes, or racks where the domain is wider than a node. */
static double domains_of(const struct tuner_request *request)
{
    const struct tuner_system *system = request->system;
    uint32_t in_node = request->ranks / request->nodes;
    if (request->in_domain > 0)
        return (double)((request->ranks + request->in_domain - 1) / request->in_domain);
    if (system->scale_up == SCALE_UP_PAIRS || system->domain <= system->gpus_per_node)
        return request->nodes;
    uint64_t in_domain = (uint64_t)(system->domain / system->gpus_per_node) * in_node;
    return (double)((request->ranks + in_domain - 1) / in_domain);
}

static double ring_rate_of(const struct tuner_system *system, double g, bool over_pcie)
{
    if (over_pcie)
        return system->pcie_rate_Bps;
    /* In a mesh, the links to those who take part. */
    if (system->scale_up == SCALE_UP_MESH && g - 1 < system->links)
        return system->ring_rate_Bps * fmax(g - 1, 1) / system->links;
    return system->ring_rate_Bps;
}

void tuner_find_shape(const struct tuner_request *request, struct tuner_shape *shape)
{
    const struct tuner_system *system = request->system;
    *shape = (struct tuner_shape){.request = request,
                                  .system = system,
                                  .library = system->library,
                                  .generation = system->generation,
                                  .n = request->ranks,
                                  .D = domains_of(request),
                                  .bytes = (double)request->bytes};
    shape->g = shape->n / shape->D;
    bool all_reduce = tuner_is_all_reduce(request->kind);
    shape->S = all_reduce ? 2 * (shape->n - 1) : shape->n - 1;
    shape->I = shape->D > 1 ? (all_reduce ? 2 : 1) * (shape->D - 1) : 0;
    uint32_t in_node = request->ranks / request->nodes;
    shape->over_pcie = system->scale_up == SCALE_UP_PAIRS && in_node > 2;
    shape->B = ring_rate_of(system, shape->g, shape->over_pcie);
    shape->channels = shape->over_pcie ? system->pcie_channels : system->channels;
    /* NICs that the ranks of a node reach: those beside their GPUs, at least one. */
    double nics = fmax(1, in_node * system->nics_per_node / system->gpus_per_node);
    nics = fmin(nics, system->nics_per_node);
    shape->nics_Bps = request->nodes / shape->D * nics * system->nic_rate_Bps;
    shape->W = shape->nics_Bps * system->library->nic_share;
    double all = system->links * system->link_rate_Bps;
    shape->links_Bps = shape->over_pcie ? shape->B : all * shape->B / system->ring_rate_Bps;
    shape->hop_us = shape->over_pcie ? system->library->pcie_us : system->library->nvlink_us;
}

/* Index by domains of tables "1, 2, more". */
static int by_domains(const struct tuner_shape *shape)
{
    return shape->D < 2 ? 0 : shape->D < 3 ? 1 : 2;
}

static double ll_rate_of(const struct tuner_shape *shape)
{
    int vendor = shape->system->cpu == TUNER_AMD;
    int i = by_domains(shape);
    return i == 0 ? shape->generation->ll_rate_Bps : shape->library->ll_net_rate_Bps[vendor][i - 1];
}

static double log2_floor(double x)
{
    return x < 2 ? 0 : floor(log2(x));
}

double tuner_base_us(const struct tuner_shape *shape, int algorithm, int p)
{
    const struct tuner_library *library = shape->library;
    const struct tuner_generation *generation = shape->generation;
    const double *base = library->base_us[algorithm];
    double us = base[p] * generation->latency_scale;
    if (generation->ll_base_us > 0)
        us = generation->ll_base_us + base[p] - base[TUNER_LL];
    if (p == TUNER_SIMPLE)
        us += library->simple_start_us * generation->latency_scale;
    return us;
}

/* -- ring ------------------------------------------------------------------------------------- */

static double ring_rate(const struct tuner_shape *shape, int p)
{
    double rate = shape->D > 1 ? fmin(shape->B, shape->W) : shape->B;
    rate *= shape->library->ring_factor[p];
    if (p == TUNER_LL)
        rate = fmin(rate, ll_rate_of(shape));
    if (p == TUNER_LL128)
        rate = fmin(rate, shape->channels * shape->generation->ring_ll128_rate_Bps);
    return rate;
}

/* Latency of all steps with intra-domain latency `hop_us`. */
static double ring_steps_us(const struct tuner_shape *shape, int p, double hop_us)
{
    double post = 0;
    if (shape->D > 1)
        post = shape->library->net_post_us[shape->system->cpu == TUNER_AMD] *
               (p == TUNER_SIMPLE ? 3 : 1);
    double between =
        tuner_net_us(shape, shape->library->net_us[shape->g > 1 ? TUNER_RING : TUNER_TREE][p], p);
    return (shape->S - shape->I) * fmax(hop_us, post) + shape->I * between;
}

/* Time that the data of a ring takes beside latencies. */
static double ring_transfer_us(const struct tuner_shape *shape, int p)
{
    const struct tuner_library *library = shape->library;
    double rate = ring_rate(shape, p);
    double step_bytes = shape->bytes / shape->n;
    if (is_rooted(shape->request->kind))
        return tuner_us_of(shape->bytes, rate);
    if (p == TUNER_LL) {
        /* Channels open one by one, each when a step has ll-channel-bytes for it: until all are
         * open a step takes a channel's time for those bytes. */
        double channel_rate = library->ll_channel_rate_Bps / shape->generation->latency_scale;
        double opening = tuner_us_of(fmin(step_bytes, library->ll_channel_bytes), channel_rate);
        return shape->S * fmax(opening, tuner_us_of(step_bytes, rate));
    }
    if (p == TUNER_SIMPLE)
        return tuner_us_of(step_bytes * (shape->S + library->local_step),
                           rate * shape->generation->ring_measured);
    return tuner_us_of(step_bytes * shape->S, rate);
}

static void try_ring(const struct tuner_shape *shape, int p, struct tuner_candidate *ring)
{
    const struct tuner_library *library = shape->library;
    const struct tuner_generation *generation = shape->generation;
    double hop = shape->hop_us[TUNER_RING][p];
    double base = library->base_us[TUNER_RING][p];
    bool rooted = is_rooted(shape->request->kind);
    /* NCCL plans one hop for rooted rings, and counts n steps of transfer. */
    double latency = rooted ? base + hop : base + ring_steps_us(shape, p, hop);
    double plateau = 1;
    bool is_flat = p == TUNER_SIMPLE && shape->D > 1 && tuner_is_all_reduce(shape->request->kind) &&
                   shape->bytes / (shape->channels * shape->n) >= 64;
    if (is_flat)
        plateau = library->ring_plateau;
    double moved = rooted ? shape->bytes : shape->bytes * shape->S / shape->n;
    ring->plan_us = latency * plateau + tuner_us_of(moved, ring_rate(shape, p));

    double scale = generation->latency_scale;
    bool measured = p == TUNER_LL && generation->ll_hop_us > 0 && !shape->over_pcie;
    ring->base_us = tuner_base_us(shape, TUNER_RING, p);
    ring->steps = shape->S;
    ring->alpha_us = ring_steps_us(shape, p, measured ? generation->ll_hop_us : hop * scale) /
                     shape->S * plateau;
    ring->wire_bytes = moved;
    ring->transfer_us = ring_transfer_us(shape, p);
    ring->ideal_us = tuner_ideal_us(shape, moved, moved);
}

/* -- tree ------------------------------------------------------------------------------------- */

/* The correction at `bytes`: the table's step, or between two steps on the scale of log2. */
static double tree_correction(const struct tuner_library *library, int p, double bytes, bool smooth)
{
    double x = bytes < 64 ? 0 : log2(bytes / 64);
    if (x >= TUNER_CORRECTIONS - 1)
        return library->tree_correction[p][TUNER_CORRECTIONS - 1];
    int i = (int)x;
    double here = library->tree_correction[p][i], next = library->tree_correction[p][i + 1];
    return smooth ? here + (next - here) * (x - i) : here;
}

/* Bytes of the vector per second, without the correction. */
static double tree_rate(const struct tuner_shape *shape, int p)
{
    const struct tuner_library *library = shape->library;
    const struct tuner_generation *generation = shape->generation;
    int i = by_domains(shape);
    double bus =
        fmin(shape->B * library->tree_factor, shape->channels * generation->tree_rate_Bps[i]);
    const double *part = shape->D > 1 ? library->tree_part_net : library->tree_part;
    bus *= part[p];
    if (p == TUNER_LL)
        bus = fmin(bus, ll_rate_of(shape));
    if (p == TUNER_LL128)
        bus = fmin(bus, shape->channels * generation->tree_ll128_rate_Bps[i]);
    double rate = bus / 2;
    /* A NIC carries the vector once each way with two domains, twice with more: a node of the one
     * tree is a leaf of the other. */
    if (shape->D > 1)
        rate = fmin(rate, (shape->D < 3 ? shape->W : shape->W / 2) * part[p]);
    return rate;
}

static void try_tree(const struct tuner_shape *shape, int p, struct tuner_candidate *tree)
{
    const struct tuner_library *library = shape->library;
    double scale = shape->generation->latency_scale;
    double base = library->base_us[TUNER_TREE][p];
    double hop = shape->hop_us[TUNER_TREE][p];
    double between = tuner_net_us(shape, library->net_us[TUNER_TREE][p], p);
    double chain = shape->g - 1, levels = log2_floor(shape->D);
    double rate = tree_rate(shape, p);
    double planned = rate * tree_correction(library, p, shape->bytes, false);
    tree->plan_us =
        base + 2 * (chain * hop + levels * between) + tuner_us_of(shape->bytes, planned);

    tree->steps = 2 * (chain + levels);
    tree->base_us = tuner_base_us(shape, TUNER_TREE, p);
    if (p == TUNER_LL && shape->generation->ll_hop_us > 0 && !shape->over_pcie)
        scale = shape->generation->ll_hop_us / library->nvlink_us[TUNER_RING][TUNER_LL];
    tree->alpha_us = 2 * (chain * hop * scale + levels * between) / tree->steps;
    tree->wire_bytes = 2 * shape->bytes;
    tree->ideal_us = tuner_ideal_us(shape, 2 * shape->bytes, shape->bytes * (shape->D < 3 ? 1 : 2));
    tree->transfer_us =
        tuner_us_of(shape->bytes, rate * tree_correction(library, p, shape->bytes, true));
}

/* -- reduction in the switch ------------------------------------------------------------------ */

/* Rate of all heads together: each takes a speed of the search's list. */
static double heads_rate(const struct tuner_shape *shape, double heads)
{
    if (heads > shape->library->nvls_listed_heads)
        return shape->B;
    const double *speed = shape->generation->nvls_heads_Bps;
    for (int i = 0; i < TUNER_HEADS && speed[i] > 0; i++) {
        if (speed[i] * heads <= shape->B)
            return speed[i] * heads;
    }
    return 0;
}

/* Time until the first loop over all channels and heads has filled the pipeline: half a loop for
 * each stage after the first (up, down; between them two for each level of a tree). */
static double nvls_fill_us(const struct tuner_shape *shape, double heads, double rate)
{
    double chunk = shape->library->nvls_chunk_bytes;
    if (shape->D >= 4)
        chunk /= 2; /* nvls.cc: 64 KiB in trees of four nodes and more */
    double loop = shape->generation->nvls_channels * chunk * heads;
    double stages = 1 + 2 * log2_floor(shape->D);
    return tuner_us_of(fmin(shape->bytes, loop) / 2, rate) * stages;
}

static bool try_nvls(const struct tuner_shape *shape, struct tuner_candidate *nvls)
{
    const struct tuner_generation *generation = shape->generation;
    double total = heads_rate(shape, shape->n);
    if (!(total > 0))
        return false;
    double hop = shape->library->nvls_hop_us;
    nvls->plan_us = hop + tuner_us_of(shape->bytes, total * generation->nvls_efficiency);
    double rate = total * generation->nvls_measured;
    nvls->base_us = 0;
    nvls->steps = 2; /* up and down */
    nvls->alpha_us = (generation->nvls_hop_us > 0 ? generation->nvls_hop_us : hop) / 2;
    nvls->wire_bytes = shape->bytes;
    nvls->ideal_us = tuner_ideal_us(shape, shape->bytes, 0);
    nvls->transfer_us = tuner_us_of(shape->bytes, rate) + nvls_fill_us(shape, shape->n, rate);
    return true;
}

static double nvls_tree_rate(const struct tuner_shape *shape, double heads, double efficiency)
{
    double inside = 2 * heads_rate(shape, heads) * efficiency * (heads - 1) / heads;
    double between = shape->W * (shape->D < 3 ? 2 : 1);
    double cap = heads * shape->generation->nvls_tree_rate_Bps[by_domains(shape) - 1];
    return fmin(fmin(inside, between), cap) * shape->n / (2 * (shape->n - 1));
}

static bool try_nvls_tree(const struct tuner_shape *shape, struct tuner_candidate *tree)
{
    const struct tuner_generation *generation = shape->generation;
    double heads = fmin(shape->g, shape->library->nvls_tree_heads);
    double planned = nvls_tree_rate(shape, heads, generation->nvls_efficiency);
    if (!(planned > 0))
        return false;
    double levels = log2_floor(shape->D);
    double between = tuner_net_us(shape, shape->library->nvls_tree_net_us, TUNER_SIMPLE);
    double hop = shape->library->nvls_hop_us;
    tree->plan_us = hop + 2 * levels * between + tuner_us_of(shape->bytes, planned);
    double measured = generation->nvls_hop_us > 0 ? generation->nvls_hop_us : hop;
    /* Planned as a bus bandwidth; but a NIC carries the vector once each way, or twice. */
    double rate = fmin(nvls_tree_rate(shape, heads, generation->nvls_measured),
                       shape->D < 3 ? shape->W : shape->W / 2);
    tree->base_us = measured;
    tree->steps = 2 * levels;
    tree->alpha_us = between;
    tree->wire_bytes = shape->bytes;
    tree->ideal_us = tuner_ideal_us(shape, shape->bytes, shape->bytes * (shape->D < 3 ? 1 : 2));
    tree->transfer_us = tuner_us_of(shape->bytes, rate) + nvls_fill_us(shape, heads, rate);
    return true;
}

/* -- one of them ------------------------------------------------------------------------------ */

bool tuner_try(const struct tuner_shape *shape, enum tuner_algorithm algorithm,
               enum tuner_protocol protocol, struct tuner_candidate *one)
{
    *one = (struct tuner_candidate){.algorithm = algorithm, .protocol = protocol};
    bool is_torus = shape->system->scale_up == SCALE_UP_TORUS;
    if (shape->system->simple_only && protocol != TUNER_SIMPLE)
        return false;
    if (is_torus && (algorithm != TUNER_RING || protocol != TUNER_SIMPLE))
        return false;
    /* LL128 needs NVLink inside (NCCL tuning.cc); RCCL has none on gfx942's meshes. */
    if (protocol == TUNER_LL128 && (shape->over_pcie || shape->system->scale_up == SCALE_UP_MESH))
        return false;
    if (algorithm == TUNER_RING) {
        try_ring(shape, protocol, one);
        return true;
    }
    if (!tuner_is_all_reduce(shape->request->kind))
        return false;
    if (algorithm == TUNER_TREE) {
        try_tree(shape, protocol, one);
        return shape->n > 2;
    }
    bool may_nvls = shape->system->has_nvls && shape->g > 1 && protocol == TUNER_SIMPLE;
    if (!may_nvls || (algorithm == TUNER_NVLS) != (shape->D < 2))
        return false;
    return algorithm == TUNER_NVLS ? try_nvls(shape, one) : try_nvls_tree(shape, one);
}
