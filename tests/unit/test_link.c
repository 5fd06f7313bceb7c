/* The link model against its equations, and contention by hand. Links of 1 B/ns and 100 ns. */
#include "base/mix.h"
#include "tests/unit/unit.h"

#include "tests/unit/net_bench.h"

static const time_ps NS = PS_PER_NS;

#define SWITCH4 "switch:4,bw=1GB/s,lat=100ns"
#define RING4   "ring:4,bw=1GB/s,lat=100ns"
enum { HUB = 4 }; /* the switch of SWITCH4 */

static const struct network_config CUT = {.backend = NET_LINK};
static const struct network_config STORE = {.backend = NET_LINK, .forwarding = FORWARD_STORE};

static struct network_config in_segments(struct network_config config, uint64_t segment,
                                         uint64_t header)
{
    config.segment_bytes = segment;
    config.segment_header_bytes = header;
    return config;
}

/*
 * One message alone, in ns; link.h's formulas. On SWITCH4 two hops, on RING4 from 0 to 2 two hops.
 * The uneven path: a product of a ring of 1 B/ns and one of 4 B/ns, latencies 100 and 10.
 */
static const struct {
    const char *topology;
    uint32_t dst;
    enum net_forwarding forwarding;
    uint64_t segment, header, bytes, ns;
} alone[] = {
    {SWITCH4, 1, FORWARD_CUT_THROUGH, 0, 0, 1000, 200 + 1000},
    {SWITCH4, 1, FORWARD_STORE, 0, 0, 1000, 2 * 1100},
    {RING4, 2, FORWARD_CUT_THROUGH, 0, 0, 1000, 200 + 1000},
    {RING4, 1, FORWARD_STORE, 0, 0, 1000, 1100},
    {RING4, 1, FORWARD_STORE, 0, 0, 0, 100},
    {SWITCH4, 1, FORWARD_CUT_THROUGH, 0, 64, 0, 264}, /* an empty message is one header */
    /* 10 segments of 100: 2 x (100 + 100) + 9 x 100 */
    {SWITCH4, 1, FORWARD_STORE, 100, 0, 1000, 1300},
    {SWITCH4, 1, FORWARD_CUT_THROUGH, 100, 0, 1000, 200 + 1000},
    /* the last segment has 50: it is behind the ninth, and then short */
    {SWITCH4, 1, FORWARD_STORE, 100, 0, 950, 200 + 100 + 900 + 50},
    /* headers: 3 segments of 104, 104 and 54 */
    {SWITCH4, 1, FORWARD_STORE, 100, 4, 250, 200 + 104 + 208 + 54},
    {RING4, 1, FORWARD_STORE, 100, 4, 250, 100 + 208 + 54},
    {RING4, 1, FORWARD_CUT_THROUGH, 100, 4, 250, 100 + 208 + 54},
    {SWITCH4, 1, FORWARD_STORE, 1000, 0, 1000, 2 * 1100}, /* one segment */
    {"ring:3,bw=1GB/s,lat=100ns*ring:3,bw=4GB/s,lat=10ns", 4, FORWARD_CUT_THROUGH, 0, 0, 1000,
     110 + 1000},
    {"ring:3,bw=1GB/s,lat=100ns*ring:3,bw=4GB/s,lat=10ns", 4, FORWARD_STORE, 0, 0, 1000,
     1100 + 10 + 250},
    {"ring:3,bw=1GB/s,lat=100ns*ring:3,bw=4GB/s,lat=10ns", 4, FORWARD_STORE, 100, 0, 1000,
     1100 + 10 + 25},
    {"ring:3,bw=4GB/s,lat=10ns*ring:3,bw=1GB/s,lat=100ns", 4, FORWARD_STORE, 100, 0, 1000,
     25 + 10 + 1000 + 100},
    {"ring:3,bw=4GB/s,lat=10ns*ring:3,bw=1GB/s,lat=100ns", 4, FORWARD_CUT_THROUGH, 100, 0, 1000,
     10 + 1000 + 100},
};

