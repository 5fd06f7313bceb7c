#include "net/topology/topology_file.h"

#include <string.h>

#include "tests/unit/temp_file.h"
#include "tests/unit/unit.h"

#define EXAMPLES "configs/examples/topologies/"

static struct fabric *build(const char *text)
{
    struct fabric *fabric = NULL;
    struct diag diag = DIAG_NONE;
    enum status status = fabric_parse(text, &fabric, &diag);
    ck_assert_msg(status == STATUS_OK, "%s: %s", text, diag.message);
    return fabric;
}

static const struct fabric_link *link_between(const struct fabric *fabric, const char *a,
                                              const char *b)
{
    uint32_t src = fabric_find_node(fabric, a), dst = fabric_find_node(fabric, b);
    ck_assert_msg(src != FABRIC_NONE && dst != FABRIC_NONE, "%s, %s", a, b);
    uint32_t link = fabric_find_link(fabric, src, dst);
    return link == FABRIC_NONE ? NULL : &fabric->link[link];
}

static uint32_t count_role(const struct fabric *fabric, enum fabric_role role)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < fabric->node_count; v++)
        count += fabric->node[v].role == role;
    return count;
}

/* -- every kind of file is told by its content ------------------------------------------------- */

/* Links are counted per direction, parallel ones once. */
static const struct {
    const char *text;
    uint32_t npus, switches, nics, hosts, links, dims;
    const char *a, *b; /* a link .. */
    double there_Bps, back_Bps, ns;
    uint32_t count;
} kinds[] = {
    /* mesh 6 + ring 6 + 1 cables */
    {EXAMPLES "uneven.yaml", 10, 0, 0, 0, 26, 1, "mesh0", "ring0", 25e9, 25e9, 1000, 1},
    /* 16 NVLink pairs + 8 to hosts + 1 between hosts */
    {EXAMPLES "cube_mesh.yaml", 8, 0, 0, 2, 50, 2, "gpu0", "gpu3", 50e9, 50e9, 300, 2},
    /* 16 down + 8 up */
    {EXAMPLES "leaf_spine.yaml", 16, 6, 0, 0, 48, 2, "npu7", "leaf1", 50e9, 50e9, 500, 1},
    /* NVLink 6, to PCI switches 6, switches to hosts 2, hosts 1 */
    {EXAMPLES "node.xml", 4, 2, 2, 2, 30, 1, "gpu0", "gpu3", 100e9, 100e9, 300, 1},
    /* 4 x 15 + 8 */
    {EXAMPLES "cluster.yaml", 16, 9, 8, 8, 136, 2, "n2/numa0", "n2/numa1", 62e9, 62e9, 120, 1},
    {EXAMPLES "switch8.ns3.txt", 8, 1, 0, 0, 16, 1, "npu3", "switch8", 50e9, 50e9, 500, 1},
    /* 16 to NVSwitches, 16 to rails, 8 to spines */
    {EXAMPLES "rails16.simai.txt", 16, 10, 0, 0, 80, 2, "npu5", "nvswitch17", 360e9, 360e9, 25, 1},
    /* 2 rings of 4; 4 switches of 2; GB of 2^30 bytes */
    {EXAMPLES "two_dims.astra.yml", 8, 4, 0, 0, 32, 2, "npu0", "npu1", 200 * 1.073741824e9,
     200 * 1.073741824e9, 50, 1},
    {EXAMPLES "slice.yaml", 64, 0, 0, 0, 384, 3, "npu0", "npu16", 50e9, 50e9, 500, 1},
};

