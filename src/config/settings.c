#include "config/settings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

static const char *const backends[] = {"congestion-unaware", "congestion-aware", NULL};
static const char *const deps_modes[] = {"auto", "data", "control", "both", NULL};
static const char *const policies[] = {"LIFO", "FIFO", "EXPLICIT", NULL};
static const char *const optimizations[] = {"baseline", "localBWAware", NULL};
static const char *const dim_orders[] = {"ascending", "round-robin", "greedy", NULL};
static const char *const compute_models[] = {"replay", "roofline", NULL};
static const char *const memory_types[] = {"none", "per-npu", "per-node", "pool", NULL};

#define AT(member) offsetof(struct config, member)

const struct setting settings[] = {
    {.key = "workload.traces", .type = SETTING_PATH, .offset = AT(workload.prefix)},
    {.key = "workload.replicate", .type = SETTING_BOOL, .offset = AT(workload.replicate)},
    {.key = "workload.ignore-extra-traces",
     .type = SETTING_BOOL,
     .offset = AT(workload.ignore_extra)},
    {.key = "workload.allow-empty", .type = SETTING_BOOL, .offset = AT(workload.allow_empty)},
    {.key = "workload.dependencies",
     .type = SETTING_CHOICE,
     .offset = AT(workload.deps),
     .choices = deps_modes},
    {.key = "workload.drop-missing-parents",
     .type = SETTING_BOOL,
     .offset = AT(workload.drop_missing_parents)},
    {.key = "workload.break-cycles", .type = SETTING_BOOL, .offset = AT(workload.break_cycles)},
    {.key = "workload.comm-groups", .type = SETTING_PATH, .offset = AT(workload.comm_group)},

    {.key = "network.backend",
     .type = SETTING_CHOICE,
     .offset = AT(network.backend),
     .choices = backends},

    {.key = "system.scheduling-policy",
     .type = SETTING_CHOICE,
     .offset = AT(system.policy),
     .choices = policies},
    {.key = "system.endpoint-delay", .type = SETTING_NS, .offset = AT(system.endpoint_delay_ns)},
    {.key = "system.active-chunks-per-dim",
     .type = SETTING_U32,
     .offset = AT(system.active_chunks_per_dim),
     .least = 1,
     .most = INT32_MAX},
    {.key = "system.dataset-splits",
     .type = SETTING_U32,
     .offset = AT(system.dataset_splits),
     .least = 1,
     .most = INT32_MAX,
     .zero_is_unset = true},
    {.key = "system.collective-optimization",
     .type = SETTING_CHOICE,
     .offset = AT(system.optimization),
     .choices = optimizations},
    {.key = "system.dim-order",
     .type = SETTING_CHOICE,
     .offset = AT(system.dim_order),
     .choices = dim_orders},
    {.key = "system.queues-per-dim",
     .type = SETTING_U32,
     .offset = AT(system.queues_per_dim),
     .least = 1,
     .most = 1024},
    {.key = "system.rendezvous", .type = SETTING_BOOL, .offset = AT(system.rendezvous)},
    {.key = "system.local-memory-bandwidth",
     .type = SETTING_RATE,
     .offset = AT(system.local_memory_Bps),
     .zero_is_unset = true},
    {.key = "system.peak-compute",
     .type = SETTING_FLOPS,
     .offset = AT(system.peak_flop_per_s),
     .zero_is_unset = true},
    {.key = "system.compute-model",
     .type = SETTING_CHOICE,
     .offset = AT(system.compute),
     .choices = compute_models},
    {.key = "system.replay-only", .type = SETTING_BOOL, .offset = AT(system.replay_only)},
    {.key = "system.shared-bus", .type = SETTING_BOOL, .offset = AT(system.shared_bus)},
    {.key = "system.bus-L", .type = SETTING_NS, .offset = AT(system.bus_L_ns)},
    {.key = "system.bus-o", .type = SETTING_NS, .offset = AT(system.bus_o_ns)},
    {.key = "system.bus-g", .type = SETTING_NS, .offset = AT(system.bus_g_ns)},
    {.key = "system.bus-G",
     .type = SETTING_REAL,
     .offset = AT(system.bus_G_ns_per_byte),
     .unit = "ns/B"},
    {.key = "system.local-reduction-delay",
     .type = SETTING_NS,
     .offset = AT(system.local_reduction_delay_ns)},
    {.key = "system.host-slots",
     .type = SETTING_U32,
     .offset = AT(system.host_slots),
     .least = 1,
     .most = 65536},
    {.key = "system.compute-slots",
     .type = SETTING_U32,
     .offset = AT(system.compute_slots),
     .least = 1,
     .most = 65536},
    {.key = "system.comm-slots",
     .type = SETTING_U32,
     .offset = AT(system.comm_slots),
     .least = 1,
     .most = 65536},
    {.key = "system.least-duration", .type = SETTING_NS, .offset = AT(system.least_duration_ns)},
    {.key = "system.zero-bytes-is-free",
     .type = SETTING_BOOL,
     .offset = AT(system.zero_bytes_is_free)},
    {.key = "system.late-zero-cost", .type = SETTING_BOOL, .offset = AT(system.late_zero_cost)},
    {.key = "system.broadcast-replayed",
     .type = SETTING_BOOL,
     .offset = AT(system.broadcast_replayed)},
    {.key = "system.small-group-delay",
     .type = SETTING_NS,
     .offset = AT(system.small_group_delay_ns)},

    {.key = "memory.type",
     .type = SETTING_CHOICE,
     .offset = AT(memory.type),
     .choices = memory_types},
    {.key = "memory.latency", .type = SETTING_NS, .offset = AT(memory.latency_ns)},
    {.key = "memory.bandwidth",
     .type = SETTING_WHOLE_RATE,
     .offset = AT(memory.bandwidth_B_per_ns),
     .zero_is_unset = true},
    {.key = "memory.nodes",
     .type = SETTING_U32,
     .offset = AT(memory.node_count),
     .least = 1,
     .most = CONFIG_MAX_NPUS,
     .zero_is_unset = true},
    {.key = "memory.npus-per-node",
     .type = SETTING_U32,
     .offset = AT(memory.npus_per_node),
     .least = 1,
     .most = CONFIG_MAX_NPUS,
     .zero_is_unset = true},

    {.key = "run.fold", .type = SETTING_BOOL, .offset = AT(fold)},
    {.key = "run.max-time", .type = SETTING_TIME, .offset = AT(max_time_ps)},
    {.key = "run.seed", .type = SETTING_U64, .offset = AT(seed), .most = UINT64_MAX},
    {0},
};