START_TEST(one_message)
{
    struct network_config config = {.backend = NET_LINK, .forwarding = alone[_i].forwarding};
    config = in_segments(config, alone[_i].segment, alone[_i].header);
    ck_assert_uint_eq(net_alone(alone[_i].topology, config, 0, alone[_i].dst, alone[_i].bytes),
                      alone[_i].ns * NS);
}
END_TEST

/* Two messages on one link: the second starts when the first is through, and waited for that. */
START_TEST(two_meet_on_a_link)
{
    struct net_bench bench;
    net_setup(&bench, RING4, CUT);
    net_send(&bench, 0, 1, 1000, 0);
    net_send(&bench, 0, 1, 500, 1);
    net_send(&bench, 1, 0, 700, 2); /* the other direction is another link */
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[0], 1100 * NS);
    ck_assert_uint_eq(bench.at[1], 1600 * NS);
    ck_assert_uint_eq(bench.at[2], 800 * NS);
    struct link_figures figures = net_link(&bench, 0, 1);
    ck_assert_double_eq(figures.bytes, 1500);
    ck_assert_double_eq(figures.busy_ns, 1500);
    ck_assert_double_eq(figures.queued_ns, 1000);
    ck_assert_uint_eq(figures.messages, 2);
    ck_assert_double_eq(net_link(&bench, 1, 2).bytes, 0);
    net_teardown(&bench);
}
END_TEST

/* Incast: the link down takes one after the other; whole heads come at 100, stored ones at 1100. */
START_TEST(incast_on_a_switch)
{
    struct net_bench bench;
    net_setup(&bench, SWITCH4, _i ? STORE : CUT);
    for (uint32_t src = 1; src < 4; src++)
        net_send(&bench, src, 0, 1000, src);
    net_finish(&bench);
    for (uint32_t src = 1; src < 4; src++)
        ck_assert_uint_eq(bench.at[src], ((_i ? 1200 : 200) + 1000 * src) * NS);
    struct link_figures figures = net_link(&bench, HUB, 0);
    ck_assert_double_eq(figures.queued_ns, 1000 + 2000);
    ck_assert_double_eq(figures.busy_ns, 3000);
    net_teardown(&bench);
}
END_TEST

/*
 * First come is by the head at the link, not by send(): 0 -> 2 on the ring joins link 1 -> 2 at
 * 100; 1 -> 2 sent at 50 was there first, and is through at 1050.
 */
static void send_late(void *context, uint64_t payload)
{
    (void)payload;
    net_send(context, 1, 2, 1000, 1);
}

START_TEST(order_is_by_the_head)
{
    struct net_bench bench;
    net_setup(&bench, RING4, CUT);
    engine_on(&bench.engine, 2, send_late, &bench);
    engine_push(&bench.engine, 50 * NS, engine_payload(2, 0));
    net_send(&bench, 0, 2, 1000, 0);
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[1], 1150 * NS);
    ck_assert_uint_eq(bench.at[0], 2150 * NS);
    net_teardown(&bench);
}
END_TEST

/*
 * A fast link fed by slow ones is not held: 0 and 1 send 1000 B to a switch at 1 B/ns each, whose
 * link to 2 has 2 B/ns. Heads at 100; the link works 500 ns for each; both tails come at 1100.
 */
START_TEST(fast_link_carries_both)
{
    struct fabric_builder *builder = fabric_builder_create();
    fabric_add_npus(builder, 3);
    uint32_t hub = fabric_add_node(builder, ROLE_SWITCH, "hub");
    fabric_add_cable(builder, 0, hub, 1e9, 100, 0);
    fabric_add_cable(builder, 1, hub, 1e9, 100, 0);
    fabric_add_cable(builder, 2, hub, 2e9, 100, 0);
    fabric_add_dim(builder, (struct fabric_dim){.kind = FABRIC_GRAPH, .npus = 3, .stride = 1});
    struct diag diag = DIAG_NONE;
    struct fabric *fabric = NULL;
    ck_assert_msg(fabric_finish(builder, "test", &fabric, &diag) == STATUS_OK, "%s", diag.message);
    struct net_bench bench;
    net_setup_on(&bench, fabric, CUT);
    net_send(&bench, 0, 2, 1000, 0);
    net_send(&bench, 1, 2, 1000, 1);
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[0], 1200 * NS);
    ck_assert_uint_eq(bench.at[1], 1200 * NS); /* start 600, end 1100 with its tail, + 100 */
    ck_assert_double_eq(net_link(&bench, hub, 2).busy_ns, 1000);
    net_teardown(&bench);
}
END_TEST

