#include "workloads/scale_meaning.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define COPY_GROUP "(copy)" /* all ranks of a copy: what messages count places in */

struct scaled_trace {
    struct trace trace; /* first */
    struct trace *from;
};

/* -- nodes ---------------------------------------------------------------------------------- */

static enum status refuse_kind(const struct scaling *scaling, const struct trace *trace,
                               const struct trace_node *node, const char *name)
{
    diag_fail(scaling->diag, STATUS_BAD_CONFIG,
              "%s in group \"%.60s\", which is to grow: it does not scale with data parallelism",
              collective_name((enum collective_kind)node->collective), name);
    diag_in(scaling->diag, trace->path);
    diag_at(scaling->diag, DIAG_NODE, node->id);
    diag_hint(scaling->diag, "--scale-groups names the groups that grow; experts and embedding "
                             "tables cannot");
    return STATUS_BAD_CONFIG;
}

/* Rule 3. */
static enum status scale_collective(struct scaling *scaling, const struct trace *trace,
                                    struct trace_node *node)
{
    const struct meaning *meaning = scaling_meaning(scaling, trace, node->group);
    if (meaning && !meaning->grows)
        return STATUS_OK;
    switch (node->collective) {
    case COLL_ALL_TO_ALL:
    case COLL_GATHER:
    case COLL_SCATTER:
        return refuse_kind(scaling, trace, node, meaning ? meaning->from : "all ranks");
    case COLL_ALL_GATHER:
        node->size_bytes =
            node->size_bytes / scaling->copies + (node->size_bytes % scaling->copies != 0);
        scaling->gathers++;
        return STATUS_OK;
    default:
        return STATUS_OK;
    }
}

/* Rule 4: the peer becomes a distance within the copy. `rank` runs the trace alone if it names
 * ranks. */
static void scale_message(struct scaling *scaling, uint32_t rank, uint32_t copy_name,
                          struct trace_node *node)
{
    if (node->flags & NODE_PEER_IN_GROUP || !(node->flags & NODE_HAS_PEER))
        return;
    uint32_t ranks = scaling->from->rank_count;
    if (node->peer >= ranks || node->peer == rank)
        return; /* the run refuses it */
    node->peer = (node->peer + ranks - rank) % ranks;
    node->group = copy_name;
    node->flags |= NODE_PEER_IN_GROUP;
    node->flags &= (uint16_t)~NODE_HAS_OWNER;
}

static const char *name_of(struct trace *trace, uint32_t index)
{
    return trace_name(((struct scaled_trace *)trace)->from, index);
}

static void destroy(struct trace *trace)
{
    free(trace->node);
    free(trace->group_names);
    free(trace);
}

/* Names of the scaled job in place of the trace's own, and one more for messages. */
static void rename_groups(struct scaling *scaling, struct trace *to, const struct trace *trace)
{
    to->group_names = malloc((trace->group_name_count + (size_t)1) * sizeof *to->group_names);
    need_memory(to->group_names != NULL);
    for (uint32_t i = 0; i < trace->group_name_count; i++) {
        const struct meaning *meaning = scaling_meaning(scaling, trace, i);
        to->group_names[i] = meaning ? meaning->name : trace->group_names[i];
    }
    to->groups = NULL;
    to->group_count = 0;
}

static enum status scale_nodes(struct scaling *scaling, struct scaled_trace *made, uint32_t rank)
{
    struct trace *trace = &made->trace;
    uint32_t copy_name = trace->group_name_count;
    enum status status = STATUS_OK;
    bool uses_copy = false;
    for (uint32_t i = 0; i < trace->count && !status; i++) {
        struct trace_node *node = &trace->node[i];
        if (node->type == OP_COLLECTIVE)
            status = scale_collective(scaling, made->from, node);
        else if (node->type == OP_SEND || node->type == OP_RECV)
            scale_message(scaling, rank, copy_name, node);
        uses_copy |= node->group == copy_name && node->type != OP_COLLECTIVE &&
                     node->flags & NODE_PEER_IN_GROUP;
    }
    if (uses_copy)
        trace->group_names[trace->group_name_count++] = COPY_GROUP;
    return status;
}

static enum status scale_one(struct scaling *scaling, struct trace *trace, uint32_t rank,
                             struct trace **to)
{
    struct scaled_trace *made = malloc(sizeof *made);
    need_memory(made != NULL);
    made->trace = *trace;
    made->from = trace;
    made->trace.name_of = name_of;
    made->trace.destroy = destroy;
    made->trace.node = malloc((trace->count + (size_t)1) * sizeof *trace->node);
    need_memory(made->trace.node != NULL);
    memcpy(made->trace.node, trace->node, trace->count * sizeof *trace->node);
    rename_groups(scaling, &made->trace, trace);
    *to = &made->trace;
    return scale_nodes(scaling, made, rank);
}

static bool names_peers(const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct trace_node *node = &trace->node[i];
        if ((node->type == OP_SEND || node->type == OP_RECV) && node->flags & NODE_HAS_PEER &&
            !(node->flags & NODE_PEER_IN_GROUP))
            return true;
    }
    return false;
}

/* Several ranks that run one trace cannot all be at the same distance of the rank it names. */
static enum status refuse_sharing(const struct scaling *scaling, const struct trace *trace,
                                  uint32_t rank)
{
    diag_fail(scaling->diag, STATUS_BAD_CONFIG,
              "several ranks run this trace, and its messages name ranks: it cannot be copied");
    diag_in(scaling->diag, trace->path);
    diag_rank(scaling->diag, rank);
    return STATUS_BAD_CONFIG;
}

