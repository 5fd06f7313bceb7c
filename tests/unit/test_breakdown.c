/* breakdown: an observer told by hand; where a rank's time goes, and what collectives cost. */
#include "stats/breakdown.h"

#include <string.h>

#include "tests/unit/unit.h"

static struct breakdown books;
static struct run_result result;

static void open_books(uint32_t ranks, uint32_t groups)
{
    ck_assert(breakdown_init(&books, ranks, groups));
    result_init(&result);
    static const uint32_t class_of_rank[] = {0, 1, 2, 3};
    result.rank_count = ranks;
    result.class_of_rank = class_of_rank;
}

static void close_books(void)
{
    breakdown_release(&books);
    result_release(&result);
}

/* -- time ----------------------------------------------------------------------------------- */

static uint32_t begin(enum activity activity, int kind, const time_ps *peers_ps, time_ps now)
{
    return breakdown_observer.op_begin(&books, 0, activity, kind, peers_ps, now);
}

static void end(uint32_t handle, enum op_type type, time_ps now)
{
    breakdown_observer.op_end(&books, 0, handle, type, now);
}

/*
 * ps   0  10  20  30  40  50  60  70  80  90
 * C    ########                               compute 0-20
 * A        ################                   all-reduce 10-50, all peers there at 35
 * S                    ########               send 40-60
 * M                                ####       memory 70-80
 * H                                ######     host 70-85; until 90 nothing
 * Compute 20, and 10 of the all-reduce under it. From 20 to 35 it waits, to 50 it is exposed; the
 * send, which came after, has 50-60. 60-70 and 85-90 idle; memory comes before host: 10 and 5.
 */
START_TEST(each_moment_once)
{
    open_books(1, 1);
    time_ps there = 35, at_once = 0;
    uint32_t compute = begin(ACTIVITY_COMPUTE, 0, NULL, 0);
    uint32_t reduce = begin(ACTIVITY_COMM, COLL_ALL_REDUCE, &there, 10);
    end(compute, OP_COMPUTE, 20);
    uint32_t send = begin(ACTIVITY_COMM, COMM_SEND, &at_once, 40);
    end(reduce, OP_COLLECTIVE, 50);
    end(send, OP_SEND, 60);
    uint32_t memory = begin(ACTIVITY_MEMORY, 0, NULL, 70);
    uint32_t host = begin(ACTIVITY_HOST, 0, NULL, 70);
    end(memory, OP_MEM_LOAD, 80);
    end(host, OP_HOST_WORK, 85);
    breakdown_observer.rank_end(&books, 0, 20, 90);
    breakdown_fill(&books, &result);
    const struct rank_result *rank = result_rank(&result, 0);
    ck_assert_uint_eq(rank->compute_ps, 20);
    ck_assert_uint_eq(rank->overlapped_ps[COLL_ALL_REDUCE], 10);
    ck_assert_uint_eq(rank->waiting_ps, 15);
    ck_assert_uint_eq(rank->exposed_ps[COLL_ALL_REDUCE], 15);
    ck_assert_uint_eq(rank->exposed_ps[COMM_SEND], 10);
    ck_assert_uint_eq(rank->memory_ps, 10);
    ck_assert_uint_eq(rank->host_ps, 5);
    ck_assert_uint_eq(rank->idle_ps, 15);
    ck_assert_uint_eq(rank_result_sum(rank), 90);
    ck_assert_uint_eq(rank->nodes[OP_COLLECTIVE], 1);
    ck_assert(rank->finished);
    close_books();
}
END_TEST

/* -- collectives ---------------------------------------------------------------------------- */

static const uint32_t members[] = {0, 1, 2, 3};
static const struct comm_group four = {"tp", members, 4, true}, pair = {"tp", members, 2, false};

static struct collective_record record_of(enum collective_kind kind, uint64_t bytes)
{
    return (struct collective_record){.kind = kind,
                                      .group = &four,
                                      .groups = 1,
                                      .algorithm = "ring",
                                      .size_bytes = bytes,
                                      .first_arrival_ps = 1000,
                                      .last_arrival_ps = 3000,
                                      .last_end_ps = 1003000};
}

static void tell(const struct collective_record *record)
{
    breakdown_observer.collective_end(&books, record);
}

/*
 * As PERFORMANCE.md of nccl-tests defines them, 4 ranks, 1,000 bytes of each in 1 us: the operation
 * is 1 kB (1 GB/s), of gathers and scatters, whose bytes are one rank's piece, 4 kB. On the bus
 * 2 x 3/4 of an all-reduce, 3/4 of what each rank sends to or has from others, all of a broadcast.
 */