/* Every rank to its neighbour: no link is shared. Rank numbers do not matter. */
START_TEST(ring_neighbours)
{
    struct net_bench bench;
    net_setup(&bench, RING4, STORE);
    for (uint32_t r = 0; r < 4; r++)
        net_send(&bench, r, (r + 1) % 4, 1000, r);
    net_finish(&bench);
    for (uint32_t r = 0; r < 4; r++)
        ck_assert_uint_eq(bench.at[r], 1100 * NS);
    net_teardown(&bench);
}
END_TEST

/*
 * Segments of two messages alternate on the link they share: 1 and 2 send 300 B in segments of 100
 * to 0. Those of each come every 100 ns from 200 on (stored); the link down serves a1 b1 a2 b2 ..
 * from 200 to 800, a's last from 600 to 700.
 */
START_TEST(segments_interleave)
{
    struct net_bench bench;
    net_setup(&bench, SWITCH4, in_segments(STORE, 100, 0));
    net_send(&bench, 1, 0, 300, 0);
    net_send(&bench, 2, 0, 300, 1);
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[0], 800 * NS);
    ck_assert_uint_eq(bench.at[1], 900 * NS);
    struct link_figures figures = net_link(&bench, HUB, 0);
    ck_assert_uint_eq(figures.messages, 6);
    ck_assert_double_eq(figures.bytes, 600);
    ck_assert_double_eq(figures.queued_ns, 100 * (0 + 1 + 1 + 2 + 2 + 3));
    net_teardown(&bench);
}
END_TEST

/*
 * The queue is counted alike on a first link, which a message takes for all its segments at once,
 * and on a later one: the two segments of b wait 2000 ns each behind those of a at the source, and
 * of two sources a1 b1 a2 b2 wait 0, 1000, 1000 and 2000 at the link down.
 */
START_TEST(segments_wait_at_the_source)
{
    for (uint32_t other = 1; other < 3; other++) {
        struct net_bench bench;
        net_setup(&bench, SWITCH4, in_segments(CUT, 1000, 0));
        net_send(&bench, 1, 0, 2000, 0);
        net_send(&bench, other, 0, 2000, 1);
        net_finish(&bench);
        ck_assert_double_eq(net_link(&bench, 1, HUB).queued_ns, other == 1 ? 4000 : 0);
        ck_assert_double_eq(net_link(&bench, HUB, 0).queued_ns, other == 1 ? 0 : 4000);
        ck_assert_uint_eq(net_link(&bench, HUB, 0).messages, 4);
        net_teardown(&bench);
    }
}
END_TEST

/*
 * Spraying on a tree: a bundle is one link. Two leaves of two hosts and two spines at 1 B/ns; from
 * leaf to leaf 2000 B: the port of 1 B/ns is the least. Four links of 100 ns.
 */
START_TEST(sprayed_on_a_tree)
{
    const char *tree = "leafspine:2x2,spines=2,bw=1GB/s,lat=100ns";
    struct network_config config = CUT;
    config.routing = ROUTING_SPRAY;
    ck_assert_uint_eq(net_alone(tree, config, 0, 2, 2000), 2400 * NS);
}
END_TEST

/*
 * Spraying on a torus: 16 parts over the shortest paths, each link where it has least to do. From
 * corner to corner of a 3 x 3 torus there are two ways round; 1600 B at 1 B/ns: 800 each way.
 */
