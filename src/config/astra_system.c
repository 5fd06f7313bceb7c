#include "config/astra_config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "config/astra_reader.h"
#include "config/names.h"
#include "config/places.h"
#include "config/settings.h"

/* -- readers of one key ---------------------------------------------------------------------- */

static void note(struct astra_reader *reader, const char *setting)
{
    char place[300];
    setting_note(reader->config, setting_find(setting),
                 place_of(place, sizeof place, reader->doc, reader->node));
}

static enum status read_setting_text(struct astra_reader *reader, const char *setting)
{
    if (reader->node->kind != DOC_TEXT) {
        char names[160];
        return astra_expected(reader,
                              names_text(names, sizeof names, setting_find(setting)->choices));
    }
    char place[300];
    place_of(place, sizeof place, reader->doc, reader->node);
    enum status status = setting_set_text(reader->config, setting_find(setting), reader->node->text,
                                          place, reader->notices, reader->diag);
    if (status != STATUS_OK) {
        reader->diag->field[0] = '\0'; /* the user knows the key, not our name for it */
        fail_at_node(reader->doc, reader->node, reader->node->key, status, reader->diag);
    }
    return status;
}

/* A number >= 0 that ASTRA-sim stores in an int or a tick: a fraction is cut off. */
static enum status read_cut(struct astra_reader *reader, double most, double *value)
{
    const struct doc_node *node = reader->node;
    if (node->kind != DOC_NUMBER || !(node->number >= 0) || node->number > most) {
        char expected[64];
        snprintf(expected, sizeof expected, "a number from 0 to %.0f", most);
        return astra_expected(reader, expected);
    }
    *value = trunc(node->number);
    if (*value != node->number)
        notices_add(reader->notices, NOTICE_CLAMPED, "fraction cut off", 1,
                    "%s: %s: %s was taken as %.0f, as ASTRA-sim does", reader->doc->path, node->key,
                    node->text, *value);
    return STATUS_OK;
}

static enum status read_cut_u64(struct astra_reader *reader, uint64_t *to, const char *setting)
{
    double value;
    enum status status = read_cut(reader, INT32_MAX, &value);
    if (status != STATUS_OK)
        return status;
    *to = (uint64_t)value;
    note(reader, setting);
    return STATUS_OK;
}

static enum status read_count(struct astra_reader *reader, uint32_t *to, const char *setting)
{
    double value;
    enum status status = read_cut(reader, INT32_MAX, &value);
    if (status != STATUS_OK)
        return status;
    if (value < 1)
        return astra_expected(reader, "an integer of 1 or more");
    *to = (uint32_t)value;
    note(reader, setting);
    return STATUS_OK;
}

static enum status read_scaled(struct astra_reader *reader, double scale, double *to,
                               const char *setting)
{
    const struct doc_node *node = reader->node;
    if (node->kind != DOC_NUMBER || !(node->number >= 0) || !isfinite(node->number * scale))
        return astra_expected(reader, "a number of 0 or more");
    *to = node->number * scale;
    note(reader, setting);
    return STATUS_OK;
}

/*
 * ASTRA-sim compares the value with 0: all else switches on, JSON's false too (nlohmann compares
 * the types first). We do as it does, and say so.
 */
static enum status read_switch(struct astra_reader *reader, bool *on)
{
    const struct doc_node *node = reader->node;
    if (node->kind != DOC_NUMBER && node->kind != DOC_BOOL)
        return astra_expected(reader, "0 or 1");
    *on = node->kind == DOC_BOOL || node->number != 0;
    if (node->kind == DOC_BOOL && !node->boolean)
        notices_add(reader->notices, NOTICE_ODDITY, "false switches on", 1,
                    "%s: %s: ASTRA-sim takes false as true, so it is on here too; write 0 for off",
                    reader->doc->path, node->key);
    return STATUS_OK;
}

/* -- the keys ------------------------------------------------------------------------------ */

static enum status on_policy(struct astra_reader *reader)
{
    return read_setting_text(reader, "system.scheduling-policy");
}

static enum status on_optimization(struct astra_reader *reader)
{
    return read_setting_text(reader, "system.collective-optimization");
}

