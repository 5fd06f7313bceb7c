#include "config/config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/visible.h"
#include "config/algorithm_name.h"
#include "config/settings.h"

/* What ASTRA-sim does when a file says nothing (astra_sim.md, section 2). */
static const struct config defaults = {
    .network = {.backend = NET_CONGESTION_UNAWARE, .whole_ns = true},
    .system =
        {
            .policy = POLICY_LIFO,
            .endpoint_delay_ns = 10,
            .active_chunks_per_dim = 1,
            /* ASTRA-sim leaves this one uninitialised; this value makes most systems run. */
            .optimization = COLL_LOCAL_BW_AWARE,
            .dim_order = DIMS_ASCENDING,
            .queues_per_dim = 1,
            .compute = COMPUTE_REPLAY,
            .local_reduction_delay_ns = 1,
            .host_slots = 1,
            .compute_slots = 1,
            .comm_slots = 1,
            .least_duration_ns = 1,
            .zero_bytes_is_free = true,
            .late_zero_cost = true,
            .broadcast_replayed = true,
            .small_group_delay_ns = 10,
            .whole_ns = true,
        },
    .memory = {.type = MEMORY_NONE},
    .workload = {.deps = DEPS_AUTO, .passes = 1},
    .fold = true,
    .max_time_ps = TIME_NEVER,
};

void config_init(struct config *config)
{
    *config = defaults;
    arena_init(&config->arena);
    for (const struct setting *setting = settings; setting->key; setting++) {
        if (!setting->is_quiet)
            setting_note(config, setting, "default");
    }
    for (int slot = 0; slot < SLOT_PER_DIM_COUNT; slot++) {
        char key[64];
        algorithm_key(key, sizeof key, (enum algorithm_slot)slot);
        config_note(config, key, "default", "not given");
    }
}

void config_release(struct config *config)
{
    if (config->network.fabric)
        config->network.fabric_destroy(config->network.fabric);
    free(config->provenance);
    free(config->input);
    arena_release(&config->arena);
    *config = (struct config){0};
}

static struct provenance *find_row(const struct config *config, const char *key)
{
    for (uint32_t i = 0; i < config->provenance_count; i++) {
        if (strcmp(config->provenance[i].key, key) == 0)
            return &config->provenance[i];
    }
    return NULL;
}

static struct provenance *add_row(struct config *config, const char *key)
{
    if (config->provenance_count == config->provenance_capacity) {
        uint32_t capacity = config->provenance_capacity ? 2 * config->provenance_capacity : 64;
        config->provenance = realloc(config->provenance, capacity * sizeof *config->provenance);
        need_memory(config->provenance != NULL);
        config->provenance_capacity = capacity;
    }
    struct provenance *row = &config->provenance[config->provenance_count++];
    *row = (struct provenance){.key = arena_text(&config->arena, key, strlen(key))};
    return row;
}

void config_note(struct config *config, const char *key, const char *source, const char *format,
                 ...)
{
    char value[512];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    struct provenance *row = find_row(config, key);
    if (!row)
        row = add_row(config, key);
    row->value = arena_text(&config->arena, value, strlen(value));
    row->source = arena_text(&config->arena, source, strlen(source));
}

const struct config_input *config_find_input(const struct config *config, const char *path)
{
    for (uint32_t i = 0; i < config->input_count; i++) {
        if (strcmp(config->input[i].path, path) == 0)
            return &config->input[i];
    }
    return NULL;
}

void config_add_input(struct config *config, const char *role, const char *path, uint64_t hash)
{
    if (config_find_input(config, path))
        return;
    if (config->input_count == config->input_capacity) {
        config->input_capacity = config->input_capacity ? 2 * config->input_capacity : 8;
        config->input = realloc(config->input, config->input_capacity * sizeof *config->input);
        need_memory(config->input != NULL);
    }
    config->input[config->input_count++] = (struct config_input){
        .role = role, .path = arena_text(&config->arena, path, strlen(path)), .hash = hash};
}

const char *config_source(const struct config *config, const char *key)
{
    const struct provenance *row = find_row(config, key);
    return row ? row->source : NULL;
}

/* -- checks across files --------------------------------------------------------------------- */

static enum status bad_list(const struct config *config, const char *key, struct diag *diag)
{
    diag_field(diag, "%s", key);
    const char *source = config_source(config, key);
    if (source && strcmp(source, "default") != 0)
        diag_in(diag, source);
    return STATUS_BAD_CONFIG;
}

