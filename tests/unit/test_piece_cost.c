/* piece_cost: what hides, what is exposed, what the host adds; lists made by hand. */
#include "tests/unit/estimate_case.h"

#include <string.h>

static struct estimate_case c;
static struct layer_item items[8];
static struct layer_piece piece;
static struct piece_cost cost;

static void begin(void)
{
    case_open(&c);
    c.plan.tp = 8;
    case_check_plan(&c);
    memset(items, 0, sizeof items);
    piece = (struct layer_piece){.forward = {items, 0, 8}};
}

static struct layer_item *add_compute(uint64_t elements)
{
    struct layer_item *item = &items[piece.forward.count++];
    item->kind = ITEM_COMPUTE;
    item->repeat = item->kernels = 1;
    item->shape = (struct op_shape){
        .class = OP_CLASS_ELEMENTWISE, .type = TYPE_BF16, .out_type = TYPE_BF16, .m = elements};
    op_shape_finish(&item->shape);
    return item;
}

static struct layer_item *add_gather(enum group_kind group, uint64_t bytes)
{
    struct layer_item *item = &items[piece.forward.count++];
    item->kind = ITEM_COLLECTIVE;
    item->collective = COLL_ALL_GATHER;
    item->group = group;
    item->bytes = bytes;
    item->repeat = item->kernels = 1;
    return item;
}

static const struct pass_cost *find(void)
{
    struct piece_context context = case_context(&c);
    piece_cost_find(&context, &piece, &cost);
    double sum = 0;
    for (int t = 0; t < ESTIMATE_TERM_COUNT; t++)
        sum += cost.forward.term_ns[t];
    ck_assert_double_eq_tol(sum, cost.forward.ns, 1e-6);
    return &cost.forward;
}

static double gather_ns(enum group_kind group, uint64_t bytes)
{
    return group_time_ns(&c.times, COLL_ALL_GATHER, bytes, piece_group(&c.plan, group));
}

START_TEST(tensor_traffic_hides_by_share)
{
    begin();
    double all = gather_ns(GROUP_TP, 8 << 20);
    add_gather(GROUP_TP, 8 << 20)->overlaps = true;
    c.framework.hidden_tp = 0.75;
    c.plan.overlap_tp = true;
    ck_assert_double_eq_tol(find()->term_ns[TERM_TP], 0.25 * all, 1e-6);
    c.device.overlap_slowdown = 0.2; /* what hides slows compute */
    ck_assert_double_eq_tol(find()->term_ns[TERM_TP], 0.25 * all + 0.2 * 0.75 * all, 1e-6);
    items[0].overlaps = false;
    ck_assert_double_eq_tol(find()->term_ns[TERM_TP], all, 1e-6);
    case_close(&c);
}
END_TEST

START_TEST(windows_hide_what_they_last)
{
    begin();
    double all = gather_ns(GROUP_TP, 64 << 20);
    struct layer_item *gather = add_gather(GROUP_TP, 64 << 20);
    gather->overlaps = true;
    gather->waits = 2;
    double beside = price_ns(&c.prices, &add_compute(1 << 20)->shape);
    add_compute(1 << 28); /* waits: hides nothing */
    ck_assert_double_lt(beside, all);
    ck_assert_double_eq_tol(find()->term_ns[TERM_TP], all - beside, 1e-6);
    case_close(&c);
}
END_TEST

START_TEST(rings_go_step_by_step)
{
    begin();
    c.plan.tp = 1;
    c.plan.cp = 4;
    double step =
        group_time_ns(&c.times, TUNER_SEND_RECEIVE, 256 << 20, piece_group(&c.plan, GROUP_CP));
    struct layer_item *ring = add_gather(GROUP_CP, 256 << 20);
    ring->kind = ITEM_SEND_RECV;
    ring->overlaps = true;
    ring->repeat = 3;
    ring->waits = 2;
    double first = price_ns(&c.prices, &add_compute(1 << 20)->shape);
    struct layer_item *rest = add_compute(1 << 22);
    rest->repeat = 3;
    double each = price_ns(&c.prices, &rest->shape);
    ck_assert_double_lt(each, step);
    ck_assert_double_eq_tol(find()->term_ns[TERM_CP], (step - first) + 2 * (step - each), 1e-6);
    case_close(&c);
}
END_TEST

