/* The flow model by hand. Links of 1 B/ns and 100 ns unless a row says otherwise. */
#include "base/mix.h"
#include "tests/unit/unit.h"

#include <string.h>

#include "net/traffic/pattern.h"
#include "tests/unit/net_bench.h"

static const time_ps NS = PS_PER_NS;
static const struct network_config FLOW = {.backend = NET_FLOW};

#define RING4   "ring:4,bw=1GB/s,lat=100ns"
#define SWITCH4 "switch:4,bw=1GB/s,lat=100ns"

/* -- one message: latency of the route + bytes / least bandwidth ------------------------------- */

static const struct {
    const char *topology;
    uint32_t dst;
    uint64_t bytes, ps;
} alone[] = {
    {RING4, 1, 1000, 1100000},
    {RING4, 2, 1000, 1200000}, /* two hops: the latency of both, the bytes once */
    {RING4, 1, 0, 100000},
    {RING4, 1, 1, 101000},
    {SWITCH4, 3, 500, 700000},
    {"ring:4,bw=3GB/s,lat=0ns", 1, 1000, 333333}, /* 333.33.. ns to the nearest ps */
    {"ring:4,bw=1000GB/s,lat=0ns", 1, (uint64_t)5000 << 40, (uint64_t)5000 << 40}, /* pieces */
    {"ring:3,bw=1GB/s,lat=100ns*ring:3,bw=4GB/s,lat=10ns", 4, 1000, 1110000},
};

START_TEST(one_message)
{
    ck_assert_uint_eq(net_alone(alone[_i].topology, FLOW, 0, alone[_i].dst, alone[_i].bytes),
                      alone[_i].ps);
}
END_TEST

/* -- sharing ----------------------------------------------------------------------------------- */

/* flow.h's example: both have half the link and arrive together. */
START_TEST(two_share_a_link)
{
    struct net_bench bench;
    net_setup(&bench, RING4, FLOW);
    net_send(&bench, 0, 1, 1000, 0);
    net_send(&bench, 0, 1, 1000, 1);
    net_send(&bench, 1, 0, 1000, 2); /* the other direction is another link */
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[0], 2100 * NS);
    ck_assert_uint_eq(bench.at[1], 2100 * NS);
    ck_assert_uint_eq(bench.at[2], 1100 * NS);
    net_teardown(&bench);
}
END_TEST

/* 500 and 1500 B over one link: half each until the short one is through at 1000 ns; then the long
 * one has 1000 B left and the link for itself: 2000 ns. Work is conserved: 2000 B in 2000 ns. */
START_TEST(the_short_one_leaves_the_long_one_the_link)
{
    struct net_bench bench;
    net_setup(&bench, RING4, FLOW);
    net_send(&bench, 0, 1, 500, 0);
    net_send(&bench, 0, 1, 1500, 1);
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[0], 1100 * NS);
    ck_assert_uint_eq(bench.at[1], 2100 * NS);
    net_teardown(&bench);
}
END_TEST

/* Three into NPU 0 of a switch have a third of its link down; a fourth flow, 1 to 2, shares the
 * link up of NPU 1 with one of them and has the other two thirds: 1000 B at 2/3 B/ns. */
START_TEST(what_others_cannot_use_is_used)
{
    struct net_bench bench;
    net_setup(&bench, SWITCH4, FLOW);
    for (uint32_t src = 1; src < 4; src++)
        net_send(&bench, src, 0, 1000, src);
    net_send(&bench, 1, 2, 1000, 0);
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[0], 200 * NS + 1500 * NS);
    for (uint32_t src = 1; src < 4; src++)
        ck_assert_uint_eq(bench.at[src], 3200 * NS);
    net_teardown(&bench);
}
END_TEST

/* Empty messages take no bandwidth and need none. */
START_TEST(an_empty_message_waits_for_nobody)
{
    struct net_bench bench;
    net_setup(&bench, RING4, FLOW);
    net_send(&bench, 0, 1, 1000, 0);
    net_send(&bench, 0, 1, 0, 1);
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[0], 1100 * NS);
    ck_assert_uint_eq(bench.at[1], 100 * NS);
    net_teardown(&bench);
}
END_TEST

