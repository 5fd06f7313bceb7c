#include "run/lone_schedule.h"

#include <inttypes.h>
#include <string.h>

#include "config/algorithm_name.h"
#include "net/collective/msccl.h"
#include "net/collective/request.h"
#include "net/collective/uneven.h"

static enum status use_algorithm(struct lone_schedule *lone, const char *name, struct diag *diag)
{
    struct algorithm_choice choice;
    if (!algorithm_parse(name, &choice))
        return algorithm_unknown(name, diag);
    if (choice.id == ALG_AUTO)
        return diag_fail(diag, STATUS_BAD_CONFIG, "auto is a choice, not a schedule");
    lone->ops = collective_algorithms[choice.id];
    struct schedule_request *request = &lone->request;
    if (!choice.flat && request->dim_count > 1) {
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "%s runs in each of %" PRIu32 " dimensions: that is no single schedule", name,
                  request->dim_count);
        diag_hint(diag, "name an algorithm over all ranks: oneRing, or one with :flat");
        return STATUS_BAD_CONFIG;
    }
    request->window = choice.window;
    request->radix = choice.radix;
    request->chunks = choice.chunks;
    request->channels = choice.channels;
    return lone->ops->check(request, diag);
}

static enum status use_file(struct lone_schedule *lone, const char *path, struct diag *diag)
{
    struct msccl *msccl;
    enum status status = msccl_load(&msccl, path, &lone->arena, diag);
    if (!status)
        status = msccl_fits(msccl, lone->request.kind, diag);
    if (!status && msccl->n != lone->request.n) {
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "the file has %" PRIu32 " gpus, the network %" PRIu32 " NPUs", msccl->n,
                  lone->request.n);
        diag_in(diag, path);
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
    lone->request = (struct schedule_request){.kind = kind, .bytes = bytes, .is_described = true};
    lone->request.n = config->network.npu_count;
    request_set_shape(&lone->request, &config->network);
    if (lone->request.n < 2)
        return diag_fail(diag, STATUS_BAD_CONFIG, "one rank alone has no schedule");
    const char *sizes = config->system.all_to_all_sizes;
    enum status status = STATUS_OK;
    if (sizes && kind == COLL_ALL_TO_ALL)
        status =
            uneven_sizes(sizes, lone->request.n, bytes, &lone->arena, &lone->request.sizes, diag);
    if (!status)
        status = msccl_is_path(name) ? use_file(lone, name, diag) : use_algorithm(lone, name, diag);
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