static enum status on_endpoint_delay(struct astra_reader *reader)
{
    double delay;
    enum status status = read_cut(reader, INT32_MAX, &delay);
    if (status != STATUS_OK)
        return status;
    delay = trunc(delay * reader->injection_scale);
    if (!(delay >= 0 && delay <= INT32_MAX))
        return astra_expected(reader, "a delay that stays below 2^31 ns when scaled");
    reader->config->system.endpoint_delay_ns = (uint64_t)delay;
    note(reader, "system.endpoint-delay");
    return STATUS_OK;
}

static enum status on_active_chunks(struct astra_reader *reader)
{
    return read_count(reader, &reader->config->system.active_chunks_per_dim,
                      "system.active-chunks-per-dim");
}

static enum status on_splits(struct astra_reader *reader)
{
    return read_count(reader, &reader->config->system.dataset_splits, "system.dataset-splits");
}

static enum status on_reduction_delay(struct astra_reader *reader)
{
    return read_cut_u64(reader, &reader->config->system.local_reduction_delay_ns,
                        "system.local-reduction-delay");
}

/*
 * ASTRA-sim keeps the bus's numbers in single precision (G = 0.03 becomes 0.0299999993, which moves
 * whole ns), and cuts L, o and g to whole ns after that.
 */
static enum status read_bus_ns(struct astra_reader *reader, uint64_t *to, const char *setting)
{
    const struct doc_node *node = reader->node;
    if (node->kind != DOC_NUMBER || !(node->number >= 0) || node->number > INT32_MAX)
        return astra_expected(reader, "a number from 0 to 2147483647");
    *to = (uint64_t)(float)node->number;
    if ((double)*to != node->number)
        notices_add(reader->notices, NOTICE_CLAMPED, "number cut to single precision and whole ns",
                    1, "%s: %s: %s was taken as %" PRIu64 ", as ASTRA-sim does", reader->doc->path,
                    node->key, node->text, *to);
    note(reader, setting);
    return STATUS_OK;
}

static enum status on_bus_L(struct astra_reader *reader)
{
    return read_bus_ns(reader, &reader->config->system.bus_L_ns, "system.bus-L");
}

static enum status on_bus_o(struct astra_reader *reader)
{
    return read_bus_ns(reader, &reader->config->system.bus_o_ns, "system.bus-o");
}

static enum status on_bus_g(struct astra_reader *reader)
{
    return read_bus_ns(reader, &reader->config->system.bus_g_ns, "system.bus-g");
}

static enum status on_bus_G(struct astra_reader *reader)
{
    const struct doc_node *node = reader->node;
    if (node->kind != DOC_NUMBER || !(node->number >= 0) || node->number > CONFIG_MAX_BUS_G)
        return astra_expected(reader, "a number of ns per byte from 0 to 1000000");
    reader->config->system.bus_G_ns_per_byte = (float)node->number;
    note(reader, "system.bus-G");
    return STATUS_OK;
}

static enum status on_shared_bus(struct astra_reader *reader)
{
    const struct doc_node *node = reader->node;
    if (node->kind != DOC_NUMBER && node->kind != DOC_BOOL)
        return astra_expected(reader, "0 or 1");
    reader->config->system.shared_bus =
        node->kind == DOC_BOOL ? node->boolean : trunc(node->number) == 1;
    note(reader, "system.shared-bus");
    return STATUS_OK;
}

static enum status on_peak_perf(struct astra_reader *reader)
{
    return read_scaled(reader, 1e12, &reader->config->system.peak_flop_per_s,
                       "system.peak-compute");
}

static enum status on_memory_bandwidth(struct astra_reader *reader)
{
    return read_scaled(reader, 1e9, &reader->config->system.local_memory_Bps,
                       "system.local-memory-bandwidth");
}

static enum status on_roofline(struct astra_reader *reader)
{
    bool on;
    enum status status = read_switch(reader, &on);
    if (status != STATUS_OK)
        return status;
    reader->config->system.compute = on ? COMPUTE_ROOFLINE : COMPUTE_REPLAY;
    note(reader, "system.compute-model");
    return STATUS_OK;
}

static enum status on_replay_only(struct astra_reader *reader)
{
    enum status status = read_switch(reader, &reader->config->system.replay_only);
    if (status == STATUS_OK)
        note(reader, "system.replay-only");
    return status;
}

