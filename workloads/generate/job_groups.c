#include "workloads/generate/job_groups.h"

#include <string.h>

#include "base/status.h"

static const char *const dim_names[LAYOUT_DIMS + 1] = {"tp", "cp", "ep", "dp", "pp", NULL};

/* What a group of a kind spans: dimensions of one of the views, or a rule of its own. */
static const struct {
    const char *name;
    bool of_experts;
    uint8_t dims; /* bit d: dimension d of the view */
} kinds[GROUP_KIND_COUNT] = {
    [GROUP_TP] = {"tp", false, 1 << LAYOUT_TP},
    [GROUP_CP] = {"cp", false, 1 << LAYOUT_CP},
    [GROUP_EP] = {"ep", true, 1 << LAYOUT_EP},
    [GROUP_DP] = {"dp", false, 1 << LAYOUT_DP},
    [GROUP_PP] = {"pp", false, 1 << LAYOUT_PP},
    [GROUP_DP_CP] = {"dp-cp", false, 1 << LAYOUT_DP | 1 << LAYOUT_CP},
    [GROUP_EXPERT_DP] = {"expert-dp", true, 1 << LAYOUT_DP},
    [GROUP_EXPERT_TP] = {"expert-tp", true, 1 << LAYOUT_TP},
    [GROUP_SHARD] = {"shard", false, 1 << LAYOUT_DP | 1 << LAYOUT_CP},
    [GROUP_REPLICA] = {"replica", false, 1 << LAYOUT_DP | 1 << LAYOUT_CP},
    [GROUP_EMBEDDING] = {"embedding", false, 1 << LAYOUT_PP},
    [GROUP_DP_CP_GRADIENTS] = {"dp-cp-gradients", false, 1 << LAYOUT_DP | 1 << LAYOUT_CP},
    [GROUP_EXPERT_DP_GRADIENTS] = {"expert-dp-gradients", true, 1 << LAYOUT_DP},
    [GROUP_SHARD_GRADIENTS] = {"shard-gradients", false, 1 << LAYOUT_DP | 1 << LAYOUT_CP},
};

const char *job_group_name(enum group_kind kind)
{
    return kinds[kind].name;
}

/* -- the order of ranks --------------------------------------------------------------------- */

static enum status order_fail(const char *order, struct diag *diag, const char *what,
                              const char *hint)
{
    diag_fail(diag, STATUS_BAD_CONFIG, "the order of ranks \"%.60s\" %s", order, what);
    diag_field(diag, "order");
    diag_hint(diag, "%s", hint);
    return STATUS_BAD_CONFIG;
}

/* Dimensions in the order of the text, fastest first. */
static enum status read_order(const char *order, int dim[LAYOUT_DIMS], struct diag *diag)
{
    static const char *const hint = "for example tp-cp-ep-dp-pp: each of them once, fastest first";
    int count = 0;
    uint32_t seen = 0;
    for (const char *at = order; *at;) {
        size_t length = strcspn(at, "-");
        int d = 0;
        while (d < LAYOUT_DIMS &&
               (strlen(dim_names[d]) != length || strncmp(at, dim_names[d], length) != 0))
            d++;
        if (d == LAYOUT_DIMS)
            return order_fail(order, diag, "has a part that is none of tp, cp, ep, dp, pp", hint);
        if (seen & 1u << d)
            return order_fail(order, diag, "names one dimension twice", hint);
        if (d == LAYOUT_DP && !(seen & 1 << LAYOUT_EP) && !strstr(at, "-ep")) {
            dim[count++] = LAYOUT_EP; /* rule 1 */
            seen |= 1 << LAYOUT_EP;
        }
        dim[count++] = d;
        seen |= 1u << d;
        at += length + (at[length] == '-');
    }
    if (count != LAYOUT_DIMS)
        return order_fail(order, diag, "leaves a dimension out", hint);
    return STATUS_OK;
}

static void set_strides(struct rank_view *view, const int dim[LAYOUT_DIMS])
{
    uint32_t stride = 1;
    for (int i = 0; i < LAYOUT_DIMS; i++) {
        view->stride[dim[i]] = stride;
        stride *= view->size[dim[i]];
    }
}

static uint32_t at_least_1(uint32_t value)
{
    return value ? value : 1;
}

enum status job_layout_init(struct job_layout *layout, const struct train_plan *plan,
                            struct diag *diag)
{
    int dim[LAYOUT_DIMS] = {LAYOUT_TP, LAYOUT_CP, LAYOUT_EP, LAYOUT_DP, LAYOUT_PP};
    if (plan->order && read_order(plan->order, dim, diag) != STATUS_OK)
        return diag->status;
    uint32_t ep = at_least_1(plan->ep), expert_tp = at_least_1(plan->expert_tp);
    uint32_t inner = plan->tp * plan->cp * plan->dp;
    *layout = (struct job_layout){
        .dense.size = {plan->tp, plan->cp, 1, plan->dp, plan->pp},
        .expert.size = {expert_tp, 1, ep, inner / (ep * expert_tp), plan->pp},
        .ranks = inner * plan->pp,
        .shard_group = plan->shard_group ? plan->shard_group : plan->cp * plan->dp,
    };
    promise(inner % (ep * expert_tp) == 0 && plan->cp * plan->dp % layout->shard_group == 0);
    set_strides(&layout->dense, dim);
    set_strides(&layout->expert, dim);
    if (layout->dense.stride[LAYOUT_PP] != layout->expert.stride[LAYOUT_PP] && ep * expert_tp > 1)
        return order_fail(plan->order, diag,
                          "gives the experts of a rank another pipeline stage than it has",
                          "with expert parallelism pp stands last: tp-cp-ep-dp-pp");
    return STATUS_OK;
}

