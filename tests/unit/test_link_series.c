/*
 * link_series: bytes by time, by hand and against a dumb twin; bounded memory; and what the models
 * tell, message by message (jobs, folded and not, are in test_fold_jobs).
 */
#include "base/mix.h"
#include "tests/unit/mini.h"
#include "tests/unit/net_bench.h"
#include "tests/unit/series_util.h"

static struct link_series series;

static void begin(uint32_t links)
{
    link_series_init(&series);
    link_series_begin(&series, links);
    for (uint32_t l = 0; l < links; l++)
        link_series_map(&series, l, l, 1);
}

static void carries(uint32_t server, time_ps from, time_ps to, double bytes)
{
    struct link_meter meter = link_series_meter(&series);
    meter.carries(meter.self, server, from, to, bytes);
}

static void expect_buckets(uint32_t link, uint32_t first, const uint64_t *wanted, uint32_t count)
{
    const uint64_t *bucket = link_series_of(&series, link);
    ck_assert_ptr_nonnull(bucket);
    for (uint32_t b = 0; b < count; b++)
        ck_assert_uint_eq(bucket[first + b], wanted[b]);
}

/* Buckets of 1 ns. 10 B from 500 to 3000 ps are 2, 4 and 4 B; 7 B at 1500 go into the second. */
START_TEST(by_hand)
{
    static const uint64_t wanted[] = {2, 11, 4, 0};
    begin(3);
    carries(1, 500, 3000, 10);
    carries(1, 1500, 1500, 7);
    expect_buckets(1, 0, wanted, 4);
    ck_assert_ptr_null(link_series_of(&series, 0));
    ck_assert_uint_eq(series.used, 1);
    link_series_release(&series);
}
END_TEST

/* 512 buckets end at 512 ns; what ends at 600 makes them 2 ns wide: 3 B in the first, 5 B in the
 * second, and 600 B from 0 to 600 are 2 a bucket. */
START_TEST(two_buckets_become_one)
{
    static const uint64_t wanted[] = {5, 7, 2, 2};
    begin(1);
    carries(0, 0, 1000, 1);
    carries(0, 1000, 2000, 2);
    carries(0, 2000, 4000, 5);
    carries(0, 0, 600000, 600);
    ck_assert_uint_eq(series.width_ps, 2000);
    expect_buckets(0, 0, wanted, 4);
    ck_assert_uint_eq(series_sum(&series, 0), 608);
    link_series_release(&series);
}
END_TEST

/* A quarter of a byte at a time: the sum is whole after every fourth, and never off by one. */
START_TEST(parts_of_bytes_add_up)
{
    begin(1);
    for (uint32_t i = 1; i <= 1000; i++) {
        carries(0, i * 100, i * 100 + 50, 0.25);
        ck_assert_double_le(fabs((double)series_sum(&series, 0) - i * 0.25), 0.5);
    }
    ck_assert_uint_eq(series_sum(&series, 0), 250);
    link_series_release(&series);
}
END_TEST

/* Room for 100 servers of 512 buckets: the 101st halves them, the 3,201st would leave 16 and less
 * there never are. */
START_TEST(memory_is_bounded)
{
    begin(7000);
    series.most_bytes = 100 * 512 * 8;
    for (uint32_t l = 0; l < 7000; l++) {
        carries(l, 1000 * (l % 512), 1000 * (l % 512) + 777, l + 1);
        if (series.buckets > LINK_SERIES_LEAST)
            ck_assert_uint_le((uint64_t)series.used * series.buckets * 8, series.most_bytes);
        if (l == 99 || l == 100)
            ck_assert_uint_eq(series.buckets, l == 99 ? 512 : 256);
    }
    ck_assert_uint_eq(series.buckets, LINK_SERIES_LEAST);
    ck_assert_uint_eq(series.width_ps * series.buckets, 512000);
    for (uint32_t l = 0; l < 7000; l++)
        ck_assert_uint_eq(series_sum(&series, l), l + 1);
    link_series_release(&series);
}
END_TEST

