/* astra_config: good and bad values of every key of ASTRA-sim's three input files. */
#include <string.h>

#include "base/table.h"
#include "config/astra_config.h"
#include "tests/unit/config_bench.h"
#include "tests/unit/temp_file.h"

static enum status network(const char *text)
{
    const char *path = temp_file(text);
    enum status status = astra_network_load(&config, path, &notices, &diag);
    unlink(path);
    return status;
}

static enum status system_file(const char *text, double scale)
{
    const char *path = temp_file(text);
    enum status status = astra_system_load(&config, path, scale, &notices, &diag);
    unlink(path);
    return status;
}

static enum status memory(const char *text)
{
    const char *path = temp_file(text);
    enum status status = astra_memory_load(&config, path, &notices, &diag);
    unlink(path);
    return status;
}

/* Fails with `message`, in the file, with a field. */
static void expect_refused(enum status status, const char *message, int row)
{
    ck_assert_int_eq(status, STATUS_BAD_CONFIG);
    ck_assert_msg(strstr(diag.message, message) != NULL, "row %d: %s", row, diag.message);
    ck_assert_str_ne(diag.file, "");
    ck_assert_str_ne(diag.field, "");
}

/* -- network ------------------------------------------------------------------------------- */

START_TEST(network_good)
{
    ck_assert_int_eq(network("topology: [ Switch, FullyConnected, Ring ]\n"
                             "npus_count: [ 4, 1, 3 ]  # comment\n"
                             "bandwidth: [ 50.0, 1e2, 7 ]\n"
                             "latency: [ 500.0, 0, 123.7 ]\n"),
                     STATUS_OK);
    ck_assert_uint_eq(config.network.dim_count, 3);
    ck_assert_uint_eq(config.network.npu_count, 12);
    ck_assert_int_eq(config.network.dim[0].block, NET_SWITCH);
    ck_assert_int_eq(config.network.dim[1].block, NET_FULLY_CONNECTED);
    ck_assert_int_eq(config.network.dim[2].block, NET_RING);
    /* GB is 2^30 here: 50 GB/s are 53.6870912 B/ns. */
    ck_assert_double_eq(config.network.dim[0].bandwidth_B_per_ns, 53.6870912);
    ck_assert_double_eq(config.network.dim[2].latency_ns, 123.7);
    ck_assert_uint_eq(notices.count, 0);
    ck_assert_uint_eq(config.input_count, 1);
    ck_assert_str_eq(config.input[0].role, "network");
    ck_assert_ptr_nonnull(config_source(&config, "network.dim[2].bandwidth"));
}
END_TEST

START_TEST(network_unknown_key)
{
    ck_assert_int_eq(network("topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50 ]\n"
                             "latency: [ 5 ]\nlatencies: [ 6 ]\nfoo: 1\n"),
                     STATUS_OK);
    ck_assert_uint_eq(notices.count, 1);
    ck_assert_int_eq(notices.row[0].kind, NOTICE_IGNORED);
    ck_assert_uint_eq(notices.row[0].count, 2);
    ck_assert_ptr_nonnull(strstr(notices.row[0].example, "did you mean \"latency\""));
}
END_TEST

#define NET(topology, npus, bandwidth, latency)                                                    \
    "topology: " topology "\nnpus_count: " npus "\nbandwidth: " bandwidth "\nlatency: " latency "\n"

