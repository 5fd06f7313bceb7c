/* What the tests of src/estimate share: a device, a system, a framework and a small model. */
#ifndef ORRERY_TESTS_UNIT_ESTIMATE_CASE_H
#define ORRERY_TESTS_UNIT_ESTIMATE_CASE_H

#include "estimate/estimate.h"
#include "estimate/piece_cost.h"
#include "tests/unit/unit.h"

struct estimate_case {
    struct arena arena;
    struct notices notices;
    struct diag diag;
    struct tuner *tuner;
    const struct tuner_system *system;
    struct device device;
    struct framework framework;
    struct model_spec model;
    struct train_plan plan;
    struct prices prices;
    struct group_times times;
};

/* H100 in DGX nodes; a framework that hides and launches nothing; 8 layers of 4096. */
static inline void case_open(struct estimate_case *c)
{
    *c = (struct estimate_case){.diag = DIAG_NONE};
    arena_init(&c->arena);
    notices_init(&c->notices);
    ck_assert_int_eq(tuner_create(&c->tuner, "configs", &c->diag), STATUS_OK);
    ck_assert_int_eq(tuner_find_system(c->tuner, "h100-dgx", &c->system, &c->diag), STATUS_OK);
    ck_assert_int_eq(device_load(&c->device, "h100-sxm", &c->arena, &c->notices, &c->diag),
                     STATUS_OK);
    c->device.overlap_slowdown = 0;
    c->framework = (struct framework){.name = "test",
                                      .fused_attention = true,
                                      .fused_norm = true,
                                      .fused_activation = true,
                                      .fused_rotary = true,
                                      .fused_loss = true,
                                      .one_graph = true};
    c->model = (struct model_spec){.name = "test",
                                   .layers = 8,
                                   .hidden = 4096,
                                   .ffn = 16384,
                                   .vocab = 32000,
                                   .max_seq = 4096,
                                   .heads = 32,
                                   .kv_heads = 32,
                                   .head_dim = 128,
                                   .norm = NORM_RMS,
                                   .norms_per_layer = 2,
                                   .position = POSITION_ROTARY};
    train_plan_defaults(&c->plan);
    c->plan.ranks = 8;
    c->plan.seq = 4096;
    c->plan.global_batch = 64;
    prices_init(&c->prices, &c->device, &c->framework);
    group_times_init(&c->times, c->system, 1, &c->arena);
}

static inline void case_close(struct estimate_case *c)
{
    prices_release(&c->prices);
    tuner_destroy(c->tuner);
    notices_release(&c->notices);
    arena_release(&c->arena);
}

static inline void case_check_plan(struct estimate_case *c)
{
    ck_assert_int_eq(train_plan_check(&c->plan, &c->model, &c->notices, &c->diag), STATUS_OK);
}

static inline struct piece_context case_context(struct estimate_case *c)
{
    return (struct piece_context){.prices = &c->prices,
                                  .times = &c->times,
                                  .framework = &c->framework,
                                  .plan = &c->plan,
                                  .dedup_ratio = 1};
}

static inline struct estimate case_estimate(struct estimate_case *c)
{
    struct estimate_setting setting = {
        .model = &c->model, .device = &c->device, .framework = &c->framework, .system = c->system};
    struct estimate estimate;
    case_check_plan(c);
    struct estimator *estimator = estimator_create(&setting);
    estimate_plan(estimator, &c->plan, &estimate);
    estimator_destroy(estimator);
    return estimate;
}

#endif
