/* net_bench - a network model on a fabric from its one-line form, messages and their arrivals. */
#ifndef ORRERY_TESTS_UNIT_NET_BENCH_H
#define ORRERY_TESTS_UNIT_NET_BENCH_H

#include "model/network.h"
#include "tests/unit/fabric_util.h"

enum { NET_ARRIVED = 1, NET_TICKETS = 4096 };

/* Members of a struct link_fold in which rank 0 stands for `n` ranks. */
#define NET_BENCH_ONE_CLASS(n)                                                                     \
    .class_of_rank = (const uint32_t[64]){0}, .first_of_class = (const uint32_t[1]){0},            \
    .ranks_of_class = (const uint32_t[1])                                                          \
    {                                                                                              \
        n                                                                                          \
    }

struct net_bench {
    struct engine engine;
    struct fabric *fabric;
    const struct network_ops *ops;
    void *net;
    time_ps at[NET_TICKETS]; /* by ticket data */
    uint32_t arrived;
};

static inline void net_on_arrival(void *context, uint64_t payload)
{
    struct net_bench *bench = context;
    bench->at[payload & ENGINE_DATA_MASK] = bench->engine.now;
    bench->arrived++;
}

/* The bench owns the fabric. */
static inline void net_setup_on(struct net_bench *bench, struct fabric *fabric,
                                struct network_config config)
{
    struct diag diag = DIAG_NONE;
    memset(bench, 0, sizeof *bench);
    bench->ops = network_model_of(config.backend);
    bench->fabric = config.fabric = fabric;
    config.npu_count = fabric->npu_count;
    engine_init(&bench->engine);
    engine_on(&bench->engine, NET_ARRIVED, net_on_arrival, bench);
    ck_assert_int_eq(bench->ops->check(&config, &diag), STATUS_OK);
    ck_assert_msg(bench->ops->create(&bench->net, &config, &bench->engine, &diag) == STATUS_OK,
                  "%s", diag.message);
}

static inline void net_setup(struct net_bench *bench, const char *topology,
                             struct network_config config)
{
    net_setup_on(bench, fabric_from(topology), config);
}

static inline void net_send(struct net_bench *bench, uint32_t src, uint32_t dst, uint64_t bytes,
                            uint64_t ticket)
{
    bench->ops->send(bench->net, src, dst, bytes, engine_payload(NET_ARRIVED, ticket));
}

static inline void net_finish(struct net_bench *bench)
{
    while (engine_run(&bench->engine, 1000, TIME_NEVER) != ENGINE_DRY)
        continue;
}

static inline void net_teardown(struct net_bench *bench)
{
    bench->ops->destroy(bench->net);
    engine_release(&bench->engine);
    fabric_destroy(bench->fabric);
}

/* Arrival of one message alone, in ps; checked against idle_time(). */
static inline time_ps net_alone(const char *topology, struct network_config config, uint32_t src,
                                uint32_t dst, uint64_t bytes)
{
    struct net_bench bench;
    net_setup(&bench, topology, config);
    net_send(&bench, src, dst, bytes, 0);
    net_finish(&bench);
    time_ps at = bench.at[0];
    ck_assert_uint_eq(bench.arrived, 1);
    ck_assert_uint_eq(bench.ops->idle_time(bench.net, src, dst, bytes), at);
    net_teardown(&bench);
    return at;
}

/* What the link from `src` to `dst` has done. */
static inline struct link_figures net_link(const struct net_bench *bench, uint32_t src,
                                           uint32_t dst)
{
    uint32_t link = fabric_find_link(bench->fabric, src, dst);
    struct link_figures *rows = calloc(bench->fabric->link_count, sizeof *rows);
    ck_assert(rows && link != FABRIC_NONE);
    bench->ops->links(bench->net, rows);
    struct link_figures figures = rows[link];
    free(rows);
    return figures;
}

#endif
