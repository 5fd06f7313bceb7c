/*
 * program - helpers to build the step graph of one position.
 *
 * Add steps in any order, then the edges, then close. program_close() turns the edge list into the
 * compact child lists of `struct program` and finds the receive of each slot. The room given to
 * program_open() is a guess: it grows.
 */
#ifndef ORRERY_NET_COLLECTIVE_PROGRAM_H
#define ORRERY_NET_COLLECTIVE_PROGRAM_H

#include "model/collective.h"

struct program_edge {
    uint32_t before, after;
};

struct program_builder {
    struct arena *arena;
    struct program *program;
    uint32_t step_room;
    struct program_edge *edge;
    uint32_t edge_count, edge_room;
};

void program_open(struct program_builder *builder, struct arena *arena, struct program *program,
                  uint32_t step_room, uint32_t edge_room);

/* Each adds a step and returns its number. `after` is a step that must be done, or NO_STEP. */
#define NO_STEP UINT32_MAX
uint32_t program_send(struct program_builder *builder, uint32_t after, uint32_t peer, uint32_t slot,
                      uint64_t bytes);
uint32_t program_recv(struct program_builder *builder, uint32_t after, uint32_t peer, uint32_t slot,
                      uint64_t bytes);
uint32_t program_local(struct program_builder *builder, uint32_t after, bool reduce,
                       uint64_t bytes);
uint32_t program_step_add(struct program_builder *builder, struct program_step step);
void program_edge_add(struct program_builder *builder, uint32_t before, uint32_t after);
void program_close(struct program_builder *builder);

/* Fills recv_of_slot and send anew, for slots that were changed after program_close(). */
void program_index_slots(struct program *program, struct arena *arena);

#endif
