/* lab_bound: the least time of a collective, by hand. */
#include "run/lab_bound.h"

#include <string.h>

#include "config/settings.h"
#include "net/topology/fabric.h"
#include "net/topology/resolve.h"
#include "tests/unit/config_bench.h"
#include "tests/unit/temp_file.h"

static struct lab lab;
static struct lab_request request;

static void set(const char *key, const char *text)
{
    ck_assert_int_eq(setting_set_text(&config, setting_find(key), text, "test", &notices, &diag),
                     STATUS_OK);
}

static enum status bound_of(const char *topology, enum collective_kind kind, uint64_t bytes)
{
    lab_init(&lab);
    set("network.topology", topology);
    ck_assert_msg(topology_resolve(&config, &notices, &diag) == STATUS_OK, "%s", diag.message);
    request = (struct lab_request){.kind = kind, .bytes = bytes};
    lab.request = &request;
    lab.ranks = config.network.npu_count;
    return lab_bound(&lab, &config, &diag);
}

/* 4000 B on four ranks: 3/4 of it, or twice that, through all links of a rank, after one latency.
 * Switches have one link of 10 B/ns, tori of two rings four. */
static const struct {
    const char *topology;
    enum collective_kind kind;
    double injection_Bps;
    time_ps bound_ps;
} rows[] = {
    {"switch:4,bw=10GB/s,lat=100ns", COLL_ALL_GATHER, 10e9, 400000},
    {"switch:4,bw=10GB/s,lat=100ns", COLL_ALL_REDUCE, 10e9, 700000},
    {"switch:4,bw=10GB/s,lat=100ns", COLL_BROADCAST, 10e9, 500000},
    {"switch:4,bw=10GB/s,lat=100ns", COLL_BARRIER, 10e9, 100000},
    {"ring:4,bw=10GB/s,lat=100ns", COLL_ALL_GATHER, 20e9, 250000},
    {"torus:2x2,bw=10GB/s,lat=100ns", COLL_ALL_GATHER, 20e9, 250000},
    {"switch:4,bw=10GB/s,lat=100ns", COLL_REDUCE_SCATTER_BLOCK, 10e9, 400000},
    {"switch:4,bw=10GB/s,lat=100ns", COLL_ALL_TO_ALL, 10e9, 400000},
    {"switch:4,bw=10GB/s,lat=100ns", COLL_GATHER, 10e9, 400000},
    {"switch:4,bw=10GB/s,lat=100ns", COLL_SCATTER, 10e9, 400000},
    {"switch:4,bw=10GB/s,lat=100ns", COLL_REDUCE, 10e9, 500000},
    /* The slowest rank decides: the ends of a line have one link. */
    {"line:4,bw=10GB/s,lat=100ns", COLL_ALL_GATHER, 10e9, 400000},
    {"switch:1,bw=10GB/s,lat=100ns", COLL_ALL_GATHER, 0, 0}, /* alone: no link */
};

START_TEST(even)
{
    ck_assert_int_eq(bound_of(rows[_i].topology, rows[_i].kind, 4000), STATUS_OK);
    ck_assert_double_eq_tol(lab.injection_Bps, rows[_i].injection_Bps, 1);
    ck_assert_uint_eq(lab.bound_ps, rows[_i].bound_ps);
    lab_release(&lab);
}
END_TEST

/*
 * Unequal ranks: 4000 B on 4 ranks of 10 B/ns, rank 2 with a tenth of it, out, in or both ways
 * (a, b). What it must pass is its own 1000 B or the 3000 B of others, all 4000 B of broadcast,
 * reduce and all-reduce; the root of rooted kinds is rank 0, which passes 3000 or 4000 B.
 */
static const struct {
    enum collective_kind kind;
    double out_ns, in_ns; /* bound where the way out, or in, of rank 2 is slow */
} slow_rank[] = {
    {COLL_ALL_REDUCE, 4000, 4000},     {COLL_ALL_GATHER, 1000, 3000},
    {COLL_REDUCE_SCATTER, 3000, 1000}, {COLL_REDUCE_SCATTER_BLOCK, 3000, 1000},
    {COLL_ALL_TO_ALL, 3000, 3000},     {COLL_GATHER, 1000, 300},
    {COLL_SCATTER, 300, 1000},         {COLL_BROADCAST, 400, 4000},
    {COLL_REDUCE, 4000, 400},          {COLL_BARRIER, 0, 0},
};

