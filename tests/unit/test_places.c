/* places: what the loaders share - where a value stands, paths, blocks, per-node files, sizes. */
#include <string.h>

#include "base/table.h"
#include "config/places.h"
#include "tests/unit/config_bench.h"
#include "tests/unit/temp_file.h"

static struct doc doc;

static void begin(void)
{
    set_up();
    doc = (struct doc){0};
}

static void end(void)
{
    doc_release(&doc);
    tear_down();
}

static const struct doc_node *parse(const char *name, const char *text)
{
    ck_assert_int_eq(doc_parse(&doc, name, text, strlen(text), DOC_YAML, &diag), STATUS_OK);
    return doc.root;
}

START_TEST(inputs_are_hashed_as_loaded)
{
    char path[64];
    strcpy(path, temp_file("a: 1\n"));
    ck_assert_int_eq(load_input(&config, &doc, "network", path, DOC_YAML, &diag), STATUS_OK);
    FILE *out = fopen(path, "w");
    fputs("a: 2\n", out); /* what it says later is not what was used */
    fclose(out);
    unlink(path);
    ck_assert_uint_eq(config.input_count, 1);
    ck_assert_str_eq(config.input[0].role, "network");
    ck_assert_str_eq(config.input[0].path, path);
    ck_assert_uint_eq(config.input[0].hash, hash_bytes("a: 1\n", 5, 0));
    ck_assert_ptr_eq(config_find_input(&config, path), &config.input[0]);
}
END_TEST

START_TEST(failed_inputs_are_not_listed)
{
    ck_assert_int_eq(load_input(&config, &doc, "x", "/no/file", DOC_YAML, &diag), STATUS_IO);
    ck_assert_uint_eq(config.input_count, 0);
    ck_assert_ptr_null(config_find_input(&config, "/no/file"));
}
END_TEST

START_TEST(an_input_is_listed_once)
{
    char path[16];
    for (int i = 0; i < 40; i++) {
        snprintf(path, sizeof path, "file%d", i % 20);
        config_add_input(&config, i < 20 ? "first" : "second", path, (uint64_t)i);
    }
    ck_assert_uint_eq(config.input_count, 20);
    for (uint64_t i = 0; i < 20; i++) {
        ck_assert_str_eq(config.input[i].role, "first");
        ck_assert_uint_eq(config.input[i].hash, i);
    }
}
END_TEST

