#include "sched/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config/algorithm_name.h"
#include "net/collective/msccl.h"
#include "sched/plan_auto.h"
#include "sched/plan_phases.h"

void plan_book_init(struct plan_book *book, const struct config *config)
{
    *book = (struct plan_book){.config = config};
    arena_init(&book->arena);
    table_init(&book->by_hash);
    book->tree_turn =
        arena_array(&book->arena, SLOT_COUNT * CONFIG_MAX_DIMS, sizeof *book->tree_turn);
}

void plan_book_release(struct plan_book *book)
{
    free(book->plan);
    free(book->domains_of_group);
    plan_auto_destroy(book->automatic);
    table_release(&book->by_hash);
    arena_release(&book->arena);
    *book = (struct plan_book){0};
}

enum algorithm_slot plan_slot(enum collective_kind kind)
{
    switch (kind) {
    case COLL_ALL_REDUCE:
        return SLOT_ALL_REDUCE;
    case COLL_ALL_GATHER:
        return SLOT_ALL_GATHER;
    case COLL_REDUCE_SCATTER:
    case COLL_REDUCE_SCATTER_BLOCK:
        return SLOT_REDUCE_SCATTER;
    case COLL_ALL_TO_ALL:
        return SLOT_ALL_TO_ALL;
    case COLL_BROADCAST:
        return SLOT_BROADCAST;
    case COLL_REDUCE:
        return SLOT_REDUCE;
    case COLL_GATHER:
        return SLOT_GATHER;
    case COLL_SCATTER:
        return SLOT_SCATTER;
    case COLL_BARRIER:
        return SLOT_BARRIER;
    default:
        return SLOT_COUNT;
    }
}

const struct algorithm_list *plan_list_of(const struct config *config, enum collective_kind kind)
{
    enum algorithm_slot slot = plan_slot(kind);
    return slot == SLOT_COUNT ? NULL : &config->system.algorithm[slot];
}

/* Is it run in each dimension, and in chunks? The others are one phase over all members. */
bool plan_has_dims(enum collective_kind kind)
{
    return plan_slot(kind) < SLOT_PER_DIM_COUNT;
}

uint32_t plan_dim_count(const struct config *config, enum collective_kind kind)
{
    const struct algorithm_list *list = plan_list_of(config, kind);
    if (!plan_has_dims(kind))
        return 1;
    for (uint32_t d = 0; d < list->count; d++) {
        if (list->choice[d].flat)
            return d + 1; /* a flat algorithm ends the list of dimensions */
    }
    return list->count;
}

static uint32_t custom_of(const struct plan_book *book, const struct trace_node *node)
{
    const struct system_config *system = &book->config->system;
    const char *prefix = NULL;
    for (uint32_t i = 0; i < system->node_algorithm_count; i++) {
        if (system->node_algorithm[i].node_id == node->id)
            prefix = system->node_algorithm[i].custom_prefix;
    }
    const struct algorithm_list *list = plan_list_of(book->config, node->collective);
    if (!prefix && list)
        prefix = list->custom_prefix;
    for (uint32_t i = 0; prefix && i < book->custom_count; i++) {
        if (strcmp(book->custom[i].prefix, prefix) == 0)
            return i + 1;
    }
    return 0;
}

/* Blames the algorithm of `kind`, in the words of the form that it was given in; `dim` is its
 * position in ASTRA-sim's list, or -1. */
void plan_blame(const struct config *config, enum collective_kind kind, int dim, struct diag *diag)
{
    if (!config->own_form && dim < 0) {
        diag_field(diag, "%s-implementation", collective_name(kind));
        return;
    }
    if (!config->own_form) {
        diag_field(diag, "%s-implementation[%d]", collective_name(kind), dim);
        return;
    }
    char key[64];
    algorithm_key(key, sizeof key, plan_slot(kind));
    const char *source = config_source(config, key);
    if (source && strcmp(source, "default") != 0)
        diag_in(diag, source);
    diag_field(diag, "%s", key);
}

