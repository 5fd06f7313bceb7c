#include <math.h>
#include <string.h>

#include "net/traffic/pattern.h"
#include "tests/agree/fluid/fluid_parts.h"
#include "tests/agree/fluid/peer.h"

#define TOLERANCE_PERCENT 15.0
#define COLLISION_LEAST   1.4
#define COLLISION_MOST    2.1
enum { SEEDS = 20 };

/* What a row is to us, by pattern and transport; the first that fits counts. */
struct rule {
    const char *transport, *pattern; /* NULL: any */
    enum net_routing routing;
    bool must; /* within TOLERANCE_PERCENT */
    const char *why;
};

static const struct rule rules[] = {
    {"ndp_perm", "single", ROUTING_SPRAY, false, NULL},
    {"ndp_perm", "alltoall_shift", ROUTING_SPRAY, false,
     "a chain of short messages: each waits for the last one's ACK, and starts a new window"},
    {"ndp_perm", NULL, ROUTING_SPRAY, true, ""},
    {"eqds_spray128", "single", ROUTING_SPRAY, false, NULL},
    {"eqds_spray128", "rd_allreduce", ROUTING_SPRAY, false,
     "EQDS gives credit to flows that have ended; 16 hosts are near, chains of 128 are not"},
    {"eqds_spray128", "ring_allreduce", ROUTING_SPRAY, false,
     "EQDS gives credit to flows that have ended: no reference for chains"},
    {"eqds_spray128", "hd_allreduce", ROUTING_SPRAY, false,
     "EQDS gives credit to flows that have ended: no reference for chains"},
    {"eqds_spray128", "alltoall_shift", ROUTING_SPRAY, false,
     "EQDS gives credit to flows that have ended: no reference for chains"},
    {"eqds_spray128", NULL, ROUTING_SPRAY, false,
     "receivers' credit leaves a quarter of a single burst unused; NDP does not"},
    {"eqds_ecmp1", "incast", ROUTING_ECMP, false, "the receiver's link decides, not routing"},
    {"roce_pfc_ecmp", "incast", ROUTING_ECMP, false, "the receiver's link decides, not routing"},
    {"roce_pfc_ecmp", "single", ROUTING_ECMP, false, NULL},
    {"eqds_ecmp1", NULL, ROUTING_ECMP, false,
     "another hash collides elsewhere; a fluid shares a collided link without loss"},
    {"roce_pfc_ecmp", NULL, ROUTING_ECMP, false,
     "another hash; pause frames spread congestion to flows that do not collide"},
    {0},
};

static bool fits(const char *wanted, const char *found)
{
    return !wanted || strcmp(wanted, found) == 0;
}

static const struct rule *rule_of(const struct doc *row)
{
    for (const struct rule *rule = rules; rule->transport; rule++) {
        if (fits(rule->transport, peer_text(row, "transport")) &&
            fits(rule->pattern, peer_text(row, "pattern")))
            return rule;
    }
    return NULL;
}

/* Rows without a list have a pattern that we can make. */
static bool flows_of(const struct doc *row, struct traffic *traffic, struct diag *diag)
{
    static const char *const names[][2] = {
        {"alltoall", "all-to-all"}, {"alltoall_shift", "all-to-all-steps"}, {NULL, NULL}};
    peer_flows(row, traffic);
    const struct doc_node *args = doc_find(row->root, "pattern_args");
    const struct doc_node *bytes = args ? doc_find(args, "bytes") : NULL;
    for (int i = 0; names[i][0] && traffic_count(traffic) == 0 && bytes; i++) {
        struct pattern_request request = {.npus = (uint32_t)peer_number(row, "hosts"),
                                          .bytes = bytes->magnitude};
        if (strcmp(peer_text(row, "pattern"), names[i][0]) == 0)
            pattern_add(pattern_find(names[i][1]), &request, traffic, diag);
    }
    return traffic_count(traffic) > 0;
}

static void topology_of(const struct doc *row, char *to, size_t size)
{
    const struct doc_node *map = doc_find(row->root, "topology");
    snprintf(to, size, "fattree:%.0f,bw=%.0fGbps,lat=%.0fns", doc_find(map, "k")->number,
             doc_find(map, "gbps")->number, doc_find(map, "hop_latency_us")->number * 1e3);
}

/* -- makespans --------------------------------------------------------------------------------- */

