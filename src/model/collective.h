/*
 * collective - the promise of a collective algorithm: a schedule over group positions 0 .. n-1.
 *
 * An algorithm says who sends what to whom and what must come before; the scheduler runs it and a
 * network model times each message. A schedule has one of two forms:
 *
 *  EXCHANGE - every position does the same, shifted. Position p's message j goes to peer(p, j) and
 *  is matched by a receive from the mirrored peer. A position keeps `parallel` messages in flight:
 *    start: `parallel` inserts. An insert is handed over (endpoint delay, then the reduction time
 *    if it is a reducing one); at the end of the hand-over the next message is sent, if any is
 *    left, and its receive is posted; each received message is an insert again. The position is
 *    done when `sends` messages were sent and `parallel` hand-overs ended after that.
 *    Inserts come in groups of `parallel` plain ones, then `reducible`; which reduce: see `reduce`.
 *
 *  PROGRAM - a small graph of steps for each position, made on demand by program().
 *
 * Rules:
 *  1. Schedules are pure: parametric in kind, n, bytes and options; the same for every instance.
 *  2. `slot` numbers tell a position's concurrent receives apart; exchange_slot() is the one in
 *     which a message arrives. Within a slot messages are matched in order.
 */
#ifndef ORRERY_MODEL_COLLECTIVE_H
#define ORRERY_MODEL_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "config/config.h"
#include "model/op.h"

enum schedule_form { SCHEDULE_EXCHANGE, SCHEDULE_PROGRAM };
enum reduce_rule { REDUCE_NEVER, REDUCE_ALL, REDUCE_ODD_GROUPS /* first, third, .. group */ };
enum peer_rule {
    PEER_SHIFT, /* to p + offset, from p - offset (reversed if anticlockwise) */
    PEER_FLIP,  /* to and from p + offset if p / offset is even, else p - offset */
};

struct exchange_step {
    uint64_t bytes;
    uint32_t offset;
    uint32_t slot;
};

struct exchange {
    uint32_t sends;     /* messages each position sends */
    uint32_t parallel;  /* inserts at the start */
    uint32_t reducible; /* inserts of a group that may reduce */
    enum reduce_rule reduce;
    enum peer_rule peer;
    bool gated; /* the last n-1 sends wait until n-1 messages were received (direct all-reduce) */
    uint32_t period; /* step j is step[j % period] */
    const struct exchange_step *step;
    bool same_bytes;       /* all steps have the same size (needed if parallel > 1) */
    bool slot_is_distance; /* PEER_SHIFT with every offset: see exchange_slot() */
};

/* STEP_LOCAL on ASTRA-sim's shared bus: does the data go back over it? */
enum bus_return { BUS_KEEP, BUS_RETURN, BUS_RETURN_SECOND /* after the second message received */ };

/*
 * STEP_SEND to PEER_NETWORK: the message goes up the group's tree of switches, which combine what
 * the members send into one stream of `bytes` and send the result down to every member, into its
 * slot `slot` (NVLS, SHARP). Every member sends into the same slot once, and receives from
 * PEER_NETWORK.
 */
#define PEER_NETWORK UINT32_MAX

enum program_op {
    STEP_SEND,  /* message of `bytes` to `peer`, into its slot `slot` */
    STEP_RECV,  /* message from `peer` in own slot `slot` */
    STEP_LOCAL, /* hand-over, then the reduction of `bytes` if `reduce` */
    STEP_DELAY, /* `delay_ns` */
};

struct program_step {
    uint64_t bytes;
    uint64_t delay_ns;
    uint32_t peer; /* position */
    uint32_t slot;
    uint32_t first_child, child_count; /* into program->child[] */
    uint32_t parents;                  /* steps that must be done before this one starts */
    uint8_t op;                        /* enum program_op */
    bool reduce;
    uint8_t bus_return; /* enum bus_return */
    bool until_arrival; /* STEP_SEND: done when the message has arrived, not when it is sent */
};

struct program {
    struct program_step *step;
    uint32_t *child;
    uint32_t count;
};

/* Which relabellings of the positions leave a schedule as it is (for folding). Coordinates are
 * those of request.dim[]. */
enum schedule_symmetry {
    SYMMETRY_NONE,
    SYMMETRY_SHIFT, /* every cyclic shift of every coordinate */
    SYMMETRY_XOR,   /* p xor m for every m; n is a power of two */
};

struct schedule {
    enum schedule_form form;
    enum schedule_symmetry symmetry;
    struct exchange exchange;
    uint64_t final_bytes; /* size of the data after the phase (input of the next) */
    uint32_t slots;       /* receive slots per position */
    void *program_data;   /* for program() */
};

