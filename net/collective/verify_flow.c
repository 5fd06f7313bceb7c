#include "net/collective/verify_flow.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

enum status flow_fail(const struct flow_graph *graph, uint32_t node, const char *format, ...)
{
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    uint32_t p = graph->position[node];
    return diag_fail(graph->diag, STATUS_BAD_INPUT, "position %" PRIu32 ", step %" PRIu32 ": %s", p,
                     node - graph->base[p], text);
}

/* Does the kind add contributions? */
static bool adds_up(enum collective_kind kind)
{
    return kind == COLL_ALL_REDUCE || kind == COLL_REDUCE_SCATTER || kind == COLL_REDUCE ||
           kind == COLL_REDUCE_SCATTER_BLOCK;
}

uint64_t flow_pieces(const struct flow_graph *graph, uint32_t node)
{
    const struct data_range *range = ranges_of(graph, node);
    uint64_t count = 0;
    for (uint32_t r = 0; r < data_of(graph, node)->range_count; r++)
        count += range[r].count;
    return count;
}

/* -- who meets whom -------------------------------------------------------------------------- */

uint32_t flow_recv_in(const struct flow_graph *graph, uint32_t p, uint32_t slot)
{
    const struct program *program = &graph->program[p];
    if (slot >= program->slot_count || program->recv_of_slot[slot] >= program->count)
        return VERIFY_NONE;
    return graph->base[p] + program->recv_of_slot[slot];
}

struct network_members flow_members(const struct flow_graph *graph, uint32_t recv)
{
    return schedule_members(graph->request, step_of(graph, recv)->peer, graph->position[recv]);
}

uint32_t flow_member_send(const struct flow_graph *graph, uint32_t recv,
                          struct network_members members, uint32_t i)
{
    const struct program_step *step = step_of(graph, recv);
    uint32_t other = flow_recv_in(graph, members.first + i * members.stride, step->slot);
    if (other == VERIFY_NONE || step_of(graph, other)->peer != step->peer)
        return VERIFY_NONE;
    return graph->partner[other];
}

/* -- contents -------------------------------------------------------------------------------- */

static size_t place_index(const struct flow_graph *graph, uint32_t position, uint32_t place)
{
    return (size_t)position * graph->layout->places + place;
}

void flow_data_begin(struct flow_graph *graph)
{
    size_t count = (size_t)graph->request->n * graph->layout->places;
    graph->place = arena_array(graph->arena, count, sizeof *graph->place);
    graph->first_access = arena_array(graph->arena, count, sizeof *graph->first_access);
    graph->message = arena_array(graph->arena, graph->count, sizeof *graph->message);
    for (size_t i = 0; i < count; i++) {
        uint32_t p = (uint32_t)(i / graph->layout->places);
        graph->first_access[i] = VERIFY_NONE;
        graph->place[i].piece = graph->layout->begin[i];
        if (graph->place[i].piece != VERIFY_NONE)
            graph->place[i].from[p / 64] = 1ull << p % 64;
    }
}

static void note_access(struct flow_graph *graph, uint32_t node, uint32_t place,
                        enum access_kind kind)
{
    if (graph->access_count == graph->access_room) {
        uint32_t room = graph->access_room ? 2 * graph->access_room : 1024;
        struct access *more = arena_array(graph->arena, room, sizeof *more);
        if (graph->access_count)
            memcpy(more, graph->access, graph->access_count * sizeof *more);
        graph->access = more;
        graph->access_room = room;
    }
    uint32_t *first = &graph->first_access[place_index(graph, graph->position[node], place)];
    graph->access[graph->access_count] = (struct access){node, *first, (uint8_t)kind};
    *first = graph->access_count++;
}

/* Adds `value` to what is in a place. */
static enum status add_value(struct flow_graph *graph, uint32_t node, uint32_t place,
                             struct value *to, const struct value *value)
{
    if (to->piece == VERIFY_NONE || to->piece != value->piece)
        return flow_fail(graph, node,
                         "adds piece %" PRIu32 " to place %" PRIu32 ", which holds %s piece",
                         value->piece, place, to->piece == VERIFY_NONE ? "no" : "another");
    for (int w = 0; w < MASK_WORDS; w++) {
        uint64_t twice = to->from[w] & value->from[w];
        if (twice)
            return flow_fail(graph, node, "adds position %d's part of piece %" PRIu32 " twice",
                             64 * w + __builtin_ctzll(twice), value->piece);
        to->from[w] |= value->from[w];
    }
    return STATUS_OK;
}

/* Puts or adds values into the places of ranges, in order. */
static enum status put_values(struct flow_graph *graph, uint32_t node,
                              const struct data_range *range, uint32_t range_count,
                              const struct value *value, bool add)
{
    for (uint32_t r = 0, i = 0; r < range_count; r++) {
        for (uint32_t k = 0; k < range[r].count; k++, i++) {
            uint32_t place = range[r].first + k;
            struct value *to = &graph->place[place_index(graph, graph->position[node], place)];
            note_access(graph, node, place, add ? ACCESS_ADD : ACCESS_WRITE);
            if (!add)
                *to = value[i];
            else if (add_value(graph, node, place, to, &value[i]))
                return STATUS_BAD_INPUT;
        }
    }
    return STATUS_OK;
}

