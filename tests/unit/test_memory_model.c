/* memory_model: the formulas of Korthikanti 2022 on its four models, sharding, activations in
 * flight. */
#include "tests/unit/layer_job.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/generate/pipeline.h"

/* -- published formulas ----------------------------------------------------------------------- */

/*
 * Korthikanti 2022 (arXiv:2205.05198), table 3 and figure 1: GiB of the first stage's layers.
 * Weights, gradients and optimizer: 18 bytes for each of 12 l h^2 / (t p); activations by equations
 * 2 to 6 with the interleaved schedule's factor 1 + (p - 1) / (p v).
 */
static const struct {
    uint64_t layers, hidden, heads;
    uint32_t pp, interleave;
    uint64_t micro_batch, global_batch;
    double state_gib, none_gib, parallel_selective_gib;
} paper[] = {
    {48, 6144, 64, 1, 1, 4, 4, 45.5625, 59.25, 9.5625},
    {96, 12288, 96, 8, 3, 1, 64, 45.5625, 66.84375, 12.3515625},
    {105, 20480, 128, 35, 3, 1, 280, 31.640625, 114.0234375, 23.076171875},
    {128, 25600, 160, 64, 1, 1, 512, 32.958984375, 131.25, 26.5625},
};

static void begin_paper(struct layer_job *job, int row)
{
    begin(job, "gpt3-175b");
    job->model.layers = (uint32_t)paper[row].layers;
    job->model.hidden = paper[row].hidden;
    job->model.ffn = 4 * paper[row].hidden;
    job->model.heads = job->model.kv_heads = (uint32_t)paper[row].heads;
    job->model.head_dim = (uint32_t)(paper[row].hidden / paper[row].heads);
    job->framework.fused_attention = false;
    job->plan.tp = 8;
    job->plan.pp = paper[row].pp;
    job->plan.interleave = paper[row].interleave;
    job->plan.micro_batch = paper[row].micro_batch;
    job->plan.global_batch = paper[row].global_batch;
}

static double layers_gib(const struct layer_job *job)
{
    struct stage_memory memory;
    struct pipeline_spec spec = pipeline_spec_of(&job->plan);
    memory_of_stage(&memory, &job->input, 0);
    uint64_t bytes = memory.bytes[MEMORY_ACTIVATIONS];
    uint64_t chunk = pipeline_in_flight(&spec, 0), round = job->plan.pp * job->plan.interleave;
    if (job->plan.interleave > 1) /* of the first chunk: pp in each round of forwards */
        chunk = chunk / round * job->plan.pp +
                (chunk % round < job->plan.pp ? chunk % round : job->plan.pp);
    bytes -= chunk * job->book.piece[PIECE_EMBEDDING].activation_bytes;
    if (job->plan.pp == 1)
        bytes -= job->book.piece[PIECE_HEAD].activation_bytes;
    return (double)bytes / (1 << 30);
}

START_TEST(korthikanti)
{
    open_all();
    struct layer_job job;
    begin_paper(&job, _i);
    make(&job);
    double states = 18.0 * 12 * (double)(paper[_i].layers * paper[_i].hidden * paper[_i].hidden) /
                    (8 * paper[_i].pp) / (1 << 30);
    ck_assert_double_eq(states, paper[_i].state_gib);
    /* Ours has biases, norms and the embedding too. */
    struct stage_memory memory;
    memory_of_stage(&memory, &job.input, 0);
    const struct layer_piece *layer = &job.book.piece[PIECE_DENSE_LAYER];
    uint64_t ends = job.book.piece[PIECE_EMBEDDING].parameters;
    if (paper[_i].pp == 1)
        ends += job.book.piece[PIECE_HEAD].parameters;
    ck_assert_uint_eq(memory.parameters,
                      ends + paper[_i].layers / paper[_i].pp * layer->parameters);
    ck_assert_uint_eq(memory.bytes[MEMORY_WEIGHTS] + memory.bytes[MEMORY_GRADIENTS] +
                          memory.bytes[MEMORY_OPTIMIZER],
                      18 * memory.parameters);
    ck_assert_double_eq(layers_gib(&job), paper[_i].none_gib);
    job.plan.sequence_parallel = true;
    job.plan.recompute = RECOMPUTE_SELECTIVE;
    make(&job);
    ck_assert_double_eq(layers_gib(&job), paper[_i].parallel_selective_gib);
    close_all();
}
END_TEST

/* -- activations in flight -------------------------------------------------------------------- */

