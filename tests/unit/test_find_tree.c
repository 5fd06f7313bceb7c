#include "net/topology/find_tree.h"

#include "net/topology/routing.h"
#include "tests/unit/fabric_util.h"
#include "tests/unit/unit.h"

/* The same nodes and links as a plain graph: no levels, no dimensions. */
static struct fabric *plain_copy(const struct fabric *fabric)
{
    struct fabric_builder *builder = fabric_builder_create();
    for (uint32_t v = 0; v < fabric->node_count; v++)
        fabric_add_node(builder, (enum fabric_role)fabric->node[v].role, fabric->node[v].name);
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        const struct fabric_link *link = &fabric->link[l];
        uint32_t handle = fabric_add_link(builder, link->src, link->dst,
                                          link->bandwidth_Bps / link->count, link->latency_ns, 0);
        fabric_set_count(builder, handle, link->count);
    }
    struct fabric *copy;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(fabric_finish(builder, "copy", &copy, &diag), STATUS_OK);
    return copy;
}

/* Built trees are found again in their links, with the same levels, the same NPUs below, and the
 * same routes. */
static const char *const trees[] = {"fattree:4",
                                    "fattree:8",
                                    "fattree2:6",
                                    "leafspine:8x4",
                                    "leafspine:4x6,taper=2",
                                    "xgft:3/2,3,4/1,2,2/1,1,2",
                                    "rail:4x8",
                                    "rail:8x16,unit=4,pod=2",
                                    "preset:dgx-h100,nodes=64"};

START_TEST(trees_are_found)
{
    struct fabric *built = fabric_from(trees[_i]);
    struct fabric *copy = plain_copy(built);
    ck_assert(!copy->is_tree);
    ck_assert_msg(find_tree(copy), "%s", trees[_i]);
    for (uint32_t v = built->npu_count; v < built->node_count; v++) {
        const struct fabric_node *one = &built->node[v], *two = &copy->node[v];
        ck_assert_uint_eq(one->level, two->level);
        ck_assert_uint_eq(one->below_first, two->below_first);
        ck_assert_uint_eq(one->below_count, two->below_count);
        ck_assert_uint_eq(one->below_count > 1 ? one->below_stride : 1, two->below_stride);
    }
    struct network_config config = {.routing = ROUTING_UP_DOWN};
    struct routing *of_built, *of_copy;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(routing_create(&of_built, built, &config, &diag), STATUS_OK);
    ck_assert_int_eq(routing_create(&of_copy, copy, &config, &diag), STATUS_OK);
    for (uint32_t src = 0; src < built->npu_count; src += 3) {
        for (uint32_t dst = 0; dst < built->npu_count; dst++) {
            struct route one, two;
            if (src == dst)
                continue;
            routing_find(of_built, src, dst, &one);
            routing_find(of_copy, src, dst, &two);
            ck_assert_uint_eq(one.count, two.count);
            ck_assert_mem_eq(one.link, two.link, one.count * sizeof *one.link);
        }
    }
    routing_destroy(of_built);
    routing_destroy(of_copy);
    fabric_destroy(built);
    fabric_destroy(copy);
}
END_TEST

/* No trees: NPUs that are joined themselves, NICs, switches of one level that are joined, NPUs
 * below a switch that are no progression, two halves that only share NPUs, one-way links. */
static const char *const others[] = {
    "nodes: [{name: g, role: npu, count: 4}]\nlinks: [{ring: g}]\n",
    "nodes: [{name: g, role: npu, count: 2}, {name: n, role: nic, count: 2}, "
    "{name: s, role: switch}]\nlinks: [{a: g, b: n, pair: each}, {a: n, b: s}]\n",
    "nodes: [{name: g, role: npu, count: 4}, {name: s, role: switch, count: 2}]\n"
    "links: [{a: g, b: s, pair: blocks}, {a: s0, b: s1}]\n",
    "nodes: [{name: g, role: npu, count: 5}, {name: s, role: switch, count: 2}, "
    "{name: t, role: switch}]\n"
    "links: [{a: \"g[0,1,3]\", b: s0}, {a: \"g[2,4]\", b: s1}, {a: s, b: t}]\n",
    "nodes: [{name: g, role: npu, count: 6}, {name: s, role: switch, count: 2}]\n"
    "links: [{a: \"g[0-3]\", b: s0}, {a: \"g[2-5]\", b: s1}]\n",
    "nodes: [{name: g, role: npu, count: 2}, {name: s, role: switch}, {name: t, role: switch}]\n"
    "links: [{a: g, b: s}, {a: g, b: t, one-way: true}, {a: t, b: s}]\n",
};

START_TEST(others_are_left_alone)
{
    char text[600];
    snprintf(text, sizeof text, "defaults: {bandwidth: 1GB/s, latency: 1us}\n%s", others[_i]);
    struct fabric *fabric = graph_from(text);
    ck_assert(!find_tree(fabric));
    ck_assert(!fabric->is_tree);
    for (uint32_t v = 0; v < fabric->node_count; v++) {
        ck_assert_uint_eq(fabric->node[v].level, 0);
        ck_assert_uint_eq(fabric->node[v].below_count, 0);
    }
    fabric_destroy(fabric);
}
END_TEST

static Suite *find_tree_suite(void)
{
    Suite *suite = suite_create("find_tree");
    TCase *tcase = tcase_create("trees");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, trees_are_found, 0, sizeof trees / sizeof *trees);
    tcase_add_loop_test(tcase, others_are_left_alone, 0, sizeof others / sizeof *others);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(find_tree_suite())
