/* A row's columns as a model and a plan. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tests/agree/training/training.h"

uint64_t cell_number(const char *cell, uint64_t otherwise)
{
    while (*cell && (*cell < '0' || *cell > '9'))
        cell++;
    return *cell ? (uint64_t)strtod(cell, NULL) : otherwise;
}

/* -- model ------------------------------------------------------------------------------------ */

/* Models that need what the table has no column for: latent attention, shared experts, dense
 * first layers, windows. */
static const struct {
    const char *word, *preset;
} special_models[] = {
    {"deepseek-v3", "deepseek-v3"},   {"deepseek-v2", "deepseek-v2"},
    {"gpt-oss 120b", "gpt-oss-120b"}, {"gpt-oss 20b", "gpt-oss-20b"},
    {"gemma-3 27b", "gemma3-27b"},    {"gemma-3 12b", "gemma3-12b"},
    {"gemma-2 27b", "gemma2-27b"},    {"gemma-2 9b", "gemma2-9b"},
};

static const char *preset_of(const struct train_row *row)
{
    for (size_t i = 0; i < sizeof special_models / sizeof *special_models; i++) {
        if (has_word(row->cell.model, special_models[i].word))
            return special_models[i].preset;
    }
    return NULL;
}

static bool is_gated(const struct train_row *row)
{
    return strcmp(row->cell.gated_mlp, "1") == 0 || has_word(row->cell.act, "swiglu");
}

static void model_from_columns(struct train_row *row)
{
    const struct train_cells *cell = &row->cell;
    struct model_spec *model = &row->model;
    bool is_modern = is_gated(row);
    *model = (struct model_spec){.name = cell->model, .family = MODEL_TRANSFORMER};
    model->layers = (uint32_t)cell_number(cell->layers, 0);
    model->hidden = cell_number(cell->hidden, 0);
    model->heads = (uint32_t)cell_number(cell->heads, 0);
    model->kv_heads = (uint32_t)cell_number(cell->kv_heads, model->heads);
    uint64_t head_dim = model->heads > 0 ? model->hidden / model->heads : 0;
    model->head_dim = (uint32_t)cell_number(cell->head_dim, head_dim);
    model->ffn = cell_number(cell->ffn, 4 * model->hidden);
    model->vocab = cell_number(cell->vocab, 50304);
    model->max_seq = cell_number(cell->seq, 2048);
    model->gated_mlp = is_modern;
    model->bias = is_modern ? BIAS_NONE : BIAS_ALL;
    model->norm = is_modern ? NORM_RMS : NORM_LAYER;
    model->norm_bias = !is_modern;
    model->norms_per_layer = 2;
    model->position = is_modern ? POSITION_ROTARY : POSITION_LEARNED;
    model->tied_embeddings = !is_modern;
    model->moe.experts = (uint32_t)cell_number(cell->moe_experts, 0);
    if (model->moe.experts > 0) {
        model->moe.top_k = (uint32_t)cell_number(cell->moe_topk, 1);
        model->moe.ffn = cell_number(cell->moe_ffn, model->ffn);
        model->moe.every = 1;
        model->moe.imbalance = 1;
    }
}

static bool has_columns(const struct train_row *row)
{
    const struct train_cells *cell = &row->cell;
    return cell_number(cell->layers, 0) > 0 && cell_number(cell->hidden, 0) > 0 &&
           cell_number(cell->heads, 0) > 0;
}

enum status row_model(struct train_row *row, struct arena *arena, struct notices *notices,
                      struct diag *diag)
{
    const char *preset = preset_of(row);
    if (!preset && !has_columns(row))
        preset = model_spec_find(row->cell.model);
    if (preset && model_spec_find(preset)) {
        enum status status = model_spec_load(&row->model, preset, arena, notices, diag);
        if (status != STATUS_OK)
            return status;
        row->model.layers = (uint32_t)cell_number(row->cell.layers, row->model.layers);
        row->model.moe.imbalance = 1;
        return STATUS_OK;
    }
    if (!has_columns(row))
        return diag_fail(diag, STATUS_BAD_INPUT, "neither the columns of a model nor a preset");
    model_from_columns(row);
    return STATUS_OK;
}

