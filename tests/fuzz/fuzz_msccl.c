/*
 * fuzz_msccl - MSCCL XML: what is accepted becomes programs that the proof can run over (whether
 * right or wrong), and nothing ends by a signal.
 */
#include <stdint.h>

#include "net/collective/msccl.h"
#include "net/collective/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_GPUS = 64, MOST_CHUNKS = 4096 };

static void make_programs(struct msccl *msccl, struct arena *arena)
{
    static const struct verify_weights weights = {.latency = 1, .per_byte = 1};
    struct schedule_request request = {.kind = msccl->kind,
                                       .n = msccl->n,
                                       .bytes = 1000,
                                       .dim_count = 1,
                                       .dim = {msccl->n},
                                       .is_described = true};
    struct schedule schedule = {.program_data = msccl};
    collective_msccl.plan(&request, arena, &schedule);
    struct program *program = arena_array(arena, request.n, sizeof *program);
    for (uint32_t p = 0; p < request.n; p++)
        collective_msccl.program(&request, &schedule, p, arena, &program[p]);
    struct verified verified;
    struct diag diag = DIAG_NONE;
    if (schedule.layout)
        verify_programs(&request, &schedule, program, &weights, &verified, &diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    arena_init(&arena);
    struct diag diag = DIAG_NONE;
    struct msccl *msccl;
    if (msccl_parse(&msccl, "fuzz.xml", data, size, &arena, &diag) == STATUS_OK &&
        msccl->n <= MOST_GPUS && msccl->room[0] + msccl->room[1] + msccl->room[2] <= MOST_CHUNKS &&
        msccl->chunks_per_loop <= MOST_CHUNKS)
        make_programs(msccl, &arena);
    arena_release(&arena);
    return 0;
}
