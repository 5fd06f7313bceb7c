/*
 * job_graph: a model of made-up items, so that every time is known, under plans of every kind:
 * graphs in order, the step's time by hand, data-parallel traffic by the closed forms.
 */
#include <stdlib.h>
#include <string.h>

#include "run/simulate.h"
#include "tests/unit/unit.h"
#include "workloads/generate/job_graph.h"
#include "workloads/generate/job_trace.h"

/* One flop takes a nanosecond here. */
enum { FORWARD_NS = 1000, INPUT_NS = 1500, WEIGHT_NS = 500, HEAD_NS = 0, BOUNDARY = 4096 };

static struct model_spec model;
static struct train_plan plan;
static struct framework framework;
static struct layer_book book;
static struct layer_item forward_items[4], backward_items[4];
static struct job_graph job;
static struct diag diag;

static struct layer_item compute(const char *name, uint64_t ns, bool is_weight)
{
    return (struct layer_item){
        .kind = ITEM_COMPUTE,
        .name = name,
        .shape = {.m = ns, .flops = ns, .read_bytes = 1},
        .repeat = 1,
        .is_weight_gradient = is_weight,
    };
}

static struct layer_item collective(const char *name, enum group_kind group, bool overlaps,
                                    uint32_t waits)
{
    return (struct layer_item){.kind = ITEM_COLLECTIVE,
                               .name = name,
                               .collective = COLL_ALL_REDUCE,
                               .group = group,
                               .bytes = 1024,
                               .overlaps = overlaps,
                               .waits = waits,
                               .repeat = 1};
}

/* Eight layers: forward compute, tensor-parallel sum; backward input, sum beside the weight
 * gradient. */
static void setup(struct train_plan with)
{
    diag = DIAG_NONE;
    model = (struct model_spec){.name = "made-up",
                                .layers = 8,
                                .hidden = 64,
                                .vocab = 512,
                                .norms_per_layer = 2,
                                .moe.every = 1};
    plan = with;
    plan.ranks = plan.tp * plan.cp * plan.dp * plan.pp;
    plan.seq = plan.micro_batch = 1;
    plan.gradient_type = plan.optimizer_type = TYPE_FP32;
    plan.weight_type = TYPE_BF16;
    if (!plan.interleave)
        plan.interleave = 1;
    if (!plan.ep) /* as train_plan_check() leaves it */
        plan.ep = plan.expert_tp = 1;
    framework = (struct framework){.prefetch = 1};
    book = (struct layer_book){0};
    forward_items[0] = compute("up", FORWARD_NS, false);
    forward_items[1] = collective("sum", GROUP_TP, false, 0);
    backward_items[0] = compute("input", INPUT_NS, false);
    backward_items[1] = collective("sum", GROUP_TP, true, 3);
    backward_items[2] = compute("weight", WEIGHT_NS, true);
    backward_items[3] = compute("rest", 0, false);
    book.piece[PIECE_DENSE_LAYER] = (struct layer_piece){
        .kind = PIECE_DENSE_LAYER,
        .forward = {forward_items, 2, 2},
        .backward = {backward_items, 4, 4},
        .parameters = 1000,
        .activation_bytes = 100,
        .boundary_bytes = BOUNDARY,
    };
}

static enum status make(void)
{
    const struct job_input input = {&model, &plan, &framework, &book};
    return job_graph_make(&job, &input, &diag);
}

/* Runs the job where messages are so fast that they count for nothing but their order: ns of the
 * step. */
