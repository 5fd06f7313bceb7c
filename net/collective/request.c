#include "net/collective/request.h"

#include "base/status.h"
#include "net/topology/fabric.h"

struct schedule_request request_of_choice(enum collective_kind kind,
                                          const struct algorithm_choice *choice)
{
    return (struct schedule_request){.kind = kind,
                                     .window = choice->window,
                                     .radix = choice->radix,
                                     .chunks = choice->chunks,
                                     .channels = choice->channels};
}

bool request_has_mesh(const struct network_config *network)
{
    return network->fabric && network->fabric->dim[0].kind == FABRIC_FULL;
}

void request_set_shape(struct schedule_request *request, const struct network_config *network)
{
    request->dim_count = network->dim_count;
    request->no_wrap = 0;
    request->is_mesh = request_has_mesh(network);
    for (uint32_t d = 0; d < network->dim_count; d++) {
        request->dim[d] = network->dim[d].npus;
        request->no_wrap |= (uint32_t)network->dim[d].no_wrap << d;
    }
}

enum status request_check_kind(const struct schedule_request *request,
                               const struct collective_ops *ops, struct diag *diag)
{
    if (request->sizes && request->kind != COLL_ALL_TO_ALL)
        return diag_fail(diag, STATUS_BAD_CONFIG, "sizes per pair are for all-to-all, not for %s",
                         collective_name(request->kind));
    if (ops->kinds & KIND_BIT(request->kind))
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG, "the %s algorithm cannot run %s", ops->name,
              collective_name(request->kind));
    diag_hint(diag, "`orrery list algorithms` says which collectives each can run");
    return STATUS_BAD_CONFIG;
}

enum status request_check_domains(const struct schedule_request *request, const char *name,
                                  struct diag *diag)
{
    if (request->dim_count >= 2 && request->dim[0] >= 2 && request->n > request->dim[0])
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG, "%s works on domains of dimension 0, and the shape has %s",
              name,
              request->dim_count < 2 ? "one dimension" : "a domain of all positions, or of one");
    diag_hint(diag, "give the network two dimensions (NPUs of a node, nodes), or use ring");
    return STATUS_BAD_CONFIG;
}

static uint32_t saturated(uint64_t count)
{
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

void request_cut_blocks(const struct schedule_request *request, uint32_t parts,
                        struct schedule *schedule)
{
    uint64_t n = request->n, bytes = request->bytes;
    schedule->pieces = saturated(n * parts);
    schedule->final_bytes = bytes;
    switch (request->kind) {
    case COLL_ALL_GATHER:
        schedule->piece_bytes = ceil_div(bytes, parts);
        schedule->final_bytes = bytes * n;
        break;
    case COLL_GATHER:
    case COLL_SCATTER:
    case COLL_BARRIER:
        schedule->piece_bytes = ceil_div(bytes, parts);
        break;
    case COLL_ALL_TO_ALL:
        schedule->pieces = n * parts < UINT32_MAX ? saturated(n * n * parts) : UINT32_MAX;
        schedule->piece_bytes = ceil_div(bytes, n * parts);
        break;
    case COLL_REDUCE_SCATTER:
    case COLL_REDUCE_SCATTER_BLOCK:
        schedule->piece_bytes = ceil_div(bytes, n * parts);
        schedule->final_bytes = schedule->piece_bytes * parts;
        break;
    default:
        schedule->piece_bytes = ceil_div(bytes, n * parts);
        break;
    }
}

void request_cut_whole(const struct schedule_request *request, uint32_t parts,
                       struct schedule *schedule)
{
    schedule->pieces = parts;
    schedule->piece_bytes = ceil_div(request->bytes, parts);
    schedule->final_bytes = request->bytes;
}

uint32_t request_chunks(const struct schedule_request *request, uint64_t bytes)
{
    if (request->chunks)
        return request->chunks;
    uint64_t chunks = ceil_div(bytes, 512 << 10);
    return chunks < 1 ? 1 : chunks > 64 ? 64 : (uint32_t)chunks;
}