START_TEST(sprayed_on_a_torus)
{
    struct network_config config = CUT;
    config.routing = ROUTING_SPRAY;
    struct net_bench bench;
    net_setup(&bench, "torus:3x3,bw=1GB/s,lat=100ns", config);
    net_send(&bench, 0, 4, 1600, 0);
    net_finish(&bench);
    ck_assert_uint_eq(bench.arrived, 1);
    ck_assert_uint_eq(bench.at[0], (200 + 800) * NS);
    ck_assert_double_eq(net_link(&bench, 0, 1).bytes, 800);
    ck_assert_double_eq(net_link(&bench, 0, 3).bytes, 800);
    ck_assert_double_eq(net_link(&bench, 1, 4).bytes, 800);
    net_send(&bench, 0, 4, 3, 1); /* fewer bytes than parts */
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[1], (1000 + 202) * NS);
    net_send(&bench, 0, 4, 0, 2);
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[2], (1202 + 200) * NS);
    net_teardown(&bench);
}
END_TEST

/*
 * Folded on a ring that goes one way: rank 0's messages to the neighbour stand for those of all
 * ranks. Two of them at one time are in the same order everywhere; one that comes round from
 * another rank while one starts there is a tie.
 */
START_TEST(folded)
{
    struct net_bench bench;
    net_setup(&bench, "ring:4,bw=1GB/s,lat=100ns,oneway", CUT);
    uint32_t class_of[4] = {0}, class_size[4] = {4};
    bool is_tied = false;
    struct fold_act act = {.serial = 1, .cause = 1};
    struct link_fold fold = {.class_of = class_of,
                             .class_size = class_size,
                             NET_BENCH_ONE_CLASS(4),
                             .is_tied = &is_tied,
                             .act = &act};
    bench.ops->fold(bench.net, &fold);
    net_send(&bench, 0, 1, 1000, 0);
    net_send(&bench, 0, 1, 1000, 1);
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[0], 1100 * NS);
    ck_assert_uint_eq(bench.at[1], 2100 * NS);
    ck_assert_double_eq(net_link(&bench, 0, 1).bytes, 2000);
    ck_assert(!is_tied);
    engine_on(&bench.engine, 2, send_late, &bench);
    engine_push(&bench.engine, 2200 * NS, engine_payload(2, 0));
    net_send(&bench, 0, 2, 1000, 2); /* at 2100; its second link at 2200 */
    engine_run(&bench.engine, 1000, TIME_NEVER);
    ck_assert(is_tied);
    net_teardown(&bench);
}
END_TEST

/* Endpoint costs around it: LogGP's closed form, the links of unlimited bandwidth. */
START_TEST(with_endpoint_costs)
{
    struct network_config config = CUT;
    config.send_overhead_ns = config.receive_overhead_ns = 1500;
    config.message_gap_ns = 1000;
    config.byte_gap_ns = 6;
    ck_assert_uint_eq(net_alone("full:4,bw=1000000TB/s,lat=2500ns", config, 0, 3, 4096),
                      30070 * NS);
}
END_TEST

/*
 * Random traffic: every message arrives once and not before its idle time; every link out of the
 * NPUs carries what was sent, headers and all; busy at most the time that passed; twice the same.
 */
static const struct {
    const char *topology;
    enum net_forwarding forwarding;
    uint64_t segment, header;
    enum net_routing routing;
} traffic[] = {
    {"torus:4x4,bw=3GB/s,lat=17.3ns", FORWARD_CUT_THROUGH, 0, 0, ROUTING_AUTO},
    {"torus:4x4,bw=3GB/s,lat=17.3ns", FORWARD_STORE, 0, 0, ROUTING_AUTO},
    {"torus:4x4,bw=3GB/s,lat=17.3ns", FORWARD_STORE, 777, 33, ROUTING_AUTO},
    {"torus:4x4,bw=3GB/s,lat=17.3ns", FORWARD_CUT_THROUGH, 777, 0, ROUTING_SPRAY},
    {"switch:16,bw=3GB/s,lat=0ns", FORWARD_CUT_THROUGH, 512, 0, ROUTING_AUTO},
    {"ring:16,bw=3GB/s,lat=17.3ns", FORWARD_CUT_THROUGH, 0, 12, ROUTING_ECMP},
    {"full:16,bw=3GB/s,lat=17.3ns", FORWARD_STORE, 100, 1, ROUTING_AUTO},
    {"line:16,bw=3GB/s,lat=17.3ns", FORWARD_STORE, 100, 1, ROUTING_AUTO}, /* long routes */
};

