/* Network models against their equations and small contention cases by hand. */
#include "base/mix.h"
#include "tests/unit/unit.h"

#include <string.h>

#include "model/network.h"

enum { KIND_ARRIVED = 1 };

struct arrivals {
    struct engine engine;
    const struct network_ops *ops;
    void *net;
    time_ps at[64]; /* by ticket data */
};

static void on_arrival(void *context, uint64_t payload)
{
    struct arrivals *arrivals = context;
    arrivals->at[payload & ENGINE_DATA_MASK] = arrivals->engine.now;
}

static void setup(struct arrivals *a, struct network_config config)
{
    struct diag diag = DIAG_NONE;
    *a = (struct arrivals){.ops = network_model_of(config.backend)};
    engine_init(&a->engine);
    engine_on(&a->engine, KIND_ARRIVED, on_arrival, a);
    ck_assert_msg(a->ops->create(&a->net, &config, &a->engine, &diag) == STATUS_OK, "%s",
                  diag.message);
}

static void send(struct arrivals *a, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket)
{
    a->ops->send(a->net, src, dst, bytes, engine_payload(KIND_ARRIVED, ticket));
}

static void finish(struct arrivals *a)
{
    while (engine_run(&a->engine, 1000, TIME_NEVER) != ENGINE_DRY)
        continue;
}

static void teardown(struct arrivals *a)
{
    a->ops->destroy(a->net);
    engine_release(&a->engine);
}

static struct network_config one_dim(enum net_backend backend, enum net_block block, uint32_t npus,
                                     double bandwidth, double latency)
{
    return (struct network_config){.backend = backend,
                                   .dim_count = 1,
                                   .dim = {{block, npus, bandwidth, latency}},
                                   .npu_count = npus,
                                   .whole_ns = true};
}

/*
 * Without contention: trunc(hops x latency + bytes / bandwidth). 50 GB/s of 2^30: 53.6870912 B/ns;
 * 131072 B: 2441.4 ns. On a ring of 8 from 0: to 3 three hops, to 6 two hops the other way.
 */
static const struct {
    enum net_block block;
    uint32_t dst;
    double latency;
    uint64_t bytes, ns;
} unaware[] = {
    {NET_RING, 1, 500.0, 131072, 2941},
    {NET_RING, 3, 500.0, 131072, 3941},
    {NET_RING, 6, 500.0, 131072, 3441},
    {NET_RING, 4, 0.3, 0, 1},
    {NET_FULLY_CONNECTED, 5, 500.0, 131072, 2941},
    {NET_SWITCH, 5, 500.0, 131072, 3441},
    {NET_SWITCH, 7, 123.7, 0, 247},
};

START_TEST(unaware_times)
{
    struct arrivals a;
    setup(&a, one_dim(NET_CONGESTION_UNAWARE, unaware[_i].block, 8, 50.0 * (1 << 30) / 1e9,
                      unaware[_i].latency));
    send(&a, 0, unaware[_i].dst, unaware[_i].bytes, 0);
    finish(&a);
    ck_assert_uint_eq(a.at[0], unaware[_i].ns * PS_PER_NS);
    ck_assert_uint_eq(a.ops->idle_time(a.net, 0, unaware[_i].dst, unaware[_i].bytes), a.at[0]);
    teardown(&a);
}
END_TEST

/* Off ASTRA-sim's grid: 0.5 + 1 / 3 ns = 833 1/3 ps, of which the link is held 333 1/3 ps. */
START_TEST(times_to_the_picosecond)
{
    struct arrivals a;
    struct network_config config = one_dim(NET_CONGESTION_UNAWARE, NET_RING, 8, 3.0, 0.5);
    config.whole_ns = false;
    setup(&a, config);
    send(&a, 0, 1, 1, 0);
    finish(&a);
    ck_assert_uint_eq(a.at[0], 833);
    teardown(&a);
    config.backend = NET_CONGESTION_AWARE;
    setup(&a, config);
    send(&a, 0, 1, 1, 0);
    send(&a, 0, 2, 1, 1);
    finish(&a);
    ck_assert_uint_eq(a.at[0], 833);
    ck_assert_uint_eq(a.at[1], 333 + 2 * 833);
    teardown(&a);
}
END_TEST

/* In several dimensions the first that differs carries the message: 2 x 4, rank = a0 + 2 a1. */
START_TEST(unaware_first_differing_dimension)
{
    struct network_config config = {
        .backend = NET_CONGESTION_UNAWARE,
        .dim_count = 2,
        .dim = {{NET_RING, 2, 10.0, 100.0}, {NET_SWITCH, 4, 1.0, 1000.0}},
        .npu_count = 8};
    struct arrivals a;
    setup(&a, config);
    send(&a, 0, 1, 100, 0); /* dim 0: 100 + 10 */
    send(&a, 0, 2, 100, 1); /* dim 1: 2000 + 100 */
    send(&a, 0, 7, 100, 2); /* both differ: dim 0 */
    finish(&a);
    ck_assert_uint_eq(a.at[0], 110 * PS_PER_NS);
    ck_assert_uint_eq(a.at[1], 2100 * PS_PER_NS);
    ck_assert_uint_eq(a.at[2], 110 * PS_PER_NS);
    ck_assert_uint_eq(a.ops->dimension(a.net, 0, 2), 1);
    teardown(&a);
}
END_TEST

