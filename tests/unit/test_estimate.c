/* estimate: the formulas of pipelines, and what does not change. */
#include "tests/unit/estimate_case.h"

static struct estimate_case c;

static double sum_of(const struct estimate *estimate)
{
    double sum = 0;
    for (int t = 0; t < ESTIMATE_TERM_COUNT; t++) {
        ck_assert_double_ge(estimate->term_ns[t], 0);
        sum += estimate->term_ns[t];
    }
    return sum;
}

START_TEST(terms_sum_to_the_step)
{
    case_open(&c);
    static const struct {
        uint32_t tp, pp, zero, recompute;
    } rows[] = {{1, 1, 0, 0}, {8, 1, 1, 2}, {2, 4, 1, 0}, {1, 8, 0, 2}, {1, 1, 3, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        c.plan.tp = rows[i].tp;
        c.plan.pp = rows[i].pp;
        c.plan.dp = 0;
        c.plan.zero = rows[i].zero;
        c.plan.recompute = (enum recompute)rows[i].recompute;
        struct estimate estimate = case_estimate(&c);
        ck_assert_double_eq_tol(sum_of(&estimate), estimate.step_ns, 1e-6 * estimate.step_ns);
        ck_assert(estimate.mfu_ratio > 0.05 && estimate.mfu_ratio < 1);
        double tokens = 64.0 * 4096 / (estimate.step_ns * 1e-9) / 8;
        ck_assert_double_eq_tol(estimate.tokens_per_s, tokens, 1e-6 * tokens);
    }
    case_close(&c);
}
END_TEST

/* Stages laid out alike: m t + (p - 1) t / v, and the messages. */
START_TEST(bubbles)
{
    case_open(&c);
    c.framework.balanced_stages = true;
    c.framework.hidden_pp = 1;
    c.plan.overlap_pp = true;
    c.plan.pp = 4;
    c.plan.dp = 2;
    struct estimate plain = case_estimate(&c);
    double message =
        group_time_ns(&c.times, TUNER_SEND_RECEIVE, 4096 * 4096 * 2, (struct rank_group){2, 2});
    double busy =
        plain.term_ns[TERM_MATRIX] + plain.term_ns[TERM_ATTENTION] + plain.term_ns[TERM_MEMORY];
    double t = busy / 32; /* 64 sequences over 2 ranks */
    ck_assert_double_eq_tol(plain.term_ns[TERM_BUBBLE], 3 * t + 6 * message, 1e-3 * t);
    c.plan.interleave = 2;
    c.plan.schedule = PIPE_INTERLEAVED;
    struct estimate interleaved = case_estimate(&c);
    ck_assert_double_eq_tol(interleaved.term_ns[TERM_BUBBLE], 3 * t / 2 + 6 * message, 1e-3 * t);
    c.plan.interleave = 1;
    c.plan.schedule = PIPE_ZERO_BUBBLE;
    struct estimate zero = case_estimate(&c);
    ck_assert_double_lt(zero.term_ns[TERM_BUBBLE], 0.6 * plain.term_ns[TERM_BUBBLE]);
    case_close(&c);
}
END_TEST

/* Exposed messages: each of 32 micro-batches sends one forward and one backward. */
START_TEST(messages_between_stages)
{
    case_open(&c);
    c.framework.balanced_stages = true;
    c.plan.pp = 4;
    c.plan.dp = 2;
    struct estimate estimate = case_estimate(&c);
    double message =
        group_time_ns(&c.times, TUNER_SEND_RECEIVE, 4096 * 4096 * 2, (struct rank_group){2, 2});
    ck_assert_double_eq_tol(estimate.term_ns[TERM_PP], 32 * 2 * message, 1e-6 * estimate.step_ns);
    case_close(&c);
}
END_TEST

/* One estimator asked for plans that differ in one thing says of each what a new one says. */
START_TEST(plans_that_differ_do_not_share)
{
    case_open(&c);
    const struct train_plan first = c.plan;
    struct train_plan plans[11];
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        plans[i] = first;
    plans[1].recompute = RECOMPUTE_FULL;
    plans[2].compute_type = TYPE_FP8;
    plans[3].tp = 2;
    plans[4].tp = 2;
    plans[4].sequence_parallel = true;
    plans[5].zero = 3;
    plans[6].pp = 2;
    plans[6].dp = 4;
    plans[7].global_batch = 8; /* one micro-batch: no gradient to add to */
    plans[9].tp = 2;           /* as plans[3], but the two are in different nodes */
    plans[9].order = "dp-cp-pp-tp";
    plans[9].ranks = 16;
    plans[10] = plans[9];
    plans[10].order = NULL;
    c.model.tied_embeddings = true;
    const struct estimate_setting setting = {
        .model = &c.model, .device = &c.device, .framework = &c.framework, .system = c.system};
    struct estimator *shared = estimator_create(&setting);
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        struct estimate alone, again;
        struct stage_memory holds, holds_again;
        c.plan = plans[i];
        case_check_plan(&c);
        struct estimator *fresh = estimator_create(&setting);
        estimate_plan(fresh, &c.plan, &alone);
        estimate_memory(fresh, &c.plan, &holds);
        estimator_destroy(fresh);
        estimate_plan(shared, &c.plan, &again);
        estimate_memory(shared, &c.plan, &holds_again);
        ck_assert_double_eq(alone.step_ns, again.step_ns);
        ck_assert_uint_eq(holds.total_bytes, holds_again.total_bytes);
    }
    estimator_destroy(shared);
    case_close(&c);
}
END_TEST