static uint64_t wire_bytes(uint64_t bytes, uint64_t segment, uint64_t header)
{
    uint64_t segments = segment && bytes ? (bytes - 1) / segment + 1 : 1;
    return bytes + segments * header;
}

static void expect_figures(const struct net_bench *bench, double sent_bytes, bool is_direct)
{
    struct link_figures *rows = calloc(bench->fabric->link_count, sizeof *rows);
    ck_assert_ptr_nonnull(rows);
    bench->ops->links(bench->net, rows);
    double out = 0, in = 0, balance = 0;
    for (uint32_t i = 0; i < bench->fabric->link_count; i++) {
        const struct fabric_link *link = &bench->fabric->link[i];
        ck_assert(rows[i].busy_ns <= (double)bench->engine.now / 1000 + 1);
        ck_assert(fabs(rows[i].busy_ns - rows[i].bytes / 3) <= 1e-3 * (double)rows[i].messages);
        out += link->src < 16 ? rows[i].bytes : 0;
        in += link->dst < 16 ? rows[i].bytes : 0;
        balance += (link->src < 16) != (link->dst < 16) ? rows[i].bytes : 0;
    }
    ck_assert_double_eq(out, in);
    if (is_direct || balance > 0)
        ck_assert_double_eq(out, sent_bytes);
    else
        ck_assert_double_ge(out, sent_bytes);
    free(rows);
}

START_TEST(random_traffic)
{
    enum { MESSAGES = 1000 };
    static struct net_bench bench[2];
    struct network_config config = {
        .backend = NET_LINK, .forwarding = traffic[_i].forwarding, .routing = traffic[_i].routing};
    config = in_segments(config, traffic[_i].segment, traffic[_i].header);
    for (int run = 0; run < 2; run++) {
        struct net_bench *b = &bench[run];
        net_setup(b, traffic[_i].topology, config);
        uint64_t state = 99;
        double sent_bytes = 0;
        time_ps least[MESSAGES];
        for (uint64_t m = 0; m < MESSAGES; m++) {
            uint64_t random = random_next(&state);
            uint32_t src = random >> 40 & 15, dst = (src + 1 + (random >> 50 & 0xff) % 15) & 15;
            uint64_t bytes = random >> 20 & 0xffff;
            bytes = m % 7 ? bytes : 0;
            least[m] = b->ops->idle_time(b->net, src, dst, bytes);
            sent_bytes +=
                (double)wire_bytes(bytes, config.segment_bytes, config.segment_header_bytes);
            net_send(b, src, dst, bytes, m);
            if (m % 100 == 99)
                engine_run(&b->engine, 300, TIME_NEVER);
        }
        net_finish(b);
        ck_assert_uint_eq(b->arrived, MESSAGES);
        if (run == 0 && traffic[_i].routing != ROUTING_SPRAY)
            for (uint64_t m = 0; m < 100; m++) /* sent at 0 */
                ck_assert_uint_ge(b->at[m], least[m]);
        expect_figures(b, sent_bytes, b->fabric->dim[0].kind == FABRIC_FULL);
    }
    ck_assert_mem_eq(bench[0].at, bench[1].at, sizeof bench[0].at);
    net_teardown(&bench[0]);
    net_teardown(&bench[1]);
}
END_TEST

/*
 * Store-and-forward of whole messages in whole ns is ASTRA-sim's congestion-aware model: the same
 * random messages, sent at random times, arrive at the same times.
 */
struct dose {
    struct net_bench *bench;
    uint64_t state;
    uint64_t sent;
};

enum { KIND_DOSE = 3, DOSES = 600 };

static void on_dose(void *context, uint64_t payload)
{
    struct dose *dose = context;
    (void)payload;
    uint64_t random = random_next(&dose->state);
    uint32_t src = random & 7, dst = (src + 1 + (random >> 3) % 7) & 7;
    net_send(dose->bench, src, dst, random >> 8 & 0x3fff, dose->sent);
    struct engine *engine = &dose->bench->engine;
    if (++dose->sent < DOSES)
        engine_push(engine, engine->now + (random >> 30 & 0xfff) * PS_PER_NS,
                    engine_payload(KIND_DOSE, 0));
}

