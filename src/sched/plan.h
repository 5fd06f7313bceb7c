/*
 * plan - how one collective is cut into chunks and phases (ASTRA-sim's decomposition).
 *
 * A collective of `size` bytes is cut into equal chunks; each chunk is a stream that goes through
 * phases, one algorithm in one dimension each. The phases of a chunk depend only on the plan key,
 * so plans are made once and shared by all ranks and instances.
 *
 * Phases (dimensions of one NPU, or not involved, are left out):
 *   all-reduce, local-bandwidth-aware: reduce-scatter in all but the last dimension, all-reduce in
 *     the last, all-gather back; baseline: an all-reduce of the full chunk in each dimension;
 *   reduce-scatter, all-to-all: ascending; all-gather: descending. Each phase starts from the size
 *     the one before left.
 *   A group smaller than the system: one phase over its members in order.
 *   broadcast, reduce, gather, scatter, barrier: one phase over all members, one chunk.
 */
#ifndef ORRERY_SCHED_PLAN_H
#define ORRERY_SCHED_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/table.h"
#include "config/config.h"
#include "model/collective.h"
#include "model/group.h"
#include "model/trace.h"

enum { PLAN_MAX_PHASES = 2 * CONFIG_MAX_DIMS - 1 };

/* Which of a dimension's queues a phase may use (ASTRA-sim splits them to avoid deadlock). */
enum queue_use { QUEUE_ANY, QUEUE_FIRST_HALF, QUEUE_LAST_HALF };

struct phase {
    const struct collective_ops *algorithm;
    struct schedule_request request;
    struct schedule schedule;
    uint32_t n;
    uint32_t stride;     /* member positions between neighbours */
    uint32_t level;      /* dimension whose queues it uses */
    int32_t network_dim; /* dimension that carries all its messages, -1: depends on the pair */
    enum queue_use queue_use;
    uint32_t slot_base; /* first of its slots among the chunk's */
    time_ps hand_over_ps;
    double wire_share;       /* of link rates that the library's messages get, 1: all */
    time_ps *reduce_ps;      /* EXCHANGE: reduction time of step j [period] */
    struct program *program; /* PROGRAM: [n], made on demand (step == NULL until then) */
};

/* What decides the phases of a chunk. Compared byte by byte: zero it before filling. */
struct plan_key {
    uint64_t chunk_bytes;
    uint32_t group_size; /* 0: all ranks, in dimensions */
    uint32_t root;       /* position */
    uint32_t custom;     /* 1 + custom schedule, 0: none */
    uint32_t trees;      /* bit p: tree of phase p */
    uint8_t kind;
    uint8_t dims; /* bit d: dimension d takes part */
    uint8_t order[CONFIG_MAX_DIMS];
    uint8_t unused[2]; /* zero: no byte of the key is padding */
    uint32_t domains;  /* of a group under `auto`: scale-up domains of its members (plan_auto.h) */
};
_Static_assert(sizeof(struct plan_key) == 40, "a key is compared byte by byte");

struct chunk_plan {
    struct plan_key key;
    struct phase phase[PLAN_MAX_PHASES];
    uint32_t phase_count;
    uint32_t slots;        /* of all phases, per member */
    double uneven_bytes;   /* of an uneven all-to-all: what a member sends to others, the mean */
    const char *algorithm; /* names per phase, for reports: "ring", "ring,direct" */
    uint32_t next;         /* with the same hash */
};

/* A custom collective: files that were read and checked. */
struct custom_plan {
    const char *prefix;
    uint32_t positions;
    struct schedule schedule;
    struct msccl *msccl; /* an MSCCL file, planned by the collective's size; NULL: Chakra files */
};

struct plan_book {
    const struct config *config;
    struct arena arena;
    struct chunk_plan **plan;
    uint32_t count, room;
    struct table by_hash;
    struct custom_plan *custom;
    uint32_t custom_count;
    struct plan_auto *automatic; /* sched/plan_auto.h, made when first needed */
    uint32_t *domains_of_group;  /* [domains_room] of groups under `auto`, 0: not looked at */
    uint32_t domains_room;
    uint64_t *tree_turn; /* [slot][dimension] of the double binary tree, see plan_choose_trees() */
};

