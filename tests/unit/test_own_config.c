/* own_config: the one-file form: every section, units, paths, and every kind of mistake. */
#include <string.h>

#include "config/own_config.h"
#include "tests/unit/config_bench.h"

static struct group_file groups;

static void begin(void)
{
    set_up();
    group_file_init(&groups);
}

static void end(void)
{
    group_file_release(&groups);
    tear_down();
}

static enum status parse(const char *text)
{
    return own_config_parse(&config, &groups, "dir/c.yaml", text, strlen(text), &notices, &diag);
}

#define DIM(bandwidth, latency)                                                                    \
    "network:\n  dims:\n    - {block: Ring, npus: 4, bandwidth: " bandwidth ", latency: " latency  \
    "}\n"
#define NET2                                                                                       \
    "network:\n  dims:\n    - {block: Ring, npus: 4, bandwidth: 50GB/s, latency: 1us}\n"           \
    "    - {block: Switch, npus: 2, bandwidth: 400Gbps, latency: 0ns}\n"

START_TEST(whole_form)
{
    ck_assert_int_eq(
        parse("workload:\n  traces: t/ar\n  replicate: true\n  dependencies: both\n"
              "  comm-groups: /abs/g.json\n" NET2 "  backend: congestion-aware\n"
              "system:\n  endpoint-delay: 1us\n  dataset-splits: 4\n  comm-slots: 2\n"
              "  broadcast-replayed: true\n  compute-model: roofline\n  peak-compute: 312TFLOPS\n"
              "  local-memory-bandwidth: 2TB/s\n"
              "  collectives:\n    all-reduce: [ring, direct2]\n    all-gather: direct\n"
              "    reduce-scatter: oneRing\n    all-to-all: {custom: my/a2a}\n"
              "    per-node: {18446744073709551615: my/n17}\n"
              "memory:\n  type: pool\n  latency: 2us\n  bandwidth: 50GB/s\n"
              "run:\n  fold: false\n  max-time: 10ms\n"),
        STATUS_OK);
    ck_assert_str_eq(config.workload.prefix, "dir/t/ar");
    ck_assert_str_eq(config.workload.comm_group, "/abs/g.json");
    ck_assert(config.workload.replicate);
    ck_assert_int_eq(config.workload.deps, DEPS_BOTH);
    ck_assert_int_eq(config.network.backend, NET_CONGESTION_AWARE);
    ck_assert_uint_eq(config.network.npu_count, 8);
    ck_assert_double_eq(config.network.dim[0].bandwidth_B_per_ns, 50);
    ck_assert_double_eq(config.network.dim[1].bandwidth_B_per_ns, 50);
    ck_assert_double_eq(config.network.dim[0].latency_ns, 1000);
    const struct algorithm_list *list = config.system.algorithm;
    ck_assert_uint_eq(list[SLOT_ALL_REDUCE].count, 2);
    ck_assert(list[SLOT_ALL_GATHER].one_name); /* every dimension: config_finish() repeats it */
    ck_assert_int_eq(list[SLOT_ALL_GATHER].choice[0].id, ALG_DIRECT);
    ck_assert_uint_eq(list[SLOT_REDUCE_SCATTER].count, 1);
    ck_assert_str_eq(list[SLOT_ALL_TO_ALL].custom_prefix, "dir/my/a2a");
    ck_assert_uint_eq(config.system.node_algorithm[0].node_id, UINT64_MAX);
    ck_assert_str_eq(config.system.node_algorithm[0].custom_prefix, "dir/my/n17");
    ck_assert(config.system.broadcast_replayed);
    ck_assert_double_eq(config.system.local_memory_Bps, 2e12);
    ck_assert_int_eq(config.memory.type, MEMORY_POOL);
    ck_assert_uint_eq(config.memory.bandwidth_B_per_ns, 50);
    ck_assert(!config.fold);
    ck_assert_uint_eq(config.max_time_ps, 10000000000 /* ps */);
    ck_assert_str_eq(config_source(&config, "run.max-time"), "dir/c.yaml:31");
    ck_assert_uint_eq(notices.count, 0);
    ck_assert_int_eq(config_finish(&config, &notices, &diag), STATUS_OK);
}
END_TEST

/* Changes are a text or a list of texts, as in a topology file. */
START_TEST(lists_of_texts)
{
    static const struct {
        const char *text, *changes;
    } cases[] = {{"'rank 1:bw*0.5; rank 2:fail'", "rank 1:bw*0.5; rank 2:fail"},
                 {"[rank 1:bw*0.5, 'rank 2:fail # gone', a->b:fail]",
                  "rank 1:bw*0.5; rank 2:fail ; a->b:fail"},
                 {"[rank 1:fail]", "rank 1:fail"},
                 {"[]", NULL}};
    char text[400];
    snprintf(text, sizeof text, "network: {topology: 'ring:4', changes: %s}\n", cases[_i].text);
    ck_assert_msg(parse(text) == STATUS_OK, "%s", diag.message);
    if (cases[_i].changes)
        ck_assert_str_eq(config.network.changes, cases[_i].changes);
    else
        ck_assert_ptr_null(config.network.changes);
}
END_TEST