static enum status scale_traces(struct scaling *scaling, struct workload *scaled)
{
    const struct workload *from = scaling->from;
    enum status status = STATUS_OK;
    scaled->traces = calloc(from->trace_count + (size_t)1, sizeof *scaled->traces);
    scaled->trace_of_rank = calloc(scaled->rank_count, sizeof *scaled->trace_of_rank);
    need_memory(scaled->traces && scaled->trace_of_rank);
    for (uint32_t r = 0; r < scaled->rank_count; r++)
        scaled->trace_of_rank[r] = from->trace_of_rank[r % from->rank_count];
    for (uint32_t r = 0; r < from->rank_count && !status; r++) {
        uint32_t t = from->trace_of_rank[r];
        if (scaled->traces[t] && names_peers(from->traces[t]))
            return refuse_sharing(scaling, from->traces[t], r);
        if (scaled->traces[t])
            continue;
        status = scale_one(scaling, from->traces[t], r, &scaled->traces[t]);
        scaled->trace_count = t + 1 > scaled->trace_count ? t + 1 : scaled->trace_count;
    }
    return status;
}

/* -- groups --------------------------------------------------------------------------------- */

static void push_list(struct scaling *scaling, const char *name, uint32_t count, uint32_t **ranks)
{
    struct group_file *out = scaling->out;
    *ranks = arena_array(&out->arena, count, sizeof **ranks);
    out->entry[out->count++] = (struct group_entry){name, *ranks, count};
}

/* One list of the original: a longer one, or one for each copy. */
static void scale_list(struct scaling *scaling, const struct meaning *meaning,
                       const struct group_entry *list)
{
    uint32_t all = scaling->from->rank_count, *ranks = NULL;
    uint32_t members = list->count ? list->count : all;
    for (uint32_t c = 0; c < scaling->copies; c++) {
        if (!meaning->grows || c == 0)
            push_list(scaling, meaning->name, meaning->grows ? members * scaling->copies : members,
                      &ranks);
        for (uint32_t i = 0; i < members; i++)
            ranks[(meaning->grows ? c * members : 0) + i] =
                c * all + (list->count ? list->ranks[i] : i);
    }
}

static void scale_groups(struct scaling *scaling)
{
    struct group_file *out = scaling->out;
    uint64_t most = scaling->copies;
    for (uint32_t m = 0; m < scaling->meaning_count; m++)
        most += (uint64_t)scaling->meaning[m].count * scaling->copies;
    out->entry = arena_array(&out->arena, most, sizeof *out->entry);
    for (uint32_t m = 0; m < scaling->meaning_count; m++) {
        for (uint32_t l = 0; l < scaling->meaning[m].count; l++)
            scale_list(scaling, &scaling->meaning[m], &scaling->meaning[m].list[l]);
    }
    const struct meaning copy = {.name = COPY_GROUP};
    const struct group_entry everyone = {COPY_GROUP, NULL, 0};
    if (scaling->has_messages)
        scale_list(scaling, &copy, &everyone);
    out->path = arena_text(&out->arena, scaling->groups->path, strlen(scaling->groups->path));
    out->content_hash = scaling->groups->content_hash;
}

/* -- all ------------------------------------------------------------------------------------ */

static enum status check_ranks(const struct scaling *scaling)
{
    uint32_t from = scaling->from->rank_count, to = scaling->ranks;
    if (from && to >= from && to % from == 0)
        return STATUS_OK;
    diag_fail(scaling->diag, STATUS_BAD_CONFIG,
              "%" PRIu32 " ranks are no multiple of the %" PRIu32 " that have traces", to, from);
    diag_field(scaling->diag, "scale-ranks");
    if (to < from)
        diag_hint(scaling->diag, "nearest: %" PRIu32 " ranks", from);
    else
        diag_hint(scaling->diag, "nearest: %" PRIu32 " or %" PRIu32 " ranks", to / from * from,
                  (to / from + 1) * from);
    return STATUS_BAD_CONFIG;
}

enum status scale_workload(struct workload *scaled, struct group_file *scaled_groups,
                           const struct workload *from, const struct group_file *groups,
                           uint32_t ranks, const char *grow, struct notices *notices,
                           struct diag *diag)
{
    *scaled = (struct workload){.rank_count = ranks};
    group_file_init(scaled_groups);
    struct scaling scaling = {.from = from,
                              .groups = groups,
                              .ranks = ranks,
                              .copies = ranks / (from->rank_count ? from->rank_count : 1),
                              .grow = grow,
                              .out = scaled_groups,
                              .notices = notices,
                              .diag = diag};
    enum status status = check_ranks(&scaling);
    if (!status)
        status = scaling_survey(&scaling);
    if (!status)
        status = scale_traces(&scaling, scaled);
    if (!status)
        status = scaling_check_names(&scaling);
    if (!status)
        scale_groups(&scaling);
    if (!status && scaling.gathers)
        notices_add(notices, NOTICE_GUESSED, "all-gathers of smaller shards", scaling.gathers,
                    "1/%" PRIu32 " of each; compute on shards keeps its time", scaling.copies);
    free(scaling.meaning);
    if (status) {
        scale_release(scaled);
        group_file_release(scaled_groups);
    }
    return status;
}

void scale_release(struct workload *scaled)
{
    for (uint32_t t = 0; t < scaled->trace_count; t++) {
        if (scaled->traces[t])
            scaled->traces[t]->destroy(scaled->traces[t]);
    }
    free(scaled->traces);
    free(scaled->trace_of_rank);
    *scaled = (struct workload){0};
}
