/*
 * layer_job - a model under a plan and what is made from it, for tests of lists and of memory. One
 * file of a program includes it.
 */
#ifndef ORRERY_TESTS_UNIT_LAYER_JOB_H
#define ORRERY_TESTS_UNIT_LAYER_JOB_H

#include "tests/unit/unit.h"
#include "workloads/generate/memory_model.h"

struct layer_job {
    struct model_spec model;
    struct train_plan plan;
    struct framework framework;
    struct layer_book book;
    struct memory_input input;
};

static struct arena arena;
static struct notices notices;

static inline void open_all(void)
{
    arena_init(&arena);
    notices_init(&notices);
}

static inline void close_all(void)
{
    arena_release(&arena);
    notices_release(&notices);
}

/* A preset under the defaults of a plan; kernels fused, gradients in fp32, 8-bit operands cast. */
static inline void begin(struct layer_job *job, const char *model)
{
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(model_spec_load(&job->model, model, &arena, &notices, &diag), STATUS_OK);
    job->framework = (struct framework){.fused_attention = true,
                                        .fused_norm = true,
                                        .fused_activation = true,
                                        .fused_rotary = true,
                                        .fused_loss = true,
                                        .gathers_again = true,
                                        .fp8_cast_bytes = 2};
    train_plan_defaults(&job->plan);
}

/* Checks the plan and makes the lists. */
static inline void make(struct layer_job *job)
{
    struct diag diag = DIAG_NONE;
    enum status status = train_plan_check(&job->plan, &job->model, &notices, &diag);
    ck_assert_msg(status == STATUS_OK, "%s: %s", diag.field, diag.message);
    layer_book_make(&job->book, &job->model, &job->plan, &job->framework, &arena);
    job->input = (struct memory_input){&job->model, &job->plan, &job->framework, &job->book};
}

#endif
