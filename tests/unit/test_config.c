/* config: defaults, provenance of every value, checks across files, algorithm names. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <string.h>

#include "config/algorithm_name.h"
#include "config/settings.h"
#include "tests/unit/config_bench.h"

START_TEST(defaults_of_the_dialect)
{
    const struct system_config *system = &config.system;
    ck_assert_int_eq(system->policy, POLICY_LIFO);
    ck_assert_uint_eq(system->endpoint_delay_ns, 10);
    ck_assert_uint_eq(system->active_chunks_per_dim, 1);
    ck_assert_uint_eq(system->dataset_splits, 0);
    ck_assert_int_eq(system->optimization, COLL_LOCAL_BW_AWARE);
    ck_assert_uint_eq(system->queues_per_dim, 1);
    ck_assert_uint_eq(system->comm_slots, 1);
    ck_assert_uint_eq(system->least_duration_ns, 1);
    ck_assert(system->zero_bytes_is_free && system->late_zero_cost && system->broadcast_replayed);
    ck_assert_uint_eq(system->small_group_delay_ns, 10);
    ck_assert(config.fold && config.max_time_ps == TIME_NEVER);
    ck_assert_int_eq(config.memory.type, MEMORY_NONE);
}
END_TEST

/* Every scalar setting, unless it is quiet, has a row from the start, and the key finds it. */
START_TEST(every_setting_has_a_row)
{
    for (const struct setting *setting = settings; setting->key; setting++) {
        if (setting->is_quiet)
            ck_assert_ptr_null(config_source(&config, setting->key));
        else
            ck_assert_str_eq(config_source(&config, setting->key), "default");
        ck_assert_ptr_eq(setting_find(setting->key), setting);
    }
    ck_assert_ptr_null(setting_find("system.nothing"));
}
END_TEST

START_TEST(notes_replace)
{
    uint32_t before = config.provenance_count;
    config_note(&config, "run.fold", "command line", "%d", 7);
    ck_assert_uint_eq(config.provenance_count, before);
    ck_assert_str_eq(config_source(&config, "run.fold"), "command line");
    config_note(&config, "x.y", "here", "z");
    ck_assert_uint_eq(config.provenance_count, before + 1);
}
END_TEST

