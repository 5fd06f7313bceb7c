#include "compute/device.h"

#include <stdio.h>
#include <string.h>

#include "base/fields.h"
#include "base/file.h"
#include "compute/device_files.h"

enum { MOST_LIKE = 4, MOST_SHARE = 2 /* measured rates pass a rounded peak, never twice */ };

/* -- keys ------------------------------------------------------------------------------------- */

static const char *const kinds[] = {"gpu", "systolic", NULL};
static const char *const dataflows[] = {"weight", "output", "input", NULL};

static const char *const generations[] = {
#define X(name, text) text,
    DEVICE_GENERATION_LIST(X)
#undef X
        NULL};

static const char *const kernel_names[] = {
#define X(name, text, about) text,
    ATTENTION_KERNEL_LIST(X)
#undef X
        NULL};

#define OF(member, name, what, ...) FIELD(struct device, member, name, what, __VA_ARGS__)

static const struct field device_fields[] = {
    OF(about, "about", FIELD_TEXT, .is_required = false),
    OF(vendor, "vendor", FIELD_TEXT, .is_required = false),
    OF(also, "also", FIELD_TEXTS, .is_required = false),
    OF(year, "year", FIELD_U32, .least = 1950, .most = 2100),
    OF(kind, "kind", FIELD_WORD, .words = kinds),
    OF(generation, "generation", FIELD_WORD, .words = generations),
    OF(cores, "cores", FIELD_U32, .least = 1, .most = 1 << 20),
    OF(clock_hz, "clock", FIELD_HZ, .is_required = false),
    OF(matrix_clock_hz, "matrix-clock", FIELD_HZ, .is_required = false),
    OF(matrix_rows, "matrix-rows", FIELD_U32, .least = 1, .most = 1 << 16),
    OF(matrix_columns, "matrix-columns", FIELD_U32, .least = 1, .most = 1 << 16),
    OF(matrix_units, "matrix-units", FIELD_U32, .least = 1, .most = 1 << 16),
    OF(dataflow, "matrix-dataflow", FIELD_WORD, .words = dataflows),
    OF(vector_flops, "vector", FIELD_FLOPS, .is_required = false),
    OF(special_flops, "special", FIELD_FLOPS, .is_required = false),
    OF(memory_bytes, "memory", FIELD_BYTES, .is_required = false),
    OF(memory_Bps, "bandwidth", FIELD_RATE, .is_required = false),
    OF(cache_bytes, "cache", FIELD_BYTES, .is_required = false),
    OF(cache_Bps, "cache-bandwidth", FIELD_RATE, .is_required = false),
    OF(shared_bytes, "shared", FIELD_BYTES, .is_required = false),
    OF(launch_ns, "launch", FIELD_NS, .is_required = false),
    OF(power_watts, "power", FIELD_WATTS, .is_required = false),
    OF(scale_up_Bps, "scale-up", FIELD_RATE, .is_required = false),
    OF(scale_out_Bps, "scale-out", FIELD_RATE, .is_required = false),
    {0},
};

/* Maps from a number type to a rate, and to a share. */
static const struct field type_rates[] = {
#define X(type, text, bits) {.key = text, .kind = FIELD_FLOPS, .offset = type * sizeof(double)},
    DATA_TYPE_LIST(X)
#undef X
        {0},
};

static const struct field type_shares[] = {
#define X(type, text, bits)                                                                        \
    {.key = text, .kind = FIELD_NUMBER, .most = MOST_SHARE, .offset = type * sizeof(double)},
    DATA_TYPE_LIST(X)
#undef X
        {0},
};

static const struct field class_shares[] = {
#define X(class, text, about)                                                                      \
    {.key = text, .kind = FIELD_NUMBER, .most = MOST_SHARE, .offset = class * sizeof(double)},
    OP_CLASS_LIST(X)
#undef X
        {0},
};

static const struct field gemm_fields[] = {
    FIELD(struct device_gemm, start_ns, "start", FIELD_NS, .is_required = false),
    FIELD(struct device_gemm, tile_ns, "tile", FIELD_NS, .is_required = false),
    FIELD(struct device_gemm, ramp_ns, "ramp", FIELD_NS, .is_required = false),
    FIELD(struct device_gemm, burst_ns, "burst", FIELD_NS, .is_required = false),
    FIELD(struct device_gemm, tile_loss, "tile-loss", FIELD_NUMBER, .is_required = false),
    FIELD(struct device_gemm, wave_ratio, "wave-ratio", FIELD_NUMBER, .is_required = false),
    FIELD(struct device_gemm, cache_ratio, "cache-ratio", FIELD_NUMBER, .is_required = false),
    FIELD(struct device_gemm, bandwidth_ratio, "bandwidth-ratio", FIELD_NUMBER,
          .is_required = false),
    {0},
};

