/*
 * verify_flow - what verify.c follows: the graph of all steps, and the contents of all places.
 */
#ifndef ORRERY_NET_COLLECTIVE_VERIFY_FLOW_H
#define ORRERY_NET_COLLECTIVE_VERIFY_FLOW_H

#include "net/collective/verify.h"

#define VERIFY_NONE UINT32_MAX
enum { MASK_WORDS = VERIFY_MOST_POSITIONS / 64 };

/* One piece and whose contributions are in it. */
struct value {
    uint32_t piece; /* VERIFY_NONE: nothing */
    uint64_t from[MASK_WORDS];
};

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ADD };

struct access {
    uint32_t step; /* of the whole graph */
    uint32_t next; /* of the same place */
    uint8_t kind;
};

/* All steps of all positions: position p's are base[p] .. base[p + 1] - 1. */
struct flow_graph {
    const struct schedule_request *request;
    const struct schedule *schedule;
    const struct program *program;
    const struct data_layout *layout;
    struct arena *arena;
    struct diag *diag;
    uint32_t count;
    uint32_t *base, *position;
    uint32_t *partner; /* of a receive: its send; of a send: its receive */
    uint32_t *adder;   /* of a receive that combines: the step when it is done */
    uint32_t *added;   /* the receive whose data a step adds */

    struct value *place;    /* [position * places + place] */
    struct value **message; /* [step] what a send carried */
    struct access *access;
    uint32_t *first_access; /* [position * places + place] */
    uint32_t access_count, access_room;
};

static inline const struct program_step *step_of(const struct flow_graph *graph, uint32_t node)
{
    uint32_t p = graph->position[node];
    return &graph->program[p].step[node - graph->base[p]];
}

static inline const struct step_data *data_of(const struct flow_graph *graph, uint32_t node)
{
    uint32_t p = graph->position[node];
    return &graph->program[p].data[node - graph->base[p]];
}

static inline const struct data_range *ranges_of(const struct flow_graph *graph, uint32_t node)
{
    return graph->program[graph->position[node]].range + data_of(graph, node)->first_range;
}

/* The positions whose data the switches combine for a receive. */
struct network_members flow_members(const struct flow_graph *graph, uint32_t recv);

/* The receive of position p's slot, or VERIFY_NONE. */
uint32_t flow_recv_in(const struct flow_graph *graph, uint32_t p, uint32_t slot);

/* The send of the i-th member of a receive from switches, or VERIFY_NONE. */
uint32_t flow_member_send(const struct flow_graph *graph, uint32_t recv,
                          struct network_members members, uint32_t i);

/* Places that a step's ranges name. */
uint64_t flow_pieces(const struct flow_graph *graph, uint32_t node);

/* Fills `diag` with a cause at a step. */
enum status flow_fail(const struct flow_graph *graph, uint32_t node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets up contents as the layout begins. */
void flow_data_begin(struct flow_graph *graph);

/* The effect of a step that is done: all steps before it have been applied. */
enum status flow_data_apply(struct flow_graph *graph, uint32_t node);

/* Do the contents end as the layout says? */
enum status flow_data_end(const struct flow_graph *graph);

#endif