void plan_book_init(struct plan_book *book, const struct config *config);
void plan_book_release(struct plan_book *book);

/* The plan of `key`, made if it is new; fails if an algorithm cannot run it. */
enum status plan_find(struct plan_book *book, const struct plan_key *key,
                      const struct chunk_plan **plan, struct diag *diag);

/* Chunks of a collective: bytes of each (all are equal, the last too) and how many. */
struct plan_split {
    uint64_t chunk_bytes;
    uint32_t streams;
    bool is_raised; /* to one byte per NPU and chunk, as ASTRA-sim does with a smaller size */
};

/*
 * ASTRA-sim's split of `size` bytes; in the one-file form as many chunks as splits, at most a byte
 * more than a share each. all-gather smaller than the number of splits (it never ends
 * there) becomes one-byte chunks. In the one-file form 0 bytes are messages without any. Fails if
 * preferred-dataset-splits is needed and absent.
 */
enum status plan_split(const struct config *config, enum collective_kind kind, uint64_t size,
                       struct plan_split *split, struct diag *diag);

/*
 * Key of a chunk of node's collective in `group` (0 of the table: all ranks, by no name). `order`
 * and `trees` are left for the caller. A node's involved_dim counts without a group only
 * (ASTRA-sim: a named group, also one of all ranks, uses every dimension).
 */
struct plan_key plan_key_of(struct plan_book *book, const struct trace_node *node,
                            uint32_t group_index, const struct comm_group *group, uint32_t root,
                            uint64_t chunk_bytes);

/* The dimensions that `node` asks for in that group, as bits. */
uint8_t plan_dims_of(const struct trace_node *node, uint32_t group_index);

/* The order of dimensions for the next chunk when it is not fixed: state of the two options. */
struct plan_order {
    uint32_t turn;                   /* round-robin */
    double load_ns[CONFIG_MAX_DIMS]; /* greedy: bytes / bandwidth given to each dimension */
};

/* Messages one after the other in all phases of a chunk, by the algorithms' closed forms; 0: one of
 * them has none. */
uint64_t plan_latency_terms(const struct chunk_plan *plan);

/* Messages that position 0 sends in all phases of a chunk. */
uint64_t plan_messages(struct plan_book *book, const struct chunk_plan *plan);

/* The program of position k of a PROGRAM phase, made on first use; position 0's serves all if the
 * schedule is symmetric, with its peers relabelled by schedule_relabel(). */
const struct program *plan_program(struct plan_book *book, const struct phase *phase, uint32_t k);

/*
 * What is planned before a run, for all orders that plan_choose_order() can give: the turns 0 ..
 * plan_order_count() - 1 of the ascending order, in which every dimension is once the last (where
 * an all-reduce has its all-reduce phase) and once before it. 1 if the order is fixed.
 */
uint32_t plan_order_count(const struct config *config, const struct plan_key *key);
void plan_turn_order(const struct config *config, uint32_t turn, struct plan_key *key);

/* Fills key->order by config->system.dim_order and advances `order`. */
void plan_choose_order(const struct config *config, struct plan_order *order, struct plan_key *key);

/* Fills key->trees: the two trees take turns per collective type and dimension. */
void plan_choose_trees(struct plan_book *book, struct plan_key *key);

/* Reduction of `bytes`: three passes over local memory, each truncated to ns, as in ASTRA-sim. */
time_ps plan_reduction_time(const struct system_config *system, uint64_t bytes);

/* Number of logical dimensions of a collective kind over all ranks (length of its list). */
uint32_t plan_dim_count(const struct config *config, enum collective_kind kind);

/* The algorithm slot of a kind, or SLOT_COUNT for kinds without one. */
enum algorithm_slot plan_slot(enum collective_kind kind);

#endif
