/*
 * Counts of generated jobs against closed forms that know nothing of graphs: operations, parameters, bytes between
 * stages, of presets under plans of every kind; and that every one of them runs to its end.
 */
#include <stdlib.h>
#include <string.h>

#include "run/simulate.h"
#include "tests/unit/unit.h"
#include "workloads/generate/job_graph.h"
#include "workloads/generate/job_spec.h"
#include "workloads/trace_check.h"

static struct job_spec spec;
static struct layer_book book;
static struct job_graph job;
static struct notices notices;
static struct diag diag;

static void make(const char *model, uint32_t devices, const char *plan)
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

static void release(void)
{
    job_graph_release(&job);
    job_spec_release(&spec);
    notices_release(&notices);
}

/* Operations of the nodes of one class of ops, over all ranks. */
static double flops_of(enum op_class class)
{
    double sum = 0;
    for (uint32_t r = 0; r < job.workload.rank_count; r++) {
        const struct trace *trace = job.workload.traces[job.workload.trace_of_rank[r]];
        for (uint32_t i = 0; i < trace->count; i++) {
            const struct trace_node *node = &trace->node[i];
            if (node->shape != TRACE_NONE && trace->shape[node->shape].class == class)
                sum += (double)node->flop_count;
        }
    }
    return sum;
}

static const struct {
    const char *model, *plan;
    uint32_t devices;
    double forwards; /* of the layers: 3, full recompute 4 */
} dense[] = {
    {"llama3-8b", "seq=1024,global-batch=4", 1, 3},
    {"llama3-8b", "tp=2,pp=2,seq=1024,global-batch=8,sequence-parallel=true", 8, 3},
    {"llama3-8b", "tp=4,pp=4,interleave=2,schedule=interleaved,seq=2048,global-batch=8", 16, 3},
    {"llama3-8b", "pp=4,schedule=zero-bubble,seq=1024,global-batch=16", 8, 3},
    {"llama3-8b", "cp=2,tp=2,seq=4096,global-batch=4,zero=1", 8, 3},
    {"llama3-8b", "zero=3,seq=1024,global-batch=16", 8, 3},
    {"llama3-70b", "tp=8,pp=4,seq=8192,global-batch=4,recompute=full", 32, 4},
};

/*
 * Products: 2 flops for each weight of a matrix and token forward, as many again for each of the two gradients. All
 * parameters are matrices of layers or head but the embedding (vocab x hidden, a table) and 2 layers + 1 norms.
 */
START_TEST(products_are_six_flops_a_weight_and_token)
{
    make(dense[_i].model, dense[_i].devices, dense[_i].plan);
    const struct model_spec *model = &spec.model;
    double tokens = (double)(spec.plan.global_batch * spec.plan.seq);
    double head = (double)(model->vocab * model->hidden);
    double layers = (double)model_spec_parameters(model) - 2 * head -
                    (2 * model->layers + 1) * (double)model->hidden;
    double expected = 2 * tokens * (dense[_i].forwards * layers + 3 * head);
    ck_assert_double_eq_tol(flops_of(OP_CLASS_GEMM) / expected, 1, 1e-12);
    release();
}
END_TEST

static const struct {
    const char *model, *plan;
    uint32_t devices;
} jobs[] = {
    {"llama3-8b", "tp=2,pp=2,seq=1024,global-batch=8,sequence-parallel=true", 8},
    {"llama3-8b", "tp=2,pp=2,cp=2,seq=1024,global-batch=8,zero=1", 16},
    {"llama3-8b", "cp=4,context=all-to-all,seq=4096,global-batch=2", 8},
    {"llama3-8b", "cp=4,context=all-gather,seq=4096,global-batch=2,recompute=full", 8},
    {"llama3-8b", "zero=3,shard-group=4,seq=1024,global-batch=8", 8},
    {"llama3-8b", "pp=4,schedule=zero-bubble,seq=1024,global-batch=16,overlap-pp=true", 8},
    {"gpt3-175b", "tp=8,pp=4,interleave=2,schedule=interleaved,seq=2048,global-batch=8", 32},
};

/* Runs a job on a plain switch; returns the simulated end. */
static uint64_t run(bool uses_dependencies_alone)
{
    struct config config;
    struct run_result result;
    config_init(&config);
    result_init(&result);
    config.fold = false;
    config.network.npu_count = job.workload.rank_count;
    config.network.dim_count = 1;
    config.network.dim[0] = (struct net_dim){.block = NET_SWITCH,
                                             .npus = job.workload.rank_count,
                                             .bandwidth_B_per_ns = 50,
                                             .latency_ns = 500};
    config.system.dataset_splits = 1;
    config.system.compute = COMPUTE_ROOFLINE;
    config.system.peak_flop_per_s = 5e14;
    config.system.local_memory_Bps = 2e12;
    config.system.host_slots = config.system.compute_slots = 1;
    config.system.comm_slots = uses_dependencies_alone ? 1000 : 1;
    for (int s = 0; s < SLOT_PER_DIM_COUNT; s++) {
        config.system.algorithm[s].count = 1;
        config.system.algorithm[s].choice[0] = (struct algorithm_choice){.id = ALG_RING};
    }
    enum status status = simulate(&config, &job.workload, &job.groups, NULL, &result, &diag);
    ck_assert_msg(!status, "%s %s", diag.message, diag.hint);
    ck_assert_uint_eq(result.finished_count, job.workload.rank_count);
    uint64_t end_ps = result.end_ps;
    result_release(&result);
    config_release(&config);
    return end_ps;
}

/* Also with one communication at a time, as ASTRA-sim does: late, but not stuck. */
START_TEST(jobs_are_sound_and_run_to_their_end)
{
    make(jobs[_i].model, jobs[_i].devices, jobs[_i].plan);
    for (uint32_t t = 0; t < job.workload.trace_count; t++) {
        const char *broken = trace_unsound(job.workload.traces[t]);
        ck_assert_msg(!broken, "trace %u: %s", t, broken ? broken : "");
    }
    ck_assert_uint_le(run(true), run(false));
    release();
}
END_TEST

/* A message carries micro-batch x sequence x hidden activations, here of 2 bytes; one a stage, unit and direction. */
START_TEST(stages_pass_on_their_activations)
{
    make("llama3-8b", 4, "pp=4,seq=1024,micro-batch=2,global-batch=16");
    uint64_t bytes = 0, count = 0;
    for (uint32_t t = 0; t < job.workload.trace_count; t++) {
        const struct trace *trace = job.workload.traces[t];
        for (uint32_t i = 0; i < trace->count; i++) {
            bytes += trace->node[i].type == OP_SEND ? trace->node[i].size_bytes : 0;
            count += trace->node[i].type == OP_SEND;
        }
    }
    ck_assert_uint_eq(count, 3 * 8 * 2);
    ck_assert_uint_eq(bytes, count * 2 * 1024 * 4096 * 2);
    release();
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("job_counts");
    TCase *cases = tcase_create("job_counts");
    tcase_add_loop_test(cases, products_are_six_flops_a_weight_and_token, 0,
                        (int)(sizeof dense / sizeof *dense));
    tcase_add_loop_test(cases, jobs_are_sound_and_run_to_their_end, 0,
                        (int)(sizeof jobs / sizeof *jobs));
    tcase_add_test(cases, stages_pass_on_their_activations);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
