/* laboratory: a table of one collective against closed forms, and what is said of what cannot
 * run. */
#define _POSIX_C_SOURCE 200809L
#include "run/laboratory.h"

#include <string.h>

#include "report/lab_report.h"
#include "tests/unit/unit.h"

static struct lab lab;
static struct diag diag;

static void set_up(void)
{
    lab_init(&lab);
    diag = DIAG_NONE;
}

static void tear_down(void)
{
    lab_release(&lab);
}

static const enum net_backend all_fidelities[] = {NET_IDEAL, NET_ANALYTICAL, NET_FLOW, NET_LINK};
static const char *const ring_only[] = {"ring", NULL};
static const struct lab_setting ring_of_4[] = {{"network.topology", "ring:4,bw=10GB/s,lat=100ns"}};

static struct lab_request request_of(enum collective_kind kind, uint64_t bytes)
{
    return (struct lab_request){.kind = kind,
                                .bytes = bytes,
                                .algorithm = ring_only,
                                .fidelity = all_fidelities,
                                .fidelity_count = 4,
                                .setting = ring_of_4,
                                .setting_count = 1};
}

/*
 * A ring of 4 at 10 GB/s, 4000 B as nccl-tests counts them: messages of 1000 B take 100 + 100 ns, 3
 * of them one after the other, 6 for all-reduce. Each rank's two links inject 20 GB/s, so the bound
 * is one latency and 3000 or 6000 B at 20 B/ns: 250 or 400 ns.
 */
static const struct {
    enum collective_kind kind;
    uint32_t steps;
    time_ps time_ps, bound_ps;
} rows[] = {
    {COLL_ALL_REDUCE, 6, 1200000, 400000},
    {COLL_ALL_GATHER, 3, 600000, 250000},
    {COLL_REDUCE_SCATTER, 3, 600000, 250000},
};

START_TEST(closed_form_at_every_fidelity)
{
    struct lab_request request = request_of(rows[_i].kind, 4000);
    ck_assert_msg(lab_run(&lab, &request, NULL, &diag) == STATUS_OK, "%s", diag.message);
    ck_assert_uint_eq(lab.ranks, 4);
    ck_assert_double_eq_tol(lab.injection_Bps, 20e9, 1);
    ck_assert_uint_eq(lab.bound_ps, rows[_i].bound_ps);
    ck_assert_uint_eq(lab.row_count, 1);
    const struct lab_row *row = &lab.row[0];
    ck_assert_uint_eq(row->steps, rows[_i].steps);
    ck_assert_double_eq_tol(row->messages_per_rank, rows[_i].steps, 1e-9);
    ck_assert_double_eq_tol(row->bytes_per_rank, 1000.0 * rows[_i].steps, 1e-6);
    ck_assert_double_eq_tol(row->most_link_bytes, 1000.0 * rows[_i].steps, 1e-6);
    /* Only ideal's port is both links together: 100 + 50 ns. */
    ck_assert_uint_eq(row->time_ps[0], rows[_i].time_ps / 4 * 3);
    for (uint32_t f = 1; f < 4; f++)
        ck_assert_uint_eq(row->time_ps[f], rows[_i].time_ps);
}
END_TEST

/* nccl-tests' PERFORMANCE.md: all-reduce 2 (n - 1) / n, the others (n - 1) / n, rooted 1. */
START_TEST(bus_factors)
{
    ck_assert_double_eq_tol(lab_bus_factor(COLL_ALL_REDUCE, 8), 1.75, 1e-12);
    ck_assert_double_eq_tol(lab_bus_factor(COLL_ALL_GATHER, 8), 0.875, 1e-12);
    ck_assert_double_eq_tol(lab_bus_factor(COLL_REDUCE_SCATTER, 8), 0.875, 1e-12);
    ck_assert_double_eq_tol(lab_bus_factor(COLL_ALL_TO_ALL, 8), 0.875, 1e-12);
    ck_assert_double_eq_tol(lab_bus_factor(COLL_BROADCAST, 8), 1, 1e-12);
    ck_assert_double_eq_tol(lab_bus_factor(COLL_REDUCE, 8), 1, 1e-12);
    ck_assert_double_eq_tol(lab_bus_factor(COLL_BARRIER, 8), 0, 1e-12);
}
END_TEST

static const struct lab_row *row_of(const char *algorithm)
{
    for (uint32_t i = 0; i < lab.row_count; i++) {
        if (strcmp(lab.row[i].algorithm, algorithm) == 0)
            return &lab.row[i];
    }
    return NULL;
}

/* All algorithms: those of another kind are no rows, those that cannot run here say why. */
START_TEST(all_algorithms)
{
    struct lab_request request = request_of(COLL_ALL_REDUCE, 4000);
    static const struct lab_setting ring_of_6[] = {{"network.topology", "ring:6"}};
    request.algorithm = NULL;
    request.setting = ring_of_6;
    request.fidelity_count = 1;
    ck_assert_msg(lab_run(&lab, &request, NULL, &diag) == STATUS_OK, "%s", diag.message);
    ck_assert_ptr_nonnull(row_of("ring"));
    ck_assert_ptr_null(row_of("ring")->reason);
    ck_assert_ptr_null(row_of("bruck"));
    ck_assert_ptr_null(row_of("auto"));
    ck_assert_ptr_nonnull(row_of("swing"));
    ck_assert_ptr_nonnull(strstr(row_of("swing")->reason, "power"));
}
END_TEST