static uint64_t run(double bandwidth_B_per_ns)
{
    struct config config;
    struct run_result result;
    config_init(&config);
    result_init(&result);
    config.fold = false;
    config.network.backend = NET_CONGESTION_UNAWARE;
    config.network.npu_count = plan.ranks;
    config.network.dim_count = 1;
    config.network.dim[0] = (struct net_dim){
        .block = NET_SWITCH, .npus = plan.ranks, .bandwidth_B_per_ns = bandwidth_B_per_ns};
    config.system.dataset_splits = 1;
    config.system.compute = COMPUTE_ROOFLINE;
    config.system.peak_flop_per_s = 1e9;
    config.system.local_memory_Bps = 1e18;
    config.system.host_slots = config.system.compute_slots = 1;
    config.system.comm_slots = 8;
    for (int s = 0; s < SLOT_PER_DIM_COUNT; s++) {
        config.system.algorithm[s].count = 1;
        config.system.algorithm[s].choice[0] = (struct algorithm_choice){.id = ALG_RING};
    }
    enum status status = simulate(&config, &job.workload, &job.groups, NULL, &result, &diag);
    ck_assert_msg(status == STATUS_OK, "%s %s", diag.message, diag.hint);
    ck_assert_uint_eq(result.finished_count, plan.ranks);
    uint64_t ns = result.end_ps / PS_PER_NS;
    result_release(&result);
    config_release(&config);
    return ns;
}

/* -- graphs --------------------------------------------------------------------------------- */

/* Is there a way of dependencies from `to` back to `from`? Nodes are in order of their parents. */
static bool depends(const struct trace *trace, uint32_t to, uint32_t from)
{
    bool *is_after = calloc(trace->count, sizeof *is_after);
    is_after[from] = true;
    for (uint32_t i = from + 1; i <= to; i++) {
        for (uint64_t e = trace->parent_begin[i]; e < trace->parent_begin[i + 1]; e++)
            is_after[i] |= is_after[trace->parent[e]];
    }
    bool found = is_after[to];
    free(is_after);
    return found;
}

/* Each node waits for the one before it on its stream, by dependencies alone. */
static void check_streams(const struct trace *trace)
{
    uint32_t last[JOB_STREAM_COUNT];
    memset(last, 0xff, sizeof last);
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct trace_node *node = &trace->node[i];
        ck_assert(node->flags & NODE_HAS_STREAM);
        ck_assert_int_lt(node->stream, JOB_STREAM_COUNT);
        if (last[node->stream] != TRACE_NONE)
            ck_assert_msg(depends(trace, i, last[node->stream]), "node %u (%s)", i,
                          trace_name((struct trace *)trace, i));
        last[node->stream] = i;
    }
    for (uint32_t l = 0; l < trace->life_count; l++)
        ck_assert_uint_lt(trace->life[l].last, trace->count);
}

static const struct train_plan plans[] = {
    {.tp = 1, .cp = 1, .dp = 1, .pp = 1, .micro_batches = 1},
    {.tp = 2, .cp = 1, .dp = 2, .pp = 4, .micro_batches = 8},
    {.tp = 2, .cp = 1, .dp = 2, .pp = 4, .micro_batches = 8, .overlap_pp = true},
    {.tp = 1, .cp = 2, .dp = 2, .pp = 4, .micro_batches = 8, .schedule = PIPE_GPIPE},
    {.tp = 2,
     .cp = 1,
     .dp = 2,
     .pp = 2,
     .micro_batches = 4,
     .schedule = PIPE_INTERLEAVED,
     .interleave = 2,
     .overlap_pp = true,
     .zero = 1,
     .overlap_gradients = true},
    {.tp = 1,
     .cp = 1,
     .dp = 2,
     .pp = 4,
     .micro_batches = 6,
     .schedule = PIPE_ZERO_BUBBLE,
     .zero = 1,
     .overlap_weights = true,
     .overlap_gradients = true},
    {.tp = 1, .cp = 1, .dp = 4, .pp = 1, .micro_batches = 2, .zero = 2, .overlap_gradients = true},
    {.tp = 2,
     .cp = 1,
     .dp = 4,
     .pp = 1,
     .micro_batches = 2,
     .zero = 3,
     .overlap_gradients = true,
     .overlap_weights = true},
    {.tp = 1,
     .cp = 1,
     .dp = 8,
     .pp = 1,
     .micro_batches = 1,
     .zero = 3,
     .shard_group = 4,
     .overlap_gradients = true,
     .overlap_weights = true},
    {.tp = 1, .cp = 1, .dp = 8, .pp = 1, .micro_batches = 1, .zero = 3, .shard_group = 4},
    {.tp = 1, .cp = 1, .dp = 4, .pp = 2, .micro_batches = 2, .sequence_parallel = true},
};