enum status plan_split(const struct config *config, enum collective_kind kind, uint64_t size,
                       struct plan_split *split, struct diag *diag)
{
    if (!plan_has_dims(kind)) {
        *split = (struct plan_split){.chunk_bytes = size, .streams = 1};
        return STATUS_OK;
    }
    uint64_t splits = config->system.dataset_splits, total = config->network.npu_count;
    if (!splits) {
        diag_fail(diag, STATUS_BAD_CONFIG, "a collective needs it, and it is absent");
        diag_field(diag, "%s",
                   config->own_form ? "system.dataset-splits" : "preferred-dataset-splits");
        diag_hint(diag, config->own_form
                            ? "add `dataset-splits: 1` under system"
                            : "give 1 or more in the system file (ASTRA-sim divides by zero here)");
        return STATUS_BAD_CONFIG;
    }
    /* ASTRA-sim cuts down, and makes one more chunk of what is left. */
    uint64_t chunk = size / splits + (config->own_form && size % splits != 0);
    bool is_nothing = config->own_form && !size; /* messages without bytes */
    bool is_raised = kind != COLL_ALL_GATHER && chunk < total && !is_nothing;
    if (is_raised) {
        chunk = total;
        size = splits * chunk;
    }
    if (!chunk && size)
        chunk = 1;
    uint64_t streams = chunk ? (size + chunk - 1) / chunk : 1;
    promise(streams <= 2 * splits);
    *split = (struct plan_split){chunk, (uint32_t)streams, is_raised};
    return STATUS_OK;
}

uint8_t plan_dims_of(const struct trace_node *node, uint32_t group_index)
{
    return node->flags & NODE_HAS_DIMS && !group_index ? node->dims : 0xff;
}

static bool is_auto(const struct algorithm_list *list)
{
    return list && list->count && list->choice[0].id == ALG_AUTO;
}

/* Looked at once per group: a job joins a collective of the same group thousands of times. */
static uint32_t domains_of_group(struct plan_book *book, uint32_t index,
                                 const struct comm_group *group)
{
    if (index >= book->domains_room) {
        uint32_t room = 2 * index + 16;
        book->domains_of_group =
            realloc(book->domains_of_group, room * sizeof *book->domains_of_group);
        need_memory(book->domains_of_group != NULL);
        memset(book->domains_of_group + book->domains_room, 0,
               (room - book->domains_room) * sizeof *book->domains_of_group);
        book->domains_room = room;
    }
    uint32_t *domains = &book->domains_of_group[index];
    if (!*domains)
        *domains = plan_auto_domains(&book->config->network, group);
    return *domains;
}

struct plan_key plan_key_of(struct plan_book *book, const struct trace_node *node,
                            uint32_t group_index, const struct comm_group *group, uint32_t root,
                            uint64_t chunk_bytes)
{
    struct plan_key key;
    memset(&key, 0, sizeof key);
    key.chunk_bytes = chunk_bytes;
    key.group_size = group->is_world ? 0 : group->count;
    key.root = root;
    key.custom = custom_of(book, node);
    if (key.custom) /* one stream moves all of it */
        key.chunk_bytes = node->size_bytes;
    key.kind =
        node->collective == COLL_REDUCE_SCATTER_BLOCK ? COLL_REDUCE_SCATTER : node->collective;
    key.dims = plan_dims_of(node, group_index);
    for (uint8_t d = 0; d < CONFIG_MAX_DIMS; d++)
        key.order[d] = d;
    if (key.group_size && is_auto(plan_list_of(book->config, (enum collective_kind)key.kind)))
        key.domains = domains_of_group(book, group_index, group);
    return key;
}

uint32_t plan_order_count(const struct config *config, const struct plan_key *key)
{
    uint32_t dims = plan_dim_count(config, key->kind);
    promise(dims <= CONFIG_MAX_DIMS);
    return config->system.dim_order == DIMS_ASCENDING || key->group_size || dims < 2 ? 1 : dims;
}

void plan_turn_order(const struct config *config, uint32_t turn, struct plan_key *key)
{
    uint32_t dims = plan_dim_count(config, key->kind);
    for (uint32_t d = 0; d < dims; d++)
        key->order[d] = (uint8_t)((d + turn) % dims);
}

