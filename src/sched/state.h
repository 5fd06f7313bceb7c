/*
 * state - what the files of this room share. Not for other rooms.
 *
 * Words: a *node* of a trace in progress is a *flight*. A collective matched across its members is
 * an *op*; each of its chunks is an *instance*; an instance has one *stream* per member, which goes
 * through the phases of the chunk's plan. All are found by index; their arrays never move.
 */
#ifndef ORRERY_SCHED_STATE_H
#define ORRERY_SCHED_STATE_H

#include "base/grow.h"
#include "compute/rank_speed.h"
#include "compute/remote_memory.h"
#include "model/compute.h"
#include "model/network.h"
#include "sched/agenda.h"
#include "sched/fold_watch.h"
#include "sched/payload.h"
#include "sched/sched.h"
#include "sched/slots.h"

#define NONE UINT32_MAX

enum { CONTROL_BYTES = 8192 }; /* ASTRA-sim's rendezvous control message */

/* What every message touches is in the first cache line. */
struct stream {
    /* exchange machine (model/collective.h) */
    _Alignas(64) uint32_t left; /* messages still to send in this phase */
    uint32_t free;              /* hand-overs ended and not yet used by a send */
    uint32_t inserted, sent, received;
    uint32_t group_left; /* inserts left in the current group of inserts */
    /* place */
    uint32_t instance;
    uint32_t rank;           /* seat of its NPU, for its agenda */
    uint32_t position;       /* of the member */
    uint32_t phase_position; /* among the phase's n */
    uint32_t first_peer;     /* stream of phase position 0 */
    uint8_t phase;           /* current, or phase_count */
    bool in_odd_group;       /* the current group of inserts is the first, third, .. */
    uint16_t anticlockwise;  /* bit p: direction of phase p */
    time_ps phase_start;
    /* queue */
    uint32_t next, previous;
    int32_t priority;
    uint32_t origin;    /* follow.h: member whose coming it goes back to */
    uint64_t last_sent; /* the network's number of its last message to the neighbour of a ring */
    /* program machine */
    uint32_t steps_left;
    uint32_t *parents_left;          /* [steps] of the current program */
    uint16_t queue[PLAN_MAX_PHASES]; /* queue number of each phase */
};

struct grant {       /* rendezvous, per receive slot */
    int32_t balance; /* control messages arrived less sends waiting */
    uint32_t gone;   /* data messages that have left */
};

/* A step that is done, whose children are being started. */
struct step_done {
    uint32_t step, next_child;
};

/* For who asks (follow.h): which member's coming each message in flight to a slot goes back to; of
 * more than ORIGINS at once, the newest. */
enum { ORIGINS = 7 };

struct origins {
    uint16_t sent, arrived;
    uint32_t member[ORIGINS]; /* of message i: i mod ORIGINS */
};

struct instance {
    const struct chunk_plan *plan;
    uint32_t op;
    uint32_t first_stream;
    uint32_t members, members_left; /* simulated */
    const uint32_t *ranks;          /* NPU of each position; NULL: the position itself */
    const struct fold_seat *seats;  /* [members] folded; else NULL */
    int32_t *credit;                /* [members][slots]: messages arrived less receives posted */
    struct grant *grant;            /* rendezvous, else NULL: as credit */
    struct origins *origins;        /* as credit; NULL: nobody asks */
    uint32_t next_free;
};

struct member {
    uint32_t streams_left;
    uint32_t flight;
};

/* A member that has come, for who asks (follow.h). */
struct member_came {
    uint32_t seat, node;
};

struct coll_op {
    uint64_t size_bytes;
    uint32_t group;
    uint32_t sequence;
    uint32_t streams;
    uint32_t arrived, ended;
    uint32_t last_member;     /* who came last so far */
    uint32_t number;          /* of the run's collectives */
    struct member_came *came; /* [members], or NULL */
    uint32_t first_rank;      /* who came first, for messages, and with which node */
    const struct trace_node *first_node;
    uint8_t kind, dims;
    bool is_custom;
    bool is_free; /* sched_free */
    uint32_t root;
    const char *algorithm;
    time_ps first_arrival_ps, last_arrival_ps;
    time_ps all_arrived_ps; /* TIME_NEVER until the last member has come */
    double uneven_bytes;    /* of all its streams (plan.h) */
    uint32_t *instance;     /* [streams] */
    struct member *member;  /* [members] */
    uint32_t next_free;
};