/* Known to ASTRA-sim, and without effect on any time. */
static enum status on_tracing(struct astra_reader *reader)
{
    bool on;
    enum status status = read_switch(reader, &on);
    if (status == STATUS_OK && on)
        notices_add(reader->notices, NOTICE_IGNORED, "tracing option of ASTRA-sim", 1, "%s: %s",
                    reader->doc->path, reader->node->key);
    return status;
}

static enum status on_trace_name(struct astra_reader *reader)
{
    const char *name;
    return doc_get_text(reader->doc, reader->node, reader->node->key, &name, reader->diag);
}

/* -- the table ----------------------------------------------------------------------------- */

static const struct {
    const char *key;
    enum status (*read)(struct astra_reader *reader);
} keys[] = {
    {"scheduling-policy", on_policy},
    {"collective-optimization", on_optimization},
    {"endpoint-delay", on_endpoint_delay},
    {"active-chunks-per-dimension", on_active_chunks},
    {"preferred-dataset-splits", on_splits},
    {"local-reduction-delay", on_reduction_delay},
    {"L", on_bus_L},
    {"o", on_bus_o},
    {"g", on_bus_g},
    {"G", on_bus_G},
    {"model-shared-bus", on_shared_bus},
    {"peak-perf", on_peak_perf},
    {"local-mem-bw", on_memory_bandwidth},
    {"roofline-enabled", on_roofline},
    {"replay-only", on_replay_only},
    {"trace-enabled", on_tracing},
    {"track-local-mem", on_tracing},
    {"local-mem-trace-filename", on_trace_name},
    {"all-reduce-implementation", astra_read_algorithms},
    {"all-gather-implementation", astra_read_algorithms},
    {"reduce-scatter-implementation", astra_read_algorithms},
    {"all-to-all-implementation", astra_read_algorithms},
    {"all-reduce-implementation-custom", astra_read_custom},
    {"all-gather-implementation-custom", astra_read_custom},
    {"reduce-scatter-implementation-custom", astra_read_custom},
    {"all-to-all-implementation-custom", astra_read_custom},
    {"per-node-custom-implementation", astra_read_per_node},
};

enum { KEY_COUNT = sizeof keys / sizeof *keys };

static void notice_absent(struct astra_reader *reader)
{
    const struct doc_node *root = reader->doc->root;
    if (!doc_find(root, "collective-optimization"))
        notices_add(reader->notices, NOTICE_DEFAULTED, "collective-optimization", 1,
                    "%s: absent, which ASTRA-sim leaves undefined; localBWAware was used",
                    reader->doc->path);
    if (!doc_find(root, "endpoint-delay") && reader->injection_scale != 1)
        notices_add(reader->notices, NOTICE_IGNORED, "injection scale", 1,
                    "%s: endpoint-delay is absent; as in ASTRA-sim, its default is not scaled",
                    reader->doc->path);
}

static enum status read_all(struct astra_reader *reader)
{
    const char *known[KEY_COUNT + 1];
    for (int i = 0; i < KEY_COUNT; i++) {
        known[i] = keys[i].key;
        reader->node = doc_find(reader->doc->root, keys[i].key);
        enum status status = reader->node ? keys[i].read(reader) : STATUS_OK;
        if (status != STATUS_OK)
            return status;
    }
    known[KEY_COUNT] = NULL;
    notice_absent(reader);
    ignore_unknown(reader->doc, reader->doc->root, known, "unknown key in the system file",
                   reader->notices);
    return STATUS_OK;
}

enum status astra_system_read(struct config *config, const struct doc *doc, double injection_scale,
                              struct notices *notices, struct diag *diag)
{
    struct astra_reader reader = {config, doc, NULL, injection_scale, notices, diag};
    enum status status = doc_want(doc, doc->root, "system file", DOC_MAP, diag);
    return status == STATUS_OK ? read_all(&reader) : status;
}

enum status astra_system_load(struct config *config, const char *path, double injection_scale,
                              struct notices *notices, struct diag *diag)
{
    struct doc doc;
    enum status status = load_input(config, &doc, "system", path, DOC_JSON, diag);
    if (status == STATUS_OK)
        status = astra_system_read(config, &doc, injection_scale, notices, diag);
    doc_release(&doc);
    return status;
}
