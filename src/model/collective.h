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
 *     which a message arrives. Within a slot messages are matched in order. In a program every
 *     receive has a slot of its own, below schedule.slots.
 *  3. The data of a collective is cut into equal pieces (schedule.pieces of piece_bytes each; the
 *     last byte counts as a whole piece, so up to pieces - 1 bytes more may move than are asked
 *     for). all-reduce, reduce-scatter: position b's block are the pieces b k .. b k + k - 1 of
 *     n k; all-gather, gather, scatter, barrier: the same, of which b is the owner; all-to-all:
 *     what s sends to d are the pieces (s n + d) k ..; broadcast, reduce: k pieces.
 *  4. If request.is_described, program() also says which pieces each step reads or writes
 *     (struct step_data), which is what verify.h proves and what is exported. Nothing of it is
 *     needed to run the schedule.
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
 * STEP_SEND to a PEER_NETWORK value: the message goes up the tree of switches of some positions,
 * the members, which combine what the members send, and the result goes down to every member, into
 * its slot `slot` (NVLS, SHARP). Every member sends `bytes` into the same slot once and has one
 * receive from the same peer value in that slot; the receive's `bytes` are what goes down to it:
 * the same (all-reduce), a part (reduce-scatter), or what all members sent (all-gather).
 */
#define PEER_NETWORK UINT32_MAX       /* members: all positions */
#define PEER_DOMAIN  (UINT32_MAX - 1) /* those that differ in the coordinate of dim[0] only */
#define PEER_RAIL    (UINT32_MAX - 2) /* those with the same coordinate in dim[0] */

static inline bool peer_is_network(uint32_t peer)
{
    return peer >= PEER_RAIL;
}

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

/* Places of a position's data: pieces (rule 3), unless the schedule has a layout of its own. */
struct data_range {
    uint32_t first, count;
};

enum data_effect {
    DATA_NONE,
    DATA_READ,         /* a send: what it carries, in this order */
    DATA_WRITE,        /* a receive: replaces its places; no ranges: those of the send */
    DATA_COMBINE,      /* a receive: adds to its places once the reduction that follows is done */
    DATA_COPY,         /* local: the first half of the ranges to the second */
    DATA_COMBINE_COPY, /* local: the first half of the ranges added to the second */
};

struct step_data {
    uint32_t first_range, range_count; /* in program->range[] */
    uint8_t effect;                    /* enum data_effect */
};

struct program_send {
    uint32_t slot, step;
};

struct program {
    struct program_step *step;
    uint32_t *child;
    uint32_t count;
    bool is_chain; /* every step waits for the one before: no two at a time */
    uint32_t slot_count;
    uint32_t *recv_of_slot;    /* [slot_count] the receive of each slot, UINT32_MAX: none */
    struct program_send *send; /* [send_count] all sends, by the slot that they go to */
    uint32_t send_count;
    struct step_data *data; /* [count], if described */
    struct data_range *range;
    uint32_t range_count;
};

/*
 * Which relabellings of the positions leave a schedule as it is: program(p) is program(0) with its
 * peers relabelled by schedule_relabel(), so one program serves all positions and one position may
 * stand for all (folding). Coordinates are those of request.dim[].
 */
enum schedule_symmetry {
    SYMMETRY_NONE,
    SYMMETRY_SHIFT, /* every cyclic shift of every coordinate */
    SYMMETRY_CYCLE, /* p + k mod n for every k, whatever the shape; SHIFT if it has one dimension */
    SYMMETRY_XOR,   /* p xor m for every m; n is a power of two */
};

struct schedule {
    enum schedule_form form;
    enum schedule_symmetry symmetry;
    struct exchange exchange;
    uint64_t final_bytes; /* size of the data after the phase (input of the next) */
    uint32_t slots;       /* receive slots per position */
    uint32_t pieces;      /* rule 3; 0: not described */
    uint64_t piece_bytes;
    const struct data_layout *layout; /* NULL: that of rule 3 (net/collective/verify.h) */
    void *program_data;               /* for program() */
};

struct schedule_request {
    enum collective_kind kind;
    uint32_t n;       /* positions, >= 2 */
    uint64_t bytes;   /* data of the phase (meaning by kind: trace.h rule 5) */
    uint32_t window;  /* direct: messages in flight, 0 = all */
    uint32_t radix;   /* bruck: 0 = its default */
    bool small_group; /* a communicator group smaller than the system (ASTRA-sim differs) */
    uint32_t tree;    /* double binary tree: which of the two */
    uint32_t root;    /* rooted collectives: position */

