/* changes: slow, failed and late links, slow ranks; what cannot be read; routes around failures. */
#include "net/topology/changes.h"
#include "net/topology/shift_load.h"
#include "tests/unit/fabric_util.h"

static struct fabric *changed(const char *topology, const char *text)
{
    struct fabric *fabric = fabric_from(topology);
    struct diag diag = DIAG_NONE;
    enum status status = fabric_change(fabric, text, &diag);
    ck_assert_msg(status == STATUS_OK, "%s: %s", text, diag.message);
    ck_assert(fabric->has_changes == (*text != '\0'));
    return fabric;
}

static const struct fabric_link *link_of(const struct fabric *fabric, const char *a, const char *b)
{
    uint32_t link =
        fabric_find_link(fabric, fabric_find_node(fabric, a), fabric_find_node(fabric, b));
    ck_assert_uint_ne(link, FABRIC_NONE);
    return &fabric->link[link];
}

START_TEST(one_line_each)
{
    struct fabric *fabric =
        changed("leafspine:2x2,bw=10GB/s,lat=1us",
                "npu3->leaf1:bw*0.5; leaf1--spine1:fail # broken\n rank 0:bw*0.8,lat*2;\n\n"
                "link leaf0->spine0 : lat=3us, bw=1GB/s; leaf0->spine0:lat+1us");
    ck_assert_double_eq(link_of(fabric, "npu3", "leaf1")->bandwidth_Bps, 5e9);
    ck_assert_double_eq(link_of(fabric, "leaf1", "npu3")->bandwidth_Bps, 10e9);
    ck_assert_double_eq(link_of(fabric, "leaf1", "spine1")->bandwidth_Bps, 0);
    ck_assert_double_eq(link_of(fabric, "spine1", "leaf1")->bandwidth_Bps, 0);
    ck_assert_double_eq(link_of(fabric, "npu0", "leaf0")->bandwidth_Bps, 8e9);
    ck_assert_double_eq(link_of(fabric, "leaf0", "npu0")->bandwidth_Bps, 8e9);
    ck_assert_double_eq(link_of(fabric, "leaf0", "npu0")->latency_ns, 2000);
    ck_assert_double_eq(link_of(fabric, "npu1", "leaf0")->bandwidth_Bps, 10e9);
    ck_assert_double_eq(link_of(fabric, "leaf0", "spine0")->latency_ns, 4000);
    ck_assert_double_eq(link_of(fabric, "leaf0", "spine0")->bandwidth_Bps, 1e9);
    ck_assert_double_eq(link_of(fabric, "spine0", "leaf0")->latency_ns, 1000);
    fabric_destroy(fabric);
    fabric_destroy(changed("ring:3", ""));
}
END_TEST

/* How many links have half of what they had, and where. */
static const struct {
    const char *topology, *text;
    uint32_t links;
} classes[] = {
    {"leafspine:4x2", "spine:bw*0.5", 16}, /* 2 leaves x 4 spines, both ways */
    {"leafspine:4x2", "leaf--spine:bw*0.5", 16},
    {"leafspine:4x2", "leaf->spine:bw*0.5", 8},
    {"leafspine:4x2", "leaf0->spine:bw*0.5", 4},
    {"leafspine:4x2", "npu--leaf1:bw*0.5", 8},
    {"leafspine:4x2", "leaf:bw*0.5", 32}, /* all of them */
    {"switch:2*switch:4", "dim 1:bw*0.5", 16},
    {"switch:2*switch:4", "switch:bw*0.5", 32}, /* d0.0.switch0 and d1.0.switch0 alike */
};

START_TEST(classes_of_links_are_changed)
{
    struct fabric *whole = fabric_from(classes[_i].topology);
    struct fabric *fabric = changed(classes[_i].topology, classes[_i].text);
    uint32_t halved = 0;
    for (uint32_t l = 0; l < fabric->link_count; l++)
        halved += fabric->link[l].bandwidth_Bps < 0.6 * whole->link[l].bandwidth_Bps;
    ck_assert_uint_eq(halved, classes[_i].links);
    fabric_destroy(fabric);
    fabric_destroy(whole);
}
END_TEST

/* topology, changes, part of the message, part of the hint */
static const struct {
    const char *topology, *text, *message, *hint;
} refused[] = {
    {"switch:4", "npu9->switch0:fail", "no node \"npu9\"", "did you mean \"npu0\""},
    {"switch:4", "npu1->switsh0:fail", "no node \"switsh0\"", "did you mean \"switch0\""},
    {"leafspine:2x2", "spin:bw*2", "a class of nodes", "classes of nodes are npu, leaf, spine"},
    {"leafspine:2x2", "npu--spine:bw*2", "no link from npu to spine", ""},
    {"leafspine:2x2", "dim 1:bw*2", "a dimension from 0 to 0", ""},
    {"switch:4", "npu1->npu2:fail", "no link from npu1 to npu2", "links of npu1 lead to switch0"},
    {"switch:4", "npu1:fail", "expected a link", ""},
    {"switch:4", "npu1->switch0", "expected WHAT:ACTION", "for example"},
    {"switch:4", "npu1->switch0:bw*0", "expected a factor above 0, found \"0\"", "\"fail\""},
    {"switch:4", "npu1->switch0:bw*-1", "expected a factor above 0", ""},
    {"switch:4", "npu1->switch0:bw=5", "bandwidth", ""},
    {"switch:4", "npu1->switch0:lat=5GB", "", ""},
    {"switch:4", "npu1->switch0:slow", "expected fail, bw*F", ""},
    {"switch:4", "rank 4:bw*0.5", "no rank 4: the topology has 4 NPUs", ""},
    {"switch:4", "rank x:bw*0.5", "expected the number of a rank", ""},
    {"switch:4", "npu2--switch0:fail", "npu0 cannot reach npu2", "every NPU must reach"},
    {"switch:4", "npu2->switch0:fail", "npu2 cannot reach npu0", ""},
    {"ring:6", "npu0--npu1:fail;npu3--npu4:fail", "npu0 cannot reach npu1, npu2, npu3", ""},
};