START_TEST(streams_are_in_order_by_dependencies_and_every_rank_ends)
{
    setup(plans[_i]);
    model.tied_embeddings = _i % 2;
    ck_assert_msg(make() == STATUS_OK, "%s", diag.message);
    ck_assert_uint_eq(job.workload.trace_count, plan.pp);
    for (uint32_t t = 0; t < job.workload.trace_count; t++)
        check_streams(job.workload.traces[t]);
    run(1e6);
    run(0.5);
    job_graph_release(&job);
}
END_TEST

/* Time of the step's last node, the optimizer: all stages hold as much. */
static uint64_t optimizer_ns(void)
{
    const struct trace *trace = job.workload.traces[0];
    return trace->node[trace->count - 1].flop_count;
}

/* -- times ---------------------------------------------------------------------------------- */

/* tp 1, dp 1: the pipeline alone. Stage time: layers per stage x (F + I + W), idle by pipeline.h
 * rule 4. */
static const struct {
    enum pipeline_schedule schedule;
    uint32_t pp, interleave, micro_batches;
    uint64_t chunk_times; /* of a whole forward and backward of a chunk, in the step */
} times[] = {
    {PIPE_1F1B, 1, 1, 3, 3},
    {PIPE_1F1B, 4, 1, 8, 8 + 3},
    {PIPE_1F1B, 8, 1, 2, 2 + 7},
    {PIPE_GPIPE, 4, 1, 8, 8 + 3},
    {PIPE_INTERLEAVED, 4, 2, 8, 2 * 8 + 3},
    {PIPE_INTERLEAVED, 2, 4, 4, 4 * 4 + 1},
};

START_TEST(step_time_is_that_of_the_pipeline)
{
    setup((struct train_plan){.tp = 1,
                              .cp = 1,
                              .dp = 1,
                              .pp = times[_i].pp,
                              .interleave = times[_i].interleave,
                              .micro_batches = times[_i].micro_batches,
                              .schedule = times[_i].schedule});
    ck_assert_msg(make() == STATUS_OK, "%s", diag.message);
    uint64_t layers = model.layers / (times[_i].pp * times[_i].interleave);
    uint64_t chunk = layers * (FORWARD_NS + INPUT_NS + WEIGHT_NS);
    uint64_t ns = run(1e9), expected = times[_i].chunk_times * chunk + optimizer_ns();
    ck_assert_uint_ge(ns, expected);
    ck_assert_uint_le(ns, expected + 200); /* hand-overs of collectives */
    job_graph_release(&job);
}
END_TEST

/* Sums beside weight gradients cost only what does not fit behind them; gathers only the first. */
START_TEST(overlap_hides_what_fits)
{
    setup((struct train_plan){.tp = 2, .cp = 1, .dp = 1, .pp = 1, .micro_batches = 1});
    ck_assert_int_eq(make(), STATUS_OK);
    /* all-reduce of 1,024 B over 2 at 4 B/ns: two messages of 512 B, 256 ns */
    uint64_t sum = 256, ns = run(4);
    uint64_t expected = 8 * (FORWARD_NS + sum + INPUT_NS + WEIGHT_NS) + optimizer_ns();
    ck_assert_uint_ge(ns, expected);
    ck_assert_uint_le(ns, expected + 17 * 20); /* hand-overs of collectives, the norm's sum */
    job_graph_release(&job);
}
END_TEST

static uint64_t bytes_of(enum collective_kind kind, const char *group, uint32_t *count);