static const struct {
    const char *text, *message;
} bad_networks[] = {
    {"[ 1 ]", "expected a map"},
    {"topology: [ Ring ]\n", "missing"},
    {NET("Ring", "[ 4 ]", "[ 50 ]", "[ 5 ]"), "expected a list"},
    {NET("[ Ring ]", "4", "[ 50 ]", "[ 5 ]"), "expected a list"},
    {NET("[ Ring ]", "[ 4 ]", "50.0", "[ 5 ]"), "expected a list"},
    {NET("[ Ring ]", "[ 4 ]", "[ 50 ]", "5"), "expected a list"},
    {NET("[]", "[]", "[]", "[]"), "expected a list"},
    {NET("[ ring ]", "[ 4 ]", "[ 50 ]", "[ 5 ]"), "Ring, FullyConnected or Switch"},
    {NET("[ Torus ]", "[ 4 ]", "[ 50 ]", "[ 5 ]"), "Ring, FullyConnected or Switch"},
    {NET("[ 5 ]", "[ 4 ]", "[ 50 ]", "[ 5 ]"), "Ring, FullyConnected or Switch"},
    {NET("[ Ring, Ring ]", "[ 4 ]", "[ 50 ]", "[ 5 ]"), "1 entry, but topology has 2"},
    {NET("[ Ring ]", "[ 4, 4 ]", "[ 50 ]", "[ 5 ]"), "2 entries, but topology has 1"},
    {NET("[ Ring ]", "[ 4 ]", "[ 50, 50 ]", "[ 5 ]"), "2 entries"},
    {NET("[ Ring ]", "[ 4 ]", "[ 50 ]", "[ 5, 6, 7 ]"), "3 entries"},
    {NET("[ Ring ]", "[ 0 ]", "[ 50 ]", "[ 5 ]"), "integer from 1"},
    {NET("[ Ring ]", "[ -4 ]", "[ 50 ]", "[ 5 ]"), "integer from 1"},
    {NET("[ Ring ]", "[ 4.0 ]", "[ 50 ]", "[ 5 ]"), "integer from 1"},
    {NET("[ Ring ]", "[ 99999999999 ]", "[ 50 ]", "[ 5 ]"), "integer from 1"},
    {NET("[ Ring, Ring ]", "[ 8192, 8192 ]", "[ 5, 5 ]", "[ 5, 5 ]"), "more than the 16777216"},
    {NET("[ Ring ]", "[ 4 ]", "[ 0 ]", "[ 5 ]"), "GB/s"},
    {NET("[ Ring ]", "[ 4 ]", "[ -50 ]", "[ 5 ]"), "GB/s"},
    {NET("[ Ring ]", "[ 4 ]", "[ 50GB/s ]", "[ 5 ]"), "GB/s"},
    {NET("[ Ring ]", "[ 4 ]", "[ .inf ]", "[ 5 ]"), "GB/s"},
    {NET("[ Ring ]", "[ 4 ]", "[ 1e-320 ]", "[ 5 ]"), "1 byte/s"},
    {NET("[ Ring ]", "[ 4 ]", "[ [ 50 ] ]", "[ 5 ]"), "GB/s"},
    {NET("[ Ring ]", "[ 4 ]", "[ 50 ]", "[ -1 ]"), "ns"},
    {NET("[ Ring ]", "[ 4 ]", "[ 50 ]", "[ null ]"), "ns"},
    {NET("[ Ring, Ring, Ring, Ring, Ring, Ring, Ring, Ring, Ring ]", "[1,1,1,1,1,1,1,1,1]",
         "[1,1,1,1,1,1,1,1,1]", "[1,1,1,1,1,1,1,1,1]"),
     "9 dimensions; at most 8"},
};

START_TEST(network_bad)
{
    expect_refused(network(bad_networks[_i].text), bad_networks[_i].message, _i);
    ck_assert_uint_eq(config.network.dim_count, 0);
}
END_TEST

START_TEST(network_hints)
{
    network(NET("[ Ring ]", "4", "[ 50 ]", "[ 5 ]"));
    ck_assert_str_eq(diag.hint, "write npus_count: [ 4 ]");
    diag = DIAG_NONE;
    network(NET("[ fullyConnected ]", "[ 4 ]", "[ 50 ]", "[ 5 ]"));
    ck_assert_ptr_nonnull(strstr(diag.hint, "FullyConnected"));
    diag = DIAG_NONE;
    ck_assert_int_eq(astra_network_load(&config, "/no/file.yml", &notices, &diag), STATUS_IO);
}
END_TEST

/* -- system -------------------------------------------------------------------------------- */

