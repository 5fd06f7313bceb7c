#include "sched/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config/algorithm_name.h"
#include "net/collective/custom.h"
#include "net/collective/msccl.h"
#include "net/collective/uneven.h"

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

static const struct algorithm_list *list_of(const struct config *config, enum collective_kind kind)
{
    enum algorithm_slot slot = plan_slot(kind);
    return slot == SLOT_COUNT ? NULL : &config->system.algorithm[slot];
}

/* Is it run in each dimension, and in chunks? The others are one phase over all members. */
static bool has_dims(enum collective_kind kind)
{
    return plan_slot(kind) < SLOT_PER_DIM_COUNT;
}

uint32_t plan_dim_count(const struct config *config, enum collective_kind kind)
{
    const struct algorithm_list *list = list_of(config, kind);
    if (!has_dims(kind))
        return 1;
    for (uint32_t d = 0; d < list->count; d++) {
        if (list->choice[d].flat)
            return d + 1; /* a flat algorithm ends the list of dimensions */
    }
    return list->count;
}

uint32_t plan_custom_of(const struct plan_book *book, const struct trace_node *node)
{
    const struct system_config *system = &book->config->system;
    const char *prefix = NULL;
    for (uint32_t i = 0; i < system->node_algorithm_count; i++) {
        if (system->node_algorithm[i].node_id == node->id)
            prefix = system->node_algorithm[i].custom_prefix;
    }
    const struct algorithm_list *list = list_of(book->config, node->collective);
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
static void blame_algorithm(const struct config *config, enum collective_kind kind, int dim,
                            struct diag *diag)
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
    if (!has_dims(kind)) {
        *split = (struct plan_split){.chunk_bytes = size, .streams = 1};
        return STATUS_OK;
    }
    uint64_t splits = config->system.dataset_splits, total = config->network.npu_count;
    if (!splits) {
        diag_fail(diag, STATUS_BAD_CONFIG, "a collective needs it, and it is absent");
        diag_field(diag, "%s",
                   config->own_form ? "system.dataset-splits" : "preferred-dataset-splits");
        diag_hint(diag, config->own_form
                            ? "give 1 or more"
                            : "give 1 or more in the system file (ASTRA-sim divides by zero here)");
        return STATUS_BAD_CONFIG;
    }
    uint64_t chunk = size / splits;
    bool is_raised = kind != COLL_ALL_GATHER && chunk < total;
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

struct plan_key plan_key_of(const struct plan_book *book, const struct trace_node *node,
                            uint32_t group_index, const struct comm_group *group, uint32_t root,
                            uint64_t chunk_bytes)
{
    struct plan_key key;
    memset(&key, 0, sizeof key);
    key.chunk_bytes = chunk_bytes;
    key.group_size = group->is_world ? 0 : group->count;
    key.root = root;
    key.custom = plan_custom_of(book, node);
    if (key.custom) /* one stream moves all of it */
        key.chunk_bytes = node->size_bytes;
    key.kind =
        node->collective == COLL_REDUCE_SCATTER_BLOCK ? COLL_REDUCE_SCATTER : node->collective;
    key.dims = plan_dims_of(node, group_index);
    for (uint8_t d = 0; d < CONFIG_MAX_DIMS; d++)
        key.order[d] = d;
    return key;
}

void plan_choose_order(const struct config *config, struct plan_order *order, struct plan_key *key)
{
    uint32_t dims = plan_dim_count(config, key->kind);
    promise(dims <= CONFIG_MAX_DIMS);
    if (config->system.dim_order == DIMS_ASCENDING || key->group_size || dims < 2)
        return;
    if (config->system.dim_order == DIMS_ROUND_ROBIN) {
        for (uint32_t d = 0; d < dims; d++)
            key->order[d] = (uint8_t)((d + order->turn) % dims);
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

#define MOST_PHASE_BYTES ((uint64_t)1 << 62)

/* -- phases -------------------------------------------------------------------------------- */

struct phase_list {
    struct plan_book *book;
    struct chunk_plan *plan;
    const struct algorithm_list *algorithms;
    uint64_t bytes; /* data that the next phase starts from */
    struct diag *diag;
};

time_ps plan_reduction_time(const struct system_config *system, uint64_t bytes)
{
    if (system->local_memory_Bps <= 0)
        return 0;
    double pass_ns = (double)bytes / system->local_memory_Bps * 1e9;
    if (!system->whole_ns)
        return time_rounded(3 * pass_ns, false);
    time_ps pass = time_of_ns(pass_ns);
    return pass < TIME_NEVER / 3 ? 3 * pass : TIME_NEVER;
}

static void fill_reduce_times(struct phase_list *list, struct phase *phase)
{
    const struct exchange *exchange = &phase->schedule.exchange;
    time_ps *reduce_ps = arena_array(&list->book->arena, exchange->period, sizeof *reduce_ps);
    for (uint32_t j = 0; j < exchange->period; j++)
        reduce_ps[j] = plan_reduction_time(&list->book->config->system, exchange->step[j].bytes);
    phase->reduce_ps = reduce_ps;
}

/* What a request takes from the choice of its algorithm. */
static struct schedule_request request_of(enum collective_kind kind,
                                          const struct algorithm_choice *choice)
{
    return (struct schedule_request){.kind = kind,
                                     .window = choice->window,
                                     .radix = choice->radix,
                                     .chunks = choice->chunks,
                                     .channels = choice->channels};
}

/* All ranks lie in the dimensions of the network. */
static void give_shape(const struct network_config *network, struct schedule_request *request)
{
    request->dim_count = network->dim_count;
    for (uint32_t d = 0; d < network->dim_count; d++)
        request->dim[d] = network->dim[d].npus;
    for (uint32_t d = 0; d < network->dim_count; d++)
        request->no_wrap |= (uint32_t)network->dim[d].no_wrap << d;
}

static uint32_t member_count(const struct phase_list *list)
{
    uint32_t size = list->plan->key.group_size;
    return size ? size : list->book->config->network.npu_count;
}

/* An uneven all-to-all is one phase: sizes are between ranks, not between dimensions. */
static enum status give_sizes(const struct phase_list *list, struct schedule_request *request)
{
    const char *text = list->book->config->system.all_to_all_sizes;
    if (!text || request->kind != COLL_ALL_TO_ALL)
        return STATUS_OK;
    if (request->n != member_count(list)) {
        diag_fail(list->diag, STATUS_BAD_CONFIG,
                  "uneven all-to-all needs one algorithm over all ranks, not one per dimension");
        diag_hint(list->diag, "for example oneDirect");
        return STATUS_BAD_CONFIG;
    }
    return uneven_sizes(text, request->n, request->bytes, &list->book->arena, &request->sizes,
                        list->diag);
}

/* Adds a phase whose request, geometry and queue use are set; plans its schedule. Without a shape
 * its positions are one dimension. */
static enum status add_phase(struct phase_list *list, struct phase phase)
{
    struct plan_book *book = list->book;
    const struct system_config *system = &book->config->system;
    uint32_t index = list->plan->phase_count;
    phase.request.n = phase.n;
    phase.request.bytes = list->bytes;
    phase.request.tree = list->plan->key.trees >> index & 1;
    phase.request.small_group = list->plan->key.group_size != 0;
    if (!phase.request.dim_count) {
        phase.request.dim_count = 1;
        phase.request.dim[0] = phase.n;
    }
    enum status status = give_sizes(list, &phase.request);
    if (status)
        return status;
    if (list->bytes > MOST_PHASE_BYTES / phase.n)
        return diag_fail(list->diag, STATUS_BAD_INPUT,
                         "%" PRIu64 " bytes on each of %u positions are more than 2^62 in all",
                         list->bytes, phase.n);
    status = phase.algorithm->check(&phase.request, list->diag);
    if (status)
        return status;
    if (phase.algorithm->plan)
        phase.algorithm->plan(&phase.request, &book->arena, &phase.schedule);
    uint64_t delay_ns = phase.request.small_group && phase.schedule.form == SCHEDULE_EXCHANGE
                            ? system->small_group_delay_ns
                            : system->endpoint_delay_ns;
    phase.hand_over_ps = time_of_whole_ns(delay_ns);
    phase.slot_base = list->plan->slots;
    if (phase.schedule.form == SCHEDULE_EXCHANGE)
        fill_reduce_times(list, &phase);
    else
        phase.program = arena_array(&book->arena, phase.n, sizeof *phase.program);
    list->plan->slots += phase.schedule.slots;
    list->plan->phase[list->plan->phase_count++] = phase;
    list->bytes = phase.schedule.final_bytes;
    return STATUS_OK;
}

/* A phase of `kind` in logical dimension d. */
static enum status add_dim_phase(struct phase_list *list, uint32_t d, enum collective_kind kind,
                                 enum queue_use use)
{
    const struct network_config *network = &list->book->config->network;
    const struct algorithm_choice *choice = &list->algorithms->choice[d];
    struct phase phase = {
        .algorithm = collective_algorithms[choice->id],
        .request = request_of(kind, choice),
        .n = network->dim[d].npus,
        .stride = 1,
        .level = d,
        .network_dim = (int32_t)d,
        .queue_use = use,
    };
    if (choice->flat) {
        phase.n = network->npu_count;
        give_shape(network, &phase.request);
        phase.network_dim = network->dim_count == 1 ? 0 : -1;
    } else {
        phase.request.no_wrap = network->dim[d].no_wrap;
        for (uint32_t lower = 0; lower < d; lower++)
            phase.stride *= network->dim[lower].npus;
    }
    enum status status = add_phase(list, phase);
    if (status)
        blame_algorithm(list->book->config, (enum collective_kind)list->plan->key.kind, (int)d,
                        list->diag);
    return status;
}

/* The dimensions that take part, in order; returns how many. */
static uint32_t active_dims(const struct phase_list *list, uint32_t *active)
{
    const struct network_config *network = &list->book->config->network;
    const struct plan_key *key = &list->plan->key;
    uint32_t dims = plan_dim_count(list->book->config, key->kind), count = 0;
    for (uint32_t i = 0; i < dims; i++) {
        uint32_t d = key->order[key->kind == COLL_ALL_GATHER ? dims - 1 - i : i];
        uint32_t n = list->algorithms->choice[d].flat ? network->npu_count : network->dim[d].npus;
        if (n > 1 && key->dims >> d & 1)
            active[count++] = d;
    }
    return count;
}

/* A phase of a collective over all ranks, before it is planned. */
struct phase_place {
    uint32_t dim;
    enum collective_kind kind;
    enum queue_use use;
};

/* The phases in order (head of this file's header); returns how many. */
static uint32_t place_phases(const struct phase_list *list, struct phase_place *place)
{
    const struct plan_key *key = &list->plan->key;
    uint32_t active[CONFIG_MAX_DIMS], dims = active_dims(list, active), count = 0;
    if (key->kind != COLL_ALL_REDUCE || list->book->config->system.optimization == COLL_BASELINE) {
        for (uint32_t i = 0; i < dims; i++)
            place[count++] = (struct phase_place){active[i], key->kind, QUEUE_ANY};
        return count;
    }
    for (uint32_t i = 0; i + 1 < dims; i++)
        place[count++] = (struct phase_place){active[i], COLL_REDUCE_SCATTER, QUEUE_FIRST_HALF};
    if (dims)
        place[count++] = (struct phase_place){active[dims - 1], COLL_ALL_REDUCE, QUEUE_FIRST_HALF};
    for (uint32_t i = dims; i-- > 1;)
        place[count++] = (struct phase_place){active[i - 1], COLL_ALL_GATHER, QUEUE_LAST_HALF};
    return count;
}

static enum status add_world_phases(struct phase_list *list)
{
    struct phase_place place[PLAN_MAX_PHASES];
    uint32_t count = place_phases(list, place);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < count && !status; i++)
        status = add_dim_phase(list, place[i].dim, place[i].kind, place[i].use);
    return status;
}

/* A small group uses the algorithm of a list of one, else ring (ASTRA-sim). */
static struct algorithm_choice group_choice(const struct algorithm_list *algorithms)
{
    static const struct algorithm_choice ring = {.id = ALG_RING};
    return algorithms->count == 1 ? algorithms->choice[0] : ring;
}

/* One phase over the members of a small group: the only algorithm listed, else ring. */
static enum status add_group_phase(struct phase_list *list)
{
    struct algorithm_choice choice = group_choice(list->algorithms);
    bool is_aware = list->plan->key.kind == COLL_ALL_REDUCE &&
                    list->book->config->system.optimization == COLL_LOCAL_BW_AWARE;
    return add_phase(list, (struct phase){
                               .algorithm = collective_algorithms[choice.id],
                               .request = request_of(list->plan->key.kind, &choice),
                               .n = list->plan->key.group_size,
                               .stride = 1,
                               .network_dim = -1,
                               .queue_use = is_aware ? QUEUE_FIRST_HALF : QUEUE_ANY,
                           });
}

/* One phase over all members, outside the dimensions: rooted kinds and custom collectives. */
static enum status add_flat_phase(struct phase_list *list, const struct collective_ops *algorithm,
                                  const struct algorithm_choice *choice,
                                  const struct schedule *schedule)
{
    struct phase phase = {
        .algorithm = algorithm,
        .request = request_of(list->plan->key.kind, choice),
        .n = member_count(list),
        .stride = 1,
        .network_dim = list->book->config->network.dim_count == 1 ? 0 : -1,
    };
    phase.request.root = list->plan->key.root;
    if (!list->plan->key.group_size)
        give_shape(&list->book->config->network, &phase.request);
    if (schedule)
        phase.schedule = *schedule;
    return add_phase(list, phase);
}

static const struct algorithm_choice no_choice;

/* Rooted kinds and the barrier: the algorithm chosen for the kind, else the default. */
static enum status add_rooted_phase(struct phase_list *list)
{
    enum collective_kind kind = (enum collective_kind)list->plan->key.kind;
    if (!list->algorithms->count)
        return add_flat_phase(list, collective_default_algorithm(kind), &no_choice, NULL);
    const struct algorithm_choice *choice = &list->algorithms->choice[0];
    enum status status = add_flat_phase(list, collective_algorithms[choice->id], choice, NULL);
    if (status)
        blame_algorithm(list->book->config, kind, -1, list->diag);
    return status;
}

static enum status add_custom_phase(struct phase_list *list)
{
    const struct custom_plan *custom = &list->book->custom[list->plan->key.custom - 1];
    if (custom->positions != member_count(list)) {
        diag_fail(list->diag, STATUS_BAD_CONFIG,
                  "the custom collective has files for %u positions, the group has %u members",
                  custom->positions, member_count(list));
        diag_in(list->diag, custom->prefix);
        return STATUS_BAD_CONFIG;
    }
    if (!custom->msccl)
        return add_flat_phase(list, &collective_custom, &no_choice, &custom->schedule);
    enum collective_kind kind = (enum collective_kind)list->plan->key.kind;
    enum status status = msccl_fits(custom->msccl, kind, list->diag);
    const struct schedule given = {.program_data = custom->msccl};
    return status ? status : add_flat_phase(list, &collective_msccl, &no_choice, &given);
}

static enum status missing_fail(const struct phase_list *list)
{
    const struct config *config = list->book->config;
    enum collective_kind kind = (enum collective_kind)list->plan->key.kind;
    const char *name = collective_name(kind);
    diag_fail(list->diag, STATUS_BAD_CONFIG,
              "the workload uses %s, and no algorithm is given for it", name);
    blame_algorithm(config, kind, -1, list->diag);
    if (config->own_form)
        diag_hint(list->diag, "add `%s: ring` under system.collectives", name);
    else
        diag_hint(list->diag, "add \"%s-implementation\": [\"ring\", ..], one per dimension", name);
    return STATUS_BAD_CONFIG;
}

static enum status add_phases(struct phase_list *list)
{
    const struct plan_key *key = &list->plan->key;
    if (member_count(list) == 1)
        return STATUS_OK;
    if (key->custom)
        return add_custom_phase(list);
    if (!has_dims(key->kind))
        return add_rooted_phase(list);
    if (!list->algorithms->count)
        return missing_fail(list);
    return key->group_size ? add_group_phase(list) : add_world_phases(list);
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
    struct phase_list list = {book, plan, list_of(book->config, key->kind), key->chunk_bytes, diag};
    enum status status = add_phases(&list);
    if (status)
        return status;
    plan->algorithm = describe(book, plan);
    keep_plan(book, plan, hash);
    *found = plan;
    return STATUS_OK;
}

void plan_choose_trees(struct plan_book *book, struct plan_key *key)
{
    enum algorithm_slot slot = plan_slot(key->kind);
    if (slot >= SLOT_PER_DIM_COUNT || key->custom)
        return;
    struct chunk_plan shape = {.key = *key};
    struct phase_list list = {book, &shape, list_of(book->config, key->kind), 0, NULL};
    struct phase_place place[PLAN_MAX_PHASES] = {{0}};
    uint32_t count = key->group_size ? 1 : place_phases(&list, place);
    for (uint32_t p = 0; p < count; p++) {
        struct algorithm_choice choice =
            key->group_size ? group_choice(list.algorithms) : list.algorithms->choice[place[p].dim];
        if (choice.id != ALG_DOUBLE_BINARY_TREE)
            continue;
        uint64_t *turn = &book->tree_turn[slot * CONFIG_MAX_DIMS + place[p].dim];
        key->trees |= (uint32_t)(*turn & 1) << p;
        ++*turn;
    }
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