START_TEST(equals_congestion_aware)
{
    static struct net_bench bench[2];
    struct network_config config = {.dim_count = 1,
                                    .npu_count = 8,
                                    .whole_ns = true,
                                    .forwarding = FORWARD_STORE,
                                    .dim = {{.block = (enum net_block)_i,
                                             .npus = 8,
                                             .bandwidth_B_per_ns = 3.7,
                                             .latency_ns = 41.3}}};
    for (int which = 0; which < 2; which++) {
        struct fabric *fabric = NULL;
        struct diag diag = DIAG_NONE;
        ck_assert_msg(fabric_of_dims(&config, &fabric, &diag) == STATUS_OK, "%s", diag.message);
        config.backend = which ? NET_LINK : NET_CONGESTION_AWARE;
        net_setup_on(&bench[which], fabric, config);
        struct dose dose = {&bench[which], 5 + (uint64_t)_i, 0};
        engine_on(&bench[which].engine, KIND_DOSE, on_dose, &dose);
        on_dose(&dose, 0);
        net_finish(&bench[which]);
        ck_assert_uint_eq(bench[which].arrived, DOSES);
    }
    for (int m = 0; m < DOSES; m++)
        ck_assert_msg(bench[0].at[m] == bench[1].at[m], "message %d: %lu, then %lu", m,
                      bench[0].at[m], bench[1].at[m]);
    net_teardown(&bench[0]);
    net_teardown(&bench[1]);
}
END_TEST

/* Neither more bandwidth nor less latency delays the last of all-to-all on a torus. */
START_TEST(more_is_never_slower)
{
    static const char *const topology[] = {"torus:4x4,bw=1GB/s,lat=40ns",
                                           "torus:4x4,bw=2GB/s,lat=40ns",
                                           "torus:4x4,bw=2GB/s,lat=10ns"};
    static struct net_bench bench[3];
    for (int i = 0; i < 3; i++) {
        struct network_config config = _i ? STORE : CUT;
        net_setup(&bench[i], topology[i], config);
        for (uint32_t r = 0; r < 16; r++)
            for (uint32_t to = 0; to < 16; to++)
                if (to != r) /* all pairs, in one step */
                    net_send(&bench[i], r, to, 1000, r * 16 + to);
        net_finish(&bench[i]);
    }
    time_ps last[3] = {0};
    for (int i = 0; i < 3; i++)
        for (uint32_t m = 0; m < 256; m++)
            last[i] = bench[i].at[m] > last[i] ? bench[i].at[m] : last[i];
    ck_assert_uint_le(last[1], last[0]);
    ck_assert_uint_le(last[2], last[1]);
    for (int i = 0; i < 3; i++)
        net_teardown(&bench[i]);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("link");
    TCase *cases = tcase_create("link");
    tcase_add_loop_test(cases, one_message, 0, (int)(sizeof alone / sizeof alone[0]));
    tcase_add_test(cases, two_meet_on_a_link);
    tcase_add_loop_test(cases, incast_on_a_switch, 0, 2);
    tcase_add_test(cases, order_is_by_the_head);
    tcase_add_test(cases, fast_link_carries_both);
    tcase_add_test(cases, ring_neighbours);
    tcase_add_test(cases, segments_interleave);
    tcase_add_test(cases, segments_wait_at_the_source);
    tcase_add_test(cases, sprayed_on_a_tree);
    tcase_add_test(cases, sprayed_on_a_torus);
    tcase_add_test(cases, folded);
    tcase_add_test(cases, with_endpoint_costs);
    tcase_add_loop_test(cases, random_traffic, 0, (int)(sizeof traffic / sizeof traffic[0]));
    tcase_add_loop_test(cases, equals_congestion_aware, 0, 3);
    tcase_add_loop_test(cases, more_is_never_slower, 0, 2);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
