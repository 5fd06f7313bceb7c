/* describe: a configuration and its traces in words. */
#include "tests/unit/unit.h"

#include <string.h>

#include "report/describe.h"

static char text[DESCRIBE_TEXT];

START_TEST(network_in_words)
{
    struct network_config network = {
        .dim_count = 2,
        .dim = {{NET_FULLY_CONNECTED, 4, 50, 250}, {NET_SWITCH, 2, 0.0125, 1250.5}}};
    ck_assert_str_eq(describe_network(text, &network),
                     "FullyConnected 4 @ 50.00 GB/s 250 ns x Switch 2 @ 12.50 MB/s 1250.5 ns");
    network.dim_count = 0;
    ck_assert_str_eq(describe_network(text, &network), "");
}
END_TEST

/* The names are those that configurations accept. */
static const struct {
    struct algorithm_list list;
    const char *text;
} algorithms[] = {
    {{0}, "none"},
    {{.count = 1, .choice = {{ALG_RING, 0, false}}}, "ring"},
    {{.count = 2, .choice = {{ALG_HALVING_DOUBLING, 0, false}, {ALG_DIRECT, 4, false}}},
     "halvingDoubling, direct4"},
    {{.count = 1, .choice = {{ALG_DIRECT, 4, true}}}, "oneDirect4"},
    {{.count = 1, .choice = {{ALG_HALVING_DOUBLING, 0, true}}}, "oneHalvingDoubling"},
    {{.count = 1, .choice = {{ALG_DOUBLE_BINARY_TREE, 0, false}}}, "doubleBinaryTree"},
    {{.count = 1, .choice = {{ALG_RING, 0, false}}, .custom_prefix = "C/ring"}, "custom C/ring"},
};

START_TEST(algorithms_in_words)
{
    ck_assert_str_eq(describe_algorithm(text, &algorithms[_i].list), algorithms[_i].text);
}
END_TEST

START_TEST(long_text_is_cut)
{
    char prefix[2 * DESCRIBE_TEXT];
    memset(prefix, 'p', sizeof prefix - 1);
    prefix[sizeof prefix - 1] = '\0';
    struct algorithm_list list = {.custom_prefix = prefix};
    ck_assert_uint_eq(strlen(describe_algorithm(text, &list)), DESCRIBE_TEXT - 1);
    ck_assert_int_eq(strncmp(text, "custom ppp", 10), 0);
}
END_TEST

/* A mixed set of traces names every format once, in order of first use. */
static const struct {
    const char *formats[4];
    const char *text;
} mixes[] = {
    {{0}, ""},
    {{"chakra-json"}, "chakra-json"},
    {{"chakra-json", "chakra-json", "chakra-json"}, "chakra-json"},
    {{"chakra-et 0.0.4", "chakra-json", "chakra-et 0.0.4", "chakra-et 0.0.1"},
     "chakra-et 0.0.4, chakra-json, chakra-et 0.0.1"},
};

START_TEST(formats_of_a_set)
{
    struct trace made[4];
    struct trace *traces[4];
    struct workload workload = {.traces = traces};
    for (uint32_t i = 0; i < 4 && mixes[_i].formats[i]; i++) {
        made[i] = (struct trace){.format = mixes[_i].formats[i]};
        traces[workload.trace_count++] = &made[i];
    }
    ck_assert_str_eq(describe_formats(text, &workload), mixes[_i].text);
}
END_TEST

START_TEST(trace_hash_depends_on_order)
{
    struct trace a = {.content_hash = 1}, b = {.content_hash = 2};
    struct trace *ab[] = {&a, &b}, *ba[] = {&b, &a};
    uint64_t one = describe_trace_hash(&(struct workload){.traces = ab, .trace_count = 1});
    uint64_t forth = describe_trace_hash(&(struct workload){.traces = ab, .trace_count = 2});
    uint64_t back = describe_trace_hash(&(struct workload){.traces = ba, .trace_count = 2});
    ck_assert_uint_ne(one, forth);
    ck_assert_uint_ne(forth, back);
    ck_assert_uint_eq(describe_trace_hash(&(struct workload){.trace_count = 0}), 0);
}
END_TEST

static const struct {
    const char *key;
    bool is_fold;
} keys[] = {{"run.fold", true}, {"fold", true}, {"run.folds", false}, {"run.unfold", false}};

START_TEST(fold_row)
{
    const struct provenance row = {.key = keys[_i].key};
    ck_assert_int_eq(describe_is_fold_row(&row), keys[_i].is_fold);
}
END_TEST

START_TEST(fold_in_words)
{
    struct run_result result = {.class_count = 1, .rank_count = 8, .fold_note = "all alike"};
    ck_assert_str_eq(describe_fold(text, &result), "simulated 1 class of 8 ranks: all alike");
    result = (struct run_result){.class_count = 2, .rank_count = 1};
    ck_assert_str_eq(describe_fold(text, &result), "simulated 2 classes of 1 rank");
    result.fold_note = "";
    ck_assert_str_eq(describe_fold(text, &result), "simulated 2 classes of 1 rank");
}
END_TEST

#define ROWS(table) (int)(sizeof table / sizeof *table)

static Suite *describe_suite(void)
{
    Suite *suite = suite_create("describe");
    TCase *tcase = tcase_create("describe");
    tcase_add_test(tcase, network_in_words);
    tcase_add_loop_test(tcase, algorithms_in_words, 0, ROWS(algorithms));
    tcase_add_test(tcase, long_text_is_cut);
    tcase_add_loop_test(tcase, formats_of_a_set, 0, ROWS(mixes));
    tcase_add_test(tcase, trace_hash_depends_on_order);
    tcase_add_loop_test(tcase, fold_row, 0, ROWS(keys));
    tcase_add_test(tcase, fold_in_words);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(describe_suite())
