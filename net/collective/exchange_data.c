#include "net/collective/exchange_data.h"

#include "net/collective/bucket.h"
#include "net/collective/lanes.h"
#include "net/collective/request.h"
#include "net/collective/shots.h"

void exchange_data_plan(const struct schedule_request *request, uint64_t piece_bytes,
                        struct schedule *schedule)
{
    struct schedule cut = {0};
    request_cut_blocks(request, 1, &cut);
    schedule->pieces = cut.pieces;
    schedule->piece_bytes = piece_bytes;
}

/* For each distance, the block of that distance goes round; a hop is a message. */
static void program_ring_all_to_all(const struct schedule_request *request,
                                    const struct schedule *schedule, uint32_t position,
                                    struct arena *arena, struct program *program)
{
    uint32_t n = request->n, slot = 0;
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, n * (n - 1) / 2, arena, program);
    uint32_t last = lanes_begin(&lanes, 1);
    uint32_t next = exchange_up(position, 1, n), before = exchange_down(position, 1, n);
    for (uint32_t distance = 1; distance < n; distance++) {
        for (uint32_t hop = 0; hop < distance; hop++) {
            uint64_t from = exchange_down(position, hop, n);
            lanes_carry(&lanes, from * n + (from + distance) % n, 1);
            last = lanes_swap(&lanes, last, next, before, slot++, 1, false);
        }
    }
    lanes_close(&lanes);
}

void exchange_ring_program(const struct schedule_request *request, const struct schedule *schedule,
                           uint32_t position, struct arena *arena, struct program *program)
{
    if (request->kind == COLL_ALL_TO_ALL)
        program_ring_all_to_all(request, schedule, position, arena, program);
    else
        bucket_ring_program(request, schedule, position, arena, program);
}

/* All-to-all: everything at once, or a window of it: each hand-over lets the next leave. */
static void program_direct_all_to_all(struct lanes *lanes, const struct schedule_request *request,
                                      uint32_t position)
{
    uint32_t n = request->n;
    uint32_t begin = lanes_begin(lanes, 1);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t to = exchange_up(position, i, n);
        lanes_carry(lanes, (uint64_t)position * n + to, 1);
        lanes_swap(lanes, begin, to, exchange_down(position, i, n), i - 1, 1, false);
    }
}

void exchange_direct_program(const struct schedule_request *request,
                             const struct schedule *schedule, uint32_t position,
                             struct arena *arena, struct program *program)
{
    uint32_t n = request->n;
    struct shot_group all = {.stride = 1, .count = n, .own = position, .width = 1};
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, 2 * n, arena, program);
    if (request->kind == COLL_ALL_TO_ALL) {
        program_direct_all_to_all(&lanes, request, position);
    } else {
        uint32_t last = lanes_begin(&lanes, 1);
        if (request->kind != COLL_ALL_GATHER)
            last = shots_reduce_scatter(&lanes, &all, 0, last);
        if (request->kind != COLL_REDUCE_SCATTER)
            shots_all_gather(&lanes, &all, n - 1, last);
    }
    lanes_close(&lanes);
}
