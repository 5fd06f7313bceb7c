/*
 * bench_link - message-hops per second of the link model (its target: 15 million), and of the other
 * models messages per second, on fabrics of 4,096 NPUs and less.
 *
 * Every NPU keeps WINDOW messages under way to peers of a pattern; an arrival sends the next.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/network.h"
#include "net/topology/fabric.h"
#include "net/topology/routing.h"
#include "tests/bench/bench.h"

enum { KIND_ARRIVED = 1, MESSAGES = 4000000 };

enum pattern { NEIGHBOURS, STRIDES, RANDOM };

struct load {
    struct engine engine;
    const struct network_ops *ops;
    void *net;
    uint32_t npus;
    enum pattern pattern;
    uint64_t left, random, bytes;
};

static uint32_t peer_of(struct load *load, uint32_t src)
{
    uint64_t random = bench_random(&load->random);
    uint32_t step = 1;
    if (load->pattern == STRIDES)
        step = 1u << (random % 12) & (load->npus - 1);
    if (load->pattern == RANDOM)
        step = (uint32_t)(random % (load->npus - 1));
    return (src + (step ? step : 1)) % load->npus;
}

static void send_next(struct load *load, uint32_t src)
{
    if (!load->left)
        return;
    load->left--;
    load->ops->send(load->net, src, peer_of(load, src), load->bytes,
                    engine_payload(KIND_ARRIVED, src));
}

static void on_arrival(void *context, uint64_t payload)
{
    send_next(context, (uint32_t)(payload & ENGINE_DATA_MASK));
}

static void fail(const struct diag *diag)
{
    diag_print(diag, stderr);
    exit(1);
}

static void run(const char *topology, const char *pattern_name, enum pattern pattern,
                uint32_t window, struct network_config config)
{
    struct load load = {.pattern = pattern, .left = MESSAGES, .random = 7, .bytes = 65536};
    struct diag diag = DIAG_NONE;
    struct fabric *fabric = NULL;
    if (fabric_parse(topology, &fabric, &diag) != STATUS_OK)
        fail(&diag);
    config.fabric = fabric;
    config.npu_count = load.npus = fabric->npu_count;
    load.ops = network_model_of(config.backend);
    engine_init(&load.engine);
    engine_on(&load.engine, KIND_ARRIVED, on_arrival, &load);
    if (load.ops->create(&load.net, &config, &load.engine, &diag) != STATUS_OK)
        fail(&diag);
    double start = bench_user_s();
    for (uint32_t w = 0; w < window; w++)
        for (uint32_t src = 0; src < load.npus; src++)
            send_next(&load, src);
    while (engine_run(&load.engine, UINT64_MAX, TIME_NEVER) != ENGINE_DRY)
        continue;
    double seconds = bench_user_s() - start;
    double hops = 0;
    if (load.ops->links) {
        struct link_figures *rows = calloc(fabric->link_count, sizeof *rows);
        load.ops->links(load.net, rows);
        for (uint32_t i = 0; i < fabric->link_count; i++)
            hops += (double)rows[i].messages;
        free(rows);
    }
    printf("%-11s %-14s %-10s %6u %7.2f %9.2f %10.2f %8.1f\n", load.ops->name, topology,
           pattern_name, window, hops / MESSAGES, MESSAGES / seconds / 1e6, hops / seconds / 1e6,
           hops > 0 ? seconds / hops * 1e9 : 0);
    load.ops->destroy(load.net);
    engine_release(&load.engine);
    fabric_destroy(fabric);
}

int main(void)
{
    struct network_config cut = {.backend = NET_LINK};
    struct network_config store = {.backend = NET_LINK, .forwarding = FORWARD_STORE};
    struct network_config analytical = {.backend = NET_ANALYTICAL};
    struct network_config ideal = {.backend = NET_IDEAL};
    printf("%-11s %-14s %-10s %6s %7s %9s %10s %8s\n", "model", "topology", "pattern", "window",
           "hops", "Mmsg/s", "Mhops/s", "ns/hop");
    run("torus:16x16x16", "neighbours", NEIGHBOURS, 1, cut);
    run("torus:16x16x16", "strides", STRIDES, 1, cut);
    run("torus:16x16x16", "random", RANDOM, 1, cut);
    run("torus:16x16x16", "random", RANDOM, 8, cut);
    run("torus:16x16x16", "random", RANDOM, 8, store);
    run("switch:1024", "random", RANDOM, 8, cut);
    run("full:64", "random", RANDOM, 8, cut);
    run("ring:64", "random", RANDOM, 1, cut);
    run("torus:16x16x16", "random", RANDOM, 8, analytical);
    run("torus:16x16x16", "random", RANDOM, 8, ideal);
    return 0;
}