START_TEST(one_slow_rank)
{
    static const char *const change[] = {"npu2->switch0:bw*0.1", "switch0->npu2:bw*0.1",
                                         "rank 2:bw*0.1"};
    double ns[] = {slow_rank[_i].out_ns, slow_rank[_i].in_ns, 0};
    ns[2] = ns[0] > ns[1] ? ns[0] : ns[1];
    for (int way = 0; way < 3; way++) {
        set("network.changes", change[way]);
        ck_assert_msg(bound_of("switch:4,bw=10GB/s,lat=100ns", slow_rank[_i].kind, 4000) ==
                          STATUS_OK,
                      "%s", diag.message);
        /* All together send (n - 1) buffers at 31 B/ns, twice that in all-reduce: less. */
        ck_assert_uint_eq(lab.bound_ps, (time_ps)(1000 * (100 + ns[way])));
        lab_release(&lab);
        tear_down();
        set_up();
    }
}
END_TEST

/* The root's links: what is gathered comes in, what is scattered goes out. */
START_TEST(slow_root)
{
    static const struct {
        enum collective_kind kind;
        const char *change;
        time_ps bound_ps;
    } cases[] = {{COLL_GATHER, "switch0->npu0:bw*0.1", 3100000},
                 {COLL_GATHER, "npu0->switch0:bw*0.1", 400000},
                 {COLL_SCATTER, "npu0->switch0:bw*0.1", 3100000},
                 {COLL_SCATTER, "switch0->npu0:bw*0.1", 400000},
                 {COLL_BROADCAST, "npu0->switch0:bw*0.1", 4100000},
                 {COLL_BROADCAST, "switch0->npu0:bw*0.1", 500000},
                 {COLL_REDUCE, "switch0->npu0:bw*0.1", 4100000},
                 {COLL_REDUCE, "npu0->switch0:bw*0.1", 500000}};
    set("network.changes", cases[_i].change);
    ck_assert_int_eq(bound_of("switch:4,bw=10GB/s,lat=100ns", cases[_i].kind, 4000), STATUS_OK);
    ck_assert_uint_eq(lab.bound_ps, cases[_i].bound_ps);
    lab_release(&lab);
}
END_TEST

/* 1125 kB on four ranks; rank 0 sends 3 x 3 of 18 parts of 4.5 MB, 2.25 MB at 50 GB/s. All of it
 * goes to others: that is what bus bandwidth counts. */
START_TEST(uneven_sender)
{
    const char *path = temp_file("0 3 3 3\n1 0 1 1\n1 1 0 1\n1 1 1 0\n");
    set("system.all-to-all-sizes", path);
    ck_assert_int_eq(bound_of("switch:4", COLL_ALL_TO_ALL, 1125000), STATUS_OK);
    ck_assert_uint_eq(lab.bound_ps, 45500000);
    ck_assert_double_eq_tol(lab.bus_bytes, 1125000, 1e-3);
    lab_release(&lab);
    unlink(path);
}
END_TEST

/* Weights 0 3 0 / 0 0 1 / 0 2 0 of 3 x 200 B: 100 B each. Rank 1 gets 300 + 200 B, the most that
 * anyone passes; in 10 B/ns that is 50 ns. */
START_TEST(uneven)
{
    const char *path = temp_file("0 3 0\n0 0 1\n0 2 0\n");
    set("system.all-to-all-sizes", path);
    ck_assert_msg(bound_of("switch:3,bw=10GB/s,lat=100ns", COLL_ALL_TO_ALL, 200) == STATUS_OK, "%s",
                  diag.message);
    ck_assert_uint_eq(lab.bound_ps, 150000);
    lab_release(&lab);
    unlink(path);
}
END_TEST

START_TEST(sizes_that_cannot_be_read)
{
    set("system.all-to-all-sizes", "no/such/file");
    ck_assert_int_ne(bound_of("switch:3", COLL_ALL_TO_ALL, 200), STATUS_OK);
    lab_release(&lab);
}
END_TEST

static Suite *lab_bound_suite(void)
{
    Suite *suite = suite_create("lab_bound");
    TCase *tcase = tcase_create("lab_bound");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, even, 0, sizeof rows / sizeof *rows);
    tcase_add_loop_test(tcase, one_slow_rank, 0, sizeof slow_rank / sizeof *slow_rank);
    tcase_add_loop_test(tcase, slow_root, 0, 8);
    tcase_add_test(tcase, uneven_sender);
    tcase_add_test(tcase, uneven);
    tcase_add_test(tcase, sizes_that_cannot_be_read);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(lab_bound_suite())
