/*
 * remote_memory - ASTRA-sim's analytical remote memory.
 *
 *   time = latency + trunc(bytes / bandwidth), whole ns and whole B/ns
 *
 * MEMORY_PER_NPU: no contention. MEMORY_PER_NODE, MEMORY_POOL: one access at a time per node or in
 * all, FIFO. The caller tells when an access has ended; then the next one of the queue starts.
 */
#ifndef ORRERY_COMPUTE_REMOTE_MEMORY_H
#define ORRERY_COMPUTE_REMOTE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "config/config.h"

struct memory_access {
    uint32_t rank;
    uint32_t token; /* the caller's */
    uint64_t bytes;
};

struct memory_port {
    bool is_busy;
    struct memory_access *waiting; /* ring buffer */
    uint32_t head, count, room;
};

struct remote_memory {
    const struct memory_config *config;
    struct memory_port *port;
    uint32_t port_count; /* 0 without contention */
};

enum status remote_memory_init(struct remote_memory *memory, const struct memory_config *config,
                               uint32_t rank_count, struct diag *diag);
void remote_memory_release(struct remote_memory *memory);

/* True if accesses of one rank can delay another's. */
bool remote_memory_is_shared(const struct remote_memory *memory);

/* True: the access starts now and takes *duration_ns. False: it waits. */
bool remote_memory_start(struct remote_memory *memory, const struct memory_access *access,
                         uint64_t *duration_ns);

/* An access of `rank` has ended. True: *next starts now and takes *duration_ns. */
bool remote_memory_end(struct remote_memory *memory, uint32_t rank, struct memory_access *next,
                       uint64_t *duration_ns);

#endif