/* Walks the units of each stage and takes the most that is held at once. */
static uint64_t walked_most(const struct layer_job *job, uint32_t stage)
{
    const struct train_plan *plan = &job->plan;
    struct pipeline_spec spec = pipeline_spec_of(plan);
    uint64_t count = pipeline_unit_count(&spec), held = 0, most = 0;
    struct pipeline_unit *unit = calloc(count, sizeof *unit);
    ck_assert_ptr_nonnull(unit);
    pipeline_order(&spec, stage, unit);
    enum unit_kind last = plan->schedule == PIPE_ZERO_BUBBLE ? UNIT_WEIGHT : UNIT_BACKWARD;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t first, virtual = unit[i].chunk * plan->pp + stage;
        uint64_t bytes = stage_layers(&job->model, plan, virtual, &first) *
                         job->book.piece[PIECE_DENSE_LAYER].activation_bytes;
        bytes += virtual == 0 ? job->book.piece[PIECE_EMBEDDING].activation_bytes : 0;
        bytes += virtual == plan->pp * plan->interleave - 1
                     ? job->book.piece[PIECE_HEAD].activation_bytes
                     : 0;
        if (unit[i].kind == UNIT_FORWARD)
            held += bytes;
        most = held > most ? held : most;
        if (unit[i].kind == last)
            held -= bytes;
    }
    free(unit);
    ck_assert_uint_eq(held, 0);
    return most;
}

static const struct {
    enum pipeline_schedule schedule;
    uint32_t pp, interleave;
    uint64_t micro_batches;
} flights[] = {
    {PIPE_1F1B, 1, 1, 4},         {PIPE_1F1B, 4, 1, 16},        {PIPE_1F1B, 8, 1, 3},
    {PIPE_GPIPE, 4, 1, 6},        {PIPE_ZERO_BUBBLE, 4, 1, 16}, {PIPE_INTERLEAVED, 4, 2, 8},
    {PIPE_INTERLEAVED, 4, 5, 16}, {PIPE_INTERLEAVED, 8, 2, 8},  {PIPE_INTERLEAVED, 2, 8, 4}};

/* The formula is what a walk of the schedule holds; with chunks of unlike size it may be a chunk's
 * ends apart. */
START_TEST(in_flight_as_walked)
{
    open_all();
    struct layer_job job;
    begin(&job, "llama3-70b");
    job.plan.schedule = flights[_i].schedule;
    job.plan.pp = flights[_i].pp;
    job.plan.interleave = flights[_i].interleave;
    job.plan.global_batch = flights[_i].micro_batches;
    make(&job);
    for (uint32_t stage = 0; stage < job.plan.pp; stage++) {
        struct stage_memory memory;
        memory_of_stage(&memory, &job.input, stage);
        uint64_t most = walked_most(&job, stage), ours = memory.bytes[MEMORY_ACTIVATIONS];
        bool has_ends = stage == 0 || stage + 1 == job.plan.pp;
        if (has_ends && job.plan.interleave > 1)
            ck_assert_double_eq_tol((double)ours / (double)most, 1, 0.05);
        else
            ck_assert_uint_eq(ours, most);
    }
    close_all();
}
END_TEST

/* -- sharding --------------------------------------------------------------------------------- */

START_TEST(sharded_by_zero)
{
    open_all();
    struct layer_job job;
    begin(&job, "llama3-8b");
    job.plan.dp = 4;
    job.plan.cp = 2;
    uint64_t p = model_spec_parameters(&job.model), n = 8;
    uint64_t want[4][3] = {{2 * p, 4 * p, 12 * p},
                           {2 * p, 4 * p, 12 * (p / n)},
                           {2 * p, 4 * (p / n), 12 * (p / n)},
                           {2 * (p / n), 4 * (p / n), 12 * (p / n)}};
    for (uint32_t zero = 0; zero < 4; zero++) {
        struct stage_memory memory;
        job.plan.zero = zero;
        make(&job);
        memory_of_stage(&memory, &job.input, 0);
        for (int i = 0; i < 3; i++)
            ck_assert_uint_eq(memory.bytes[MEMORY_WEIGHTS + i], want[zero][i]);
        ck_assert_int_eq(memory.bytes[MEMORY_BUFFERS] > 0, zero >= 2);
        uint64_t sum = 0;
        for (int i = 0; i < MEMORY_CLASS_COUNT; i++)
            sum += memory.bytes[i];
        ck_assert_uint_eq(sum, memory.total_bytes);
    }
    struct stage_memory memory;
    job.plan.shard_group = 2; /* hybrid: two ranks share, four replicas */
    make(&job);
    memory_of_stage(&memory, &job.input, 0);
    ck_assert_uint_eq(memory.bytes[MEMORY_WEIGHTS], 2 * (p / 2));
    close_all();
}
END_TEST

