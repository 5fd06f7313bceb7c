#include "net/topology/survey.h"

#include "net/topology/alike.h"
#include "net/topology/bridges.h"
#include "net/topology/changes.h"
#include "net/topology/shift_load.h"
#include "tests/unit/fabric_util.h"
#include "tests/unit/unit.h"

/*
 * Known of each family (b: bandwidth of a cable, here 10 GB/s):
 *   ring n:           diameter floor(n/2), bisection 2b, injection 2b
 *   torus a x b x c:  sum of floor(a/2), bisection 2b N / (largest even size), injection 6b
 *   mesh:             sum of (a - 1), bisection b N / (largest even size)
 *   hypercube 2^k:    k, bisection b N / 2, injection k b
 *   full n:           1, bisection b n^2 / 4 (n even), injection (n - 1) b
 *   switch n:         2, bisection b n / 2
 *   fat-tree K:       6, K^3/4 NPUs, full bisection b N / 2
 *   leaf-spine taper t: 4, bisection b N / 2 / t
 */
static const struct {
    const char *text;
    uint32_t npus, switches, hops, classes;
    uint64_t cables;
    double bisection_Bps, injection_Bps;
} rows[] = {
    {"ring:9,bw=10GB/s", 9, 0, 4, 1, 9, 20e9, 20e9},
    {"ring:64,bw=10GB/s", 64, 0, 32, 1, 64, 20e9, 20e9},
    {"torus:4x4x8,bw=10GB/s", 128, 0, 8, 1, 384, 320e9, 60e9},
    {"torus:16x16x16,bw=10GB/s", 4096, 0, 24, 1, 12288, 5120e9, 60e9},
    {"mesh:4x8,bw=10GB/s", 32, 0, 10, 8, 52, 40e9, 20e9},
    {"hypercube:64,bw=10GB/s", 64, 0, 6, 1, 192, 320e9, 60e9},
    {"full:8,bw=10GB/s", 8, 0, 1, 1, 28, 160e9, 70e9},
    {"full:32,bw=10GB/s", 32, 0, 1, 1, 496, 2560e9, 310e9},
    {"switch:16,bw=10GB/s", 16, 1, 2, 1, 16, 80e9, 10e9},
    {"fattree:8,bw=10GB/s", 128, 80, 6, 1, 384, 640e9, 10e9},
    {"leafspine:8x8,bw=10GB/s,taper=2", 64, 12, 4, 1, 96, 160e9, 10e9},
    {"full:4,bw=10GB/s*switch:4,bw=5GB/s", 16, 4, 3, 1, 24 + 16, 40e9, 35e9},
};

START_TEST(families)
{
    struct fabric *fabric = fabric_from(rows[_i].text);
    struct survey survey;
    survey_take(&survey, fabric);
    ck_assert_uint_eq(survey.role_count[ROLE_NPU], rows[_i].npus);
    ck_assert_uint_eq(survey.role_count[ROLE_SWITCH], rows[_i].switches);
    ck_assert_uint_eq(survey.cables, rows[_i].cables);
    ck_assert_uint_eq(survey.one_way, 0);
    ck_assert_uint_eq(survey.diameter_hops, rows[_i].hops);
    ck_assert_int_ne(survey.diameter_how, SURVEY_SOME_NPUS);
    ck_assert_uint_eq(survey.classes, rows[_i].classes);
    ck_assert_double_eq_tol(survey.bisection_Bps, rows[_i].bisection_Bps, 100);
    ck_assert_double_eq_tol(survey.injection_least_Bps, rows[_i].injection_Bps, 1);
    if (rows[_i].classes == 1)
        ck_assert_double_eq(survey.injection_most_Bps, survey.injection_least_Bps);
    fabric_destroy(fabric);
}
END_TEST

/* Two rings of 4 that one cable joins: halves of the ranks are the rings, the cut is that cable,
 * which is a bridge; the two NPUs at it are one class, their neighbours, and those opposite. */
