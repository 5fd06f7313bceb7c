/*
 * lanes - builds the program of one position out of chains of messages, and notes their data.
 *
 * A chain begins with a hand-over; each message received is handed over (and reduced) before what
 * depends on it is sent. So a chain of k messages, equal starts and nothing shared, takes
 * k (T + e + r) + e, as an exchange of the EXCHANGE form does.
 *
 * Rules:
 *  1. lanes_carry() names the pieces of the next message; lanes_send() sends what was named. Its
 *     bytes are pieces x piece_bytes, whether the request is described or not.
 *  2. Steps are numbers of program.h; `after` is one of them, or NO_STEP.
 *  3. Slots are the caller's: any numbering in which sender and receiver agree.
 */
#ifndef ORRERY_NET_COLLECTIVE_LANES_H
#define ORRERY_NET_COLLECTIVE_LANES_H

#include "net/collective/program.h"

struct lanes {
    struct program_builder build;
    struct program *program;
    uint64_t piece_bytes;
    bool is_described;
    uint64_t carried;       /* pieces named since the last message */
    uint32_t carried_first; /* first range of them */
    uint32_t data_room, range_room;
};

/* `messages`: a guess of how many are sent. */
void lanes_open(struct lanes *lanes, const struct schedule_request *request, uint64_t piece_bytes,
                uint32_t messages, struct arena *arena, struct program *program);
void lanes_close(struct lanes *lanes);

/* Names the pieces first .. first + count - 1. */
void lanes_carry(struct lanes *lanes, uint64_t first, uint64_t count);

/* The hand-over that begins a chain, of data of so many pieces. */
uint32_t lanes_begin(struct lanes *lanes, uint64_t pieces);

/* A hand-over of data of so many pieces, and its reduction. */
uint32_t lanes_local(struct lanes *lanes, uint32_t after, bool reduce, uint64_t pieces);

/* Sends what was named to `peer`, into its slot `slot`. */
uint32_t lanes_send(struct lanes *lanes, uint32_t after, uint32_t peer, uint32_t slot);

/* Makes a send be done only when its message has arrived. */
void lanes_until_arrival(struct lanes *lanes, uint32_t send);

/* `later` waits for `earlier` too (NO_STEP: for nothing). */
static inline void lanes_order(struct lanes *lanes, uint32_t earlier, uint32_t later)
{
    program_edge_add(&lanes->build, earlier, later);
}

/* The receive alone, without its hand-over. */
uint32_t lanes_recv_only(struct lanes *lanes, uint32_t after, uint32_t peer, uint32_t slot,
                         uint64_t pieces, bool combine);

/*
 * Receives `pieces` pieces from `peer` in own slot `slot`; they are combined with what is here if
 * `combine`, else replace it. Returns the hand-over (and reduction) of them.
 */
uint32_t lanes_recv(struct lanes *lanes, uint32_t after, uint32_t peer, uint32_t slot,
                    uint64_t pieces, bool combine);

/* The same for a receive of the pieces that were named, which need not be those that were sent:
 * what comes down from a network. */
uint32_t lanes_recv_named(struct lanes *lanes, uint32_t after, uint32_t peer, uint32_t slot);

/* Sends what was named to `to`, then receives `pieces` from `from`, both in slot `slot`; returns
 * the hand-over of the received. */
uint32_t lanes_swap(struct lanes *lanes, uint32_t after, uint32_t to, uint32_t from, uint32_t slot,
                    uint64_t pieces, bool combine);

#endif