START_TEST(kinds_of_files)
{
    struct fabric *fabric = build(kinds[_i].text);
    ck_assert_uint_eq(fabric->npu_count, kinds[_i].npus);
    ck_assert_uint_eq(count_role(fabric, ROLE_NPU), kinds[_i].npus);
    ck_assert_uint_eq(count_role(fabric, ROLE_SWITCH), kinds[_i].switches);
    ck_assert_uint_eq(count_role(fabric, ROLE_NIC), kinds[_i].nics);
    ck_assert_uint_eq(count_role(fabric, ROLE_HOST), kinds[_i].hosts);
    ck_assert_uint_eq(fabric->link_count, kinds[_i].links);
    ck_assert_uint_eq(fabric->dim_count, kinds[_i].dims);
    const struct fabric_link *there = link_between(fabric, kinds[_i].a, kinds[_i].b);
    ck_assert_ptr_nonnull(there);
    ck_assert_double_eq_tol(there->bandwidth_Bps, kinds[_i].there_Bps, 1);
    ck_assert_double_eq_tol(fabric->link[there->reverse].bandwidth_Bps, kinds[_i].back_Bps, 1);
    ck_assert_double_eq(there->latency_ns, kinds[_i].ns);
    ck_assert_uint_eq(there->count, kinds[_i].count);
    fabric_destroy(fabric);
}
END_TEST

/* The cluster's switch has the NICs by rail: port 0 .. 3 are mlx5_0 of the four copies. */
START_TEST(rails_are_neighbours)
{
    struct fabric *fabric = build(EXAMPLES "cluster.yaml");
    static const char *const nic[] = {"n0/mlx5_0", "n1/mlx5_0", "n2/mlx5_0", "n3/mlx5_0",
                                      "n0/mlx5_1", "n1/mlx5_1", "n2/mlx5_1", "n3/mlx5_1"};
    uint32_t hub = fabric->node_count - 1;
    ck_assert_uint_eq(fabric->node[hub].role, ROLE_SWITCH);
    ck_assert_uint_eq(fabric->first_link[hub + 1] - fabric->first_link[hub], 8);
    for (uint32_t i = 0; i < 8; i++) {
        const struct fabric_link *link = &fabric->link[fabric->first_link[hub] + i];
        ck_assert_str_eq(fabric->node[link->dst].name, nic[i]);
        ck_assert_double_eq(link->bandwidth_Bps, 25e9);
        ck_assert_uint_eq(link->dim, 1);
    }
    ck_assert_uint_eq(fabric->dim[0].npus, 4);
    ck_assert_uint_eq(fabric->dim[1].npus, 4);
    fabric_destroy(fabric);
}
END_TEST

/* What the XML does not say is told: links between hosts, latencies. */
START_TEST(guesses_are_told)
{
    struct fabric *fabric = build(EXAMPLES "node.xml");
    ck_assert_uint_eq(fabric->notices.count, 2);
    ck_assert_int_eq(fabric->notices.row[0].kind, NOTICE_GUESSED);
    ck_assert_str_eq(fabric->notices.row[0].key, "link between two NUMA nodes");
    ck_assert_str_eq(fabric->notices.row[1].key, "latency of links (the file has none)");
    fabric_destroy(fabric);
}
END_TEST

/* The same node without NVLink between its halves: two groups that only PCI joins. The entries of
 * the matrix keep their width, so that its length stays what the file says. */