START_TEST(two_rings_and_a_cable)
{
    struct fabric *fabric =
        graph_from("nodes: [{name: a, role: npu, count: 4}, {name: b, role: npu, count: 4}]\n"
                   "defaults: {bandwidth: 10GB/s, latency: 1us}\n"
                   "links: [{ring: a}, {ring: b}, {a: a0, b: b0, bandwidth: 3GB/s}]\n");
    struct survey survey;
    survey_take(&survey, fabric);
    ck_assert_double_eq_tol(survey.bisection_Bps, 3e9, 1);
    ck_assert_int_eq(survey.bisection_how, SURVEY_EXACT);
    ck_assert_uint_eq(survey.diameter_hops, 5);
    ck_assert_uint_eq(survey.classes, 3);
    ck_assert_uint_eq(survey.class_members[0], 2);
    ck_assert_uint_eq(survey.class_members[1], 4);
    ck_assert_uint_eq(survey.class_members[2], 2);
    struct bridge bridge;
    ck_assert_uint_eq(bridges_find(fabric, &bridge), 1);
    ck_assert_uint_eq(bridge.npus, 4);
    const struct fabric_link *link = &fabric->link[bridge.link];
    ck_assert_uint_eq(link->src + link->dst, 0 + 4);
    fabric_destroy(fabric);
}
END_TEST

/*
 * Each way: the narrower direction counts. Twenty NPUs on two leaves: 400 GB/s there, 100 back. Of
 * 8 x 4 on 8 spines, half a link up or down takes 25 of the 800 GB/s in one direction. Without a
 * cable, a ring is a line and its narrowest halves begin there; a torus of odd rings tells what it
 * is at most.
 */
static const struct {
    const char *text, *changes;
    uint32_t hops;
    double bisection_Bps;
    enum survey_how how;
} narrow[] = {
    {"leafspine:8x4", "leaf3->spine0:bw*0.5", 4, 775e9, SURVEY_SOME_HALVES},
    {"leafspine:8x4", "spine0->leaf0:bw*0.5", 4, 775e9, SURVEY_SOME_HALVES},
    {"leafspine:8x4", NULL, 4, 800e9, SURVEY_BY_SYMMETRY},
    {"ring:16", NULL, 8, 100e9, SURVEY_BY_SYMMETRY},
    {"ring:16", "npu0--npu1:fail", 15, 50e9, SURVEY_SOME_HALVES},
    {"ring:16", "npu7--npu8:fail", 15, 50e9, SURVEY_SOME_HALVES},
    {"ring:16", "npu5->npu4:bw*0.5", 8, 75e9, SURVEY_SOME_HALVES},
    {"ring:6", "npu0--npu1:fail", 5, 50e9, SURVEY_EXACT},
    {"ring:3,bw=1GB/s*ring:20,bw=100GB/s", NULL, 11, 600e9, SURVEY_SOME_HALVES},
    /* Leaves of 2 on 2 spines: leaf1 has spine1 only, leaf2 spine0; by way of leaf0. */
    {"leafspine:2x3", "leaf1--spine0:fail;leaf2--spine1:fail", 6, 100e9, SURVEY_EXACT},
};

START_TEST(narrow_ways)
{
    struct fabric *fabric = fabric_from(narrow[_i].text);
    struct diag diag = DIAG_NONE;
    if (narrow[_i].changes)
        ck_assert_int_eq(fabric_change(fabric, narrow[_i].changes, &diag), STATUS_OK);
    struct survey survey;
    survey_take(&survey, fabric);
    ck_assert_uint_eq(survey.diameter_hops, narrow[_i].hops);
    ck_assert_double_eq_tol(survey.bisection_Bps, narrow[_i].bisection_Bps, 1);
    ck_assert_int_eq(survey.bisection_how, narrow[_i].how);
    if (narrow[_i].hops == 6) {
        ck_assert_uint_eq(survey.far_src, 2);
        ck_assert_uint_eq(survey.far_dst, 4);
    }
    fabric_destroy(fabric);
}
END_TEST

START_TEST(one_way_is_narrow)
{
    static const char *const text[] = {"400GB/s, bandwidth-back: 100GB/s",
                                       "100GB/s, bandwidth-back: 400GB/s"};
    char yaml[400];
    snprintf(yaml, sizeof yaml,
             "nodes: [{name: a, role: npu, count: 10}, {name: b, role: npu, count: 10}, {name: l, "
             "role: switch, count: 2}]\n"
             "defaults: {bandwidth: 50GB/s, latency: 1us}\n"
             "links: [{a: a, b: l0}, {a: b, b: l1}, {a: l0, b: l1, bandwidth: %s}]\n",
             text[_i]);
    struct fabric *fabric = graph_from(yaml);
    struct survey survey;
    survey_take(&survey, fabric);
    ck_assert_double_eq_tol(survey.bisection_Bps, 100e9, 1);
    fabric_destroy(fabric);
}
END_TEST

/* A bridge of one NPU's only cable is no news; nor is a cable that has a parallel one. */
START_TEST(what_is_no_bridge)
{
    static const char *const text[] = {"switch:8", "torus:3x3", "fattree:4", "line:4,count=2"};
    struct fabric *fabric = fabric_from(text[_i]);
    struct bridge bridge;
    ck_assert_uint_eq(bridges_find(fabric, &bridge), 0);
    fabric_destroy(fabric);
}
END_TEST