static enum status check_algorithms(const struct config *config, enum algorithm_slot slot,
                                    struct notices *notices, struct diag *diag)
{
    const struct algorithm_list *list = &config->system.algorithm[slot];
    uint32_t dims = config->network.dim_count;
    if (slot >= SLOT_PER_DIM_COUNT)
        return STATUS_OK;
    char key[64];
    algorithm_key(key, sizeof key, slot);
    for (uint32_t i = 0; i < list->count && list->count > 1; i++) {
        if (!list->choice[i].flat)
            continue;
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "an algorithm over all ranks (one.., or one of a shape) must be the only entry, "
                  "found %" PRIu32 " entries",
                  list->count);
        return bad_list(config, key, diag);
    }
    if (list->count > dims) {
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "%" PRIu32 " algorithms for a network of %" PRIu32 " dimension%s", list->count,
                  dims, dims == 1 ? "" : "s");
        diag_hint(diag, "give one algorithm per network dimension");
        return bad_list(config, key, diag);
    }
    if (list->count == 0 || list->count == dims || list->choice[0].flat)
        return STATUS_OK;
    if (config->own_form) {
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "%" PRIu32 " algorithm%s for a network of %" PRIu32 " dimensions", list->count,
                  list->count == 1 ? "" : "s", dims);
        diag_hint(diag, "give one algorithm per dimension, or one name (not a list) for all");
        return bad_list(config, key, diag);
    }
    notices_add(notices, NOTICE_ODDITY, "algorithm list shorter than the network", 1,
                "%s: %" PRIu32 " of %" PRIu32
                " dimensions; as in ASTRA-sim, the others take no part in the collective",
                key, list->count, dims);
    return STATUS_OK;
}

static enum status check_memory(const struct config *config, struct diag *diag)
{
    const struct memory_config *memory = &config->memory;
    if (memory->type != MEMORY_PER_NODE)
        return STATUS_OK;
    if (memory->node_count == 0 || memory->npus_per_node == 0) {
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "per-node memory needs the number of nodes and of NPUs "
                  "per node");
        return bad_list(config, "memory.type", diag);
    }
    uint64_t covered = (uint64_t)memory->node_count * memory->npus_per_node;
    if (covered >= config->network.npu_count)
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG,
              "%" PRIu32 " nodes of %" PRIu32 " NPUs are %" PRIu64 ", but the network has %" PRIu32
              " NPUs",
              memory->node_count, memory->npus_per_node, covered, config->network.npu_count);
    return bad_list(config, "memory.nodes", diag);
}

/* One name stands for every dimension, whose number is known by now. */
static void repeat_one_name(struct config *config, enum algorithm_slot slot)
{
    struct algorithm_list *list = &config->system.algorithm[slot];
    uint32_t dims = config->network.dim_count;
    if (!list->one_name || dims == 1)
        return;
    list->one_name = false;
    list->count = dims;
    for (uint32_t d = 1; d < dims; d++)
        list->choice[d] = list->choice[0];
    char key[64];
    algorithm_key(key, sizeof key, slot);
    algorithm_note(config, slot, config_source(config, key));
}

enum status config_finish(struct config *config, struct notices *notices, struct diag *diag)
{
    if (config->network.dim_count == 0) {
        diag_fail(diag, STATUS_BAD_CONFIG, "no network was given");
        diag_hint(diag, "use --network FILE, or `network:` in the one-file form");
        return STATUS_BAD_CONFIG;
    }
    for (int slot = 0; slot < SLOT_COUNT; slot++)
        repeat_one_name(config, (enum algorithm_slot)slot);
    enum status status = STATUS_OK;
    for (int slot = 0; slot < SLOT_COUNT && status == STATUS_OK; slot++)
        status = check_algorithms(config, (enum algorithm_slot)slot, notices, diag);
    return status == STATUS_OK ? check_memory(config, diag) : status;
}

/* -- --print-config ------------------------------------------------------------------------ */

static const char *const sections[] = {"workload.", "network.",   "system.",
                                       "memory.",   "variation.", "run."};

static bool in_section(const struct provenance *row, const char *section)
{
    return strncmp(row->key, section, strlen(section)) == 0;
}

void config_print(const struct config *config, FILE *out)
{
    int key_width = 0;
    int value_width = 0;
    for (uint32_t i = 0; i < config->provenance_count; i++) {
        int key = (int)strlen(config->provenance[i].key);
        int value = (int)strlen(config->provenance[i].value);
        key_width = key > key_width ? key : key_width;
        if (value <= 40 && value > value_width)
            value_width = value;
    }
    for (size_t s = 0; s < sizeof sections / sizeof *sections; s++) {
        for (uint32_t i = 0; i < config->provenance_count; i++) {
            const struct provenance *row = &config->provenance[i];
            if (!in_section(row, sections[s]))
                continue;
            fprintf(out, "%-*s  ", key_width, row->key);
            visible_put(out, row->value, value_width, INT_MAX);
            fputs("  # ", out);
            visible_put(out, row->source, 0, INT_MAX);
            fputc('\n', out);
        }
    }
}
