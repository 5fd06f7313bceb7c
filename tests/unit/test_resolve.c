/* resolve: what a configuration gets from its topology, and which backends may have one. */
#include "net/topology/resolve.h"

#include <string.h>

#include "config/settings.h"
#include "net/topology/fabric.h"
#include "tests/unit/config_bench.h"

/* As a user's file would. */
static void set(const char *key, const char *text)
{
    enum status status =
        setting_set_text(&config, setting_find(key), text, "my.yaml:3", &notices, &diag);
    ck_assert_msg(status == STATUS_OK, "%s: %s", key, diag.message);
}

static void resolve(void)
{
    enum status status = topology_resolve(&config, &notices, &diag);
    ck_assert_msg(status == STATUS_OK, "%s", diag.message);
}

START_TEST(dimensions_come_from_the_fabric)
{
    set("network.topology", "line:3,bw=10GB/s,lat=200ns*switch:4,bw=5GB/s");
    resolve();
    const struct network_config *network = &config.network;
    ck_assert_int_eq(network->backend, NET_FLOW);
    ck_assert_ptr_nonnull(network->fabric);
    ck_assert_uint_eq(network->npu_count, 12);
    ck_assert_uint_eq(network->dim_count, 2);
    ck_assert_int_eq(network->dim[0].block, NET_RING);
    ck_assert(network->dim[0].no_wrap && !network->dim[1].no_wrap);
    ck_assert_int_eq(network->dim[1].block, NET_SWITCH);
    ck_assert_uint_eq(network->dim[0].npus, 3);
    ck_assert_uint_eq(network->dim[1].npus, 4);
    ck_assert_double_eq_tol(network->dim[0].bandwidth_B_per_ns, 10, 1e-12);
    ck_assert_double_eq_tol(network->dim[1].bandwidth_B_per_ns, 5, 1e-12);
    ck_assert_double_eq_tol(network->dim[0].latency_ns, 200, 1e-12);
    ck_assert_str_eq(config_source(&config, "network.npus"), "my.yaml:3");
}
END_TEST

/* A backend that was asked for stays; one that sees no links takes no topology. */
START_TEST(the_backend_that_was_asked_for)
{
    set("network.topology", "ring:4");
    set("network.backend", "link");
    resolve();
    ck_assert_int_eq(config.network.backend, NET_LINK);
}
END_TEST

START_TEST(astra_sims_backends_take_no_topology)
{
    set("network.topology", "ring:4");
    set("network.backend", "congestion-aware");
    ck_assert_int_eq(topology_resolve(&config, &notices, &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.field, "network.topology");
    ck_assert_str_eq(diag.file, "my.yaml:3");
    ck_assert_ptr_nonnull(strstr(diag.hint, "flow"));
    ck_assert_ptr_null(config.network.fabric);
}
END_TEST

START_TEST(without_links_nothing_happens)
{
    config.network.dim_count = 1;
    config.network.dim[0] =
        (struct net_dim){.block = NET_RING, .npus = 4, .bandwidth_B_per_ns = 1, .latency_ns = 5};
    resolve();
    ck_assert_ptr_null(config.network.fabric);
    ck_assert_uint_eq(config.network.dim_count, 1);
}
END_TEST

/* ASTRA-sim's dimensions on a backend that sees links: a fabric of them. */
START_TEST(dimensions_become_a_fabric)
{
    config.network.dim_count = 2;
    config.network.dim[0] =
        (struct net_dim){.block = NET_RING, .npus = 4, .bandwidth_B_per_ns = 1, .latency_ns = 5};
    config.network.dim[1] = (struct net_dim){
        .block = NET_FULLY_CONNECTED, .npus = 3, .bandwidth_B_per_ns = 2, .latency_ns = 7};
    set("network.backend", "flow");
    resolve();
    const struct fabric *fabric = config.network.fabric;
    ck_assert_uint_eq(fabric->npu_count, 12);
    const struct fabric_link *link = &fabric->link[fabric_find_link(fabric, 0, 4)];
    ck_assert_double_eq_tol(link->bandwidth_Bps, 2e9, 1e-3);
    ck_assert_double_eq_tol(link->latency_ns, 7, 1e-12);
    ck_assert_uint_eq(config.network.npu_count, 12);
}
END_TEST

START_TEST(changes_are_made)
{
    set("network.topology", "ring:4,bw=10GB/s");
    set("network.changes", "npu0->npu1:bw*0.5");
    resolve();
    const struct fabric *fabric = config.network.fabric;
    ck_assert_double_eq_tol(fabric->link[fabric_find_link(fabric, 0, 1)].bandwidth_Bps, 5e9, 1e-3);
    ck_assert_double_eq_tol(config.network.dim[0].bandwidth_B_per_ns, 10, 1e-12);
}
END_TEST

static const struct {
    const char *key, *text, *file, *field;
} bad[] = {
    {"network.topology", "torus:0x4", "my.yaml:3", "topology \"torus:0x4\""},
    {"network.topology", "no/such/file.yaml", "no/such/file.yaml", "network.topology"},
    {"network.changes", "npu0->npu9:fail", "my.yaml:3", "changes \"npu0->npu9:fail\""},
};

/* Who wrote it is named, or the file that is not there. */
START_TEST(blame)
{
    set("network.topology", "ring:4");
    set(bad[_i].key, bad[_i].text);
    ck_assert_int_ne(topology_resolve(&config, &notices, &diag), STATUS_OK);
    ck_assert_str_eq(diag.file, bad[_i].file);
    ck_assert_str_eq(diag.field, bad[_i].field);
}
END_TEST

/* A reader's guesses are told once, also to a list that is used again. */
START_TEST(notices_once)
{
    set("network.topology", "configs/examples/topologies/node.xml");
    resolve();
    size_t count = notices.count;
    ck_assert_uint_gt(count, 0);
    config_release(&config);
    config_init(&config);
    set("network.topology", "configs/examples/topologies/node.xml");
    resolve();
    ck_assert_uint_eq(notices.count, count);
}
END_TEST

/* Routes that are not used are no silent matter. */
START_TEST(routes_without_static_routing)
{
    set("network.topology", "ring:4");
    set("network.routes", "routes.txt");
    resolve();
    ck_assert_uint_eq(notices.count, 1);
    ck_assert_str_eq(notices.row[0].example, "routes.txt");
}
END_TEST

static Suite *resolve_suite(void)
{
    Suite *suite = suite_create("resolve");
    TCase *tcase = tcase_create("resolve");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, dimensions_come_from_the_fabric);
    tcase_add_test(tcase, the_backend_that_was_asked_for);
    tcase_add_test(tcase, astra_sims_backends_take_no_topology);
    tcase_add_test(tcase, without_links_nothing_happens);
    tcase_add_test(tcase, dimensions_become_a_fabric);
    tcase_add_test(tcase, changes_are_made);
    tcase_add_loop_test(tcase, blame, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tcase, notices_once);
    tcase_add_test(tcase, routes_without_static_routing);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(resolve_suite())