/* Order of collectives within a group. */
struct group_run {
    uint32_t *next_sequence; /* [members] */
    uint32_t *op;            /* ring buffer of ops not yet ended; NONE where ended */
    uint32_t first_sequence; /* of op[head] */
    uint32_t head, count, room;
};

struct flight {
    uint32_t rank, node;
    uint32_t handle; /* the observer's */
    uint32_t object; /* op, or channel of a send or receive */
    time_ps start;
    uint32_t next;                 /* free list, or FIFO of a channel */
    time_ps peer_ps;               /* receive: when its send was issued */
    uint32_t peer_seat, peer_node; /* follower_ops.ended */
    time_ps work_left_ps, since;   /* compute that may be slowed down, see overlap.h */
    uint32_t version;              /* of its end: an older one is outdated; kept over reuse */
    bool is_active;
};

struct early_message {
    struct early_message *next;
    struct member_came sent;
};

struct channel { /* point-to-point messages of one (source, destination, tag, size) */
    uint64_t bytes;
    uint32_t src, dst, tag;
    uint32_t in_flight, in_flight_last;         /* sends on the way, FIFO of flights */
    uint32_t posted, posted_last;               /* receives waiting for an arrival */
    uint32_t unpaired;                          /* first posted receive whose send was not issued */
    uint32_t sent_ahead;                        /* sends issued before their receive */
    uint32_t arrived;                           /* messages arrived before their receive */
    struct early_message *early, *early_last;   /* who sent those, told to a follower */
    uint32_t wants_control, wants_control_last; /* rendezvous: sends waiting */
    uint32_t control, control_last;             /* rendezvous: receives on the way to the sender */
    uint32_t granted;                           /* rendezvous: control messages waiting */
    uint32_t next;                              /* with the same hash */
};

struct stream_queue {
    uint32_t first, last;   /* streams in list order, NONE if empty */
    uint32_t first_waiting; /* first that is not started */
    uint32_t running;
};

struct level_turn {
    uint32_t any, first, last;
};

struct rank {
    const struct graph *graph;
    uint32_t *parents_left;
    uint32_t nodes_left, in_flight;
    const struct lane_map *map; /* of its trace */
    struct lane *lane;          /* [map->count] */
    const time_ps *shape_ps;    /* of its trace's op shapes, or NULL (run/op_times.h) */
    const time_ps *launch_ps;   /* of its trace's nodes, or NULL: the host launches at once */
    uint32_t *last_parent;      /* of each node, told to a follower; NULL: there is none */
    bool is_free;               /* sched_free.trace */
    const bool *free_node;      /* sched_free.node of its trace, or NULL */
    double compute_factor;      /* sched_free.compute_factor, else 1 */
    uint32_t *fresh; /* children of zero-cost nodes, to become ready after the issue loop */
    uint32_t fresh_count, fresh_room;
    bool is_finished;
    bool is_late;  /* something is ready that waits for the rank's next event */
    bool is_woken; /* in sched->woken */
    int32_t priority_turn;
    time_ps compute_sum_ps;
    uint32_t comm_running;      /* collectives in flight, see overlap.h */
    uint32_t computing;         /* list of flights, see overlap.h */
    struct stream_queue *queue; /* [levels x queues_per_dim] */
    struct level_turn *turn;    /* [levels] */
};

struct block; /* a recycled piece of memory: block_take() in sched.c */

/* Reduction by switches, see in_network.h. */
struct in_network {
    struct grow reductions;
    uint32_t free_reduction;
    struct table reduction_of; /* phase, slot, line -> reduction in progress */
    struct tree_entry *tree;   /* all made so far */
    struct routing *routing;   /* made when first needed */
};