START_TEST(system_good)
{
    ck_assert_int_eq(
        system_file("{\"scheduling-policy\": \"FIFO\", \"endpoint-delay\": 37,"
                    "\"active-chunks-per-dimension\": 2, \"preferred-dataset-splits\": 5,"
                    "\"all-reduce-implementation\": [\"ring\", \"direct2\"],"
                    "\"all-gather-implementation\": [\"oneRing\"],"
                    "\"reduce-scatter-implementation\": [\"doubleBinaryTree\"],"
                    "\"all-to-all-implementation\": [],"
                    "\"all-to-all-implementation-custom\": [\"p/a2a\"],"
                    "\"collective-optimization\": \"baseline\", \"local-mem-bw\": 3350,"
                    "\"peak-perf\": 900.5, \"roofline-enabled\": 1, \"replay-only\": 0,"
                    "\"trace-enabled\": 0, \"track-local-mem\": 0,"
                    "\"local-mem-trace-filename\": \"t\", \"local-reduction-delay\": 3,"
                    "\"L\": 1, \"o\": 2, \"g\": 3, \"G\": 0.0038, \"model-shared-bus\": 1}",
                    1),
        STATUS_OK);
    const struct system_config *system = &config.system;
    ck_assert_int_eq(system->policy, POLICY_FIFO);
    ck_assert_uint_eq(system->endpoint_delay_ns, 37);
    ck_assert_uint_eq(system->active_chunks_per_dim, 2);
    ck_assert_uint_eq(system->dataset_splits, 5);
    ck_assert_uint_eq(system->algorithm[SLOT_ALL_REDUCE].count, 2);
    ck_assert_int_eq(system->algorithm[SLOT_ALL_REDUCE].choice[1].id, ALG_DIRECT);
    ck_assert_uint_eq(system->algorithm[SLOT_ALL_REDUCE].choice[1].window, 2);
    ck_assert(system->algorithm[SLOT_ALL_GATHER].choice[0].flat);
    ck_assert_int_eq(system->algorithm[SLOT_REDUCE_SCATTER].choice[0].id, ALG_DOUBLE_BINARY_TREE);
    ck_assert_uint_eq(system->algorithm[SLOT_ALL_TO_ALL].count, 0);
    ck_assert_str_eq(system->algorithm[SLOT_ALL_TO_ALL].custom_prefix, "p/a2a");
    ck_assert_int_eq(system->optimization, COLL_BASELINE);
    ck_assert_double_eq(system->local_memory_Bps, 3350e9);
    ck_assert_double_eq(system->peak_flop_per_s, 900.5 * 1e12);
    ck_assert_int_eq(system->compute, COMPUTE_ROOFLINE);
    ck_assert(!system->replay_only && system->shared_bus);
    ck_assert_uint_eq(system->local_reduction_delay_ns, 3);
    ck_assert_uint_eq(system->bus_L_ns, 1);
    ck_assert_uint_eq(system->bus_o_ns, 2);
    ck_assert_uint_eq(system->bus_g_ns, 3);
    ck_assert_double_eq(system->bus_G_ns_per_byte, (float)0.0038); /* kept in single precision */
    ck_assert_uint_eq(notices.count, 0);
}
END_TEST

/* A file that says nothing leaves the defaults, and says that one was chosen for it. */
START_TEST(system_empty)
{
    ck_assert_int_eq(system_file("{}", 1), STATUS_OK);
    ck_assert_uint_eq(config.system.endpoint_delay_ns, 10);
    ck_assert_uint_eq(notices.count, 1);
    ck_assert_int_eq(notices.row[0].kind, NOTICE_DEFAULTED);
}
END_TEST

static const struct {
    const char *text;
    double scale;
    uint64_t delay;
} delays[] = {
    {"{\"endpoint-delay\": 37}", 1, 37},
    {"{\"endpoint-delay\": 37}", 0.5, 18}, /* 18.5, truncated */
    {"{\"endpoint-delay\": 10.9}", 1, 10},
    {"{\"endpoint-delay\": 10.9}", 2, 20}, /* the fraction goes first */
    {"{\"endpoint-delay\": 0}", 7, 0},
    {"{}", 2, 10}, /* ASTRA-sim's default is not scaled */
};