/* Every setting: a text that is accepted and how it is shown, a text that is refused. */
static const struct {
    const char *key, *good, *shown, *bad;
} rows[] = {
    {"workload.traces", "a/b", "a/b", ""},
    {"workload.replicate", "true", "true", "maybe"},
    {"workload.ignore-extra-traces", "1", "true", "2"},
    {"workload.allow-empty", "false", "false", "False"},
    {"workload.dependencies", "control", "control", "Data"},
    {"workload.drop-missing-parents", "true", "true", ""},
    {"workload.break-cycles", "0", "false", "no"},
    {"workload.comm-groups", "g.json", "g.json", ""},
    {"workload.scale-ranks", "64", "64", "many"},
    {"workload.scale-groups", "dp,dp-cp", "dp,dp-cp", ""},
    {"workload.passes", "2", "2", "0"},
    {"network.backend", "congestion-aware", "congestion-aware", "congestion_aware"},
    {"network.backend", "flow", "flow", "fluid"},
    {"network.topology", "torus:4x4", "torus:4x4", ""},
    {"network.routing", "ecmp", "ecmp", "ECMP"},
    {"network.seed", "18446744073709551615", "18446744073709551615", "18446744073709551616"},
    {"network.routes", "r.txt", "r.txt", ""},
    {"network.changes", "rank 5:bw*0.5", "rank 5:bw*0.5", ""},
    {"network.forwarding", "store-and-forward", "store-and-forward", "wormhole"},
    {"network.segment", "4KiB", "4096 B", "0.5B"},
    {"network.segment-header", "64B", "64 B", "0.5B"},
    {"network.send-overhead", "1.5us", "1500 ns", "-1ns"},
    {"network.receive-overhead", "0.5ns", "0.5 ns", "x"},
    {"network.message-gap", "5", "5 ns", "5GB"},
    {"network.byte-gap", "0.04", "0.04 ns/B", "-0.04"},
    {"network.injection", "50GB/s", "50000000000 B/s (50.00 GB/s)", "0GB/s"},
    {"system.scheduling-policy", "EXPLICIT", "EXPLICIT", "lifo"},
    {"system.endpoint-delay", "1.5us", "1500 ns", "0.5ns"},
    {"system.active-chunks-per-dim", "4", "4", "0"},
    {"system.dataset-splits", "64", "64", "0"},
    {"system.collective-optimization", "baseline", "baseline", "Baseline"},
    {"system.dim-order", "greedy", "greedy", "themis"},
    {"system.library", "h100-dgx", "h100-dgx", ""},
    {"system.all-to-all-sizes", "zipf:1", "zipf:1", ""},
    {"system.queues-per-dim", "2", "2", "1025"},
    {"system.rendezvous", "true", "true", "on"},
    {"system.local-memory-bandwidth", "1600GB/s", "1600000000000 B/s (1.600 TB/s)", "0GB/s"},
    {"system.peak-compute", "312TFLOPS", "312 TFLOPS", "-1TFLOPS"},
    {"system.compute-model", "roofline", "roofline", "exact"},
    {"system.replay-only", "true", "true", "TRUE"},
    {"system.shared-bus", "true", "true", "x"},
    {"system.bus-L", "5ns", "5 ns", "-5ns"},
    {"system.bus-o", "6 ns", "6 ns", "6 B"},
    {"system.bus-g", "7", "7 ns", "seven"},
    {"system.bus-G", "0.0038", "0.0038 ns/B", "-1"},
    {"system.bus-G", "1e6", "1000000 ns/B", "1000000.1"},
    {"system.bus-G", "0", "0 ns/B", "inf"},
    {"system.local-reduction-delay", "0ns", "0 ns", "1.5ns"},
    {"system.host-slots", "2", "2", "0"},
    {"system.compute-slots", "65536", "65536", "65537"},
    {"system.comm-slots", "8", "8", "-8"},
    {"system.library-costs", "true", "true", "yes"},
    {"system.device", "h100-sxm", "h100-sxm", ""},
    {"system.profile", "measured.csv", "measured.csv", ""},
    {"system.sustained-rates", "true", "true", "yes"},
    {"system.launch-overhead", "5us", "5000 ns", "5 GB"},
    {"system.collective-launch-overhead", "5us", "5000 ns", "5 GB"},
    {"system.step-overhead", "5ms", "5000000 ns", "5 GB"},
    {"system.matrix-ratio", "0.9", "0.9 of the device's rate", "-1"},
    {"system.attention-ratio", "0.9", "0.9 of the device's rate", "-1"},
    {"system.memory-ratio", "1.5", "1.5 of the device's time", "-1"},
    {"system.attention-kernel", "flash2", "flash2", ""},
    {"system.network-ratio", "0.9", "0.9 of link rates", "2"},
    {"system.overlap-slowdown", "0.1", "0.1 of its time", "-1"},
    {"system.device-price", "2.5", "2.5 $ per hour", "-1"},
    {"system.streams", "true", "true", "yes"},
    {"system.least-duration", "1ns", "1 ns", "1GB"},
    {"system.zero-bytes-is-free", "false", "false", "nope"},
    {"system.late-zero-cost", "false", "false", "nope"},
    {"system.broadcast-replayed", "false", "false", "nope"},
    {"system.small-group-delay", "10ns", "10 ns", "1e30s"},
    {"system.whole-ns", "false", "false", "on"},
    {"network.whole-ns", "false", "false", "yes"},
    {"memory.type", "per-node", "per-node", "PER_NODE"},
    {"memory.latency", "2us", "2000 ns", "2 u"},
    {"memory.bandwidth", "50GB/s", "50 B/ns", "50.5GB/s"},
    {"memory.nodes", "2", "2", "99999999999"},
    {"memory.npus-per-node", "4", "4", "4.0"},
    {"variation.distribution", "gamma", "gamma", "gaussian"},
    {"variation.seed", "7", "7", "-1"},
    {"variation.sample", "3", "3", "three"},
    {"variation.op-jitter", "0.05", "0.05 of the mean", "1.5"},
    {"variation.rank-jitter", "0.03", "0.03 of the mean", "3%"},
    {"variation.link-jitter", "0.1", "0.1 of the mean", "-1"},
    {"variation.latency-jitter", "0.1", "0.1 of the mean", "nan"},
    {"variation.start-delay", "2us", "2000 ns", "2 GB"},
    {"variation.slow-ranks", "rank 1: 2x", "rank 1: 2x", ""},
    {"variation.slow-links", "a->b: bw*0.5", "a->b: bw*0.5", ""},
    {"run.fold", "false", "false", "nofold"},
    {"run.max-time", "10ms", "10.00 ms", "400 h x"},
};