struct sched {
    struct sched_parts part;
    const struct system_config *system;
    const struct network_ops *network;
    void *net;
    struct agenda agenda;
    uint32_t rank_count;       /* seats: simulated ranks */
    struct lane_map *lane_map; /* [traces] */
    struct rank *rank;
    uint32_t active_per_queue; /* streams that may run in one queue at once */
    struct group_run *group;
    struct plan_order order;
    struct grow streams, instances, ops, flights, channels;
    struct grow steps_done; /* struct step_done: see program_step_done() */
    uint32_t free_instance, free_op, free_flight;
    uint32_t ops_made;
    struct table free_streams; /* members -> first stream of a free run; linked by `next` */
    struct table channel_of;   /* hash -> channel */
    struct arena arena;
    struct block *free_block[48];
    struct remote_memory memory;
    struct rank_speed *speed;         /* NULL: compute takes what its model says */
    struct network_config net_config; /* the configuration's, with its variation */
    struct jitter start_delay;        /* of communication; off: none */
    struct sched_totals *totals;      /* [seats] if folded, else one */
    const struct agenda_item *item;   /* the agenda item being run, or NULL .. */
    uint32_t item_rank;               /* .. and the seat it belongs to */
    time_ps always;                   /* 0: "peers were always there" */
    bool sends_meet;     /* folded, with congestion: the order of same-time sends decides */
    bool wakes_together; /* a rank issues when all that ends at one time has ended: see nodes.c */
    struct {
        uint32_t *seat;
        uint32_t count;
    } woken; /* those whose ops ended in this instant */
    struct fold_watch fold;
    struct diag finding;
    struct bus *bus; /* [rank_count], or NULL */
    struct in_network in_network;
};

static inline struct stream *stream_at(const struct sched *sched, uint32_t index)
{
    return (struct stream *)sched->streams.base + index;
}

static inline struct instance *instance_at(const struct sched *sched, uint32_t index)
{
    return (struct instance *)sched->instances.base + index;
}

static inline struct coll_op *op_at(const struct sched *sched, uint32_t index)
{
    return (struct coll_op *)sched->ops.base + index;
}

static inline struct flight *flight_at(const struct sched *sched, uint32_t index)
{
    return (struct flight *)sched->flights.base + index;
}

static inline struct channel *channel_at(const struct sched *sched, uint32_t index)
{
    return (struct channel *)sched->channels.base + index;
}

static inline uint32_t index_of(const struct sched *sched, const struct stream *stream)
{
    return (uint32_t)(stream - (struct stream *)sched->streams.base);
}

static inline const struct phase *phase_of(const struct instance *instance, uint32_t phase)
{
    return &instance->plan->phase[phase];
}

/*
 * A *seat* is a simulated rank: the rank itself, or in a folded run its class. Arrays of ranks are
 * by seat; stream->position and network messages are of real ranks. Members of a collective are the
 * positions of its group, or in a folded run the seats of its struct fold_group.
 */
static inline uint32_t seat_of(const struct sched *sched, uint32_t rank)
{
    return sched->part.fold ? sched->part.fold->class_of[rank] : rank;
}

static inline uint32_t rank_at(const struct sched *sched, uint32_t seat)
{
    return sched->part.fold ? sched->part.fold->first[seat] : seat;
}

/* The groups that `group` is run with; the run must be folded. */
static inline const struct fold_group *fold_group_of(const struct sched *sched, uint32_t group)
{
    return &sched->part.fold->group[sched->part.fold->group_of[group]];
}

/* Place of a class among `count` seats, in which it is. */
static inline uint32_t fold_seat_find(const struct fold_seat *seat, uint32_t count, uint32_t class)
{
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (seat[middle].class <= class)
            low = middle;
        else
            high = middle;
    }
    promise(count > 0 && seat[low].class == class);
    return low;
}

/* Which of its collective's members a stream is. */
static inline uint32_t member_of(const struct sched *sched, const struct stream *stream)
{
    return index_of(sched, stream) - instance_at(sched, stream->instance)->first_stream;
}

