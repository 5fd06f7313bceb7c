/*
 * Mixture of experts: router, dispatch to the ranks that have the chosen experts, their products,
 * and back.
 *
 * Each rank routes its outer tokens: r rows after top-k (or its share of the capacity). They are
 * exchanged over the ep group; with expert-tensor parallelism the group's rows are gathered, so
 * that each rank has r x expert_tp rows for a slice of its experts / ep experts. The weights that
 * the router gives the rows travel with them, four bytes each; dropless routing tells the ranks
 * first how many rows each expert gets.
 */
#include <math.h>

#include "workloads/generate/layer_build.h"

static const struct linear_names router_names = LINEAR_NAMES("router");
static const struct linear_names up_names = LINEAR_NAMES("experts.up");
static const struct linear_names down_names = LINEAR_NAMES("experts.down");

struct expert_work {
    struct linear router, up, down;
    uint64_t sent_rows;  /* of this rank's tokens */
    uint64_t rows;       /* that its experts get */
    uint64_t sent_bytes; /* of one exchange, each way */
};

static struct expert_work work_of(const struct layer_builder *builder)
{
    const struct model_spec *model = builder->model;
    const struct moe_spec *moe = &model->moe;
    const struct train_plan *plan = builder->plan;
    uint64_t tokens = builder->outer_tokens, local = moe->experts / plan->ep;
    double factor = moe->capacity_factor > 0 ? moe->capacity_factor : moe->imbalance;
    uint64_t width = moe->ffn / plan->expert_tp;
    struct expert_work work = {.sent_rows = tokens * moe->top_k};
    if (moe->capacity_factor > 0) /* padded to it */
        work.sent_rows = (uint64_t)((double)work.sent_rows * moe->capacity_factor + 0.5);
    work.rows = (uint64_t)((double)(tokens * moe->top_k * plan->expert_tp) * factor + 0.5);
    work.sent_bytes = work.sent_rows * model->hidden * builder->act_bytes;
    work.router = (struct linear){router_names, tokens, model->hidden, moe->experts, 0, false};
    work.up = (struct linear){
        up_names, work.rows, model->hidden, (model->gated_mlp ? 2 : 1) * width, local, true};
    work.down = (struct linear){down_names, work.rows, width, model->hidden, local, true};
    return work;
}

uint64_t experts_rows(const struct layer_builder *builder)
{
    return work_of(builder).rows;
}

/* Moves rows: `read` into `written`. */
static void move(struct layer_builder *builder, const char *name, uint64_t read, uint64_t written)
{
    uint64_t width = builder->model->hidden, bytes = width * builder->act_bytes;
    uint64_t rows = read > written ? read : written;
    struct pass pass = {name, OP_CLASS_PERMUTE, rows, width, read * bytes, written * bytes, 1};
    pass_push(builder, &pass);
}

/* Rows that came from several ranks are sorted by expert. */
static void sort(struct layer_builder *builder, const struct expert_work *work, const char *name)
{
    if (builder->plan->ep > 1 && work->up.groups > 1)
        move(builder, name, work->rows, work->rows);
}

static void exchange(struct layer_builder *builder, const char *name, uint64_t bytes)
{
    collective_push(builder, name, COLL_ALL_TO_ALL, GROUP_EP, bytes);
}

static void keep_work(struct layer_builder *builder, const struct expert_work *work)
{
    const struct linear *up = &work->up, *down = &work->down;
    keep(builder, 4 * work->router.rows * work->router.out); /* probabilities, fp32 */
    keep(builder, work->router.rows * work->router.in * builder->act_bytes);
    keep(builder, up->rows * up->in * kept_bytes(builder, up));
    keep(builder, up->rows * up->out * builder->act_bytes);
    keep(builder, down->rows * down->in * kept_bytes(builder, down));
}

/* Softmax, top-k, the maps of tokens to experts and the loss that balances them, in fp32: unfused a
 * row of small kernels. */
enum { ROUTER_KERNELS = 10, ROUTER_BACKWARD_KERNELS = 5, COUNT_KERNELS = 4 };

static void choose(struct layer_builder *builder, const struct expert_work *work, bool is_backward)
{
    uint64_t rows = work->router.rows, columns = work->router.out, bytes = 4 * rows * columns;
    struct pass pass = {is_backward ? "router.top-k.backward" : "router.top-k",
                        OP_CLASS_SOFTMAX,
                        rows,
                        columns,
                        is_backward ? 2 * bytes : bytes,
                        bytes,
                        is_backward ? ROUTER_BACKWARD_KERNELS : ROUTER_KERNELS};
    if (builder->framework->fused_router)
        pass.kernels = 1;
    pass_push(builder, &pass);
}