/* Experts are shared by the ranks of the expert-data group alone. */
START_TEST(sharded_experts)
{
    open_all();
    struct layer_job job;
    struct stage_memory memory;
    begin(&job, "llama3-8b");
    job.model.moe =
        (struct moe_spec){.experts = 8, .top_k = 2, .ffn = 14336, .every = 1, .imbalance = 1};
    job.plan.dp = 16;
    job.plan.ep = 8;
    job.plan.zero = 1;
    make(&job);
    memory_of_stage(&memory, &job.input, 0);
    uint64_t experts = 32ull * 3 * 4096 * 14336;
    ck_assert_uint_eq(memory.expert_parameters, experts);
    ck_assert_uint_eq(memory.bytes[MEMORY_OPTIMIZER], 12 * (memory.parameters / 16 + experts / 2));
    close_all();
}
END_TEST

/* The first stage holds most activations, the last the logits; recompute of some layers is between
 * none and all. */
START_TEST(stages_and_recompute)
{
    open_all();
    struct layer_job job;
    struct stage_memory first, last, worst;
    begin(&job, "llama3-70b");
    job.plan.pp = 8;
    job.plan.tp = 8;
    job.plan.sequence_parallel = true;
    job.plan.global_batch = 32;
    make(&job);
    memory_of_stage(&first, &job.input, 0);
    memory_of_stage(&last, &job.input, 7);
    ck_assert_uint_gt(first.bytes[MEMORY_ACTIVATIONS], last.bytes[MEMORY_ACTIVATIONS]);
    ck_assert_uint_eq(memory_worst_stage(&worst, &job.input), 0);
    ck_assert_uint_eq(worst.total_bytes, first.total_bytes);
    /* A stage holds a message each way, twice, for each neighbour it has. */
    struct stage_memory middle;
    uint64_t boundary = 2 * job.book.piece[PIECE_EMBEDDING].boundary_bytes;
    memory_of_stage(&middle, &job.input, 3);
    ck_assert_uint_eq(first.bytes[MEMORY_BUFFERS], boundary);
    ck_assert_uint_eq(last.bytes[MEMORY_BUFFERS], boundary);
    ck_assert_uint_eq(middle.bytes[MEMORY_BUFFERS], 2 * boundary);
    uint64_t none = first.bytes[MEMORY_ACTIVATIONS];
    job.plan.recompute = RECOMPUTE_FULL;
    make(&job);
    memory_of_stage(&first, &job.input, 0);
    uint64_t all = first.bytes[MEMORY_ACTIVATIONS];
    job.plan.recompute_layers = 5;
    make(&job);
    memory_of_stage(&first, &job.input, 0);
    ck_assert_uint_eq(first.bytes[MEMORY_ACTIVATIONS], (none + all) / 2);
    close_all();
}
END_TEST

/* Products in fp8 keep each weight of a layer and its transpose, a byte each. */
START_TEST(low_precision_copies)
{
    open_all();
    struct layer_job job;
    struct stage_memory memory;
    begin(&job, "llama3-8b");
    job.plan.compute_type = TYPE_FP8;
    job.plan.global_batch = 2;
    make(&job);
    memory_of_stage(&memory, &job.input, 0);
    uint64_t layers = 32 * job.book.piece[PIECE_DENSE_LAYER].parameters;
    ck_assert_uint_eq(memory.bytes[MEMORY_WEIGHTS], 2 * memory.parameters + 2 * layers);
    ck_assert_str_eq(memory_class_names[MEMORY_WEIGHTS], "weights");
    close_all();
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("memory_model");
    TCase *tcase = tcase_create("memory_model");
    tcase_add_loop_test(tcase, korthikanti, 0, sizeof paper / sizeof *paper);
    tcase_add_loop_test(tcase, in_flight_as_walked, 0, sizeof flights / sizeof *flights);
    tcase_add_test(tcase, sharded_by_zero);
    tcase_add_test(tcase, sharded_experts);
    tcase_add_test(tcase, stages_and_recompute);
    tcase_add_test(tcase, low_precision_copies);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(suite_of())
