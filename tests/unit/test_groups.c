/* Communicator names: user_needs T20. */
#include "tests/unit/mini.h"

#include "sched/groups.h"

struct fixture {
    struct mini *mini;
    struct workload workload;
    struct group_file file;
    struct groups groups;
    struct notices notices;
    struct diag diag;
};

/* Eight ranks on one trace whose only node is a collective in group `name`. */
static void setup(struct fixture *f, const char *name)
{
    f->mini = mini_new();
    f->diag = DIAG_NONE;
    notices_init(&f->notices);
    mini_trace_new(f->mini);
    mini_collective(f->mini, 0, -1, COLL_ALL_REDUCE, 8);
    mini_in_group(f->mini, 0, name);
}

static enum status build(struct fixture *f)
{
    f->workload = (struct workload){8, f->mini->of_rank, f->mini->traces, f->mini->trace_count};
    f->file = (struct group_file){
        .entry = f->mini->group, .count = f->mini->group_count, .path = "groups.json"};
    return groups_build(&f->groups, &f->workload, &f->file, &f->notices, &f->diag);
}

static void teardown(struct fixture *f)
{
    notices_release(&f->notices);
    mini_free(f->mini);
}

START_TEST(empty_and_absent_mean_all_ranks)
{
    static const char *const names[] = {"", "0", "dp_cp"};
    struct fixture f;
    setup(&f, names[_i]);
    if (_i == 2)
        mini_group(f.mini, "dp_cp", NULL, 0); /* an empty list */
    ck_assert_int_eq(build(&f), STATUS_OK);
    uint32_t group = f.groups.of_name[0][0];
    ck_assert(f.groups.table.group[group].is_world);
    ck_assert_uint_eq(f.groups.table.group[group].count, 8);
    ck_assert_uint_eq(f.notices.count, _i == 1);
    groups_release(&f.groups);
    teardown(&f);
}
END_TEST

START_TEST(order_is_kept)
{
    const uint32_t ranks[] = {3, 1, 2, 0, 7, 6, 5, 4};
    struct fixture f;
    setup(&f, "ring");
    mini_group(f.mini, "ring", ranks, 8);
    ck_assert_int_eq(build(&f), STATUS_OK);
    uint32_t group = f.groups.of_name[0][0];
    for (uint32_t p = 0; p < 8; p++) {
        ck_assert_uint_eq(f.groups.table.group[group].ranks[p], ranks[p]);
        ck_assert_uint_eq(groups_position(&f.groups, group, ranks[p]), p);
    }
    groups_release(&f.groups);
    teardown(&f);
}
END_TEST

/* One name declared with different members by two traces makes two groups. */
START_TEST(one_name_two_member_lists)
{
    uint32_t low[] = {0, 1, 2, 3}, high[] = {4, 5, 6, 7};
    struct fixture f;
    setup(&f, "tp");
    uint32_t other = mini_trace_new(f.mini);
    mini_collective(f.mini, other, -1, COLL_ALL_REDUCE, 8);
    mini_in_group(f.mini, other, "tp");
    struct trace_group declared[] = {{"tp", low, 4, false}, {"tp", high, 4, false}};
    f.mini->trace[0].trace.groups = &declared[0];
    f.mini->trace[other].trace.groups = &declared[1];
    f.mini->trace[0].trace.group_count = f.mini->trace[other].trace.group_count = 1;
    for (uint32_t r = 4; r < 8; r++)
        f.mini->of_rank[r] = other;
    ck_assert_msg(build(&f) == STATUS_OK, "%s", f.diag.message);
    ck_assert_uint_ne(f.groups.of_name[0][0], f.groups.of_name[other][0]);
    ck_assert_uint_eq(groups_position(&f.groups, f.groups.of_name[other][0], 6), 2);
    ck_assert_uint_eq(groups_position(&f.groups, f.groups.of_name[0][0], 6), UINT32_MAX);
    groups_release(&f.groups);
    teardown(&f);
}
END_TEST

