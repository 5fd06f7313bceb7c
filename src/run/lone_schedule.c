#include "run/lone_schedule.h"

#include <inttypes.h>
#include <string.h>

#include "config/algorithm_name.h"
#include "net/collective/msccl.h"
#include "net/collective/request.h"
#include "net/collective/uneven.h"

static enum status use_algorithm(struct lone_schedule *lone, const struct config *config,
                                 struct algorithm_choice *choice, struct diag *diag)
{
    if (!algorithm_parse(lone->name, choice))
        return algorithm_unknown(lone->name, diag);
    if (choice->id == ALG_AUTO)
        return diag_fail(diag, STATUS_BAD_CONFIG, "auto is a choice, not a schedule");
    lone->ops = collective_algorithms[choice->id];
    if (choice->flat || config->network.dim_count == 1)
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG,
              "%s runs in each of %" PRIu32 " dimensions: that is no single schedule", lone->name,
              config->network.dim_count);
    diag_hint(diag, "name an algorithm over all ranks: oneRing, or one with :flat");
    return STATUS_BAD_CONFIG;
}

static enum status use_file(struct lone_schedule *lone, const struct config *config,
                            enum collective_kind kind, struct diag *diag)
{
    struct msccl *msccl;
    enum status status = msccl_load(&msccl, lone->name, &lone->arena, diag);
    if (!status)
        status = msccl_fits(msccl, kind, diag);
    if (!status && msccl->n != config->network.npu_count) {
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "the file has %" PRIu32 " gpus, the network %" PRIu32 " NPUs", msccl->n,
                  config->network.npu_count);
        diag_in(diag, lone->name);
        return STATUS_BAD_CONFIG;
    }
    lone->ops = &collective_msccl;
    lone->schedule.program_data = status ? NULL : msccl;
    return status;
}

enum status lone_schedule_make(struct lone_schedule *lone, const struct config *config,
                               enum collective_kind kind, uint64_t bytes, const char *name,
                               struct diag *diag)
{
    *lone = (struct lone_schedule){.name = name};
    arena_init(&lone->arena);
    if (kind == COLL_REDUCE_SCATTER_BLOCK)
        kind = COLL_REDUCE_SCATTER;
    if (config->network.npu_count < 2)
        return diag_fail(diag, STATUS_BAD_CONFIG, "one rank alone has no schedule");
    struct algorithm_choice choice = {0};
    enum status status = msccl_is_path(name) ? use_file(lone, config, kind, diag)
                                             : use_algorithm(lone, config, &choice, diag);
    lone->request = request_of_choice(kind, &choice);
    lone->request.n = config->network.npu_count;
    lone->request.bytes = bytes;
    lone->request.is_described = true;
    request_set_shape(&lone->request, &config->network);
    if (!status)
        status = uneven_give(config->system.all_to_all_sizes, &lone->request, &lone->arena, diag);
    if (!status)
        status = lone->ops->check(&lone->request, diag);
    if (status)
        return status;
    lone->ops->plan(&lone->request, &lone->arena, &lone->schedule);
    if (!lone->ops->program || !lone->schedule.pieces)
        return diag_fail(diag, STATUS_BAD_CONFIG, "%s does not say what data its messages carry",
                         name);
    if (lone->request.n > VERIFY_MOST_POSITIONS)
        return diag_fail(diag, STATUS_NO_MEMORY,
                         "a schedule of %" PRIu32 " ranks; at most %d can be proved or written",
                         lone->request.n, VERIFY_MOST_POSITIONS);
    lone->program = arena_array(&lone->arena, lone->request.n, sizeof *lone->program);
    for (uint32_t p = 0; p < lone->request.n; p++)
        lone->ops->program(&lone->request, &lone->schedule, p, &lone->arena, &lone->program[p]);
    return STATUS_OK;
}

void lone_schedule_release(struct lone_schedule *lone)
{
    arena_release(&lone->arena);
    *lone = (struct lone_schedule){0};
}

static enum status verify(const struct lone_schedule *lone, struct verified *verified,
                          struct diag *diag)
{
    static const struct verify_weights weights = {.latency = 1, .per_byte = 0};
    return verify_programs(&lone->request, &lone->schedule, lone->program, &weights, verified,
                           diag);
}

enum status lone_schedule_print_proof(const struct lone_schedule *lone, FILE *out,
                                      struct diag *diag)
{
    struct verified verified;
    enum status status = verify(lone, &verified, diag);
    if (status)
        return status;
    fprintf(out,
            "%s: %s of %" PRIu32 " ranks is right: %" PRIu64 " messages, %" PRIu64
            " B in all, %" PRIu64 " B by the busiest port",
            lone->name, collective_name(lone->request.kind), lone->request.n, verified.messages,
            verified.total_bytes, verified.port_bytes);
    if (lone->ops->cost) {
        struct collective_cost cost;
        lone->ops->cost(&lone->request, &cost);
        fprintf(out, "; T = %" PRIu64 " a + %" PRIu64 " b", cost.latency_terms, cost.path_bytes);
        if (cost.reduce_bytes)
            fprintf(out, " + %" PRIu64 " r", cost.reduce_bytes);
    } else {
        fprintf(out, "; %" PRIu64 " messages one after the other", verified.latency_terms);
    }
    fputc('\n', out);
    return STATUS_OK;
}
