/* The ideal model by hand, and that it bounds the others where its header says so. */
#include "base/mix.h"
#include "tests/unit/unit.h"

#include "net/model/link_spray.h"
#include "tests/unit/net_bench.h"

static const time_ps NS = PS_PER_NS;

static const struct network_config IDEAL = {.backend = NET_IDEAL};

#define SWITCH4 "switch:4,bw=1GB/s,lat=100ns"

/* Latency of the route + bytes / port; a port is all links of the NPU: 2 on a ring, 3 if full. */
static const struct {
    const char *topology;
    uint32_t dst;
    uint64_t bytes, ns;
} alone[] = {
    {SWITCH4, 1, 1000, 200 + 1000},
    {"ring:8,bw=1GB/s,lat=100ns", 3, 1000, 300 + 500},
    {"full:4,bw=1GB/s,lat=100ns", 3, 3000, 100 + 1000},
    {"torus:4x4,bw=1GB/s,lat=100ns", 5, 1000, 200 + 250},
    {"torus:4x4,bw=1GB/s,lat=100ns", 5, 0, 200},
};

START_TEST(one_message)
{
    ck_assert_uint_eq(net_alone(alone[_i].topology, IDEAL, 0, alone[_i].dst, alone[_i].bytes),
                      alone[_i].ns * NS);
}
END_TEST

/* Ports work first come first served: incast and outcast of three. */
START_TEST(ports_serve_in_turn)
{
    struct net_bench bench;
    net_setup(&bench, SWITCH4, IDEAL);
    for (uint32_t other = 1; other < 4; other++) {
        net_send(&bench, other, 0, 1000, other);
        net_send(&bench, 0, other, 500, other + 10);
    }
    net_finish(&bench);
    for (uint32_t other = 1; other < 4; other++) {
        ck_assert_uint_eq(bench.at[other], (200 + 1000 * other) * NS);
        ck_assert_uint_eq(bench.at[other + 10], (200 + 500 * other) * NS);
    }
    net_teardown(&bench);
}
END_TEST

/* Ports do not wait for each other: 1 -> 0 is behind in 0's port only, 1 -> 2 in 1's only. */
START_TEST(ports_do_not_wait_for_each_other)
{
    struct net_bench bench;
    net_setup(&bench, SWITCH4, IDEAL);
    net_send(&bench, 3, 0, 1000, 0);
    net_send(&bench, 1, 0, 1000, 1);
    net_send(&bench, 1, 2, 1000, 2);
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[0], 1200 * NS);
    ck_assert_uint_eq(bench.at[1], 2200 * NS);
    ck_assert_uint_eq(bench.at[2], 2200 * NS);
    net_teardown(&bench);
}
END_TEST

static const struct setting_of_model {
    enum net_backend backend;
    enum net_forwarding forwarding;
    uint64_t segment;
} others[] = {
    {NET_ANALYTICAL, FORWARD_CUT_THROUGH, 0},
    {NET_LINK, FORWARD_CUT_THROUGH, 0},
    {NET_LINK, FORWARD_STORE, 0},
    {NET_LINK, FORWARD_STORE, 500},
    {NET_LINK, FORWARD_CUT_THROUGH, 500},
    {NET_FLOW, FORWARD_CUT_THROUGH, 0},
};

enum { OTHERS = sizeof others / sizeof others[0] };

static const char *const topologies[] = {
    SWITCH4,
    "ring:7,bw=1GB/s,lat=100ns",
    "torus:4x3x2,bw=3GB/s,lat=7ns",
    "full:5,bw=2GB/s,lat=20ns",
    "line:6,bw=2GB/s,lat=20ns",
    "ring:4,bw=9GB/s,lat=10ns*switch:3,bw=2GB/s,lat=300ns",
};

enum { TOPOLOGIES = sizeof topologies / sizeof topologies[0] };

static struct network_config config_of(const struct setting_of_model *model, bool spray)
{
    return (struct network_config){.backend = model->backend,
                                   .forwarding = model->forwarding,
                                   .segment_bytes = model->segment,
                                   .routing = spray ? ROUTING_SPRAY : ROUTING_AUTO};
}

/* Latency and transfer, or every segment, are rounded to the ps; parts of a sprayed message miss
 * their shares. */
static time_ps tolerance(const struct setting_of_model *model, uint64_t bytes, time_ps time,
                         bool spray)
{
    return (model->segment ? bytes / model->segment + 1 : 1) + (spray ? time / SPRAY_PARTS : 0);
}

