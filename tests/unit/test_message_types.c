/* message_types: which messages the plans of a job have, and where each rank sends them. */
#include "run/message_types.h"

#include "tests/unit/mini.h"

/* Every type is one to one, and no rank sends to itself. */
static void check_type(const struct message_type *type, uint32_t ranks)
{
    unsigned char *got = calloc(ranks, 1);
    for (uint32_t r = 0; r < ranks; r++) {
        uint32_t to = message_type_target(type, r);
        ck_assert_uint_lt(to, ranks);
        ck_assert_uint_ne(to, r);
        ck_assert_uint_eq(got[to]++, 0);
    }
    free(got);
}

static const struct {
    enum algorithm_id id;
    uint32_t window;
    enum collective_kind kind;
    bool prefer_xor;
    uint32_t types; /* on 4 x 2 */
} rows[] = {
    /* Neighbours both ways; in a dimension of 2 they are one. */
    {ALG_RING, 0, COLL_ALL_REDUCE, false, 2 + 1},
    {ALG_RING, 0, COLL_ALL_GATHER, true, 2 + 1},
    /* Distances 1, 2, 3, and the same backwards. */
    {ALG_DIRECT, 0, COLL_ALL_TO_ALL, false, 3 + 1},
    /* All at once: across 1, 2, 3 as well. */
    {ALG_DIRECT, 0, COLL_ALL_TO_ALL, true, 3 + 1},
    /* Across 1 and 2. */
    {ALG_HALVING_DOUBLING, 0, COLL_ALL_REDUCE, false, 2 + 1},
};

static void plan_one(struct plan_book *book, struct mini *mini, enum collective_kind kind)
{
    const struct trace_node node = {.collective = (uint8_t)kind};
    const struct comm_group world = {
        .name = "world", .count = mini->config.network.npu_count, .is_world = true};
    struct plan_key key = plan_key_of(book, &node, 0, &world, 0, 4800);
    for (uint32_t d = 0; d < mini->config.network.dim_count; d++)
        key.order[d] = (uint8_t)d;
    const struct chunk_plan *plan;
    ck_assert_msg(plan_find(book, &key, &plan, &mini->diag) == STATUS_OK, "%s", mini->diag.message);
}

static struct mini *job(enum algorithm_id id, uint32_t window)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_RING, 4, 1, 0);
    mini_dim(mini, NET_RING, 2, 1, 0);
    mini_algorithm(mini, id, window);
    return mini;
}

START_TEST(types_of_plans)
{
    struct mini *mini = job(rows[_i].id, rows[_i].window);
    struct plan_book book;
    struct message_types types;
    const char *why = "";
    plan_book_init(&book, &mini->config);
    plan_one(&book, mini, rows[_i].kind);
    plan_one(&book, mini, rows[_i].kind); /* the same plan: no type more */
    ck_assert_msg(message_types_collect(&types, &book, rows[_i].prefer_xor, rows[_i].types, &why),
                  "%s", why);
    ck_assert_uint_eq(types.count, rows[_i].types);
    for (uint32_t t = 0; t < types.count; t++)
        check_type(&types.type[t], 8);
    message_types_release(&types);
    ck_assert(!message_types_collect(&types, &book, rows[_i].prefer_xor, rows[_i].types - 1, &why));
    ck_assert_str_eq(why, "too many routes to compare");
    message_types_release(&types);
    plan_book_release(&book);
    mini_free(mini);
}
END_TEST

/* Rooted kinds give positions different parts. */
START_TEST(a_root_is_no_type)
{
    struct mini *mini = job(ALG_RING, 0);
    struct plan_book book;
    struct message_types types;
    const char *why = "";
    plan_book_init(&book, &mini->config);
    plan_one(&book, mini, COLL_BROADCAST);
    ck_assert(!message_types_collect(&types, &book, false, UINT32_MAX, &why));
    ck_assert_str_eq(why, "a collective's algorithm gives ranks different parts");
    message_types_release(&types);
    plan_book_release(&book);
    mini_free(mini);
}
END_TEST

/* By hand, on 2 x 3 (stride 2 in dimension 1): one up is +2 modulo 6. */
START_TEST(targets)
{
    struct phase phase = {.n = 3, .stride = 2, .schedule = {.form = SCHEDULE_EXCHANGE}};
    struct message_type up = {&phase, 1, false};
    static const uint32_t want[] = {2, 3, 4, 5, 0, 1};
    for (uint32_t r = 0; r < 6; r++)
        ck_assert_uint_eq(message_type_target(&up, r), want[r]);

    /* A program on 2 x 3 whose position 0 sends to 3 = (1, 1): a step of both coordinates. */
    struct phase program = {
        .n = 6,
        .stride = 1,
        .request = {.n = 6, .dim_count = 2, .dim = {2, 3}},
        .schedule = {.form = SCHEDULE_PROGRAM, .symmetry = SYMMETRY_SHIFT},
    };
    struct message_type both = {&program, 3, false};
    static const uint32_t want_both[] = {3, 2, 5, 4, 1, 0};
    for (uint32_t r = 0; r < 6; r++)
        ck_assert_uint_eq(message_type_target(&both, r), want_both[r]);

    struct phase flips = {.n = 4, .stride = 2, .schedule = {.form = SCHEDULE_EXCHANGE}};
    struct message_type across = {&flips, 3, true};
    static const uint32_t want_across[] = {6, 7, 4, 5, 2, 3, 0, 1};
    for (uint32_t r = 0; r < 8; r++)
        ck_assert_uint_eq(message_type_target(&across, r), want_across[r]);
}
END_TEST

static Suite *message_types_suite(void)
{
    Suite *suite = suite_create("message_types");
    TCase *tcase = tcase_create("message_types");
    tcase_add_loop_test(tcase, types_of_plans, 0, sizeof rows / sizeof *rows);
    tcase_add_test(tcase, a_root_is_no_type);
    tcase_add_test(tcase, targets);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(message_types_suite())