START_TEST(system_delay)
{
    ck_assert_int_eq(system_file(delays[_i].text, delays[_i].scale), STATUS_OK);
    ck_assert_uint_eq(config.system.endpoint_delay_ns, delays[_i].delay);
}
END_TEST

static const struct {
    const char *text;
    bool on;
} switches[] = {
    {"{\"replay-only\": 0}", false},   {"{\"replay-only\": 1}", true},
    {"{\"replay-only\": 0.0}", false}, {"{\"replay-only\": -1}", true},
    {"{\"replay-only\": true}", true}, {"{\"replay-only\": false}", true}, /* as ASTRA-sim */
};

START_TEST(system_switches)
{
    ck_assert_int_eq(system_file(switches[_i].text, 1), STATUS_OK);
    ck_assert(config.system.replay_only == switches[_i].on);
}
END_TEST

START_TEST(system_notices)
{
    ck_assert_int_eq(system_file("{\"boost-mode\": 0, \"endpoint-dela\": 5, \"replay-only\": false,"
                                 "\"collective-optimization\": \"baseline\","
                                 "\"trace-enabled\": 1, \"L\": 0.5}",
                                 1),
                     STATUS_OK);
    ck_assert_uint_eq(notices.count, 4);
    ck_assert_int_eq(notices.row[0].kind, NOTICE_CLAMPED);
    ck_assert_int_eq(notices.row[1].kind, NOTICE_ODDITY);
    ck_assert_int_eq(notices.row[2].kind, NOTICE_IGNORED);
    ck_assert_int_eq(notices.row[3].kind, NOTICE_IGNORED);
    ck_assert_uint_eq(notices.row[3].count, 2);
}
END_TEST

static const struct {
    const char *text, *field, *message;
} bad_systems[] = {
    {"[]", "system file", "expected a map"},
    {"{\"scheduling-policy\": \"lifo\"}", "scheduling-policy", "LIFO, FIFO or EXPLICIT"},
    {"{\"scheduling-policy\": 1}", "scheduling-policy", "LIFO, FIFO or EXPLICIT"},
    {"{\"endpoint-delay\": \"10\"}", "endpoint-delay", "found text \"10\""},
    {"{\"endpoint-delay\": -1}", "endpoint-delay", "from 0"},
    {"{\"endpoint-delay\": 1e10}", "endpoint-delay", "from 0"},
    {"{\"endpoint-delay\": null}", "endpoint-delay", "found nothing"},
    {"{\"active-chunks-per-dimension\": 0}", "active-chunks-per-dimension", "1 or more"},
    {"{\"active-chunks-per-dimension\": 0.5}", "active-chunks-per-dimension", "1 or more"},
    {"{\"preferred-dataset-splits\": 0}", "preferred-dataset-splits", "1 or more"},
    {"{\"preferred-dataset-splits\": -4}", "preferred-dataset-splits", "from 0"},
    {"{\"preferred-dataset-splits\": [4]}", "preferred-dataset-splits", "found a list"},
    {"{\"collective-optimization\": \"localBwAware\"}", "collective-optimization", "localBWAware"},
    {"{\"local-mem-bw\": \"1600GB/s\"}", "local-mem-bw", "expected a number"},
    {"{\"local-mem-bw\": -1}", "local-mem-bw", "0 or more"},
    {"{\"peak-perf\": true}", "peak-perf", "expected a number"},
    {"{\"peak-perf\": 1e300}", "peak-perf", "expected a number"},
    {"{\"roofline-enabled\": \"yes\"}", "roofline-enabled", "0 or 1"},
    {"{\"replay-only\": {}}", "replay-only", "0 or 1"},
    {"{\"trace-enabled\": \"0\"}", "trace-enabled", "0 or 1"},
    {"{\"track-local-mem\": []}", "track-local-mem", "0 or 1"},
    {"{\"local-mem-trace-filename\": 1}", "local-mem-trace-filename", "expected text"},
    {"{\"model-shared-bus\": \"1\"}", "model-shared-bus", "0 or 1"},
    {"{\"local-reduction-delay\": -1}", "local-reduction-delay", "from 0"},
    {"{\"L\": \"a\"}", "L", "from 0"},
    {"{\"o\": -1}", "o", "from 0"},
    {"{\"g\": []}", "g", "from 0"},
    {"{\"G\": -0.1}", "G", "from 0 to 1000000"},
    {"{\"G\": 1000001}", "G", "from 0 to 1000000"},
    {"{\"all-reduce-implementation\": \"ring\"}", "all-reduce-implementation", "a list"},
    {"{\"all-gather-implementation\": [1]}", "all-gather-implementation[0]", "name of an alg"},
    {"{\"all-to-all-implementation\": [\"ring\", \"rnig\"]}", "all-to-all-implementation[1]",
     "unknown algorithm \"rnig\""},
    {"{\"reduce-scatter-implementation\": [\"direct0\"]}", "reduce-scatter-implementation[0]",
     "unknown algorithm"},
    {"{\"all-reduce-implementation\": [\"ring\",\"ring\",\"ring\",\"ring\",\"ring\",\"ring\","
     "\"ring\",\"ring\",\"ring\"]}",
     "all-reduce-implementation", "9 algorithms"},
    {"{\"all-reduce-implementation-custom\": \"p\"}", "all-reduce-implementation-custom",
     "exactly one prefix"},
    {"{\"all-reduce-implementation-custom\": []}", "all-reduce-implementation-custom",
     "exactly one prefix"},
    {"{\"all-gather-implementation-custom\": [\"a\", \"b\"]}", "all-gather-implementation-custom",
     "exactly one prefix"},
    {"{\"per-node-custom-implementation\": 5}", "per-node-custom-implementation", "expected text"},
};