static const struct field attention_fields[] = {
    FIELD(struct device_attention, start_ns, "start", FIELD_NS, .is_required = false),
    FIELD(struct device_attention, exposed_exp_ratio, "exposed-exp", FIELD_NUMBER,
          .is_required = false),
    FIELD(struct device_attention, tile_ns, "tile", FIELD_NS, .is_required = false),
    FIELD(struct device_attention, tail_ratio, "tail", FIELD_NUMBER, .is_required = false),
    FIELD(struct device_attention, tile_q, "tile-q", FIELD_U32, .least = 1, .most = 65536),
    FIELD(struct device_attention, tile_kv, "tile-kv", FIELD_U32, .least = 1, .most = 65536),
    {0},
};

static const struct field memory_fields[] = {
    FIELD(struct device_memory_bound, start_ns, "start", FIELD_NS, .is_required = false),
    FIELD(struct device_memory_bound, scalar_loads, "scalar-loads", FIELD_NUMBER,
          .is_required = false),
    FIELD(struct device_memory_bound, cache_speedup, "cache-speedup", FIELD_NUMBER,
          .is_required = false),
    {0},
};

static const struct field measured_fields[] = {
    OF(overlap_slowdown, "overlap-slowdown", FIELD_NUMBER, .is_required = false),
    {0},
};

struct fact {
    const char *const *of;
    const char *source;
    int checked;
};

static const char *const checked_words[] = {"seen", "memory", "assumed", "fitted", NULL};

static const struct field fact_fields[] = {
    FIELD(struct fact, of, "of", FIELD_TEXTS, .is_required = true),
    FIELD(struct fact, source, "source", FIELD_TEXT, .is_required = true),
    FIELD(struct fact, checked, "checked", FIELD_WORD, .is_required = true, .words = checked_words),
    {0},
};

/* -- one file --------------------------------------------------------------------------------- */

/* A map inside a map, if it is there: all its keys are fields of `to`. */
static enum status read_map(struct field_reader reader, const struct doc_node *parent,
                            const char *path, const struct field *field, void *to)
{
    const char *dot = strrchr(path, '.');
    const struct doc_node *map = doc_find(parent, dot ? dot + 1 : path);
    reader.path = path;
    return map ? fields_read(&reader, map, field, NULL, to) : STATUS_OK;
}

static enum status read_gemm(struct field_reader reader, const struct doc_node *map,
                             struct device_gemm *gemm)
{
    static const char *const more[] = {"efficiency", "sustained", NULL};
    reader.path = "measured.gemm";
    enum status status = fields_read(&reader, map, gemm_fields, more, gemm);
    if (status == STATUS_OK)
        status = read_map(reader, map, "measured.gemm.efficiency", type_shares, gemm->efficiency);
    if (status == STATUS_OK)
        status = read_map(reader, map, "measured.gemm.sustained", type_shares, gemm->sustained);
    return status;
}

static enum status read_kernel(struct field_reader reader, const struct doc_node *map,
                               const char *name, struct device_attention *kernel)
{
    static const char *const more[] = {"forward", "backward", NULL};
    char path[64], part[96];
    snprintf(path, sizeof path, "measured.attention.%s", name);
    reader.path = path;
    enum status status = fields_read(&reader, map, attention_fields, more, kernel);
    snprintf(part, sizeof part, "%s.forward", path);
    if (status == STATUS_OK)
        status = read_map(reader, map, part, type_shares, kernel->forward);
    snprintf(part, sizeof part, "%s.backward", path);
    if (status == STATUS_OK)
        status = read_map(reader, map, part, type_shares, kernel->backward);
    return status;
}

static enum status read_attention(struct field_reader reader, const struct doc_node *map,
                                  struct device_attention kernel[ATTENTION_KERNEL_COUNT])
{
    static const struct field none[] = {{0}};
    reader.path = "measured.attention";
    enum status status = fields_read(&reader, map, none, kernel_names, NULL);
    for (uint32_t i = 0; i < ATTENTION_KERNEL_COUNT && status == STATUS_OK; i++) {
        const struct doc_node *one = doc_find(map, kernel_names[i]);
        if (one)
            status = read_kernel(reader, one, kernel_names[i], &kernel[i]);
    }
    return status;
}

