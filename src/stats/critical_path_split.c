#include "stats/critical_path_split.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { MOST_PAIRS = 256 }; /* of neighbours that are looked at; more: evenly spread */

static void find_servers(struct path_splitter *splitter)
{
    struct paths *paths = &splitter->paths;
    uint32_t *dims = arena_array(&paths->arena, paths->server_count, sizeof *dims);
    uint32_t *link = arena_array(&paths->arena, paths->server_count, sizeof *link);
    for (uint32_t l = paths->fabric->link_count; l-- > 0;) {
        uint32_t server = paths->server_of_link ? paths->server_of_link[l] : l;
        dims[server] = paths->fabric->link[l].dim;
        link[server] = l;
    }
    splitter->server_dims = dims;
    splitter->server_link = link;
}

enum status path_splitter_init(struct path_splitter *splitter, const struct config *config,
                               const struct workload *workload, const struct groups *groups,
                               struct plan_book *book, struct diag *diag)
{
    *splitter = (struct path_splitter){.config = config,
                                       .workload = workload,
                                       .groups = groups,
                                       .book = book,
                                       .network = network_model_of(config->network.backend)};
    engine_init(&splitter->engine);
    table_init(&splitter->form_of);
    if (config->network.fabric) {
        enum status status = paths_init(&splitter->paths, &config->network, diag);
        if (status != STATUS_OK)
            return status;
        find_servers(splitter);
    }
    return splitter->network->create(&splitter->net, &config->network, &splitter->engine, diag);
}

void path_splitter_release(struct path_splitter *splitter)
{
    if (splitter->net)
        splitter->network->destroy(splitter->net);
    if (splitter->config->network.fabric)
        paths_release(&splitter->paths);
    engine_release(&splitter->engine);
    table_release(&splitter->form_of);
    free(splitter->form);
}

/* -- one message ---------------------------------------------------------------------------- */

struct message_cost {
    double latency_ps, bandwidth_ps;
    uint32_t src, dst;
};

static struct message_cost cost_of(const struct path_splitter *splitter, uint32_t src, uint32_t dst,
                                   uint64_t bytes)
{
    const struct network_ops *network = splitter->network;
    time_ps empty = network->idle_time(splitter->net, src, dst, 0);
    time_ps whole = network->idle_time(splitter->net, src, dst, bytes);
    return (struct message_cost){(double)empty, whole > empty ? (double)(whole - empty) : 0, src,
                                 dst};
}

/* Which dimensions a message's costs belong to. */
struct message_dims {
    double latency_share[CONFIG_MAX_DIMS]; /* sum: 1 */
    uint32_t slowest;
};

static void find_dims(const struct path_splitter *splitter, uint32_t src, uint32_t dst,
                      struct message_dims *dims)
{
    const struct paths *paths = &splitter->paths;
    struct route route = {0};
    double least = HUGE_VAL, sum_ns = 0;
    *dims = (struct message_dims){.slowest = splitter->network->dimension(splitter->net, src, dst)};
    if (splitter->server_dims && src != dst)
        paths_find(paths, src, dst, &route);
    for (uint32_t i = 0; i < route.count; i++) {
        uint32_t server = route.link[i], d = splitter->server_dims[server];
        double share = route.share ? route.share[i] : 1;
        double rate = share > 0 ? paths->B_per_ns[server] / share : HUGE_VAL;
        dims->latency_share[d] += paths->latency_ns[server] * share;
        sum_ns += paths->latency_ns[server] * share;
        if (rate < least) {
            least = rate;
            dims->slowest = d;
        }
    }
    for (int d = 0; d < CONFIG_MAX_DIMS && sum_ns > 0; d++)
        dims->latency_share[d] /= sum_ns;
    if (!(sum_ns > 0))
        dims->latency_share[dims->slowest] = 1;
}