START_TEST(refused_with_a_reason)
{
    struct fabric *fabric = fabric_from(refused[_i].topology);
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(fabric_change(fabric, refused[_i].text, &diag), STATUS_BAD_CONFIG);
    ck_assert_msg(strstr(diag.message, refused[_i].message), "%s", diag.message);
    ck_assert_msg(strstr(diag.hint, refused[_i].hint), "%s", diag.hint);
    fabric_destroy(fabric);
}
END_TEST

static const struct {
    const char *topology, *text;
} around[] = {
    {"ring:6", "npu0--npu1:fail"},
    {"torus:4x4", "npu0->npu1:fail; npu5--npu9:fail"},
    {"fattree:4", "npu0->leaf0:bw*0.5; leaf0--agg0:fail; agg1->core1:fail; core0--agg6:fail"},
    {"leafspine:4x4,spines=3", "leaf0->spine0:fail;leaf0->spine1:fail;spine2->leaf3:bw*0.1"},
    {"rail:4x4,unit=2", "leaf0--spine1:fail; npu3--leaf3:fail"},
    {"dragonfly:4/1/4/2", "g0.c0.r3--g3.c0.r0:fail"},
    {"switch:2*leafspine:2x2", "d1.0.leaf0--d1.0.spine0:fail"},
};

START_TEST(routes_go_around)
{
    static const enum net_routing policies[] = {ROUTING_AUTO, ROUTING_SHORTEST, ROUTING_ECMP,
                                                ROUTING_SPRAY};
    struct fabric *fabric = changed(around[_i].topology, around[_i].text);
    for (int p = 0; p < 4; p++) {
        struct routing *routing = routing_from(fabric, policies[p]);
        for (uint32_t a = 0; a < fabric->npu_count; a++)
            for (uint32_t b = 0; b < fabric->npu_count; b++)
                if (a != b)
                    expect_route(fabric, routing, a, b);
        routing_destroy(routing);
    }
    fabric_destroy(fabric);
}
END_TEST

/*
 * Leaves 0 and 1 share no spine: between them it is down and up again. Others choose another spine,
 * which is the policy's own way. Half of the ring's shift by 4 meets the gap between 0 and 1.
 */
static const struct {
    const char *topology, *text;
    enum net_routing policy;
    uint32_t src, dst, hops;
    bool is_detour;
    uint32_t shift, detours;
} detour[] = {
    {"leafspine:8x4,spines=2", "leaf0--spine0:fail;leaf1--spine1:fail", ROUTING_AUTO, 0, 8, 6, true,
     8, 8},
    {"leafspine:8x4,spines=2", "leaf0--spine0:fail;leaf1--spine1:fail", ROUTING_AUTO, 0, 16, 4,
     false, 16, 0},
    {"leafspine:8x4,spines=2", "leaf0--spine0:fail;leaf1--spine1:fail", ROUTING_ECMP, 0, 8, 6,
     false, 8, 0},
    {"ring:8", "npu0--npu1:fail", ROUTING_AUTO, 0, 1, 7, true, 4, 4},
    {"ring:8", "npu0--npu1:fail", ROUTING_SHORTEST, 0, 1, 7, false, 4, 0},
    {"ring:8", "npu0--npu1:bw*0.5", ROUTING_AUTO, 0, 1, 1, false, 4, 0},
};

START_TEST(detours_are_told)
{
    struct fabric *fabric = changed(detour[_i].topology, detour[_i].text);
    struct routing *routing = routing_from(fabric, detour[_i].policy);
    struct route route;
    routing_find(routing, detour[_i].src, detour[_i].dst, &route);
    ck_assert_uint_eq(route.count, detour[_i].hops);
    ck_assert_int_eq(route.is_detour, detour[_i].is_detour);
    struct shift_load load = shift_load_take(routing, fabric, detour[_i].shift);
    ck_assert_uint_eq(load.detours, detour[_i].detours);
    routing_destroy(routing);
    fabric_destroy(fabric);
}
END_TEST

static Suite *changes_suite(void)
{
    Suite *suite = suite_create("changes");
    TCase *tests = tcase_create("changes");
    tcase_add_test(tests, one_line_each);
    tcase_add_loop_test(tests, classes_of_links_are_changed, 0, sizeof classes / sizeof classes[0]);
    tcase_add_loop_test(tests, refused_with_a_reason, 0, sizeof refused / sizeof refused[0]);
    tcase_add_loop_test(tests, routes_go_around, 0, sizeof around / sizeof around[0]);
    tcase_add_loop_test(tests, detours_are_told, 0, sizeof detour / sizeof detour[0]);
    suite_add_tcase(suite, tests);
    return suite;
}

RUN_SUITE(changes_suite())
