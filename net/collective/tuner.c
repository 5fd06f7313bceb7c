#include "net/collective/tuner.h"

#include <math.h>

#include "net/collective/tuner_parts.h"

/* Planned rate of a NIC: NCCL's NET_BW is 12 GB/s for the 12.5 GB/s of 100 Gb/s (topo.h). */
static const double nic_share = 12 / 12.5;
/* Links in point-to-point traffic: 340 of 360 GB/s (sm_90, all-to-all of 8, 2 GB; perf table). */
static const double p2p_share = 0.94;

enum {
    P2P_CHANNELS = 32,    /* channels of point-to-point kernels in one domain (enqueue.cc) */
    HEADS_OF_TREE = 8,    /* NVLS tree: one for each NIC of a node */
    HEADS_QUANTISED = 16, /* with more heads the speed list is finer than its steps */
};

/* A request seen by the formulas. */
struct shape {
    const struct tuner_request *request;
    const struct tuner_system *system;
    const struct tuner_library *library;
    const struct tuner_generation *generation;
    double n, D, g; /* ranks, scale-up domains, ranks in one */
    double bytes;
    double S, I; /* steps of a ring, those between domains */
    double B;    /* bus bandwidth of all ring channels in a domain */
    double W;    /* of the NICs of a domain */
    double channels;
    const double (*hop_us)[3]; /* ring, tree; inside a domain */
    bool over_pcie;
};

/* What one algorithm and protocol would take: what the library thinks, and what it comes to. */
struct candidate {
    enum tuner_algorithm algorithm;
    enum tuner_protocol protocol;
    double plan_us;
    double base_us, alpha_us, steps;
    double transfer_us; /* time - base - steps * alpha */
    double wire_bytes;
};

static bool is_rooted(int kind)
{
    return kind == COLL_BROADCAST || kind == COLL_REDUCE || kind == COLL_GATHER ||
           kind == COLL_SCATTER;
}

static bool is_all_reduce(int kind)
{
    return kind == COLL_ALL_REDUCE || kind == COLL_BARRIER;
}