/* (a) of ideal.h, and link >= analytical: every pair alone, many sizes. Latencies are whole ps. */
START_TEST(alone_it_is_a_bound)
{
    static const uint64_t sizes[] = {0, 1, 999, 1000, 65537};
    bool spray = _i >= TOPOLOGIES;
    const char *topology = topologies[_i % TOPOLOGIES];
    static struct net_bench bench, ideal, analytical;
    net_setup(&ideal, topology, config_of(&(struct setting_of_model){NET_IDEAL, 0, 0}, spray));
    net_setup(&analytical, topology, config_of(&others[0], spray));
    for (int o = 0; o < OTHERS; o++) {
        net_setup(&bench, topology, config_of(&others[o], spray));
        uint32_t n = bench.fabric->npu_count;
        for (uint32_t pair = 0; pair < n * n; pair++) {
            uint32_t src = pair / n, dst = pair % n;
            for (size_t s = 0; src != dst && s < sizeof sizes / sizeof sizes[0]; s++) {
                time_ps start = bench.engine.now;
                net_send(&bench, src, dst, sizes[s], 0);
                net_finish(&bench);
                time_ps took = bench.at[0] - start;
                time_ps plain = analytical.ops->idle_time(analytical.net, src, dst, sizes[s]);
                time_ps least = ideal.ops->idle_time(ideal.net, src, dst, sizes[s]);
                ck_assert_uint_le(least, plain);
                ck_assert_uint_le(least, took);
                ck_assert_uint_le(plain, took + tolerance(&others[o], sizes[s], plain, spray));
                if (!spray && others[o].forwarding == FORWARD_CUT_THROUGH && !others[o].segment)
                    ck_assert_uint_le(took, plain + 1);
            }
        }
        net_teardown(&bench);
    }
    net_teardown(&ideal);
    net_teardown(&analytical);
}
END_TEST

/* (b): the last arrival of random messages that are known at one time. */
static time_ps last_of_set(const char *topology, struct network_config config, uint64_t seed)
{
    static struct net_bench bench;
    net_setup(&bench, topology, config);
    uint32_t n = bench.fabric->npu_count;
    for (uint64_t m = 0; m < 60; m++) {
        uint64_t random = random_next(&seed);
        uint32_t src = (random >> 40) % n, dst = (src + 1 + (random >> 50) % (n - 1)) % n;
        net_send(&bench, src, dst, random >> 20 & 0x3fff, m);
    }
    net_finish(&bench);
    time_ps last = 0;
    for (uint64_t m = 0; m < 60; m++)
        last = bench.at[m] > last ? bench.at[m] : last;
    net_teardown(&bench);
    return last;
}

START_TEST(of_a_set_it_is_a_bound)
{
    bool spray = _i >= TOPOLOGIES;
    const char *topology = topologies[_i % TOPOLOGIES];
    for (uint64_t seed = 1; seed < 10; seed++) {
        time_ps least = last_of_set(
            topology, config_of(&(struct setting_of_model){NET_IDEAL, 0, 0}, spray), seed);
        for (int o = 1; o < OTHERS; o++) /* analytical does not see ports */
            ck_assert_uint_le(least, last_of_set(topology, config_of(&others[o], spray), seed) + 1);
    }
}
END_TEST

/* A switch as an end has no port: messages to it queue in the NPUs' ports only. */
START_TEST(to_and_from_switches)
{
    struct net_bench bench;
    net_setup(&bench, SWITCH4, IDEAL);
    net_send(&bench, 0, 4, 1000, 0);
    net_send(&bench, 1, 4, 1000, 1);
    net_send(&bench, 1, 4, 1000, 2);
    net_send(&bench, 4, 2, 1000, 3);
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[0], 1100 * NS);
    ck_assert_uint_eq(bench.at[1], 1100 * NS);
    ck_assert_uint_eq(bench.at[2], 2100 * NS);
    ck_assert_uint_eq(bench.at[3], 1100 * NS);
    net_teardown(&bench);
}
END_TEST

/* Folded, rank 0's messages come back to its own port; two at one time are a tie. */
START_TEST(folded)
{
    struct net_bench bench;
    net_setup(&bench, "ring:4,bw=1GB/s,lat=100ns", IDEAL);
    bool is_tied = false;
    struct fold_act act = {.serial = 1, .cause = 1};
    struct link_fold fold = {NET_BENCH_ONE_CLASS(4), .is_tied = &is_tied, .act = &act};
    bench.ops->fold(bench.net, &fold);
    net_send(&bench, 0, 1, 1000, 0);
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[0], 600 * NS);
    ck_assert(!is_tied);
    net_send(&bench, 0, 1, 1000, 1);
    net_send(&bench, 0, 3, 1000, 2);
    ck_assert(is_tied);
    net_teardown(&bench);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("ideal");
    TCase *cases = tcase_create("ideal");
    tcase_add_loop_test(cases, one_message, 0, (int)(sizeof alone / sizeof alone[0]));
    tcase_add_test(cases, ports_serve_in_turn);
    tcase_add_test(cases, ports_do_not_wait_for_each_other);
    tcase_add_loop_test(cases, alone_it_is_a_bound, 0, 2 * TOPOLOGIES);
    tcase_add_loop_test(cases, of_a_set_it_is_a_bound, 0, 2 * TOPOLOGIES);
    tcase_add_test(cases, to_and_from_switches);
    tcase_add_test(cases, folded);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
