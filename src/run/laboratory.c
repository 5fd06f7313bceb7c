#include "run/laboratory.h"

#include <string.h>

#include "config/algorithm_name.h"
#include "config/names.h"
#include "config/own_config.h"
#include "config/settings.h"
#include "net/collective/msccl.h"
#include "net/topology/fabric.h"
#include "net/topology/resolve.h"
#include "run/lab_bound.h"
#include "sched/plan.h"
#include "sched/plan_auto.h"
#include "workloads/single.h"
#include "workloads/workload_set.h"

#define MOST_MESSAGES 1e7 /* in a table of all algorithms: some seconds each */
#define MOST_UNFOLDED 3e7 /* of one that was named, if all ranks are simulated: about a minute */

void lab_init(struct lab *lab)
{
    *lab = (struct lab){0};
    arena_init(&lab->arena);
    notices_init(&lab->notices);
}

void lab_release(struct lab *lab)
{
    notices_release(&lab->notices);
    arena_release(&lab->arena);
    *lab = (struct lab){0};
}

double lab_bus_factor(enum collective_kind kind, uint32_t ranks)
{
    double n = ranks;
    switch (kind) {
    case COLL_ALL_REDUCE:
        return 2 * (n - 1) / n;
    case COLL_ALL_GATHER:
    case COLL_REDUCE_SCATTER:
    case COLL_REDUCE_SCATTER_BLOCK:
    case COLL_ALL_TO_ALL:
    case COLL_GATHER:
    case COLL_SCATTER:
        return (n - 1) / n;
    case COLL_BARRIER:
        return 0; /* carries nothing */
    default:
        return 1;
    }
}

/* What a node's size must be for a buffer of `bytes` (trace.h rule 5). */
static uint64_t node_bytes(enum collective_kind kind, uint64_t bytes, uint32_t ranks)
{
    bool is_part = kind == COLL_ALL_GATHER || kind == COLL_GATHER || kind == COLL_SCATTER;
    return is_part ? bytes / ranks : bytes;
}

/* -- one cell ------------------------------------------------------------------------------- */

static enum status configure(struct config *config, const struct lab_request *request,
                             enum net_backend fidelity, struct notices *notices, struct diag *diag)
{
    own_config_defaults(config);
    config->system.dataset_splits = 1;
    config->system.endpoint_delay_ns =
        0; /* a network alone; ASTRA-sim's 10 ns are a run's default */
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < request->setting_count && status == STATUS_OK; i++) {
        const struct lab_setting *setting = &request->setting[i];
        status = setting_set_text(config, setting_find(setting->key), setting->value,
                                  "command line", notices, diag);
    }
    if (status != STATUS_OK)
        return status;
    config->network.backend = fidelity;
    setting_note(config, setting_find("network.backend"), "command line");
    return topology_resolve(config, notices, diag);
}

static enum status set_algorithm(struct config *config, enum collective_kind kind, const char *name,
                                 struct notices *notices, struct diag *diag)
{
    enum algorithm_slot slot = plan_slot(kind);
    if (slot == SLOT_COUNT)
        return config_finish(config, notices, diag);
    struct algorithm_list *list = &config->system.algorithm[slot];
    static const char custom[] = "custom:";
    bool is_prefix = strncmp(name, custom, sizeof custom - 1) == 0;
    if (is_prefix || msccl_is_path(name))
        list->custom_prefix = is_prefix ? name + sizeof custom - 1 : name;
    char *rest = list->custom_prefix ? NULL : arena_text(&config->arena, name, strlen(name));
    for (char *word = names_next(&rest); word; word = names_next(&rest)) {
        if (list->count == CONFIG_MAX_DIMS || !algorithm_parse(word, &list->choice[list->count]))
            return algorithm_unknown(word, diag);
        list->count++;
    }
    list->one_name = list->count == 1 && !list->choice[0].flat;
    algorithm_note(config, slot, "command line");
    return config_finish(config, notices, diag);
}