START_TEST(system_bad)
{
    expect_refused(system_file(bad_systems[_i].text, 1), bad_systems[_i].message, _i);
    ck_assert_str_eq(diag.field, bad_systems[_i].field);
}
END_TEST

START_TEST(system_hints)
{
    system_file("{\"all-reduce-implementation\": \"ring\"}", 1);
    ck_assert_str_eq(diag.hint, "write [ \"ring\" ]");
    diag = DIAG_NONE;
    system_file("{\"all-reduce-implementation\": [\"halvingdoubling\"]}", 1);
    ck_assert_str_eq(diag.hint, "did you mean \"halvingDoubling\"?");
    diag = DIAG_NONE;
    system_file("{\n\n\"endpoint-delay\": -1}", 1);
    ck_assert_uint_eq(diag.at, 3);
}
END_TEST

static enum status per_node(const char *yaml)
{
    char name[64];
    strcpy(name, temp_file(yaml));
    char json[160];
    snprintf(json, sizeof json, "{\"per-node-custom-implementation\": \"%s\"}", name);
    enum status status = system_file(json, 1);
    unlink(name);
    return status;
}

START_TEST(system_per_node)
{
    ck_assert_int_eq(per_node("17: a/b\n3: c\n"), STATUS_OK);
    ck_assert_uint_eq(config.system.node_algorithm_count, 2);
    ck_assert_uint_eq(config.system.node_algorithm[0].node_id, 17);
    ck_assert_str_eq(config.system.node_algorithm[1].custom_prefix, "c");
    ck_assert_uint_eq(config.input_count, 2);
    ck_assert_str_eq(config.input[1].role, "per-node");
    ck_assert_uint_eq(config.input[1].hash, hash_bytes("17: a/b\n3: c\n", 13, 0));
    ck_assert_str_eq(config.input[0].role, "system");
    ck_assert_int_eq(per_node("x: a\n"), STATUS_BAD_CONFIG);
    ck_assert_ptr_nonnull(strstr(diag.message, "node id"));
    diag = DIAG_NONE;
    ck_assert_int_eq(per_node("1: [a]\n"), STATUS_BAD_CONFIG);
    diag = DIAG_NONE;
    ck_assert_int_eq(per_node("- 1\n"), STATUS_BAD_CONFIG);
    diag = DIAG_NONE;
    ck_assert_int_eq(system_file("{\"per-node-custom-implementation\": \"/no/file\"}", 1),
                     STATUS_IO);
}
END_TEST

