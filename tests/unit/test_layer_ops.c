/* layer_ops: flops and kept activations against closed forms; invariants of the lists. */
#include "tests/unit/layer_job.h"

/* -- flops ------------------------------------------------------------------------------------ */

/* Model flops of a list: products once, fused attention's backward as two forwards (its five
 * products repeat one of the forward's), repeated work not at all. */
static long double list_flops(const struct item_list *list)
{
    long double all = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct layer_item *item = &list->item[i];
        if (item->kind != ITEM_COMPUTE || item->is_recompute)
            continue;
        long double flops = (long double)item->shape.flops * item->repeat;
        if (op_class_is_product(item->shape.class) || item->shape.class == OP_CLASS_ATTENTION)
            all += flops;
        else if (item->shape.class == OP_CLASS_ATTENTION_BACKWARD)
            all += flops / 10 * 8;
    }
    return all;
}

static long double piece_flops(const struct layer_job *job, enum piece_kind kind)
{
    const struct layer_piece *piece = &job->book.piece[kind];
    return list_flops(&piece->forward) + list_flops(&piece->backward);
}

/* Of all ranks of one model replica, one micro-batch. */
static long double replica_flops(const struct layer_job *job)
{
    long double all = piece_flops(job, PIECE_EMBEDDING) + piece_flops(job, PIECE_HEAD);
    for (uint32_t i = 0; i < job->model.layers; i++)
        all += piece_flops(job, layer_kind(&job->model, i));
    all += job->model.mtp_layers * piece_flops(job, PIECE_MTP);
    return all * job->plan.tp * job->plan.cp;
}

static const struct {
    const char *model;
    uint32_t tp, cp, pp, dp, ep;
    uint64_t seq, micro_batch;
    bool sequence_parallel;
    enum context_kind context;
    enum recompute recompute;
    enum data_type type;
} plans[] = {
    {"gpt3-175b", 1, 1, 1, 1, 1, 2048, 1, false, 0, RECOMPUTE_NONE, TYPE_BF16},
    {"gpt3-175b", 8, 1, 8, 2, 1, 2048, 2, true, 0, RECOMPUTE_FULL, TYPE_FP16},
    {"llama3-8b", 2, 1, 1, 4, 1, 8192, 1, false, 0, RECOMPUTE_SELECTIVE, TYPE_FP8},
    {"llama3-70b", 8, 1, 4, 2, 1, 8192, 1, true, 0, RECOMPUTE_NONE, TYPE_FP8},
    {"llama3-405b", 8, 8, 9, 1, 1, 131072, 1, true, CONTEXT_RING, RECOMPUTE_NONE, TYPE_BF16},
    {"llama3-405b", 8, 4, 9, 1, 1, 32768, 1, true, CONTEXT_ALL_GATHER, RECOMPUTE_FULL, TYPE_FP4},
    {"llama3-8b", 2, 4, 1, 1, 1, 8192, 3, true, CONTEXT_ALL_TO_ALL, RECOMPUTE_NONE, TYPE_BF16},
};

/* The sum over layers is the model's training flops, to the last one. */
START_TEST(flops_of_plans)
{
    open_all();
    struct layer_job job;
    begin(&job, plans[_i].model);
    job.plan.tp = plans[_i].tp;
    job.plan.cp = plans[_i].cp;
    job.plan.pp = plans[_i].pp;
    job.plan.dp = plans[_i].dp;
    job.plan.ep = plans[_i].ep;
    job.plan.seq = plans[_i].seq;
    job.plan.micro_batch = plans[_i].micro_batch;
    job.plan.sequence_parallel = plans[_i].sequence_parallel;
    job.plan.context = plans[_i].context;
    job.plan.recompute = plans[_i].recompute;
    job.plan.compute_type = plans[_i].type;
    make(&job);
    long double want =
        (long double)model_spec_train_flops(&job.model, job.plan.seq) * job.plan.micro_batch;
    ck_assert_ldouble_eq(replica_flops(&job), want);
    close_all();
}
END_TEST

