/* Presets of libraries and systems: which keys they have, and how documents are read. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "net/collective/tuner_fields.h"

enum { MOST_GENERATIONS = 16 };

/* -- the keys -------------------------------------------------------------------------------- */

#define LIB(key, kind, member, count)                                                              \
    {                                                                                              \
        key, kind, offsetof(struct tuner_library, member), count, 0                                \
    }
#define GEN(key, kind, member, count, optional)                                                    \
    {                                                                                              \
        key, kind, offsetof(struct tuner_generation, member), count, optional                      \
    }
#define SYS(key, kind, member, optional)                                                           \
    {                                                                                              \
        key, kind, offsetof(struct tuner_system, member), 1, optional                              \
    }

static const struct tuner_field library_fields[] = {
    LIB("source", FIELD_TEXT, source, 1),
    LIB("base-ring", FIELD_US, base_us[0], 3),
    LIB("base-tree", FIELD_US, base_us[1], 3),
    LIB("nvlink-ring", FIELD_US, nvlink_us[0], 3),
    LIB("nvlink-tree", FIELD_US, nvlink_us[1], 3),
    LIB("pcie-ring", FIELD_US, pcie_us[0], 3),
    LIB("pcie-tree", FIELD_US, pcie_us[1], 3),
    LIB("net-ring", FIELD_US, net_us[0], 3),
    LIB("net-tree", FIELD_US, net_us[1], 3),
    LIB("nvls-hop", FIELD_US, nvls_hop_us, 1),
    LIB("nvls-tree-net", FIELD_US, nvls_tree_net_us, 1),
    LIB("net-post-intel", FIELD_US, net_post_us[0], 1),
    LIB("net-post-amd", FIELD_US, net_post_us[1], 1),
    LIB("ring-plateau", FIELD_NUMBER, ring_plateau, 1),
    LIB("ring-factor", FIELD_NUMBER, ring_factor, 3),
    LIB("tree-factor", FIELD_NUMBER, tree_factor, 1),
    LIB("tree-part", FIELD_NUMBER, tree_part, 3),
    LIB("tree-part-net", FIELD_NUMBER, tree_part_net, 3),
    LIB("ll-net-intel", FIELD_RATE, ll_net_rate_Bps[0], 2),
    LIB("ll-net-amd", FIELD_RATE, ll_net_rate_Bps[1], 2),
    LIB("tree-correction-ll", FIELD_NUMBER, tree_correction[0], TUNER_CORRECTIONS),
    LIB("tree-correction-ll128", FIELD_NUMBER, tree_correction[1], TUNER_CORRECTIONS),
    LIB("tree-correction-simple", FIELD_NUMBER, tree_correction[2], TUNER_CORRECTIONS),
    LIB("channel-bytes", FIELD_NUMBER, channel_bytes, 3),
    LIB("nic-share", FIELD_NUMBER, nic_share, 1),
    LIB("nvls-listed-heads", FIELD_NUMBER, nvls_listed_heads, 1),
    LIB("nvls-tree-heads", FIELD_NUMBER, nvls_tree_heads, 1),
    LIB("p2p-channels", FIELD_NUMBER, p2p_channels, 1),
    LIB("p2p-links", FIELD_NUMBER, p2p_links, 1),
    LIB("ll-channel-bytes", FIELD_NUMBER, ll_channel_bytes, 1),
    LIB("nvls-chunk", FIELD_NUMBER, nvls_chunk_bytes, 1),
    LIB("p2p-peers", FIELD_NUMBER, p2p_peers, 1),
    LIB("p2p-peer", FIELD_US, p2p_peer_us, 1),
    LIB("p2p-fill", FIELD_SHARE, p2p_fill, 1),
    LIB("p2p-fill-bytes", FIELD_NUMBER, p2p_fill_bytes, 1),
    LIB("p2p-ll-bytes", FIELD_NUMBER, p2p_ll_bytes, 1),
    LIB("local-step", FIELD_SHARE, local_step, 1),
    LIB("simple-start", FIELD_US, simple_start_us, 1),
    LIB("ll-channel-rate", FIELD_RATE, ll_channel_rate_Bps, 1),
    LIB("p2p-simple", FIELD_US, p2p_simple_us, 1),
    LIB("p2p-copy", FIELD_RATE, p2p_copy_rate_Bps, 1),
    {0},
};