/* 6.7e7 messages: at `flow` one rank stands for all; at `ideal` messages meet in a port at one
 * time, in an order that is not every rank's, and all of them one by one are too many. */
START_TEST(too_many_one_by_one)
{
    static const struct lab_setting wide[] = {{"network.topology", "switch:8*switch:1024"}};
    static const char *const multiport[] = {"torus-bucket-multiport", NULL};
    static const enum net_backend fidelity[] = {NET_FLOW, NET_IDEAL};
    struct lab_request request = request_of(COLL_ALL_REDUCE, 1 << 30);
    request.algorithm = multiport;
    request.setting = wide;
    request.fidelity = &fidelity[_i];
    request.fidelity_count = 1;
    enum status status = lab_run(&lab, &request, NULL, &diag);
    ck_assert_int_eq(status, _i ? STATUS_NO_MEMORY : STATUS_OK);
    if (_i) {
        ck_assert_ptr_nonnull(strstr(diag.message, "no rank can stand for others: a tie"));
        ck_assert_str_eq(diag.field, "torus-bucket-multiport at ideal");
    }
}
END_TEST

/* What stops every algorithm is in the request, and no table of empty rows. */
START_TEST(nothing_can_run)
{
    struct lab_request request = request_of(COLL_ALL_TO_ALL, 4000);
    static const struct lab_setting bad_sizes[] = {{"network.topology", "full:4"},
                                                   {"system.all-to-all-sizes", "zipf:nan"}};
    request.algorithm = NULL;
    request.setting = bad_sizes;
    request.setting_count = 2;
    ck_assert_int_eq(lab_run(&lab, &request, NULL, &diag), STATUS_BAD_CONFIG);
    ck_assert_ptr_nonnull(strstr(diag.message, "zipf:nan"));
}
END_TEST

START_TEST(kinds_of_algorithms)
{
    struct lab_request request = request_of(COLL_REDUCE_SCATTER_BLOCK, 4000);
    ck_assert(lab_is_of_kind(&request, "ring"));
    ck_assert(!lab_is_of_kind(&request, "bruck"));
    ck_assert(!lab_is_of_kind(&request, "auto"));    /* no library */
    ck_assert(lab_is_of_kind(&request, "nonsense")); /* said when it is run */
}
END_TEST

static const struct {
    const char *algorithm, *topology, *message;
} bad[] = {
    {"rings", "ring:4", "unknown algorithm"},
    {"ring,ring", "ring:4", "2"},
    {"ring", "torus:0", "sizes must be 1 or more"},
    {"swing", "ring:6", "power"},
};

/* What was named must run. */
START_TEST(bad_requests)
{
    struct lab_request request = request_of(COLL_ALL_REDUCE, 4000);
    const char *const name[] = {bad[_i].algorithm, NULL};
    const struct lab_setting setting[] = {{"network.topology", bad[_i].topology}};
    request.algorithm = name;
    request.setting = setting;
    ck_assert_int_eq(lab_run(&lab, &request, NULL, &diag), STATUS_BAD_CONFIG);
    ck_assert_msg(strstr(diag.message, bad[_i].message) != NULL, "%s", diag.message);
}
END_TEST

/* -- the report ------------------------------------------------------------------------------- */

static char *report_as(const char *name)
{
    const struct lab_format *format = lab_formats;
    while (strcmp(format->name, name) != 0)
        format++;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    format->write(&lab, out);
    fclose(out);
    return text;
}

/* all-gather of 4000 B in 600 ns: 4000 x 3/4 / 600 ns = 5 GB/s on the bus; 250 / 600 of the
 * bound. */
START_TEST(reports)
{
    struct lab_request request = request_of(COLL_ALL_GATHER, 4000);
    request.fidelity = all_fidelities + 1;
    request.fidelity_count = 2;
    ck_assert_int_eq(lab_run(&lab, &request, NULL, &diag), STATUS_OK);
    char *text = report_as("csv");
    ck_assert_str_eq(text,
                     "# orrery.collective/1\n"
                     "collective,bytes,ranks,algorithm,steps,fidelity,time_ps,"
                     "bus_bandwidth_Bps,injected_bytes_per_rank,busiest_link_bytes,bound_ps\n"
                     "all-gather,4000,4,\"ring\",3,analytical,600000,5000000000,3000,3000,"
                     "250000\n"
                     "all-gather,4000,4,\"ring\",3,flow,600000,5000000000,3000,3000,250000\n");
    free(text);
    text = report_as("text");
    ck_assert_ptr_nonnull(strstr(text, "4 ranks, 20.00 GB/s injection per rank"));
    ck_assert_ptr_nonnull(strstr(text, "600.0 ns  600.0 ns        5.00    41.7 %"));
    free(text);
    text = report_as("json");
    ck_assert_ptr_nonnull(strstr(text, "\"time_ps\": {\"analytical\": 600000, \"flow\": 600000}"));
    free(text);
}
END_TEST

static Suite *laboratory_suite(void)
{
    Suite *suite = suite_create("laboratory");
    TCase *tcase = tcase_create("laboratory");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, closed_form_at_every_fidelity, 0, sizeof rows / sizeof *rows);
    tcase_add_test(tcase, bus_factors);
    tcase_add_test(tcase, all_algorithms);
    tcase_add_test(tcase, nothing_can_run);
    tcase_add_loop_test(tcase, too_many_one_by_one, 0, 2);
    tcase_add_test(tcase, kinds_of_algorithms);
    tcase_add_loop_test(tcase, bad_requests, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tcase, reports);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(laboratory_suite())