/* Three quarters of an exchange between experts are hidden: each is two, the exposed one first. */
START_TEST(a_share_of_exchanges_is_hidden)
{
    setup((struct train_plan){
        .tp = 1, .cp = 1, .dp = 2, .pp = 1, .ep = 2, .expert_tp = 1, .micro_batches = 1});
    framework.hidden_ep = 0.75;
    forward_items[1] = collective("exchange", GROUP_EP, false, 0);
    ck_assert_int_eq(make(), STATUS_OK);
    uint32_t count;
    ck_assert_uint_eq(bytes_of(COLL_ALL_REDUCE, "ep", &count), 8 * 1024);
    ck_assert_uint_eq(count, 2 * 8);
    const struct trace *trace = job.workload.traces[0];
    uint32_t i = 0;
    while (trace->node[i].type != OP_COLLECTIVE)
        i++;
    ck_assert_uint_eq(trace->node[i].size_bytes, 256);
    job_graph_release(&job);
}
END_TEST

/* 8 layers, 3 micro-batches, forward and backward: 48 waits of the host, which nothing hides. */
START_TEST(mixtures_wait_for_their_host)
{
    setup((struct train_plan){.tp = 1, .cp = 1, .dp = 1, .pp = 1, .micro_batches = 3});
    ck_assert_int_eq(make(), STATUS_OK);
    uint64_t before = run(4);
    job_graph_release(&job);
    framework.expert_host_ns = 700;
    ck_assert_int_eq(make(), STATUS_OK);
    ck_assert_uint_eq(run(4), before); /* no experts */
    job_graph_release(&job);
    book.piece[PIECE_DENSE_LAYER].expert_parameters = 10;
    book.piece[PIECE_DENSE_LAYER].parameters -= 10;
    ck_assert_int_eq(make(), STATUS_OK);
    ck_assert_uint_eq(run(4), before + 48 * 700);
    job_graph_release(&job);
}
END_TEST

/* 8 layers of 1,000 parameters, fp32 gradients (4 B) and bf16 weights (2 B). Read are gradient,
 * two states and the master copy, or the weight where there is none; written all but the gradient:
 * fp32 states with a copy 4 + 8 + 4 and 8 + 4 + 2, without 4 + 8 + 2 and 8 + 2; bf16 states without
 * one 4 + 4 + 2 and 4 + 2. */
static const struct {
    enum data_type states;
    bool has_master;
    uint64_t read, written;
} steps[] = {
    {TYPE_FP32, true, 16, 14},
    {TYPE_FP32, false, 14, 10},
    {TYPE_BF16, false, 10, 6},
};

START_TEST(the_optimizer_moves_what_the_plan_keeps)
{
    setup((struct train_plan){.tp = 1, .cp = 1, .dp = 1, .pp = 1, .micro_batches = 1});
    plan.optimizer_type = steps[_i].states;
    plan.master_weights = steps[_i].has_master;
    ck_assert_int_eq(make(), STATUS_OK);
    const struct trace *trace = job.workload.traces[0];
    const struct op_shape *shape = &trace->shape[trace->node[trace->count - 1].shape];
    ck_assert_int_eq(shape->class, OP_CLASS_OPTIMIZER);
    ck_assert_uint_eq(shape->read_bytes, 8000 * steps[_i].read);
    ck_assert_uint_eq(shape->write_bytes, 8000 * steps[_i].written);
    job_graph_release(&job);
}
END_TEST

/* -- data parallelism ----------------------------------------------------------------------- */

static uint64_t bytes_of(enum collective_kind kind, const char *group, uint32_t *count)
{
    uint64_t bytes = 0;
    *count = 0;
    const struct trace *trace = job.workload.traces[0];
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct trace_node *node = &trace->node[i];
        if (node->type != OP_COLLECTIVE || node->collective != kind || node->size_bytes <= 4 ||
            strcmp(trace->group_names[node->group], group) != 0)
            continue;
        bytes += node->size_bytes;
        (*count)++;
    }
    return bytes;
}