struct schedule_request {
    enum collective_kind kind;
    uint32_t n;       /* positions, >= 2 */
    uint64_t bytes;   /* data of the phase (meaning by kind: trace.h rule 5) */
    uint32_t window;  /* direct: messages in flight, 0 = all */
    bool small_group; /* a communicator group smaller than the system (ASTRA-sim differs) */
    uint32_t tree;    /* double binary tree: which of the two */
    uint32_t root;    /* rooted collectives: position */

    /* Shape of the positions: dim[0] varies fastest, the product is n. At least one. */
    uint32_t dim_count;
    uint32_t dim[CONFIG_MAX_DIMS];
    uint32_t chunks;   /* pieces that a pipelined algorithm cuts the data into; 0: its default */
    uint32_t channels; /* parallel rings or trees; 0: its default */
    /* Uneven all-to-all: bytes that position p sends to q are sizes[p * n + q]; NULL: even. */
    const uint64_t *sizes;
};

struct collective_ops {
    const char *name;
    const char *summary;
    bool waits_for_arrival; /* PROGRAM: some send has until_arrival set */

    /* Can it run `request`? If not, says why, with a hint. */
    enum status (*check)(const struct schedule_request *request, struct diag *diag);

    /* Fills `schedule`; its tables live in `arena`. check() was passed. */
    void (*plan)(const struct schedule_request *request, struct arena *arena,
                 struct schedule *schedule);

    /* PROGRAM form: the steps of one position. NULL for the EXCHANGE form. */
    void (*program)(const struct schedule_request *request, const struct schedule *schedule,
                    uint32_t position, struct arena *arena, struct program *program);
};

/* Algorithms by enum algorithm_id of config.h, then the rooted and custom ones (net/algorithms.c).
 */
extern const struct collective_ops *const collective_algorithms[];

/* The algorithm that runs a kind which has no configured algorithm (broadcast, barrier, ..). */
const struct collective_ops *collective_default_algorithm(enum collective_kind kind);

/* Peer that position p sends message j to, and the one it receives the matching message from. */
static inline uint32_t exchange_up(uint32_t p, uint32_t offset, uint32_t n)
{
    return p + offset >= n ? p + offset - n : p + offset;
}

static inline uint32_t exchange_down(uint32_t p, uint32_t offset, uint32_t n)
{
    return p >= offset ? p - offset : p + n - offset;
}

static inline uint32_t exchange_to(const struct exchange *exchange, uint32_t p, uint32_t n,
                                   uint32_t offset, bool anticlockwise)
{
    bool up = exchange->peer == PEER_SHIFT ? !anticlockwise : p / offset % 2 == 0;
    return up ? exchange_up(p, offset, n) : exchange_down(p, offset, n);
}

/*
 * PEER_SHIFT: members may turn in different directions (each draws its own), so a slot stands for
 * the sender, not for the step: the clockwise distance - 1 if slot_is_distance, else the step's
 * slot from the one side and that + period from the other (the same if both sides are one
 * neighbour).
 */
static inline uint32_t exchange_slot(const struct exchange *exchange,
                                     const struct exchange_step *step, uint32_t n,
                                     bool anticlockwise)
{
    if (!anticlockwise || exchange->peer == PEER_FLIP || 2 * step->offset == n)
        return step->slot;
    return exchange->slot_is_distance ? n - 1 - step->offset : exchange->period + step->slot;
}

/* The sender whose messages position p receives in `slot`. */
static inline uint32_t exchange_sender(const struct exchange *exchange, uint32_t p, uint32_t n,
                                       uint32_t slot)
{
    bool is_upper =
        exchange->peer == PEER_SHIFT && !exchange->slot_is_distance && slot >= exchange->period;
    uint32_t wanted = is_upper ? slot - exchange->period : slot;
    bool is_at_index = wanted < exchange->period && exchange->step[wanted].slot == wanted;
    uint32_t j = is_at_index ? wanted : 0;
    while (exchange->step[j].slot != wanted)
        j++;
    uint32_t offset = exchange->step[j].offset;
    bool up = exchange->peer == PEER_SHIFT ? is_upper : p / offset % 2 == 0;
    return up ? exchange_up(p, offset, n) : exchange_down(p, offset, n);
}

static inline uint32_t exchange_from(const struct exchange *exchange, uint32_t p, uint32_t n,
                                     uint32_t offset, bool anticlockwise)
{
    bool up = exchange->peer == PEER_SHIFT ? anticlockwise : p / offset % 2 == 0;
    return up ? exchange_up(p, offset, n) : exchange_down(p, offset, n);
}

#endif
