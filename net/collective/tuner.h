/*
 * tuner - a cost model of NCCL's kind: which algorithm, protocol and channels a library takes for a
 * collective on a known system, and how long that takes on a fabric of its own.
 *
 * Rules:
 *  1. Constants come from configs/libraries and configs/systems (YAML), each with its source. They
 *     are of three sorts: what the library plans with (it decides the choice), facts of its
 *     kernels, and corrections calibrated on data/perf only. None is fitted to the published
 *     measurements that tests compare with (net/README.md, "Measured against published runs").
 *  2. A choice is the least of the library's own plan, ties to the first of ring, tree, NVLS, NVLS
 *     tree and of LL, LL128, Simple; its time is the corrected one. Within one choice time does not
 *     fall with bytes. Same input, same output.
 *  3. `time_us` = base_us + steps * alpha_us + wire_bytes / rate_Bps: what a schedule gets as
 *     endpoint costs (base once, alpha for each step of the critical path, rate as what a rank's
 *     share of the fabric gives) makes an uncontended fabric take the tuner's time.
 *  4. Sizes are those of nccl-tests: all-reduce, broadcast, reduce: the vector; all-gather: the
 *     output; reduce-scatter: the input; all-to-all: what one rank sends in all, itself included.
 *     tuner_bytes() converts from a trace's sizes.
 *  5. Times are in us and rates in bytes/s per rank and direction, as the sources write them.
 *
 * Formulas: n ranks in D scale-up domains of g, b bytes; S = 2(n-1) steps for all-reduce, else n-1,
 * of which I = S (D-1)/(n-1) between domains; B = ring-rate, W = NICs of a domain x rate x
 * nic-share.
 * What differs between plan and time is said after "time".
 *  ring       base + (S-I) max(hop, post) + I net + b S / (n R), R = ring-factor x min(B, W),
 *             capped by LL's and LL128's rates. Simple all-reduce over domains: latency x
 *             ring-plateau.
 *             Time: a step of LL takes at least a channel's time for its ll-channel-bytes; Simple
 *             adds simple-start, and local-step steps for a rank's own copies.
 *  broadcast  (and reduce) base + hop + b / R. Time: n-1 hops.
 *  tree       base + 2 ((g-1) hop + log2 D net) + b / (c R), R = half of tree-factor x tree-part
 *             x B, capped by tree rates and by NICs: W if D = 2 (each way carries b once), W/2
 *             above.
 *             Time: the correction c is interpolated in log2 b, so that time does not fall.
 *  NVLS       nvls-hop + b / (H e), D = 1. H: n heads of the largest speed of nvls-heads that fits
 *             n times into B; above nvls-listed-heads heads B.
 *             Time: e as measured, and half a loop (channels x nvls-chunk x heads) to fill.
 *  NVLS tree  nvls-hop + 2 log2 D net + 2 b (n-1) / (n R), R = min(2 H e (h-1)/h, W (2 W if D = 2),
 *             h x nvls-tree-rate), h = min(g, nvls-tree-heads). Time: at most what NICs carry,
 *             as for trees, and half a loop for each further stage.
 *  to all     (all-to-all, gather, scatter) LL: base + hop (+ net), and what is slowest of b/n at a
 *             channel's rate, copies b / p2p-copy, links b (g-1)/n / (p2p-links B), NICs
 *             b (n-g)/n g/W.
 *             Peers above p2p-ll-bytes: + p2p-simple, and p2p-fill of the first p2p-fill-bytes.
 * Worked: all-reduce of 8 on HGX H100, 16 GiB: 8 heads of 40 GB/s (46 would fit), e = 0.85: 25 us +
 * (2^34 + 2^23) B / 272 GB/s = 63.2 ms; published: 62.2 ms (AWS p5).
 * A torus is one axis, used both ways; collectives over several axes are what the simulator is for.
 */
#ifndef ORRERY_NET_COLLECTIVE_TUNER_H
#define ORRERY_NET_COLLECTIVE_TUNER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "model/op.h"

