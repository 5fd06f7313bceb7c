/* Links that vary, by hand: links of 1 B/ns and 100 ns. Times in ns. */
#include <string.h>

#include "base/mix.h"
#include "net/model/link_speed.h"
#include "net/topology/changes.h"
#include "tests/unit/net_bench.h"
#include "tests/unit/unit.h"

#define RING4 "ring:4,bw=1GB/s,lat=100ns"

static const time_ps NS = PS_PER_NS;

static void setup(struct net_bench *bench, enum net_backend backend,
                  const struct variation_config *variation)
{
    net_setup(bench, RING4, (struct network_config){.backend = backend, .variation = variation});
}

/*
 * 1000 B from 100 on. Half the rate from 600 to 800: 500 done, 100 more, 400 left: 1200. A quarter
 * until 300: 50 done, 950 left: 1250. Windows that overlap multiply: 1/8 from 600 to 700 (12.5), a
 * quarter until 1000 (75), 412.5 left: 1412.5. What is slow on another link, or later, is nothing.
 */
static const struct {
    const char *slow;
    uint64_t ps;
} alone[] = {
    {"npu0->npu1: bw*0.5 from 600ns to 800ns", 1200000},
    {"npu0--npu1: bw*0.25 to 300ns", 1250000},
    {"rank 1: bw*0.25 from 600ns to 1us; npu0->npu1: bw*0.5 from 600ns to 700ns", 1412500},
    {"npu1->npu0: bw*0.5", 1100000},
    {"npu0->npu1: bw*0.5 from 2us", 1100000},
    {"npu0->npu1: bw*2 from 600ns", 850000},
    {"npu0->npu1: bw*0.5", 2100000},
};

START_TEST(one_message)
{
    static const enum net_backend backends[] = {NET_FLOW, NET_ANALYTICAL};
    for (size_t i = 0; i < 2; i++) {
        const struct variation_config variation = {.slow_links = alone[_i].slow};
        struct net_bench bench;
        setup(&bench, backends[i], &variation);
        net_send(&bench, 0, 1, 1000, 0);
        net_finish(&bench);
        ck_assert_uint_eq(bench.at[0], alone[_i].ps);
        net_teardown(&bench);
    }
}
END_TEST

/* 250 B each until 600, 50 each until 800, 700 each at half: 2200. */
START_TEST(two_share_what_there_is)
{
    const struct variation_config variation = {.slow_links =
                                                   "npu0->npu1: bw*0.5 from 600ns to 800ns"};
    struct net_bench bench;
    setup(&bench, NET_FLOW, &variation);
    net_send(&bench, 0, 1, 1000, 0);
    net_send(&bench, 0, 1, 1000, 1);
    net_finish(&bench);
    ck_assert_uint_eq(bench.at[0], 2200 * NS);
    ck_assert_uint_eq(bench.at[1], 2200 * NS);
    net_teardown(&bench);
}
END_TEST

/* Whatever shares the link, all is through when it has given as much: the integral of its rate. */
START_TEST(work_is_conserved)
{
    uint64_t state = 5;
    for (int trial = 0; trial < 200; trial++) {
        char text[512] = "";
        struct pace pace = {0};
        for (int w = 0; w < 4; w++) {
            unsigned from = 100 + random_below(&state, 8000),
                     length = 1 + random_below(&state, 900);
            double ratio = (1 + random_below(&state, 9)) / 10.0;
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "npu0->npu1: bw*%g from %uns to %uns; ",
                     ratio, from, from + length);
            pace_multiply(&pace, from * NS, (from + length) * NS, 1 / ratio);
        }
        const struct variation_config variation = {.slow_links = text};
        struct net_bench bench;
        uint64_t bytes = 0;
        time_ps last = 0;
        setup(&bench, NET_FLOW, &variation);
        uint32_t count = 1 + random_below(&state, 5);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t size = 1 + random_below(&state, 3000);
            net_send(&bench, 0, 1, size, i);
            bytes += size;
        }
        net_finish(&bench);
        ck_assert_uint_eq(bench.arrived, count);
        for (uint32_t i = 0; i < count; i++)
            last = time_later(last, bench.at[i]);
        double expected = 100000 + pace_duration(&pace, 100 * NS, (double)bytes * 1000);
        ck_assert_double_eq_tol((double)last, expected, 2);
        net_teardown(&bench);
        pace_release(&pace);
    }
}
END_TEST