static enum status run_row(const struct doc *row, bool brief, FILE *out, struct part_count *count,
                           struct diag *diag)
{
    const struct rule *rule = rule_of(row);
    if (!rule || !rule->why || !doc_find(row->root, "makespan_us"))
        return STATUS_OK;
    struct traffic traffic;
    struct traffic_result result;
    char topology[128];
    traffic_init(&traffic);
    traffic_result_init(&result);
    topology_of(row, topology, sizeof topology);
    const struct peer_network network = {
        .topology = topology, .backend = NET_FLOW, .routing = rule->routing};
    if (flows_of(row, &traffic, diag) && peer_run(&network, &traffic, &result, diag) == STATUS_OK) {
        double theirs_us = peer_number(row, "makespan_us");
        double ours_us = (double)result.makespan_ps / 1e6;
        double percent = 100 * (ours_us - theirs_us) / theirs_us;
        bool holds = fabs(percent) <= TOLERANCE_PERCENT;
        if (rule->must)
            *(holds ? &count->passed : &count->failed) += 1;
        if (!brief || (rule->must && !holds))
            fprintf(out, "  %-14s %-15s %5.0f %10.1f %10.1f %+7.1f %%  %s%s\n",
                    peer_text(row, "transport"), peer_text(row, "pattern"),
                    peer_number(row, "hosts"), theirs_us, ours_us, percent,
                    !rule->must ? ""
                    : holds     ? "holds"
                                : "FAILED",
                    rule->must ? "" : rule->why);
    }
    traffic_release(&traffic);
    traffic_result_release(&result);
    return diag->status;
}

static enum status run_makespans(const char *path, bool brief, FILE *out, struct part_count *count,
                                 struct diag *diag)
{
    struct peer_file peers;
    struct doc row;
    uint32_t before = count->passed;
    if (peer_open(&peers, path, diag) != STATUS_OK)
        return diag->status;
    if (!brief)
        fprintf(out, "  %-14s %-15s %5s %10s %10s %9s\n", "htsim", "pattern", "hosts", "theirs us",
                "flow us", "");
    while (diag->status == STATUS_OK && peer_next(&peers, &row, diag)) {
        run_row(&row, brief, out, count, diag);
        doc_release(&row);
    }
    peer_close(&peers);
    fprintf(out, "  sprayed, against NDP: %u rows within %.0f %%\n", count->passed - before,
            TOLERANCE_PERCENT);
    return diag->status;
}

/* -- collisions of hashed ECMP ----------------------------------------------------------------- */

/* Line rate over the mean rate of the flows of one random permutation: what collisions cost. */
static enum status collision_factor(const char *topology, uint32_t npus, uint64_t seed,
                                    double *factor, struct diag *diag)
{
    struct traffic traffic;
    struct traffic_result result;
    const struct pattern_request request = {.npus = npus, .bytes = 2097152, .seed = seed};
    const struct peer_network network = {
        .topology = topology, .backend = NET_FLOW, .routing = ROUTING_ECMP, .seed = seed};
    traffic_init(&traffic);
    traffic_result_init(&result);
    pattern_add(pattern_find("permutation"), &request, &traffic, diag);
    if (peer_run(&network, &traffic, &result, diag) == STATUS_OK) {
        double sum = 0;
        for (uint32_t i = 0; i < npus; i++)
            sum += (double)request.bytes / (double)result.arrived_ps[i];
        *factor = 0.0125 / (sum / npus);
    }
    traffic_release(&traffic);
    traffic_result_release(&result);
    return diag->status;
}

static enum status run_collisions(FILE *out, struct part_count *count, struct diag *diag)
{
    static const struct {
        uint32_t k, npus;
        bool must; /* the sizes that htsim's permutations have */
    } sizes[] = {{4, 16, true}, {8, 128, true}, {16, 1024, false}};
    fprintf(out, "  hashed ECMP, random permutations: line rate / mean rate of a flow, %d seeds\n",
            SEEDS);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char topology[64];
        double sum = 0, least = INFINITY, most = 0;
        snprintf(topology, sizeof topology, "fattree:%u,bw=100Gbps,lat=0ns", sizes[i].k);
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            double factor = 0;
            if (collision_factor(topology, sizes[i].npus, seed, &factor, diag) != STATUS_OK)
                return diag->status;
            sum += factor / SEEDS;
            least = fmin(least, factor);
            most = fmax(most, factor);
        }
        bool holds = sum >= COLLISION_LEAST && sum <= COLLISION_MOST;
        if (sizes[i].must)
            *(holds ? &count->passed : &count->failed) += 1;
        fprintf(out, "  %5u hosts: mean %.2f (%.2f to %.2f)  %s\n", sizes[i].npus, sum, least, most,
                !sizes[i].must ? "more hops that can collide; htsim has no such row"
                : holds        ? "within 1.4 to 2.1"
                               : "FAILED: not within 1.4 to 2.1");
    }
    return STATUS_OK;
}

enum status agree_htsim(const char *shared, bool brief, FILE *out, struct part_count *count,
                        struct diag *diag)
{
    char path[4096];
    snprintf(path, sizeof path, "%.3900s/data/peers/htsim_reference.jsonl", shared);
    if (run_makespans(path, brief, out, count, diag) != STATUS_OK)
        return diag->status;
    return run_collisions(out, count, diag);
}
