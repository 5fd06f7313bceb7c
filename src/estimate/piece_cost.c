#include "estimate/piece_cost.h"

#include <math.h>
#include <string.h>

#include "workloads/generate/job_groups.h"

/* -- groups ----------------------------------------------------------------------------------- */

static uint32_t at_least_one(uint32_t count)
{
    return count > 0 ? count : 1;
}

struct rank_group piece_group(const struct train_plan *plan, enum group_kind kind)
{
    struct job_layout layout;
    struct diag diag = DIAG_NONE;
    if (job_layout_init(&layout, plan, &diag) != STATUS_OK) {
        struct train_plan usual = *plan; /* no run takes that order with its experts */
        usual.order = NULL;
        promise(job_layout_init(&layout, &usual, &diag) == STATUS_OK);
    }
    return (struct rank_group){job_group_size(&layout, kind), job_group_stride(&layout, kind)};
}

/* -- traffic ---------------------------------------------------------------------------------- */

static enum estimate_term term_of_group(enum group_kind kind)
{
    switch (kind) {
    case GROUP_TP:
    case GROUP_EXPERT_TP:
        return TERM_TP;
    case GROUP_CP:
        return TERM_CP;
    case GROUP_EP:
        return TERM_EP;
    default:
        return TERM_DP;
    }
}

static double item_group_time_ns(const struct piece_context *context, const struct layer_item *item)
{
    struct rank_group group = piece_group(context->plan, item->group);
    uint64_t bytes = item->bytes;
    int kind = item->kind == ITEM_SEND_RECV ? TUNER_SEND_RECEIVE : (int)item->collective;
    if (item->group == GROUP_EP && group_domains(context->times, group) > 1)
        bytes = (uint64_t)((double)bytes * context->dedup_ratio);
    return group_time_ns(context->times, kind, bytes, group) * at_least_one(item->repeat);
}

/* Share of traffic that a framework hides by rule; negative: by what there is to compute. */
static double hidden_share(const struct piece_context *context, const struct layer_item *item)
{
    if (item->group == GROUP_EP)
        return context->framework->hidden_ep;
    if (item->group == GROUP_EXPERT_TP)
        return 0;
    if (item->group == GROUP_TP && item->overlaps && context->plan->overlap_tp)
        return context->framework->hidden_tp;
    return -1;
}

/* -- a list ----------------------------------------------------------------------------------- */

struct pass {
    const struct piece_context *context;
    const struct item_list *list;
    struct pass_cost *cost;
    bool is_mixture;
    double host_ns, weight_gradient_ns;
};

static bool is_left_out(const struct piece_context *context, const struct layer_item *item)
{
    return context->is_frozen && item->kind == ITEM_COMPUTE && item->is_weight_gradient;
}

static double compute_ns(const struct pass *pass, uint32_t index)
{
    const struct layer_item *item = &pass->list->item[index];
    if (item->kind != ITEM_COMPUTE || is_left_out(pass->context, item))
        return 0;
    return price_ns(pass->context->prices, &item->shape) * at_least_one(item->repeat);
}

static uint32_t waiting_item(const struct pass *pass, uint32_t index)
{
    uint32_t waits = pass->list->item[index].waits;
    return waits > index && waits < pass->list->count ? waits : pass->list->count;
}

/* Traffic that the compute between an item and the one that waits for it covers. Of a ring
 * (layer_ops.h rule 3) each further step runs beside the compute of the step before. */
static double covered_ns(const struct pass *pass, uint32_t index, double all_ns)
{
    const struct layer_item *item = &pass->list->item[index];
    uint32_t stop = waiting_item(pass, index), steps = at_least_one(item->repeat);
    double window = 0;
    for (uint32_t i = index + 1; i < stop; i++)
        window += compute_ns(pass, i);
    bool is_ring = stop < pass->list->count && steps > 1 && pass->list->item[stop].repeat == steps;
    if (!is_ring)
        return fmin(all_ns, window);
    double step = all_ns / steps, beside = compute_ns(pass, stop) / steps;
    return fmin(step, window) + (steps - 1) * fmin(step, beside);
}

static double launch_ns(const struct piece_context *context, bool is_collective)
{
    const struct framework *framework = context->framework;
    if (is_collective && framework->collective_launch_ns > 0)
        return framework->collective_launch_ns;
    return framework->launch_ns > 0 ? framework->launch_ns : context->prices->device->launch_ns;
}

static void add_compute(struct pass *pass, uint32_t index)
{
    static const enum estimate_term terms[] = {[OP_SORT_MATRIX] = TERM_MATRIX,
                                               [OP_SORT_ATTENTION] = TERM_ATTENTION,
                                               [OP_SORT_MEMORY] = TERM_MEMORY};
    const struct layer_item *item = &pass->list->item[index];
    if (is_left_out(pass->context, item))
        return;
    double ns = compute_ns(pass, index);
    enum estimate_term term = terms[op_sort_of((enum op_class)item->shape.class)];
    pass->cost->term_ns[item->is_recompute ? TERM_RECOMPUTE : term] += ns;
    pass->host_ns +=
        launch_ns(pass->context, false) * at_least_one(item->repeat) * at_least_one(item->kernels);
    if (item->is_weight_gradient)
        pass->weight_gradient_ns += ns;
}

static void add_traffic(struct pass *pass, uint32_t index)
{
    const struct layer_item *item = &pass->list->item[index];
    enum estimate_term term = term_of_group(item->group);
    if (term == TERM_DP)
        return;
    double all = item_group_time_ns(pass->context, item);
    if (!(all > 0))
        return;
    double share = hidden_share(pass->context, item);
    double hidden = share >= 0 ? all * share : 0;
    if (share < 0 && item->overlaps)
        hidden = covered_ns(pass, index, all);
    double slowdown = pass->context->prices->device->overlap_slowdown;
    pass->cost->term_ns[item->is_recompute ? TERM_RECOMPUTE : term] +=
        all - hidden + hidden * slowdown;
    pass->host_ns += launch_ns(pass->context, true) * at_least_one(item->repeat);
}

static void find_pass(struct pass *pass)
{
    for (uint32_t i = 0; i < pass->list->count; i++) {
        if (pass->list->item[i].kind == ITEM_COMPUTE)
            add_compute(pass, i);
        else
            add_traffic(pass, i);
    }
    double ns = 0;
    for (int t = 0; t < ESTIMATE_TERM_COUNT; t++)
        ns += pass->cost->term_ns[t];
    if (!pass->context->framework->one_graph && pass->host_ns > ns) {
        pass->cost->term_ns[TERM_HOST] = pass->host_ns - ns;
        ns = pass->host_ns;
    }
    if (pass->is_mixture) {
        pass->cost->term_ns[TERM_HOST] += pass->context->framework->expert_host_ns;
        ns += pass->context->framework->expert_host_ns;
    }
    pass->cost->ns = ns;
}

void piece_cost_find(const struct piece_context *context, const struct layer_piece *piece,
                     struct piece_cost *cost)
{
    memset(cost, 0, sizeof *cost);
    bool is_mixture = piece->expert_parameters > 0;
    struct pass forward = {context, &piece->forward, &cost->forward, is_mixture, 0, 0};
    find_pass(&forward);
    struct pass backward = {context, &piece->backward, &cost->backward, is_mixture, 0, 0};
    find_pass(&backward);
    cost->recompute_ns = cost->backward.term_ns[TERM_RECOMPUTE];
    cost->weight_gradient_ns = backward.weight_gradient_ns;
}