static const struct tuner_field generation_fields[] = {
    GEN("ll-rate", FIELD_RATE, ll_rate_Bps, 1, false),
    GEN("ring-ll128-rate", FIELD_RATE, ring_ll128_rate_Bps, 1, false),
    GEN("tree-ll128-rate", FIELD_RATE, tree_ll128_rate_Bps, 3, false),
    GEN("tree-rate", FIELD_RATE, tree_rate_Bps, 3, false),
    GEN("nvls-tree-rate", FIELD_RATE, nvls_tree_rate_Bps, 2, false),
    GEN("nvls-efficiency", FIELD_NUMBER, nvls_efficiency, 1, true),
    GEN("nvls-measured", FIELD_NUMBER, nvls_measured, 1, true),
    GEN("nvls-channels", FIELD_NUMBER, nvls_channels, 1, true),
    GEN("nvls-heads", FIELD_RATE, nvls_heads_Bps, TUNER_HEADS, true),
    GEN("nvls-hop", FIELD_US, nvls_hop_us, 1, true),
    GEN("latency-scale", FIELD_NUMBER, latency_scale, 1, true),
    GEN("ll-base", FIELD_US, ll_base_us, 1, true),
    GEN("ll-hop", FIELD_US, ll_hop_us, 1, true),
    GEN("ring-measured", FIELD_NUMBER, ring_measured, 1, true),
    {0},
};

static const struct tuner_field system_fields[] = {
    SYS("summary", FIELD_TEXT, summary, false),
    SYS("source", FIELD_TEXT, source, false),
    SYS("gpus-per-node", FIELD_COUNT, gpus_per_node, false),
    SYS("domain", FIELD_COUNT, domain, false),
    SYS("nvls", FIELD_FLAG, has_nvls, true),
    SYS("simple-only", FIELD_FLAG, simple_only, true),
    SYS("links", FIELD_NUMBER, links, false),
    SYS("link-rate", FIELD_RATE, link_rate_Bps, false),
    SYS("ring-rate", FIELD_RATE, ring_rate_Bps, false),
    SYS("channels", FIELD_NUMBER, channels, false),
    SYS("pcie-rate", FIELD_RATE, pcie_rate_Bps, true),
    SYS("pcie-channels", FIELD_NUMBER, pcie_channels, true),
    SYS("nics-per-node", FIELD_NUMBER, nics_per_node, false),
    SYS("nic-rate", FIELD_RATE, nic_rate_Bps, false),
    SYS("net-latency", FIELD_US, net_latency_us, true),
    {0},
};

/* -- libraries -------------------------------------------------------------------------------- */

static enum status read_generations(struct tuner_reader *reader, const struct doc_node *map,
                                    struct tuner_library *library)
{
    static const char *const none[] = {NULL};
    enum status status = doc_want(reader->doc, map, "generations", DOC_MAP, reader->diag);
    if (status == STATUS_OK && map->count > MOST_GENERATIONS)
        status = tuner_field_fail(reader, map, "generations", "at most 16");
    if (status != STATUS_OK)
        return status;
    library->generation =
        arena_array(&reader->tuner->arena, map->count, sizeof *library->generation);
    for (uint32_t i = 0; status == STATUS_OK && i < map->count; i++) {
        struct tuner_generation *generation = &library->generation[i];
        const char *name = map->child[i].key;
        generation->name = arena_text(&reader->tuner->arena, name, strlen(name));
        generation->latency_scale = generation->ring_measured = 1;
        snprintf(reader->path, sizeof reader->path, "generations.%.60s", name);
        status = tuner_check_keys(reader, &map->child[i], generation_fields, none);
        if (status == STATUS_OK)
            status =
                tuner_read_fields(reader, &map->child[i], generation_fields, false, generation);
        if (!(generation->nvls_measured > 0))
            generation->nvls_measured = generation->nvls_efficiency;
    }
    library->generation_count = map->count;
    return status;
}

enum status tuner_library_read(struct tuner *tuner, const struct doc *doc, struct diag *diag)
{
    static const char *const more[] = {"library", "generations", NULL};
    struct tuner_reader reader = {tuner, doc, diag, ""};
    if (tuner->library_count == TUNER_MOST_LIBRARIES)
        return tuner_field_fail(&reader, doc->root, "library", "at most 16 libraries");
    struct tuner_library *library = &tuner->library[tuner->library_count];
    *library = (struct tuner_library){0};
    enum status status = tuner_check_keys(&reader, doc->root, library_fields, more);
    if (status == STATUS_OK)
        status = tuner_read_scalar(&reader, doc_find(doc->root, "library"), "library", FIELD_TEXT,
                                   &library->name);
    if (status == STATUS_OK)
        status = tuner_read_fields(&reader, doc->root, library_fields, false, library);
    if (status == STATUS_OK)
        status = read_generations(&reader, doc_find(doc->root, "generations"), library);
    tuner->library_count += status == STATUS_OK;
    return status;
}

/* -- systems ---------------------------------------------------------------------------------- */

