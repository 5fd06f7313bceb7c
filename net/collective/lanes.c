#include "net/collective/lanes.h"

#include <string.h>

#include "base/status.h"

void lanes_open(struct lanes *lanes, const struct schedule_request *request, uint64_t piece_bytes,
                uint32_t messages, struct arena *arena, struct program *program)
{
    *lanes = (struct lanes){
        .program = program, .piece_bytes = piece_bytes, .is_described = request->is_described};
    program_open(&lanes->build, arena, program, 3 * messages + 2, 4 * messages + 2);
}

void lanes_carry(struct lanes *lanes, uint64_t first, uint64_t count)
{
    if (!count)
        return;
    lanes->carried += count;
    if (!lanes->is_described)
        return;
    struct program *program = lanes->program;
    promise(first + count <= UINT32_MAX);
    if (program->range_count > lanes->carried_first) {
        struct data_range *last = &program->range[program->range_count - 1];
        if (last->first + last->count == first) {
            last->count += (uint32_t)count;
            return;
        }
    }
    program->range = arena_grow(lanes->build.arena, program->range, program->range_count,
                                &lanes->range_room, sizeof *program->range);
    program->range[program->range_count++] = (struct data_range){(uint32_t)first, (uint32_t)count};
}

/* Notes what the step added last does; takes the named pieces if it is to. */
static void note_data(struct lanes *lanes, uint32_t step, enum data_effect effect, bool takes_named)
{
    struct program *program = lanes->program;
    if (lanes->is_described) {
        while (lanes->data_room <= step)
            program->data = arena_grow(lanes->build.arena, program->data, lanes->data_room,
                                       &lanes->data_room, sizeof *program->data);
        program->data[step].effect = (uint8_t)effect;
        if (takes_named) {
            program->data[step].first_range = lanes->carried_first;
            program->data[step].range_count = program->range_count - lanes->carried_first;
        }
    }
    if (takes_named) {
        lanes->carried = 0;
        lanes->carried_first = program->range_count;
    }
}

uint32_t lanes_send(struct lanes *lanes, uint32_t after, uint32_t peer, uint32_t slot)
{
    uint32_t step =
        program_send(&lanes->build, after, peer, slot, lanes->carried * lanes->piece_bytes);
    note_data(lanes, step, DATA_READ, true);
    return step;
}

void lanes_until_arrival(struct lanes *lanes, uint32_t send)
{
    lanes->program->step[send].until_arrival = true;
}

uint32_t lanes_local(struct lanes *lanes, uint32_t after, bool reduce, uint64_t pieces)
{
    uint32_t step = program_local(&lanes->build, after, reduce, pieces * lanes->piece_bytes);
    note_data(lanes, step, DATA_NONE, false);
    return step;
}

uint32_t lanes_begin(struct lanes *lanes, uint64_t pieces)
{
    return lanes_local(lanes, NO_STEP, false, pieces);
}

uint32_t lanes_recv_only(struct lanes *lanes, uint32_t after, uint32_t peer, uint32_t slot,
                         uint64_t pieces, bool combine)
{
    uint32_t recv = program_recv(&lanes->build, after, peer, slot, pieces * lanes->piece_bytes);
    note_data(lanes, recv, combine ? DATA_COMBINE : DATA_WRITE, false);
    return recv;
}

uint32_t lanes_recv(struct lanes *lanes, uint32_t after, uint32_t peer, uint32_t slot,
                    uint64_t pieces, bool combine)
{
    uint32_t recv = lanes_recv_only(lanes, after, peer, slot, pieces, combine);
    return lanes_local(lanes, recv, combine, pieces);
}

uint32_t lanes_recv_named(struct lanes *lanes, uint32_t after, uint32_t peer, uint32_t slot)
{
    uint64_t pieces = lanes->carried;
    uint32_t recv = program_recv(&lanes->build, after, peer, slot, pieces * lanes->piece_bytes);
    note_data(lanes, recv, DATA_WRITE, true);
    return lanes_local(lanes, recv, false, pieces);
}

uint32_t lanes_swap(struct lanes *lanes, uint32_t after, uint32_t to, uint32_t from, uint32_t slot,
                    uint64_t pieces, bool combine)
{
    uint32_t sent = lanes_send(lanes, after, to, slot);
    return lanes_recv(lanes, sent, from, slot, pieces, combine);
}

void lanes_close(struct lanes *lanes)
{
    promise(!lanes->carried);
    program_close(&lanes->build);
}
