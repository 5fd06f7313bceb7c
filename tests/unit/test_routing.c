/* routing: every pair has a loop-free contiguous route; lengths and ties by hand. */
#include "net/topology/routing_parts.h"
#include "tests/unit/fabric_util.h"

static const char *const products[] = {"ring:8",
                                       "ring:7",
                                       "ring:2",
                                       "ring:6,oneway",
                                       "line:5",
                                       "full:5",
                                       "switch:5",
                                       "torus:4x3x2",
                                       "mesh:3x3",
                                       "torus:4x4,wrap=1x0",
                                       "hypercube:8",
                                       "switch:4*ring:3",
                                       "ring:3*full:3*switch:2",
                                       "switch:2*switch:3*switch:2"};

static const char *const trees[] = {"fattree:4",
                                    "fattree:8,pods=2,taper=2",
                                    "fattree2:4,upcount=2",
                                    "xgft:2/8,4/1,2/1,1",
                                    "xgft:3/2,3,2/2,2,3/1,1,2",
                                    "xgft:1/5/1/1",
                                    "xgft:4/2,2,2,2/1,2,2,2/1,1,1,1",
                                    "leafspine:3x4,spines=2",
                                    "leafspine:2x3,planes=4",
                                    "rail:4x6",
                                    "rail:4x6,unit=2,pod=1",
                                    "rail:2x8,unit=2,pod=2,inside=full,taper=2",
                                    "rail:4x4,unit=2,nic,spines=3",
                                    "rail:2x4,unit=2,inside=none,upcount=2",
                                    "rail:1x4,unit=2",
                                    "switch:2*leafspine:2x2*ring:3",
                                    "switch:2*fattree:4"};

enum { TREES = sizeof trees / sizeof trees[0] };

enum { PRODUCTS = sizeof products / sizeof products[0] };

static void expect_every_pair(const char *topology)
{
    static const enum net_routing policies[] = {ROUTING_AUTO, ROUTING_SHORTEST, ROUTING_ECMP,
                                                ROUTING_SPRAY};
    struct fabric *fabric = fabric_from(topology);
    for (int p = 0; p < 4; p++) {
        struct routing *routing = routing_from(fabric, policies[p]);
        expect_all_routes(fabric, routing);
        routing_destroy(routing);
    }
    fabric_destroy(fabric);
}

START_TEST(every_pair_of_products)
{
    expect_every_pair(products[_i]);
}
END_TEST

START_TEST(every_pair_of_trees)
{
    expect_every_pair(trees[_i]);
}
END_TEST

static const char *const dragonflies[] = {"dragonfly:4,1;1,1;4,1;2", "dragonfly:4,2;2,1;4,1;2",
                                          "dragonfly:9/2/2/1", "dragonfly:1/3/2/2"};

enum { DRAGONFLIES = sizeof dragonflies / sizeof dragonflies[0] };

START_TEST(every_pair_of_dragonflies)
{
    expect_every_pair(dragonflies[_i]);
}
END_TEST

/* Routes between NPUs have as many hops as a search finds. */
static void expect_shortest(const struct fabric *fabric, enum net_routing policy)
{
    struct routing *routing = routing_from(fabric, policy);
    struct graph_routes *graph = graph_routes_create(fabric, ROUTING_SHORTEST);
    struct routing searched = {.fabric = fabric, .policy = ROUTING_SHORTEST, .graph = graph};
    for (uint32_t a = 0; a < fabric->npu_count; a++) {
        for (uint32_t b = 0; b < fabric->npu_count; b++) {
            struct route route;
            if (a == b)
                continue;
            routing_find(routing, a, b, &route);
            searched.path.count = 0;
            graph_route(&searched, a, b);
            ck_assert_uint_eq(route.count, searched.path.count);
        }
    }
    graph_routes_destroy(graph);
    free(searched.path.link);
    free(searched.path.share);
    routing_destroy(routing);
}