/*
 * Store and forward, 1 B/ns, latency 100: one hop of 1000 B is 1100 ns, the link is free after
 * 1000. Ring of 4: 0 -> 2 goes clockwise (tie) over 1: 2200. Two messages 0 -> 1 queue: 1100, 2100.
 * Behind 0 -> 2, which reaches 1 at 1100, the link 1 -> 2 is taken by 1 -> 2 (0 .. 1000): free, so
 * 0 -> 2 goes on at once.
 */
START_TEST(aware_ring)
{
    struct arrivals a;
    setup(&a, one_dim(NET_CONGESTION_AWARE, NET_RING, 4, 1.0, 100.0));
    send(&a, 0, 2, 1000, 0);
    send(&a, 0, 1, 1000, 1); /* behind it on the same link: leaves at 1000 */
    send(&a, 1, 2, 1000, 2);
    send(&a, 0, 3, 1000, 3); /* the other way */
    finish(&a);
    ck_assert_uint_eq(a.at[0], 2200 * PS_PER_NS);
    ck_assert_uint_eq(a.at[1], 2100 * PS_PER_NS);
    ck_assert_uint_eq(a.at[2], 1100 * PS_PER_NS);
    ck_assert_uint_eq(a.at[3], 1100 * PS_PER_NS);
    teardown(&a);
}
END_TEST

/* Incast on a switch: three messages reach it at 1100 and share the link down: 2200, 3200, 4200. */
START_TEST(aware_switch_incast)
{
    struct arrivals a;
    setup(&a, one_dim(NET_CONGESTION_AWARE, NET_SWITCH, 4, 1.0, 100.0));
    for (uint32_t src = 1; src < 4; src++)
        send(&a, src, 0, 1000, src);
    finish(&a);
    for (uint32_t src = 1; src < 4; src++)
        ck_assert_uint_eq(a.at[src], (1200 + 1000 * src) * PS_PER_NS);
    teardown(&a);
}
END_TEST

/* A full mesh has a link per pair: nothing waits, except on the same pair. */
START_TEST(aware_full_mesh)
{
    struct arrivals a;
    setup(&a, one_dim(NET_CONGESTION_AWARE, NET_FULLY_CONNECTED, 4, 1.0, 100.0));
    send(&a, 1, 0, 1000, 1);
    send(&a, 2, 0, 1000, 2);
    send(&a, 1, 0, 1000, 3);
    finish(&a);
    ck_assert_uint_eq(a.at[1], 1100 * PS_PER_NS);
    ck_assert_uint_eq(a.at[2], 1100 * PS_PER_NS);
    ck_assert_uint_eq(a.at[3], 2100 * PS_PER_NS);
    teardown(&a);
}
END_TEST

/* ASTRA-sim refuses a ring of 2; here it has one link each way. */
START_TEST(aware_ring_of_two)
{
    struct arrivals a;
    setup(&a, one_dim(NET_CONGESTION_AWARE, NET_RING, 2, 1.0, 100.0));
    send(&a, 0, 1, 1000, 0);
    send(&a, 1, 0, 1000, 1);
    finish(&a);
    ck_assert_uint_eq(a.at[0], 1100 * PS_PER_NS);
    ck_assert_uint_eq(a.at[1], 1100 * PS_PER_NS);
    teardown(&a);
}
END_TEST

/* Conservation under random traffic: every message arrives once, none before its idle time. */
START_TEST(aware_random_traffic)
{
    struct arrivals a;
    setup(&a, one_dim(NET_CONGESTION_AWARE, (enum net_block)_i, 8, 3.0, 17.3));
    uint64_t state = 99;
    time_ps least[64];
    for (uint64_t m = 0; m < 64; m++) {
        uint64_t random = random_next(&state);
        uint32_t src = random >> 40 & 7, dst = (src + 1 + (random >> 50 & 0xff) % 7) & 7;
        uint64_t bytes = random >> 20 & 0xffff;
        send(&a, src, dst, bytes, m);
        least[m] = a.ops->idle_time(a.net, src, dst, bytes);
    }
    finish(&a);
    for (uint64_t m = 0; m < 64; m++)
        ck_assert_uint_ge(a.at[m], least[m]);
    teardown(&a);
}
END_TEST

START_TEST(aware_refuses_two_dimensions)
{
    struct network_config config = one_dim(NET_CONGESTION_AWARE, NET_RING, 4, 1.0, 1.0);
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(network_model_of(config.backend)->check(&config, &diag), STATUS_OK);
    config.dim[1] = config.dim[0];
    config.dim_count = 2;
    ck_assert_int_eq(network_model_of(config.backend)->check(&config, &diag), STATUS_BAD_CONFIG);
    ck_assert_ptr_nonnull(strstr(diag.hint, "congestion-unaware"));
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("network");
    TCase *cases = tcase_create("network");
    tcase_add_loop_test(cases, unaware_times, 0, (int)(sizeof unaware / sizeof unaware[0]));
    tcase_add_test(cases, unaware_first_differing_dimension);
    tcase_add_test(cases, times_to_the_picosecond);
    tcase_add_test(cases, aware_ring);
    tcase_add_test(cases, aware_switch_incast);
    tcase_add_test(cases, aware_full_mesh);
    tcase_add_test(cases, aware_ring_of_two);
    tcase_add_loop_test(cases, aware_random_traffic, 0, 3);
    tcase_add_test(cases, aware_refuses_two_dimensions);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