static enum status read_memory_bound(struct field_reader reader, const struct doc_node *map,
                                     struct device_memory_bound *memory)
{
    static const char *const more[] = {"ratio", NULL};
    reader.path = "measured.memory-bound";
    enum status status = fields_read(&reader, map, memory_fields, more, memory);
    if (status == STATUS_OK)
        status = read_map(reader, map, "measured.memory-bound.ratio", class_shares, memory->ratio);
    return status;
}

static enum status read_measured(struct field_reader reader, struct device *device)
{
    static const char *const more[] = {"gemm", "attention", "memory-bound", NULL};
    const struct doc_node *map = doc_find(reader.doc->root, "measured");
    if (!map)
        return STATUS_OK;
    reader.path = "measured";
    enum status status = fields_read(&reader, map, measured_fields, more, device);
    const struct doc_node *gemm = doc_find(map, "gemm");
    const struct doc_node *attention = doc_find(map, "attention");
    const struct doc_node *memory = doc_find(map, "memory-bound");
    if (gemm && status == STATUS_OK)
        status = read_gemm(reader, gemm, &device->gemm);
    if (attention && status == STATUS_OK)
        status = read_attention(reader, attention, device->attention);
    if (memory && status == STATUS_OK)
        status = read_memory_bound(reader, memory, &device->memory_bound);
    if (doc_find(gemm, "efficiency")) /* not only what it sustains */
        device->measured_of = device->name;
    return status;
}

static enum status read_facts(struct field_reader reader)
{
    const struct doc_node *list = doc_find(reader.doc->root, "facts");
    if (!list)
        return STATUS_OK;
    reader.path = "facts";
    enum status status = doc_want(reader.doc, list, "facts", DOC_LIST, reader.diag);
    for (uint32_t i = 0; i < list->count && status == STATUS_OK; i++) {
        struct fact fact;
        status = fields_read(&reader, &list->child[i], fact_fields, NULL, &fact);
    }
    return status;
}

/* What this file says, over what `device` has. */
static enum status read_file(const struct doc *doc, struct device *device, struct arena *arena,
                             struct diag *diag)
{
    static const char *const more[] = {"like", "peak", "measured", "facts", NULL};
    struct field_reader reader = {doc, arena, diag, ""};
    const char *name = strrchr(doc->path, '/');
    name = name ? name + 1 : doc->path;
    device->name = arena_text(arena, name, strcspn(name, "."));
    device->about = device->name;
    device->also = NULL;
    enum status status = fields_read(&reader, doc->root, device_fields, more, device);
    if (status == STATUS_OK)
        status = read_map(reader, doc->root, "peak", type_rates, device->peak_flops);
    if (status == STATUS_OK)
        status = read_measured(reader, device);
    if (status == STATUS_OK)
        status = read_facts(reader);
    return status;
}

/* -- the chain of files ------------------------------------------------------------------------ */

/* What is assumed of a device that nothing was measured of. */
static struct device plain_device(void)
{
    return (struct device){
        .launch_ns = 4000,
        .overlap_slowdown = 0.1,
        .gemm = {.start_ns = 4000,
                 .tile_ns = 1000,
                 .ramp_ns = 1000,
                 .tile_loss = 32,
                 .wave_ratio = 1,
                 .cache_ratio = 0.8,
                 .efficiency = {[TYPE_BF16] = 0.7},
                 .sustained = {[TYPE_BF16] = 0.6},
                 .bandwidth_ratio = 0.85},
    };
}

static enum status open_device(struct doc *doc, const char *name, struct diag *diag)
{
    /* "H100-80GB SXM (DGX/HGX)" looks like a path and is none. */
    char as_preset[2 * EMBEDDED_NAME];
    struct embedded_words words;
    embedded_split(&words, name);
    bool is_file = embedded_is_path(name) && file_exists(words.name);
    const char *preset = is_file ? NULL : device_find(words.name);
    if (preset)
        name = embedded_rename(as_preset, sizeof as_preset, name, preset);
    return embedded_open(doc, device_files, "device", name, diag);
}

/* A device file and those that it is like. */
struct chain {
    struct doc doc[MOST_LIKE];
    uint32_t count;
};

/* Name of what the last of the chain is like, or NULL. */
static enum status like_of(const struct chain *chain, const char **name, struct diag *diag)
{
    const struct doc *file = &chain->doc[chain->count - 1];
    const struct doc_node *like = doc_find(file->root, "like");
    *name = NULL;
    if (!like)
        return STATUS_OK;
    enum status status = doc_get_text(file, like, "like", name, diag);
    if (status == STATUS_OK && embedded_is_path(*name))
        status = doc_fail(file, like, "like", "the name of a preset", diag);
    if (status == STATUS_OK && chain->count == MOST_LIKE)
        status = doc_fail(file, like, "like", "at most 4 files that name each other", diag);
    return status;
}