/* Mixtures, latent attention, local layers, multi-token prediction, on a model made for it. */
START_TEST(flops_of_parts)
{
    static const struct mla_spec latent = {1536, 512, 64, 128, 128};
    open_all();
    for (int variant = 0; variant < 16; variant++) {
        struct layer_job job;
        begin(&job, "llama3-8b");
        if (variant & 1)
            job.model.moe = (struct moe_spec){.experts = 16,
                                              .top_k = 4,
                                              .ffn = 2048,
                                              .every = 1,
                                              .imbalance = 1,
                                              .shared_ffn = 4096,
                                              .dense_layers = 3};
        if (variant & 2)
            job.model.mla = latent;
        if (variant & 4) {
            job.model.window = 1024;
            job.model.global_every = 6;
        }
        if (variant & 8)
            job.model.mtp_layers = 1;
        job.plan.tp = 4;
        job.plan.dp = 2;
        job.plan.ep = variant & 1 ? 2 : 1;
        job.plan.sequence_parallel = true;
        job.plan.seq = 4096;
        make(&job);
        ck_assert_ldouble_eq(replica_flops(&job), model_spec_train_flops(&job.model, 4096));
    }
    close_all();
}
END_TEST

/* Full recompute repeats each layer's forward once; selective the attention core. */
START_TEST(recompute_repeats)
{
    open_all();
    struct layer_job job;
    begin(&job, "llama3-8b");
    job.plan.recompute = RECOMPUTE_FULL;
    make(&job);
    struct layer_piece *piece = &job.book.piece[PIECE_DENSE_LAYER];
    ck_assert_uint_eq(piece->recompute_count, piece->forward.count);
    for (uint32_t i = 0; i < piece->backward.count; i++)
        ck_assert_int_eq(piece->backward.item[i].is_recompute, i < piece->recompute_count);
    ck_assert_uint_eq(piece->activation_bytes, 8192 * 4096 * 2);
    ck_assert_uint_gt(piece->activation_bytes_kept, piece->activation_bytes);
    job.plan.recompute = RECOMPUTE_SELECTIVE;
    make(&job);
    piece = &job.book.piece[PIECE_DENSE_LAYER];
    uint32_t repeated = 0;
    for (uint32_t i = 0; i < piece->backward.count; i++)
        if (piece->backward.item[i].is_recompute) {
            ck_assert_int_eq(piece->backward.item[i].shape.class, OP_CLASS_ATTENTION);
            repeated++;
        }
    ck_assert_uint_eq(repeated, 1);
    close_all();
}
END_TEST

/* -- activations ------------------------------------------------------------------------------ */

/*
 * Korthikanti 2022, equations 2, 4, 6 and section 5, per layer with s b h = x and 5 a s / h = q:
 *   tensor parallel x (10 + (24 + q) / t), with sequence parallel x (34 + q) / t, selective
 *   recompute x 34 / t (or x (10 + 24 / t)), full recompute 2 x
 */
START_TEST(kept_activations)
{
    open_all();
    struct layer_job job;
    uint64_t s = 2048, b = 4, h = 6144, a = 64, t = 8, x = s * b * h, q = 5 * a * s * s * b;
    static const struct {
        bool sequence_parallel;
        enum recompute recompute;
    } rows[] = {{false, RECOMPUTE_NONE},
                {true, RECOMPUTE_NONE},
                {false, RECOMPUTE_SELECTIVE},
                {true, RECOMPUTE_SELECTIVE},
                {false, RECOMPUTE_FULL}};
    uint64_t want[] = {10 * x + (24 * x + q) / t, (34 * x + q) / t, 10 * x + 24 * x / t, 34 * x / t,
                       2 * x};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(&job, "gpt3-175b");
        job.model.layers = 48;
        job.model.hidden = h;
        job.model.ffn = 4 * h;
        job.model.heads = job.model.kv_heads = (uint32_t)a;
        job.model.head_dim = (uint32_t)(h / a);
        job.framework.fused_attention = false;
        job.plan.tp = (uint32_t)t;
        job.plan.micro_batch = b;
        job.plan.sequence_parallel = rows[i].sequence_parallel;
        job.plan.recompute = rows[i].recompute;
        make(&job);
        ck_assert_uint_eq(job.book.piece[PIECE_DENSE_LAYER].activation_bytes, want[i]);
    }
    close_all();
}
END_TEST

/* Llama-3 8B, 8,192 tokens in 2 B: embeddings of 4,096; in a layer the gathered input and its
 * gradient, 2 x 4,096, and both halves of the gated product, 2 x 14,336; 128,256 logits. Where the
 * forward is repeated, what it keeps besides. */