/* -- plan ------------------------------------------------------------------------------------- */

static enum data_type compute_type_of(const struct train_row *row)
{
    const char *precision = row->cell.precision;
    /* MLPerf submissions on Hopper and later train in fp8; some tables leave it out. */
    bool is_fp8 = row->is_mlperf && !row->is_tpu && !has_word(row->device_name, "a100") &&
                  precision[0] == '\0';
    if (is_fp8)
        return TYPE_FP8;
    if (has_word(precision, "fp4"))
        return TYPE_FP4;
    if (has_word(precision, "fp8"))
        return TYPE_FP8;
    if (has_word(precision, "int8"))
        return TYPE_INT8;
    return has_word(precision, "fp16") ? TYPE_FP16 : TYPE_BF16;
}

/* Full, selective or none; *part: share of the layers that is done again, if not all. */
static enum recompute recompute_of(const struct train_row *row, double *part)
{
    const char *text = row->cell.recompute;
    *part = 1;
    if (has_word(text, "full"))
        return RECOMPUTE_FULL;
    if (has_word(text, "custom") || has_word(text, "save_dot") || has_word(text, "per-op")) {
        /* Policies that save some products: half of the forward is done again. */
        *part = 0.5;
        return RECOMPUTE_FULL;
    }
    if (row->is_tpu && text[0] == '\0')
        return RECOMPUTE_FULL;
    bool is_none = text[0] == '\0' || strncasecmp(text, "none", 4) == 0;
    return is_none ? RECOMPUTE_NONE : RECOMPUTE_SELECTIVE;
}

/* 0 to 3 by what the column says: "ZeRO-3 FULL_SHARD", "64", "64 (ICI)", "ZeRO-2 SHARD_GRAD_OP",
 * "0", "". */
static uint32_t zero_of(const struct train_row *row, uint32_t otherwise)
{
    const char *text = row->cell.fsdp;
    if (row->is_tpu || has_word(row->cell.note, "fsdp on") || has_word(text, "full"))
        return 3;
    if (has_word(text, "zero-2") || has_word(text, "grad"))
        return 2;
    if (has_word(text, "zero-1"))
        return 1;
    return text[0] == '\0' || strcmp(text, "0") == 0 ? otherwise : 3;
}

/* Slices of a TPU job: joined by the data-centre network; inside each weights are sharded. */
static void plan_tpu(struct train_row *row)
{
    struct train_plan *plan = &row->plan;
    uint32_t most = strstr(row->device_name, "v5p") || strstr(row->device_name, "v4") ? 8960 : 256;
    uint32_t slices = (uint32_t)cell_number(row->cell.dp, 0);
    if (slices == 0)
        slices = (plan->ranks + most - 1) / most;
    if (slices > plan->ranks / plan->tp)
        slices = 1;
    plan->dp = plan->ranks / plan->tp;
    plan->pp = plan->cp = plan->ep = 1;
    row->domain = plan->ranks / slices;
    plan->shard_group = row->domain / plan->tp;
    plan->micro_batch = plan->global_batch / plan->dp;
    if (plan->micro_batch == 0)
        plan->micro_batch = 1;
    if (plan->shard_group == plan->dp)
        plan->shard_group = 0;
}

/* Ranks of one expert: a note's "ETP=4"; releases of 2024 take the tensor-parallel ranks. */
static uint32_t expert_tp_of(const struct train_row *row, uint32_t tp)
{
    const char *note = strstr(row->cell.note, "ETP=");
    if (note)
        return (uint32_t)cell_number(note, 1);
    return has_word(row->cell.framework, "24.") ? tp : 1;
}