/* 8 layers of 1,000 parameters; gradients 4 B, weights 2 B; two micro-batches, dp 4. */
static const struct {
    uint32_t zero, shard_group;
    uint64_t bucket_bytes;
    bool overlaps;
    enum collective_kind kind;
    const char *group;
    uint32_t count;
    uint64_t bytes;
} traffic[] = {
    {0, 0, 0, true, COLL_ALL_REDUCE, "dp-cp", 8, 32000},
    {0, 0, 0, false, COLL_ALL_REDUCE, "dp-cp", 8, 32000},
    {0, 0, 8000, true, COLL_ALL_REDUCE, "dp-cp", 4, 32000},
    {0, 0, 1000000, true, COLL_ALL_REDUCE, "dp-cp", 1, 32000},
    {1, 0, 8000, true, COLL_REDUCE_SCATTER, "dp-cp", 4, 32000},
    {1, 0, 8000, true, COLL_ALL_GATHER, "dp-cp", 4, 4000}, /* a rank's quarter of 16,000 */
    {1, 0, 8000, false, COLL_ALL_GATHER, "dp-cp", 4, 4000},
    {2, 0, 0, true, COLL_REDUCE_SCATTER, "dp-cp", 16, 64000},
    {3, 0, 0, true, COLL_REDUCE_SCATTER, "dp-cp-gradients", 16, 64000},
    {3, 0, 0, true, COLL_ALL_GATHER, "dp-cp", 32,
     16000}, /* forward and backward, 2 micro-batches */
    {3, 0, 0, false, COLL_ALL_GATHER, "dp-cp", 32, 16000},
    {3, 2, 0, true, COLL_ALL_GATHER, "shard", 32, 32000},
    {3, 2, 0, true, COLL_REDUCE_SCATTER, "shard-gradients", 16, 64000},
    {3, 2, 0, true, COLL_ALL_REDUCE, "replica", 16, 32000},
};

START_TEST(data_parallel_traffic_is_the_closed_form)
{
    setup((struct train_plan){.tp = 1,
                              .cp = 1,
                              .dp = 4,
                              .pp = 1,
                              .micro_batches = 2,
                              .zero = traffic[_i].zero,
                              .shard_group = traffic[_i].shard_group,
                              .bucket_bytes = traffic[_i].bucket_bytes,
                              .overlap_gradients = traffic[_i].overlaps,
                              .overlap_weights = traffic[_i].overlaps});
    ck_assert_int_eq(make(), STATUS_OK);
    uint32_t count;
    ck_assert_uint_eq(bytes_of(traffic[_i].kind, traffic[_i].group, &count), traffic[_i].bytes);
    ck_assert_uint_eq(count, traffic[_i].count);
    job_graph_release(&job);
}
END_TEST

/* Zero 3: weights of so many pieces more are on their way when the first piece begins. */
START_TEST(gathers_go_ahead)
{
    for (uint32_t prefetch = 0; prefetch < 3; prefetch++) {
        setup((struct train_plan){.tp = 1,
                                  .cp = 1,
                                  .dp = 4,
                                  .pp = 1,
                                  .micro_batches = 1,
                                  .zero = 3,
                                  .overlap_weights = true});
        framework.prefetch = prefetch;
        ck_assert_int_eq(make(), STATUS_OK);
        const struct trace *trace = job.workload.traces[0];
        uint32_t gathers = 0, i = 0;
        for (; i < trace->count && trace->node[i].type != OP_COMPUTE; i++)
            gathers += trace->node[i].collective == COLL_ALL_GATHER;
        ck_assert_uint_lt(i, trace->count);
        ck_assert_uint_eq(gathers, 1 + prefetch);
        job_graph_release(&job);
    }
}
END_TEST