enum tuner_algorithm {
    TUNER_RING,
    TUNER_TREE,      /* double binary tree over domains, chains inside */
    TUNER_NVLS,      /* reduction in the switch of one domain */
    TUNER_NVLS_TREE, /* NVLS inside, a tree between domains */
    TUNER_POINT_TO_POINT,
    TUNER_ALGORITHM_COUNT
};

/* NCCL_NVLS_ENABLE=0, for tuner_request.algorithms */
enum { TUNER_WITHOUT_NVLS = 1 << TUNER_RING | 1 << TUNER_TREE };

enum tuner_protocol { TUNER_LL, TUNER_LL128, TUNER_SIMPLE, TUNER_PROTOCOL_COUNT };

/* Kinds beyond enum collective_kind. */
enum { TUNER_SEND_RECEIVE = COLL_KIND_COUNT, TUNER_DISPATCH /* MoE over RDMA, DeepEP */ };

struct tuner;         /* all libraries and systems; opaque */
struct tuner_library; /* net/collective/tuner_parts.h */
struct tuner_system;

struct tuner_request {
    int kind; /* enum collective_kind, or above */
    uint32_t ranks;
    uint32_t nodes; /* 1 .. ranks */
    uint64_t bytes; /* rule 4 */
    const struct tuner_system *system;
    /* Those that may be taken, as bits (1u << TUNER_..): NCCL_ALGO, NCCL_PROTO. 0, or none that can
     * be had there: all. */
    uint32_t algorithms, protocols;
    uint32_t in_domain; /* ranks that share a scale-up domain, for groups whose members lie apart
                           (every eighth GPU); 0: as many as the domain has places for */
    double launch_us; /* host time to launch one collective on all GPUs of a process, if it is more
                         than the library's base latency; 0: a process per GPU */
};

struct tuner_choice {
    enum tuner_algorithm algorithm;
    enum tuner_protocol protocol;
    uint32_t channels; /* that carry data, >= 1 */
    uint32_t steps;    /* of the critical path */
    double base_us;    /* once */
    double alpha_us;   /* for each step */
    double wire_bytes; /* that a rank sends */
    double rate_Bps;   /* at which it does, > 0 */
    double time_us;    /* rule 3 */
    double rate_share; /* of datasheet rates: a fabric with links and NICs derated by it takes as
                          long for the transfer. 0 < share <= 1 */
};

/*
 * Loads all libraries and systems below `folder` ("configs"); NULL: the folder `configs` nearest
 * above the program, else what the program was built with. On success the caller owns *tuner.
 */
enum status tuner_create(struct tuner **tuner, const char *folder, struct diag *diag);
void tuner_destroy(struct tuner *tuner);

/* The system called `name`; unknown: an error that names the nearest and lists what there is. */
enum status tuner_find_system(const struct tuner *tuner, const char *name,
                              const struct tuner_system **system, struct diag *diag);

/* Systems by number 0 .. count - 1, for lists: name and summary are borrowed from the tuner. */
uint32_t tuner_system_count(const struct tuner *tuner);
const char *tuner_system_name(const struct tuner *tuner, uint32_t index, const char **summary);

/* GPUs of a node and of a scale-up domain. */
void tuner_system_size(const struct tuner_system *system, uint32_t *node, uint32_t *domain);

/*
 * What the system's library does with `request`. Fails (STATUS_BAD_CONFIG, field named) if ranks
 * < 2, nodes do not divide ranks, or more ranks than the system has GPUs share a node.
 */
enum status tuner_choose(const struct tuner_request *request, struct tuner_choice *choice,
                         struct diag *diag);

/* The size of rule 4 for `size_bytes` as a trace has it (trace.h rule 5). */
uint64_t tuner_bytes(enum collective_kind kind, uint64_t size_bytes, uint32_t ranks);

/* "ring", "tree", "nvls", "nvls-tree", "point-to-point"; "LL", "LL128", "Simple". */
const char *tuner_algorithm_name(enum tuner_algorithm algorithm);
const char *tuner_protocol_name(enum tuner_protocol protocol);

#endif