static const char *value_of(const char *key)
{
    for (uint32_t i = 0; i < config.provenance_count; i++) {
        if (strcmp(config.provenance[i].key, key) == 0)
            return config.provenance[i].value;
    }
    return "";
}

START_TEST(setting_texts)
{
    const struct setting *setting = setting_find(rows[_i].key);
    ck_assert_ptr_nonnull(setting);
    ck_assert_int_eq(setting_set_text(&config, setting, rows[_i].good, "test", &notices, &diag),
                     STATUS_OK);
    ck_assert_str_eq(value_of(rows[_i].key), rows[_i].shown);
    ck_assert_str_eq(config_source(&config, rows[_i].key), "test");
    ck_assert_int_eq(setting_set_text(&config, setting, rows[_i].bad, "bad", &notices, &diag),
                     STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.field, rows[_i].key);
    ck_assert_str_eq(value_of(rows[_i].key), rows[_i].shown);
}
END_TEST

START_TEST(table_covers_settings)
{
    for (const struct setting *setting = settings; setting->key; setting++) {
        size_t i = 0;
        while (i < sizeof rows / sizeof *rows && strcmp(rows[i].key, setting->key) != 0)
            i++;
        ck_assert_msg(i < sizeof rows / sizeof *rows, "no row for %s", setting->key);
    }
}
END_TEST

START_TEST(bare_number_is_said)
{
    setting_set_text(&config, setting_find("system.endpoint-delay"), "25", "t", &notices, &diag);
    ck_assert_uint_eq(notices.count, 1);
    ck_assert_int_eq(notices.row[0].kind, NOTICE_DEFAULTED);
    ck_assert_ptr_nonnull(strstr(notices.row[0].example, "25 was taken as ns"));
}
END_TEST

static const struct {
    const char *name;
    struct algorithm_choice choice;
} algorithms[] = {
    {"ring", {.id = ALG_RING, .window = 0, .flat = false}},
    {"direct", {.id = ALG_DIRECT, .window = 0, .flat = false}},
    {"direct1", {.id = ALG_DIRECT, .window = 1, .flat = false}},
    {"direct99999", {.id = ALG_DIRECT, .window = 99999, .flat = false}},
    {"halvingDoubling", {.id = ALG_HALVING_DOUBLING, .window = 0, .flat = false}},
    {"doubleBinaryTree", {.id = ALG_DOUBLE_BINARY_TREE, .window = 0, .flat = false}},
    {"oneRing", {.id = ALG_RING, .window = 0, .flat = true}},
    {"oneDirect", {.id = ALG_DIRECT, .window = 0, .flat = true}},
    {"oneDirect12", {.id = ALG_DIRECT, .window = 12, .flat = true}},
    {"nvls", {.id = ALG_NVLS}},
    {"nvls:flat", {.id = ALG_NVLS, .flat = true}},
    {"swing", {.id = ALG_SWING, .flat = true}},
    {"bruck:radix=4", {.id = ALG_BRUCK, .flat = true, .radix = 4}},
    {"double-binary-tree:dim:chunks=3", {.id = ALG_BINARY_TREES, .chunks = 3}},
    {"multi-ring:flat:channels=8", {.id = ALG_MULTI_RING, .flat = true, .channels = 8}},
    {"oneHalvingDoubling", {.id = ALG_HALVING_DOUBLING, .window = 0, .flat = true}},
};

START_TEST(algorithm_names_round)
{
    struct algorithm_choice choice;
    char text[ALGORITHM_TEXT];
    ck_assert(algorithm_parse(algorithms[_i].name, &choice));
    ck_assert_int_eq(choice.id, algorithms[_i].choice.id);
    ck_assert_uint_eq(choice.window, algorithms[_i].choice.window);
    ck_assert(choice.flat == algorithms[_i].choice.flat);
    ck_assert_uint_eq(choice.chunks, algorithms[_i].choice.chunks);
    ck_assert_uint_eq(choice.channels, algorithms[_i].choice.channels);
    ck_assert_uint_eq(choice.radix, algorithms[_i].choice.radix);
    ck_assert_str_eq(algorithm_show(text, sizeof text, choice), algorithms[_i].name);
}
END_TEST

