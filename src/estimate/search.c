#include "estimate/search.h"

#include <string.h>

enum { MOST_MICRO_BATCH = 8, MOST_CHUNKS = 16, LEAST_TOKENS = 2048 };

struct search {
    const struct search_request *request;
    struct estimator *estimator;
    struct search_result *result;
    struct notices notices;
};

/* -- one plan --------------------------------------------------------------------------------- */

static void keep(struct search *search, const struct search_plan *found)
{
    struct search_result *result = search->result;
    uint32_t at = result->count;
    while (at > 0 && result->best[at - 1].estimate.step_ns > found->estimate.step_ns)
        at--;
    if (at == search->request->most)
        return;
    uint32_t moved = result->count - at;
    if (result->count == search->request->most)
        moved--;
    else
        result->count++;
    memmove(&result->best[at + 1], &result->best[at], moved * sizeof *result->best);
    result->best[at] = *found;
}

static void keep_least(struct search *search, const struct search_plan *found)
{
    struct search_result *result = search->result;
    bool is_first = result->least.memory.total_bytes == 0;
    if (is_first || found->memory.total_bytes < result->least.memory.total_bytes)
        result->least = *found;
}

static void try_plan(struct search *search, const struct train_plan *wanted)
{
    struct search_plan found = {.plan = *wanted};
    struct diag diag = DIAG_NONE;
    const struct estimate_setting *setting = search->request->setting;
    if (train_plan_check(&found.plan, setting->model, &search->notices, &diag) != STATUS_OK)
        return;
    search->result->valid++;
    estimate_memory(search->estimator, &found.plan, &found.memory);
    if ((double)found.memory.total_bytes > setting->device->memory_bytes) {
        keep_least(search, &found);
        return;
    }
    search->result->fitting++;
    estimate_plan(search->estimator, &found.plan, &found.estimate);
    keep(search, &found);
}

/* -- what a plan may be ----------------------------------------------------------------------- */

static void try_recompute(struct search *search, struct train_plan plan)
{
    bool has_core = !search->request->setting->framework->fused_attention;
    for (int recompute = RECOMPUTE_NONE; recompute <= RECOMPUTE_FULL; recompute++) {
        plan.recompute = (enum recompute)recompute;
        if (recompute != RECOMPUTE_SELECTIVE || has_core)
            try_plan(search, &plan);
    }
}

static void try_zero(struct search *search, struct train_plan plan)
{
    plan.zero = 1;
    try_recompute(search, plan);
    if (plan.pp > 1 || plan.dp * plan.cp == 1)
        return;
    plan.zero = 3;
    try_recompute(search, plan);
}

static void try_chunks(struct search *search, struct train_plan plan)
{
    plan.interleave = 1;
    plan.schedule = PIPE_1F1B;
    try_zero(search, plan);
    uint32_t layers = search->request->setting->model->layers;
    uint64_t micro_batches = plan.global_batch / plan.dp / plan.micro_batch;
    if (plan.pp == 1 || micro_batches % plan.pp != 0)
        return;
    plan.schedule = PIPE_INTERLEAVED;
    for (uint32_t chunks = 2; chunks <= MOST_CHUNKS && chunks * plan.pp <= layers; chunks++) {
        plan.interleave = chunks;
        uint32_t rest = layers % (chunks * plan.pp);
        bool is_even = rest == 0 || rest + 2 == chunks * plan.pp || rest + 1 == chunks * plan.pp;
        if (is_even)
            try_zero(search, plan);
    }
}

static void try_micro_batches(struct search *search, struct train_plan plan)
{
    if (plan.global_batch % plan.dp != 0)
        return;
    uint64_t each = plan.global_batch / plan.dp;
    for (uint64_t size = 1; size <= MOST_MICRO_BATCH && size <= each; size *= 2) {
        plan.micro_batch = size;
        if (each % size == 0)
            try_chunks(search, plan);
    }
}

static void try_experts(struct search *search, struct train_plan plan)
{
    const struct moe_spec *moe = &search->request->setting->model->moe;
    uint32_t around = plan.tp * plan.cp * plan.dp;
    plan.ep = plan.expert_tp = 1;
    if (moe->experts == 0) {
        try_micro_batches(search, plan);
        return;
    }
    for (uint32_t ep = 1; ep <= moe->experts && ep <= around; ep *= 2) {
        plan.ep = ep;
        if (moe->experts % ep == 0 && around % ep == 0)
            try_micro_batches(search, plan);
    }
}

static void try_stages(struct search *search, struct train_plan plan)
{
    uint32_t rest = plan.ranks / (plan.tp * plan.cp);
    uint32_t layers = search->request->setting->model->layers;
    for (uint32_t pp = 1; pp <= rest && pp <= layers; pp++) {
        if (rest % pp != 0)
            continue;
        plan.pp = pp;
        plan.dp = rest / pp;
        try_experts(search, plan);
    }
}

static void try_context(struct search *search, struct train_plan plan)
{
    uint32_t rest = plan.ranks / plan.tp;
    plan.sequence_parallel = plan.tp > 1;
    for (uint32_t cp = 1; cp <= rest && (cp == 1 || plan.seq / cp >= LEAST_TOKENS); cp *= 2) {
        plan.cp = cp;
        if (rest % cp == 0)
            try_stages(search, plan);
    }
}

void search_run(const struct search_request *request, struct search_result *result,
                struct arena *arena)
{
    *result =
        (struct search_result){.best = arena_array(arena, request->most, sizeof *result->best)};
    struct search search = {.request = request, .result = result};
    search.estimator = estimator_create(request->setting);
    notices_init(&search.notices);
    struct train_plan plan = request->base;
    plan.ranks = request->ranks;
    plan.uneven = true;
    for (uint32_t tp = 1; tp <= request->domain && tp <= request->ranks; tp *= 2) {
        plan.tp = tp;
        if (request->ranks % tp == 0)
            try_context(&search, plan);
    }
    notices_release(&search.notices);
    estimator_destroy(search.estimator);
}