START_TEST(host_floor)
{
    begin();
    double ns = price_ns(&c.prices, &add_compute(1 << 16)->shape);
    items[0].repeat = 2;
    items[0].kernels = 3;
    c.framework.launch_ns = 1e6;
    ck_assert_double_eq(find()->term_ns[TERM_HOST], 0); /* one graph */
    c.framework.one_graph = false;
    ck_assert_double_eq_tol(find()->term_ns[TERM_HOST], 6e6 - 2 * ns, 1e-6);
    c.framework.expert_host_ns = 5e5; /* of mixture layers alone */
    ck_assert_double_eq_tol(find()->term_ns[TERM_HOST], 6e6 - 2 * ns, 1e-6);
    piece.expert_parameters = 1;
    ck_assert_double_eq_tol(find()->term_ns[TERM_HOST], 6.5e6 - 2 * ns, 1e-6);
    case_close(&c);
}
END_TEST

START_TEST(what_is_repeated_and_what_is_frozen)
{
    begin();
    double ns = price_ns(&c.prices, &add_compute(1 << 24)->shape);
    add_compute(1 << 24)->is_recompute = true;
    add_compute(1 << 24)->is_weight_gradient = true;
    const struct pass_cost *pass = find();
    ck_assert_double_eq_tol(pass->term_ns[TERM_MEMORY], 2 * ns, 1e-6);
    ck_assert_double_eq_tol(pass->term_ns[TERM_RECOMPUTE], ns, 1e-6);
    struct piece_context context = case_context(&c);
    context.is_frozen = true;
    piece_cost_find(&context, &piece, &cost);
    ck_assert_double_eq_tol(cost.forward.term_ns[TERM_MEMORY], ns, 1e-6);
    case_close(&c);
}
END_TEST

START_TEST(groups)
{
    struct train_plan plan = {.tp = 4, .cp = 2, .dp = 16, .pp = 8, .ep = 8, .expert_tp = 1};
    static const struct {
        const char *order;
        enum group_kind kind;
        uint32_t ep, ranks, stride;
    } rows[] = {{NULL, GROUP_TP, 8, 4, 1},
                {NULL, GROUP_CP, 8, 2, 4},
                {NULL, GROUP_DP, 8, 16, 8},
                {NULL, GROUP_DP_CP, 8, 32, 4},
                {NULL, GROUP_PP, 8, 8, 128},
                {NULL, GROUP_EP, 8, 8, 1},
                {NULL, GROUP_SHARD, 8, 32, 4},
                {NULL, GROUP_EXPERT_DP, 8, 16, 8},
                {NULL, GROUP_REPLICA, 8, 1, 128},
                /* pipelines inside: 8 stages lie between two replicas */
                {"tp-cp-pp-dp", GROUP_PP, 1, 8, 8},
                {"tp-cp-pp-dp", GROUP_DP, 1, 16, 64},
                {"tp-cp-pp-dp", GROUP_DP_CP, 1, 32, 32}, /* pairs 4 apart, 64 on: 32 on the mean */
                {"tp-pp-cp-dp", GROUP_DP_CP, 1, 32, 32},
                {"dp-tp-cp-pp", GROUP_TP, 1, 4, 16},
                {"dp-tp-cp-pp", GROUP_DP, 1, 16, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        plan.order = rows[i].order;
        plan.ep = rows[i].ep;
        struct rank_group group = piece_group(&plan, rows[i].kind);
        ck_assert_uint_eq(group.ranks, rows[i].ranks);
        ck_assert_uint_eq(group.stride, rows[i].stride);
    }
}
END_TEST

static Suite *piece_cost_suite(void)
{
    Suite *suite = suite_create("piece_cost");
    TCase *all = tcase_create("all");
    tcase_add_test(all, tensor_traffic_hides_by_share);
    tcase_add_test(all, windows_hide_what_they_last);
    tcase_add_test(all, rings_go_step_by_step);
    tcase_add_test(all, host_floor);
    tcase_add_test(all, what_is_repeated_and_what_is_frozen);
    tcase_add_test(all, groups);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(piece_cost_suite())