START_TEST(groups_that_only_pci_joins)
{
    char text[16384];
    FILE *in = fopen(EXAMPLES "node.xml", "r");
    ck_assert_ptr_nonnull(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    char *at = strchr(strstr(text, "<u64values"), '>') + 1;
    for (int entry = 0; entry < 16; entry++) {
        size_t width = strcspn(at, " ");
        if (entry / 4 / 2 != entry % 4 / 2)
            memset(at, '0', width);
        at += width + 1;
    }
    const char *path = temp_file(text);
    struct fabric *fabric = build(path);
    unlink(path);
    ck_assert_ptr_nonnull(link_between(fabric, "gpu0", "gpu1"));
    ck_assert_ptr_null(link_between(fabric, "gpu0", "gpu2"));
    ck_assert_int_eq(fabric->notices.row[0].kind, NOTICE_ODDITY);
    ck_assert_uint_eq(fabric->notices.row[0].count, 2);
    fabric_destroy(fabric);
}
END_TEST

/* -- small files from here --------------------------------------------------------------------- */

static struct fabric *build_text(const char *text)
{
    const char *path = temp_file(text);
    struct fabric *fabric = build(path);
    unlink(path);
    return fabric;
}

#define LINK(more) "links: [{a: g, b: s, bandwidth: 1GB/s, latency: 1us}" more "]\n"
#define NODES      "nodes: [{name: g, role: npu, count: 4}, {name: s, role: switch}]\n"

START_TEST(directions_may_differ)
{
    struct fabric *fabric =
        build_text("nodes: [{name: a, role: npu}, {name: b, role: npu}]\n"
                   "links:\n"
                   "  - {a: a, b: b, bandwidth: 400Gbps, bandwidth-back: 25GB/s, latency: 1us, "
                   "count: 3}\n");
    /* 3 cables of 400 Gb/s = 50 GB/s; back 3 x 25 GB/s. */
    const struct fabric_link *there = link_between(fabric, "a", "b");
    ck_assert_double_eq(there->bandwidth_Bps, 150e9);
    ck_assert_double_eq(fabric->link[there->reverse].bandwidth_Bps, 75e9);
    ck_assert_uint_eq(there->count, 3);
    fabric_destroy(fabric);
}
END_TEST

START_TEST(one_way_links_have_no_way_back)
{
    struct fabric *fabric =
        build_text("nodes: [{name: g, role: npu, count: 3}]\n"
                   "links: [{ring: g, bandwidth: 1GB/s, latency: 1ns, one-way: true}]\n");
    ck_assert_uint_eq(fabric->link_count, 3);
    ck_assert_ptr_nonnull(link_between(fabric, "g2", "g0"));
    ck_assert_ptr_null(link_between(fabric, "g0", "g2"));
    fabric_destroy(fabric);
}
END_TEST

/* 6 nodes with 3: blocks 0 0 1 1 2 2, deal 0 1 2 0 1 2. */
START_TEST(pairings)
{
    static const struct {
        const char *pair, *with[6];
    } rows[] = {{"blocks", {"s0", "s0", "s1", "s1", "s2", "s2"}},
                {"deal", {"s0", "s1", "s2", "s0", "s1", "s2"}}};
    char text[400];
    snprintf(text, sizeof text,
             "nodes: [{name: g, role: npu, count: 6}, {name: s, role: switch, count: 3}]\n"
             "defaults: {bandwidth: 1GB/s, latency: 0ns}\n"
             "links: [{a: g, b: s, pair: %s}, {full: s}]\n",
             rows[_i].pair);
    struct fabric *fabric = build_text(text);
    ck_assert_uint_eq(fabric->link_count, 12 + 6);
    for (int i = 0; i < 6; i++) {
        char name[16];
        snprintf(name, sizeof name, "g%d", i);
        ck_assert_ptr_nonnull(link_between(fabric, name, rows[_i].with[i]));
    }
    fabric_destroy(fabric);
}
END_TEST

/* Links lossy in the file are counted; two lines for one pair are parallel cables. */
START_TEST(ns3_details)
{
    struct fabric *fabric = build_text("3 1 3\n2\n0 2 10Gbps 1us 0.01\n1 2 10Gbps 1us 0\n"
                                       "1 2 10Gbps 1us 0\n");
    ck_assert_uint_eq(fabric->notices.count, 1);
    ck_assert_uint_eq(fabric->notices.row[0].count, 1);
    ck_assert_uint_eq(link_between(fabric, "npu1", "switch2")->count, 2);
    ck_assert_double_eq(link_between(fabric, "npu1", "switch2")->bandwidth_Bps, 2.5e9);
    fabric_destroy(fabric);
}
END_TEST

START_TEST(changes_in_a_file)
{
    struct fabric *fabric = build(EXAMPLES "degraded.yaml");
    ck_assert(fabric->has_changes);
    ck_assert_double_eq(link_between(fabric, "leaf1", "spine3")->bandwidth_Bps, 0);
    ck_assert_double_eq(link_between(fabric, "spine3", "leaf1")->bandwidth_Bps, 0);
    ck_assert_double_eq(link_between(fabric, "leaf2", "spine0")->bandwidth_Bps, 25e9);
    ck_assert_double_eq(link_between(fabric, "leaf2", "spine0")->latency_ns, 2500);
    ck_assert_double_eq(link_between(fabric, "leaf0", "npu5")->bandwidth_Bps, 40e9);
    fabric_destroy(fabric);
    fabric = build_text(NODES LINK("") "changes: \"g0->s:bw=5GB/s; g1--s:bw*0.5\"\n");
    ck_assert_double_eq(link_between(fabric, "g0", "s")->bandwidth_Bps, 5e9);
    ck_assert_double_eq(link_between(fabric, "s", "g0")->bandwidth_Bps, 1e9);
    ck_assert_double_eq(link_between(fabric, "s", "g1")->bandwidth_Bps, 0.5e9);
    fabric_destroy(fabric);
}
END_TEST

/* -- bad files --------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    uint64_t line;
    const char *message, *hint; /* parts of them; NULL: none wanted */
} bad[] = {
    /* the graph */
    {NODES "links: [{a: \"g[0-2]\", b: s, bandwidth: 1GB/s, latency: 1us}]\n", 0, "g3", NULL},
    {NODES LINK(", {a: g0, b: g0, bandwidth: 1GB/s, latency: 1us}"), 2, "a link from g0 to itself",
     NULL},
    {"nodes: [{name: g, role: npu, count: 2}, {name: g1, role: switch}]\n" LINK(""), 1,
     "duplicate name: there is a node \"g1\"", NULL},
    {"nodes: [{name: g, role: npu}, {name: g, role: switch}]\n" LINK(""), 1,
     "duplicate name: \"g\"", NULL},
    {NODES "links: [{a: g, b: s, bandwidth: 0GB/s, latency: 1us}]\n", 2, "bandwidth", "units"},
    {NODES "links: [{a: g, b: s, bandwidth: 50, latency: 1us}]\n", 2, "\"50\"", "units"},
    {NODES "links: [{a: g, b: s, bandwidth: 50ms, latency: 1us}]\n", 2, "\"50ms\"", "units"},
    {NODES "links: [{a: g, b: s, bandwidth: 1GB/s, latency: -1us}]\n", 2, "\"-1us\"", NULL},
    {NODES "links: [{a: g, b: s, bandwidth: 1GB/s}]\n", 2, "a latency, here or in defaults", NULL},
    {NODES "links: [{a: g, b: s, latency: 1us}]\n", 2, "a bandwidth, here or in defaults", NULL},
    {NODES "links: [{a: g, b: sw, bandwidth: 1GB/s, latency: 1us}]\n", 2, "there is no node \"sw\"",
     "did you mean \"s\"?"},
    {NODES "links: [{a: \"g[0-4]\", b: s, bandwidth: 1GB/s, latency: 1us}]\n", 2,
     "number 4, but there are 4", "start at 0"},
    {NODES "links: [{a: \"g[3-1]\", b: s, bandwidth: 1GB/s, latency: 1us}]\n", 2,
     "selects no nodes", "name[0-3]"},
    {NODES "links: [{a: \"s[0]\", b: g, bandwidth: 1GB/s, latency: 1us}]\n", 2,
     "one node, not a group", NULL},
    {NODES "links: [{a: \"g[0-1]\", b: \"g[2-3]\", bandwidth: 1GB/s, latency: 1us}]\n", 2,
     "pair is missing", "each, all"},
    {NODES "links: [{a: g, b: \"g[0-2]\", pair: each, bandwidth: 1GB/s, latency: 1us}]\n", 2,
     "found 4 and 3", NULL},
    {NODES "links: [{a: g, b: \"g[0-2]\", pair: blocks, bandwidth: 1GB/s, latency: 1us}]\n", 2,
     "a multiple of b's 3", NULL},
    {NODES "links: [{a: g, bandwidth: 1GB/s, latency: 1us}]\n", 2, "missing", NULL},
    {NODES "links: [{a: g, b: s, ring: g, bandwidth: 1GB/s, latency: 1us}]\n", 2,
     "either a and b, or one of ring", NULL},
    {NODES "links: [{a: g, b: s, bandwith: 1GB/s, latency: 1us}]\n", 2, "unknown key",
     "did you mean \"bandwidth\"?"},
    {NODES "links: [{a: g, b: s, bandwidth: 1GB/s, latency: 1us, count: -2}]\n", 2, "-2", NULL},
    {NODES "links: [{a: g, b: s, bandwidth: 1GB/s, latency: 1us, count: 0}]\n", 2, "0", NULL},
    {"nodes: [{name: g, role: npu, count: -4}]\nlinks: []\n", 1, "-4", NULL},
    {"nodes: [{name: g, role: gpu}]\nlinks: []\n", 1, "\"gpu\"", "did you mean \"npu\"?"},
    {"nodes: [{name: s, role: switch}]\nlinks: []\n", 1, "at least one node with role npu", NULL},
    {"nodes: [{name: \"a b\", role: npu}]\nlinks: []\n", 1, "is no name", "letters"},
    {NODES LINK("") "dims: [2, 3]\n", 3, "multiply out to 6, but there are 4", NULL},
    {NODES LINK("") "dims: []\n", 3, "0 sizes", NULL},
    {NODES, 0, "missing; expected a list", NULL},
    {"links: []\n", 0, "missing; expected a list", NULL},
    {"- 1\n- 2\n", 1, "expected a topology", NULL},
    {"nodes: [{name: g, role: npu, count: 4}\n", 0, "YAML syntax", NULL},
    /* ns-3 */
    {"9 1 8\n8\n8 0 400Gbps 0.0005ms 0\n", 1, "promised, but the file is too short", NULL},
    {"3 1 2\n2\n0 2 10Gbps 1us 0\n1 2 10Gbps\n", 5, "a latency is expected", "promises 2"},
    {"3 1 2\n2\n0 2 10Gbps 1us 0\n1 2 10Gbps 1us 0\n0 1 10Gbps 1us 0\n", 5, "after the 2 links",
     NULL},
    {"3 1 2\n2\n0 2 10Gbps 1us 0\n1 3 10Gbps 1us 0\n", 4, "0 to 2, found \"3\"", NULL},
    {"3 1 2\n2\n0 2 10Gbps 1us 0\n1 1 10Gbps 1us 0\n", 4, "node 1 to itself", NULL},
    {"3 1 2\n2\n0 2 10Gbps 1us 0\n1 2 0Gbps 1us 0\n", 4, "0Gbps", "units"},
    {"3 1 2\n2\n0 2 10Gbps 1us 0\n1 2 10 1us 0\n", 4, "\"10\"", "units"},
    {"3 1 2\n2\n0 2 10Gbps 1us 0\n1 2 10Gbps 1us 2\n", 4, "expected 0 to 1", NULL},
    {"4 2 3\n2 2\n0 2 10Gbps 1us 0\n1 2 10Gbps 1us 0\n1 3 10Gbps 1us 0\n", 2, "listed twice", NULL},
    {"4 1 3\n3\n0 3 10Gbps 1us 0\n1 3 10Gbps 1us 0\n1 3 10Gbps 1us 0\n", 0, "npu2", NULL},
    {"3 3 2\n0 1 2\n0 1 10Gbps 1us 0\n1 2 10Gbps 1us 0\n", 1, "leave no NPU", NULL},
    {"9 1 2\n8\n0 8 10Gbps 1us 0\n1 8 10Gbps 1us 0\n", 1, "2 links cannot connect 9 nodes", NULL},
    /* lstopo */
    {"<nonsense/>\n", 0, "hwloc cannot read this XML", "lstopo"},
    /* composition */
    {"node: ring:4\ncopies: 2\nnetwork: switch:8\n", 0, "the node has no NIC", "attach: npu"},
    {"node: ring:4\ncopies: 2\nnetwork: switch:4\nattach: npu\n", 0,
     "4 ends, but 2 copies with 4 NPUs each have 8", "8 NPUs"},
    {"node: ring:4\nnetwork: switch:8\n", 0, "missing; expected how many nodes", NULL},
    {"node: ring:4\ncopies: 2\nnetwork: swich:8\nattach: npu\n", 3, "swich", "switch"},
    {"copies: 2\nnetwork: switch:8\n", 0, "missing; expected text", NULL},
    /* changes */
    {"topology: ring:4\nchanges:\n  - npu0--npu1:bw*0.5\n  - npu0--npu2:fail\n", 4,
     "no link from npu0 to npu2", "npu1"},
    {"topology: ring:4\nchanges: [npu0--npu1:fail, npu2--npu3:fail]\n", 2, "the network is cut",
     NULL},
    {"topology: ring:4\nchanges: 5\n", 2, "expected text", NULL},
    /* ASTRA-sim */
    {"topology: [ Ring ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 1.0 ]\nlatency: [ 1.0 ]\n", 2,
     "2 entries, but topology has 1", NULL},
};

