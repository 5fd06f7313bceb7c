/* in_network: reductions in switches take what their formulas say, and carry what they must. */
#include "tests/unit/mini.h"

#include "config/algorithm_name.h"
#include "net/topology/resolve.h"

enum { BYTES = 400000 };

/* One collective on all ranks of a topology, at `backend`. */
static struct mini *job(const char *topology, enum net_backend backend, const char *algorithm,
                        enum algorithm_slot slot, enum collective_kind kind)
{
    struct mini *mini = mini_new();
    mini->config.network.topology = topology;
    mini->config.network.backend = backend;
    mini->config.network.whole_ns = mini->config.system.whole_ns = false;
    mini->config.system.endpoint_delay_ns = 0;
    config_note(&mini->config, "network.backend", "test", "set");
    ck_assert_msg(topology_resolve(&mini->config, NULL, &mini->diag) == STATUS_OK, "%s",
                  mini->diag.message);
    struct algorithm_list *list = &mini->config.system.algorithm[slot];
    list->count = 1;
    ck_assert(algorithm_parse(algorithm, &list->choice[0]));
    list->one_name = !list->choice[0].flat;
    ck_assert_msg(config_finish(&mini->config, &mini->result.notices, &mini->diag) == STATUS_OK,
                  "%s", mini->diag.message);
    mini_collective(mini, mini_trace_new(mini), -1, kind, BYTES);
    return mini;
}

/*
 * 100 B/ns and 250 ns a link. On a switch heads go up while data follows, so data is one time on
 * the wire: 2 x 250 ns + bytes / 100; through a leaf and a spine 4 x 250 ns. All-reduce: 400,000 B
 * up and down, 4000 ns. All-gather: 4 x 400,000 B come down, 16,000 ns. Reduce-scatter of 4:
 * 100,000 B come down, but not before all has gone up: 4000 ns and the part's last hop, which
 * streams behind it.
 */
static const struct {
    const char *topology;
    enum algorithm_slot slot;
    enum collective_kind kind;
    uint64_t ns;
    uint64_t sent_bytes; /* by all ranks */
} rows[] = {
    {"switch:4,bw=100GB/s,lat=250ns", SLOT_ALL_REDUCE, COLL_ALL_REDUCE, 4500, 4 * BYTES},
    {"leafspine:2x2,bw=100GB/s,lat=250ns", SLOT_ALL_REDUCE, COLL_ALL_REDUCE, 5000, 4 * BYTES},
    {"switch:4,bw=100GB/s,lat=250ns", SLOT_ALL_GATHER, COLL_ALL_GATHER, 16500, 4 * BYTES},
    {"switch:4,bw=100GB/s,lat=250ns", SLOT_REDUCE_SCATTER, COLL_REDUCE_SCATTER, 4500, 4 * BYTES},
};

static const enum net_backend backends[] = {NET_ANALYTICAL, NET_FLOW, NET_LINK};

START_TEST(closed_forms)
{
    for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
        struct mini *mini =
            job(rows[_i].topology, backends[b], "nvls", rows[_i].slot, rows[_i].kind);
        ck_assert_msg(mini_run(mini) == STATUS_OK, "%s", mini->diag.message);
        for (uint32_t r = 0; r < 4; r++)
            ck_assert_msg(mini_finish_ns(mini, r) == rows[_i].ns, "%s, backend %d: rank %u at %lu",
                          rows[_i].topology, backends[b], r,
                          (unsigned long)mini_finish_ns(mini, r));
        ck_assert_uint_eq((uint64_t)mini->result.bytes_sent, rows[_i].sent_bytes);
        ck_assert_uint_eq((uint64_t)mini->result.bytes_delivered, rows[_i].sent_bytes);
        mini_free(mini);
    }
}
END_TEST

/* Every link of the switch carries the data once each way: 400,000 B in 4000 ns. */
START_TEST(links_carry_it_once)
{
    struct mini *mini =
        job("switch:4,bw=100GB/s,lat=250ns", NET_LINK, "nvls", SLOT_ALL_REDUCE, COLL_ALL_REDUCE);
    ck_assert_int_eq(mini_run(mini), STATUS_OK);
    ck_assert_uint_eq(mini->result.link_count, 8);
    for (uint32_t l = 0; l < 8; l++) {
        ck_assert_double_eq_tol(mini->result.link[l].bytes, BYTES, 1e-6);
        ck_assert_double_eq_tol(mini->result.link[l].busy_ns, 4000, 1e-6);
    }
    mini_free(mini);
}
END_TEST

/* The member that comes last is waited for: 10 us of compute on rank 2. */
START_TEST(the_last_member_decides)
{
    struct mini *mini =
        job("switch:4,bw=100GB/s,lat=250ns", NET_FLOW, "nvls", SLOT_ALL_REDUCE, COLL_ALL_REDUCE);
    uint32_t late = mini_trace_new(mini);
    mini_compute(mini, late, -1, 10000);
    mini_collective(mini, late, 0, COLL_ALL_REDUCE, BYTES);
    mini->of_rank[2] = late;
    ck_assert_msg(mini_run(mini) == STATUS_OK, "%s", mini->diag.message);
    for (uint32_t r = 0; r < 4; r++)
        ck_assert_uint_eq(mini_finish_ns(mini, r), 14500);
    mini_free(mini);
}
END_TEST

static const struct {
    const char *topology, *message;
    enum net_backend backend;
} bad[] = {
    {"torus:2x2", "no switch joins the ranks", NET_FLOW},
    {"ring:4", "no switch joins the ranks", NET_LINK},
};

START_TEST(needs_switches)
{
    struct mini *mini =
        job(bad[_i].topology, bad[_i].backend, "nvls:flat", SLOT_ALL_REDUCE, COLL_ALL_REDUCE);
    ck_assert_int_eq(mini_run(mini), STATUS_BAD_CONFIG);
    ck_assert_msg(strstr(mini->diag.message, bad[_i].message) != NULL, "%s", mini->diag.message);
    mini_free(mini);
}
END_TEST

static Suite *in_network_suite(void)
{
    Suite *suite = suite_create("in_network");
    TCase *tcase = tcase_create("in_network");
    tcase_add_loop_test(tcase, closed_forms, 0, sizeof rows / sizeof *rows);
    tcase_add_test(tcase, links_carry_it_once);
    tcase_add_test(tcase, the_last_member_decides);
    tcase_add_loop_test(tcase, needs_switches, 0, sizeof bad / sizeof *bad);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(in_network_suite())
