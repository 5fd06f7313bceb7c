/* The analytical model against its equation; what its links say; folding. */
#include "tests/unit/unit.h"

#include "tests/unit/net_bench.h"

static const time_ps NS = PS_PER_NS;

static const struct network_config ANALYTICAL = {.backend = NET_ANALYTICAL};

/* Sum of latencies + bytes / least bandwidth. */
static const struct {
    const char *topology;
    uint32_t dst;
    uint64_t bytes, ps;
} alone[] = {
    {"switch:4,bw=50GB/s,lat=500ns", 1, 1000000, 21000000},
    {"ring:8,bw=1GB/s,lat=100ns", 3, 1000, 1300000},
    {"ring:8,bw=1GB/s,lat=100ns", 6, 1000, 1200000}, /* the other way */
    {"ring:8,bw=1GB/s,lat=100ns", 6, 0, 200000},
    {"full:8,bw=3GB/s,lat=0.5ns", 7, 1, 833}, /* 833 1/3 */
    {"ring:3,bw=1GB/s,lat=100ns*ring:3,bw=4GB/s,lat=10ns", 4, 1000, 1110000},
    {"ring:3,bw=4GB/s,lat=100ns*ring:3,bw=1GB/s,lat=10ns", 4, 1000, 1110000},
};

START_TEST(one_message)
{
    ck_assert_uint_eq(net_alone(alone[_i].topology, ANALYTICAL, 0, alone[_i].dst, alone[_i].bytes),
                      alone[_i].ps);
}
END_TEST

START_TEST(whole_ns_cuts_once)
{
    struct network_config config = ANALYTICAL;
    config.whole_ns = true; /* 2 x 0.7 + 0.5 = 1.9 ns */
    ck_assert_uint_eq(net_alone("switch:4,bw=2GB/s,lat=0.7ns", config, 0, 1, 1), 1 * NS);
}
END_TEST

/* Messages never meet: both take 1100, and the link says it was used 2000 ns. */
START_TEST(messages_never_meet)
{
    struct net_bench bench;
    net_setup(&bench, "ring:4,bw=1GB/s,lat=100ns", ANALYTICAL);
    net_send(&bench, 0, 1, 1000, 0);
    net_send(&bench, 0, 1, 1000, 1);
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[0], 1100 * NS);
    ck_assert_uint_eq(bench.at[1], 1100 * NS);
    struct link_figures figures = net_link(&bench, 0, 1);
    ck_assert_double_eq(figures.bytes, 2000);
    ck_assert_double_eq(figures.busy_ns, 2000);
    ck_assert_double_eq(figures.queued_ns, 0);
    ck_assert_uint_eq(figures.messages, 2);
    net_teardown(&bench);
}
END_TEST

/* Corner to corner of a 3 x 3 torus, sprayed: half the bytes each way, so twice the bandwidth. */
START_TEST(sprayed)
{
    struct network_config config = ANALYTICAL;
    config.routing = ROUTING_SPRAY;
    struct net_bench bench;
    net_setup(&bench, "torus:3x3,bw=1GB/s,lat=100ns", config);
    net_send(&bench, 0, 4, 1600, 0);
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[0], (200 + 800) * NS);
    ck_assert_double_eq(net_link(&bench, 0, 1).bytes, 800);
    ck_assert_double_eq(net_link(&bench, 1, 4).bytes, 800);
    net_teardown(&bench);
}
END_TEST

START_TEST(with_endpoint_costs)
{
    struct network_config config = ANALYTICAL;
    config.send_overhead_ns = config.receive_overhead_ns = 200;
    config.injection_Bps = 0.5e9; /* slower than the wire */
    ck_assert_uint_eq(net_alone("switch:4,bw=1GB/s,lat=100ns", config, 0, 1, 1000),
                      (200 + 200 + 2000 + 200) * NS);
}
END_TEST

START_TEST(needs_a_topology)
{
    struct network_config config = ANALYTICAL;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(network_model_of(NET_ANALYTICAL)->check(&config, &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.field, "topology");
    ck_assert_ptr_nonnull(strstr(diag.message, "analytical"));
    ck_assert_ptr_nonnull(strstr(diag.hint, "torus"));
}
END_TEST

/* The first dimension that differs; a switch has none. */
START_TEST(dimensions)
{
    struct net_bench bench;
    net_setup(&bench, "ring:4*switch:2", ANALYTICAL);
    ck_assert_uint_eq(bench.ops->dimension(bench.net, 0, 3), 0);
    ck_assert_uint_eq(bench.ops->dimension(bench.net, 0, 4), 1);
    ck_assert_uint_eq(bench.ops->dimension(bench.net, 1, 6), 0);
    ck_assert_uint_eq(bench.ops->dimension(bench.net, 1, 8), 0);
    net_teardown(&bench);
}
END_TEST

/* Folded, one message stands for four, one on each link of the class. */
START_TEST(folded_figures)
{
    struct net_bench bench;
    net_setup(&bench, "ring:4,bw=1GB/s,lat=100ns,oneway", ANALYTICAL);
    ck_assert_uint_eq(bench.fabric->link_count, 4);
    uint32_t class_of[4] = {0}, class_size[4] = {4};
    bool is_tied = false;
    struct fold_act act = {.serial = 1, .cause = 1};
    struct link_fold fold = {.class_of = class_of,
                             .class_size = class_size,
                             NET_BENCH_ONE_CLASS(4),
                             .is_tied = &is_tied,
                             .act = &act};
    bench.ops->fold(bench.net, &fold);
    net_send(&bench, 0, 2, 1000, 0); /* two hops: two messages on every link */
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[0], 1200 * NS);
    ck_assert_double_eq(net_link(&bench, 0, 1).bytes, 2000);
    ck_assert_uint_eq(net_link(&bench, 0, 1).messages, 2);
    ck_assert(!is_tied);
    net_teardown(&bench);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("analytical");
    TCase *cases = tcase_create("analytical");
    tcase_add_loop_test(cases, one_message, 0, (int)(sizeof alone / sizeof alone[0]));
    tcase_add_test(cases, whole_ns_cuts_once);
    tcase_add_test(cases, messages_never_meet);
    tcase_add_test(cases, sprayed);
    tcase_add_test(cases, with_endpoint_costs);
    tcase_add_test(cases, needs_a_topology);
    tcase_add_test(cases, dimensions);
    tcase_add_test(cases, folded_figures);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
