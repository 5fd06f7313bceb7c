#include "tests/agree/forms/lone.h"

#include <stdio.h>
#include <string.h>

#include "config/algorithm_name.h"
#include "config/own_config.h"
#include "config/settings.h"
#include "net/topology/fabric.h"
#include "net/topology/resolve.h"
#include "run/simulate.h"
#include "sched/plan.h"
#include "workloads/single.h"
#include "workloads/workload_set.h"

void lone_set(struct lone_case *given, const char *key, const char *value)
{
    uint32_t used = 0;
    while (used < LONE_MOST_SETTINGS && given->setting[used].key)
        used++;
    if (used < LONE_MOST_SETTINGS)
        given->setting[used] = (struct lone_setting){key, value};
}

static enum status set_text(struct lone *lone, const char *key, const char *value,
                            struct diag *diag)
{
    return setting_set_text(&lone->config, setting_find(key), value, "case", &lone->result.notices,
                            diag);
}

/* The ranks of the fabric as another shape: algorithms see that of the configuration. */
static void reshape(struct network_config *network, const uint32_t *shape)
{
    struct net_dim first = network->dim[0];
    if (!shape[0])
        return;
    network->dim_count = 0;
    for (uint32_t d = 0; d < 4 && shape[d]; d++) {
        network->dim[d] = first;
        network->dim[d].npus = shape[d];
        network->dim_count++;
    }
}

static enum status set_algorithm(struct lone *lone, const struct lone_case *given,
                                 struct diag *diag)
{
    enum algorithm_slot slot = plan_slot(given->kind);
    char names[256], *rest = NULL;
    snprintf(names, sizeof names, "%s", given->algorithm);
    if (slot == SLOT_COUNT)
        return config_finish(&lone->config, &lone->result.notices, diag);
    struct algorithm_list *list = &lone->config.system.algorithm[slot];
    for (char *word = strtok_r(names, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (list->count == CONFIG_MAX_DIMS || !algorithm_parse(word, &list->choice[list->count]))
            return algorithm_unknown(word, diag);
        list->count++;
    }
    list->one_name = list->count == 1 && !list->choice[0].flat;
    algorithm_note(&lone->config, slot, "case");
    return config_finish(&lone->config, &lone->result.notices, diag);
}

static enum status configure(struct lone *lone, const struct lone_case *given, struct diag *diag)
{
    struct config *config = &lone->config;
    own_config_defaults(config);
    config->system.dataset_splits = 1;
    config->system.endpoint_delay_ns = 0;
    config->fold = !given->is_unfolded;
    enum status status = set_text(lone, "network.topology", given->topology, diag);
    for (uint32_t i = 0; i < LONE_MOST_SETTINGS && given->setting[i].key && !status; i++)
        status = set_text(lone, given->setting[i].key, given->setting[i].value, diag);
    if (status != STATUS_OK)
        return status;
    config->network.backend = given->fidelity;
    setting_note(config, setting_find("network.backend"), "case");
    status = topology_resolve(config, &lone->result.notices, diag);
    if (status != STATUS_OK)
        return status;
    reshape(&config->network, given->shape);
    return set_algorithm(lone, given, diag);
}

static bool is_symmetric(const struct phase *phase, const struct network_config *network)
{
    const struct schedule *schedule = &phase->schedule;
    if (schedule->form == SCHEDULE_EXCHANGE)
        return schedule->exchange.peer == PEER_SHIFT && phase->network_dim >= 0;
    return schedule->symmetry == SYMMETRY_SHIFT ||
           (schedule->symmetry == SYMMETRY_CYCLE && network->dim_count == 1);
}

/* Phases go one after the other; each is run by npus / n groups at once. */
static void add_cost(struct lone *lone, const struct phase *phase)
{
    struct collective_cost cost, *sum = &lone->cost;
    phase->algorithm->cost(&phase->request, &cost);
    sum->latency_terms += cost.latency_terms;
    sum->path_bytes += cost.path_bytes;
    sum->reduce_bytes += cost.reduce_bytes;
    sum->port_bytes += cost.port_bytes;
    sum->total_bytes += cost.total_bytes * (lone->config.network.npu_count / phase->n);
    lone->phases++;
    lone->is_symmetric = lone->is_symmetric && is_symmetric(phase, &lone->config.network);
}

static enum status read_cost(struct lone *lone, const struct lone_case *given, struct diag *diag)
{
    struct plan_book book;
    plan_book_init(&book, &lone->config);
    const struct comm_group world = {
        .name = "world", .count = lone->config.network.npu_count, .is_world = true};
    const struct trace_node node = {.type = OP_COLLECTIVE,
                                    .collective = (uint8_t)given->kind,
                                    .size_bytes = given->bytes,
                                    .flags = NODE_HAS_SIZE | NODE_HAS_KIND};
    struct plan_split split;
    const struct chunk_plan *plan = NULL;
    enum status status = plan_split(&lone->config, given->kind, given->bytes, &split, diag);
    if (status == STATUS_OK) {
        struct plan_key key = plan_key_of(&book, &node, 0, &world, 0, split.chunk_bytes);
        plan_choose_trees(&book, &key);
        status = plan_find(&book, &key, &plan, diag);
    }
    for (uint32_t p = 0; plan && status == STATUS_OK && p < plan->phase_count; p++)
        add_cost(lone, &plan->phase[p]);
    plan_book_release(&book);
    return status;
}

enum status lone_run(struct lone *lone, const struct lone_case *given, struct diag *diag)
{
    struct group_file groups;
    struct workload workload = {0};
    *lone = (struct lone){.is_symmetric = true};
    config_init(&lone->config);
    result_init(&lone->result);
    group_file_init(&groups);
    enum status status = configure(lone, given, diag);
    if (status == STATUS_OK)
        status = read_cost(lone, given, diag);
    if (status == STATUS_OK) {
        single_collective(&workload, given->kind, given->bytes, lone->config.network.npu_count);
        status = simulate(&lone->config, &workload, &groups, NULL, &lone->result, diag);
        workload_release(&workload);
    }
    group_file_release(&groups);
    return status;
}

void lone_release(struct lone *lone)
{
    result_release(&lone->result);
    config_release(&lone->config);
}