/* A connection keeps its order: the second leaves when the first is done, and is not slowed by it;
 * a third, sent when both are through, waits for nobody. Half of the link is a stranger's. */
START_TEST(a_connection_keeps_its_order)
{
    struct net_bench bench;
    net_setup(&bench, RING4, FLOW);
    uint64_t ticket = engine_payload(NET_ARRIVED, 0);
    uint64_t first = bench.ops->send_after(bench.net, 0, 1, 1000, 0, ticket);
    uint64_t second = bench.ops->send_after(bench.net, 0, 1, 500, first, ticket + 1);
    net_send(&bench, 0, 1, 500, 2);
    ck_assert_uint_ne(first, 0);
    net_finish(&bench);
    /* 500 of the first and the stranger's 500 until 1000 ns, then 500 alone, then the second's. */
    ck_assert_uint_eq(bench.at[2], 1100 * NS);
    ck_assert_uint_eq(bench.at[0], 1600 * NS);
    ck_assert_uint_eq(bench.at[1], 2100 * NS);
    bench.ops->send_after(bench.net, 0, 1, 1000, second, ticket + 3);
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[3], (2100 + 1100) * NS);
    net_teardown(&bench);
}
END_TEST

/* -- chains: the same as a caller who sends each message when the one before has arrived ------- */

enum { CHAINS = 6, DISTURBERS = 40, SEND_STEP = 2, STEP_ARRIVED, SEND_OTHER };

struct chain {
    uint32_t src, dst, count;
    uint64_t bytes;
    time_ps begin, gap;
    uint32_t left;
};

struct chain_bench {
    struct net_bench net;
    struct chain chain[CHAINS];
    struct chain other[DISTURBERS]; /* of one message */
    bool by_hand;
};

static void send_step(void *self, uint64_t payload)
{
    struct chain_bench *bench = self;
    uint32_t number = (uint32_t)(payload & ENGINE_DATA_MASK);
    struct chain *chain = &bench->chain[number];
    if (!bench->by_hand) {
        ck_assert(bench->net.ops->send_chain(bench->net.net, chain->src, chain->dst, chain->bytes,
                                             chain->count, chain->gap,
                                             engine_payload(NET_ARRIVED, number)));
        return;
    }
    unsigned kind = --chain->left ? STEP_ARRIVED : NET_ARRIVED;
    bench->net.ops->send(bench->net.net, chain->src, chain->dst, chain->bytes,
                         engine_payload(kind, number));
}

static void step_arrived(void *self, uint64_t payload)
{
    struct chain_bench *bench = self;
    uint64_t number = payload & ENGINE_DATA_MASK;
    engine_push(&bench->net.engine, bench->net.engine.now + bench->chain[number].gap,
                engine_payload(SEND_STEP, number));
}

static void send_other(void *self, uint64_t payload)
{
    struct chain_bench *bench = self;
    uint64_t number = payload & ENGINE_DATA_MASK;
    const struct chain *other = &bench->other[number];
    net_send(&bench->net, other->src, other->dst, other->bytes, CHAINS + number);
}

static struct chain draw_chain(uint64_t *state, uint32_t npus, uint32_t most)
{
    struct chain chain = {.src = random_below(state, npus)};
    chain.dst = (chain.src + 1 + random_below(state, npus - 1)) % npus;
    chain.left = chain.count = 1 + random_below(state, most);
    chain.bytes = 1 + random_below(state, 20000);
    chain.begin = random_below(state, 100000000);
    chain.gap = random_below(state, 3) ? random_below(state, 2000000) : 0;
    return chain;
}

