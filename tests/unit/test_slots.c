/* Lanes of ready nodes, and streams as lanes of their own. */
#include "sched/slots.h"

#include "tests/unit/mini.h"

START_TEST(a_lane_gives_its_smallest_node_first)
{
    struct lane lane = {.slots_free = 1};
    uint32_t state = 1, last = 0;
    for (int i = 0; i < 1000; i++)
        lane_push(&lane, (state = state * 1664525 + 1013904223) >> 8);
    for (int i = 0; i < 1000; i++) {
        uint32_t node = lane_pop(&lane);
        ck_assert_uint_ge(node, last);
        last = node;
    }
    ck_assert_uint_eq(lane.count, 0);
    free(lane.node);
}
END_TEST

START_TEST(the_next_lane_has_a_free_slot_and_the_smallest_node)
{
    struct lane lane[3] = {{.slots_free = 0}, {.slots_free = 1}, {.slots_free = 1}};
    lane_push(&lane[0], 1);
    lane_push(&lane[1], 7);
    lane_push(&lane[2], 5);
    ck_assert_ptr_eq(lanes_next(lane, 3), &lane[2]);
    lane_pop(&lane[2]);
    ck_assert_ptr_eq(lanes_next(lane, 3), &lane[1]);
    lane[1].slots_free = 0;
    ck_assert_ptr_null(lanes_next(lane, 3));
    for (int i = 0; i < 3; i++)
        free(lane[i].node);
}
END_TEST

/* Two all-reduces of 6814 ns each (test_simulate.c) that do not wait for each other. */
static uint64_t two_collectives_ns(bool streams, int32_t first, int32_t second)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, 4, 1.0, 100.0);
    mini_algorithm(mini, ALG_RING, 0);
    mini_trace_new(mini);
    mini->config.system.active_chunks_per_dim = 2;
    mini->config.system.streams = streams;
    const int32_t stream[] = {first, second};
    for (int i = 0; i < 2; i++) {
        uint32_t node = mini_collective(mini, 0, -1, COLL_ALL_REDUCE, 4096);
        mini->trace[0].node[node].stream = stream[i];
        mini->trace[0].node[node].flags |= NODE_HAS_STREAM;
    }
    ck_assert_msg(mini_run(mini) == STATUS_OK, "%s", mini->diag.message);
    uint64_t ns = mini_finish_ns(mini, 0);
    mini_free(mini);
    return ns;
}

START_TEST(ops_of_one_stream_take_turns_and_others_do_not_wait)
{
    ck_assert_uint_eq(two_collectives_ns(false, 1, 2), 13628); /* one slot for communication */
    ck_assert_uint_eq(two_collectives_ns(true, 1, 1), 13628);
    ck_assert_uint_eq(two_collectives_ns(true, 1, 2), 6814);
}
END_TEST

START_TEST(streams_beyond_the_lanes_share_one_and_say_so)
{
    struct trace_node node[300];
    for (int i = 0; i < 300; i++)
        node[i] =
            (struct trace_node){.type = OP_COMPUTE, .flags = NODE_HAS_STREAM, .stream = 7 * i};
    node[0].flags = 0;
    const struct trace trace = {.node = node, .count = 300, .path = "many"};
    const struct system_config system = {.streams = true};
    struct arena arena;
    struct notices notices;
    arena_init(&arena);
    notices_init(&notices);
    struct lane_map map;
    lane_map_init(&map, &trace, &system, &arena, &notices);
    ck_assert_uint_eq(map.count, MOST_LANES);
    ck_assert_uint_eq(lane_of(&map, &trace, 0), CLASS_COMPUTE);
    ck_assert_uint_eq(lane_of(&map, &trace, 1), CLASS_COUNT);
    ck_assert_uint_eq(lane_of(&map, &trace, 299), MOST_LANES - 1);
    ck_assert_uint_eq(notices.count, 1);
    ck_assert_uint_eq(notices.row[0].count, 299 - (MOST_LANES - CLASS_COUNT));
    notices_release(&notices);
    arena_release(&arena);
}
END_TEST

static Suite *slots_suite(void)
{
    Suite *suite = suite_create("slots");
    TCase *tcase = tcase_create("slots");
    tcase_add_test(tcase, a_lane_gives_its_smallest_node_first);
    tcase_add_test(tcase, the_next_lane_has_a_free_slot_and_the_smallest_node);
    tcase_add_test(tcase, ops_of_one_stream_take_turns_and_others_do_not_wait);
    tcase_add_test(tcase, streams_beyond_the_lanes_share_one_and_say_so);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(slots_suite())