void plan_choose_order(const struct config *config, struct plan_order *order, struct plan_key *key)
{
    uint32_t dims = plan_order_count(config, key);
    if (dims == 1)
        return;
    if (config->system.dim_order == DIMS_ROUND_ROBIN) {
        plan_turn_order(config, order->turn, key);
        order->turn = (order->turn + 1) % dims;
        return;
    }
    /* Greedy: the dimension with the least load so far comes first and carries the most bytes. */
    for (uint32_t i = 1; i < dims; i++) {
        for (uint32_t j = i; j > 0; j--) {
            uint8_t before = key->order[j - 1], after = key->order[j];
            if (order->load_ns[before] <= order->load_ns[after])
                break;
            key->order[j - 1] = after;
            key->order[j] = before;
        }
    }
    double bytes = (double)key->chunk_bytes;
    for (uint32_t i = 0; i < dims; i++) {
        const struct net_dim *dim = &config->network.dim[key->order[i]];
        order->load_ns[key->order[i]] +=
            bytes * (dim->npus - 1) / dim->npus / dim->bandwidth_B_per_ns;
        bytes /= dim->npus;
    }
}

/* Phase algorithms joined by commas, repeats of one algorithm left out. */
static const char *describe(struct plan_book *book, const struct chunk_plan *plan)
{
    char text[256] = "";
    size_t at = 0;
    const char *last = "";
    for (uint32_t p = 0; p < plan->phase_count; p++) {
        const char *name = plan->phase[p].algorithm->name;
        if (strcmp(name, last) == 0)
            continue;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", at ? "," : "", name);
        last = name;
    }
    return at ? arena_text(&book->arena, text, at) : "none";
}

static void keep_plan(struct plan_book *book, struct chunk_plan *plan, uint64_t hash)
{
    if (book->count == book->room) {
        book->room = book->room ? 2 * book->room : 16;
        book->plan = realloc(book->plan, book->room * sizeof *book->plan);
        need_memory(book->plan != NULL);
    }
    plan->next = table_find(&book->by_hash, hash);
    table_put(&book->by_hash, hash, book->count);
    book->plan[book->count++] = plan;
}

enum status plan_find(struct plan_book *book, const struct plan_key *key,
                      const struct chunk_plan **found, struct diag *diag)
{
    uint64_t hash = hash_bytes(key, sizeof *key, 0);
    for (uint32_t i = table_find(&book->by_hash, hash); i != TABLE_NONE; i = book->plan[i]->next) {
        if (memcmp(&book->plan[i]->key, key, sizeof *key) == 0) {
            *found = book->plan[i];
            return STATUS_OK;
        }
    }
    struct chunk_plan *plan = arena_take(&book->arena, sizeof *plan);
    plan->key = *key;
    enum status status = plan_make_phases(book, plan, diag);
    if (status)
        return status;
    plan->algorithm = describe(book, plan);
    keep_plan(book, plan, hash);
    *found = plan;
    return STATUS_OK;
}

const struct program *plan_program(struct plan_book *book, const struct phase *phase, uint32_t k)
{
    if (phase->schedule.symmetry != SYMMETRY_NONE)
        k = 0;
    struct program *program = &phase->program[k];
    if (!program->step)
        phase->algorithm->program(&phase->request, &phase->schedule, k, &book->arena, program);
    return program;
}

uint64_t plan_latency_terms(const struct chunk_plan *plan)
{
    uint64_t terms = 0;
    for (uint32_t p = 0; p < plan->phase_count; p++) {
        struct collective_cost cost;
        if (!plan->phase[p].algorithm->cost)
            return 0;
        plan->phase[p].algorithm->cost(&plan->phase[p].request, &cost);
        terms += cost.latency_terms;
    }
    return terms;
}

uint64_t plan_messages(struct plan_book *book, const struct chunk_plan *plan)
{
    uint64_t messages = 0;
    for (uint32_t p = 0; p < plan->phase_count; p++) {
        const struct phase *phase = &plan->phase[p];
        if (phase->schedule.form == SCHEDULE_EXCHANGE) {
            messages += phase->schedule.exchange.sends;
            continue;
        }
        const struct program *program = plan_program(book, phase, 0);
        for (uint32_t s = 0; s < program->count; s++)
            messages += program->step[s].op == STEP_SEND;
    }
    return messages;
}
