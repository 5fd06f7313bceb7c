#include "run/lab_bound.h"

#include <math.h>

#include "net/collective/uneven.h"
#include "net/topology/fabric.h"

/* What each rank can pass through all its links together, and the least latency out of one. */
struct ports {
    double *out_Bps, *in_Bps; /* [ranks] */
    double sum_out_Bps, sum_in_Bps;
    double latency_ns;
};

static void ports_find(struct ports *ports, struct lab *lab, const struct fabric *fabric)
{
    uint32_t n = fabric->npu_count;
    *ports = (struct ports){.out_Bps = arena_array(&lab->arena, n, sizeof *ports->out_Bps),
                            .in_Bps = arena_array(&lab->arena, n, sizeof *ports->in_Bps),
                            .latency_ns = HUGE_VAL};
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        const struct fabric_link *link = &fabric->link[l];
        if (link->src < n) {
            ports->out_Bps[link->src] += link->bandwidth_Bps;
            ports->sum_out_Bps += link->bandwidth_Bps;
            ports->latency_ns = fmin(ports->latency_ns, link->latency_ns);
        }
        if (link->dst < n) {
            ports->in_Bps[link->dst] += link->bandwidth_Bps;
            ports->sum_in_Bps += link->bandwidth_Bps;
        }
    }
    for (uint32_t v = 0; v < n; v++)
        lab->injection_Bps = v ? fmin(lab->injection_Bps, ports->out_Bps[v]) : ports->out_Bps[v];
}

/*
 * What the ranks must send and receive at least, in buffers; the root is rank 0. What one rank has
 * and others need leaves it once, and what it needs enters it once. Together, every piece is
 * received by each that needs it; all-reduce needs n - 1 messages of a byte to add it up and as
 * many to spread it (Patarasuk & Yuan 2009).
 */
struct need {
    double root_out, root_in, out, in, all;
};

static struct need need_of(enum collective_kind kind, double n)
{
    double own = 1 / n, others = (n - 1) / n;
    switch (kind) {
    case COLL_ALL_REDUCE:
        return (struct need){1, 1, 1, 1, 2 * (n - 1)};
    case COLL_ALL_GATHER:
        return (struct need){own, others, own, others, n - 1};
    case COLL_REDUCE_SCATTER:
    case COLL_REDUCE_SCATTER_BLOCK:
        return (struct need){others, own, others, own, n - 1};
    case COLL_ALL_TO_ALL:
        return (struct need){others, others, others, others, n - 1};
    case COLL_GATHER:
        return (struct need){0, others, own, 0, others};
    case COLL_SCATTER:
        return (struct need){others, 0, 0, own, others};
    case COLL_BROADCAST:
        return (struct need){1, 0, 0, 1, n - 1};
    case COLL_REDUCE:
        return (struct need){0, 1, 1, 0, n - 1};
    default:
        return (struct need){0}; /* a barrier carries nothing */
    }
}

static double even_ns(const struct lab *lab, const struct ports *ports)
{
    struct need need = need_of(lab->request->kind, lab->ranks);
    double most = fmax(need.all / ports->sum_out_Bps, need.all / ports->sum_in_Bps);
    for (uint32_t v = 0; v < lab->ranks; v++) {
        most = fmax(most, (v ? need.out : need.root_out) / ports->out_Bps[v]);
        most = fmax(most, (v ? need.in : need.root_in) / ports->in_Bps[v]);
    }
    return most * (double)lab->request->bytes * 1e9;
}

/* An uneven all-to-all: what each rank sends to and gets from others. */
static enum status uneven_ns(struct lab *lab, const struct ports *ports, const char *text,
                             double *most_ns, struct diag *diag)
{
    uint32_t n = lab->ranks;
    const uint64_t *sizes;
    enum status status = uneven_sizes(text, n, lab->request->bytes, &lab->arena, &sizes, diag);
    if (status != STATUS_OK)
        return status;
    *most_ns = 0;
    lab->bus_bytes = uneven_sent_bytes(sizes, n);
    for (uint32_t p = 0; p < n; p++) {
        double sent = 0, received = 0;
        for (uint32_t q = 0; q < n; q++) {
            sent += q == p ? 0 : (double)sizes[(size_t)p * n + q];
            received += q == p ? 0 : (double)sizes[(size_t)q * n + p];
        }
        double ns = fmax(sent / ports->out_Bps[p], received / ports->in_Bps[p]) * 1e9;
        *most_ns = fmax(*most_ns, ns);
    }
    return STATUS_OK;
}

enum status lab_bound(struct lab *lab, const struct config *config, struct diag *diag)
{
    struct ports ports;
    ports_find(&ports, lab, config->network.fabric);
    lab->bus_bytes = (double)lab->request->bytes * lab_bus_factor(lab->request->kind, lab->ranks);
    if (lab->ranks < 2)
        return STATUS_OK;
    double most_ns = even_ns(lab, &ports);
    const char *sizes = config->system.all_to_all_sizes;
    if (sizes && lab->request->kind == COLL_ALL_TO_ALL) {
        enum status status = uneven_ns(lab, &ports, sizes, &most_ns, diag);
        if (status != STATUS_OK)
            return status;
    }
    lab->bound_ps = time_rounded(ports.latency_ns + most_ns, false);
    return STATUS_OK;
}