/* Opens what the files of the chain are like, nearest first. */
static enum status open_chain(struct chain *chain, struct diag *diag)
{
    const char *name;
    enum status status = like_of(chain, &name, diag);
    while (status == STATUS_OK && name) {
        status = open_device(&chain->doc[chain->count], name, diag);
        if (status != STATUS_OK)
            return status;
        chain->count++;
        status = like_of(chain, &name, diag);
    }
    return status;
}

/* Every model needs these. */
static enum status check_device(const struct device *device, const struct doc *doc,
                                struct diag *diag)
{
    double peak = 0;
    for (uint32_t type = 0; type < DATA_TYPE_COUNT; type++)
        peak += device->peak_flops[type];
    const char *lacks = device->cores == 0          ? "cores"
                        : device->clock_hz == 0     ? "clock"
                        : peak == 0                 ? "peak"
                        : device->memory_Bps == 0   ? "bandwidth"
                        : device->memory_bytes == 0 ? "memory"
                                                    : NULL;
    if (!lacks)
        return STATUS_OK;
    doc_fail(doc, NULL, lacks, "a value", diag);
    diag_hint(diag, "or begin with \"like: NAME\" of a device that has it (orrery list devices)");
    return STATUS_BAD_CONFIG;
}

/* Rates are divided by these. */
static enum status check_shares(const struct device *device, const struct doc *doc,
                                struct diag *diag)
{
    const struct device_gemm *gemm = &device->gemm;
    const struct {
        const char *field;
        double value;
    } shares[] = {{"measured.gemm.efficiency.bf16", gemm->efficiency[TYPE_BF16]},
                  {"measured.gemm.sustained.bf16", gemm->sustained[TYPE_BF16]},
                  {"measured.gemm.bandwidth-ratio", gemm->bandwidth_ratio}};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        if (!(shares[i].value >= 0.01 && shares[i].value <= MOST_SHARE)) {
            diag_fail(diag, STATUS_BAD_CONFIG, "expected a share from 0.01 to %d, found %g",
                      MOST_SHARE, shares[i].value);
            diag_in(diag, doc->path);
            diag_field(diag, "%s", shares[i].field);
            return STATUS_BAD_CONFIG;
        }
    }
    return STATUS_OK;
}

static void notice_measured(const struct device *device, struct notices *notices)
{
    if (!notices || (device->measured_of && strcmp(device->measured_of, device->name) == 0))
        return;
    if (device->measured_of)
        notices_add(notices, NOTICE_DEFAULTED, "kernels of a device", 1,
                    "%s: efficiencies are those of %s", device->name, device->measured_of);
    else
        notices_add(notices, NOTICE_GUESSED, "kernels of a device", 1,
                    "%s: efficiencies are assumed, nothing was measured", device->name);
}

/* The first file of the chain is open. */
static enum status read_chain(struct device *device, struct chain *chain, struct arena *arena,
                              struct notices *notices, struct diag *diag)
{
    *device = plain_device();
    chain->count = 1;
    enum status status = open_chain(chain, diag);
    for (uint32_t i = chain->count; i-- > 0 && status == STATUS_OK;)
        status = read_file(&chain->doc[i], device, arena, diag);
    if (status == STATUS_OK)
        status = check_device(device, &chain->doc[0], diag);
    if (status == STATUS_OK)
        status = check_shares(device, &chain->doc[0], diag);
    if (status == STATUS_OK)
        notice_measured(device, notices);
    for (uint32_t i = 0; i < chain->count; i++)
        doc_release(&chain->doc[i]);
    return status;
}

enum status device_load(struct device *device, const char *name, struct arena *arena,
                        struct notices *notices, struct diag *diag)
{
    struct chain chain;
    enum status status = open_device(&chain.doc[0], name, diag);
    return status == STATUS_OK ? read_chain(device, &chain, arena, notices, diag) : status;
}

enum status device_parse(struct device *device, const char *name, const char *text, size_t length,
                         struct arena *arena, struct notices *notices, struct diag *diag)
{
    struct chain chain;
    enum status status = doc_parse(&chain.doc[0], name, text, length, DOC_YAML, diag);
    return status == STATUS_OK ? read_chain(device, &chain, arena, notices, diag) : status;
}