static bool is_point_to_point(int kind)
{
    return kind == COLL_ALL_TO_ALL || kind == TUNER_SEND_RECEIVE || kind == TUNER_DISPATCH;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

/* bytes / rate in us; a rate in bytes/s. */
static double us_of(double bytes, double rate_Bps)
{
    return bytes / rate_Bps * 1e6;
}

/* -- the shape of a request ------------------------------------------------------------------- */

/* Scale-up domains that the ranks span: nodes, or racks where the domain is wider than a node. */
static double domains_of(const struct tuner_request *request)
{
    const struct tuner_system *system = request->system;
    uint32_t in_node = request->ranks / request->nodes;
    if (system->scale_up == SCALE_UP_PAIRS || system->domain <= system->gpus_per_node)
        return request->nodes;
    uint32_t nodes_in_domain = system->domain / system->gpus_per_node;
    uint32_t in_domain = nodes_in_domain * in_node;
    return (request->ranks + in_domain - 1) / in_domain;
}

static double ring_rate_of(const struct tuner_system *system, double g, bool over_pcie)
{
    if (over_pcie)
        return system->pcie_rate_Bps;
    /* In a mesh, the links to those who take part. */
    if (system->scale_up == SCALE_UP_MESH && g - 1 < system->links)
        return system->ring_rate_Bps * most(g - 1, 1) / system->links;
    return system->ring_rate_Bps;
}

static void find_shape(const struct tuner_request *request, struct shape *shape)
{
    const struct tuner_system *system = request->system;
    *shape = (struct shape){.request = request,
                            .system = system,
                            .library = system->library,
                            .generation = system->generation,
                            .n = request->ranks,
                            .D = domains_of(request),
                            .bytes = (double)request->bytes};
    shape->g = shape->n / shape->D;
    bool all_reduce = is_all_reduce(request->kind);
    shape->S = all_reduce ? 2 * (shape->n - 1) : shape->n - 1;
    shape->I = shape->D > 1 ? (all_reduce ? 2 : 1) * (shape->D - 1) : 0;
    uint32_t in_node = request->ranks / request->nodes;
    shape->over_pcie = system->scale_up == SCALE_UP_PAIRS && in_node > 2;
    shape->B = ring_rate_of(system, shape->g, shape->over_pcie);
    shape->channels = shape->over_pcie ? system->pcie_channels : system->channels;
    double nodes_in_domain = request->nodes / shape->D;
    shape->W = nodes_in_domain * system->nics_per_node * system->nic_rate_Bps * nic_share;
    /* A rank does not use the NICs of GPUs that take no part. */
    double share = most(in_node, 1) / (double)system->gpus_per_node;
    shape->W *= least(1, share);
    shape->hop_us = shape->over_pcie ? system->library->pcie_us : system->library->nvlink_us;
}

/* Index by domains of tables "1, 2, more". */
static int by_domains(const struct shape *shape)
{
    return shape->D < 2 ? 0 : shape->D < 3 ? 1 : 2;
}

static double ll_rate_of(const struct shape *shape)
{
    int vendor = shape->system->cpu == TUNER_AMD;
    int i = by_domains(shape);
    return i == 0 ? shape->generation->ll_rate_Bps : shape->library->ll_net_rate_Bps[vendor][i - 1];
}

/* Latency between domains: the network's, which Simple pays twice (it flushes). */
static double net_us(const struct shape *shape, double hop_us, int protocol)
{
    return hop_us + shape->system->net_latency_us * (protocol == TUNER_SIMPLE ? 2 : 1);
}

static double log2_floor(double x)
{
    return x < 2 ? 0 : floor(log2(x));
}

/* -- ring ------------------------------------------------------------------------------------- */

static double ring_rate(const struct shape *shape, int p)
{
    double rate = shape->D > 1 ? least(shape->B, shape->W) : shape->B;
    rate *= shape->library->ring_factor[p];
    if (p == TUNER_LL)
        rate = least(rate, ll_rate_of(shape));
    if (p == TUNER_LL128)
        rate = least(rate, shape->channels * shape->generation->ring_ll128_rate_Bps);
    return rate;
}

/* Latency of all steps with intra-domain latency `hop_us`. */
static double ring_steps_us(const struct shape *shape, int p, double hop_us)
{
    double post = 0;
    if (shape->D > 1)
        post = shape->library->net_post_us[shape->system->cpu == TUNER_AMD] *
               (p == TUNER_SIMPLE ? 3 : 1);
    double between =
        net_us(shape, shape->library->net_us[shape->g > 1 ? TUNER_RING : TUNER_TREE][p], p);
    return (shape->S - shape->I) * most(hop_us, post) + shape->I * between;
}

/* Time that the data of a ring takes beside latencies. */
static double ring_transfer_us(const struct shape *shape, int p)
{
    const struct tuner_library *library = shape->library;
    double rate = ring_rate(shape, p);
    double step_bytes = shape->bytes / shape->n;
    if (is_rooted(shape->request->kind))
        return us_of(shape->bytes, rate);
    if (p == TUNER_LL) {
        /* Channels open one by one, each when a step has ll-channel-bytes for it: until all are
         * open a step takes a channel's time for those bytes. */
        double channel_rate = library->ll_channel_rate_Bps / shape->generation->latency_scale;
        double opening = us_of(least(step_bytes, library->ll_channel_bytes), channel_rate);
        return shape->S * most(opening, us_of(step_bytes, rate));
    }
    if (p == TUNER_SIMPLE)
        return us_of(step_bytes * (shape->S + library->local_step),
                     rate * shape->generation->ring_measured);
    return us_of(step_bytes * shape->S, rate);
}

static void try_ring(const struct shape *shape, int p, struct candidate *ring)
{
    const struct tuner_library *library = shape->library;
    const struct tuner_generation *generation = shape->generation;
    double hop = shape->hop_us[TUNER_RING][p];
    double base = library->base_us[TUNER_RING][p];
    bool rooted = is_rooted(shape->request->kind);
    /* NCCL plans one hop for rooted rings, and counts n steps of transfer. */
    double latency = rooted ? base + hop : base + ring_steps_us(shape, p, hop);
    double plateau = 1;
    bool is_flat = p == TUNER_SIMPLE && shape->D > 1 && is_all_reduce(shape->request->kind) &&
                   shape->bytes / (shape->channels * shape->n) >= 64;
    if (is_flat)
        plateau = library->ring_plateau;
    double moved = rooted ? shape->bytes : shape->bytes * shape->S / shape->n;
    ring->plan_us = latency * plateau + us_of(moved, ring_rate(shape, p));

    double scale = generation->latency_scale;
    bool measured = p == TUNER_LL && generation->ll_hop_us > 0 && !shape->over_pcie;
    ring->base_us = measured ? generation->ll_base_us : base * scale;
    if (p == TUNER_SIMPLE)
        ring->base_us += library->simple_start_us * scale;
    ring->steps = shape->S;
    ring->alpha_us = ring_steps_us(shape, p, measured ? generation->ll_hop_us : hop * scale) /
                     shape->S * plateau;
    ring->wire_bytes = moved;
    ring->transfer_us = ring_transfer_us(shape, p);
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
static double tree_rate(const struct shape *shape, int p)
{
    const struct tuner_library *library = shape->library;
    const struct tuner_generation *generation = shape->generation;
    int i = by_domains(shape);
    double bus =
        least(shape->B * library->tree_factor, shape->channels * generation->tree_rate_Bps[i]);
    const double *part = shape->D > 1 ? library->tree_part_net : library->tree_part;
    bus *= part[p];
    if (p == TUNER_LL)
        bus = least(bus, ll_rate_of(shape));
    if (p == TUNER_LL128)
        bus = least(bus, shape->channels * generation->tree_ll128_rate_Bps[i]);
    double rate = bus / 2;
    /* A NIC carries the vector once each way with two domains, twice with more: a node of the one
     * tree is a leaf of the other. */
    if (shape->D > 1)
        rate = least(rate, (shape->D < 3 ? shape->W : shape->W / 2) * part[p]);
    return rate;
}

static void try_tree(const struct shape *shape, int p, struct candidate *tree)
{
    const struct tuner_library *library = shape->library;
    double scale = shape->generation->latency_scale;
    double base = library->base_us[TUNER_TREE][p];
    double hop = shape->hop_us[TUNER_TREE][p];
    double between = net_us(shape, library->net_us[TUNER_TREE][p], p);
    double chain = shape->g - 1, levels = log2_floor(shape->D);
    double rate = tree_rate(shape, p);
    double planned = rate * tree_correction(library, p, shape->bytes, false);
    tree->plan_us = base + 2 * (chain * hop + levels * between) + us_of(shape->bytes, planned);

    tree->steps = 2 * (chain + levels);
    tree->base_us = base * scale + (p == TUNER_SIMPLE ? library->simple_start_us * scale : 0);
    tree->alpha_us = 2 * (chain * hop * scale + levels * between) / tree->steps;
    tree->wire_bytes = 2 * shape->bytes;
    tree->transfer_us = us_of(shape->bytes, rate * tree_correction(library, p, shape->bytes, true));
}

/* -- reduction in the switch ------------------------------------------------------------------ */

/* Rate of all heads together: each takes a speed of the search's list. */
static double heads_rate(const struct shape *shape, double heads)
{
    if (heads > HEADS_QUANTISED)
        return shape->B;
    const double *speed = shape->generation->nvls_heads_Bps;
    for (int i = 0; i < TUNER_HEADS && speed[i] > 0; i++) {
        if (speed[i] * heads <= shape->B)
            return speed[i] * heads;
    }
    return 0;
}

/* Time until the first loop over all channels and heads has filled the pipeline. */
static double nvls_fill_us(const struct shape *shape, double heads, double rate)
{
    double loop = shape->generation->nvls_channels * shape->library->nvls_chunk_bytes * heads;
    return us_of(least(shape->bytes, loop) / 2, rate);
}

static bool try_nvls(const struct shape *shape, struct candidate *nvls)
{
    const struct tuner_generation *generation = shape->generation;
    double total = heads_rate(shape, shape->n);
    if (!(total > 0))
        return false;
    double hop = shape->library->nvls_hop_us;
    nvls->plan_us = hop + us_of(shape->bytes, total * generation->nvls_efficiency);
    double rate = total * generation->nvls_measured;
    nvls->base_us = 0;
    nvls->steps = 2; /* up and down */
    nvls->alpha_us = (generation->nvls_hop_us > 0 ? generation->nvls_hop_us : hop) / 2;
    nvls->wire_bytes = shape->bytes;
    nvls->transfer_us = us_of(shape->bytes, rate) + nvls_fill_us(shape, shape->n, rate);
    return true;
}

static double nvls_tree_rate(const struct shape *shape, double heads, double efficiency)
{
    double inside = 2 * heads_rate(shape, heads) * efficiency * (heads - 1) / heads;
    double between = shape->W * (shape->D < 3 ? 2 : 1);
    double cap = heads * shape->generation->nvls_tree_rate_Bps[by_domains(shape) - 1];
    return least(least(inside, between), cap) * shape->n / (2 * (shape->n - 1));
}

static bool try_nvls_tree(const struct shape *shape, struct candidate *tree)
{
    const struct tuner_generation *generation = shape->generation;
    double heads = least(shape->g, HEADS_OF_TREE);
    double planned = nvls_tree_rate(shape, heads, generation->nvls_efficiency);
    if (!(planned > 0))
        return false;
    double levels = log2_floor(shape->D);
    double between = net_us(shape, shape->library->nvls_tree_net_us, TUNER_SIMPLE);
    double hop = shape->library->nvls_hop_us;
    tree->plan_us = hop + 2 * levels * between + us_of(shape->bytes, planned);
    double measured = generation->nvls_hop_us > 0 ? generation->nvls_hop_us : hop;
    double rate = nvls_tree_rate(shape, heads, generation->nvls_measured);
    tree->base_us = measured;
    tree->steps = 2 * levels;
    tree->alpha_us = between;
    tree->wire_bytes = shape->bytes;
    tree->transfer_us = us_of(shape->bytes, rate) + nvls_fill_us(shape, heads, rate);
    return true;
}

/* -- point to point --------------------------------------------------------------------------- */

/* Slowest of a rank's copies, links and NIC when it sends `bytes` in all. */
static double p2p_us(const struct shape *shape, double bytes)
{
    int kind = shape->request->kind;
    double to_all = kind == COLL_ALL_TO_ALL ? shape->n : 1; /* itself included */
    double inside = kind == COLL_ALL_TO_ALL ? (shape->g - 1) / to_all : shape->D < 2;
    double outside = kind == COLL_ALL_TO_ALL ? (shape->n - shape->g) / to_all : shape->D > 1;
    double us = us_of(bytes * inside, shape->B * p2p_share);
    if (shape->system->scale_up == SCALE_UP_SWITCH)
        us = most(us, us_of(bytes * (outside > 0 ? inside : 1), shape->library->p2p_copy_rate_Bps));
    return most(us, us_of(bytes * outside, shape->W / shape->g));
}

static void try_p2p(const struct shape *shape, struct candidate *p2p)
{
    const struct tuner_library *library = shape->library;
    const struct tuner_generation *generation = shape->generation;
    double scale = generation->latency_scale;
    double peer_bytes =
        shape->request->kind == COLL_ALL_TO_ALL ? shape->bytes / shape->n : shape->bytes;
    bool is_ll = peer_bytes <= library->p2p_ll_bytes;
    p2p->protocol = is_ll ? TUNER_LL : TUNER_SIMPLE;
    bool measured = generation->ll_hop_us > 0;
    p2p->base_us = measured ? generation->ll_base_us : library->base_us[TUNER_RING][0] * scale;
    p2p->alpha_us = measured ? generation->ll_hop_us : shape->hop_us[TUNER_RING][0] * scale;
    if (shape->D > 1)
        p2p->alpha_us += net_us(shape, library->net_us[TUNER_RING][p2p->protocol], p2p->protocol);
    p2p->steps = 1;
    p2p->wire_bytes = shape->bytes;
    p2p->transfer_us = p2p_us(shape, shape->bytes);
    double ll_us = us_of(least(peer_bytes, library->p2p_ll_bytes), library->ll_channel_rate_Bps);
    if (is_ll) {
        p2p->transfer_us = most(p2p->transfer_us, ll_us);
    } else {
        p2p->base_us += library->p2p_simple_us;
        double filled = least(shape->bytes, P2P_CHANNELS * library->p2p_chunk_bytes / 2);
        p2p->transfer_us += p2p_us(shape, filled);
    }
    p2p->plan_us = 0; /* nothing to choose */
}

/* -- choosing --------------------------------------------------------------------------------- */

static void keep_better(const struct candidate *candidate, bool *has_best, struct candidate *best)
{
    if (!*has_best || candidate->plan_us < best->plan_us)
        *best = *candidate;
    *has_best = true;
}

static struct candidate choose(const struct shape *shape)
{
    struct candidate best = {.algorithm = TUNER_POINT_TO_POINT};
    bool has_best = false;
    int kind = shape->request->kind;
    if (is_point_to_point(kind)) {
        try_p2p(shape, &best);
        return best;
    }
    bool is_torus = shape->system->scale_up == SCALE_UP_TORUS;
    for (int p = is_torus ? TUNER_SIMPLE : 0; p < TUNER_PROTOCOL_COUNT; p++) {
        /* LL128 needs NVLink inside (NCCL tuning.cc) and is not of AMD's meshes. */
        bool is_off =
            p == TUNER_LL128 && (shape->over_pcie || shape->system->scale_up == SCALE_UP_MESH);
        struct candidate one = {.algorithm = TUNER_RING, .protocol = (enum tuner_protocol)p};
        if (is_off)
            continue;
        try_ring(shape, p, &one);
        keep_better(&one, &has_best, &best);
    }
    bool may_tree = is_all_reduce(kind) && !is_torus && shape->n > 2;
    for (int p = 0; may_tree && p < TUNER_PROTOCOL_COUNT; p++) {
        bool is_off =
            p == TUNER_LL128 && (shape->over_pcie || shape->system->scale_up == SCALE_UP_MESH);
        struct candidate one = {.algorithm = TUNER_TREE, .protocol = (enum tuner_protocol)p};
        if (is_off)
            continue;
        try_tree(shape, p, &one);
        keep_better(&one, &has_best, &best);
    }
    bool may_nvls =
        shape->system->has_nvls && !shape->request->no_nvls && is_all_reduce(kind) && shape->g > 1;
    struct candidate nvls = {.algorithm = shape->D > 1 ? TUNER_NVLS_TREE : TUNER_NVLS,
                             .protocol = TUNER_SIMPLE};
    if (may_nvls && (shape->D > 1 ? try_nvls_tree(shape, &nvls) : try_nvls(shape, &nvls)))
        keep_better(&nvls, &has_best, &best);
    return best;
}

/* NCCL takes away channels while one would have less than its threads are worth (enqueue.cc). */
static uint32_t channels_of(const struct shape *shape, const struct candidate *best)
{
    static const double thread_bytes[] = {8, 8, 64}, threads[] = {512, 640, 512};
    double all = shape->channels;
    if (best->algorithm == TUNER_NVLS || best->algorithm == TUNER_NVLS_TREE)
        all = shape->generation->nvls_channels;
    if (best->algorithm == TUNER_POINT_TO_POINT)
        all = P2P_CHANNELS;
    double worth = threads[best->protocol] * thread_bytes[best->protocol];
    if (best->algorithm == TUNER_RING && best->protocol == TUNER_LL)
        worth *= shape->n;
    if (best->algorithm == TUNER_RING || best->algorithm == TUNER_TREE)
        all = most(1, least(all, floor(shape->bytes / worth)));
    return (uint32_t)all;
}

static enum status check(const struct tuner_request *request, struct diag *diag)
{
    const struct tuner_system *system = request->system;
    if (request->ranks < 2) {
        diag_fail(diag, STATUS_BAD_CONFIG, "expected at least 2 ranks, found %u", request->ranks);
        diag_field(diag, "ranks");
        return STATUS_BAD_CONFIG;
    }
    if (request->nodes < 1 || request->ranks % request->nodes != 0) {
        diag_fail(diag, STATUS_BAD_CONFIG, "expected a divisor of %u ranks, found %u nodes",
                  request->ranks, request->nodes);
        diag_field(diag, "nodes");
        return STATUS_BAD_CONFIG;
    }
    uint32_t in_node = request->ranks / request->nodes;
    if (in_node > system->gpus_per_node && system->scale_up != SCALE_UP_TORUS) {
        diag_fail(diag, STATUS_BAD_CONFIG, "%u ranks in a node, but %s has %u GPUs in one", in_node,
                  system->name, system->gpus_per_node);
        diag_field(diag, "nodes");
        diag_hint(diag, "at least %u nodes are needed",
                  (request->ranks + system->gpus_per_node - 1) / system->gpus_per_node);
        return STATUS_BAD_CONFIG;
    }
    return STATUS_OK;
}

enum status tuner_choose(const struct tuner_request *request, struct tuner_choice *choice,
                         struct diag *diag)
{
    enum status status = check(request, diag);
    if (status != STATUS_OK)
        return status;
    struct shape shape;
    find_shape(request, &shape);
    struct candidate best = choose(&shape);
    *choice = (struct tuner_choice){.algorithm = best.algorithm,
                                    .protocol = best.protocol,
                                    .channels = channels_of(&shape, &best),
                                    .steps = (uint32_t)best.steps,
                                    .base_us = most(best.base_us, request->launch_us),
                                    .alpha_us = best.alpha_us,
                                    .wire_bytes = best.wire_bytes};
    double datasheet = shape.D > 1 ? shape.W / nic_share / shape.g
                                   : shape.system->links * shape.system->link_rate_Bps;
    /* Without bytes any rate is right; the links' own says that nothing slows them. */
    choice->rate_Bps = best.transfer_us > 0 ? best.wire_bytes / best.transfer_us * 1e6 : datasheet;
    choice->rate_share = choice->rate_Bps / datasheet;
    choice->time_us = choice->base_us + best.steps * best.alpha_us + best.transfer_us;
    return STATUS_OK;
}

uint64_t tuner_bytes(enum collective_kind kind, uint64_t size_bytes, uint32_t ranks)
{
    if (kind == COLL_BARRIER)
        return 0;
    bool per_rank = kind == COLL_ALL_GATHER || kind == COLL_GATHER || kind == COLL_SCATTER;
    if (!per_rank)
        return size_bytes;
    return size_bytes <= UINT64_MAX / ranks ? size_bytes * ranks : UINT64_MAX;
}

const char *tuner_algorithm_name(enum tuner_algorithm algorithm)
{
    static const char *const names[] = {"ring", "tree", "nvls", "nvls-tree", "point-to-point"};
    return names[algorithm];
}

const char *tuner_protocol_name(enum tuner_protocol protocol)
{
    static const char *const names[] = {"LL", "LL128", "Simple"};
    return names[protocol];
}