/* Ranks of one trace mean their own group by a name that the file gives to several. */
START_TEST(one_name_is_each_ranks_own_group)
{
    const uint32_t low[] = {0, 1, 2, 3}, high[] = {6, 7, 4, 5};
    struct fixture f;
    setup(&f, "tp");
    mini_group(f.mini, "tp", low, 4);
    mini_group(f.mini, "tp", high, 4);
    ck_assert_msg(build(&f) == STATUS_OK, "%s", f.diag.message);
    ck_assert_uint_eq(groups_of(&f.groups, 0, 0, 1), groups_of(&f.groups, 0, 0, 3));
    ck_assert_uint_ne(groups_of(&f.groups, 0, 0, 1), groups_of(&f.groups, 0, 0, 5));
    ck_assert_uint_eq(groups_position(&f.groups, groups_of(&f.groups, 0, 0, 5), 5), 3);
    ck_assert_uint_eq(groups_of(&f.groups, 0, TRACE_NONE, 5), 0);
    const struct trace_node next = {.group = 0, .peer = 1, .flags = NODE_PEER_IN_GROUP};
    const struct trace_node before = {.group = 0, .peer = 3, .flags = NODE_PEER_IN_GROUP};
    ck_assert_uint_eq(groups_peer(&f.groups, 0, &next, 7), 4);
    ck_assert_uint_eq(groups_peer(&f.groups, 0, &next, 5), 6);
    ck_assert_uint_eq(groups_peer(&f.groups, 0, &before, 0), 3);
    ck_assert_uint_eq(groups_peer(&f.groups, 0, &(struct trace_node){.peer = 2}, 7), 2);
    groups_release(&f.groups);
    teardown(&f);
}
END_TEST

/* The same, declared in the trace; a redeclared name is one group instead: the latest. */
START_TEST(a_trace_declares_groups_of_one_name)
{
    uint32_t low[] = {0, 1, 2, 3}, high[] = {6, 7, 4, 5};
    struct fixture f;
    setup(&f, "tp");
    struct trace_group declared[] = {{"tp", low, 4, true}, {"tp", high, 4, true}};
    f.mini->trace[0].trace.groups = declared;
    f.mini->trace[0].trace.group_count = 2;
    ck_assert_msg(build(&f) == STATUS_OK, "%s", f.diag.message);
    ck_assert_uint_eq(groups_of(&f.groups, 0, 0, 1), groups_of(&f.groups, 0, 0, 3));
    ck_assert_uint_ne(groups_of(&f.groups, 0, 0, 1), groups_of(&f.groups, 0, 0, 5));
    ck_assert_uint_eq(groups_position(&f.groups, groups_of(&f.groups, 0, 0, 5), 5), 3);
    groups_release(&f.groups);
    high[1] = 3; /* in both */
    f.diag = DIAG_NONE;
    ck_assert_int_ne(build(&f), STATUS_OK);
    ck_assert_ptr_nonnull(strstr(f.diag.message, "member 3 is in another group of this name"));
    teardown(&f);
}
END_TEST

/* Rank 0 is in two groups of the name; ranks 4 .. 7 are in none. */
START_TEST(groups_of_one_name_are_disjoint_and_hold_their_users)
{
    const uint32_t low[] = {0, 1}, high[][2] = {{2, 0}, {2, 3}};
    struct fixture f;
    setup(&f, "tp");
    mini_group(f.mini, "tp", low, 2);
    mini_group(f.mini, "tp", high[_i], 2);
    ck_assert_int_ne(build(&f), STATUS_OK);
    const char *says[] = {"member 0 is in another group of this name",
                          "without being in any group of that name"};
    ck_assert_msg(strstr(f.diag.message, says[_i]) != NULL, "%s", f.diag.message);
    teardown(&f);
}
END_TEST

static const struct {
    const char *used;
    uint32_t members[3], count;
    const char *says;
} wrong[] = {
    {"nobody", {0}, 1, "not defined; known: \"tp\""},
    {"tp", {0, 9}, 2, "member 9 does not exist"},
    {"tp", {0, 1, 1}, 3, "member 1 is listed twice"},
    {"tp", {0, 1}, 2, "without being one of its 2 members"},
};

START_TEST(wrong_groups_are_diagnosed)
{
    struct fixture f;
    setup(&f, wrong[_i].used);
    mini_group(f.mini, "tp", wrong[_i].members, wrong[_i].count);
    ck_assert_int_ne(build(&f), STATUS_OK);
    ck_assert_msg(strstr(f.diag.message, wrong[_i].says) != NULL, "%s", f.diag.message);
    teardown(&f);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("groups");
    TCase *cases = tcase_create("groups");
    tcase_add_loop_test(cases, empty_and_absent_mean_all_ranks, 0, 3);
    tcase_add_test(cases, order_is_kept);
    tcase_add_test(cases, one_name_two_member_lists);
    tcase_add_test(cases, one_name_is_each_ranks_own_group);
    tcase_add_test(cases, a_trace_declares_groups_of_one_name);
    tcase_add_loop_test(cases, groups_of_one_name_are_disjoint_and_hold_their_users, 0, 2);
    tcase_add_loop_test(cases, wrong_groups_are_diagnosed, 0,
                        (int)(sizeof wrong / sizeof wrong[0]));
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