START_TEST(bad_files)
{
    const char *path = temp_file(bad[_i].text);
    struct fabric *fabric = NULL;
    struct diag diag = DIAG_NONE;
    enum status status = fabric_parse(path, &fabric, &diag);
    unlink(path);
    ck_assert_msg(status == STATUS_BAD_CONFIG, "%s", bad[_i].text);
    ck_assert_msg(fabric == NULL, "%s: a released fabric is handed out", bad[_i].text);
    ck_assert_msg(strstr(diag.message, bad[_i].message), "%s: %s", bad[_i].text, diag.message);
    ck_assert_str_eq(diag.file, path);
    if (bad[_i].line) {
        ck_assert_int_eq(diag.place, DIAG_LINE);
        ck_assert_uint_eq(diag.at, bad[_i].line);
    }
    if (bad[_i].hint)
        ck_assert_msg(strstr(diag.hint, bad[_i].hint), "%s: %s", bad[_i].text, diag.hint);
}
END_TEST

START_TEST(a_missing_file_is_io)
{
    struct fabric *fabric = NULL;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(fabric_parse("nowhere/topology.yaml", &fabric, &diag), STATUS_IO);
    ck_assert_str_eq(diag.file, "nowhere/topology.yaml");
}
END_TEST

START_TEST(a_file_that_names_itself)
{
    const char *path = temp_file("");
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    fprintf(out, "topology: %s\n", path);
    fclose(out);
    struct fabric *fabric = NULL;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(fabric_parse(path, &fabric, &diag), STATUS_BAD_CONFIG);
    ck_assert_ptr_nonnull(strstr(diag.message, "name each other"));
    unlink(path);
}
END_TEST