static void run_chains(struct chain_bench *bench, int seed, bool by_hand)
{
    static const char *const topologies[] = {"switch:8,bw=7GB/s,lat=300ns",
                                             "ring:8,bw=3GB/s,lat=0ns", "full:6,bw=1GB/s,lat=77ns"};
    uint64_t state = (uint64_t)seed + 1;
    memset(bench, 0, sizeof *bench);
    net_setup(&bench->net, topologies[seed % 3], FLOW);
    bench->by_hand = by_hand;
    engine_on(&bench->net.engine, SEND_STEP, send_step, bench);
    engine_on(&bench->net.engine, STEP_ARRIVED, step_arrived, bench);
    engine_on(&bench->net.engine, SEND_OTHER, send_other, bench);
    uint32_t npus = bench->net.fabric->npu_count, others = random_below(&state, DISTURBERS + 1);
    for (uint32_t i = 0; i < CHAINS; i++) {
        bench->chain[i] = draw_chain(&state, npus, 20);
        engine_push(&bench->net.engine, bench->chain[i].begin, engine_payload(SEND_STEP, i));
    }
    for (uint32_t i = 0; i < others; i++) {
        bench->other[i] = draw_chain(&state, npus, 1);
        engine_push(&bench->net.engine, bench->other[i].begin, engine_payload(SEND_OTHER, i));
    }
    net_finish(&bench->net);
    ck_assert_uint_eq(bench->net.arrived, CHAINS + others);
}

START_TEST(chains_are_what_a_caller_would_send)
{
    static struct chain_bench chains, by_hand;
    for (int seed = 200 * _i; seed < 200 * (_i + 1); seed++) {
        run_chains(&chains, seed, false);
        run_chains(&by_hand, seed, true);
        for (uint32_t t = 0; t < CHAINS + DISTURBERS; t++)
            ck_assert_msg(chains.net.at[t] == by_hand.net.at[t], "seed %d ticket %u: %lu and %lu",
                          seed, t, (unsigned long)chains.net.at[t],
                          (unsigned long)by_hand.net.at[t]);
        for (uint32_t l = 0; l < chains.net.fabric->link_count; l++) {
            const struct fabric_link *link = &chains.net.fabric->link[l];
            struct link_figures a = net_link(&chains.net, link->src, link->dst);
            struct link_figures b = net_link(&by_hand.net, link->src, link->dst);
            ck_assert_uint_eq(a.messages, b.messages);
            ck_assert_double_eq_tol(a.bytes, b.bytes, 1e-6);
        }
        net_teardown(&chains.net);
        net_teardown(&by_hand.net);
    }
}
END_TEST

/* -- traffic: patterns run to the end ---------------------------------------------------------- */

struct outcome {
    time_ps makespan_ps;
    double link_bytes, sent_bytes;
    double busiest_busy_ns;
    time_ps arrived_ps[4096];
};

static void run_pattern(const char *topology, struct network_config network, const char *pattern,
                        struct pattern_request request, struct outcome *outcome)
{
    struct traffic traffic;
    struct traffic_result result;
    struct config config;
    struct diag diag = DIAG_NONE;
    config_init(&config);
    network.topology = topology;
    ck_assert_int_eq(fabric_parse(topology, &network.fabric, &diag), STATUS_OK);
    network.npu_count = request.npus = network.fabric->npu_count;
    traffic_init(&traffic);
    traffic_result_init(&result);
    ck_assert_int_eq(pattern_add(pattern_find(pattern), &request, &traffic, &diag), STATUS_OK);
    ck_assert_int_eq(traffic_check(&traffic, network.npu_count, &diag), STATUS_OK);
    const struct traffic_net net = {network_model_of(network.backend), &network};
    ck_assert_int_eq(traffic_run(&traffic, &net, NULL, &result, &diag), STATUS_OK);
    *outcome = (struct outcome){.makespan_ps = result.makespan_ps, .sent_bytes = result.bytes};
    for (uint32_t i = 0; i < traffic_count(&traffic) && i < 4096; i++)
        outcome->arrived_ps[i] = result.arrived_ps[i];
    for (uint32_t l = 0; l < result.link_count; l++) {
        outcome->link_bytes += result.link[l].bytes;
        if (outcome->busiest_busy_ns < result.link[l].busy_ns)
            outcome->busiest_busy_ns = result.link[l].busy_ns;
    }
    fabric_destroy(network.fabric);
    traffic_result_release(&result);
    traffic_release(&traffic);
    config_release(&config);
}

static struct outcome outcome, other;

