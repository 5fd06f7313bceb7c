/* nearest_plan: what it names is valid, and nothing nearer is. */
#include "tests/unit/unit.h"

#include <string.h>

#include "workloads/generate/nearest_plan.h"

static const struct model_spec model = {.name = "made-up",
                                        .layers = 24,
                                        .hidden = 768,
                                        .ffn = 3072,
                                        .vocab = 1000,
                                        .heads = 12,
                                        .kv_heads = 4,
                                        .head_dim = 64,
                                        .norms_per_layer = 2,
                                        .position = POSITION_ROTARY,
                                        .moe = {.every = 1}};

static const struct {
    uint32_t ranks, tp, cp, pp, interleave;
    bool keeps_inner;
    const char *text; /* NULL: nothing is */
} rows[] = {
    {64, 3, 1, 1, 1, false, "tp 4"}, /* 3 divides 12 heads, but not 64 devices */
    {64, 5, 1, 5, 1, false, "tp 4, pp 4"},
    {48, 6, 1, 1, 1, false, "tp 4"}, /* 4 key/value heads: 6 is no divisor, no multiple */
    {64, 4, 3, 1, 1, false, "cp 4"},
    {64, 4, 1, 4, 5, true, "interleave 6"},
    {64, 4, 1, 16, 1, true, "pp 8"},
    {64, 8, 8, 8, 1, false, "tp 4, cp 4, pp 4"},
    {7, 1, 1, 7, 1, true, "pp 1"},
    {35, 5, 1, 1, 1, true, NULL}, /* tp 5 stays, and cannot */
};

START_TEST(names_the_nearest)
{
    struct train_plan plan;
    char text[96];
    train_plan_defaults(&plan);
    plan.ranks = rows[_i].ranks;
    plan.tp = rows[_i].tp;
    plan.cp = rows[_i].cp;
    plan.pp = rows[_i].pp;
    plan.interleave = rows[_i].interleave;
    bool is_found = nearest_plan(&plan, &model, rows[_i].keeps_inner, text, sizeof text);
    ck_assert_int_eq(is_found, rows[_i].text != NULL);
    if (is_found)
        ck_assert_str_eq(text, rows[_i].text);
}
END_TEST

/* Applied, it passes the check that named it. */
START_TEST(what_it_names_is_valid)
{
    struct notices notices;
    notices_init(&notices);
    for (uint32_t ranks = 1; ranks <= 96; ranks++)
        for (uint32_t tp = 1; tp <= 16; tp += 3)
            for (uint32_t pp = 1; pp <= 30; pp += 7) {
                struct train_plan plan;
                char text[96];
                train_plan_defaults(&plan);
                plan.ranks = ranks;
                plan.tp = tp;
                plan.pp = pp;
                plan.seq = 96;
                if (!nearest_plan(&plan, &model, false, text, sizeof text))
                    continue;
                const char *at;
                if ((at = strstr(text, "tp ")))
                    plan.tp = (uint32_t)strtoul(at + 3, NULL, 10);
                if ((at = strstr(text, "pp ")))
                    plan.pp = (uint32_t)strtoul(at + 3, NULL, 10);
                struct diag diag = DIAG_NONE;
                enum status status = train_plan_check(&plan, &model, &notices, &diag);
                ck_assert_msg(status == STATUS_OK, "%u devices, tp %u pp %u: %s: %s", ranks, tp, pp,
                              text, diag.message);
            }
    notices_release(&notices);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("nearest_plan");
    TCase *tcase = tcase_create("nearest_plan");
    tcase_add_loop_test(tcase, names_the_nearest, 0, sizeof rows / sizeof *rows);
    tcase_add_test(tcase, what_it_names_is_valid);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(suite_of())