/* (A search also goes through NPUs, where they are joined directly inside a node: not for
 * these.) */
START_TEST(trees_are_shortest)
{
    if (strstr(trees[_i], "inside=full"))
        return;
    struct fabric *fabric = fabric_from(trees[_i]);
    expect_shortest(fabric, ROUTING_AUTO);
    expect_shortest(fabric, ROUTING_SHORTEST);
    expect_shortest(fabric, ROUTING_ECMP);
    fabric_destroy(fabric);
}
END_TEST

START_TEST(products_are_shortest)
{
    struct fabric *fabric = fabric_from(products[_i]);
    expect_shortest(fabric, ROUTING_DIMENSION_ORDER);
    expect_shortest(fabric, ROUTING_SHORTEST);
    expect_shortest(fabric, ROUTING_ECMP);
    fabric_destroy(fabric);
}
END_TEST

/* Hashing uses all ways: from (0, 0) to (2, 2) of a 4x4 torus, half way round twice, 4 first
 * hops. */
START_TEST(ecmp_uses_every_way)
{
    struct fabric *fabric = fabric_from("torus:4x4");
    uint32_t first_hops = 0;
    for (uint64_t seed = 0; seed < 64; seed++) {
        struct network_config config = {.routing = ROUTING_ECMP, .seed = seed};
        struct routing *routing;
        struct diag diag = DIAG_NONE;
        struct route route;
        ck_assert_int_eq(routing_create(&routing, fabric, &config, &diag), STATUS_OK);
        routing_find(routing, 0, 10, &route);
        first_hops |= 1u << route.link[0];
        routing_destroy(routing);
    }
    ck_assert_uint_eq(first_hops, 0xf);
    fabric_destroy(fabric);
}
END_TEST

static void expect_bundles(const struct fabric *fabric, struct routing *routing, uint32_t a,
                           uint32_t b)
{
    const uint32_t *bundle_of;
    uint32_t count = routing_bundles(routing, &bundle_of);
    double *sum = calloc(count, sizeof *sum), *least = calloc(count, sizeof *least);
    struct route route;
    routing_find(routing, a, b, &route);
    for (uint32_t i = 0; i < route.count; i++) {
        double share = route.share ? route.share[i] : 1;
        uint32_t bundle = bundle_of[route.link[i]];
        if (sum[bundle] == 0)
            least[bundle] = share;
        ck_assert(fabs(least[bundle] - share) < 1e-12);
        sum[bundle] += share;
    }
    double latency_ns = route.latency_ns;
    routing_find_bundled(routing, a, b, &route);
    ck_assert_ptr_null(route.share);
    ck_assert_double_eq(route.latency_ns, latency_ns);
    double total = 0;
    for (uint32_t i = 0; i < route.count; i++) {
        ck_assert_msg(fabs(sum[route.link[i]] - 1) < 1e-12, "%s: %u to %u", fabric->text, a, b);
        sum[route.link[i]] = 0;
    }
    for (uint32_t i = 0; i < count; i++)
        total += sum[i];
    ck_assert(total == 0);
    free(sum);
    free(least);
}

/* Each bundle of a route carries the whole message, in equal shares, and nothing else carries
 * any. */
START_TEST(bundles_carry_equal_shares)
{
    struct fabric *fabric = fabric_from(trees[_i]);
    struct routing *routing = routing_from(fabric, ROUTING_SPRAY);
    const uint32_t *bundle_of;
    ck_assert_uint_gt(routing_bundles(routing, &bundle_of), 0);
    for (uint32_t a = 0; a < fabric->npu_count; a++)
        for (uint32_t b = 0; b < fabric->npu_count; b++)
            if (a != b)
                expect_bundles(fabric, routing, a, b);
    routing_destroy(routing);
    fabric_destroy(fabric);
}
END_TEST

