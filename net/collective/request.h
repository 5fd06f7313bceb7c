/*
 * request - what algorithms ask of a request, and how they cut its data (model/collective.h, rule
 * 3).
 */
#ifndef ORRERY_NET_COLLECTIVE_REQUEST_H
#define ORRERY_NET_COLLECTIVE_REQUEST_H

#include "config/config.h"
#include "model/collective.h"

/* ceil(log2 n), n >= 1. */
static inline uint32_t levels_of(uint32_t n)
{
    return n <= 1 ? 0 : 32 - (uint32_t)__builtin_clz(n - 1);
}

static inline bool is_power_of_two(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

/* ceil(a / b) */
static inline uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* What a request takes from the choice of its algorithm; the rest is zero. */
struct schedule_request request_of_choice(enum collective_kind kind,
                                          const struct algorithm_choice *choice);

/* Has dimension 0 a link between every two of its NPUs? */
bool request_has_mesh(const struct network_config *network);

/* Sets the shape to the dimensions of the network: positions are its NPUs. */
void request_set_shape(struct schedule_request *request, const struct network_config *network);

/* Fails unless `ops` can run the kind. */
enum status request_check_kind(const struct schedule_request *request,
                               const struct collective_ops *ops, struct diag *diag);

/* Fails unless the shape has a scale-up domain: two dimensions or more, the first of 2 or more. */
enum status request_check_domains(const struct schedule_request *request, const char *name,
                                  struct diag *diag);

/* Cuts each position's block into `parts` pieces; sets pieces, piece_bytes and final_bytes. */
void request_cut_blocks(const struct schedule_request *request, uint32_t parts,
                        struct schedule *schedule);

/* Cuts the whole buffer into `parts` pieces: all-reduce, broadcast, reduce. */
void request_cut_whole(const struct schedule_request *request, uint32_t parts,
                       struct schedule *schedule);

/* Chunks of a pipeline of `bytes`: as the request says, else one for each 512 KiB (a step of NCCL's
 * buffers: 4 MiB in 8), 1 to 64. */
uint32_t request_chunks(const struct schedule_request *request, uint64_t bytes);

/* The symmetry of what depends on differences of positions modulo n only. */
static inline enum schedule_symmetry request_cycle(const struct schedule_request *request)
{
    return request->dim_count == 1 ? SYMMETRY_SHIFT : SYMMETRY_CYCLE;
}

#endif