static void note_busiest(struct lab *lab, struct lab_row *row, const struct config *config,
                         const struct run_result *result)
{
    for (uint32_t l = 0; l < result->link_count; l++) {
        const struct fabric *fabric = config->network.fabric;
        if (result->link[l].bytes <= row->most_link_bytes)
            continue;
        row->most_link_bytes = result->link[l].bytes;
        char text[160];
        int length = snprintf(text, sizeof text, "%s->%s", fabric->node[fabric->link[l].src].name,
                              fabric->node[fabric->link[l].dst].name);
        row->busiest_link = arena_text(
            &lab->arena, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
    }
}

static void read_cell(struct lab *lab, struct lab_row *row, uint32_t f, const struct config *config,
                      const struct run_result *result)
{
    row->time_ps[f] = result->end_ps;
    row->messages_per_rank = (double)result->messages / lab->ranks;
    row->bytes_per_rank = result->bytes_sent / lab->ranks;
    note_busiest(lab, row, config, result);
}

/* "ring, LL128, 24 channels" */
static void read_choice(struct lab *lab, struct lab_row *row, struct plan_book *book,
                        const struct chunk_plan *plan)
{
    struct diag diag = DIAG_NONE;
    struct algorithm_choice choice;
    struct tuner_choice tuned;
    const struct plan_auto_request asked = {
        lab->request->kind, node_bytes(lab->request->kind, lab->request->bytes, lab->ranks), 0, 0};
    row->chosen = arena_text(&lab->arena, plan->algorithm, strlen(plan->algorithm));
    if (plan_auto_choose(&book->automatic, book->config, &asked, &choice, &tuned, &diag) !=
        STATUS_OK)
        return;
    char text[128];
    snprintf(text, sizeof text, "%s: %s, %s, %u channel%s", book->config->system.library,
             tuner_algorithm_name(tuned.algorithm), tuner_protocol_name(tuned.protocol),
             tuned.channels, tuned.channels == 1 ? "" : "s");
    lab->tuned = arena_text(&lab->arena, text, strlen(text));
    lab->tuned_ps = time_rounded(tuned.time_us * 1000, false);
}

/*
 * What a plan knows: steps, and for `auto` what was chosen and the library's own time. In a table
 * of all algorithms those with too many messages are refused, so that one does not take the hour
 * and the memory of all.
 */
static enum status read_plan(struct lab *lab, struct lab_row *row, const struct config *config,
                             struct diag *diag)
{
    const struct lab_request *request = lab->request;
    struct plan_book book;
    plan_book_init(&book, config);
    const struct comm_group world = {.name = "world", .count = lab->ranks, .is_world = true};
    const struct trace_node node = {
        .type = OP_COLLECTIVE,
        .collective = (uint8_t)request->kind,
        .size_bytes = node_bytes(request->kind, request->bytes, lab->ranks),
        .flags = NODE_HAS_SIZE | NODE_HAS_KIND,
    };
    struct plan_split split;
    const struct chunk_plan *plan = NULL;
    enum status status = plan_split(config, request->kind, node.size_bytes, &split, diag);
    if (status == STATUS_OK) {
        struct plan_key key = plan_key_of(&book, &node, 0, &world, 0, split.chunk_bytes);
        plan_choose_trees(&book, &key);
        status = plan_find(&book, &key, &plan, diag);
    }
    if (status == STATUS_OK) {
        row->steps = plan_latency_terms(plan);
        row->messages = (double)plan_messages(&book, plan) * split.streams * lab->ranks;
        if (!request->algorithm && row->messages > MOST_MESSAGES)
            status = diag_fail(diag, STATUS_BAD_CONFIG,
                               "%.3g messages are too many for a table of all; name it to run it",
                               row->messages);
    }
    if (status == STATUS_OK && strcmp(row->algorithm, "auto") == 0)
        read_choice(lab, row, &book, plan);
    plan_book_release(&book);
    return status;
}

/* A schedule from a file: no algorithm of ours. */
static bool is_custom(const struct config *config, enum collective_kind kind)
{
    enum algorithm_slot slot = plan_slot(kind);
    return slot != SLOT_COUNT && config->system.algorithm[slot].custom_prefix;
}

/* What the runs of all cells have to say, each kind once: the cells of a row say the same. */
static void keep_notices(struct lab *lab, const struct notices *notices)
{
    for (size_t i = 0; i < notices->count; i++) {
        const struct notice *notice = &notices->row[i];
        size_t k = 0;
        while (k < lab->notices.count && strcmp(lab->notices.row[k].key, notice->key) != 0)
            k++;
        if (k == lab->notices.count)
            notices_add(&lab->notices, notice->kind, notice->key, notice->count, "%s",
                        notice->example);
    }
}

static enum status run_cell(struct lab *lab, struct lab_row *row, uint32_t f,
                            const struct simulate_watch *watch, struct diag *diag)
{
    const struct lab_request *request = lab->request;
    struct config config;
    struct run_result result;
    struct group_file groups;
    struct workload workload = {0};
    config_init(&config);
    result_init(&result);
    group_file_init(&groups);
    enum status status = configure(&config, request, request->fidelity[f], &result.notices, diag);
    if (status == STATUS_OK)
        status = set_algorithm(&config, request->kind, row->algorithm, &result.notices, diag);
    if (status == STATUS_OK && f == 0 && !is_custom(&config, request->kind))
        status = read_plan(lab, row, &config, diag);
    if (status == STATUS_OK) {
        config.must_fold = row->messages > MOST_UNFOLDED;
        single_collective(&workload, request->kind,
                          node_bytes(request->kind, request->bytes, lab->ranks), lab->ranks);
        status = simulate(&config, &workload, &groups, watch, &result, diag);
        workload_release(&workload);
    }
    if (status == STATUS_NO_MEMORY && config.must_fold) {
        diag_field(diag, "%s at %s", row->algorithm, net_backend_names[request->fidelity[f]]);
        diag_hint(diag, "choose others, for example --fidelity analytical,flow");
    }
    if (status == STATUS_STUCK)
        diag_fail(diag, status, "its ranks wait for each other without end: %s",
                  result.wait_for_count ? result.wait_for[0] : "see orrery run");
    if (status == STATUS_OK)
        read_cell(lab, row, f, &config, &result);
    keep_notices(lab, &result.notices);
    group_file_release(&groups);
    result_release(&result);
    config_release(&config);
    return status;
}

/* -- the table ------------------------------------------------------------------------------ */

/* Among all, an algorithm that cannot run here, or gets stuck (chunks of several dimensions, each
 * holding what the other needs), is a row with its reason; anything else, and one that was named,
 * ends the whole. */
static enum status run_row(struct lab *lab, struct lab_row *row, const struct simulate_watch *watch,
                           struct diag *diag)
{
    for (uint32_t f = 0; f < lab->request->fidelity_count; f++) {
        struct diag cell_diag = DIAG_NONE;
        enum status status = run_cell(lab, row, f, watch, &cell_diag);
        if (status == STATUS_OK)
            continue;
        bool is_reason =
            status == STATUS_BAD_CONFIG || status == STATUS_BAD_INPUT || status == STATUS_STUCK;
        if (lab->request->algorithm || !is_reason) {
            *diag = cell_diag;
            return status;
        }
        row->reason = arena_text(&lab->arena, cell_diag.message, strlen(cell_diag.message));
        if (diag->status == STATUS_OK)
            *diag = cell_diag; /* the first reason: lab_run() gives it if nothing ran */
        return STATUS_OK;
    }
    return STATUS_OK;
}

static enum status look_at_network(struct lab *lab, struct diag *diag)
{
    struct config config;
    config_init(&config);
    enum status status = configure(&config, lab->request, NET_FLOW, &lab->notices, diag);
    if (status == STATUS_OK) {
        const struct fabric *fabric = config.network.fabric;
        lab->ranks = fabric->npu_count;
        lab->topology = arena_text(&lab->arena, fabric->text, strlen(fabric->text));
        status = lab_bound(lab, &config, diag);
    }
    config_release(&config);
    return status;
}

static bool has_setting(const struct lab_request *request, const char *key)
{
    for (uint32_t i = 0; i < request->setting_count; i++) {
        if (strcmp(request->setting[i].key, key) == 0)
            return true;
    }
    return false;
}

bool lab_is_of_kind(const struct lab_request *request, const char *name)
{
    struct algorithm_choice choice;
    if (!algorithm_parse(name, &choice))
        return true;
    if (choice.id == ALG_AUTO)
        return has_setting(request, "system.library");
    bool is_block = request->kind == COLL_REDUCE_SCATTER_BLOCK;
    enum collective_kind kind = is_block ? COLL_REDUCE_SCATTER : request->kind;
    return collective_algorithms[choice.id]->kinds & KIND_BIT(kind);
}

enum status lab_schedule(const struct lab_request *request, const char *algorithm,
                         struct lone_schedule *lone, struct diag *diag)
{
    struct config config;
    struct notices notices;
    config_init(&config);
    notices_init(&notices);
    enum status status = configure(&config, request, NET_FLOW, &notices, diag);
    *lone = (struct lone_schedule){0};
    if (!status)
        status = lone_schedule_make(
            lone, &config, request->kind,
            node_bytes(request->kind, request->bytes, config.network.npu_count), algorithm, diag);
    notices_release(&notices);
    config_release(&config);
    return status;
}

enum status lab_run(struct lab *lab, const struct lab_request *request,
                    const struct simulate_watch *watch, struct diag *diag)
{
    lab->request = request;
    enum status status = look_at_network(lab, diag);
    if (status != STATUS_OK)
        return status;
    static const char *const fixed[] = {"default", NULL};
    const char *const *names = request->algorithm                       ? request->algorithm
                               : plan_slot(request->kind) == SLOT_COUNT ? fixed
                                                                        : algorithm_names;
    uint32_t count = 0;
    while (names[count])
        count++;
    bool has_run = false;
    lab->row = arena_array(&lab->arena, count, sizeof *lab->row);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        if (!request->algorithm && !lab_is_of_kind(request, names[i]))
            continue;
        struct lab_row *row = &lab->row[lab->row_count++];
        row->algorithm = names[i];
        status = run_row(lab, row, watch, diag);
        has_run |= !row->reason;
    }
    if (status == STATUS_OK && !has_run)
        return diag->status; /* what no algorithm gets past is in the request */
    if (status == STATUS_OK)
        *diag = DIAG_NONE;
    return status;
}