/* The contents of ranges, which must be there; NULL with a message if not. */
static struct value *get_values(struct flow_graph *graph, uint32_t node,
                                const struct data_range *range, uint32_t range_count,
                                uint64_t count)
{
    struct value *values = arena_array(graph->arena, count + 1, sizeof *values);
    size_t i = 0;
    for (uint32_t r = 0; r < range_count; r++) {
        for (uint32_t k = 0; k < range[r].count; k++) {
            uint32_t place = range[r].first + k;
            values[i] = graph->place[place_index(graph, graph->position[node], place)];
            note_access(graph, node, place, ACCESS_READ);
            if (values[i++].piece != VERIFY_NONE)
                continue;
            flow_fail(graph, node, "reads place %" PRIu32 ", which holds nothing yet", place);
            return NULL;
        }
    }
    return values;
}

/* -- effects --------------------------------------------------------------------------------- */

/* A receive's ranges: its own, or those of its send. */
static enum status receive(struct flow_graph *graph, uint32_t recv, uint32_t at, bool add)
{
    uint32_t send = graph->partner[recv];
    bool has_own = data_of(graph, recv)->range_count != 0;
    uint32_t named = has_own ? recv : send;
    if (has_own && flow_pieces(graph, recv) != flow_pieces(graph, send))
        return flow_fail(graph, recv, "receives %" PRIu64 " pieces, %" PRIu64 " are sent",
                         flow_pieces(graph, recv), flow_pieces(graph, send));
    return put_values(graph, at, ranges_of(graph, named), data_of(graph, named)->range_count,
                      graph->message[send], add);
}

/* What comes down from the switches in one place: what members sent of it, added. */
static enum status receive_place(struct flow_graph *graph, uint32_t recv, uint32_t place)
{
    struct value sum = {.piece = VERIFY_NONE};
    struct network_members members = flow_members(graph, recv);
    for (uint32_t i = 0; i < members.count; i++) {
        uint32_t send = flow_member_send(graph, recv, members, i);
        const struct data_range *range = ranges_of(graph, send);
        const struct value *value = graph->message[send];
        for (uint32_t r = 0; r < data_of(graph, send)->range_count; value += range[r++].count) {
            if (place < range[r].first || place - range[r].first >= range[r].count)
                continue;
            const struct value *part = &value[place - range[r].first];
            if (sum.piece == VERIFY_NONE)
                sum = *part;
            else if (add_value(graph, recv, place, &sum, part))
                return STATUS_BAD_INPUT;
        }
    }
    if (sum.piece == VERIFY_NONE)
        return flow_fail(graph, recv, "no member sends place %" PRIu32, place);
    struct data_range here = {place, 1};
    return put_values(graph, recv, &here, 1, &sum, false);
}

static enum status receive_from_network(struct flow_graph *graph, uint32_t recv)
{
    const struct data_range *range = ranges_of(graph, recv);
    for (uint32_t r = 0; r < data_of(graph, recv)->range_count; r++) {
        for (uint32_t k = 0; k < range[r].count; k++) {
            enum status status = receive_place(graph, recv, range[r].first + k);
            if (status)
                return status;
        }
    }
    return STATUS_OK;
}

static enum status copy(struct flow_graph *graph, uint32_t node, bool add)
{
    const struct data_range *range = ranges_of(graph, node);
    uint32_t half = data_of(graph, node)->range_count / 2;
    struct value *values = get_values(graph, node, range, half, flow_pieces(graph, node) / 2);
    return values ? put_values(graph, node, range + half, half, values, add) : STATUS_BAD_INPUT;
}

enum status flow_data_apply(struct flow_graph *graph, uint32_t node)
{
    uint32_t added = graph->added[node];
    if (added != VERIFY_NONE)
        return receive(graph, added, node, true);
    switch ((enum data_effect)data_of(graph, node)->effect) {
    case DATA_READ:
        graph->message[node] =
            get_values(graph, node, ranges_of(graph, node), data_of(graph, node)->range_count,
                       flow_pieces(graph, node));
        return graph->message[node] ? STATUS_OK : STATUS_BAD_INPUT;
    case DATA_WRITE:
        if (peer_is_network(step_of(graph, node)->peer))
            return receive_from_network(graph, node);
        return receive(graph, node, node, false);
    case DATA_COMBINE:
        return graph->adder[node] == node ? receive(graph, node, node, true) : STATUS_OK;
    case DATA_COPY:
    case DATA_COMBINE_COPY:
        return copy(graph, node, data_of(graph, node)->effect == DATA_COMBINE_COPY);
    case DATA_NONE:
        break;
    }
    return STATUS_OK;
}

/* -- the end --------------------------------------------------------------------------------- */

static uint32_t contributions(const struct value *value)
{
    uint32_t count = 0;
    for (int w = 0; w < MASK_WORDS; w++)
        count += (uint32_t)__builtin_popcountll(value->from[w]);
    return count;
}

enum status flow_data_end(const struct flow_graph *graph)
{
    uint32_t n = graph->request->n, places = graph->layout->places;
    uint32_t wanted = adds_up(graph->request->kind) ? n : 1;
    for (size_t i = 0; i < (size_t)n * places; i++) {
        uint32_t piece = graph->layout->end[i];
        if (piece == VERIFY_NONE)
            continue;
        const struct value *value = &graph->place[i];
        if (value->piece == piece && contributions(value) == wanted)
            continue;
        if (value->piece != piece)
            return diag_fail(graph->diag, STATUS_BAD_INPUT,
                             "position %zu ends with %s piece in place %zu, not with %" PRIu32,
                             i / places, value->piece == VERIFY_NONE ? "no" : "another", i % places,
                             piece);
        return diag_fail(graph->diag, STATUS_BAD_INPUT,
                         "position %zu ends with piece %" PRIu32 " of %" PRIu32
                         " positions, not of %" PRIu32,
                         i / places, piece, contributions(value), wanted);
    }
    return STATUS_OK;
}