START_TEST(transients)
{
    open_all();
    struct layer_job job;
    const struct layer_piece *piece = job.book.piece;
    begin(&job, "llama3-8b");
    make(&job);
    ck_assert_uint_eq(piece[PIECE_EMBEDDING].transient_bytes, 8192 * 4096 * 2);
    ck_assert_uint_eq(piece[PIECE_DENSE_LAYER].transient_bytes, 8192 * (2 * 4096 + 2 * 14336) * 2);
    ck_assert_uint_eq(piece[PIECE_HEAD].transient_bytes, 8192ull * 128256 * 2);
    job.plan.recompute = RECOMPUTE_FULL;
    make(&job);
    ck_assert_uint_eq(piece[PIECE_DENSE_LAYER].transient_bytes,
                      8192 * (2 * 4096 + 2 * 14336) * 2 +
                          piece[PIECE_DENSE_LAYER].activation_bytes_kept);
    /* DBRX, 4 experts of 16 for each of 4,096 tokens: gradients of 16,384 rows of 6,144 and of both
     * halves of 10,752. */
    begin(&job, "dbrx");
    job.plan.seq = 4096;
    make(&job);
    ck_assert_uint_eq(piece[PIECE_MOE_LAYER].transient_bytes, 16384 * (6144 + 2 * 10752) * 2);
    /* A module that predicts a further token is not recomputed. */
    begin(&job, "deepseek-v3");
    make(&job);
    uint64_t before = piece[PIECE_MTP].transient_bytes;
    job.plan.recompute = RECOMPUTE_FULL;
    make(&job);
    ck_assert_uint_gt(before, 0);
    ck_assert_uint_eq(piece[PIECE_MTP].transient_bytes, before);
    close_all();
}
END_TEST

/* -- invariants ------------------------------------------------------------------------------- */

static void check_list(const struct item_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct layer_item *item = &list->item[i];
        ck_assert_ptr_nonnull(item->name);
        ck_assert_uint_ge(item->repeat, 1);
        ck_assert_uint_ge(item->kernels, 1);
        ck_assert(item->overlaps || item->waits == 0);
        ck_assert(item->waits == 0 || (item->waits > i && item->waits < list->count));
        if (item->kind == ITEM_COMPUTE) {
            ck_assert_uint_gt(item->shape.read_bytes + item->shape.flops, 0);
            ck_assert_uint_gt(item->shape.write_bytes, 0);
        } else {
            ck_assert_uint_gt(item->bytes, 0);
            ck_assert(!item->is_weight_gradient);
        }
    }
}

START_TEST(lists_are_sound)
{
    open_all();
    for (int variant = 0; variant < 256; variant++) {
        struct layer_job job;
        begin(&job, variant & 1 ? "gpt3-175b" : "llama3-70b");
        job.model.parallel_block = variant & 2;
        job.model.norms_per_layer = variant & 2 ? 1 : variant & 4 ? 4 : 2;
        job.model.qk_norm = variant & 8;
        job.framework.fused_attention = variant & 16;
        job.framework.fused_norm = job.framework.fused_activation = variant & 32;
        job.framework.fused_loss = job.framework.fused_rotary = variant & 4;
        job.plan.sequence_parallel = job.plan.overlap_tp = variant & 64;
        job.plan.compute_type = variant & 128 ? TYPE_FP8 : TYPE_BF16;
        job.plan.tp = 8;
        job.plan.global_batch = 4;
        make(&job);
        for (enum piece_kind kind = 0; kind < PIECE_KIND_COUNT; kind++) {
            check_list(&job.book.piece[kind].forward);
            check_list(&job.book.piece[kind].backward);
        }
    }
    close_all();
}
END_TEST

/* One rank has all parameters; ranks of tp have theirs once, but for norms and row-parallel biases.
 * */
START_TEST(parameters_of_pieces)
{
    open_all();
    struct layer_job job;
    begin(&job, "gpt3-175b");
    make(&job);
    const struct layer_piece *piece = job.book.piece;
    ck_assert_uint_eq(piece[PIECE_EMBEDDING].parameters + piece[PIECE_HEAD].parameters +
                          96 * piece[PIECE_DENSE_LAYER].parameters,
                      model_spec_parameters(&job.model));
    close_all();
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("layer_ops");
    TCase *tcase = tcase_create("layer_ops");
    tcase_add_loop_test(tcase, flops_of_plans, 0, sizeof plans / sizeof *plans);
    tcase_add_test(tcase, flops_of_parts);
    tcase_add_test(tcase, recompute_repeats);
    tcase_add_test(tcase, kept_activations);
    tcase_add_test(tcase, transients);
    tcase_add_test(tcase, lists_are_sound);
    tcase_add_test(tcase, parameters_of_pieces);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(suite_of())
