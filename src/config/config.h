/*
 * config - everything a run is told, frozen before it starts.
 *
 * Rules:
 *  1. A loader fills a `struct config` and its provenance rows, then nobody changes it: all other
 *     rooms take it const.
 *  2. Numbers here are in base units (see the suffixes). Conversions, defaults and checks of the
 *     source formats happen in the loaders (astra_*.c, own_config.c), each with its source.
 *  3. Every effective value has one provenance row: key, value as text, where it came from.
 *  4. Strings are owned by config->arena.
 *  5. config_init() sets ASTRA-sim's behaviour, which is what its input files mean: 1 ns least
 *     compute, x/0 reductions free, broadcast replayed, and so on. Each is a field here; the
 *     one-file form sets its own defaults (own_config.h, rule 4) and can choose each by itself.
 *  6. Every file that was read is listed once in `input`, hashed from the bytes that were used: a
 *     file that changes later does not change what a report says.
 */
#ifndef ORRERY_CONFIG_CONFIG_H
#define ORRERY_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/notice.h"
#include "base/units.h"

enum {
    CONFIG_MAX_DIMS = 8,
    CONFIG_MAX_NPUS = 1 << 24,
    CONFIG_MAX_PASSES = 1 << 16,
    CONFIG_MAX_BUS_G = 1000000, /* ns per byte: 1 kB/s */
};

/* -- network ------------------------------------------------------------------------------- */

enum net_block { NET_RING, NET_FULLY_CONNECTED, NET_SWITCH };
/* The fidelities, from a bound to a contended network. The first two are ASTRA-sim's. */
enum net_backend {
    NET_CONGESTION_UNAWARE,
    NET_CONGESTION_AWARE,
    NET_IDEAL,
    NET_ANALYTICAL,
    NET_FLOW,
    NET_LINK,
    NET_BACKEND_COUNT
};
enum net_routing {
    ROUTING_AUTO,
    ROUTING_SHORTEST,
    ROUTING_ECMP,
    ROUTING_DIMENSION_ORDER,
    ROUTING_UP_DOWN,
    ROUTING_SPRAY,
    ROUTING_STATIC,
    ROUTING_SIMGRID /* auto with SimGrid's ties, for agreement */
};
enum net_forwarding { FORWARD_CUT_THROUGH, FORWARD_STORE };

struct net_dim {
    enum net_block block;
    uint32_t npus;             /* positions in this dimension, >= 1 */
    double bandwidth_B_per_ns; /* per link and direction, > 0 */
    double latency_ns;         /* per hop, >= 0 */
    bool no_wrap;              /* a line: no link from its end to its start */
};

struct network_config {
    enum net_backend backend;
    uint32_t dim_count; /* dimension 0 varies fastest in the rank number */
    struct net_dim dim[CONFIG_MAX_DIMS];
    uint32_t npu_count; /* product over dimensions */
    bool whole_ns;      /* message times are cut to whole ns (ASTRA-sim), not rounded to ps */

    /* The fabric (net/topology), for the backends that see links. */
    const char *topology;  /* one-line form, or path of a file; NULL: built from `dim` */
    struct fabric *fabric; /* NULL for ASTRA-sim's backends; set by net/topology/resolve.h */
    void (*fabric_destroy)(struct fabric *fabric); /* of its owner, called by config_release() */
    enum net_routing routing;
    uint64_t seed;       /* of hashed routes */
    const char *routes;  /* ROUTING_STATIC: path */
    const char *changes; /* derated and failed links, slow ranks: net/topology/changes.h, or NULL */
    enum net_forwarding forwarding; /* NET_LINK */
    uint64_t segment_bytes;         /* NET_LINK: granularity, 0 = whole messages */
    uint64_t segment_header_bytes;  /* NET_LINK: added to each segment (or message) on the wire */