static void add_message(const struct path_splitter *splitter, const struct message_cost *message,
                        double latency_ps, double bandwidth_ps, struct split_form *form)
{
    struct message_dims dims;
    find_dims(splitter, message->src, message->dst, &dims);
    if (form->message_count < SPLIT_MESSAGES)
        form->message[form->message_count++] =
            (struct split_message){message->src, message->dst, latency_ps, bandwidth_ps};
    form->dim_bandwidth_ps[dims.slowest] += bandwidth_ps;
    for (int d = 0; d < CONFIG_MAX_DIMS; d++)
        form->dim_latency_ps[d] += latency_ps * dims.latency_share[d];
}

/* -- a collective --------------------------------------------------------------------------- */

static uint32_t rank_of(const struct comm_group *group, uint32_t position)
{
    return group->is_world ? position : group->ranks[position];
}

/* The message of `bytes` between neighbours of the phase that needs longest. */
static struct message_cost slowest(const struct path_splitter *splitter,
                                   const struct comm_group *group, const struct phase *phase,
                                   uint64_t bytes)
{
    struct message_cost most = {0};
    uint32_t pairs = group->count > phase->stride ? group->count - phase->stride : 0;
    uint32_t step = pairs / MOST_PAIRS + 1;
    for (uint32_t p = 0; p < pairs; p += step) {
        uint32_t src = rank_of(group, p), dst = rank_of(group, p + phase->stride);
        struct message_cost cost = cost_of(splitter, src, dst, bytes);
        if (cost.latency_ps + cost.bandwidth_ps > most.latency_ps + most.bandwidth_ps)
            most = cost;
    }
    return most;
}

/* False: no closed form. */
static bool add_phase(const struct path_splitter *splitter, const struct comm_group *group,
                      const struct phase *phase, struct split_form *form)
{
    struct collective_cost cost;
    if (!phase->algorithm->cost)
        return false;
    phase->algorithm->cost(&phase->request, &cost);
    uint64_t terms = cost.latency_terms ? cost.latency_terms : 1;
    struct message_cost message = slowest(splitter, group, phase, cost.path_bytes / terms);
    double share = phase->wire_share > 0 ? phase->wire_share : 1;
    double bandwidth = message.bandwidth_ps * (double)terms / share;
    if (splitter->network->has_contention && cost.port_bytes > cost.path_bytes)
        bandwidth *= (double)cost.port_bytes / ((double)cost.path_bytes + 1);
    add_message(splitter, &message, message.latency_ps * (double)terms, bandwidth, form);
    form->rest_ps += (double)phase->hand_over_ps * ((double)cost.latency_terms + 1);
    return true;
}

static uint32_t root_of(const struct path_splitter *splitter, uint32_t index,
                        const struct trace_node *node)
{
    if (!(node->flags & NODE_HAS_PEER))
        return 0;
    const struct comm_group *group = &splitter->groups->table.group[index];
    return group->is_world ? node->peer : groups_position(splitter->groups, index, node->peer);
}

/* Chunks that one link carries at a time go one after the other; their latencies overlap
 * otherwise. */
static void repeat(const struct path_splitter *splitter, struct split_form *form, uint32_t chunks)
{
    uint32_t active = splitter->config->system.active_chunks_per_dim;
    uint32_t rounds = active ? (chunks + active - 1) / active : 1;
    bool shares = splitter->network->has_contention;
    for (int d = 0; d < CONFIG_MAX_DIMS; d++) {
        form->dim_latency_ps[d] *= rounds;
        form->dim_bandwidth_ps[d] *= shares ? chunks : rounds;
    }
    form->rest_ps *= rounds;
}

static void make_form(struct path_splitter *splitter, uint32_t index, const struct trace_node *node,
                      struct split_form *form)
{
    const struct comm_group *group = &splitter->groups->table.group[index];
    struct plan_split split;
    struct diag ignored = DIAG_NONE;
    const struct chunk_plan *plan;
    *form = (struct split_form){0};
    if (plan_split(splitter->config, node->collective, node->size_bytes, &split, &ignored))
        return;
    struct plan_key key = plan_key_of(splitter->book, node, index, group,
                                      root_of(splitter, index, node), split.chunk_bytes);
    plan_turn_order(splitter->config, 0, &key);
    if (key.custom || plan_find(splitter->book, &key, &plan, &ignored))
        return;
    for (uint32_t p = 0; p < plan->phase_count; p++) {
        if (!add_phase(splitter, group, &plan->phase[p], form)) {
            *form = (struct split_form){0};
            return;
        }
    }
    repeat(splitter, form, split.streams);
}