/* The books of a seat: one for all if no rank stands for others. */
static inline struct sched_totals *totals_of(const struct sched *sched, uint32_t seat)
{
    return &sched->totals[sched->part.fold ? seat : 0];
}

static inline time_ps now_of(const struct sched *sched)
{
    return sched->part.engine->now;
}

/* Zeroed memory of at least `bytes`, recycled: no allocation in steady state. */
void *block_take(struct sched *sched, size_t bytes);
void block_give(struct sched *sched, void *bytes_taken, size_t bytes);

/* -- nodes.c: flights and slots -- */
void node_issue_ready(struct sched *sched, uint32_t rank);
void node_done(struct sched *sched, uint32_t flight);
/* The engine's settle handler: ranks whose ops have ended issue what is ready. */
void node_wake_all(void *sched);
void node_launched(struct sched *sched, uint32_t flight);
void node_init_rank(struct sched *sched, uint32_t rank);
void node_release_rank(struct rank *rank);

/* -- node_start.c: what a node does once it has its slot -- */
/* True if the node takes no time and no slot; else *duration is that of its work. */
bool node_takes_nothing(const struct sched *sched, const struct rank *rank,
                        const struct trace_node *node, time_ps *duration);
/* `duration`: of node_takes_nothing(). */
void node_start(struct sched *sched, uint32_t flight, const struct trace_node *node,
                time_ps duration);
/* Tells the observer that the flight's op runs; `peers_ps`: see model/observer.h. */
void node_begin(struct sched *sched, uint32_t flight, const struct trace_node *node,
                const time_ps *peers_ps);
void node_memory_next(struct sched *sched, uint32_t rank);

/* -- collectives.c -- */
void collective_join(struct sched *sched, uint32_t flight, const struct trace_node *node);
void collective_stream_done(struct sched *sched, struct stream *stream);
void collective_stream_removed(struct sched *sched, uint32_t instance);
void collective_member_done(struct sched *sched, uint32_t op);

/* -- queues.c -- */
void queue_init_rank(struct sched *sched, struct rank *rank);
uint32_t queue_next(struct sched *sched, struct rank *rank, const struct phase *phase,
                    bool *anticlockwise);
/* The stream's current phase has ended (or it has not begun its first): goes on to the next. */
void queue_proceed(struct sched *sched, struct stream *stream, bool is_first);

/* -- streams.c: the machines -- */
void stream_start_phase(struct sched *sched, struct stream *stream);
void stream_on_item(struct sched *sched, const struct agenda_item *item);
void stream_hand_over_done(struct sched *sched, struct stream *stream);

/* A step is done: starts what waited for it only; the phase ends with its last step. */
void program_step_done(struct sched *sched, struct stream *stream, uint32_t step);
void stream_on_arrival(void *sched, uint64_t ticket);
void stream_on_received(void *sched, uint64_t ticket);
void stream_on_control(void *sched, uint64_t ticket);
void stream_on_go(void *sched, uint64_t ticket);
void stream_on_network(void *sched, uint64_t ticket);

/* -- p2p.c -- */
void p2p_send(struct sched *sched, uint32_t flight, const struct trace_node *node);
void p2p_recv(struct sched *sched, uint32_t flight, const struct trace_node *node);
void p2p_on_arrival(void *sched, uint64_t payload);
void p2p_on_received(void *sched, uint64_t payload);
void p2p_on_control(void *sched, uint64_t payload);
void p2p_on_go(void *sched, uint64_t payload);

/* A notice of messages that were sent and never received. */
void p2p_say_unclaimed(struct sched *sched);

/* -- bus.c: ASTRA-sim's shared bus in place of the endpoint delay -- */
bool bus_create(struct sched *sched);
void bus_destroy(struct sched *sched);
/* Hands over `bytes` of the stream's step (NONE: exchange); calls back when done. */
void bus_hand_over(struct sched *sched, struct stream *stream, uint32_t step, uint64_t bytes,
                   bool reduce, bool to_memory, bool is_sent_back);
void bus_on_item(struct sched *sched, uint32_t rank, const struct agenda_item *item);

#endif
