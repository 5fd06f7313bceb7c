#include "config/astra_config.h"

#include <math.h>
#include <string.h>

#include "base/suggest.h"
#include "config/names.h"
#include "config/places.h"
#include "config/settings.h"

static const char *const known_keys[] = {"memory-type", "remote-mem-latency", "remote-mem-bw",
                                         "num-nodes",   "num-npus-per-node",  NULL};
/* In the order of enum memory_type. */
static const char *const type_names[] = {"NO_MEMORY_EXPANSION", "PER_NPU_MEMORY_EXPANSION",
                                         "PER_NODE_MEMORY_EXPANSION", "MEMORY_POOL", NULL};

struct reader {
    struct config *config;
    const struct doc *doc;
    struct notices *notices;
    struct diag *diag;
};

static void note(struct reader *reader, const char *setting, const struct doc_node *node)
{
    char place[300];
    setting_note(reader->config, setting_find(setting),
                 place_of(place, sizeof place, reader->doc, node));
}

static enum status read_type(struct reader *reader)
{
    const struct doc_node *node = doc_find(reader->doc->root, "memory-type");
    bool is_text = node && node->kind == DOC_TEXT;
    unsigned type;
    if (is_text && names_value(type_names, node->text, &type)) {
        reader->config->memory.type = (enum memory_type)type;
        note(reader, "memory.type", node);
        return STATUS_OK;
    }
    char names[160];
    doc_fail(reader->doc, node, "memory-type", names_text(names, sizeof names, type_names),
             reader->diag);
    const char *nearest = is_text ? suggest_nearest(node->text, type_names) : NULL;
    if (nearest)
        diag_hint(reader->diag, "did you mean \"%s\"?", nearest);
    return STATUS_BAD_CONFIG;
}

/* ASTRA-sim reads these as integers: 12.9 is 12. */
static enum status read_whole(struct reader *reader, const char *key, double least, double most,
                              double *whole)
{
    const struct doc_node *node = doc_find(reader->doc->root, key);
    if (!node || node->kind != DOC_NUMBER || !(trunc(node->number) >= least) || node->is_negative ||
        node->number > most) {
        char expected[64];
        snprintf(expected, sizeof expected, "a number from %.0f to %.0f", least, most);
        return doc_fail(reader->doc, node, key, expected, reader->diag);
    }
    *whole = trunc(node->number);
    if (*whole != node->number)
        notices_add(reader->notices, NOTICE_CLAMPED, "fraction cut off", 1,
                    "%s: %s: %s was taken as %.0f, as ASTRA-sim does", reader->doc->path, key,
                    node->text, *whole);
    return STATUS_OK;
}

static enum status read_u64(struct reader *reader, const char *key, const char *setting,
                            uint64_t *to)
{
    const struct doc_node *node = doc_find(reader->doc->root, key);
    if (!node)
        return STATUS_OK;
    double whole;
    enum status status = read_whole(reader, key, 0, 0x1p53, &whole);
    if (status != STATUS_OK)
        return status;
    *to = (uint64_t)whole;
    note(reader, setting, node);
    return STATUS_OK;
}

static enum status read_count(struct reader *reader, const char *key, const char *setting,
                              uint32_t *to)
{
    double whole;
    enum status status = read_whole(reader, key, 1, CONFIG_MAX_NPUS, &whole);
    if (status != STATUS_OK)
        return status;
    *to = (uint32_t)whole;
    note(reader, setting, doc_find(reader->doc->root, key));
    return STATUS_OK;
}

static enum status read_all(struct reader *reader)
{
    struct memory_config *memory = &reader->config->memory;
    enum status status =
        doc_want(reader->doc, reader->doc->root, "memory file", DOC_MAP, reader->diag);
    if (status == STATUS_OK)
        status = read_type(reader);
    if (status == STATUS_OK)
        status = read_u64(reader, "remote-mem-latency", "memory.latency", &memory->latency_ns);
    if (status == STATUS_OK)
        status = read_u64(reader, "remote-mem-bw", "memory.bandwidth", &memory->bandwidth_B_per_ns);
    if (status == STATUS_OK && memory->type == MEMORY_PER_NODE)
        status = read_count(reader, "num-nodes", "memory.nodes", &memory->node_count);
    if (status == STATUS_OK && memory->type == MEMORY_PER_NODE)
        status =
            read_count(reader, "num-npus-per-node", "memory.npus-per-node", &memory->npus_per_node);
    return status;
}

enum status astra_memory_read(struct config *config, const struct doc *doc, struct notices *notices,
                              struct diag *diag)
{
    struct reader reader = {config, doc, notices, diag};
    enum status status = read_all(&reader);
    if (status == STATUS_OK)
        ignore_unknown(doc, doc->root, known_keys, "unknown key in the memory file", notices);
    return status;
}

enum status astra_memory_load(struct config *config, const char *path, struct notices *notices,
                              struct diag *diag)
{
    return load_and_read(config, "memory", path, DOC_JSON, astra_memory_read, notices, diag);
}