/* Incast of n - 1 flows of s bytes: all end together, (n - 1) s / b after the latency. */
START_TEST(incast_is_the_receivers_link)
{
    run_pattern("switch:9,bw=1GB/s,lat=100ns", FLOW, "incast",
                (struct pattern_request){.bytes = 1000}, &outcome);
    ck_assert_uint_eq(outcome.makespan_ps, 200 * NS + 8000 * NS);
    for (int i = 0; i < 8; i++)
        ck_assert_uint_eq(outcome.arrived_ps[i], outcome.makespan_ps);
    ck_assert_double_eq_tol(outcome.busiest_busy_ns, 8000, 1e-6);
    ck_assert_double_eq_tol(outcome.link_bytes, 2 * outcome.sent_bytes, 1e-6);
}
END_TEST

/* A ring of 2 (n - 1) steps: each step latency + s / b, without rounding that adds up: with 1/3 ns
 * a byte the 14 steps of 1000 B end at 14 x 433.33.. ns. */
START_TEST(a_chain_adds_up_no_rounding)
{
    run_pattern("ring:8,bw=3GB/s,lat=100ns", FLOW, "ring", (struct pattern_request){.bytes = 1000},
                &outcome);
    ck_assert_uint_eq(outcome.makespan_ps, 6066667);
}
END_TEST

/* All-to-all on a full-bisection fat-tree with ideal spraying: the NPUs' links decide. */
START_TEST(spraying_reaches_the_ports_bound)
{
    struct network_config spray = {.backend = NET_FLOW, .routing = ROUTING_SPRAY};
    run_pattern("fattree:4,bw=1GB/s,lat=0ns", spray, "all-to-all",
                (struct pattern_request){.bytes = 1000}, &outcome);
    ck_assert_uint_eq(outcome.makespan_ps, 15000 * NS);
}
END_TEST

/* The same on a graph that is no tree: shares of links, not bundles. */
START_TEST(shares_count_on_their_links)
{
    struct network_config spray = {.backend = NET_FLOW, .routing = ROUTING_SPRAY};
    run_pattern("torus:4x4,bw=1GB/s,lat=0ns", spray, "shift",
                (struct pattern_request){.bytes = 1000, .offset = 10}, &outcome);
    /* 2 across; 2 up, or 3 where the addition carries, which is 1 down: 8 x 4 + 8 x 3 hops. */
    ck_assert_double_eq_tol(outcome.link_bytes, 56000, 1e-6);
    ck_assert_double_le(outcome.busiest_busy_ns * 1000, (double)outcome.makespan_ps + 1);
}
END_TEST

static const char *const every[] = {"permutation",
                                    "shift",
                                    "incast",
                                    "uniform",
                                    "all-to-all",
                                    "all-to-all-steps",
                                    "ring",
                                    "recursive-doubling",
                                    "halving-doubling"};
enum { EVERY = sizeof every / sizeof *every };

/* Properties: twice the bandwidth never makes it longer, more bytes never shorter, and what is
 * done twice is the same to the ps. */
START_TEST(monotone)
{
    struct pattern_request request = {.bytes = 100000, .seed = 7};
    const char *slow = "torus:4x4,bw=1GB/s,lat=100ns", *fast = "torus:4x4,bw=2GB/s,lat=100ns";
    run_pattern(slow, FLOW, every[_i], request, &outcome);
    run_pattern(slow, FLOW, every[_i], request, &other);
    ck_assert(memcmp(&outcome, &other, sizeof outcome) == 0);
    run_pattern(fast, FLOW, every[_i], request, &other);
    ck_assert_uint_le(other.makespan_ps, outcome.makespan_ps);
    request.bytes = 150000;
    run_pattern(slow, FLOW, every[_i], request, &other);
    ck_assert_uint_ge(other.makespan_ps, outcome.makespan_ps);
}
END_TEST

/* No message beats its time alone; no link is busy for longer than the run. */
START_TEST(bounds)
{
    struct network_config ecmp = {.backend = NET_FLOW, .routing = ROUTING_ECMP, .seed = 3};
    run_pattern("fattree:4,bw=1GB/s,lat=100ns", ecmp, every[_i],
                (struct pattern_request){.bytes = 10000, .seed = 3}, &outcome);
    ck_assert_double_le(outcome.busiest_busy_ns * 1000, (double)outcome.makespan_ps + 1);
    ck_assert_double_ge(outcome.link_bytes, 2 * outcome.sent_bytes - 1e-3);
}
END_TEST