static void route_forward(struct layer_builder *builder, const struct expert_work *work)
{
    uint64_t columns = work->router.out;
    linear_forward(builder, &work->router);
    choose(builder, work, false);
    if (builder->model->moe.capacity_factor > 0 || builder->plan->ep == 1)
        return;
    struct pass count = {"experts.count", OP_CLASS_ELEMENTWISE, columns,      0,
                         8 * columns,     8 * columns,          COUNT_KERNELS};
    pass_push(builder, &count);
    collective_push(builder, "experts.counts", COLL_ALL_GATHER, GROUP_EP, 8 * columns);
}

void experts_forward(struct layer_builder *builder)
{
    const struct model_spec *model = builder->model;
    struct expert_work work = work_of(builder);
    norm_forward(builder, builder->outer_tokens, model->hidden);
    keep_work(builder, &work);
    route_forward(builder, &work);
    move(builder, "experts.permute", builder->outer_tokens, work.sent_rows);
    exchange(builder, "experts.dispatch", work.sent_bytes);
    exchange(builder, "experts.dispatch-weights", 4 * work.sent_rows);
    collective_push(builder, "experts.all-gather", COLL_ALL_GATHER, GROUP_EXPERT_TP,
                    work.sent_bytes);
    sort(builder, &work, "experts.sort");
    linear_forward(builder, &work.up);
    activation_forward(builder, work.rows, work.down.in);
    linear_forward(builder, &work.down);
    sort(builder, &work, "experts.unsort");
    collective_push(builder, "experts.reduce-scatter", COLL_REDUCE_SCATTER, GROUP_EXPERT_TP,
                    work.sent_bytes * builder->plan->expert_tp);
    exchange(builder, "experts.combine", work.sent_bytes);
    move(builder, "experts.unpermute", work.sent_rows, builder->outer_tokens);
    if (model->moe.shared_ffn)
        mlp_products_forward(builder, model->moe.shared_ffn);
    residual_forward(builder);
}

static void route_backward(struct layer_builder *builder, const struct expert_work *work)
{
    choose(builder, work, true);
    linear_dgrad(builder, &work->router);
    linear_wgrad(builder, &work->router);
}

void experts_backward(struct layer_builder *builder)
{
    const struct model_spec *model = builder->model;
    struct expert_work work = work_of(builder);
    uint64_t bytes = builder->outer_tokens * model->hidden * builder->act_bytes;
    residual_backward(builder);
    if (model->moe.shared_ffn)
        mlp_products_backward(builder, model->moe.shared_ffn);
    move(builder, "experts.unpermute.backward", builder->outer_tokens, work.sent_rows);
    exchange(builder, "experts.combine.backward", work.sent_bytes);
    collective_push(builder, "experts.all-gather", COLL_ALL_GATHER, GROUP_EXPERT_TP,
                    work.sent_bytes);
    sort(builder, &work, "experts.sort.backward");
    linear_dgrad(builder, &work.down);
    linear_wgrad(builder, &work.down);
    activation_backward(builder, work.rows, work.down.in);
    linear_dgrad(builder, &work.up);
    linear_wgrad(builder, &work.up);
    sort(builder, &work, "experts.unsort.backward");
    collective_push(builder, "experts.reduce-scatter", COLL_REDUCE_SCATTER, GROUP_EXPERT_TP,
                    work.sent_bytes * builder->plan->expert_tp);
    exchange(builder, "experts.dispatch.backward", work.sent_bytes);
    exchange(builder, "experts.dispatch-weights.backward", 4 * work.sent_rows);
    move(builder, "experts.permute.backward", work.sent_rows, builder->outer_tokens);
    route_backward(builder, &work);
    norm_backward(builder, builder->outer_tokens, model->hidden);
    struct pass sum = {"residual.backward",
                       OP_CLASS_ELEMENTWISE,
                       builder->outer_tokens * model->hidden,
                       0,
                       2 * bytes,
                       bytes,
                       1};
    pass_push(builder, &sum);
}

double expert_crossing_ratio(const struct moe_spec *moe, uint32_t domains)
{
    if (domains < 2 || !moe->top_k)
        return 1;
    double d = domains;
    return d * (1 - pow(1 - 1 / d, moe->top_k)) / moe->top_k;
}
