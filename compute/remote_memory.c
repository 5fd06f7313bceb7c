#include "compute/remote_memory.h"

#include <stdlib.h>

#include "base/memory.h"

enum status remote_memory_init(struct remote_memory *memory, const struct memory_config *config,
                               uint32_t rank_count, struct diag *diag)
{
    *memory = (struct remote_memory){.config = config};
    if (config->type == MEMORY_POOL)
        memory->port_count = 1;
    if (config->type == MEMORY_PER_NODE) {
        uint64_t covered = (uint64_t)config->node_count * config->npus_per_node;
        if (!config->npus_per_node || covered < rank_count) {
            diag_fail(diag, STATUS_BAD_CONFIG,
                      "%u nodes of %u NPUs do not cover the system's %u NPUs", config->node_count,
                      config->npus_per_node, rank_count);
            diag_field(diag, "num-nodes, num-npus-per-node");
            return STATUS_BAD_CONFIG;
        }
        memory->port_count = config->node_count;
    }
    memory->port = calloc(memory->port_count + 1, sizeof *memory->port);
    need_memory(memory->port != NULL);
    return STATUS_OK;
}

void remote_memory_release(struct remote_memory *memory)
{
    for (uint32_t p = 0; p < memory->port_count; p++)
        free(memory->port[p].waiting);
    free(memory->port);
    *memory = (struct remote_memory){0};
}

bool remote_memory_is_shared(const struct remote_memory *memory)
{
    return memory->port_count != 0;
}

static uint64_t access_ns(const struct remote_memory *memory, uint64_t bytes)
{
    uint64_t rate = memory->config->bandwidth_B_per_ns;
    uint64_t wire_ns = rate ? (uint64_t)((double)bytes / (double)rate) : 0;
    return wire_ns <= UINT64_MAX - memory->config->latency_ns ? memory->config->latency_ns + wire_ns
                                                              : UINT64_MAX;
}

static struct memory_port *port_of(struct remote_memory *memory, uint32_t rank)
{
    if (!memory->port_count)
        return NULL;
    return &memory->port[memory->port_count == 1 ? 0 : rank / memory->config->npus_per_node];
}

static void wait_in(struct memory_port *port, const struct memory_access *access)
{
    if (port->count == port->room) {
        uint32_t room = port->room ? 2 * port->room : 16;
        struct memory_access *waiting = malloc(room * sizeof *waiting);
        need_memory(waiting != NULL);
        for (uint32_t i = 0; i < port->count; i++)
            waiting[i] = port->waiting[(port->head + i) % port->room];
        free(port->waiting);
        port->waiting = waiting;
        port->head = 0;
        port->room = room;
    }
    port->waiting[(port->head + port->count++) % port->room] = *access;
}

bool remote_memory_start(struct remote_memory *memory, const struct memory_access *access,
                         uint64_t *duration_ns)
{
    struct memory_port *port = port_of(memory, access->rank);
    if (port && port->is_busy) {
        wait_in(port, access);
        return false;
    }
    if (port)
        port->is_busy = true;
    *duration_ns = access_ns(memory, access->bytes);
    return true;
}

bool remote_memory_end(struct remote_memory *memory, uint32_t rank, struct memory_access *next,
                       uint64_t *duration_ns)
{
    struct memory_port *port = port_of(memory, rank);
    promise(port && port->is_busy);
    if (!port->count) {
        port->is_busy = false;
        return false;
    }
    *next = port->waiting[port->head];
    port->head = (port->head + 1) % port->room;
    port->count--;
    *duration_ns = access_ns(memory, next->bytes);
    return true;
}