static uint32_t coordinate(const struct rank_view *view, int dim, uint32_t rank)
{
    return rank / view->stride[dim] % view->size[dim];
}

uint32_t job_layout_stage(const struct job_layout *layout, uint32_t rank)
{
    return coordinate(&layout->dense, LAYOUT_PP, rank);
}

/* -- groups --------------------------------------------------------------------------------- */

static const struct rank_view *view_of(const struct job_layout *layout, enum group_kind kind)
{
    return kinds[kind].of_experts ? &layout->expert : &layout->dense;
}

/* Members along all dimensions of the kind. */
static uint32_t span(const struct job_layout *layout, enum group_kind kind)
{
    uint32_t members = 1;
    for (int d = 0; d < LAYOUT_DIMS; d++)
        members *= kinds[kind].dims >> d & 1 ? view_of(layout, kind)->size[d] : 1;
    return members;
}

uint32_t job_group_size(const struct job_layout *layout, enum group_kind kind)
{
    uint32_t members = span(layout, kind);
    switch (kind) {
    case GROUP_SHARD:
    case GROUP_SHARD_GRADIENTS:
        return layout->shard_group;
    case GROUP_REPLICA:
        return members / layout->shard_group;
    case GROUP_EMBEDDING:
        return members > 1 ? 2 : 1;
    default:
        return members;
    }
}

uint32_t job_group_stride(const struct job_layout *layout, enum group_kind kind)
{
    const struct rank_view *view = view_of(layout, kind);
    int outer = -1;
    for (int d = 0; d < LAYOUT_DIMS; d++) {
        bool is_further = outer < 0 || view->stride[d] * (uint64_t)view->size[d] >
                                           view->stride[outer] * (uint64_t)view->size[outer];
        if (kinds[kind].dims >> d & 1 && is_further)
            outer = d;
    }
    uint32_t inside = span(layout, kind) / view->size[outer];
    uint32_t stride = view->stride[outer] / inside;
    return kind == GROUP_REPLICA ? stride * layout->shard_group : stride;
}

/* Rank with the coordinates of `rank`, but 0 in the kind's own dimensions. */
static uint32_t base_of(const struct job_layout *layout, enum group_kind kind, uint32_t rank)
{
    const struct rank_view *view = view_of(layout, kind);
    for (int d = 0; d < LAYOUT_DIMS; d++) {
        if (kinds[kind].dims >> d & 1)
            rank -= coordinate(view, d, rank) * view->stride[d];
    }
    return rank;
}

/* Ranks by base: lists of span() members in ascending rank, in the order of their first rank. */
static uint32_t *sorted_by_base(const struct job_layout *layout, enum group_kind kind,
                                struct arena *arena)
{
    uint32_t size = span(layout, kind);
    uint32_t *place =
        arena_array(arena, layout->ranks, sizeof *place); /* 1 + next place of a base */
    uint32_t *ranks = arena_array(arena, layout->ranks, sizeof *ranks);
    uint32_t lists = 0;
    for (uint32_t r = 0; r < layout->ranks; r++) {
        uint32_t base = base_of(layout, kind, r);
        if (!place[base])
            place[base] = size * lists++ + 1;
        ranks[place[base]++ - 1] = r;
    }
    return ranks;
}

static void push_entry(struct group_file *groups, enum group_kind kind, uint32_t *ranks,
                       uint32_t count)
{
    groups->entry[groups->count++] = (struct group_entry){kinds[kind].name, ranks, count};
}

/* Members first, first + step, ... of one list. */
static void push_strided(struct group_file *groups, enum group_kind kind, const uint32_t *list,
                         uint32_t first, uint32_t step, uint32_t count)
{
    uint32_t *ranks = arena_array(&groups->arena, count, sizeof *ranks);
    for (uint32_t i = 0; i < count; i++)
        ranks[i] = list[first + i * step];
    push_entry(groups, kind, ranks, count);
}

static void push_kind(struct group_file *groups, const struct job_layout *layout,
                      enum group_kind kind)
{
    uint32_t size = span(layout, kind), shard = layout->shard_group;
    uint32_t *ranks = sorted_by_base(layout, kind, &groups->arena);
    for (uint32_t *list = ranks; list < ranks + layout->ranks; list += size) {
        if (kind == GROUP_SHARD || kind == GROUP_SHARD_GRADIENTS) {
            for (uint32_t s = 0; s < size; s += shard)
                push_entry(groups, kind, list + s, shard);
        } else if (kind == GROUP_REPLICA) {
            for (uint32_t s = 0; s < shard; s++)
                push_strided(groups, kind, list, s, shard, size / shard);
        } else if (kind == GROUP_EMBEDDING) {
            push_strided(groups, kind, list, 0, size - 1, 2);
        } else {
            push_entry(groups, kind, list, size);
        }
    }
}

void job_groups_make(struct group_file *groups, const struct job_layout *layout, uint32_t wanted)
{
    uint64_t entries = 0;
    for (int kind = 0; kind < GROUP_KIND_COUNT; kind++) {
        uint32_t size = job_group_size(layout, kind);
        entries += wanted >> kind & 1 && size > 1 ? layout->ranks / size : 0;
    }
    groups->entry = arena_array(&groups->arena, entries, sizeof *groups->entry);
    for (int kind = 0; kind < GROUP_KIND_COUNT; kind++) {
        if (wanted >> kind & 1 && job_group_size(layout, kind) > 1)
            push_kind(groups, layout, kind);
    }
    promise(groups->count <= entries);
    groups->path = "(generated)";
}
