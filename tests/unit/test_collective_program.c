/*
 * The tools that programs are made with: builder, lanes, relabelling, and what is left of a program
 * when hand-overs take no time (essence).
 */
#include "tests/unit/unit.h"

#include "net/collective/essence.h"
#include "net/collective/lanes.h"
#include "net/collective/request.h"

static struct arena arena;

static void set_up(void)
{
    arena_init(&arena);
}

static void tear_down(void)
{
    arena_release(&arena);
}

/* begin -> send -> receive, add -> send; the first send is done when it leaves. */
static void build(struct program *program, bool until_arrival)
{
    struct schedule_request request = {.n = 3, .dim_count = 1, .dim = {3}, .is_described = true};
    struct lanes lanes;
    lanes_open(&lanes, &request, 100, 0, &arena, program); /* no room: it grows */
    uint32_t last = lanes_begin(&lanes, 2);
    lanes_carry(&lanes, 4, 1);
    lanes_carry(&lanes, 5, 1); /* lies together with the one before */
    lanes_carry(&lanes, 1, 1);
    uint32_t sent = lanes_send(&lanes, last, 1, 7);
    if (until_arrival)
        lanes_until_arrival(&lanes, sent);
    last = lanes_recv(&lanes, sent, 2, 3, 3, true);
    lanes_carry(&lanes, 0, 1);
    lanes_send(&lanes, last, 1, 8);
    lanes_close(&lanes);
}

START_TEST(lanes_count_bytes_and_ranges)
{
    struct program program;
    build(&program, false);
    ck_assert_uint_eq(program.count, 5);
    ck_assert_uint_eq(program.step[0].bytes, 200);
    ck_assert_uint_eq(program.step[1].bytes, 300);
    ck_assert_uint_eq(program.data[1].range_count, 2);
    ck_assert_uint_eq(program.range[0].first, 4);
    ck_assert_uint_eq(program.range[0].count, 2);
    ck_assert_uint_eq(program.range[1].first, 1);
    ck_assert_int_eq(program.data[2].effect, DATA_COMBINE);
    ck_assert(program.step[3].reduce);
    ck_assert_uint_eq(program.slot_count, 4);
    ck_assert_uint_eq(program.recv_of_slot[3], 2);
    ck_assert_uint_eq(program.recv_of_slot[0], NO_STEP);
    ck_assert_uint_eq(program.send_count, 2);
    ck_assert_uint_eq(program.send[0].slot, 7);
    ck_assert_uint_eq(program.send[1].step, 4);
    program.step[1].slot = 9; /* slots that are given later */
    program_index_slots(&program, &arena);
    ck_assert_uint_eq(program.send[0].step, 4);
}
END_TEST

/* What the second send waits for: all kept: the reduction; else the receive, and through it the
 * first send if that is done at its arrival only. */
START_TEST(essence_leaves_out_what_takes_no_time)
{
    struct program program;
    struct essence essence;
    build(&program, false);
    essence_of(&program, true, &arena, &essence);
    ck_assert_uint_eq(essence.recv[3], 2);
    ck_assert_uint_eq(essence.first[5] - essence.first[4], 1);
    ck_assert_uint_eq(essence.need[essence.first[4]], 3);
    ck_assert_uint_eq(essence.need[essence.first[2]], 1);
    essence_of(&program, false, &arena, &essence);
    ck_assert_uint_eq(essence.need[essence.first[4]], 2);
    ck_assert_uint_eq(essence.first[3] - essence.first[2], 0);
    build(&program, true);
    essence_of(&program, false, &arena, &essence);
    ck_assert_uint_eq(essence.first[3] - essence.first[2], 1);
    ck_assert_uint_eq(essence.need[essence.first[2]], 1);
}
END_TEST

START_TEST(relabelling_follows_the_symmetry)
{
    struct schedule_request request = {.n = 12, .dim_count = 2, .dim = {3, 4}};
    ck_assert_uint_eq(schedule_relabel(&request, SYMMETRY_NONE, 5, 7), 7);
    ck_assert_uint_eq(schedule_relabel(&request, SYMMETRY_XOR, 5, 3), 6);
    ck_assert_uint_eq(schedule_relabel(&request, SYMMETRY_CYCLE, 5, 9), 2);
    /* (2, 1) and (1, 3): (0, 0) */
    ck_assert_uint_eq(schedule_relabel(&request, SYMMETRY_SHIFT, 2 + 3, 1 + 9), 0);
    ck_assert_uint_eq(schedule_relabel(&request, SYMMETRY_SHIFT, 2 + 3, PEER_RAIL), PEER_RAIL);
    for (uint32_t p = 0; p < 12; p++)
        ck_assert_uint_eq(schedule_relabel(&request, SYMMETRY_SHIFT, p, 0), p);
}
END_TEST

