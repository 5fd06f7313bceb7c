/* LogGP costs around a network of a fixed latency and unlimited bandwidth, by hand. */
#include "tests/unit/unit.h"

#include "net/model/endpoint.h"

enum { KIND_ARRIVED = 1, NPUS = 4 };

static const time_ps NS = PS_PER_NS;

/* Latency 1000 ns and, if set, 1 / B_per_ns for every byte; messages never meet. */
struct bench {
    struct engine engine;
    struct endpoint endpoint;
    double B_per_ns; /* 0: bytes cost nothing */
    time_ps at[16];
};

static time_ps core_idle(const void *net, uint32_t src, uint32_t dst, uint64_t bytes)
{
    const struct bench *bench = net;
    (void)src, (void)dst;
    return 1000 * NS + (bench->B_per_ns > 0 ? time_rounded((double)bytes / bench->B_per_ns, 0) : 0);
}

static void core_carry(void *net, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket)
{
    struct bench *bench = net;
    time_ps time = core_idle(net, src, dst, bytes);
    engine_push(&bench->engine, time_after(bench->engine.now, time), ticket);
}

static void on_arrival(void *context, uint64_t payload)
{
    struct bench *bench = context;
    bench->at[payload & ENGINE_DATA_MASK] = bench->engine.now;
}

static void setup(struct bench *bench, struct network_config config)
{
    *bench = (struct bench){.B_per_ns = 0};
    config.npu_count = NPUS;
    engine_init(&bench->engine);
    engine_on(&bench->engine, KIND_ARRIVED, on_arrival, bench);
    struct endpoint_core core = {bench, core_carry, core_idle};
    endpoint_init(&bench->endpoint, &config, &core, &bench->engine);
}

static void send(struct bench *bench, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket)
{
    endpoint_send(&bench->endpoint, src, dst, bytes, engine_payload(KIND_ARRIVED, ticket));
}

static void finish(struct bench *bench)
{
    while (engine_run(&bench->engine, 1000, TIME_NEVER) != ENGINE_DRY)
        continue;
}

static void teardown(struct bench *bench)
{
    endpoint_release(&bench->endpoint);
    engine_release(&bench->engine);
}

START_TEST(no_costs_is_inactive)
{
    struct bench bench;
    setup(&bench, (struct network_config){.npu_count = NPUS});
    ck_assert(!endpoint_is_active(&bench.endpoint));
    ck_assert_uint_eq(endpoint_idle_time(&bench.endpoint, 0, 1, 5), 1000 * NS);
    teardown(&bench);
}
END_TEST

/* o + L + (s - 1) G + o for one message alone; a message of 0 or 1 bytes has no gaps. */
static const struct {
    double o, receive_o, g, G, injection_Bps;
    uint64_t bytes, ns;
} alone[] = {
    {100, 100, 10, 1, 0, 4096, 100 + 1000 + 4095 + 100},
    {0, 0, 0, 1, 0, 4096, 1000 + 4095},
    {1500, 1500, 1000, 6, 0, 4096, 1500 + 1000 + 24570 + 1500},
    {100, 50, 10, 1, 0, 1, 1150},
    {100, 50, 10, 1, 0, 0, 1150},
    {0, 0, 5000, 0, 0, 64, 1000},                /* g is between messages */
    {0, 0, 0, 0, 2e9, 4000, 1000 + 2000},        /* 2 B/ns */
    {0, 0, 0, 1, 2e9, 4000, 1000 + 3999},        /* the slower of both */
    {7, 0, 0, 0.25, 2e9, 4000, 7 + 1000 + 2000}, /* 999.75 < 2000 */
};

START_TEST(one_message)
{
    struct bench bench;
    setup(&bench, (struct network_config){.send_overhead_ns = alone[_i].o,
                                          .receive_overhead_ns = alone[_i].receive_o,
                                          .message_gap_ns = alone[_i].g,
                                          .byte_gap_ns = alone[_i].G,
                                          .injection_Bps = alone[_i].injection_Bps});
    ck_assert(endpoint_is_active(&bench.endpoint));
    send(&bench, 0, 1, alone[_i].bytes, 0);
    finish(&bench);
    ck_assert_uint_eq(bench.at[0], alone[_i].ns * NS);
    ck_assert_uint_eq(endpoint_idle_time(&bench.endpoint, 0, 1, alone[_i].bytes), bench.at[0]);
    teardown(&bench);
}
END_TEST

/* Ports and wire work on the same bytes: 1001 B at G = 1 take 1000 ns, on a wire of 0.5 B/ns
 * 2002. */
START_TEST(port_and_wire_overlap)
{
    struct bench bench;
    setup(&bench, (struct network_config){.byte_gap_ns = 1});
    bench.B_per_ns = 0.5;
    send(&bench, 0, 1, 1001, 0);
    finish(&bench);
    ck_assert_uint_eq(bench.at[0], (1000 + 2002) * NS);
    teardown(&bench);
}
END_TEST

/*
 * Two messages of one NPU start max(o, g + (s-1) G) apart; both ends keep that pace.
 * s = 101, G = 1, g = 10: 110 ns apart with o = 20; 500 apart with o = 500.
 */
