#include "workloads/generate/train_plan_review.h"

#include <inttypes.h>

#include "workloads/generate/nearest.h"
#include "workloads/generate/nearest_plan.h"

enum { HINT = 96 };

/* -- degrees ---------------------------------------------------------------------------------- */

void review_fill(struct train_plan *plan)
{
    uint32_t *degree[] = {&plan->tp, &plan->pp, &plan->cp, &plan->ep, &plan->interleave};
    for (size_t i = 0; i < sizeof degree / sizeof *degree; i++)
        if (*degree[i] == 0)
            *degree[i] = 1;
    if (plan->micro_batch == 0)
        plan->micro_batch = 1;
}

enum status review_ranks(const struct review *review)
{
    struct train_plan *plan = review->plan;
    uint64_t one = (uint64_t)plan->tp * plan->cp, all;
    one = one < UINT32_MAX ? one * plan->pp : one;
    if (one > UINT32_MAX) {
        diag_field(review->diag, "plan.tp");
        return diag_fail(review->diag, STATUS_BAD_CONFIG, "tp x cp x pp is more than 2^32 ranks");
    }
    if (plan->ranks == 0 && plan->dp == 0)
        plan->dp = 1;
    if (plan->dp == 0 && plan->ranks % one == 0)
        plan->dp = (uint32_t)(plan->ranks / one);
    all = one * plan->dp;
    if (plan->ranks == 0 && all <= UINT32_MAX)
        plan->ranks = (uint32_t)all;
    if (plan->dp && all == plan->ranks)
        return STATUS_OK;
    diag_field(review->diag, "plan.dp");
    char text[HINT];
    bool has_nearest =
        plan->ranks % one != 0 && nearest_plan(plan, review->model, false, text, sizeof text);
    if (plan->dp == 0) {
        diag_fail(review->diag, STATUS_BAD_CONFIG,
                  "tp %u x cp %u x pp %u = %" PRIu64 " does not divide %u devices", plan->tp,
                  plan->cp, plan->pp, one, plan->ranks);
        if (has_nearest)
            diag_hint(review->diag, "nearest: %s, or %" PRIu64 " devices", text,
                      nearest_multiple(one, plan->ranks));
        else
            diag_hint(review->diag, "nearest: %" PRIu64 " devices",
                      nearest_multiple(one, plan->ranks));
        return STATUS_BAD_CONFIG;
    }
    diag_fail(review->diag, STATUS_BAD_CONFIG,
              "tp %u x cp %u x dp %u x pp %u = %" PRIu64 ", but there are %u devices", plan->tp,
              plan->cp, plan->dp, plan->pp, all, plan->ranks);
    if (plan->ranks % one == 0)
        diag_hint(review->diag, "nearest: dp %" PRIu64, plan->ranks / one);
    else if (has_nearest)
        diag_hint(review->diag, "nearest: %s and no dp, or %" PRIu64 " devices", text, all);
    else
        diag_hint(review->diag, "nearest: %" PRIu64 " devices", all);
    return STATUS_BAD_CONFIG;
}

enum status review_divides(const struct review *review, const char *what, uint64_t have,
                           const char *name, uint64_t degree)
{
    if (have % degree == 0)
        return STATUS_OK;
    diag_field(review->diag, "plan.%s", name);
    diag_hint(review->diag, "nearest: %s %" PRIu64, name, nearest_divisor(have, degree));
    return diag_fail(review->diag, STATUS_BAD_CONFIG,
                     have < degree ? "%" PRIu64 " %s are fewer than %s %" PRIu64
                                   : "%" PRIu64 " %s do not divide by %s %" PRIu64,
                     have, what, name, degree);
}

enum status review_tensor(const struct review *review)
{
    const struct model_spec *model = review->model;
    struct train_plan *plan = review->plan;
    enum status status = review_divides(review, "heads", model->heads, "tp", plan->tp);
    if (status != STATUS_OK)
        return status;
    bool kv_fits = model->kv_heads % plan->tp == 0 || plan->tp % model->kv_heads == 0;
    if (!kv_fits) {
        diag_field(review->diag, "plan.tp");
        diag_hint(review->diag, "nearest: tp %" PRIu64,
                  nearest_divisor(common_divisor(model->kv_heads, model->heads), plan->tp));
        return diag_fail(review->diag, STATUS_BAD_CONFIG,
                         "%u key/value heads are neither a multiple nor a divisor of tp %u",
                         model->kv_heads, plan->tp);
    }
    if (plan->tp > model->kv_heads && !model->mla.kv_rank)
        notices_add(review->notices, NOTICE_ODDITY, "key/value heads copied", 1,
                    "%u key/value heads on tp %u: each is on %u ranks", model->kv_heads, plan->tp,
                    plan->tp / model->kv_heads);
    status = review_divides(review, "feed-forward columns", model->ffn, "tp", plan->tp);
    if (model->moe.experts && plan->tp > 1 && !plan->sequence_parallel) {
        plan->sequence_parallel = true;
        notices_add(review->notices, NOTICE_GUESSED, "sequence parallel for experts", 1,
                    "tp %u: each rank routes its own tokens", plan->tp);
    }
    if (status == STATUS_OK && plan->sequence_parallel && plan->tp == 1) {
        plan->sequence_parallel = false;
        notices_add(review->notices, NOTICE_IGNORED, "sequence parallel without tp", 1,
                    "tp is 1: there is nothing to divide");
    }
    return status;
}

