/*
 * made_job - a training job generated from a model and a plan, for tests of its graph. One file of
 * a program includes it.
 *
 * Rules:
 *  1. make_job() fills spec, book and job; release_job() empties them before the next.
 */
#ifndef ORRERY_TESTS_UNIT_MADE_JOB_H
#define ORRERY_TESTS_UNIT_MADE_JOB_H

#include "tests/unit/unit.h"
#include "workloads/generate/job_graph.h"
#include "workloads/generate/job_spec.h"

static struct job_spec spec;
static struct layer_book book;
static struct job_graph job;
static struct notices notices;
static struct diag diag;

/* `model` and `plan` as on the command line: "llama3-8b", "tp=2,seq=1024". */
static inline void make_job(const char *model, uint32_t devices, const char *plan)
{
    diag = DIAG_NONE;
    notices_init(&notices);
    job_spec_init(&spec);
    enum status status = job_spec_load(&spec, model, &notices, &diag);
    if (!status)
        status = job_spec_override(&spec, plan, &diag);
    if (!status)
        status = job_spec_finish(&spec, devices, &notices, &diag);
    ck_assert_msg(!status, "%s: %s", plan, diag.message);
    layer_book_make(&book, &spec.model, &spec.plan, &spec.framework, &spec.arena);
    const struct job_input input = {&spec.model, &spec.plan, &spec.framework, &book};
    ck_assert_msg(!job_graph_make(&job, &input, &diag), "%s: %s", plan, diag.message);
}

static inline void release_job(void)
{
    job_graph_release(&job);
    job_spec_release(&spec);
    notices_release(&notices);
}

#endif
