/* fold_groups: the seats of groups that are alike, by hand. */
#include "run/fold_groups.h"

#include "tests/unit/mini.h"

/* 8 ranks: pairs 0-1, 2-3, .. ("tp"), and even and odd ranks ("dp"). Even and odd are two
 * classes. */
struct fixture {
    struct mini *mini;
    struct workload workload;
    struct group_file file;
    struct prepared prepared;
    struct job_shape shape;
    struct message_types types;
    uint32_t of[8], first[2], size[2];
    struct classes of_ranks;
    uint32_t of_group[16], first_group[16], group_size[16];
    struct classes of_groups;
};

static void set_up(struct fixture *f, bool uses_dp_twice)
{
    static uint32_t pairs[4][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}};
    static uint32_t rows[2][4] = {{0, 2, 4, 6}, {1, 3, 5, 7}};
    const char *why = "";
    memset(f, 0, sizeof *f);
    f->mini = mini_new();
    mini_dim(f->mini, NET_RING, 8, 1, 0);
    mini_algorithm(f->mini, ALG_RING, 0);
    for (int i = 0; i < 4; i++)
        mini_group(f->mini, "tp", pairs[i], 2);
    for (int i = 0; i < 2; i++)
        mini_group(f->mini, "dp", rows[i], 4);
    for (int i = 0; i < 2 && uses_dp_twice; i++)
        mini_group(f->mini, "dp2", rows[i], 4);
    uint32_t t = mini_trace_new(f->mini);
    const char *const names[] = {"tp", "dp", "dp2"};
    for (int i = 0; i < 2 + uses_dp_twice; i++) {
        mini_collective(f->mini, t, -1, COLL_ALL_REDUCE, 1000);
        mini_in_group(f->mini, t, names[i]);
    }
    f->workload = (struct workload){8, f->mini->of_rank, f->mini->traces, 1};
    f->file = (struct group_file){
        .entry = f->mini->group, .count = f->mini->group_count, .path = "groups"};
    ck_assert_int_eq(prepare(&f->prepared, &f->mini->config, &f->workload, &f->file,
                             &f->mini->result.notices, &f->mini->diag),
                     STATUS_OK);
    job_shape_init(&f->shape, &f->workload, f->prepared.graphs, NULL);
    ck_assert(message_types_collect(&f->types, &f->mini->config, &f->workload, &f->prepared,
                                    &f->shape, false, UINT32_MAX, &why));
}

/* Ranks by parity; groups by their name if `by_name`, else all small ones together. */
static void classify(struct fixture *f, bool by_name)
{
    const struct group_table *table = &f->prepared.groups.table;
    for (uint32_t r = 0; r < 8; r++)
        f->of[r] = r % 2;
    f->first[1] = 1;
    f->size[0] = f->size[1] = 4;
    f->of_ranks = (struct classes){8, 2, f->of, f->first, f->size};
    for (uint32_t g = 0; g < table->count; g++) {
        uint32_t class = g == 0 ? 0 : by_name && strcmp(table->group[g].name, "tp") == 0 ? 1 : 2;
        f->of_group[g] = class;
        if (f->group_size[class]++ == 0)
            f->first_group[class] = g;
    }
    f->of_groups = (struct classes){table->count, 3, f->of_group, f->first_group, f->group_size};
}

static void tear_down(struct fixture *f)
{
    message_types_release(&f->types);
    job_shape_release(&f->shape);
    prepared_release(&f->prepared);
    mini_free(f->mini);
}

START_TEST(seats)
{
    struct fixture f;
    struct fold_groups made;
    const char *why = "";
    set_up(&f, false);
    classify(&f, true);
    ck_assert_msg(
        fold_groups_init(&made, &f.prepared.groups, &f.of_ranks, &f.of_groups, &f.types, &why),
        "%s", why);
    const struct fold_group *tp = &made.group[1], *dp = &made.group[2];
    ck_assert_uint_eq(tp->groups, 4);
    ck_assert_uint_eq(tp->count, 2); /* even and odd meet in each pair */
    ck_assert_uint_eq(tp->seat[1].class, 1);
    ck_assert_uint_eq(tp->seat[1].position, 1); /* of rank 1 in 0-1 */
    ck_assert_uint_eq(tp->seat[1].ranks[0], 0);
    ck_assert_uint_eq(dp->groups, 2);
    ck_assert_uint_eq(dp->count, 1); /* the members of the first are all even */
    ck_assert_uint_eq(dp->seat[0].class, 0);
    ck_assert_uint_eq(dp->seat[0].position, 0);
    ck_assert_uint_eq(made.group[0].count, 2); /* all ranks */
    ck_assert_ptr_null(made.group[0].seat[1].ranks);
    fold_groups_release(&made);
    tear_down(&f);
}
END_TEST

/* A rank in two groups of one class cannot say which of its ops is whose. */
START_TEST(two_alike)
{
    struct fixture f;
    struct fold_groups made;
    const char *why = "";
    set_up(&f, true);
    classify(&f, false);
    ck_assert(
        !fold_groups_init(&made, &f.prepared.groups, &f.of_ranks, &f.of_groups, &f.types, &why));
    ck_assert_ptr_nonnull(strstr(why, "two that look alike"));
    fold_groups_release(&made);
    tear_down(&f);
}
END_TEST

static Suite *fold_groups_suite(void)
{
    Suite *suite = suite_create("fold_groups");
    TCase *tcase = tcase_create("fold_groups");
    tcase_add_test(tcase, seats);
    tcase_add_test(tcase, two_alike);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(fold_groups_suite())