/* Moves every rank by `shift`, coordinate by coordinate (a torus of any kind). */
static uint32_t moved(const struct fabric *fabric, uint32_t rank, uint32_t shift)
{
    uint32_t to = 0;
    for (uint32_t d = 0; d < fabric->dim_count; d++) {
        uint32_t n = fabric->dim[d].npus, stride = fabric->dim[d].stride;
        to += (rank / stride % n + shift / stride % n) % n * stride;
    }
    return to;
}

/* torus:4x8,twist=4x0 is the group of (x, y) with (4, 0) = (0, 4) and (0, 8) = 0. */
static uint32_t moved_twisted(const struct fabric *fabric, uint32_t rank, uint32_t shift)
{
    (void)fabric;
    uint32_t x = rank % 4 + shift % 4, y = rank / 4 + shift / 4 + x / 4 * 4;
    return x % 4 + y % 8 * 4;
}

static uint32_t flipped(const struct fabric *fabric, uint32_t rank, uint32_t mask)
{
    (void)fabric;
    return rank ^ mask;
}

static const struct {
    const char *text;
    uint32_t (*image)(const struct fabric *fabric, uint32_t rank, uint32_t by);
} symmetries[] = {
    {"ring:7", moved},         {"ring:8", moved},          {"torus:4x3x2", moved},
    {"full:5*ring:4", moved},  {"ring:5,oneway", moved},   {"torus:4x8,twist=4x0", moved_twisted},
    {"hypercube:16", flipped}, {"hypercube:512", flipped},
};

static void expect_image(uint32_t row, const struct fabric *fabric, struct routing *routing,
                         uint32_t a, uint32_t b, uint32_t by)
{
    uint32_t nodes[64];
    struct route route;
    routing_find(routing, a, b, &route);
    uint32_t count = route.count;
    ck_assert_uint_le(count, 64);
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = symmetries[row].image(fabric, fabric->link[route.link[i]].dst, by);
    uint32_t image_a = symmetries[row].image(fabric, a, by);
    routing_find(routing, image_a, symmetries[row].image(fabric, b, by), &route);
    ck_assert_uint_eq(route.count, count);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_uint_eq(fabric->link[route.link[i]].dst, nodes[i]);
}

/* Relabelling the ranks by a symmetry of the fabric relabels the routes: what folding rests on. */
START_TEST(symmetries_move_routes)
{
    struct fabric *fabric = fabric_from(symmetries[_i].text);
    struct routing *routing = routing_from(fabric, ROUTING_AUTO);
    uint32_t n = fabric->npu_count, step = n > 64 ? 37 : 1;
    for (uint32_t by = 0; by < n; by += step)
        for (uint32_t a = 0; a < n; a += step)
            for (uint32_t b = 0; b < n; b++)
                if (a != b)
                    expect_image((uint32_t)_i, fabric, routing, a, b, by);
    routing_destroy(routing);
    fabric_destroy(fabric);
}
END_TEST

/* A route does not depend on what was asked before. */
START_TEST(routes_have_no_memory)
{
    static const char *const texts[] = {"torus:4x4", "fattree:4", "dragonfly:4/2/4/1",
                                        "switch:2*fattree:4", "rail:2x8,unit=4"};
    struct fabric *fabric = fabric_from(texts[_i]);
    struct routing *used = routing_from(fabric, ROUTING_ECMP);
    expect_all_routes(fabric, used);
    for (uint32_t b = 1; b < fabric->npu_count; b++) {
        struct routing *fresh = routing_from(fabric, ROUTING_ECMP);
        struct route one, other;
        routing_find(fresh, 0, b, &one);
        routing_find(used, 0, b, &other);
        ck_assert_uint_eq(one.count, other.count);
        ck_assert_mem_eq(one.link, other.link, one.count * sizeof *one.link);
        routing_destroy(fresh);
    }
    routing_destroy(used);
    fabric_destroy(fabric);
}
END_TEST