    /* Endpoint costs, LogGP's names; all 0 by default (net/model/endpoint.h). */
    double send_overhead_ns;    /* o at the sender, before the first byte leaves */
    double receive_overhead_ns; /* o at the receiver, after the last byte has come */
    double message_gap_ns;      /* g: least time between the starts of two messages of one NPU */
    double byte_gap_ns;         /* G: an NPU's port is busy (bytes - 1) x G with a message */
    /* Of the configuration that this is of, for the run (model/jitter.h); NULL: nothing varies. */
    const struct variation_config *variation;
    double injection_Bps; /* what an NPU can send, or receive, over all its links; 0: no limit */
};

static inline bool network_has_endpoint_costs(const struct network_config *network)
{
    return network->send_overhead_ns > 0 || network->receive_overhead_ns > 0 ||
           network->message_gap_ns > 0 || network->byte_gap_ns > 0 || network->injection_Bps > 0;
}

/* -- collectives --------------------------------------------------------------------------- */

/* The first four are ASTRA-sim's; the rest are net/collective's own (`orrery list algorithms`). */
enum algorithm_id {
    ALG_RING,
    ALG_DIRECT,
    ALG_HALVING_DOUBLING,
    ALG_DOUBLE_BINARY_TREE,
    ALG_BIDIRECTIONAL_RING,
    ALG_BIDIRECTIONAL_RING_FULL,
    ALG_MULTI_RING,
    ALG_HIERARCHICAL,
    ALG_TORUS_BUCKET,
    ALG_TORUS_BUCKET_MULTIPORT,
    ALG_RECURSIVE_DOUBLING,
    ALG_RABENSEIFNER,
    ALG_BRUCK,
    ALG_PAT,
    ALG_SWING,
    ALG_SWING_LATENCY,
    ALG_ONE_SHOT,
    ALG_TWO_SHOT,
    ALG_BINARY_TREES,
    ALG_BINOMIAL,
    ALG_CHAIN,
    ALG_SCATTER_ALL_GATHER,
    ALG_LINEAR,
    ALG_PAIRWISE,
    ALG_TWO_STEP,
    ALG_RAIL,
    ALG_NVLS,
    ALG_NVLS_TREE,
    ALG_SHARP,
    ALG_DISSEMINATION,
    ALG_COUNT,
    ALG_AUTO = ALG_COUNT /* chosen by sched/plan_auto.h; not in collective_algorithms[] */
};

struct algorithm_choice {
    enum algorithm_id id;
    uint32_t window; /* ALG_DIRECT: messages in flight, 0 = all */
    bool flat;       /* one dimension over all ranks (ASTRA-sim's one*, algorithms with a shape) */
    uint32_t chunks, channels, radix; /* model/collective.h; 0: the algorithm's default */
};

/* The collectives that an algorithm can be chosen for: first those that take one per dimension. */
enum algorithm_slot {
    SLOT_ALL_REDUCE,
    SLOT_ALL_GATHER,
    SLOT_REDUCE_SCATTER,
    SLOT_ALL_TO_ALL,
    SLOT_BROADCAST, /* from here on: one algorithm over all members, or none: the default */
    SLOT_REDUCE,
    SLOT_GATHER,
    SLOT_SCATTER,
    SLOT_BARRIER,
    SLOT_COUNT,
    SLOT_PER_DIM_COUNT = SLOT_BROADCAST
};

struct algorithm_list {
    uint32_t count; /* 0: not configured */
    struct algorithm_choice choice[CONFIG_MAX_DIMS];
    bool one_name;             /* choice[0] for every dimension: config_finish() repeats it */
    const char *custom_prefix; /* Chakra files PREFIX.<position>.et, or NULL */
};

struct node_algorithm {
    uint64_t node_id;
    const char *custom_prefix;
};

enum sched_policy { POLICY_LIFO, POLICY_FIFO, POLICY_EXPLICIT };
enum collective_optimization { COLL_BASELINE, COLL_LOCAL_BW_AWARE };
enum dim_order { DIMS_ASCENDING, DIMS_ROUND_ROBIN, DIMS_GREEDY };

/* -- system -------------------------------------------------------------------------------- */

enum compute_model_id { COMPUTE_REPLAY, COMPUTE_ROOFLINE, COMPUTE_DEVICE };

