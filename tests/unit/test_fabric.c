/* fabric: the builder, its checks, links by source, parallel cables, and what it refuses. */
#include "tests/unit/fabric_util.h"

#include <string.h>

/* npu0 - switch0 - npu1, npu0 = npu1 directly with two cables of 1 and 3 B/s. */
static struct fabric_builder *small(void)
{
    struct fabric_builder *builder = fabric_builder_create();
    fabric_add_npus(builder, 2);
    uint32_t hub = fabric_add_node(builder, ROLE_SWITCH, "switch0");
    fabric_add_cable(builder, 0, hub, 10, 5, 0);
    fabric_add_cable(builder, 0, 1, 1, 2, 0);
    fabric_add_cable(builder, 1, hub, 10, 5, 0);
    fabric_set_count(builder, fabric_add_cable(builder, 1, 0, 3, 2, 0), 2);
    return builder;
}

static struct fabric *finished(struct fabric_builder *builder)
{
    struct fabric *fabric = NULL;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(fabric_finish(builder, "test", &fabric, &diag), STATUS_OK);
    return fabric;
}

START_TEST(links_are_by_source)
{
    struct fabric *fabric = finished(small());
    ck_assert_uint_eq(fabric->npu_count, 2);
    ck_assert_uint_eq(fabric->node_count, 3);
    ck_assert_uint_eq(fabric->link_count, 6);
    for (uint32_t v = 0; v < 3; v++)
        for (uint32_t i = fabric->first_link[v]; i < fabric->first_link[v + 1]; i++) {
            ck_assert_uint_eq(fabric->link[i].src, v);
            ck_assert_uint_eq(fabric->link[fabric->link[i].reverse].reverse, i);
            ck_assert_uint_eq(fabric->link[fabric->link[i].reverse].src, fabric->link[i].dst);
        }
    ck_assert_uint_eq(fabric->link[0].dst, 2); /* as added */
    ck_assert_uint_eq(fabric->link[1].dst, 1);
    ck_assert_uint_eq(fabric_find_link(fabric, 0, 1), 1);
    ck_assert_uint_eq(fabric_find_link(fabric, 2, 1), 5);
    ck_assert_uint_eq(fabric_find_node(fabric, "switch0"), 2);
    ck_assert_uint_eq(fabric_find_node(fabric, "switch1"), FABRIC_NONE);
    fabric_destroy(fabric);
}
END_TEST

START_TEST(parallel_cables_add_up)
{
    struct fabric *fabric = finished(small());
    const struct fabric_link *link = &fabric->link[fabric_find_link(fabric, 0, 1)];
    ck_assert_uint_eq(link->count, 3);
    ck_assert_double_eq(link->bandwidth_Bps, 1 + 2 * 3);
    fabric_destroy(fabric);
}
END_TEST

START_TEST(a_graph_has_one_dimension)
{
    struct fabric *fabric = finished(small());
    ck_assert_uint_eq(fabric->dim_count, 1);
    ck_assert_uint_eq(fabric->dim[0].npus, 2);
    ck_assert_uint_eq(fabric->dim[0].stride, 1);
    ck_assert_uint_eq(fabric->dim[0].kind, FABRIC_GRAPH);
    ck_assert_double_eq(fabric->dim[0].bandwidth_Bps, 10);
    fabric_destroy(fabric);
}
END_TEST

static void expect_refused(struct fabric_builder *builder, const char *part)
{
    struct fabric *fabric = NULL;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(fabric_finish(builder, "test", &fabric, &diag), STATUS_BAD_CONFIG);
    ck_assert_msg(strstr(diag.message, part), "expected \"%s\" in \"%s\"", part, diag.message);
    ck_assert_ptr_null(fabric);
}

START_TEST(bad_fabrics_are_refused)
{
    struct fabric_builder *builder = small();
    fabric_add_node(builder, ROLE_HOST, "npu1");
    expect_refused(builder, "two nodes are called \"npu1\"");

    builder = small();
    fabric_add_cable(builder, 1, 1, 1, 0, 0);
    expect_refused(builder, "link from npu1 to itself");

    builder = small();
    fabric_add_cable(builder, 1, fabric_add_node(builder, ROLE_NIC, "nic"), 0, 0, 0);
    expect_refused(builder, "link npu1 -> nic: expected a bandwidth above 0, found 0 B/s");

    builder = small();
    fabric_add_cable(builder, 1, fabric_add_node(builder, ROLE_NIC, "nic"), 1, -1, 0);
    expect_refused(builder, "link npu1 -> nic: expected a latency of 0 or more, found -1 ns");

    builder = small();
    fabric_add_link(builder, 0, 2, 1, 7, 0);
    expect_refused(builder, "parallel links from npu0 to switch0 differ in latency");

    builder = small();
    fabric_add_dim(builder, (struct fabric_dim){.npus = 3, .stride = 1});
    expect_refused(builder, "multiply out to 3, but there are 2 NPUs");

    expect_refused(fabric_builder_create(), "at least one NPU");
}
END_TEST

START_TEST(who_is_cut_off_is_named)
{
    struct fabric_builder *builder = fabric_builder_create();
    fabric_add_npus(builder, 7);
    fabric_add_cable(builder, 0, 1, 1, 0, 0);
    expect_refused(builder, "npu0 cannot reach npu2, npu3, npu4 and 2 more");

    builder = fabric_builder_create();
    fabric_add_npus(builder, 2);
    fabric_add_link(builder, 0, 1, 1, 0, 0);
    expect_refused(builder, "npu1 cannot reach npu0");
}
END_TEST