const struct setting *setting_find(const char *key)
{
    for (const struct setting *setting = settings; setting->key; setting++) {
        if (strcmp(setting->key, key) == 0)
            return setting;
    }
    return NULL;
}

const char *choices_text(char *to, size_t size, const char *const *choices)
{
    size_t used = 0;
    to[0] = '\0';
    for (size_t i = 0; choices[i] && used < size; i++) {
        const char *before = i == 0 ? "" : choices[i + 1] ? ", " : " or ";
        used += (size_t)snprintf(to + used, size - used, "%s%s", before, choices[i]);
    }
    return to;
}

/* -- one reader per type: text to the field at `to` ------------------------------------------ */

static enum status expected(const char *what, const char *text, struct diag *diag)
{
    return diag_fail(diag, STATUS_BAD_CONFIG, "expected %s, found \"%.60s\"", what, text);
}

static enum status read_bool(const char *text, bool *to, struct diag *diag)
{
    bool yes = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    if (!yes && strcmp(text, "false") != 0 && strcmp(text, "0") != 0)
        return expected("true or false", text, diag);
    *to = yes;
    return STATUS_OK;
}

static enum status read_choice(const struct setting *setting, const char *text, void *to,
                               struct diag *diag)
{
    for (unsigned i = 0; setting->choices[i]; i++) {
        if (strcmp(setting->choices[i], text) == 0) {
            memcpy(to, &i, sizeof i); /* every enum here is an unsigned int */
            return STATUS_OK;
        }
    }
    char names[160];
    expected(choices_text(names, sizeof names, setting->choices), text, diag);
    const char *nearest = suggest_nearest(text, setting->choices);
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    return STATUS_BAD_CONFIG;
}

