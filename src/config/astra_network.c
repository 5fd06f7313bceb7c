#include "config/astra_config.h"

#include <inttypes.h>
#include <string.h>

#include "config/places.h"

static const char *const known_keys[] = {"topology", "npus_count", "bandwidth", "latency", NULL};

struct reader {
    const struct doc *doc;
    struct network_config *network;
    struct diag *diag;
};

/* The list under `key`; a scalar in its place is the commonest mistake, so it gets its own hint. */
static enum status find_list(struct reader *reader, const char *key, const struct doc_node **list)
{
    const struct doc_node *node = doc_find(reader->doc->root, key);
    if (node && node->kind == DOC_LIST && node->count > 0) {
        *list = node;
        return STATUS_OK;
    }
    doc_fail(reader->doc, node, key, "a list with one entry per dimension", reader->diag);
    bool scalar = node && (node->kind == DOC_NUMBER || node->kind == DOC_TEXT);
    diag_hint(reader->diag, "write %s: [ %.60s ]", key, scalar ? node->text : "..");
    return STATUS_BAD_CONFIG;
}

static enum status check_length(struct reader *reader, const char *key, const struct doc_node *list)
{
    uint32_t dims = reader->network->dim_count;
    if (list->count == dims)
        return STATUS_OK;
    diag_fail(reader->diag, STATUS_BAD_CONFIG, "%" PRIu32 " entr%s, but topology has %" PRIu32,
              list->count, list->count == 1 ? "y" : "ies", dims);
    return fail_at_node(reader->doc, list, key, STATUS_BAD_CONFIG, reader->diag);
}

static enum status read_block(struct reader *reader, const struct doc_node *node, uint32_t d)
{
    char field[32];
    snprintf(field, sizeof field, "topology[%" PRIu32 "]", d);
    return read_block_name(reader->doc, node, field, &reader->network->dim[d].block, reader->diag);
}

static enum status read_npus(struct reader *reader, const struct doc_node *node, uint32_t d)
{
    char field[32];
    snprintf(field, sizeof field, "npus_count[%" PRIu32 "]", d);
    uint64_t npus;
    enum status status =
        doc_get_u64(reader->doc, node, field, 1, CONFIG_MAX_NPUS, &npus, reader->diag);
    if (status == STATUS_OK)
        reader->network->dim[d].npus = (uint32_t)npus;
    return status;
}

static enum status read_bandwidth(struct reader *reader, const struct doc_node *node, uint32_t d)
{
    char field[32];
    snprintf(field, sizeof field, "bandwidth[%" PRIu32 "]", d);
    if (node->kind != DOC_NUMBER || !(node->number > 0) || node->number > MOST_QUANTITY) {
        doc_fail(reader->doc, node, field, "a number of GB/s (of 2^30 bytes) above 0",
                 reader->diag);
        if (node->kind == DOC_TEXT)
            diag_hint(reader->diag,
                      "numbers with units are read in the one-file form (configs/README.md)");
        return STATUS_BAD_CONFIG;
    }
    /* In doubles and in this order, as ASTRA-sim: bw_GBps_to_Bpns. 50 gives 53.6870912 B/ns. */
    reader->network->dim[d].bandwidth_B_per_ns = node->number * (1 << 30) / 1e9;
    if (reader->network->dim[d].bandwidth_B_per_ns >= LEAST_B_PER_NS)
        return STATUS_OK;
    return doc_fail(reader->doc, node, field, "a bandwidth of 1 byte/s or more", reader->diag);
}

static enum status read_latency(struct reader *reader, const struct doc_node *node, uint32_t d)
{
    char field[32];
    snprintf(field, sizeof field, "latency[%" PRIu32 "]", d);
    if (node->kind != DOC_NUMBER || !(node->number >= 0) || node->number > MOST_QUANTITY)
        return doc_fail(reader->doc, node, field, "a number of ns, 0 or more", reader->diag);
    reader->network->dim[d].latency_ns = node->number;
    return STATUS_OK;
}

static enum status read_list(struct reader *reader, const char *key,
                             enum status (*read)(struct reader *, const struct doc_node *,
                                                 uint32_t))
{
    const struct doc_node *list;
    enum status status = find_list(reader, key, &list);
    if (status == STATUS_OK)
        status = check_length(reader, key, list);
    for (uint32_t d = 0; status == STATUS_OK && d < list->count; d++)
        status = read(reader, &list->child[d], d);
    return status;
}

static enum status read_topology(struct reader *reader)
{
    const struct doc_node *list;
    enum status status = find_list(reader, "topology", &list);
    if (status != STATUS_OK)
        return status;
    if (list->count > CONFIG_MAX_DIMS) {
        diag_fail(reader->diag, STATUS_BAD_CONFIG,
                  "%" PRIu32 " dimensions; at most %d are supported", list->count, CONFIG_MAX_DIMS);
        return fail_at_node(reader->doc, list, "topology", STATUS_BAD_CONFIG, reader->diag);
    }
    reader->network->dim_count = list->count;
    return read_list(reader, "topology", read_block);
}

static void note_dims(struct config *config, const struct doc *doc)
{
    for (uint32_t d = 0; d < config->network.dim_count; d++) {
        const struct dim_places places = {
            &doc_find(doc->root, "topology")->child[d],
            &doc_find(doc->root, "npus_count")->child[d],
            &doc_find(doc->root, "bandwidth")->child[d],
            &doc_find(doc->root, "latency")->child[d],
        };
        network_note_dim(config, d, doc, &places);
    }
}

enum status astra_network_read(struct config *config, const struct doc *doc,
                               struct notices *notices, struct diag *diag)
{
    struct reader reader = {doc, &config->network, diag};
    enum status status = doc_want(doc, doc->root, "network file", DOC_MAP, diag);
    if (status == STATUS_OK)
        status = read_topology(&reader);
    if (status == STATUS_OK)
        status = read_list(&reader, "npus_count", read_npus);
    if (status == STATUS_OK)
        status = read_list(&reader, "bandwidth", read_bandwidth);
    if (status == STATUS_OK)
        status = read_list(&reader, "latency", read_latency);
    if (status == STATUS_OK)
        status =
            network_complete(config, doc, doc_find(doc->root, "npus_count"), "npus_count", diag);
    if (status != STATUS_OK) {
        config->network.dim_count = 0;
        return status;
    }
    note_dims(config, doc);
    ignore_unknown(doc, doc->root, known_keys, "unknown key in the network file", notices);
    return STATUS_OK;
}

enum status astra_network_load(struct config *config, const char *path, struct notices *notices,
                               struct diag *diag)
{
    return load_and_read(config, "network", path, DOC_YAML, astra_network_read, notices, diag);
}