static const struct {
    enum collective_kind kind;
    double algorithm_Bps, bus_Bps;
} rates[] = {
    {COLL_ALL_REDUCE, 1e9, 1.5e9}, {COLL_REDUCE_SCATTER, 1e9, 0.75e9},
    {COLL_ALL_GATHER, 4e9, 3e9},   {COLL_GATHER, 4e9, 3e9},
    {COLL_SCATTER, 4e9, 3e9},      {COLL_ALL_TO_ALL, 1e9, 0.75e9},
    {COLL_BROADCAST, 1e9, 1e9},    {COLL_REDUCE, 1e9, 1e9},
    {COLL_BARRIER, 0, 0},
};

START_TEST(rates_of_kinds)
{
    open_books(4, 1);
    struct collective_record record = record_of(rates[_i].kind, 1000);
    tell(&record);
    breakdown_fill(&books, &result);
    ck_assert_uint_eq(result.collective_count, 1);
    ck_assert_double_eq_tol(result.collective[0].algorithm_Bps, rates[_i].algorithm_Bps, 1);
    ck_assert_double_eq_tol(result.collective[0].bus_Bps, rates[_i].bus_Bps, 1);
    close_books();
}
END_TEST

/* Of 1,000 bytes a rank sends 900 to others on average: 0.9 GB/s, not 0.75. */
START_TEST(uneven_all_to_all)
{
    open_books(4, 1);
    struct collective_record record = record_of(COLL_ALL_TO_ALL, 1000);
    record.uneven_bytes = 900;
    tell(&record);
    breakdown_fill(&books, &result);
    ck_assert_double_eq_tol(result.collective[0].algorithm_Bps, 1e9, 1);
    ck_assert_double_eq_tol(result.collective[0].bus_Bps, 0.9e9, 1);
    close_books();
}
END_TEST

/* A custom schedule does not move what the collective's size says: no rate. */
START_TEST(sizes_of_their_own)
{
    open_books(4, 1);
    struct collective_record record = record_of(COLL_ALL_REDUCE, 1000);
    record.moves_own_sizes = true;
    tell(&record);
    breakdown_fill(&books, &result);
    ck_assert_double_eq(result.collective[0].algorithm_Bps, 0);
    ck_assert_double_eq(result.collective[0].bus_Bps, 0);
    ck_assert_double_eq(result.collective[0].bytes, 1000);
    close_books();
}
END_TEST

/*
 * Three of 1 us (a record of three groups, in a folded run) and one of 3 us on 4 ranks: 6 us, mean
 * 1.5, least 1, most 3; skew 3 x 2 ns + 0. 3 x 1,000 + 9,000 B in 6 us: 2 GB/s. A group of two is a
 * row of its own, before the larger one.
 */
START_TEST(rows)
{
    open_books(4, 3);
    struct collective_record record = record_of(COLL_ALL_REDUCE, 1000);
    record.groups = 3;
    tell(&record);
    record = record_of(COLL_ALL_REDUCE, 9000);
    record.first_arrival_ps = record.last_arrival_ps;
    record.last_end_ps += 2000000;
    tell(&record);
    record = record_of(COLL_ALL_REDUCE, 1);
    record.group = &pair;
    record.group_index = 1;
    tell(&record);
    record.group_index = 2;
    tell(&record);
    breakdown_fill(&books, &result);
    ck_assert_uint_eq(result.collective_count, 2);
    ck_assert_uint_eq(result.collective[0].group_size, 2);
    const struct collective_row *row = &result.collective[1];
    ck_assert_uint_eq(row->count, 4);
    ck_assert_uint_eq(row->time_ps, 6000000);
    ck_assert_uint_eq(row->least_ps, 1000000);
    ck_assert_uint_eq(row->most_ps, 3000000);
    ck_assert_uint_eq(row->skew_ps, 6000);
    ck_assert_double_eq(row->bytes, 12000);
    ck_assert_double_eq_tol(row->algorithm_Bps, 2e9, 1);
    ck_assert_double_eq_tol(row->bus_Bps, 3e9, 1);
    /* Both groups of two have the name of the first, but not its size. */
    ck_assert_uint_eq(result.group_count, 2);
    ck_assert_uint_eq(result.group[0].groups, 1);
    ck_assert_uint_eq(result.group[0].collectives, 2);
    ck_assert_uint_eq(result.group[1].groups, 2);
    ck_assert_uint_eq(result.group[1].collectives, 2);
    ck_assert_uint_eq(result.group[1].time_ps, 2000000);
    ck_assert_double_eq(result.group[1].bytes, 2);
    close_books();
}
END_TEST

static Suite *breakdown_suite(void)
{
    Suite *suite = suite_create("breakdown");
    TCase *all = tcase_create("all");
    tcase_add_test(all, each_moment_once);
    tcase_add_loop_test(all, rates_of_kinds, 0, sizeof rates / sizeof *rates);
    tcase_add_test(all, uneven_all_to_all);
    tcase_add_test(all, sizes_of_their_own);
    tcase_add_test(all, rows);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(breakdown_suite())