START_TEST(sender_paces)
{
    struct bench bench;
    setup(&bench, (struct network_config){.send_overhead_ns = 20,
                                          .receive_overhead_ns = 20,
                                          .message_gap_ns = 10,
                                          .byte_gap_ns = 1});
    for (uint32_t m = 0; m < 3; m++)
        send(&bench, 0, m + 1, 101, m);
    finish(&bench);
    for (uint32_t m = 0; m < 3; m++)
        ck_assert_uint_eq(bench.at[m], (20 + 1000 + 100 + 20 + m * 110) * NS);
    teardown(&bench);
    setup(&bench,
          (struct network_config){.send_overhead_ns = 500, .message_gap_ns = 10, .byte_gap_ns = 1});
    send(&bench, 0, 1, 101, 0);
    send(&bench, 0, 2, 101, 1);
    finish(&bench);
    ck_assert_uint_eq(bench.at[0], 1600 * NS);
    ck_assert_uint_eq(bench.at[1], 2100 * NS);
    teardown(&bench);
}
END_TEST

/*
 * Incast: three messages come at once; the port in takes one every g + (s-1) G. With o = g = 0 that
 * is L + 3 (s-1) G = 13285 for 4096 B at G = 1.
 */
START_TEST(receiver_serialises)
{
    struct bench bench;
    setup(&bench, (struct network_config){.byte_gap_ns = 1});
    for (uint32_t src = 1; src < 4; src++)
        send(&bench, src, 0, 4096, src);
    finish(&bench);
    for (uint32_t src = 1; src < 4; src++)
        ck_assert_uint_eq(bench.at[src], (1000 + src * 4095) * NS);
    teardown(&bench);
    setup(&bench, (struct network_config){.receive_overhead_ns = 300, .message_gap_ns = 40});
    for (uint32_t src = 1; src < 4; src++)
        send(&bench, src, 0, 4096, src);
    finish(&bench);
    for (uint32_t src = 1; src < 4; src++) /* o > g: the processor is the slower */
        ck_assert_uint_eq(bench.at[src], (1000 + src * 300) * NS);
    teardown(&bench);
}
END_TEST

/* The ports of one NPU do not disturb each other, and a switch has none. */
START_TEST(both_ways_and_switches)
{
    struct bench bench;
    setup(&bench, (struct network_config){.send_overhead_ns = 10, .byte_gap_ns = 1});
    send(&bench, 0, 1, 101, 0);
    send(&bench, 1, 0, 101, 1);
    send(&bench, NPUS + 1, 2, 101, 2); /* a switch to an NPU */
    send(&bench, 3, NPUS, 101, 3);     /* an NPU to a switch */
    finish(&bench);
    ck_assert_uint_eq(bench.at[0], 1110 * NS);
    ck_assert_uint_eq(bench.at[1], 1110 * NS);
    ck_assert_uint_eq(bench.at[2], 1100 * NS);
    ck_assert_uint_eq(bench.at[3], 1110 * NS);
    ck_assert_uint_eq(endpoint_idle_time(&bench.endpoint, NPUS + 1, 2, 101), 1100 * NS);
    ck_assert_uint_eq(endpoint_idle_time(&bench.endpoint, 3, NPUS, 101), 1110 * NS);
    teardown(&bench);
}
END_TEST

/* Folded: what rank 0 sends comes to its own port; two last bytes at one time are a tie. */
START_TEST(folded)
{
    struct bench bench;
    bool is_tied = false;
    struct fold_act act = {.serial = 1, .cause = 1};
    static const uint32_t zeros[NPUS], all = NPUS;
    struct link_fold fold = {.class_of_rank = zeros,
                             .first_of_class = zeros,
                             .ranks_of_class = &all,
                             .is_tied = &is_tied,
                             .act = &act};
    setup(&bench, (struct network_config){.byte_gap_ns = 1});
    endpoint_fold(&bench.endpoint, &fold);
    send(&bench, 0, 1, 101, 0);
    send(&bench, 0, 2, 101, 1);
    finish(&bench);
    ck_assert_uint_eq(bench.at[0], 1100 * NS);
    ck_assert_uint_eq(bench.at[1], 1200 * NS);
    ck_assert(!is_tied);
    teardown(&bench);
    setup(&bench, (struct network_config){.receive_overhead_ns = 1});
    endpoint_fold(&bench.endpoint, &fold);
    send(&bench, 0, 1, 101, 0);
    send(&bench, 0, 2, 101, 1);
    while (engine_run(&bench.engine, 1000, TIME_NEVER) == ENGINE_SLICE)
        continue;
    ck_assert(is_tied && bench.engine.stop);
    teardown(&bench);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("endpoint");
    TCase *cases = tcase_create("endpoint");
    tcase_add_test(cases, no_costs_is_inactive);
    tcase_add_loop_test(cases, one_message, 0, (int)(sizeof alone / sizeof alone[0]));
    tcase_add_test(cases, port_and_wire_overlap);
    tcase_add_test(cases, sender_paces);
    tcase_add_test(cases, receiver_serialises);
    tcase_add_test(cases, both_ways_and_switches);
    tcase_add_test(cases, folded);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
