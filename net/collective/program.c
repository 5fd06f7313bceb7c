#include "net/collective/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"

void program_open(struct program_builder *builder, struct arena *arena, struct program *program,
                  uint32_t step_room, uint32_t edge_room)
{
    *program = (struct program){.step = arena_array(arena, step_room, sizeof *program->step)};
    *builder = (struct program_builder){
        .arena = arena,
        .program = program,
        .step_room = step_room,
        .edge = arena_array(arena, edge_room, sizeof(struct program_edge)),
        .edge_room = edge_room,
    };
}

uint32_t program_step_add(struct program_builder *builder, struct program_step step)
{
    struct program *program = builder->program;
    program->step =
        arena_grow(builder->arena, program->step, program->count, &builder->step_room, sizeof step);
    program->step[program->count] = step;
    return program->count++;
}

void program_edge_add(struct program_builder *builder, uint32_t before, uint32_t after)
{
    if (before == NO_STEP)
        return;
    builder->edge = arena_grow(builder->arena, builder->edge, builder->edge_count,
                               &builder->edge_room, sizeof *builder->edge);
    builder->edge[builder->edge_count++] = (struct program_edge){before, after};
    builder->program->step[after].parents++;
    builder->program->step[before].child_count++;
}

static uint32_t add_after(struct program_builder *builder, uint32_t after, struct program_step step)
{
    uint32_t added = program_step_add(builder, step);
    program_edge_add(builder, after, added);
    return added;
}

uint32_t program_send(struct program_builder *builder, uint32_t after, uint32_t peer, uint32_t slot,
                      uint64_t bytes)
{
    return add_after(
        builder, after,
        (struct program_step){.op = STEP_SEND, .peer = peer, .slot = slot, .bytes = bytes});
}

uint32_t program_recv(struct program_builder *builder, uint32_t after, uint32_t peer, uint32_t slot,
                      uint64_t bytes)
{
    return add_after(
        builder, after,
        (struct program_step){.op = STEP_RECV, .peer = peer, .slot = slot, .bytes = bytes});
}

uint32_t program_local(struct program_builder *builder, uint32_t after, bool reduce, uint64_t bytes)
{
    return add_after(builder, after,
                     (struct program_step){.op = STEP_LOCAL, .reduce = reduce, .bytes = bytes});
}

static int compare_sends(const void *left, const void *right)
{
    const struct program_send *a = left, *b = right;
    if (a->slot != b->slot)
        return a->slot < b->slot ? -1 : 1;
    return a->step < b->step ? -1 : a->step > b->step;
}

static void sort_sends(struct program *program, struct arena *arena)
{
    program->send_count = 0;
    for (uint32_t s = 0; s < program->count; s++)
        program->send_count += program->step[s].op == STEP_SEND;
    program->send = arena_array(arena, program->send_count, sizeof *program->send);
    bool is_sorted = true;
    uint32_t count = 0, last = 0;
    for (uint32_t s = 0; s < program->count; s++) {
        if (program->step[s].op != STEP_SEND)
            continue;
        uint32_t slot = program->step[s].slot;
        is_sorted = is_sorted && slot >= last;
        last = slot;
        program->send[count++] = (struct program_send){slot, s};
    }
    if (!is_sorted)
        qsort(program->send, count, sizeof *program->send, compare_sends);
}

void program_index_slots(struct program *program, struct arena *arena)
{
    sort_sends(program, arena);
    program->slot_count = 0;
    for (uint32_t s = 0; s < program->count; s++) {
        if (program->step[s].op == STEP_RECV && program->step[s].slot >= program->slot_count)
            program->slot_count = program->step[s].slot + 1;
    }
    program->recv_of_slot = arena_array(arena, program->slot_count, sizeof *program->recv_of_slot);
    for (uint32_t slot = 0; slot < program->slot_count; slot++)
        program->recv_of_slot[slot] = NO_STEP;
    for (uint32_t s = 0; s < program->count; s++) {
        if (program->step[s].op == STEP_RECV)
            program->recv_of_slot[program->step[s].slot] = s;
    }
}

/* One first step, and each other after exactly one. */
static bool is_chain(const struct program *program, uint32_t edge_count)
{
    for (uint32_t s = 0; s < program->count; s++) {
        if (program->step[s].parents > 1 || program->step[s].child_count > 1)
            return false;
    }
    return edge_count + 1 == program->count;
}

void program_close(struct program_builder *builder)
{
    struct program *program = builder->program;
    program->is_chain = is_chain(program, builder->edge_count);
    program->child = arena_array(builder->arena, builder->edge_count + 1, sizeof *program->child);
    uint32_t next = 0;
    for (uint32_t s = 0; s < program->count; s++) {
        program->step[s].first_child = next;
        next += program->step[s].child_count;
        program->step[s].child_count = 0;
    }
    for (uint32_t e = 0; e < builder->edge_count; e++) {
        struct program_step *before = &program->step[builder->edge[e].before];
        program->child[before->first_child + before->child_count++] = builder->edge[e].after;
    }
    program_index_slots(program, builder->arena);
}