    /* Shape of the positions: dim[0] varies fastest, the product is n. At least one. */
    uint32_t dim_count;
    uint32_t dim[CONFIG_MAX_DIMS];
    uint32_t no_wrap;  /* bit d: dimension d is a line, without a link from its end to its start */
    bool is_mesh;      /* dimension 0 has a link between every two */
    uint32_t chunks;   /* pieces that a pipelined algorithm cuts the data into; 0: its default */
    uint32_t channels; /* parallel rings or trees; 0: its default */
    bool is_described; /* rule 4 */
    /* Uneven all-to-all: bytes that position p sends to q are sizes[p * n + q]; NULL: even. */
    const uint64_t *sizes;
};

/*
 * The closed form of a schedule. With message time T(m) = a + m b, hand-over e and reduction r per
 * byte, equal starts and nothing shared between messages (each pair has its own path):
 *   time = latency_terms (a + e) + path_bytes b + reduce_bytes r + e
 * (the path with the most messages, and of those the most bytes); where one port per position
 * limits, no position can be done before port_bytes b.
 */
struct collective_cost {
    uint64_t latency_terms; /* messages one after the other on the longest path */
    uint64_t path_bytes;    /* bytes of those */
    uint64_t reduce_bytes;  /* bytes reduced on it */
    uint64_t port_bytes;    /* the most that a position sends, or receives */
    uint64_t total_bytes;   /* sent by all */
};

struct collective_ops {
    const char *name;
    const char *summary;
    const char *steps;      /* messages in sequence, as text: "2(n-1)" */
    const char *formula;    /* time as text; collective_formula_words explains the letters */
    uint32_t kinds;         /* bit k: it can run collective_kind k */
    bool needs_shape;       /* works on all dimensions of the shape at once */
    bool waits_for_arrival; /* PROGRAM: some send has until_arrival set */

    /* Can it run `request`? If not, says why, with a hint. */
    enum status (*check)(const struct schedule_request *request, struct diag *diag);

    /* Fills `schedule`; its tables live in `arena`. check() was passed. */
    void (*plan)(const struct schedule_request *request, struct arena *arena,
                 struct schedule *schedule);

    /*
     * PROGRAM form: the steps of one position. An algorithm of the EXCHANGE form has it too, for
     * a described request only: the same messages as a program.
     */
    void (*program)(const struct schedule_request *request, const struct schedule *schedule,
                    uint32_t position, struct arena *arena, struct program *program);

    /* The closed form for a request that passed check(); NULL: none is known. */
    void (*cost)(const struct schedule_request *request, struct collective_cost *cost);
};

#define KIND_BIT(kind) (1u << (kind))

/* n, S, m, .. of collective_ops.formula. */
extern const char *const collective_formula_words;

/* Algorithms by enum algorithm_id of config.h, then the rooted and custom ones (net/algorithms.c).
 */
extern const struct collective_ops *const collective_algorithms[];

/* The algorithm that runs a kind which has no configured algorithm (broadcast, barrier, ..). */
const struct collective_ops *collective_default_algorithm(enum collective_kind kind);

/* The positions whose data switches combine: first, first + stride, .. */
struct network_members {
    uint32_t first, stride, count;
};

/* Those of an operation that position p sends to `peer`, a PEER_NETWORK value. */
static inline struct network_members schedule_members(const struct schedule_request *request,
                                                      uint32_t peer, uint32_t p)
{
    uint32_t size = request->dim[0];
    if (peer == PEER_DOMAIN)
        return (struct network_members){p - p % size, 1, size};
    if (peer == PEER_RAIL)
        return (struct network_members){p % size, size, request->n / size};
    return (struct network_members){0, 1, request->n};
}

/* What position `q` of program(0) is in program(p). */
static inline uint32_t schedule_relabel(const struct schedule_request *request,
                                        enum schedule_symmetry symmetry, uint32_t p, uint32_t q)
{
    if (!p || symmetry == SYMMETRY_NONE || peer_is_network(q))
        return q;
    if (symmetry == SYMMETRY_XOR)
        return p ^ q;
    if (symmetry == SYMMETRY_CYCLE)
        return q >= request->n - p ? q - (request->n - p) : p + q;
    uint32_t relabelled = 0, stride = 1;
    for (uint32_t d = 0; d + 1 < request->dim_count; d++) {
        uint32_t size = request->dim[d], sum = p % size + q % size;
        relabelled += (sum >= size ? sum - size : sum) * stride;
        stride *= size;
        p /= size;
        q /= size;
    }
    uint32_t last = request->n / stride, sum = p + q;
    return relabelled + (sum >= last ? sum - last : sum) * stride;
}

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