START_TEST(members_of_switches)
{
    struct schedule_request request = {.n = 12, .dim_count = 2, .dim = {3, 4}};
    struct network_members members = schedule_members(&request, PEER_DOMAIN, 7);
    ck_assert_uint_eq(members.first, 6);
    ck_assert_uint_eq(members.stride, 1);
    ck_assert_uint_eq(members.count, 3);
    members = schedule_members(&request, PEER_RAIL, 7);
    ck_assert_uint_eq(members.first, 1);
    ck_assert_uint_eq(members.stride, 3);
    ck_assert_uint_eq(members.count, 4);
    ck_assert_uint_eq(schedule_members(&request, PEER_NETWORK, 7).count, 12);
}
END_TEST

/* 1000 bytes of 3 positions in 2 parts each: 167 bytes a piece; all-gather 500 a piece. */
START_TEST(data_is_cut_into_equal_pieces)
{
    struct schedule_request request = {.kind = COLL_ALL_REDUCE, .n = 3, .bytes = 1000};
    struct schedule cut = {0};
    request_cut_blocks(&request, 2, &cut);
    ck_assert_uint_eq(cut.pieces, 6);
    ck_assert_uint_eq(cut.piece_bytes, 167);
    ck_assert_uint_eq(cut.final_bytes, 1000);
    request.kind = COLL_ALL_GATHER;
    request_cut_blocks(&request, 2, &cut);
    ck_assert_uint_eq(cut.piece_bytes, 500);
    ck_assert_uint_eq(cut.final_bytes, 3000);
    request.kind = COLL_REDUCE_SCATTER;
    request_cut_blocks(&request, 2, &cut);
    ck_assert_uint_eq(cut.final_bytes, 334);
    request.kind = COLL_ALL_TO_ALL;
    request_cut_blocks(&request, 1, &cut);
    ck_assert_uint_eq(cut.pieces, 9);
    ck_assert_uint_eq(cut.piece_bytes, 334);
    request.kind = COLL_BROADCAST;
    request_cut_whole(&request, 7, &cut);
    ck_assert_uint_eq(cut.piece_bytes, 143);
    ck_assert_uint_eq(request_chunks(&request, 1), 1);
    ck_assert_uint_eq(request_chunks(&request, (512 << 10) + 1), 2);
    ck_assert_uint_eq(request_chunks(&request, 1ull << 40), 64);
}
END_TEST

/* Rings over domains that are meshes: each position sends as much to every other of its domain as
 * over its NIC. */
START_TEST(rings_use_every_link_of_a_mesh)
{
    struct schedule_request request = {.kind = COLL_ALL_GATHER,
                                       .n = 16,
                                       .bytes = 1600,
                                       .dim_count = 2,
                                       .dim = {8, 2},
                                       .is_mesh = true};
    const struct collective_ops *rings = collective_algorithms[ALG_MULTI_RING];
    struct schedule schedule;
    rings->plan(&request, &arena, &schedule);
    for (uint32_t p = 0; p < request.n; p++) {
        struct program program;
        uint32_t messages[16] = {0}, abroad = 0;
        rings->program(&request, &schedule, p, &arena, &program);
        for (uint32_t s = 0; s < program.count; s++) {
            if (program.step[s].op == STEP_SEND)
                messages[schedule_relabel(&request, SYMMETRY_NONE, p, program.step[s].peer)]++;
        }
        for (uint32_t q = 0; q < request.n; q++) {
            if (q / 8 != p / 8)
                abroad += messages[q];
            else
                ck_assert_uint_eq(messages[q], q == p ? 0 : 15);
        }
        ck_assert_uint_eq(abroad, 15);
    }
}
END_TEST

static Suite *program_suite(void)
{
    Suite *suite = suite_create("collective_program");
    TCase *tcase = tcase_create("program");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, lanes_count_bytes_and_ranges);
    tcase_add_test(tcase, essence_leaves_out_what_takes_no_time);
    tcase_add_test(tcase, relabelling_follows_the_symmetry);
    tcase_add_test(tcase, members_of_switches);
    tcase_add_test(tcase, data_is_cut_into_equal_pieces);
    tcase_add_test(tcase, rings_use_every_link_of_a_mesh);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(program_suite())