START_TEST(a_line_has_its_middle)
{
    struct fabric *fabric = fabric_from("line:8");
    struct bridge bridge;
    /* 1-2 .. 5-6 cut off two or more: five of the seven cables; 3-4 is the worst. */
    ck_assert_uint_eq(bridges_find(fabric, &bridge), 5);
    ck_assert_uint_eq(bridge.npus, 4);
    fabric_destroy(fabric);
}
END_TEST

/* Directions count: with other bandwidth one way round, ring NPUs stay alike; at one NPU, not. */
START_TEST(classes_see_directions)
{
    struct fabric *fabric =
        graph_from("nodes: [{name: a, role: npu, count: 5}]\n"
                   "links: [{ring: a, bandwidth: 2GB/s, bandwidth-back: 1GB/s, latency: 1us}]\n");
    uint32_t class_of[5];
    bool settled;
    ck_assert_uint_eq(alike_classes(fabric, class_of, &settled), 1);
    ck_assert(settled);
    fabric_destroy(fabric);
    fabric =
        graph_from("nodes: [{name: a, role: npu, count: 3}]\n"
                   "links: [{line: a, bandwidth: 2GB/s, bandwidth-back: 1GB/s, latency: 1us}]\n");
    ck_assert_uint_eq(alike_classes(fabric, class_of, &settled), 3);
    fabric_destroy(fabric);
}
END_TEST

static struct shift_load shift_of(const char *text, enum net_routing policy, uint32_t shift)
{
    struct fabric *fabric = fabric_from(text);
    struct network_config config = {.routing = policy};
    struct routing *routing;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(routing_create(&routing, fabric, &config, &diag), STATUS_OK);
    struct shift_load load = shift_load_take(routing, fabric, shift);
    routing_destroy(routing);
    fabric_destroy(fabric);
    return load;
}

/* Ring of 8, shift 3: each link upwards carries 3 messages. Tapered leaf-spine 4 x 4 at 1 : 2: 4
 * messages leave a leaf over 2 links. Full fat-tree, sprayed: nothing shares. */
START_TEST(shifts)
{
    struct shift_load ring = shift_of("ring:8,bw=12GB/s", ROUTING_AUTO, 3);
    ck_assert_double_eq_tol(ring.each_Bps, 4e9, 1);
    ck_assert_double_eq_tol(ring.messages, 3, 1e-9);
    struct shift_load taper = shift_of("leafspine:4x4,bw=10GB/s,taper=2", ROUTING_SPRAY, 8);
    ck_assert_double_eq_tol(taper.each_Bps, 5e9, 1);
    struct shift_load full = shift_of("fattree:4,bw=10GB/s", ROUTING_SPRAY, 8);
    ck_assert_double_eq_tol(full.each_Bps, 10e9, 1);
}
END_TEST

/* Rails without taper: static routes of a shift by half meet nowhere, at two levels and at
 * three. */
START_TEST(shifts_on_rails)
{
    static const struct {
        const char *text;
        uint32_t shift;
        double each_Bps;
    } cases[] = {{"preset:dgx-a100,nodes=40", 160, 25e9},
                 {"preset:dgx-h100,nodes=64", 256, 50e9},
                 {"preset:dgx-h100,nodes=128", 512, 50e9},
                 {"preset:dgx-h100,nodes=512", 2048, 50e9}};
    struct shift_load load = shift_of(cases[_i].text, ROUTING_UP_DOWN, cases[_i].shift);
    ck_assert_double_eq_tol(load.each_Bps, cases[_i].each_Bps, 1);
}
END_TEST

static Suite *survey_suite(void)
{
    Suite *suite = suite_create("survey");
    TCase *tcase = tcase_create("figures");
    tcase_add_loop_test(tcase, families, 0, sizeof rows / sizeof *rows);
    tcase_add_test(tcase, two_rings_and_a_cable);
    tcase_add_loop_test(tcase, narrow_ways, 0, sizeof narrow / sizeof *narrow);
    tcase_add_loop_test(tcase, one_way_is_narrow, 0, 2);
    tcase_add_loop_test(tcase, what_is_no_bridge, 0, 4);
    tcase_add_test(tcase, a_line_has_its_middle);
    tcase_add_test(tcase, classes_see_directions);
    tcase_add_test(tcase, shifts);
    tcase_add_loop_test(tcase, shifts_on_rails, 0, 4);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(survey_suite())
