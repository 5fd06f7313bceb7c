/*
 * bench_flow - the max-min solver and the flow model at scale:
 *   a whole solve of a random permutation with hashed ECMP, in ns per flow-link (target: 30);
 *   repairs, one flow stopped and one started, in us;
 *   traffic from the first to the last arrival, with its memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "net/model/maxmin.h"
#include "net/topology/fabric.h"
#include "net/topology/resolve.h"
#include "net/topology/routing.h"
#include "net/traffic/pattern.h"
#include "tests/bench/bench.h"

enum { SOLVES = 50, REPAIRS = 2000 };

static void ended(const struct diag *diag)
{
    diag_print(diag, stderr);
    exit(EXIT_FAILURE);
}

static void configure(struct config *config, const char *topology, enum net_routing routing)
{
    struct diag diag = DIAG_NONE;
    config_init(config);
    config->network.topology = topology;
    config->network.routing = routing;
    config->network.whole_ns = false;
    if (topology_resolve(config, NULL, &diag) != STATUS_OK)
        ended(&diag);
}

/* -- the solver alone -------------------------------------------------------------------------- */

struct solver_load {
    struct maxmin *solver;
    uint32_t *flow;
    uint32_t flows;
    uint64_t flow_links;
};

static void load_permutation(struct solver_load *load, const struct config *config)
{
    struct diag diag = DIAG_NONE;
    const struct fabric *fabric = config->network.fabric;
    struct routing *routing;
    struct traffic traffic;
    double *capacity = calloc(fabric->link_count, sizeof *capacity);
    need_memory(capacity != NULL);
    for (uint32_t l = 0; l < fabric->link_count; l++)
        capacity[l] = fabric->link[l].bandwidth_Bps / 1e9;
    *load = (struct solver_load){.solver = maxmin_create(capacity, fabric->link_count),
                                 .flows = fabric->npu_count};
    load->flow = calloc(load->flows, sizeof *load->flow);
    need_memory(load->flow != NULL);
    if (routing_create(&routing, fabric, &config->network, &diag) != STATUS_OK)
        ended(&diag);
    traffic_init(&traffic);
    const struct pattern_request request = {.npus = load->flows, .bytes = 1, .seed = 1};
    pattern_add(pattern_find("permutation"), &request, &traffic, &diag);
    for (uint32_t i = 0; i < load->flows; i++) {
        struct route route;
        routing_find(routing, traffic_flow(&traffic, i)->src, traffic_flow(&traffic, i)->dst,
                     &route);
        load->flow[i] = maxmin_add(load->solver, route.count, route.link, route.share);
        load->flow_links += route.count;
    }
    traffic_release(&traffic);
    routing_destroy(routing);
    free(capacity);
}

/* Flows start in another order each time, so that no solution is looked up. */
static void solve_whole(const char *topology)
{
    struct config config;
    struct solver_load load;
    uint64_t state = 1;
    double seconds = 0;
    configure(&config, topology, ROUTING_ECMP);
    load_permutation(&load, &config);
    for (int round = 0; round < SOLVES; round++) {
        for (uint32_t i = load.flows - 1; i > 0; i--) {
            uint32_t j = (uint32_t)(bench_random(&state) % (i + 1)), swapped = load.flow[i];
            load.flow[i] = load.flow[j];
            load.flow[j] = swapped;
        }
        for (uint32_t i = 0; i < load.flows; i++)
            maxmin_start(load.solver, load.flow[i]);
        double begin = bench_user_s();
        maxmin_solve(load.solver);
        seconds += bench_user_s() - begin;
        for (uint32_t i = 0; round + 1 < SOLVES && i < load.flows; i++)
            maxmin_stop(load.solver, load.flow[i]);
    }
    double begin = bench_user_s();
    for (int i = 0; i < REPAIRS; i++) {
        uint32_t flow = load.flow[bench_random(&state) % load.flows];
        maxmin_stop(load.solver, flow);
        maxmin_solve(load.solver);
        maxmin_start(load.solver, flow);
        maxmin_solve(load.solver);
    }
    double repair_s = bench_user_s() - begin;
    printf("  %-34s %8" PRIu32 " %10" PRIu64 " %14.1f %12.2f\n", topology, load.flows,
           load.flow_links, seconds / SOLVES / (double)load.flow_links * 1e9,
           repair_s / (2 * REPAIRS) * 1e6);
    maxmin_destroy(load.solver);
    free(load.flow);
    config_release(&config);
}

/* -- traffic ----------------------------------------------------------------------------------- */

static const struct {
    const char *topology, *pattern;
    enum net_routing routing;
    const char *what;
} runs[] = {
    {"fattree:32", "permutation", ROUTING_ECMP, "target 2 s"},
    {"fattree2:64", "all-to-all", ROUTING_SPRAY, "target 10 s, 2 GiB"},
    {"fattree:8", "all-to-all", ROUTING_ECMP, ""},
};

/* User seconds with the making of the fabric. */
static void run_traffic(size_t which)
{
    struct diag diag = DIAG_NONE;
    struct config config;
    struct traffic traffic;
    struct traffic_result result;
    double begin = bench_user_s();
    configure(&config, runs[which].topology, runs[which].routing);
    traffic_init(&traffic);
    traffic_result_init(&result);
    const struct pattern_request request = {
        .npus = config.network.npu_count, .bytes = 65536, .seed = 1};
    const struct traffic_net net = {network_model_of(NET_FLOW), &config.network};
    if (pattern_add(pattern_find(runs[which].pattern), &request, &traffic, &diag) != STATUS_OK ||
        traffic_run(&traffic, &net, NULL, &result, &diag) != STATUS_OK)
        ended(&diag);
    printf("  %-14s %-12s %9" PRIu32 " flows %8.3f s %8.0f MiB so far  %s\n", runs[which].topology,
           runs[which].pattern, traffic_count(&traffic), bench_user_s() - begin,
           (double)bench_peak_rss_bytes() / 1048576, runs[which].what);
    traffic_result_release(&result);
    traffic_release(&traffic);
    config_release(&config);
}

int main(void)
{
    printf("  %-34s %8s %10s %14s %12s\n", "random permutation, hashed ECMP", "flows", "flow-links",
           "ns/flow-link", "us/repair");
    solve_whole("fattree:16");
    solve_whole("fattree:32");
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        run_traffic(i);
    return EXIT_SUCCESS;
}