static const struct split_form *form_of(struct path_splitter *splitter, uint32_t index,
                                        const struct trace_node *node)
{
    const uint64_t key[4] = {(uint64_t)node->collective << 32 | index, node->size_bytes,
                             (uint64_t)node->peer << 16 | (node->flags & NODE_HAS_PEER),
                             node->dims};
    uint64_t hash = hash_bytes(key, sizeof key, 0);
    uint32_t found = table_find(&splitter->form_of, hash);
    if (found != TABLE_NONE)
        return &splitter->form[found];
    if (splitter->form_count == splitter->form_room) {
        splitter->form_room = splitter->form_room ? 2 * splitter->form_room : 16;
        splitter->form = realloc(splitter->form, splitter->form_room * sizeof *splitter->form);
        need_memory(splitter->form != NULL);
    }
    table_put(&splitter->form_of, hash, splitter->form_count);
    make_form(splitter, index, node, &splitter->form[splitter->form_count]);
    return &splitter->form[splitter->form_count++];
}

/* -- dividing ------------------------------------------------------------------------------- */

/* Gives `part` of what is left, at most all. */
static void give(time_ps *to, double part_ps, time_ps *left)
{
    time_ps part = part_ps > 0 ? (time_ps)(part_ps + 0.5) : 0;
    part = part < *left ? part : *left;
    *to += part;
    *left -= part;
}

static void divide(const struct split_form *form, time_ps length, struct path_split *split)
{
    double all = form->rest_ps;
    for (int d = 0; d < CONFIG_MAX_DIMS; d++)
        all += form->dim_latency_ps[d] + form->dim_bandwidth_ps[d];
    double scale = all > (double)length ? (double)length / all : 1;
    time_ps left = length, *largest = &split->rest_ps;
    double most = 0;
    give(&split->rest_ps, form->rest_ps * scale, &left);
    for (int d = 0; d < CONFIG_MAX_DIMS; d++) {
        give(&split->latency_ps[d], form->dim_latency_ps[d] * scale, &left);
        give(&split->bandwidth_ps[d], form->dim_bandwidth_ps[d] * scale, &left);
        if (form->dim_bandwidth_ps[d] > most) {
            most = form->dim_bandwidth_ps[d];
            largest = &split->bandwidth_ps[d];
        }
    }
    *(scale < 1 ? largest : &split->rest_ps) += left; /* of rounding, or what is beyond the form */
}

void path_split_form(struct path_splitter *splitter, uint32_t rank, const struct trace_node *node,
                     struct split_form *form)
{
    uint32_t trace = splitter->workload->trace_of_rank[rank];
    if (trace_run_as(node) == OP_COLLECTIVE) {
        *form = *form_of(splitter, groups_of(splitter->groups, trace, node->group, rank), node);
        return;
    }
    uint32_t peer = groups_peer(splitter->groups, trace, node, rank);
    bool is_send = node->type == OP_SEND;
    struct message_cost cost = peer == rank ? (struct message_cost){0}
                                            : cost_of(splitter, is_send ? rank : peer,
                                                      is_send ? peer : rank, node->size_bytes);
    *form = (struct split_form){.rest_ps = 0};
    add_message(splitter, &cost, cost.latency_ps, cost.bandwidth_ps, form);
}

void path_split(struct path_splitter *splitter, uint32_t rank, const struct trace_node *node,
                time_ps length, struct path_split *split)
{
    struct split_form form;
    path_split_form(splitter, rank, node, &form);
    *split = (struct path_split){.rest_ps = 0};
    divide(&form, length, split);
}