/* What was told is 90 or 110 of 100 bytes: the rest comes last, or goes from the last. */
START_TEST(settling)
{
    static const struct link_figures rows[] = {{.bytes = 100}, {.bytes = 100}};
    static const uint64_t more[] = {45, 55}, less[] = {90, 10};
    begin(2);
    carries(0, 0, 2000, 90);
    carries(1, 0, 1000, 90);
    carries(1, 1000, 2000, 15);
    carries(1, 2000, 3000, 5);
    link_series_settle(&series, rows);
    expect_buckets(0, 0, more, 2);
    expect_buckets(1, 0, less, 2);
    ck_assert_double_eq(series.most_missed_bytes, 10);
    link_series_release(&series);
}
END_TEST

/* -- models ------------------------------------------------------------------------------------ */

struct case_of {
    const char *topology;
    enum net_routing routing;
};

static const struct case_of cases[] = {
    {"ring:6", ROUTING_AUTO},           {"torus:3x4", ROUTING_AUTO},
    {"fat-tree:4", ROUTING_AUTO},       {"xgft:2/4,4/1,4/1,1", ROUTING_SPRAY},
    {"switch:8,lat=0ns", ROUTING_AUTO},
};
static const enum net_backend backends[] = {NET_FLOW, NET_LINK, NET_ANALYTICAL};
enum { CASES = sizeof cases / sizeof cases[0], BACKENDS = 3 };

enum { LATER = 2 }; /* kind of an event that sends */

static uint64_t state;

static void send_some(void *self, uint64_t payload)
{
    struct net_bench *bench = self;
    uint32_t ticket = (uint32_t)(payload & ENGINE_DATA_MASK);
    uint32_t npus = bench->fabric->npu_count;
    uint32_t src = (uint32_t)random_below(&state, npus);
    uint32_t dst = (src + 1 + (uint32_t)random_below(&state, npus - 1)) % npus;
    uint64_t bytes = random_below(&state, 3) ? 1 + random_below(&state, 1000000) : 4096;
    if (bench->ops->send_chain && random_below(&state, 3) == 0)
        bench->ops->send_chain(bench->net, src, dst, bytes, 1 + (uint32_t)random_below(&state, 20),
                               random_below(&state, 2) * 777, engine_payload(NET_ARRIVED, ticket));
    else
        net_send(bench, src, dst, bytes, ticket);
}

/* Random messages at random times, on each model and topology; and on the models that take them
 * with links that are slow for a time. */
START_TEST(models_tell_all_that_links_carry)
{
    const struct case_of *one = &cases[_i % CASES];
    const struct variation_config variation = {
        .slow_links = "rank 1: bw*0.3 from 20us to 300us; rank 2: bw*0.7 from 100us to 101us"};
    struct network_config config = {.backend = backends[_i / CASES % BACKENDS],
                                    .routing = one->routing};
    if (_i / CASES >= BACKENDS && config.backend != NET_LINK)
        config.variation = &variation;
    struct net_bench bench;
    state = (uint64_t)_i + 3;
    struct run_result result = {0};
    net_setup(&bench, one->topology, config);
    begin(bench.fabric->link_count);
    struct link_meter meter = link_series_meter(&series);
    bench.ops->meter(bench.net, &meter);
    engine_on(&bench.engine, LATER, send_some, &bench);
    for (uint32_t i = 0; i < 400; i++)
        engine_push(&bench.engine, random_below(&state, 80) * 10000000, engine_payload(LATER, i));
    net_finish(&bench);
    result.link_count = bench.fabric->link_count;
    result.link = calloc(result.link_count, sizeof *result.link);
    result.end_ps = bench.engine.now;
    bench.ops->links(bench.net, result.link);
    for (uint32_t l = 0; l < result.link_count; l++) {
        double share;
        uint32_t server = bench.ops->server_of(bench.net, l, &share);
        link_series_map(&series, l, server, share);
    }
    link_series_settle(&series, result.link);
    config.fabric = bench.fabric;
    expect_series(&series, &result, &config);
    free(result.link);
    link_series_release(&series);
    net_teardown(&bench);
}
END_TEST

static void send_again(void *self, uint64_t payload)
{
    net_send(self, 0, 1, 1000, payload & ENGINE_DATA_MASK);
}

