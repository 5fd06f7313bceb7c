/* shard_cost: what data parallel traffic leaves exposed, against its formulas. */
#include "estimate/shard_cost.h"
#include "tests/unit/estimate_case.h"

static struct estimate_case c;
static struct shard_stage stage;

static void begin(uint32_t zero)
{
    case_open(&c);
    c.plan.dp = 16;
    c.plan.zero = zero;
    c.plan.micro_batches = 4;
    c.plan.overlap_gradients = c.plan.overlap_weights = false;
    stage = (struct shard_stage){.parameters = 1600000000, .layers = 10};
}

static struct shard_cost find(void)
{
    struct piece_context context = case_context(&c);
    struct shard_cost cost;
    shard_cost_find(&context, &stage, &cost);
    return cost;
}

/* Of one layer: 160 M numbers, gradients in fp32, weights in bf16. */
static double reduce_ns(enum collective_kind kind)
{
    return group_time_ns(&c.times, (int)kind, 640000000, piece_group(&c.plan, GROUP_DP_CP));
}

static double gather_ns(void)
{
    return group_time_ns(&c.times, COLL_ALL_GATHER, 320000000 / 16,
                         piece_group(&c.plan, GROUP_DP_CP));
}

START_TEST(all_reduce_at_the_end)
{
    begin(0);
    double all = 10 * reduce_ns(COLL_ALL_REDUCE);
    ck_assert_double_eq_tol(find().exposed_ns, all, 1e-6 * all);
    c.plan.overlap_gradients = true;
    stage.backward_ns = all / 2; /* of the last micro-batch */
    ck_assert_double_eq_tol(find().exposed_ns, all / 2, 1e-6 * all);
    stage.backward_ns = 2 * all; /* the last bucket comes after it */
    ck_assert_double_eq_tol(find().exposed_ns, all / 10, 1e-6 * all);
    case_close(&c);
}
END_TEST

START_TEST(sharded_optimizer)
{
    begin(1);
    double all = 10 * (reduce_ns(COLL_REDUCE_SCATTER) + gather_ns());
    ck_assert_double_eq_tol(find().exposed_ns, all, 1e-6 * all);
    double sharded = find().optimizer_ns;
    /* A sixteenth of 1.6e9 on a rank: 16 bytes read and 14 written of each, 3 GB. */
    struct op_shape step = {.class = OP_CLASS_OPTIMIZER,
                            .type = (uint8_t)c.plan.gradient_type,
                            .out_type = (uint8_t)c.plan.weight_type,
                            .m = 100000000,
                            .read_bytes = 1600000000,
                            .write_bytes = 1400000000};
    op_shape_finish(&step);
    ck_assert_double_eq(sharded, price_ns(&c.prices, &step));
    c.plan.zero = 0;
    ck_assert_double_gt(find().optimizer_ns, 10 * sharded);
    case_close(&c);
}
END_TEST

START_TEST(sharded_weights)
{
    begin(3);
    double gather = gather_ns(), reduce = reduce_ns(COLL_REDUCE_SCATTER);
    double each = 2 * gather + reduce;
    ck_assert_double_eq_tol(find().exposed_ns, 40 * each, 1e-6 * each);
    c.plan.overlap_gradients = c.plan.overlap_weights = true;
    c.framework.prefetch = 1;
    stage.forward_ns = 10 * gather / 2;
    stage.backward_ns = 10 * (gather + reduce) * 2;
    double wanted = 40 * gather / 2 + gather + reduce;
    ck_assert_double_eq_tol(find().exposed_ns, wanted, 1e-6 * each);
    c.framework.prefetch = 0; /* gathers stand in the way, reductions do not */
    wanted = 40 * 2 * gather + reduce;
    ck_assert_double_eq_tol(find().exposed_ns, wanted, 1e-6 * each);
    case_close(&c);
}
END_TEST

START_TEST(frozen_weights_have_no_gradients)
{
    begin(1);
    struct piece_context context = case_context(&c);
    context.is_frozen = true;
    struct shard_cost cost;
    shard_cost_find(&context, &stage, &cost);
    ck_assert_double_eq(cost.exposed_ns + cost.optimizer_ns, 0);
    case_close(&c);
}
END_TEST

static Suite *shard_cost_suite(void)
{
    Suite *suite = suite_create("shard_cost");
    TCase *all = tcase_create("all");
    tcase_add_test(all, all_reduce_at_the_end);
    tcase_add_test(all, sharded_optimizer);
    tcase_add_test(all, sharded_weights);
    tcase_add_test(all, frozen_weights_have_no_gradients);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(shard_cost_suite())