static enum status read_integer(const struct setting *setting, const char *text, uint64_t *to,
                                struct diag *diag)
{
    uint64_t value = 0;
    bool good = *text != '\0';
    for (const char *c = text; good && *c; c++)
        good = *c >= '0' && *c <= '9' && !__builtin_mul_overflow(value, 10, &value) &&
               !__builtin_add_overflow(value, (uint64_t)(*c - '0'), &value);
    if (good && value >= setting->least && value <= setting->most) {
        *to = value;
        return STATUS_OK;
    }
    char what[96];
    snprintf(what, sizeof what, "an integer from %" PRIu64 " to %" PRIu64, setting->least,
             setting->most);
    return expected(what, text, diag);
}

static enum status read_ns(const char *text, uint64_t *to, bool *was_bare, struct diag *diag)
{
    double ns;
    enum status status = units_parse_duration(text, "ns", &ns, was_bare, diag);
    if (status != STATUS_OK)
        return status;
    if (ns != floor(ns) || ns > 0x1p53)
        return expected("whole nanoseconds", text, diag);
    *to = (uint64_t)ns;
    return STATUS_OK;
}

static enum status read_time(const char *text, time_ps *to, bool *was_bare, struct diag *diag)
{
    if (strcmp(text, "never") == 0) {
        *to = TIME_NEVER;
        return STATUS_OK;
    }
    double ns;
    enum status status = units_parse_duration(text, "ns", &ns, was_bare, diag);
    if (status != STATUS_OK)
        return status;
    double ps = ns * 1000;
    if (!(ps < 0x1p64))
        return expected("less than 213 days of simulated time", text, diag);
    *to = (time_ps)ps;
    return STATUS_OK;
}

static enum status read_whole_rate(const char *text, uint64_t *to, bool *was_bare,
                                   struct diag *diag)
{
    double Bps;
    enum status status = units_parse_bandwidth(text, "GB/s", &Bps, was_bare, diag);
    if (status != STATUS_OK)
        return status;
    double B_per_ns = Bps / 1e9;
    if (B_per_ns != floor(B_per_ns) || B_per_ns > 0x1p53)
        return expected("whole bytes per nanosecond (whole GB/s)", text, diag);
    *to = (uint64_t)B_per_ns;
    return STATUS_OK;
}

static enum status read_real(const char *text, double *to, struct diag *diag)
{
    char *end;
    double value = strtod(text, &end);
    if (*text == '\0' || *end != '\0' || strpbrk(text, "xXnN \t") || !(value >= 0) ||
        !isfinite(value))
        return expected("a number of 0 or more", text, diag);
    *to = value;
    return STATUS_OK;
}

static enum status read_value(struct config *config, const struct setting *setting,
                              const char *text, bool *was_bare, struct diag *diag)
{
    void *to = (char *)config + setting->offset;
    uint64_t integer = 0;
    enum status status;
    switch (setting->type) {
    case SETTING_BOOL:
        return read_bool(text, to, diag);
    case SETTING_U32:
        status = read_integer(setting, text, &integer, diag);
        if (status == STATUS_OK)
            *(uint32_t *)to = (uint32_t)integer;
        return status;
    case SETTING_U64:
        return read_integer(setting, text, to, diag);
    case SETTING_CHOICE:
        return read_choice(setting, text, to, diag);
    case SETTING_NS:
        return read_ns(text, to, was_bare, diag);
    case SETTING_TIME:
        return read_time(text, to, was_bare, diag);
    case SETTING_RATE:
        return units_parse_bandwidth(text, "GB/s", to, was_bare, diag);
    case SETTING_FLOPS:
        return units_parse_flops(text, "TFLOPS", to, was_bare, diag);
    case SETTING_REAL:
        return read_real(text, to, diag);
    case SETTING_WHOLE_RATE:
        return read_whole_rate(text, to, was_bare, diag);
    case SETTING_PATH:
        if (*text == '\0')
            return expected("a path", text, diag);
        *(const char **)to = arena_text(&config->arena, text, strlen(text));
        return STATUS_OK;
    }
    promise(!"setting type");
    return STATUS_OK;
}

