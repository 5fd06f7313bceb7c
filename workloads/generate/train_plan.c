#include "workloads/generate/train_plan.h"

const char *const schedule_names[] = {"1f1b", "interleaved", "gpipe", "zero-bubble", NULL};
const char *const recompute_names[] = {"none", "selective", "full", NULL};
const char *const context_names[] = {"ring", "all-to-all", "all-gather", NULL};

/* Bounds far outside of what is trained keep products of degrees and sizes within 64 bits. */
#define DEGREE(member, name)   FIELD(struct train_plan, member, name, FIELD_U32, .most = 1u << 24)
#define SIZE(member, name)     FIELD(struct train_plan, member, name, FIELD_U64, .most = 1u << 30)
#define FLAG(member, name)     FIELD(struct train_plan, member, name, FIELD_FLAG)
#define WORD(member, name, of) FIELD(struct train_plan, member, name, FIELD_WORD, .words = of)

const struct field train_plan_fields[] = {
    DEGREE(ranks, "ranks"),
    DEGREE(tp, "tp"),
    DEGREE(pp, "pp"),
    DEGREE(cp, "cp"),
    DEGREE(dp, "dp"),
    DEGREE(ep, "ep"),
    DEGREE(expert_tp, "expert-tp"),
    DEGREE(interleave, "interleave"),
    FLAG(uneven, "uneven"),
    SIZE(seq, "seq"),
    SIZE(micro_batch, "micro-batch"),
    SIZE(global_batch, "global-batch"),
    FLAG(sequence_parallel, "sequence-parallel"),
    WORD(schedule, "schedule", schedule_names),
    WORD(recompute, "recompute", recompute_names),
    DEGREE(recompute_layers, "recompute-layers"),
    WORD(context, "context", context_names),
    FIELD(struct train_plan, zero, "zero", FIELD_U32, .most = 3),
    DEGREE(shard_group, "shard-group"),
    FIELD(struct train_plan, bucket_bytes, "bucket-bytes", FIELD_U64),
    WORD(compute_type, "compute-type", data_type_names),
    WORD(activation_type, "activation-type", data_type_names),
    WORD(weight_type, "weight-type", data_type_names),
    WORD(gradient_type, "gradient-type", data_type_names),
    WORD(optimizer_type, "optimizer-type", data_type_names),
    FLAG(master_weights, "master-weights"),
    FLAG(overlap_gradients, "overlap-gradients"),
    FLAG(overlap_weights, "overlap-weights"),
    FLAG(overlap_tp, "overlap-tp"),
    FLAG(overlap_pp, "overlap-pp"),
    FIELD(struct train_plan, order, "order", FIELD_TEXT),
    {.key = NULL},
};

void train_plan_defaults(struct train_plan *plan)
{
    *plan = (struct train_plan){.tp = 1,
                                .pp = 1,
                                .cp = 1,
                                .ep = 1,
                                .interleave = 1,
                                .micro_batch = 1,
                                .compute_type = TYPE_BF16,
                                .activation_type = TYPE_BF16,
                                .weight_type = TYPE_BF16,
                                .gradient_type = TYPE_FP32,
                                .optimizer_type = TYPE_FP32,
                                .master_weights = true,
                                .overlap_gradients = true};
}

enum status train_plan_read(struct train_plan *plan, const struct field_reader *reader,
                            const struct doc_node *map)
{
    return fields_read(reader, map, train_plan_fields, NULL, plan);
}

/* Layers of the stages before `stage` if all have `each` and those of [extra_from, extra_to) one
 * more. */
static uint32_t layers_before(uint32_t stage, uint32_t each, uint32_t extra_from, uint32_t extra_to)
{
    uint32_t extra = stage <= extra_from ? 0 : (stage < extra_to ? stage : extra_to) - extra_from;
    return stage * each + extra;
}

uint32_t stage_layers(const struct model_spec *model, const struct train_plan *plan, uint32_t stage,
                      uint32_t *first)
{
    uint32_t stages = plan->pp * plan->interleave, layers = model->layers;
    uint32_t each = layers / stages, rest = layers % stages;
    /* Rule 4: the stages with one more are all but the first and last, all but the last, or the
     * middle ones. */
    uint32_t from = (stages - rest) / 2;
    if (rest + 1 == stages)
        from = 0;
    *first = layers_before(stage, each, from, from + rest);
    return layers_before(stage + 1, each, from, from + rest) - *first;
}