/* -- layers ----------------------------------------------------------------------------------- */

static enum status refuse_layers(const struct review *review, uint64_t stages)
{
    const struct train_plan *plan = review->plan;
    uint64_t layers = review->model->layers;
    diag_field(review->diag, "plan.pp");
    char text[HINT];
    bool has_plan = nearest_plan(plan, review->model, true, text, sizeof text);
    if (layers < stages && has_plan)
        diag_hint(review->diag, "nearest: %s", text);
    else if (has_plan)
        diag_hint(review->diag, "nearest: %s, or uneven: true", text);
    return diag_fail(review->diag, STATUS_BAD_CONFIG,
                     layers < stages
                         ? "%" PRIu64 " layers are fewer than pp %u x interleave %u = %" PRIu64
                         : "%" PRIu64 " layers do not divide by pp %u x interleave %u = %" PRIu64,
                     layers, plan->pp, plan->interleave, stages);
}

enum status review_layers(const struct review *review)
{
    struct train_plan *plan = review->plan;
    uint64_t stages = (uint64_t)plan->pp * plan->interleave, layers = review->model->layers;
    bool even = layers % stages == 0;
    bool nearly = (layers + 2) % stages == 0 || (layers + 1) % stages == 0;
    if (!even && !(nearly && stages > 1) && (!plan->uneven || layers < stages))
        return refuse_layers(review, stages);
    if (!even)
        notices_add(review->notices, NOTICE_GUESSED, "layers of a stage", 1,
                    "%" PRIu64 " layers on %" PRIu64 " stages: fewer on the outer ones", layers,
                    stages);
    uint64_t most = (layers + stages - 1) / stages;
    if (plan->recompute_layers > 0 && plan->recompute != RECOMPUTE_FULL) {
        notices_add(review->notices, NOTICE_IGNORED, "recompute-layers", 1,
                    "recompute is %s: they count with full recompute only",
                    recompute_names[plan->recompute]);
        plan->recompute_layers = 0;
    }
    if (plan->recompute_layers > most) {
        diag_field(review->diag, "plan.recompute-layers");
        diag_hint(review->diag, "nearest: recompute-layers %" PRIu64 " (all)", most);
        return diag_fail(review->diag, STATUS_BAD_CONFIG, "%u, but a stage has %" PRIu64 " layers",
                         plan->recompute_layers, most);
    }
    return STATUS_OK;
}

/* -- experts ---------------------------------------------------------------------------------- */

enum status review_experts(const struct review *review)
{
    struct train_plan *plan = review->plan;
    const struct moe_spec *moe = &review->model->moe;
    uint32_t around = plan->tp * plan->cp * plan->dp;
    if (moe->experts == 0) {
        if (plan->ep == 1 && plan->expert_tp <= 1) {
            plan->expert_tp = 1;
            return STATUS_OK;
        }
        bool is_ep = plan->ep != 1;
        diag_field(review->diag, "%s", is_ep ? "plan.ep" : "plan.expert-tp");
        diag_hint(review->diag, "nearest: %s 1", is_ep ? "ep" : "expert-tp");
        return diag_fail(review->diag, STATUS_BAD_CONFIG, "%s has no experts to divide by %s %u",
                         review->model->name, is_ep ? "ep" : "expert-tp",
                         is_ep ? plan->ep : plan->expert_tp);
    }
    enum status status = review_divides(review, "experts", moe->experts, "ep", plan->ep);
    if (status != STATUS_OK)
        return status;
    status = review_divides(review, "ranks of tp x cp x dp", around, "ep", plan->ep);
    if (status != STATUS_OK)
        return status;
    if (plan->expert_tp == 0)
        plan->expert_tp = around / plan->ep % plan->tp == 0 ? plan->tp : 1;
    status = review_divides(review, "ranks of tp x cp x dp / ep", around / plan->ep, "expert-tp",
                            plan->expert_tp);
    return status != STATUS_OK ? status
                               : review_divides(review, "columns of an expert", moe->ffn,
                                                "expert-tp", plan->expert_tp);
}
