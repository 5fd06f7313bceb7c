#include <inttypes.h>
#include <string.h>

#include "workloads/generate/family.h"
#include "workloads/generate/nearest.h"
#include "workloads/generate/train_plan_review.h"

/* -- sequence --------------------------------------------------------------------------------- */

static enum status check_sequence(const struct review *review)
{
    const struct model_spec *model = review->model;
    struct train_plan *plan = review->plan;
    if (plan->seq == 0) {
        plan->seq = model->max_seq ? model->max_seq : 2048;
        notices_add(review->notices, NOTICE_DEFAULTED, "sequence length", 1, "%" PRIu64 " tokens",
                    plan->seq);
    }
    if (model->position == POSITION_LEARNED && plan->seq > model->max_seq) {
        diag_field(review->diag, "plan.seq");
        diag_hint(review->diag, "nearest: seq %" PRIu64, model->max_seq);
        return diag_fail(review->diag, STATUS_BAD_CONFIG,
                         "%" PRIu64 " tokens, but %s has learned positions for %" PRIu64, plan->seq,
                         model->name, model->max_seq);
    }
    /* Causal work is balanced by giving each rank one early and one late piece. */
    bool in_halves = plan->cp > 1 && plan->context != CONTEXT_ALL_TO_ALL;
    uint64_t pieces = in_halves ? 2 * (uint64_t)plan->cp : plan->cp;
    if (plan->sequence_parallel)
        pieces *= plan->tp;
    if (plan->seq % pieces != 0) {
        diag_field(review->diag, "plan.seq");
        diag_hint(review->diag, "nearest: seq %" PRIu64, nearest_multiple(pieces, plan->seq));
        return diag_fail(review->diag, STATUS_BAD_CONFIG,
                         "%" PRIu64 " tokens do not divide into %" PRIu64 " pieces of cp %u%s",
                         plan->seq, pieces, plan->cp,
                         plan->sequence_parallel ? " and sequence-parallel tp" : "");
    }
    if (plan->cp > 1 && plan->context == CONTEXT_ALL_TO_ALL)
        return review_divides(review, "heads of a tensor-parallel rank", model->heads / plan->tp,
                              "cp", plan->cp);
    return STATUS_OK;
}

/* The widest tensor of a micro-batch must be countable, far beyond what any device holds. */
static enum status check_widest(const struct review *review)
{
    const struct model_spec *model = review->model;
    const struct moe_spec *moe = &model->moe;
    const struct train_plan *plan = review->plan;
    double tokens = (double)plan->micro_batch * (double)plan->seq;
    double routed = (double)moe->top_k * (moe->capacity_factor + moe->imbalance) *
                    (double)(model->hidden + 2 * moe->ffn) * plan->tp;
    double wide = (double)model->vocab + 2 * (double)model->ffn + (double)model->hidden + routed;
    double heads = (double)model->heads * ((double)plan->seq + 4.0 * model->head_dim);
    if (tokens * (wide + heads) < 1e17)
        return STATUS_OK;
    diag_field(review->diag, "plan.micro-batch");
    diag_hint(review->diag, "fewer sequences or tokens");
    return diag_fail(review->diag, STATUS_BAD_CONFIG,
                     "%" PRIu64 " sequences of %" PRIu64 " tokens: more than 10^17 numbers",
                     plan->micro_batch, plan->seq);
}

/* -- batch and schedule ----------------------------------------------------------------------- */

static enum status check_batch(const struct review *review)
{
    struct train_plan *plan = review->plan;
    uint64_t unit = plan->dp * plan->micro_batch;
    if (plan->global_batch == 0) {
        plan->global_batch = unit * plan->pp;
        notices_add(review->notices, NOTICE_DEFAULTED, "global batch", 1,
                    "%" PRIu64 " sequences: a micro-batch for each pipeline stage",
                    plan->global_batch);
    }
    if (plan->global_batch % unit != 0) {
        uint64_t local = plan->global_batch / plan->dp;
        diag_field(review->diag, "plan.global-batch");
        if (plan->global_batch % plan->dp == 0 && local)
            diag_hint(review->diag, "nearest: micro-batch %" PRIu64 ", or global-batch %" PRIu64,
                      nearest_divisor(local, plan->micro_batch),
                      nearest_multiple(unit, plan->global_batch));
        else
            diag_hint(review->diag, "nearest: global-batch %" PRIu64,
                      nearest_multiple(unit, plan->global_batch));
        return diag_fail(review->diag, STATUS_BAD_CONFIG,
                         "%" PRIu64 " sequences do not divide by dp %u x micro-batch %" PRIu64,
                         plan->global_batch, plan->dp, plan->micro_batch);
    }
    plan->micro_batches = plan->global_batch / unit;
    return STATUS_OK;
}

