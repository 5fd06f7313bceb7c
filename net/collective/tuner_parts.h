/*
 * tuner_parts - the constants of the tuner as its loader fills them. Only tuner*.c and its tests
 * include it.
 *
 * Rules:
 *  1. Arrays of three are LL, LL128, Simple unless said otherwise. Times in us, rates in bytes/s.
 *  2. Names are those of the YAML keys, '-' for '_'; configs/libraries/nccl.yaml comments each.
 */
#ifndef ORRERY_NET_COLLECTIVE_TUNER_PARTS_H
#define ORRERY_NET_COLLECTIVE_TUNER_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/doc.h"
#include "net/collective/tuner.h"

enum {
    TUNER_HEADS = 12,       /* speeds of nvls-heads at most; unused ones are 0 */
    TUNER_CORRECTIONS = 24, /* 64 B .. 512 MiB in powers of two */
};

enum tuner_scale_up { SCALE_UP_SWITCH, SCALE_UP_MESH, SCALE_UP_PAIRS, SCALE_UP_TORUS };
enum tuner_cpu { TUNER_INTEL, TUNER_AMD, TUNER_ARM };

struct tuner_generation {
    const char *name;
    double ll_rate_Bps; /* most bus bandwidth of LL in one domain */
    double ring_ll128_rate_Bps;
    double tree_ll128_rate_Bps[3]; /* per channel: 1, 2, more domains */
    double tree_rate_Bps[3];
    double nvls_tree_rate_Bps[2]; /* per head: 2, more domains */
    double nvls_efficiency, nvls_measured;
    double nvls_channels;
    double nvls_heads_Bps[TUNER_HEADS]; /* descending */
    double nvls_hop_us;                 /* measured; 0: the library's */
    double latency_scale;               /* on latencies of kernels when a time is computed */
    double ll_base_us, ll_hop_us;       /* measured; 0: the library's */
    double ring_measured;               /* share of ring-rate */
};

struct tuner_library {
    const char *name, *source;
    double base_us[2][3]; /* ring, tree */
    double nvlink_us[2][3], pcie_us[2][3], net_us[2][3];
    double nvls_hop_us, nvls_tree_net_us;
    double net_post_us[2]; /* Intel and others, AMD */
    double ring_plateau;
    double ring_factor[3];
    double tree_factor, tree_part[3], tree_part_net[3];
    double ll_net_rate_Bps[2][2]; /* Intel and others, AMD; 2, more domains */
    double tree_correction[3][TUNER_CORRECTIONS];
    double ll_channel_bytes, nvls_chunk_bytes, p2p_ll_bytes;
    double p2p_fill, p2p_fill_bytes, p2p_peers, p2p_peer_us;
    double channel_bytes[3]; /* below which a channel is not opened; ring LL: for each rank */
    double nic_share;        /* planned of a NIC's rate */
    double nvls_listed_heads, nvls_tree_heads, p2p_channels, p2p_links;
    double local_step, simple_start_us, ll_channel_rate_Bps, p2p_simple_us, p2p_copy_rate_Bps;
    struct tuner_generation *generation;
    uint32_t generation_count;
};

struct tuner_system {
    const char *name, *summary, *source;
    const struct tuner_library *library;
    const struct tuner_generation *generation;
    enum tuner_scale_up scale_up;
    enum tuner_cpu cpu;
    bool has_nvls, simple_only;
    uint32_t gpus_per_node, domain; /* GPUs that share the scale-up network */
    double links, link_rate_Bps;    /* datasheet, per GPU */
    double ring_rate_Bps, channels;
    double pcie_rate_Bps, pcie_channels; /* SCALE_UP_PAIRS: between pairs */
    double nics_per_node, nic_rate_Bps, net_latency_us;
};

enum { TUNER_MOST_LIBRARIES = 16, TUNER_MOST_SYSTEMS = 128 };

struct tuner {
    struct arena arena;
    struct tuner_library *library;
    uint32_t library_count;
    struct tuner_system *system;
    uint32_t system_count;
};

/* -- tuner_load.c -- */

/* Adds the library, or the systems, of a document. */
enum status tuner_library_read(struct tuner *tuner, const struct doc *doc, struct diag *diag);
enum status tuner_systems_read(struct tuner *tuner, const struct doc *doc, struct diag *diag);

/* NULL: there is none. */
const struct tuner_system *tuner_system_called(const struct tuner *tuner, const char *name);

/* -- tuner_files.c -- */

/* The same from text in memory: for tests. `name` stands for the file in messages. */
enum status tuner_read_library(struct tuner *tuner, const char *name, const char *text,
                               struct diag *diag);
enum status tuner_read_systems(struct tuner *tuner, const char *name, const char *text,
                               struct diag *diag);

/* An empty tuner for the two above. */
struct tuner *tuner_create_empty(void);

#endif
