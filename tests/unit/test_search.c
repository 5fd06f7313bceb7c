/* search: every plan valid and in memory, the fastest first; none where none fits. */
#include "estimate/search.h"
#include "tests/unit/estimate_case.h"

static struct estimate_case c;

static void search(uint32_t most, struct search_result *result)
{
    static struct estimate_setting setting;
    setting = (struct estimate_setting){
        .model = &c.model, .device = &c.device, .framework = &c.framework, .system = c.system};
    struct search_request request = {
        .setting = &setting, .base = c.plan, .ranks = 16, .domain = 8, .most = most};
    search_run(&request, result, &c.arena);
}

START_TEST(fastest_first)
{
    case_open(&c);
    struct search_result all, some;
    search(2000, &all);
    ck_assert_uint_eq(all.count, all.fitting);
    ck_assert_uint_ge(all.valid, all.fitting);
    ck_assert_uint_gt(all.fitting, 100);
    for (uint32_t i = 0; i < all.count; i++) {
        struct train_plan plan = all.best[i].plan;
        ck_assert_uint_eq(plan.tp * plan.pp * plan.cp * plan.dp, 16);
        ck_assert_uint_le(all.best[i].memory.total_bytes, (uint64_t)c.device.memory_bytes);
        ck_assert_int_eq(train_plan_check(&plan, &c.model, &c.notices, &c.diag), STATUS_OK);
        if (i > 0)
            ck_assert_double_ge(all.best[i].estimate.step_ns, all.best[i - 1].estimate.step_ns);
    }
    search(7, &some);
    ck_assert_uint_eq(some.count, 7);
    for (uint32_t i = 0; i < 7; i++)
        ck_assert_double_eq(some.best[i].estimate.step_ns, all.best[i].estimate.step_ns);
    case_close(&c);
}
END_TEST

/* 6 layers on 4 stages: the second holds most, and decides. */
START_TEST(a_middle_stage_must_fit_too)
{
    case_open(&c);
    c.model.layers = 6;
    struct search_result all, some;
    search(2000, &all);
    c.device.memory_bytes = 8e9;
    search(2000, &some);
    ck_assert_uint_gt(some.count, 0);
    uint32_t fit = 0;
    for (uint32_t i = 0; i < all.count; i++)
        fit += all.best[i].memory.total_bytes <= 8000000000;
    ck_assert_uint_eq(some.count, fit);
    for (uint32_t i = 0; i < some.count; i++)
        ck_assert_uint_le(some.best[i].memory.total_bytes, 8000000000);
    case_close(&c);
}
END_TEST

START_TEST(nothing_fits)
{
    case_open(&c);
    c.device.memory_bytes = 1e9;
    struct search_result result;
    search(10, &result);
    ck_assert_uint_eq(result.count, 0);
    ck_assert_uint_eq(result.fitting, 0);
    ck_assert_uint_gt(result.valid, 0);
    ck_assert_uint_gt(result.least.memory.total_bytes, 1000000000);
    case_close(&c);
}
END_TEST

START_TEST(experts_are_spread)
{
    case_open(&c);
    c.model.moe =
        (struct moe_spec){.experts = 8, .top_k = 2, .ffn = 4096, .every = 1, .imbalance = 1};
    struct search_result result;
    search(500, &result);
    bool has_one = false, has_eight = false;
    for (uint32_t i = 0; i < result.count; i++) {
        has_one |= result.best[i].plan.ep == 1;
        has_eight |= result.best[i].plan.ep == 8;
    }
    ck_assert(has_one && has_eight);
    case_close(&c);
}
END_TEST

static Suite *search_suite(void)
{
    Suite *suite = suite_create("search");
    TCase *all = tcase_create("all");
    tcase_add_test(all, fastest_first);
    tcase_add_test(all, a_middle_stage_must_fit_too);
    tcase_add_test(all, nothing_fits);
    tcase_add_test(all, experts_are_spread);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(search_suite())