/* A link that is slow throughout is a fabric with a slower link, message by message. */
START_TEST(slow_throughout_is_a_change_of_the_fabric)
{
    struct net_bench slow, changed;
    struct diag diag = DIAG_NONE;
    const struct variation_config variation = {.slow_links = "rank 1: bw*0.3"};
    setup(&slow, NET_FLOW, &variation);
    struct fabric *fabric = fabric_from(RING4);
    ck_assert_int_eq(fabric_change(fabric, "rank 1: bw*0.3", &diag), STATUS_OK);
    net_setup_on(&changed, fabric, (struct network_config){.backend = NET_FLOW});
    uint64_t state = 9;
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t src = random_below(&state, 4), dst = (src + 1 + random_below(&state, 3)) % 4;
        uint64_t bytes = 1 + random_below(&state, 5000);
        net_send(&slow, src, dst, bytes, i);
        net_send(&changed, src, dst, bytes, i);
    }
    net_finish(&slow);
    net_finish(&changed);
    for (uint32_t i = 0; i < 300; i++)
        ck_assert_uint_eq(slow.at[i], changed.at[i]);
    net_teardown(&slow);
    net_teardown(&changed);
}
END_TEST

/* Bandwidth and latency by the factors of the link, in each model that sees links. */
START_TEST(each_link_has_its_factors)
{
    static const enum net_backend backends[] = {NET_FLOW, NET_ANALYTICAL, NET_LINK};
    const struct variation_config variation = {.seed = 3, .link_ratio = 0.2, .latency_ratio = 0.3};
    for (size_t i = 0; i < 3; i++) {
        struct net_bench bench;
        setup(&bench, backends[i], &variation);
        uint32_t link = fabric_find_link(bench.fabric, 2, 3);
        net_send(&bench, 2, 3, 1000, 0);
        net_finish(&bench);
        double expected = 1000 * link_speed_factor(&variation, link) +
                          100 * link_latency_factor(&variation, link);
        ck_assert_double_eq_tol((double)bench.at[0] / 1000, expected, 0.002);
        ck_assert(bench.at[0] != 1100 * NS);
        net_teardown(&bench);
    }
}
END_TEST

START_TEST(wrong_lines_are_refused)
{
    static const char *const rows[][2] = {
        {"npu0->npu9: bw*0.5", "the topology has no node \"npu9\""},
        {"npu0->npu2: bw*0.5", "there is no link from npu0 to npu2"},
        {"rank 7: bw*0.5", "there is no rank 7: the topology has 4 NPUs"},
        {"rank 1: fail", "expected bw*F such as bw*0.5, found \"fail\""},
        {"rank 1: bw*0", "expected a factor above 0, found \"0\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct variation_config variation = {.slow_links = rows[i][0]};
        struct engine engine;
        struct diag diag = DIAG_NONE;
        struct network_config config = {.backend = NET_ANALYTICAL,
                                        .fabric = fabric_from(RING4),
                                        .npu_count = 4,
                                        .variation = &variation};
        void *net = NULL;
        engine_init(&engine);
        const struct network_ops *ops = network_model_of(config.backend);
        ck_assert_int_eq(ops->create(&net, &config, &engine, &diag), STATUS_BAD_CONFIG);
        ck_assert_str_eq(diag.message, rows[i][1]);
        engine_release(&engine);
        fabric_destroy(config.fabric);
    }
}
END_TEST

static Suite *link_speed_suite(void)
{
    Suite *suite = suite_create("link_speed");
    TCase *tcase = tcase_create("link_speed");
    tcase_add_loop_test(tcase, one_message, 0, (int)(sizeof alone / sizeof *alone));
    tcase_add_test(tcase, two_share_what_there_is);
    tcase_add_test(tcase, work_is_conserved);
    tcase_add_test(tcase, slow_throughout_is_a_change_of_the_fabric);
    tcase_add_test(tcase, each_link_has_its_factors);
    tcase_add_test(tcase, wrong_lines_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(link_speed_suite())
