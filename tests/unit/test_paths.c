/* Routes as servers: links, bundles of a sprayed tree, classes of a folded run; and turns. */
#include "tests/unit/unit.h"

#include "net/model/fold_turn.h"
#include "net/model/paths.h"
#include "tests/unit/fabric_util.h"

static struct fabric *fabric;
static struct paths paths;

static void open_paths(const char *topology, enum net_routing routing)
{
    struct diag diag = DIAG_NONE;
    fabric = fabric_from(topology);
    struct network_config config = {
        .fabric = fabric, .npu_count = fabric->npu_count, .routing = routing};
    ck_assert_msg(paths_init(&paths, &config, &diag) == STATUS_OK, "%s", diag.message);
}

static void close_paths(void)
{
    paths_release(&paths);
    fabric_destroy(fabric);
}

/* Without spraying a server is a link, and the cost is that of the slowest. */
START_TEST(links_are_servers)
{
    open_paths("ring:3,bw=1GB/s,lat=100ns*ring:3,bw=4GB/s,lat=10ns", ROUTING_AUTO);
    ck_assert_uint_eq(paths.server_count, fabric->link_count);
    struct route route;
    paths_find(&paths, 0, 4, &route);
    ck_assert_uint_eq(route.count, 2);
    ck_assert_uint_eq(route.link[0], fabric_find_link(fabric, 0, 1));
    ck_assert_uint_eq(route.link[1], fabric_find_link(fabric, 1, 4));
    struct path_cost cost = paths_cost(&paths, &route);
    ck_assert_double_eq(cost.latency_ns, 110);
    ck_assert_double_eq(cost.B_per_ns, 1);
    close_paths();
}
END_TEST

/*
 * Two leaves of four NPUs, two spines: the two links up of a leaf are a bundle of 2 B/ns, and what
 * it has done is spread evenly over them.
 */
START_TEST(bundles_are_servers)
{
    open_paths("leafspine:4x2,spines=2,bw=1GB/s,lat=100ns", ROUTING_SPRAY);
    ck_assert_uint_lt(paths.server_count, fabric->link_count);
    struct route route;
    paths_find(&paths, 0, 4, &route);
    ck_assert_uint_eq(route.count, 4);
    ck_assert_ptr_null(route.share);
    ck_assert_double_eq(paths.B_per_ns[route.link[0]], 1);
    ck_assert_double_eq(paths.B_per_ns[route.link[1]], 2);
    ck_assert_double_eq(paths_cost(&paths, &route).B_per_ns, 1);
    struct link_figures *servers = calloc(paths.server_count, sizeof *servers);
    struct link_figures *rows = calloc(fabric->link_count, sizeof *rows);
    ck_assert(servers && rows);
    servers[route.link[1]] = (struct link_figures){1000, 500, 7, 3};
    paths_add_figures(&paths, servers, rows);
    uint32_t used = 0;
    for (uint32_t i = 0; i < fabric->link_count; i++) {
        if (!rows[i].messages)
            continue;
        used++;
        ck_assert_double_eq(rows[i].bytes, 500);
        ck_assert_double_eq(rows[i].busy_ns, 500);
        ck_assert_double_eq(rows[i].queued_ns, 7);
    }
    ck_assert_uint_eq(used, 2);
    free(servers);
    free(rows);
    close_paths();
}
END_TEST

/* Of a set of paths a link that carries half the bytes counts with twice its bandwidth. */
START_TEST(shares_count)
{
    open_paths("torus:3x3,bw=1GB/s,lat=100ns", ROUTING_SPRAY);
    struct route route;
    paths_find(&paths, 0, 4, &route);
    ck_assert_ptr_nonnull(route.share);
    ck_assert_double_eq(paths_cost(&paths, &route).B_per_ns, 2);
    close_paths();
}
END_TEST

/* Folded, all links of a ring one way are the class of link 0. */
START_TEST(classes_are_servers)
{
    open_paths("ring:4,oneway", ROUTING_AUTO);
    uint32_t class_of[4] = {0}, class_size[4] = {4}, class_of_rank[4] = {0}, ranks[1] = {4};
    struct link_fold fold = {.class_of = class_of,
                             .class_size = class_size,
                             .class_of_rank = class_of_rank,
                             .first_of_class = class_of,
                             .ranks_of_class = ranks};
    paths_fold(&paths, &fold);
    struct route route;
    paths_find(&paths, 1, 3, &route);
    ck_assert_uint_eq(route.count, 2);
    ck_assert_uint_eq(route.link[0], 0);
    ck_assert_uint_eq(route.link[1], 0);
    ck_assert_uint_eq(paths.classes->first_link, fabric_find_link(fabric, 1, 2));
    ck_assert_double_eq(paths_load(&paths, 0, 0), 1);
    close_paths();
}
END_TEST

/*
 * Two that come at one time: from elsewhere, or over another link, or in acts whose order is not
 * everybody's, they are a tie. Acts: one; two items put down at different times, or by one.
 */
static const struct {
    uint32_t way[2];
    struct fold_act act[2];
    time_ps later_by;
    bool tie;
} turns[] = {
    {{5, 5}, {{.serial = 1}, {.serial = 1}}, 0, false},
    {{5, 6}, {{.serial = 1}, {.serial = 1}}, 0, true},
    {{5, 5}, {{.serial = 1, .cause = 1}, {.serial = 2, .cause = 2}}, 0, true},
    {{5, 5}, {{.serial = 1, .cause = 1}, {.serial = 2, .cause = 2}}, 1, false},
    {{5, FOLD_TURN_OTHER}, {{.serial = 1}, {.serial = 1}}, 0, true},
    {{FOLD_TURN_OTHER, FOLD_TURN_OTHER}, {{.serial = 1}, {.serial = 1}}, 0, true},
    {{5, 5}, {{7, 1, 9, true, false}, {8, 2, 10, true, false}}, 0, false},
    {{5, 5}, {{7, 1, 9, true, false}, {7, 2, 10, true, false}}, 0, true},
    {{5, 5}, {{7, 1, 9, true, false}, {7, 2, 9, true, false}}, 0, false},
    {{5, 5}, {{7, 1, 9, true, false}, {8, 2, 10, false, false}}, 0, true},
    {{5, 5}, {{7, 1, 9, true, true}, {7, 2, 10, true, true}}, 0, false},
};

START_TEST(turns_of_one_time)
{
    struct engine engine;
    engine_init(&engine);
    bool is_tied = false;
    struct fold_act act = turns[_i].act[0];
    struct link_fold fold = {.is_tied = &is_tied, .act = &act};
    struct fold_turn turn = FOLD_TURN_NONE;
    fold_turn_note(&turn, &fold, &engine, turns[_i].way[0]);
    ck_assert(!is_tied);
    engine.now += turns[_i].later_by;
    act = turns[_i].act[1];
    fold_turn_note(&turn, &fold, &engine, turns[_i].way[1]);
    ck_assert_int_eq(is_tied, turns[_i].tie);
    ck_assert_int_eq(engine.stop, turns[_i].tie);
    engine_release(&engine);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("paths");
    TCase *cases = tcase_create("paths");
    tcase_add_test(cases, links_are_servers);
    tcase_add_test(cases, bundles_are_servers);
    tcase_add_test(cases, shares_count);
    tcase_add_test(cases, classes_are_servers);
    tcase_add_loop_test(cases, turns_of_one_time, 0, (int)(sizeof turns / sizeof turns[0]));
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