static void expect_nodes(const char *text, uint32_t src, uint32_t dst, const uint32_t *nodes,
                         uint32_t count)
{
    struct fabric *fabric = fabric_from(text);
    struct routing *routing = routing_from(fabric, ROUTING_AUTO);
    struct route route;
    routing_find(routing, src, dst, &route);
    ck_assert_uint_eq(route.count, count);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_uint_eq(fabric->link[route.link[i]].dst, nodes[i]);
    routing_destroy(routing);
    fabric_destroy(fabric);
}

START_TEST(by_hand)
{
    /* The shorter way; the tie 0 to 4 of 8 upwards; 3 to 0 downwards. */
    expect_nodes("ring:8", 0, 4, (uint32_t[]){1, 2, 3, 4}, 4);
    expect_nodes("ring:8", 4, 0, (uint32_t[]){5, 6, 7, 0}, 4);
    expect_nodes("ring:8", 0, 5, (uint32_t[]){7, 6, 5}, 3);
    expect_nodes("ring:8,oneway", 1, 0, (uint32_t[]){2, 3, 4, 5, 6, 7, 0}, 7);
    /* Dimension 0 first: (0,0) to (2,3) of 4x4. */
    expect_nodes("torus:4x4", 0, 14, (uint32_t[]){1, 2, 14}, 3);
    /* switch:2*ring:4: npu 0 to npu 5 = (1, 2): by switch 8 to npu 1, then up. */
    /* Nodes of 2 by a switch (8..11), leaves of two units (12..15), spines 16, 17: npu 0 to 1
     * inside, to 2 by its rail's leaf, to 7 (other rail, other unit) by spine 7 mod 2. */
    expect_nodes("rail:2x4,unit=2", 0, 1, (uint32_t[]){8, 1}, 2);
    expect_nodes("rail:2x4,unit=2", 0, 2, (uint32_t[]){12, 2}, 2);
    expect_nodes("rail:2x4,unit=2", 0, 7, (uint32_t[]){12, 17, 15, 7}, 4);
    expect_nodes("switch:2*ring:4", 0, 5, (uint32_t[]){8, 1, 3, 5}, 4);
    /* fattree:4 = leaves 16.., aggs 24.., cores 32..: npu 0 to 13 takes parents 13 mod 2 = 1 (agg
     * 25) and 13 / 2 mod 2 = 0 (core 33: of aggs 25, 27, ..), then down to pod 3. */
    expect_nodes("fattree:4", 0, 13, (uint32_t[]){16, 25, 33, 31, 22, 13}, 6);
    /* dragonfly of 4 groups of 4 routers of 2: npu 0 (router 0 of group 0) to npu 30 (router 3 of
     * group 3): by router 3 of group 0 to router 0 of group 3. */
    expect_nodes("dragonfly:4/1/4/2", 0, 30, (uint32_t[]){32, 35, 44, 47, 30}, 5);
}
END_TEST

static Suite *routing_suite(void)
{
    Suite *suite = suite_create("routing");
    TCase *tests = tcase_create("routing");
    tcase_add_loop_test(tests, every_pair_of_products, 0, PRODUCTS);
    tcase_add_loop_test(tests, every_pair_of_trees, 0, TREES);
    tcase_add_loop_test(tests, every_pair_of_dragonflies, 0, DRAGONFLIES);
    tcase_add_loop_test(tests, trees_are_shortest, 0, TREES);
    tcase_add_loop_test(tests, bundles_carry_equal_shares, 0, TREES);
    tcase_add_loop_test(tests, products_are_shortest, 0, PRODUCTS);
    tcase_add_loop_test(tests, symmetries_move_routes, 0, sizeof symmetries / sizeof symmetries[0]);
    tcase_add_loop_test(tests, routes_have_no_memory, 0, 5);
    tcase_add_test(tests, ecmp_uses_every_way);
    tcase_add_test(tests, by_hand);
    suite_add_tcase(suite, tests);
    return suite;
}

RUN_SUITE(routing_suite())