START_TEST(directions_may_differ)
{
    struct fabric_builder *builder = fabric_builder_create();
    fabric_add_npus(builder, 2);
    fabric_add_link(builder, 0, 1, 4, 0, 0);
    fabric_add_link(builder, 1, 0, 2, 0, 0);
    struct fabric *fabric = finished(builder);
    ck_assert_uint_eq(fabric->link[0].reverse, 1);
    ck_assert_uint_eq(fabric->link[1].reverse, 0);
    ck_assert_double_eq(fabric->link[1].bandwidth_Bps, 2);
    fabric_destroy(fabric);
}
END_TEST

/* text, NPUs, nodes, links, dimensions */
static const struct {
    const char *text;
    uint32_t npus, nodes, links, dims;
} counts[] = {
    {"ring:8", 8, 8, 16, 1},
    {"ring:2", 2, 2, 2, 1},
    {"ring:1", 1, 1, 0, 1},
    {"ring:8,oneway", 8, 8, 8, 1},
    {"line:5", 5, 5, 8, 1},
    {"full:6", 6, 6, 30, 1},
    {"switch:6", 6, 7, 12, 1},
    {"torus:4x3x2", 24, 24, 24 * 5, 3},
    {"torus:4x4,wrap=1x0", 16, 16, 32 + 24, 2},
    {"mesh:4x4", 16, 16, 48, 2},
    {"hypercube:16", 16, 16, 64, 4},
    {"switch:4*ring:4", 16, 20, 32 + 32, 2},
    {"ring:4*full:3*switch:2", 24, 24 + 12, 48 + 48 + 48, 3},
    {"fattree:4", 16, 16 + 8 + 8 + 4, 96, 1},
    {"fattree:8,pods=2", 32, 32 + 8 + 8 + 16, 192, 1},
    {"fattree:8,taper=2", 128, 128 + 32 + 16 + 8, 256 + 128 + 128, 1},
    {"fattree2:8", 32, 32 + 8 + 4, 128, 1},
    {"fattreex:2;8,4;1,2;1,1", 32, 32 + 4 + 2, 64 + 16, 1},
    {"xgft:3/2,3,4/2,2,1/1,1,2", 24, 24 + 24 + 16 + 4, 96 + 96 + 32, 1},
    {"leafspine:4x3", 12, 12 + 3 + 4, 24 + 24, 1},
    {"leafspine:4x3,spines=2,planes=2", 12, 12 + 6 + 4, 48 + 24, 1},
    {"dragonfly:4,1;1,1;4,1;2", 32, 32 + 16, 64 + 4 * 12 + 12, 1},
    {"dragonfly:9/2/2/1", 36, 36 + 36, 72 + 9 * 8 + 72, 1},
    {"rail:4x6", 24, 24 + 6 + 4 + 6, 48 + 48 + 48, 2},
    {"rail:4x6,unit=2,pod=1,nic", 24, 24 * 2 + 6 + 12 + 6 + 8, 48 * 3 + 48 + 48, 2},
    {"switch:2*leafspine:2x2", 8, 8 + 4 + 8, 16 + 2 * 16, 2},
};

START_TEST(counts_of_blocks)
{
    struct fabric *fabric = fabric_from(counts[_i].text);
    ck_assert_uint_eq(fabric->npu_count, counts[_i].npus);
    ck_assert_uint_eq(fabric->node_count, counts[_i].nodes);
    ck_assert_uint_eq(fabric->link_count, counts[_i].links);
    ck_assert_uint_eq(fabric->dim_count, counts[_i].dims);
    ck_assert(fabric->is_product + fabric->is_tree + (fabric->dragonfly.groups > 0) == 1);
    fabric_destroy(fabric);
}
END_TEST

START_TEST(dimensions_of_astra_sim)
{
    struct network_config network = {.dim_count = 3,
                                     .dim = {{NET_RING, 4, 50, 500},
                                             {NET_FULLY_CONNECTED, 3, 25.5, 20},
                                             {NET_SWITCH, 2, 12, 0}}};
    struct fabric *fabric = NULL;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(fabric_of_dims(&network, &fabric, &diag), STATUS_OK);
    ck_assert_str_eq(fabric->text, "ring:4,bw=50GB/s,lat=500ns*full:3,bw=25.5GB/s,lat=20ns*"
                                   "switch:2,bw=12GB/s,lat=0ns");
    ck_assert_uint_eq(fabric->npu_count, 24);
    ck_assert_uint_eq(fabric->dim[1].stride, 4);
    ck_assert_uint_eq(fabric->dim[2].stride, 12);
    ck_assert_uint_eq(fabric->dim[2].kind, FABRIC_SWITCH);
    ck_assert_double_eq(fabric->dim[1].bandwidth_Bps, 25.5e9);
    fabric_destroy(fabric);
}
END_TEST

static Suite *fabric_suite(void)
{
    Suite *suite = suite_create("fabric");
    TCase *tests = tcase_create("fabric");
    tcase_add_test(tests, links_are_by_source);
    tcase_add_test(tests, parallel_cables_add_up);
    tcase_add_test(tests, a_graph_has_one_dimension);
    tcase_add_test(tests, bad_fabrics_are_refused);
    tcase_add_test(tests, who_is_cut_off_is_named);
    tcase_add_test(tests, directions_may_differ);
    tcase_add_loop_test(tests, counts_of_blocks, 0, sizeof counts / sizeof counts[0]);
    tcase_add_test(tests, dimensions_of_astra_sim);
    suite_add_tcase(suite, tests);
    return suite;
}

RUN_SUITE(fabric_suite())