static enum status check_schedule(const struct review *review)
{
    struct train_plan *plan = review->plan;
    if (plan->interleave > 1 && plan->schedule == PIPE_1F1B)
        plan->schedule = PIPE_INTERLEAVED;
    if (plan->interleave == 1 && plan->schedule == PIPE_INTERLEAVED)
        plan->schedule = PIPE_1F1B;
    if (plan->interleave == 1)
        return STATUS_OK;
    if (plan->pp == 1) {
        diag_field(review->diag, "plan.interleave");
        diag_hint(review->diag, "nearest: interleave 1");
        return diag_fail(review->diag, STATUS_BAD_CONFIG,
                         "%u virtual stages of a rank need a pipeline (pp is 1)", plan->interleave);
    }
    if (plan->schedule != PIPE_INTERLEAVED) {
        diag_field(review->diag, "plan.interleave");
        diag_hint(review->diag, "nearest: interleave 1, or schedule interleaved");
        return diag_fail(review->diag, STATUS_BAD_CONFIG, "schedule %s has no virtual stages",
                         schedule_names[plan->schedule]);
    }
    if (plan->micro_batches % plan->pp != 0) {
        diag_field(review->diag, "plan.interleave");
        diag_hint(review->diag,
                  "nearest: global-batch %" PRIu64 " (%" PRIu64 " micro-batches), or interleave 1",
                  nearest_multiple(plan->pp, plan->micro_batches) * plan->dp * plan->micro_batch,
                  nearest_multiple(plan->pp, plan->micro_batches));
        return diag_fail(
            review->diag, STATUS_BAD_CONFIG,
            "interleaving takes micro-batches in rounds of pp %u, but there are %" PRIu64, plan->pp,
            plan->micro_batches);
    }
    return STATUS_OK;
}

/* -- sharding, types, order ------------------------------------------------------------------- */

static enum status check_sharding(const struct review *review)
{
    struct train_plan *plan = review->plan;
    uint64_t all = (uint64_t)plan->dp * plan->cp;
    if (plan->zero > 3) {
        diag_field(review->diag, "plan.zero");
        diag_hint(review->diag, "nearest: zero 3");
        return diag_fail(review->diag, STATUS_BAD_CONFIG, "expected 0 to 3, found %u", plan->zero);
    }
    if (plan->shard_group == 0)
        return STATUS_OK;
    if (plan->zero == 0) {
        notices_add(review->notices, NOTICE_IGNORED, "shard group without zero", 1,
                    "nothing is sharded");
        plan->shard_group = 0;
        return STATUS_OK;
    }
    return review_divides(review, "ranks of dp x cp", all, "shard-group", plan->shard_group);
}

static enum status check_types(const struct review *review)
{
    const struct train_plan *plan = review->plan;
    enum data_type flows = plan->activation_type;
    if (flows == TYPE_BF16 || flows == TYPE_FP16 || flows == TYPE_FP32)
        return STATUS_OK;
    diag_field(review->diag, "plan.activation-type");
    diag_hint(review->diag, "nearest: activation-type bf16, compute-type %s",
              data_type_name(flows));
    return diag_fail(review->diag, STATUS_BAD_CONFIG, "expected bf16, fp16 or fp32, found %s",
                     data_type_name(flows));
}

static enum status check_order(const struct review *review)
{
    static const char *const axes[] = {"tp", "cp", "ep", "dp", "pp"};
    const char *at = review->plan->order;
    unsigned seen = 0;
    bool fits = true;
    while (at && *at && fits) {
        unsigned axis = 0;
        while (axis < 5 && strncmp(at, axes[axis], 2) != 0)
            axis++;
        fits = axis < 5 && !(seen >> axis & 1) && (at[2] == '-' || at[2] == '\0');
        seen |= 1u << axis;
        at += fits ? 2 + (at[2] == '-') : 0;
    }
    enum { NEEDED = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4 }; /* all but ep */
    if (!review->plan->order || (fits && (seen & NEEDED) == NEEDED))
        return STATUS_OK;
    diag_field(review->diag, "plan.order");
    diag_hint(review->diag, "nearest: tp-cp-ep-dp-pp, or the same words in another order");
    return diag_fail(review->diag, STATUS_BAD_CONFIG,
                     "expected tp, cp, dp and pp (ep may be left out) with '-' between, found "
                     "\"%.60s\"",
                     review->plan->order);
}

/* Models of other families are data parallel only; what a transformer's plan says besides means
 * nothing there. */
static enum status check_family(const struct review *review)
{
    struct train_plan *plan = review->plan;
    const struct {
        const char *name;
        uint32_t degree;
    } degrees[] = {{"tp", plan->tp},
                   {"pp", plan->pp},
                   {"cp", plan->cp},
                   {"ep", plan->ep},
                   {"interleave", plan->interleave}};
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
        if (degrees[i].degree == 1)
            continue;
        diag_field(review->diag, "plan.%s", degrees[i].name);
        diag_hint(review->diag, "nearest: %s 1", degrees[i].name);
        return diag_fail(review->diag, STATUS_BAD_CONFIG,
                         "%u, but %s is of a family that is data parallel only", degrees[i].degree,
                         review->model->name);
    }
    plan->seq = plan->expert_tp = 1;
    plan->sequence_parallel = false;
    plan->recompute = RECOMPUTE_NONE;
    plan->recompute_layers = 0;
    plan->schedule = PIPE_1F1B;
    return STATUS_OK;
}

enum status train_plan_check(struct train_plan *plan, const struct model_spec *model,
                             struct notices *notices, struct diag *diag)
{
    typedef enum status check_fn(const struct review *);
    static check_fn *const of_transformers[] = {
        review_ranks,   review_tensor,  check_sequence, check_widest, review_layers, check_batch,
        check_schedule, review_experts, check_sharding, check_types,  check_order,   NULL};
    static check_fn *const of_families[] = {review_ranks, check_family, check_batch, check_sharding,
                                            check_types,  check_order,  NULL};
    struct review review = {plan, model, notices, diag};
    review_fill(plan);
    enum status status = STATUS_OK;
    check_fn *const *check = family_of(model) ? of_families : of_transformers;
    for (; *check && status == STATUS_OK; check++)
        status = (*check)(&review);
    return status;
}