static const char *const bad_algorithms[] = {
    "",
    "Ring",
    "ring2",
    "direct0",
    "direct-1",
    "direct100000",
    "direct 2",
    "directed",
    "oneRing1",
    "oneDirect0",
    "tree",
    "direct99999999999999999999",
    "halvingdoubling",
    "ring:flat",
    "direct:chunks=2",
    "nvls:",
    "nvls:flat:",
    "nvls:flat=1",
    "nvls:chunks=2",
    "swing:dim",
    "swing:flat",
    "bruck:radix=",
    "bruck:radix=0",
    "bruck:radix=100000",
};

START_TEST(algorithm_names_refused)
{
    struct algorithm_choice choice;
    ck_assert(!algorithm_parse(bad_algorithms[_i], &choice));
    algorithm_unknown(bad_algorithms[_i], &diag);
    ck_assert(diag.hint[0]);
}
END_TEST

/* Lists of algorithms against dimensions: entries, dimensions, first is one*, own form, outcome. */
static const struct {
    uint32_t count, dims;
    bool flat, own_form;
    enum status status;
    size_t notices;
} lists[] = {
    {0, 3, false, false, STATUS_OK, 0},        {3, 3, false, false, STATUS_OK, 0},
    {1, 3, true, false, STATUS_OK, 0},         {1, 3, true, true, STATUS_OK, 0},
    {1, 3, false, false, STATUS_OK, 1},        {1, 3, false, true, STATUS_BAD_CONFIG, 0},
    {2, 3, true, false, STATUS_BAD_CONFIG, 0}, {3, 2, false, false, STATUS_BAD_CONFIG, 0},
};

START_TEST(lists_against_dimensions)
{
    struct algorithm_list *list = &config.system.algorithm[SLOT_ALL_REDUCE];
    list->count = lists[_i].count;
    list->choice[0].flat = lists[_i].flat;
    config.own_form = lists[_i].own_form;
    config.network.dim_count = lists[_i].dims;
    ck_assert_int_eq(config_finish(&config, &notices, &diag), lists[_i].status);
    ck_assert_uint_eq(notices.count, lists[_i].notices);
    if (lists[_i].status != STATUS_OK) {
        char number[8];
        snprintf(number, sizeof number, "%u", list->count);
        ck_assert_ptr_nonnull(strstr(diag.message, number));
    }
}
END_TEST

START_TEST(no_network)
{
    ck_assert_int_eq(config_finish(&config, &notices, &diag), STATUS_BAD_CONFIG);
    ck_assert_ptr_nonnull(strstr(diag.message, "no network"));
}
END_TEST

START_TEST(memory_covers_all)
{
    config.network.dim_count = 1;
    config.network.npu_count = 8;
    config.memory.type = MEMORY_PER_NODE;
    config.memory.node_count = 2;
    config.memory.npus_per_node = 4;
    ck_assert_int_eq(config_finish(&config, &notices, &diag), STATUS_OK);
    config.network.npu_count = 9;
    ck_assert_int_eq(config_finish(&config, &notices, &diag), STATUS_BAD_CONFIG);
    ck_assert_ptr_nonnull(strstr(diag.message, "9 NPUs"));
}
END_TEST

START_TEST(printed)
{
    static char text[16384];
    FILE *out = fmemopen(text, sizeof text, "w");
    config_print(&config, out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "system.endpoint-delay"));
    ck_assert_ptr_nonnull(strstr(text, "10 ns"));
    ck_assert_ptr_nonnull(strstr(text, "# default"));
    size_t column = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        const char *mark = strchr(line, '#');
        ck_assert_ptr_nonnull(mark);
        if (!column)
            column = (size_t)(mark - line);
        ck_assert_uint_eq((size_t)(mark - line), column);
    }
}
END_TEST

#define ROWS(table) (int)(sizeof table / sizeof *table)

static Suite *suite_of_config(void)
{
    TCase *cases = tcase_create("config");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, defaults_of_the_dialect);
    tcase_add_test(cases, every_setting_has_a_row);
    tcase_add_test(cases, notes_replace);
    tcase_add_loop_test(cases, setting_texts, 0, ROWS(rows));
    tcase_add_test(cases, table_covers_settings);
    tcase_add_test(cases, bare_number_is_said);
    tcase_add_loop_test(cases, algorithm_names_round, 0, ROWS(algorithms));
    tcase_add_loop_test(cases, algorithm_names_refused, 0, ROWS(bad_algorithms));
    tcase_add_loop_test(cases, lists_against_dimensions, 0, ROWS(lists));
    tcase_add_test(cases, no_network);
    tcase_add_test(cases, memory_covers_all);
    tcase_add_test(cases, printed);
    Suite *suite = suite_create("config");
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of_config())