static void plan_types(struct train_plan *plan, const struct train_row *row)
{
    plan->compute_type = compute_type_of(row);
    plan->activation_type = plan->compute_type == TYPE_FP16 ? TYPE_FP16 : TYPE_BF16;
    plan->weight_type = plan->activation_type;
    if (plan->gradient_type == TYPE_BF16)
        plan->gradient_type = plan->activation_type;
}

/* A plan as the row says it; if that is refused, without interleaving; then with micro-batches of
 * one. Some tables print what their job rounded. */
static enum status check_nearest(struct train_plan *plan, const struct model_spec *model,
                                 struct notices *notices, struct diag *diag)
{
    const struct train_plan wanted = *plan;
    enum status status = STATUS_OK;
    for (int tries = 0; tries < 3; tries++) {
        *plan = wanted;
        if (tries > 0) {
            plan->interleave = 1;
            plan->schedule = PIPE_1F1B;
        }
        if (tries > 1)
            plan->micro_batch = 1;
        struct diag reason = DIAG_NONE;
        status = train_plan_check(plan, model, notices, &reason);
        if (status == STATUS_OK)
            return status;
        if (tries == 0)
            *diag = reason;
    }
    return status;
}

enum status row_plan(struct train_row *row, const struct framework *framework,
                     struct notices *notices, struct diag *diag)
{
    const struct train_cells *cell = &row->cell;
    struct train_plan *plan = &row->plan;
    train_plan_defaults(plan);
    framework_plan(framework, plan);
    plan->ranks = (uint32_t)cell_number(cell->chips, 1);
    plan->tp = (uint32_t)cell_number(cell->tp, 1);
    plan->pp = (uint32_t)cell_number(cell->pp, 1);
    plan->cp = (uint32_t)cell_number(cell->cp, 1);
    plan->ep = (uint32_t)cell_number(cell->ep, 1);
    plan->expert_tp = row->model.moe.experts > 0 ? expert_tp_of(row, plan->tp) : 1;
    plan->dp = 0;
    plan->interleave = (uint32_t)cell_number(cell->vpp, 1);
    plan->seq = cell_number(cell->seq, 0);
    plan->global_batch = cell_number(cell->global_batch, 0);
    plan->micro_batch = cell_number(cell->micro_batch, 1);
    /* NeMo's fine-tuning recipes: a layer in each virtual stage; their tables leave the column
     * out. */
    bool is_recipe = has_word(cell->framework, "nemo") && cell->vpp[0] == '\0' && plan->pp > 1;
    if (is_recipe && row->model.layers % plan->pp == 0) /* pp > 1 */
        plan->interleave = row->model.layers / plan->pp;
    plan->schedule = plan->interleave > 1 && plan->pp > 1 ? PIPE_INTERLEAVED : PIPE_1F1B;
    if (plan->pp == 1)
        plan->interleave = 1;
    bool is_modern = !has_word(row->framework_name, "megatron-20") &&
                     !has_word(row->framework_name, "megatron-deepspeed");
    plan->sequence_parallel =
        plan->tp > 1 && (cell->seq_parallel[0] ? cell->seq_parallel[0] == '1' : is_modern);
    double part;
    plan->recompute = recompute_of(row, &part);
    if (part < 1)
        plan->recompute_layers =
            (uint32_t)ceil(row->model.layers * part / plan->pp / plan->interleave);
    plan->zero = zero_of(row, is_modern ? 1 : 0);
    plan_types(plan, row);
    plan->uneven = true;
    if (has_word(row->framework_name, "torchtitan"))
        plan->overlap_tp = has_word(cell->note, "async"); /* asynchronous tensor parallelism */
    bool has_ranks = plan->ranks >= plan->tp && plan->tp > 0 && plan->pp > 0;
    if (!has_ranks)
        return diag_fail(diag, STATUS_BAD_INPUT, "%u chips for tp %u", plan->ranks, plan->tp);
    if (row->is_tpu)
        plan_tpu(row);
    return check_nearest(plan, &row->model, notices, diag);
}