START_TEST(place_and_failure)
{
    char place[64];
    const struct doc_node *root = parse("d/f.yml", "a: 1\nb:\n  c: 2\n");
    const struct doc_node *c = doc_find(doc_find(root, "b"), "c");
    ck_assert_str_eq(place_of(place, sizeof place, &doc, c), "d/f.yml:3");
    ck_assert_str_eq(place_of(place, 8, &doc, c), "d/f.yml");
    diag_fail(&diag, STATUS_BAD_CONFIG, "wrong");
    ck_assert_int_eq(fail_at_node(&doc, c, "b.c", STATUS_BAD_CONFIG, &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.file, "d/f.yml");
    ck_assert_str_eq(diag.field, "b.c");
    ck_assert_uint_eq(diag.at, 3);
}
END_TEST

START_TEST(unknown_keys_are_counted_once)
{
    static const char *const known[] = {"topology", "latency", NULL};
    ignore_unknown(&doc, parse("n.yml", "topology: 1\nlatency: 2\n"), known, "odd key", &notices);
    ck_assert_uint_eq(notices.count, 0);
    doc_release(&doc);
    ignore_unknown(&doc, parse("n.yml", "topology: 1\nlatecny: 2\nzzz: 3\nTopology: 4\n"), known,
                   "odd key", &notices);
    ck_assert_uint_eq(notices.count, 1);
    ck_assert_uint_eq(notices.row[0].count, 3);
    ck_assert_int_eq(notices.row[0].kind, NOTICE_IGNORED);
    ck_assert_str_eq(notices.row[0].example, "n.yml:2: \"latecny\" (did you mean \"latency\"?)");
}
END_TEST

static const struct {
    const char *document, *path, *seen;
} paths[] = {
    {"dir/c.yaml", "t/ar", "dir/t/ar"},
    {"c.yaml", "t/ar", "t/ar"},
    {"/a/b/c.yaml", "t", "/a/b/t"},
    {"dir/c.yaml", "/abs", "/abs"},
    {"dir/c.yaml", "", ""},
    {"dir/c.yaml", "../t", "dir/../t"},
};

START_TEST(paths_beside_a_document)
{
    parse(paths[_i].document, "a: 1\n");
    ck_assert_str_eq(path_beside(&config.arena, &doc, paths[_i].path), paths[_i].seen);
}
END_TEST

static const struct {
    const char *text;
    int block; /* -1: refused with `message`, `hint` */
    const char *message, *hint;
} blocks[] = {
    {"b: Ring", NET_RING, "", ""},
    {"b: FullyConnected", NET_FULLY_CONNECTED, "", ""},
    {"b: Switch", NET_SWITCH, "", ""},
    {"b: ring", -1, "expected Ring, FullyConnected or Switch, found text \"ring\"",
     "did you mean \"Ring\"?"},
    {"b: Mesh", -1, "expected Ring, FullyConnected or Switch, found text \"Mesh\"", ""},
    {"b: 1", -1, "expected Ring, FullyConnected or Switch, found a number 1", ""},
    {"c: Ring", -1, "missing; expected Ring, FullyConnected or Switch", ""},
};

START_TEST(block_names)
{
    enum net_block block = NET_RING;
    const struct doc_node *node = doc_find(parse("n.yml", blocks[_i].text), "b");
    enum status status = read_block_name(&doc, node, "dim", &block, &diag);
    if (blocks[_i].block >= 0) {
        ck_assert_int_eq(status, STATUS_OK);
        ck_assert_int_eq((int)block, blocks[_i].block);
        return;
    }
    ck_assert_int_eq(status, STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.message, blocks[_i].message);
    ck_assert_str_eq(diag.hint, blocks[_i].hint);
    ck_assert_str_eq(diag.field, "dim");
}
END_TEST

static const struct {
    const char *text, *message; /* "" : accepted */
} nodes[] = {
    {"{1: a, 18446744073709551615: b}", ""},
    {"{}", ""},
    {"{18446744073709551616: a}", "expected a node id"},
    {"{-1: a}", "expected a node id"},
    {"{x: a}", "expected a node id"},
    {"{1: ''}", "a prefix of Chakra files"},
    {"{1: [a]}", "a prefix of Chakra files"},
    {"[1, 2]", "expected a map"},
};

START_TEST(node_algorithms)
{
    const struct doc_node *root = parse("d/n.yml", nodes[_i].text);
    enum status status = read_node_algorithms(&config, &doc, root, "per-node", true, &diag);
    if (nodes[_i].message[0]) {
        ck_assert_int_eq(status, STATUS_BAD_CONFIG);
        ck_assert_ptr_nonnull(strstr(diag.message, nodes[_i].message));
        ck_assert_str_eq(diag.field, "per-node");
        ck_assert_uint_eq(config.system.node_algorithm_count, 0);
        return;
    }
    ck_assert_int_eq(status, STATUS_OK);
    ck_assert_uint_eq(config.system.node_algorithm_count, root->count);
    if (root->count == 0)
        return;
    ck_assert_str_eq(config.system.node_algorithm[0].custom_prefix, "d/a");
    ck_assert_uint_eq(config.system.node_algorithm[1].node_id, UINT64_MAX);
    ck_assert_int_eq(read_node_algorithms(&config, &doc, root, "per-node", false, &diag),
                     STATUS_OK);
    ck_assert_str_eq(config.system.node_algorithm[1].custom_prefix, "b");
}
END_TEST

static const struct {
    uint32_t npus[3], dims;
    uint32_t total; /* 0: too many */
} networks[] = {
    {{1}, 1, 1},
    {{4, 2, 3}, 3, 24},
    {{1 << 12, 1 << 12}, 2, 1 << 24},
    {{1 << 24, 2}, 2, 0},
    {{1 << 24, 1 << 24, 1 << 24}, 3, 0}, /* 2^72 does not wrap */
};

START_TEST(number_of_npus)
{
    const struct doc_node *root = parse("n.yml", "npus: 1\n");
    config.network.dim_count = networks[_i].dims;
    for (uint32_t d = 0; d < networks[_i].dims; d++)
        config.network.dim[d].npus = networks[_i].npus[d];
    enum status status = network_complete(&config, &doc, root, "npus", &diag);
    if (networks[_i].total == 0) {
        ck_assert_int_eq(status, STATUS_BAD_CONFIG);
        ck_assert_str_eq(diag.message, "more than the 16777216 NPUs that are supported");
        return;
    }
    ck_assert_int_eq(status, STATUS_OK);
    ck_assert_uint_eq(config.network.npu_count, networks[_i].total);
    ck_assert_str_eq(config_source(&config, "network.npus"), "n.yml:1");
}
END_TEST

#define ROWS(table) (int)(sizeof table / sizeof *table)

static Suite *places_suite(void)
{
    Suite *suite = suite_create("places");
    TCase *tcase = tcase_create("places");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, inputs_are_hashed_as_loaded);
    tcase_add_test(tcase, failed_inputs_are_not_listed);
    tcase_add_test(tcase, an_input_is_listed_once);
    tcase_add_test(tcase, place_and_failure);
    tcase_add_test(tcase, unknown_keys_are_counted_once);
    tcase_add_loop_test(tcase, paths_beside_a_document, 0, ROWS(paths));
    tcase_add_loop_test(tcase, block_names, 0, ROWS(blocks));
    tcase_add_loop_test(tcase, node_algorithms, 0, ROWS(nodes));
    tcase_add_loop_test(tcase, number_of_npus, 0, ROWS(networks));
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(places_suite())