struct system_config {
    enum sched_policy policy;
    uint64_t endpoint_delay_ns;
    uint32_t active_chunks_per_dim;
    uint32_t dataset_splits; /* 0: not given; an error if a collective needs it */
    struct algorithm_list algorithm[SLOT_COUNT];
    struct node_algorithm *node_algorithm; /* per-node custom collectives */
    uint32_t node_algorithm_count;
    enum collective_optimization optimization;
    enum dim_order dim_order;
    const char *library;  /* ALG_AUTO: preset of the tuner, "h100-dgx"; NULL: not given */
    double network_ratio; /* of link rates that messages of collectives get; 0: all (plan_auto.h) */
    bool library_costs;   /* ALG_AUTO: messages cost what the library's kernels do (plan_auto.h) */
    const char *all_to_all_sizes; /* net/collective/uneven.h; NULL: even */
    uint32_t queues_per_dim;
    bool rendezvous;

    double local_memory_Bps; /* 0: not given (reduction free, as in ASTRA-sim) */
    double peak_flop_per_s;  /* 0: not given */
    enum compute_model_id compute;
    const char *device_name;     /* COMPUTE_DEVICE: preset or file, see compute/device.h; or NULL */
    const struct device *device; /* set by compute/resolve.h, in config->arena */
    const char *profile_path;    /* COMPUTE_DEVICE: measured times, compute/profile.h; or NULL */
    const struct profile *profile; /* set by compute/resolve.h, in config->arena */
    bool sustained_rates;          /* COMPUTE_DEVICE: rates of long steps, under the power limit */
    double matrix_ratio, attention_ratio; /* of the device's rates that kernels reach, 0: 1 */
    double memory_ratio;                  /* times of memory-bound ops over the device's, 0: 1 */
    const char *attention_kernel;         /* model/op_shape.h; NULL: the device's best */
    int attention;                        /* its number, set by compute/resolve.h */
    double launch_overhead_ns, collective_launch_ns, step_overhead_ns; /* run/op_times.h */
    double overlap_slowdown; /* compute takes this much longer beside communication: 0.1 is 10 % */
    double device_price_per_h; /* $ for a device and hour, of a study's costs; 0: not given */
    bool replay_only;          /* every node, also communication, takes its recorded duration */

    bool shared_bus; /* LogGP queue instead of the endpoint delay */
    uint64_t bus_L_ns, bus_o_ns, bus_g_ns;
    double bus_G_ns_per_byte;
    uint64_t local_reduction_delay_ns; /* per 100 bytes on the bus */

    uint32_t host_slots, compute_slots, comm_slots; /* concurrent ops per rank */
    bool streams; /* nodes with a stream wait for their stream alone, one op at a time */
    uint64_t least_duration_ns;    /* duration of a replayed node whose recorded duration is 0 */
    bool zero_bytes_is_free;       /* roofline: a node with no bytes is skipped (ASTRA-sim) */
    bool late_zero_cost;           /* children of zero-cost nodes wait for the rank's next event */
    bool broadcast_replayed;       /* broadcast takes its recorded duration, uses no network */
    uint64_t small_group_delay_ns; /* hand-over in a group smaller than the system */
    bool whole_ns;                 /* roofline and reduction times, as in network_config */
};

/* -- remote memory ------------------------------------------------------------------------- */

enum memory_type { MEMORY_NONE, MEMORY_PER_NPU, MEMORY_PER_NODE, MEMORY_POOL };

struct memory_config {
    enum memory_type type;
    uint64_t latency_ns;
    uint64_t bandwidth_B_per_ns; /* whole bytes per ns, as ASTRA-sim reads it; 0 = not given */
    uint32_t node_count, npus_per_node; /* MEMORY_PER_NODE */
};

/* -- variation ------------------------------------------------------------------------------ */

/* How random factors are distributed (model/jitter.h). */
enum jitter_form {
    JITTER_LOGNORMAL,
    JITTER_NORMAL,
    JITTER_GAMMA,
    JITTER_EXPONENTIAL,
    JITTER_NONE /* nothing varies, whatever the ratios say */
};