START_TEST(the_slowest_stage_decides)
{
    case_open(&c);
    c.plan.pp = 4;
    struct estimate uneven = case_estimate(&c); /* the last stage has the head too */
    c.framework.balanced_stages = true;
    struct estimate even = case_estimate(&c);
    ck_assert_double_gt(uneven.step_ns, 1.02 * even.step_ns);
    case_close(&c);
}
END_TEST

START_TEST(recompute_of_some_layers)
{
    case_open(&c);
    double step[3];
    for (uint32_t i = 0; i < 3; i++) {
        c.plan.recompute = i == 0 ? RECOMPUTE_NONE : RECOMPUTE_FULL;
        c.plan.recompute_layers = i == 1 ? 4 : 0; /* of 8 */
        struct estimate estimate = case_estimate(&c);
        step[i] = estimate.step_ns;
    }
    ck_assert_double_gt(step[2], 1.15 * step[0]);
    ck_assert_double_eq_tol(step[1], (step[0] + step[2]) / 2, 1e-3 * step[0]);
    case_close(&c);
}
END_TEST

/* 6 layers on 4 stages are 1, 2, 2 and 1: two layers outweigh one and the embedding. A layer is 4 x
 * 4096 x 4096 of attention, 2 x 4096 x 16384 of the MLP and 2 norms of 4096: 201,334,784. */
START_TEST(memory_is_that_of_the_stage_that_needs_most)
{
    case_open(&c);
    c.model.layers = 6;
    c.plan.pp = 4;
    c.plan.uneven = true;
    case_check_plan(&c);
    struct estimate_setting setting = {
        .model = &c.model, .device = &c.device, .framework = &c.framework, .system = c.system};
    struct estimator *estimator = estimator_create(&setting);
    struct stage_memory memory;
    estimate_memory(estimator, &c.plan, &memory);
    ck_assert_uint_eq(memory.parameters, 2 * 201334784);
    estimator_destroy(estimator);
    case_close(&c);
}
END_TEST

static Suite *estimate_suite(void)
{
    Suite *suite = suite_create("estimate");
    TCase *all = tcase_create("all");
    tcase_add_test(all, terms_sum_to_the_step);
    tcase_add_test(all, bubbles);
    tcase_add_test(all, messages_between_stages);
    tcase_add_test(all, plans_that_differ_do_not_share);
    tcase_add_test(all, the_slowest_stage_decides);
    tcase_add_test(all, recompute_of_some_layers);
    tcase_add_test(all, memory_is_that_of_the_stage_that_needs_most);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(estimate_suite())