/* Zero 2: whole gradients of a piece are held until they are reduced, those of experts too. */
START_TEST(whole_gradients_are_held)
{
    setup((struct train_plan){.tp = 1,
                              .cp = 1,
                              .dp = 4,
                              .pp = 1,
                              .micro_batches = 1,
                              .zero = 2,
                              .overlap_gradients = true});
    book.piece[PIECE_DENSE_LAYER].expert_parameters = 10;
    ck_assert_int_eq(make(), STATUS_OK);
    const struct trace *trace = job.workload.traces[0];
    uint32_t lives = 0;
    for (uint32_t i = 0; i < trace->life_count; i++) {
        if (trace->life[i].kind != LIFE_GRADIENT)
            continue;
        ck_assert_uint_eq(trace->life[i].bytes, 4 * (1000 + 10));
        lives++;
    }
    ck_assert_uint_eq(lives, 8);
    job_graph_release(&job);
}
END_TEST

/* -- the rest ------------------------------------------------------------------------------- */

START_TEST(names_groups_and_lives)
{
    setup((struct train_plan){.tp = 2, .cp = 1, .dp = 1, .pp = 2, .micro_batches = 2});
    ck_assert_int_eq(make(), STATUS_OK);
    struct trace *trace = job.workload.traces[1];
    ck_assert_str_eq(trace_name(trace, 0), "mb0.forward.receive");
    ck_assert_str_eq(trace_name(trace, 1), "mb0.forward.layer4.up");
    ck_assert_str_eq(trace_name(trace, trace->count - 1), "step.optimizer");
    ck_assert_uint_eq(trace->node[0].peer, 1);  /* pp - 1 places onwards: the stage before */
    ck_assert_uint_eq(job.groups.count, 2 + 2); /* tp, pp */
    /* activations of 4 layers and 2 micro-batches; 2 received and 2 sent */
    ck_assert_uint_eq(trace->life_count, 2 * 4 + 2 + 2);
    ck_assert_uint_eq(trace->shape_count, 4 + 1);
    job_graph_release(&job);
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
    setup((struct train_plan){
        .tp = 1, .cp = 1, .dp = 1, .pp = 4, .micro_batches = 6, .schedule = PIPE_INTERLEAVED});
    plan.interleave = 2;
    ck_assert_int_eq(make(), STATUS_BAD_CONFIG);
    ck_assert_msg(strstr(diag.hint, "nearest: 4 or 8") != NULL, "%s", diag.hint);
    setup((struct train_plan){.tp = 1, .cp = 1, .dp = 1, .pp = 4});
    plan.micro_batches = UINT64_C(1) << 40;
    ck_assert_int_eq(make(), STATUS_NO_MEMORY);
    ck_assert_msg(strstr(diag.message, "1099511627776 micro-batches") != NULL, "%s", diag.message);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("job_graph");
    TCase *cases = tcase_create("job_graph");
    tcase_add_loop_test(cases, streams_are_in_order_by_dependencies_and_every_rank_ends, 0,
                        (int)(sizeof plans / sizeof *plans));
    tcase_add_loop_test(cases, step_time_is_that_of_the_pipeline, 0,
                        (int)(sizeof times / sizeof *times));
    tcase_add_test(cases, overlap_hides_what_fits);
    tcase_add_test(cases, a_share_of_exchanges_is_hidden);
    tcase_add_test(cases, mixtures_wait_for_their_host);
    tcase_add_loop_test(cases, the_optimizer_moves_what_the_plan_keeps, 0,
                        sizeof steps / sizeof *steps);
    tcase_add_loop_test(cases, data_parallel_traffic_is_the_closed_form, 0,
                        (int)(sizeof traffic / sizeof *traffic));
    tcase_add_test(cases, gathers_go_ahead);
    tcase_add_test(cases, whole_gradients_are_held);
    tcase_add_test(cases, names_groups_and_lives);
    tcase_add_test(cases, what_cannot_be_is_refused);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