const struct tuner_system *tuner_system_called(const struct tuner *tuner, const char *name)
{
    for (uint32_t i = 0; i < tuner->system_count; i++) {
        if (strcmp(tuner->system[i].name, name) == 0)
            return &tuner->system[i];
    }
    return NULL;
}

static enum status read_library_name(const struct tuner_reader *reader, const struct doc_node *map,
                                     struct tuner_system *system)
{
    const struct doc_node *library = doc_find(map, "library");
    const struct doc_node *generation = doc_find(map, "generation");
    for (uint32_t i = 0; library && i < reader->tuner->library_count; i++) {
        if (library->text && strcmp(reader->tuner->library[i].name, library->text) == 0)
            system->library = &reader->tuner->library[i];
    }
    if (!system->library)
        return tuner_field_fail(reader, library, "library",
                                "the name of a library in configs/libraries");
    const struct tuner_library *of = system->library;
    for (uint32_t i = 0; generation && i < of->generation_count; i++) {
        if (generation->text && strcmp(of->generation[i].name, generation->text) == 0)
            system->generation = &of->generation[i];
    }
    if (!system->generation)
        return tuner_field_fail(reader, generation, "generation", "a generation of that library");
    return STATUS_OK;
}

static enum status read_words(const struct tuner_reader *reader, const struct doc_node *map,
                              bool may_inherit, struct tuner_system *system)
{
    static const char *const scale_up[] = {"switch", "mesh", "pairs", "torus", NULL};
    static const char *const cpu[] = {"intel", "amd", "arm", NULL};
    uint32_t number;
    enum status status = STATUS_OK;
    if (doc_find(map, "scale-up") || !may_inherit) {
        status = tuner_read_word(reader, map, "scale-up", scale_up, &number);
        if (status == STATUS_OK)
            system->scale_up = (enum tuner_scale_up)number;
    }
    if (status == STATUS_OK && (doc_find(map, "cpu") || !may_inherit)) {
        status = tuner_read_word(reader, map, "cpu", cpu, &number);
        if (status == STATUS_OK)
            system->cpu = (enum tuner_cpu)number;
    }
    return status;
}

static enum status read_system(struct tuner_reader *reader, const struct doc_node *map)
{
    static const char *const more[] = {"library", "generation", "scale-up", "cpu", "like", NULL};
    struct tuner *tuner = reader->tuner;
    snprintf(reader->path, sizeof reader->path, "systems.%.60s", map->key);
    if (tuner->system_count == TUNER_MOST_SYSTEMS)
        return tuner_field_fail(reader, map, "", "at most 128 systems");
    enum status status = tuner_check_keys(reader, map, system_fields, more);
    if (status != STATUS_OK)
        return status;
    struct tuner_system *system = &tuner->system[tuner->system_count];
    const struct doc_node *like = doc_find(map, "like");
    const struct tuner_system *model =
        like && like->text ? tuner_system_called(tuner, like->text) : NULL;
    if (like && !model)
        return tuner_field_fail(reader, like, "like", "the name of an earlier system");
    if (tuner_system_called(tuner, map->key))
        return tuner_field_fail(reader, map, "", "a name that is new");
    *system = model ? *model : (struct tuner_system){0};
    system->name = arena_text(&tuner->arena, map->key, strlen(map->key));
    if (!model || doc_find(map, "library"))
        status = read_library_name(reader, map, system);
    if (status == STATUS_OK)
        status = read_words(reader, map, model != NULL, system);
    if (status == STATUS_OK)
        status = tuner_read_fields(reader, map, system_fields, model != NULL, system);
    bool is_pairs = status == STATUS_OK && system->scale_up == SCALE_UP_PAIRS;
    if (is_pairs && !(system->pcie_rate_Bps > 0))
        return tuner_field_fail(reader, NULL, "pcie-rate", "the rate between the pairs");
    if (is_pairs && !(system->pcie_channels > 0))
        return tuner_field_fail(reader, NULL, "pcie-channels", "a number above 0");
    tuner->system_count += status == STATUS_OK;
    return status;
}

enum status tuner_systems_read(struct tuner *tuner, const struct doc *doc, struct diag *diag)
{
    static const char *const more[] = {"systems", NULL};
    static const struct tuner_field none[] = {{0}};
    struct tuner_reader reader = {tuner, doc, diag, ""};
    enum status status = tuner_check_keys(&reader, doc->root, none, more);
    const struct doc_node *map = status == STATUS_OK ? doc_find(doc->root, "systems") : NULL;
    if (status == STATUS_OK)
        status = doc_want(doc, map, "systems", DOC_MAP, diag);
    for (uint32_t i = 0; status == STATUS_OK && i < map->count; i++)
        status = read_system(&reader, &map->child[i]);
    return status;
}