/* Symmetric traffic on a torus: every flow of a shift arrives at the same ps. */
START_TEST(symmetric_flows_end_together)
{
    run_pattern("torus:5x5,bw=3GB/s,lat=100ns", FLOW, "shift",
                (struct pattern_request){.bytes = 12345, .offset = 6}, &outcome);
    for (int i = 0; i < 25; i++) {
        /* NPUs of the last column wrap to the next row: one hop more in dimension 1. */
        bool wraps = i % 5 == 4;
        ck_assert_uint_eq(outcome.arrived_ps[i], outcome.arrived_ps[wraps ? 4 : 0]);
    }
}
END_TEST

START_TEST(endpoint_costs_go_around_the_flow)
{
    struct network_config costs = {
        .backend = NET_FLOW, .send_overhead_ns = 10, .receive_overhead_ns = 20};
    ck_assert_uint_eq(net_alone(RING4, costs, 0, 1, 1000), 1130 * NS);
}
END_TEST

/* -- relabelling and order --------------------------------------------------------------------- */

enum { RANDOM_FLOWS = 200 };

/* Moves an NPU of a 4 x 4 torus by `by` in both coordinates: an automorphism that keeps the routes
 * (ties go upwards from everywhere). */
static uint32_t moved(uint32_t npu, uint32_t by)
{
    return (npu % 4 + by) % 4 + (npu / 4 + by) % 4 * 4;
}

static void run_random(uint32_t by, bool backwards, time_ps *arrived_ps)
{
    struct net_bench bench;
    net_setup(&bench, "torus:4x4,bw=3GB/s,lat=100ns", FLOW);
    for (uint32_t i = 0; i < RANDOM_FLOWS; i++) {
        uint32_t f = backwards ? RANDOM_FLOWS - 1 - i : i;
        uint32_t src = f * 7 % 16, dst = (src + 1 + f * 5 % 15) % 16;
        net_send(&bench, moved(src, by), moved(dst, by), 5000 + f * 37 % 5000, f);
    }
    net_finish(&bench);
    ck_assert_uint_eq(bench.arrived, RANDOM_FLOWS);
    memcpy(arrived_ps, bench.at, RANDOM_FLOWS * sizeof *arrived_ps);
    net_teardown(&bench);
}

/* 200 flows of different sizes: the names of NPUs and the order of sending change nothing but, if
 * anything, the last digit of a sum. */
START_TEST(names_and_order_do_not_matter)
{
    static time_ps as_is[RANDOM_FLOWS], changed[RANDOM_FLOWS];
    run_random(0, false, as_is);
    run_random((uint32_t)_i % 4, _i >= 4, changed);
    for (uint32_t f = 0; f < RANDOM_FLOWS; f++) {
        ck_assert_uint_le(as_is[f], changed[f] + 1);
        ck_assert_uint_le(changed[f], as_is[f] + 1);
    }
}
END_TEST

static Suite *flow_model_suite(void)
{
    Suite *suite = suite_create("flow_model");
    TCase *tcase = tcase_create("flow_model");
    tcase_add_loop_test(tcase, one_message, 0, sizeof alone / sizeof *alone);
    tcase_add_test(tcase, two_share_a_link);
    tcase_add_test(tcase, the_short_one_leaves_the_long_one_the_link);
    tcase_add_test(tcase, what_others_cannot_use_is_used);
    tcase_add_test(tcase, an_empty_message_waits_for_nobody);
    tcase_add_test(tcase, a_connection_keeps_its_order);
    tcase_add_loop_test(tcase, chains_are_what_a_caller_would_send, 0, 10);
    tcase_add_test(tcase, incast_is_the_receivers_link);
    tcase_add_test(tcase, a_chain_adds_up_no_rounding);
    tcase_add_test(tcase, spraying_reaches_the_ports_bound);
    tcase_add_test(tcase, shares_count_on_their_links);
    tcase_add_test(tcase, symmetric_flows_end_together);
    tcase_add_test(tcase, endpoint_costs_go_around_the_flow);
    tcase_add_loop_test(tcase, names_and_order_do_not_matter, 1, 8);
    tcase_add_loop_test(tcase, monotone, 0, EVERY);
    tcase_add_loop_test(tcase, bounds, 0, EVERY);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(flow_model_suite())