/* The file that is not there has no lines: none of the file that names it is told as its own. */
START_TEST(a_missing_file_has_no_line)
{
    const char *path = temp_file("node: ring:4\ncopies: 2\nnetwork: nowhere.yaml\nattach: npu\n");
    struct fabric *fabric = NULL;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(fabric_parse(path, &fabric, &diag), STATUS_IO);
    unlink(path);
    ck_assert_ptr_nonnull(strstr(diag.file, "nowhere.yaml"));
    ck_assert_int_eq(diag.place, DIAG_NOWHERE);
}
END_TEST

static Suite *topology_file_suite(void)
{
    Suite *suite = suite_create("topology_file");
    TCase *tcase = tcase_create("files");
    tcase_add_loop_test(tcase, kinds_of_files, 0, sizeof kinds / sizeof *kinds);
    tcase_add_test(tcase, rails_are_neighbours);
    tcase_add_test(tcase, guesses_are_told);
    tcase_add_test(tcase, groups_that_only_pci_joins);
    tcase_add_test(tcase, directions_may_differ);
    tcase_add_test(tcase, one_way_links_have_no_way_back);
    tcase_add_loop_test(tcase, pairings, 0, 2);
    tcase_add_test(tcase, ns3_details);
    tcase_add_test(tcase, changes_in_a_file);
    tcase_add_loop_test(tcase, bad_files, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tcase, a_missing_file_is_io);
    tcase_add_test(tcase, a_file_that_names_itself);
    tcase_add_test(tcase, a_missing_file_has_no_line);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(topology_file_suite())