/* What --print-config shows is the value that is used: in single precision. */
START_TEST(system_bus_G_as_used)
{
    ck_assert_int_eq(system_file("{\"G\": 0.03}", 1), STATUS_OK);
    const struct provenance *row = config.provenance;
    while (strcmp(row->key, "system.bus-G") != 0)
        row++;
    ck_assert_str_eq(row->value, "0.0299999993294477 ns/B");
}
END_TEST

/* -- memory -------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    enum memory_type type;
    uint64_t latency, bandwidth;
} memories[] = {
    {"{\"memory-type\": \"NO_MEMORY_EXPANSION\"}", MEMORY_NONE, 0, 0},
    {"{\"memory-type\": \"PER_NPU_MEMORY_EXPANSION\", \"remote-mem-latency\": 100,"
     "\"remote-mem-bw\": 50}",
     MEMORY_PER_NPU, 100, 50},
    {"{\"memory-type\": \"MEMORY_POOL\", \"remote-mem-latency\": 1.9, \"remote-mem-bw\": 12.5}",
     MEMORY_POOL, 1, 12},
    {"{\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\", \"num-nodes\": 2,"
     "\"num-npus-per-node\": 4}",
     MEMORY_PER_NODE, 0, 0},
};

START_TEST(memory_good)
{
    ck_assert_int_eq(memory(memories[_i].text), STATUS_OK);
    ck_assert_int_eq(config.memory.type, memories[_i].type);
    ck_assert_uint_eq(config.memory.latency_ns, memories[_i].latency);
    ck_assert_uint_eq(config.memory.bandwidth_B_per_ns, memories[_i].bandwidth);
    if (memories[_i].latency == 1) { /* two fractions were cut off */
        ck_assert_uint_eq(notices.row[0].count, 2);
        ck_assert_int_eq(notices.row[0].kind, NOTICE_CLAMPED);
    }
}
END_TEST

static const struct {
    const char *text, *field, *message;
} bad_memories[] = {
    {"[]", "memory file", "expected a map"},
    {"{}", "memory-type", "missing"},
    {"{\"memory-type\": \"MEMORY_POLL\"}", "memory-type", "found text"},
    {"{\"memory-type\": 1}", "memory-type", "found a number 1"},
    {"{\"memory-type\": \"MEMORY_POOL\", \"remote-mem-bw\": -1}", "remote-mem-bw", "from 0"},
    {"{\"memory-type\": \"MEMORY_POOL\", \"remote-mem-latency\": \"1us\"}", "remote-mem-latency",
     "from 0"},
    {"{\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\"}", "num-nodes", "missing"},
    {"{\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\", \"num-nodes\": 2}", "num-npus-per-node",
     "missing"},
    {"{\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\", \"num-nodes\": 0}", "num-nodes", "from 1"},
};

START_TEST(memory_bad)
{
    expect_refused(memory(bad_memories[_i].text), bad_memories[_i].message, _i);
    ck_assert_str_eq(diag.field, bad_memories[_i].field);
}
END_TEST

#define ROWS(table) (int)(sizeof table / sizeof *table)

static Suite *suite_of_astra_config(void)
{
    TCase *cases = tcase_create("astra_config");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, network_good);
    tcase_add_test(cases, network_unknown_key);
    tcase_add_loop_test(cases, network_bad, 0, ROWS(bad_networks));
    tcase_add_test(cases, network_hints);
    tcase_add_test(cases, system_good);
    tcase_add_test(cases, system_empty);
    tcase_add_loop_test(cases, system_delay, 0, ROWS(delays));
    tcase_add_loop_test(cases, system_switches, 0, ROWS(switches));
    tcase_add_test(cases, system_notices);
    tcase_add_loop_test(cases, system_bad, 0, ROWS(bad_systems));
    tcase_add_test(cases, system_hints);
    tcase_add_test(cases, system_per_node);
    tcase_add_test(cases, system_bus_G_as_used);
    tcase_add_loop_test(cases, memory_good, 0, ROWS(memories));
    tcase_add_loop_test(cases, memory_bad, 0, ROWS(bad_memories));
    Suite *suite = suite_create("astra_config");
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of_astra_config())
