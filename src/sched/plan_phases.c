/* Phases of a chunk: which algorithm runs where, on how many bytes (see the head of plan.h). */
#include "sched/plan_phases.h"

#include <inttypes.h>

#include "config/algorithm_name.h"
#include "net/collective/custom.h"
#include "net/collective/msccl.h"
#include "net/collective/request.h"
#include "net/collective/uneven.h"
#include "sched/plan_auto.h"

#define MOST_PHASE_BYTES ((uint64_t)1 << 62)

/* -- phases -------------------------------------------------------------------------------- */

struct phase_list {
    struct plan_book *book;
    struct chunk_plan *plan;
    const struct algorithm_list *algorithms;
    struct algorithm_list chosen; /* instead of `auto` */
    struct tuner_choice tuned;    /* what the library does, if is_tuned */
    bool is_tuned;
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
        diag_hint(list->diag, "use linear or pairwise");
        return STATUS_BAD_CONFIG;
    }
    enum status status = uneven_give(text, request, &list->book->arena, list->diag);
    if (status == STATUS_OK)
        list->plan->uneven_bytes = uneven_sent_bytes(request->sizes, request->n);
    return status;
}

/* tuner.h, rule 3: alpha at each hand-over; base is spread over them, as the schedule has no place
 * where it would be paid once. */
static void add_library_costs(const struct tuner_choice *tuned, double network_ratio,
                              struct phase *phase)
{
    double each_us = tuned->alpha_us + tuned->base_us / (tuned->steps + 1);
    phase->hand_over_ps = time_after(phase->hand_over_ps, time_rounded(1e3 * each_us, false));
    phase->wire_share = tuned->rate_share * (network_ratio > 0 ? network_ratio : 1);
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
    phase.wire_share = 1;
    if (list->is_tuned)
        add_library_costs(&list->tuned, system->network_ratio, &phase);
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
        .request = request_of_choice(kind, choice),
        .n = network->dim[d].npus,
        .stride = 1,
        .level = d,
        .network_dim = (int32_t)d,
        .queue_use = use,
    };
    if (choice->flat) {
        phase.n = network->npu_count;
        request_set_shape(&phase.request, network);
        phase.network_dim = network->dim_count == 1 ? 0 : -1;
    } else {
        phase.request.no_wrap = network->dim[d].no_wrap;
        for (uint32_t lower = 0; lower < d; lower++)
            phase.stride *= network->dim[lower].npus;
    }
    enum status status = add_phase(list, phase);
    if (status)
        plan_blame(list->book->config, (enum collective_kind)list->plan->key.kind, (int)d,
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

/* Members in their domains, for algorithms that go through each member of a domain. */
static void set_group_shape(struct schedule_request *request, const struct network_config *network,
                            uint32_t n, uint32_t domains)
{
    if (domains < 2 || domains == n)
        return;
    request->dim_count = 2;
    request->dim[0] = n / domains;
    request->dim[1] = domains;
    request->is_mesh = request_has_mesh(network);
}

/* One phase over the members of a small group: the only algorithm listed, else ring. */
static enum status add_group_phase(struct phase_list *list)
{
    struct algorithm_choice choice = group_choice(list->algorithms);
    bool is_aware = list->plan->key.kind == COLL_ALL_REDUCE &&
                    list->book->config->system.optimization == COLL_LOCAL_BW_AWARE;
    struct phase phase = {
        .algorithm = collective_algorithms[choice.id],
        .request = request_of_choice(list->plan->key.kind, &choice),
        .n = list->plan->key.group_size,
        .stride = 1,
        .network_dim = -1,
        .queue_use = is_aware ? QUEUE_FIRST_HALF : QUEUE_ANY,
    };
    set_group_shape(&phase.request, &list->book->config->network, phase.n, list->plan->key.domains);
    return add_phase(list, phase);
}

/* One phase over all members, outside the dimensions: rooted kinds and custom collectives. */
static enum status add_flat_phase(struct phase_list *list, const struct collective_ops *algorithm,
                                  const struct algorithm_choice *choice,
                                  const struct schedule *schedule)
{
    struct phase phase = {
        .algorithm = algorithm,
        .request = request_of_choice(list->plan->key.kind, choice),
        .n = member_count(list),
        .stride = 1,
        .network_dim = list->book->config->network.dim_count == 1 ? 0 : -1,
    };
    phase.request.root = list->plan->key.root;
    if (!list->plan->key.group_size)
        request_set_shape(&phase.request, &list->book->config->network);
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
        plan_blame(list->book->config, kind, -1, list->diag);
    return status;
}

static enum status add_custom_phase(struct phase_list *list)
{
    const struct custom_plan *custom = &list->book->custom[list->plan->key.custom - 1];
    if (custom->positions != member_count(list)) {
        diag_fail(list->diag, STATUS_BAD_CONFIG,
                  custom->msccl ? "the MSCCL file is for %u GPUs, the group has %u members"
                                : "the custom collective has files for %u positions, the group has "
                                  "%u members",
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
    plan_blame(config, kind, -1, list->diag);
    if (config->own_form)
        diag_hint(list->diag, "add `%s: ring` under system.collectives", name);
    else
        diag_hint(list->diag, "add \"%s-implementation\": [\"ring\", ..], one per dimension", name);
    return STATUS_BAD_CONFIG;
}

/* Puts the library's choice in place of `auto`. */
static enum status choose_auto(struct phase_list *list)
{
    const struct config *config = list->book->config;
    enum collective_kind kind = (enum collective_kind)list->plan->key.kind;
    if (!list->algorithms || !list->algorithms->count || list->algorithms->choice[0].id != ALG_AUTO)
        return STATUS_OK;
    uint64_t splits = plan_has_dims(kind) ? config->system.dataset_splits : 1;
    const struct plan_auto_request asked = {kind, list->bytes * splits, list->plan->key.group_size,
                                            list->plan->key.domains};
    enum status status = plan_auto_choose(&list->book->automatic, config, &asked,
                                          &list->chosen.choice[0], &list->tuned, list->diag);
    list->is_tuned = config->system.library_costs;
    if (status != STATUS_OK) {
        plan_blame(config, kind, 0, list->diag);
        return status;
    }
    list->chosen.count = 1;
    list->algorithms = &list->chosen;
    return STATUS_OK;
}

static enum status add_phases(struct phase_list *list)
{
    const struct plan_key *key = &list->plan->key;
    if (member_count(list) == 1)
        return STATUS_OK;
    if (key->custom)
        return add_custom_phase(list);
    enum status status = choose_auto(list);
    if (status != STATUS_OK)
        return status;
    if (!plan_has_dims(key->kind))
        return add_rooted_phase(list);
    if (!list->algorithms->count)
        return missing_fail(list);
    return key->group_size ? add_group_phase(list) : add_world_phases(list);
}

void plan_choose_trees(struct plan_book *book, struct plan_key *key)
{
    enum algorithm_slot slot = plan_slot(key->kind);
    if (slot >= SLOT_PER_DIM_COUNT || key->custom)
        return;
    struct chunk_plan shape = {.key = *key};
    struct phase_list list = {
        .book = book, .plan = &shape, .algorithms = plan_list_of(book->config, key->kind)};
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

enum status plan_make_phases(struct plan_book *book, struct chunk_plan *plan, struct diag *diag)
{
    struct phase_list list = {.book = book,
                              .plan = plan,
                              .algorithms = plan_list_of(book->config, plan->key.kind),
                              .bytes = plan->key.chunk_bytes,
                              .diag = diag};
    return add_phases(&list);
}