static const char *bare_unit(enum setting_type type)
{
    return type == SETTING_FLOPS                                ? "TFLOPS"
           : type == SETTING_RATE || type == SETTING_WHOLE_RATE ? "GB/s"
                                                                : "ns";
}

enum status setting_set_text(struct config *config, const struct setting *setting, const char *text,
                             const char *source, struct notices *notices, struct diag *diag)
{
    bool was_bare = false;
    enum status status = read_value(config, setting, text, &was_bare, diag);
    if (status != STATUS_OK) {
        diag_field(diag, "%s", setting->key);
        return status;
    }
    if (was_bare)
        notices_add(notices, NOTICE_DEFAULTED, "number without unit", 1, "%s: %s was taken as %s",
                    setting->key, text, bare_unit(setting->type));
    setting_note(config, setting, source);
    return STATUS_OK;
}

/* -- the value as text --------------------------------------------------------------------- */

static void show_rate(char *to, size_t size, double Bps)
{
    char human[32];
    snprintf(to, size, "%.15g B/s (%s)", Bps, units_show_rate(human, sizeof human, Bps));
}

static void show_integer(char *to, size_t size, const struct setting *setting, uint64_t value,
                         const char *unit)
{
    if (value == 0 && setting->zero_is_unset)
        snprintf(to, size, "not given");
    else
        snprintf(to, size, "%" PRIu64 "%s%s", value, *unit ? " " : "", unit);
}

static void show_value(const struct config *config, const struct setting *setting, char *to,
                       size_t size)
{
    const void *from = (const char *)config + setting->offset;
    unsigned choice;
    double real;
    switch (setting->type) {
    case SETTING_BOOL:
        snprintf(to, size, "%s", *(const bool *)from ? "true" : "false");
        return;
    case SETTING_U32:
        show_integer(to, size, setting, *(const uint32_t *)from, "");
        return;
    case SETTING_U64:
        show_integer(to, size, setting, *(const uint64_t *)from, "");
        return;
    case SETTING_NS:
        show_integer(to, size, setting, *(const uint64_t *)from, "ns");
        return;
    case SETTING_WHOLE_RATE:
        show_integer(to, size, setting, *(const uint64_t *)from, "B/ns");
        return;
    case SETTING_CHOICE:
        memcpy(&choice, from, sizeof choice);
        snprintf(to, size, "%s", setting->choices[choice]);
        return;
    case SETTING_TIME:
        units_show_time(to, size, *(const time_ps *)from);
        return;
    case SETTING_PATH:
        snprintf(to, size, "%s", *(const char *const *)from ? *(const char *const *)from : "none");
        return;
    case SETTING_RATE:
    case SETTING_FLOPS:
    case SETTING_REAL:
        real = *(const double *)from;
        if (real == 0 && setting->zero_is_unset)
            snprintf(to, size, "not given");
        else if (setting->type == SETTING_RATE)
            show_rate(to, size, real);
        else
            snprintf(to, size, "%.15g %s", setting->type == SETTING_FLOPS ? real / 1e12 : real,
                     setting->type == SETTING_FLOPS ? "TFLOPS" : setting->unit);
        return;
    }
}

void setting_note(struct config *config, const struct setting *setting, const char *source)
{
    char value[512];
    show_value(config, setting, value, sizeof value);
    config_note(config, setting->key, source, "%s", value);
}