START_TEST(list_of_lists)
{
    ck_assert_int_eq(parse("network: {topology: 'ring:4', changes: [[a]]}\n"), STATUS_BAD_CONFIG);
    ck_assert_ptr_nonnull(strstr(diag.message, "a list of texts"));
    ck_assert_str_eq(diag.field, "network.changes");
}
END_TEST

START_TEST(own_defaults)
{
    ck_assert_int_eq(parse(DIM("50GB/s", "1us")), STATUS_OK);
    ck_assert(config.own_form);
    ck_assert_uint_eq(config.system.least_duration_ns, 0);
    ck_assert(!config.system.zero_bytes_is_free && !config.system.late_zero_cost &&
              !config.system.broadcast_replayed);
    ck_assert_str_eq(config_source(&config, "system.late-zero-cost"), "default (one-file form)");
}
END_TEST

/* T15: the same link in every spelling; a bare number is GB/s and is echoed. */
static const struct {
    const char *text;
    double tolerance;
    size_t notices;
} links[] = {
    {DIM("50 GB/s", "1us"), 0, 0},    {DIM("400Gbps", "1us"), 0, 0},
    {DIM("50000 MB/s", "1us"), 0, 0}, {DIM("46.566GiB/s", "1us"), 50e-5, 0},
    {DIM("50", "1us"), 0, 1},         {DIM("50.0", "1000"), 0, 1},
};

START_TEST(link_spellings)
{
    ck_assert_int_eq(parse(links[_i].text), STATUS_OK);
    ck_assert_double_eq_tol(config.network.dim[0].bandwidth_B_per_ns, 50,
                            links[_i].tolerance + 1e-15);
    ck_assert_double_eq(config.network.dim[0].latency_ns, 1000);
    ck_assert_uint_eq(notices.count, links[_i].notices);
}
END_TEST

START_TEST(groups_in_place)
{
    ck_assert_int_eq(
        parse("workload:\n  comm-groups:\n    tp: [1, 0]\n    dp: []\n" DIM("50GB/s", "1us")),
        STATUS_OK);
    ck_assert_uint_eq(groups.count, 2);
    ck_assert_str_eq(groups.entry[0].name, "tp");
    ck_assert_uint_eq(groups.entry[0].ranks[0], 1);
    ck_assert_ptr_null(config.workload.comm_group);
}
END_TEST

static const struct {
    const char *text, *message, *hint;
} bad[] = {
    {"[]", "expected a map", ""},
    {"netwrok: {}\n", "unknown key", "did you mean \"network\"?"},
    {"colour: blue\n", "unknown key", "workload, network, system"},
    {"run: {}\n", "missing; expected a list", ""},
    {"network: {}\n", "missing; expected a list", ""},
    {"network: {dims: 5}\n", "expected a list of 1 to 8 dimensions, found a number 5", ""},
    {"network: {dims: []}\n", "expected a list of 1 to 8", ""},
    {"network: {dims: [1,2,3,4,5,6,7,8,9]}\n", "found a list of 9", ""},
    {"network: {dims: [Ring]}\n", "expected a map", ""},
    {"network: {dims: [{block: Ring, npus: 4, bandwith: 5GB/s, latency: 1us}]}\n", "unknown key",
     "\"bandwidth\""},
    {"network: {dims: [{npus: 4, bandwidth: 5GB/s, latency: 1us}]}\n", "missing", ""},
    {"network: {dims: [{block: ring, npus: 4, bandwidth: 5GB/s, latency: 1us}]}\n",
     "Ring, FullyConnected or Switch", "\"Ring\""},
    {"network: {dims: [{block: Ring, npus: 0, bandwidth: 5GB/s, latency: 1us}]}\n", "from 1", ""},
    {"network: {dims: [{block: Ring, bandwidth: 5GB/s, latency: 1us}]}\n", "missing", ""},
    {"network: {dims: [{block: Ring, npus: 4, latency: 1us}]}\n", "missing", ""},
    {"network: {dims: [{block: Ring, npus: 4, bandwidth: 5GB/s}]}\n", "missing", ""},
    {DIM("50 GBs", "1us"), "unknown unit", "GiB/s"},
    {DIM("0GB/s", "1us"), "must be above 0", ""},
    {DIM("-5GB/s", "1us"), "must be above 0", ""},
    {DIM("[5]", "1us"), "a number with a unit", ""},
    {DIM("0.1B/s", "1us"), "from 1 B/s", ""},
    {DIM("5GB/s", "-1us"), "0 or more", ""},
    {DIM("5GB/s", "1GB"), "unknown unit", "ps ns us"},
    {DIM("5GB/s", "1000h"), "below 11 days", ""},
    {DIM("5GB/s", "1us") "  backend: packet\n", "congestion-unaware, congestion-aware, ideal", ""},
    {DIM("5GB/s", "1us") "system: {endpoint-dely: 1us}\n", "unknown key", "endpoint-delay"},
    {DIM("5GB/s", "1us") "system: {endpoint-delay: [1us]}\n", "a single value", ""},
    {DIM("5GB/s", "1us") "system: {endpoint-delay: null}\n", "a single value", ""},
    {DIM("5GB/s", "1us") "system: {dataset-splits: 0}\n", "from 1", ""},
    {DIM("5GB/s", "1us") "system: 5\n", "expected a map", ""},
    {DIM("5GB/s", "1us") "system: {collectives: ring}\n", "expected a map", ""},
    {DIM("5GB/s", "1us") "system: {collectives: {allreduce: ring}}\n", "unknown key", "all-reduce"},
    {DIM("5GB/s", "1us") "system: {collectives: {all-reduce: rnig}}\n", "unknown algorithm",
     "\"ring\""},
    {DIM("5GB/s", "1us") "system: {collectives: {all-reduce: []}}\n", "an algorithm, a list", ""},
    {DIM("5GB/s", "1us") "system: {collectives: {all-reduce: [5]}}\n", "name of an algorithm", ""},
    {DIM("5GB/s", "1us") "system: {collectives: {all-reduce: {file: x}}}\n", "unknown key", ""},
    {DIM("5GB/s", "1us") "system: {collectives: {all-reduce: {}}}\n", "missing", ""},
    {DIM("5GB/s", "1us") "system: {collectives: {per-node: {x: y}}}\n", "node id", ""},
    {DIM("5GB/s", "1us") "system: {collectives: {per-node: {1: [y]}}}\n", "prefix", ""},
    {DIM("5GB/s", "1us") "memory: {type: PER_NPU}\n", "none, per-npu, per-node or pool", ""},
    {DIM("5GB/s", "1us") "workload: {comm-groups: {tp: 5}}\n", "a list of ranks", ""},
    {DIM("5GB/s", "1us") "workload: {comm-groups: {tp: [1, 1]}}\n", "twice", ""},
    {DIM("5GB/s", "1us") "workload: {traces: ''}\n", "a path", ""},
    {DIM("5GB/s", "1us") "run: {max-time: soon}\n", "no number", ""},
    {"a: 1\na: 2\n", "twice", ""},
    {"x: *y\n", "aliases", ""},
};