/* What differs from one run of a job to the next: one run is one sample. Ratios are coefficients of
 * variation (standard deviation / mean) of factors whose mean is 1; 0: none. */
struct variation_config {
    enum jitter_form form;
    uint64_t seed, sample;
    double op_ratio;       /* of each compute op of each rank (compute/rank_speed.h) */
    double rank_ratio;     /* of all compute of a rank, one factor for the whole run */
    double link_ratio;     /* of each link's bandwidth, one factor for the whole run */
    double latency_ratio;  /* of each link's latency, likewise (net/model/link_speed.h) */
    double start_delay_ns; /* mean by which a rank starts each collective, send, receive later */
    const char *slow_ranks, *slow_links; /* model/slow_list.h; NULL: none */
};

/* -- the run ------------------------------------------------------------------------------- */

enum deps_mode { DEPS_AUTO, DEPS_DATA, DEPS_CONTROL, DEPS_BOTH };

struct workload_config {
    const char *prefix; /* PREFIX.<rank>.et, or a file with `replicate` */
    bool replicate;     /* one file for all ranks */
    bool ignore_extra;  /* more trace files than NPUs are accepted */
    bool allow_empty;
    enum deps_mode deps;
    bool drop_missing_parents; /* repair: an edge to an absent node is dropped and counted */
    bool break_cycles;         /* repair: the edge that closes a cycle is dropped and counted */
    const char *comm_group;    /* path, or NULL */
    uint32_t scale_ranks;     /* run the traces on so many ranks (workloads/scale_trace.h); 0: no */
    const char *scale_groups; /* names of the groups that grow, or NULL: guessed */
    uint32_t passes;          /* over the layers of a text workload (workloads/text) */
};

struct provenance {
    const char *key;    /* "network.dim[0].bandwidth" */
    const char *value;  /* "53.687 B/ns" */
    const char *source; /* "net.yml:3", "command line", "default" */
};

/* A file that was read for this configuration. */
struct config_input {
    const char *role; /* "network"; constant text */
    const char *path; /* as the user gave it */
    uint64_t hash;    /* hash_bytes() of the (inflated) bytes that were read */
};

struct config {
    struct arena arena;
    struct network_config network;
    struct system_config system;
    struct memory_config memory;
    struct workload_config workload;
    struct variation_config variation;
    bool fold;           /* simulate one rank per symmetry class where that is exact */
    bool must_fold;      /* not a setting: fail, with the reason, rather than simulate every rank */
    time_ps max_time_ps; /* simulated; TIME_NEVER for none */
    struct provenance *provenance;
    uint32_t provenance_count, provenance_capacity;
    struct config_input *input; /* in the order they were read, each path once */
    uint32_t input_count, input_capacity;
    bool own_form; /* read from our one-file form, which is stricter */
};

/* Fills defaults of the ASTRA-sim dialect; each default gets a provenance row. */
void config_init(struct config *config);
void config_release(struct config *config);

/* Adds or replaces the provenance row of `key`. Text is copied. */
void config_note(struct config *config, const char *key, const char *source, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));

/* Adds a file that was read. A path that is listed already stays as it is. `path` is copied. */
void config_add_input(struct config *config, const char *role, const char *path, uint64_t hash);

/* The input of that path, or NULL. */
const struct config_input *config_find_input(const struct config *config, const char *path);

/* Where the value of `key` came from, or NULL. */
const char *config_source(const struct config *config, const char *key);

/*
 * Checks what no single file can: a network was given, algorithm lists fit its dimensions, memory
 * nodes cover all NPUs. Called once, after all loaders and overrides.
 */
enum status config_finish(struct config *config, struct notices *notices, struct diag *diag);

/* Prints every effective value with its unit and where it came from, in aligned columns. */
void config_print(const struct config *config, FILE *out);

/* "Ring"; more names in config/names.h. */
const char *net_block_name(enum net_block block);

#endif