/*
 * Two messages of 1000 B from 0 to 1 on a link of 1 B/ns without latency, the second at 500 ns:
 * flow: the first has half of the link until it ends at 1500, then the second alone until 2000: the
 * link is full throughout. link: one after the other, full too. analytical: both at full rate, so
 * that the link has 1 B/ns to 500, 2 to 1000, 1 to 1500. Buckets are 4 ns (1500 to 2000 ns need
 * four of 1 ns).
 */
START_TEST(two_messages_by_hand)
{
    static const uint64_t at[][4] = {{4, 4, 4, 4}, {4, 4, 4, 4}, {4, 8, 4, 0}};
    for (int m = 0; m < BACKENDS; m++) {
        struct network_config config = {.backend = backends[m]};
        struct net_bench bench;
        net_setup(&bench, "full:2,bw=1GB/s,lat=0ns", config);
        begin(bench.fabric->link_count);
        struct link_meter meter = link_series_meter(&series);
        bench.ops->meter(bench.net, &meter);
        net_send(&bench, 0, 1, 1000, 0);
        engine_on(&bench.engine, LATER, send_again, &bench);
        engine_push(&bench.engine, 500000, engine_payload(LATER, 1));
        net_finish(&bench);
        const uint64_t *bucket = link_series_of(&series, fabric_find_link(bench.fabric, 0, 1));
        ck_assert_uint_eq(series.width_ps, 4000);
        ck_assert_uint_eq(bucket[10], at[m][0]);  /* 40 ns */
        ck_assert_uint_eq(bucket[200], at[m][1]); /* 800 ns */
        ck_assert_uint_eq(bucket[300], at[m][2]); /* 1200 ns */
        ck_assert_uint_eq(bucket[400], at[m][3]); /* 1600 ns */
        link_series_release(&series);
        net_teardown(&bench);
    }
}
END_TEST

/*
 * Models of ASTRA-sim's form tell of dimensions: what all ranks send, once for each hop. Fully
 * connected, and in rings of neighbours, that is once: the bytes of the dimension. Folded, one rank
 * stands for all.
 */
START_TEST(dimensions_carry_what_ranks_send)
{
    static const enum net_block blocks[] = {NET_FULLY_CONNECTED, NET_RING};
    for (int i = 0; i < 8; i++) {
        struct mini *mini = mini_new();
        bool is_aware = i & 1, fold = i & 2;
        mini_dim(mini, blocks[i >> 2], 4, 1.0, 100.0);
        if (!is_aware)
            mini_dim(mini, blocks[i >> 2], 3, 7.0, 10.0);
        mini_algorithm(mini, ALG_RING, 0);
        mini->config.network.backend = is_aware ? NET_CONGESTION_AWARE : NET_CONGESTION_UNAWARE;
        mini->config.fold = fold;
        mini_trace_new(mini);
        mini_collective(mini, 0, -1, COLL_ALL_REDUCE, 123456);
        struct workload workload = {mini->config.network.npu_count, mini->of_rank, mini->traces,
                                    mini->trace_count};
        struct group_file groups = {.path = "mini"};
        link_series_init(&series);
        const struct simulate_also also = {.links = &series};
        ck_assert_msg(simulate_also(&mini->config, &workload, &groups, &also, &mini->result,
                                    &mini->diag) == STATUS_OK,
                      "%s", mini->diag.message);
        ck_assert_uint_eq(series.link_count, mini->config.network.dim_count);
        for (uint32_t d = 0; d < series.link_count; d++)
            ck_assert_double_eq((double)series_sum(&series, d) * series.share_of[d],
                                mini->result.dimension[d].bytes);
        ck_assert_double_gt(mini->result.dimension[0].bytes, 0);
        link_series_release(&series);
        mini_free(mini);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("link_series");
    TCase *tests = tcase_create("link_series");
    tcase_add_test(tests, by_hand);
    tcase_add_test(tests, two_buckets_become_one);
    tcase_add_test(tests, parts_of_bytes_add_up);
    tcase_add_test(tests, memory_is_bounded);
    tcase_add_test(tests, settling);
    tcase_add_test(tests, two_messages_by_hand);
    tcase_add_test(tests, dimensions_carry_what_ranks_send);
    tcase_add_loop_test(tests, models_tell_all_that_links_carry, 0, 2 * CASES * BACKENDS);
    suite_add_tcase(all, tests);
    return all;
}

RUN_SUITE(suite())
