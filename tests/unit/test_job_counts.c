/*
 * Counts of generated jobs against closed forms that know nothing of graphs: operations,
 * parameters, bytes between stages, of presets under plans of every kind; and that every one of
 * them runs to its end.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mix.h"
#include "run/simulate.h"
#include "tests/unit/made_job.h"
#include "workloads/trace_check.h"

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
 * Products: 2 flops for each weight of a matrix and token forward, as many again for each of the
 * two gradients. All parameters are matrices of layers or head but the embedding (vocab x hidden, a
 * table) and 2 layers + 1 norms.
 */
START_TEST(products_are_six_flops_a_weight_and_token)
{
    make_job(dense[_i].model, dense[_i].devices, dense[_i].plan);
    const struct model_spec *model = &spec.model;
    double tokens = (double)(spec.plan.global_batch * spec.plan.seq);
    double head = (double)(model->vocab * model->hidden);
    double layers = (double)model_spec_parameters(model) - 2 * head -
                    (2 * model->layers + 1) * (double)model->hidden;
    double expected = 2 * tokens * (dense[_i].forwards * layers + 3 * head);
    ck_assert_double_eq_tol(flops_of(OP_CLASS_GEMM) / expected, 1, 1e-12);
    release_job();
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

/* How ops of a rank are issued: as dependencies let them, in order on each stream of the device, or
 * as ASTRA-sim does, with one communication at a time. */
enum issue { BY_DEPENDENCIES, BY_STREAMS, ONE_AT_A_TIME };

/* Runs a job on a plain switch; returns the simulated end. */
static uint64_t run(enum issue issue)
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
    config.system.streams = issue == BY_STREAMS;
    config.system.comm_slots = issue == ONE_AT_A_TIME ? 1 : 1000;
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

/* The order of streams is in the dependencies. With one communication at a time a job is late, but
 * not stuck. */
START_TEST(jobs_are_sound_and_run_to_their_end)
{
    make_job(jobs[_i].model, jobs[_i].devices, jobs[_i].plan);
    for (uint32_t t = 0; t < job.workload.trace_count; t++) {
        const char *broken = trace_unsound(job.workload.traces[t]);
        ck_assert_msg(!broken, "trace %u: %s", t, broken ? broken : "");
    }
    uint64_t end_ps = run(BY_DEPENDENCIES);
    ck_assert_uint_eq(run(BY_STREAMS), end_ps);
    ck_assert_uint_le(end_ps, run(ONE_AT_A_TIME));
    release_job();
}
END_TEST

/* A message carries micro-batch x sequence x hidden activations, here of 2 bytes; one a stage, unit
 * and direction. */
START_TEST(stages_pass_on_their_activations)
{
    make_job("llama3-8b", 4, "pp=4,seq=1024,micro-batch=2,global-batch=16");
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
    release_job();
}
END_TEST

/* -- plans of all kinds ---------------------------------------------------------------------- */

static uint64_t state;

static uint32_t one_of(const uint32_t *choice, uint32_t count)
{
    return choice[random_below(&state, count)];
}

/* Degrees and options at random; most are refused, with a reason and a hint. */
static void random_plan(char *text, size_t size)
{
    static const uint32_t degrees[] = {1, 1, 2, 4}, experts[] = {1, 1, 2, 4, 8};
    static const char *const schedules[] = {"1f1b", "interleaved", "gpipe", "zero-bubble"};
    static const char *const recomputes[] = {"none", "selective", "full"};
    static const char *const contexts[] = {"ring", "all-to-all", "all-gather"};
    static const char *const flags[] = {"false", "true"};
    uint32_t interleave = random_below(&state, 3) ? 1 : 2;
    uint32_t zero = random_below(&state, 4), shard = random_below(&state, 3) ? 0 : 2;
    snprintf(text, size,
             "tp=%u,pp=%u,cp=%u,ep=%u,interleave=%u,schedule=%s,seq=512,micro-batch=1,"
             "global-batch=%u,recompute=%s,context=%s,zero=%u,shard-group=%u,bucket-bytes=%u,"
             "sequence-parallel=%s,overlap-gradients=%s,overlap-weights=%s,overlap-tp=%s,"
             "overlap-pp=%s,uneven=true",
             one_of(degrees, 4), one_of(degrees, 4), one_of(degrees, 3), one_of(experts, 5),
             interleave, interleave > 1 ? "interleaved" : schedules[random_below(&state, 4)],
             16u << random_below(&state, 2), recomputes[random_below(&state, 3)],
             contexts[random_below(&state, 3)], zero, shard, random_below(&state, 2) ? 0 : 1u << 28,
             flags[random_below(&state, 2)], flags[random_below(&state, 2)],
             flags[random_below(&state, 2)], flags[random_below(&state, 2)],
             flags[random_below(&state, 2)]);
}

/* True if the plan was made; a refusal says why. */
static bool try_plan(const char *model, const char *plan)
{
    diag = DIAG_NONE;
    notices_init(&notices);
    job_spec_init(&spec);
    ck_assert_int_eq(job_spec_load(&spec, model, &notices, &diag), STATUS_OK);
    ck_assert_msg(!job_spec_override(&spec, plan, &diag), "%s: %s", plan, diag.message);
    enum status status = job_spec_finish(&spec, 16, &notices, &diag);
    if (!status) {
        layer_book_make(&book, &spec.model, &spec.plan, &spec.framework, &spec.arena);
        const struct job_input input = {&spec.model, &spec.plan, &spec.framework, &book};
        status = job_graph_make(&job, &input, &diag);
    }
    if (!status)
        return true;
    ck_assert_int_eq(status, STATUS_BAD_CONFIG);
    ck_assert_msg(diag.message[0] && diag.hint[0], "%s %s: no reason or no hint", model, plan);
    job_spec_release(&spec);
    notices_release(&notices);
    return false;
}

static const char *const any_models[] = {"llama3.2-1b", "mixtral-8x7b", "deepseek-v2-lite",
                                         "gemma2-2b",   "bert-large",   "qwen3-30b-a3b"};

/* What the checks accept makes sound graphs that run to their end. */
START_TEST(accepted_plans_run)
{
    state = (uint64_t)_i;
    uint32_t made = 0;
    for (int i = 0; i < 60; i++) {
        char plan[512];
        random_plan(plan, sizeof plan);
        if (!try_plan(any_models[_i], plan))
            continue;
        for (uint32_t t = 0; t < job.workload.trace_count; t++)
            ck_assert_ptr_null(trace_unsound(job.workload.traces[t]));
        if (made++ % 4 == 0)
            ck_assert_uint_eq(run(BY_STREAMS), run(BY_DEPENDENCIES));
        release_job();
    }
    ck_assert_uint_gt(made, 4);
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
    tcase_add_loop_test(cases, accepted_plans_run, 0,
                        (int)(sizeof any_models / sizeof *any_models));
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