START_TEST(refused)
{
    ck_assert_int_eq(parse(bad[_i].text), STATUS_BAD_CONFIG);
    ck_assert_msg(strstr(diag.message, bad[_i].message) != NULL, "row %d: %s", _i, diag.message);
    ck_assert_msg(strstr(diag.hint, bad[_i].hint) != NULL, "row %d: %s", _i, diag.hint);
    ck_assert_str_eq(diag.file, "dir/c.yaml");
}
END_TEST

/* T19 b: a 3-D topology and one algorithm entry are refused, with both numbers. */
START_TEST(short_list)
{
    ck_assert_int_eq(parse("network:\n  dims:\n"
                           "    - {block: Ring, npus: 2, bandwidth: 1GB/s, latency: 1ns}\n"
                           "    - {block: Ring, npus: 2, bandwidth: 1GB/s, latency: 1ns}\n"
                           "    - {block: Ring, npus: 2, bandwidth: 1GB/s, latency: 1ns}\n"
                           "system:\n  collectives:\n    all-reduce: [ring]\n"),
                     STATUS_OK);
    ck_assert_int_eq(config_finish(&config, &notices, &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.message, "1 algorithm for a network of 3 dimensions");
    ck_assert_str_eq(diag.file, "dir/c.yaml:8");
}
END_TEST

START_TEST(examples_load)
{
    static const char *const files[] = {"configs/examples/all_reduce.yaml",
                                        "configs/examples/full.yaml"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        tear_down();
        set_up();
        ck_assert_msg(own_config_load(&config, &groups, files[i], &notices, &diag) == STATUS_OK,
                      "%s: %s: %s", files[i], diag.field, diag.message);
        ck_assert_int_eq(config_finish(&config, &notices, &diag), STATUS_OK);
        ck_assert_uint_eq(notices.count, 0);
    }
}
END_TEST

#define ROWS(table) (int)(sizeof table / sizeof *table)

static Suite *suite_of_own_config(void)
{
    TCase *cases = tcase_create("own_config");
    tcase_add_checked_fixture(cases, begin, end);
    tcase_add_test(cases, whole_form);
    tcase_add_loop_test(cases, lists_of_texts, 0, 4);
    tcase_add_test(cases, list_of_lists);
    tcase_add_test(cases, own_defaults);
    tcase_add_loop_test(cases, link_spellings, 0, ROWS(links));
    tcase_add_test(cases, groups_in_place);
    tcase_add_loop_test(cases, refused, 0, ROWS(bad));
    tcase_add_test(cases, short_list);
    tcase_add_test(cases, examples_load);
    Suite *suite = suite_create("own_config");
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of_own_config())
