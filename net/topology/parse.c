/* fabric_parse() and fabric_of_dims(): from text or configuration to a fabric. */
#include "net/topology/fabric.h"

#include <string.h>

#include "net/topology/blocks.h"
#include "net/topology/presets.h"
#include "net/topology/product.h"
#include "net/topology/spec.h"
#include "net/topology/topology_file.h"

/* Tori and the like become their factors. */
static enum status expand(const struct spec *spec, struct spec *into, struct diag *diag)
{
    into->count = 0;
    for (uint32_t i = 0; i < spec->count; i++) {
        const struct spec_factor *factor = &spec->factor[i];
        struct spec part; /* its factors and their count only */
        part.count = 0;
        if (factor->kind->expand)
            factor->kind->expand(factor, &part);
        else
            part.factor[part.count++] = *factor;
        if (into->count + part.count > CONFIG_MAX_DIMS)
            return diag_fail(diag, STATUS_BAD_CONFIG, "more than %d dimensions", CONFIG_MAX_DIMS);
        for (uint32_t k = 0; k < part.count; k++)
            into->factor[into->count++] = part.factor[k];
    }
    return STATUS_OK;
}

static enum status build(const struct spec *spec, const char *text, struct fabric **fabric,
                         struct diag *diag)
{
    struct fabric *factor[CONFIG_MAX_DIMS] = {NULL};
    uint32_t count = 0;
    for (; count < spec->count; count++) {
        enum status status =
            spec->factor[count].kind->build(&spec->factor[count], &factor[count], diag);
        if (status != STATUS_OK) {
            while (count-- > 0)
                fabric_destroy(factor[count]);
            return status;
        }
    }
    for (uint32_t d = 0; d < count && count > 1; d++) {
        if (factor[d]->dim_count == 1)
            continue;
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "%s has dimensions of its own and cannot be a factor of a product",
                  spec->factor[d].kind->name);
        while (count-- > 0)
            fabric_destroy(factor[count]);
        return diag->status;
    }
    uint8_t kind = factor[0]->dim[0].kind;
    if (count == 1 && (kind == FABRIC_TREE || kind == FABRIC_GRAPH || factor[0]->dim_count > 1)) {
        factor[0]->text = arena_text(&factor[0]->arena, text, strlen(text));
        *fabric = factor[0];
        return STATUS_OK;
    }
    return product_build(factor, count, text, fabric, diag);
}

static enum status build_spec(const struct spec *spec, struct fabric **fabric, struct diag *diag)
{
    struct spec plain;
    struct arena arena;
    arena_init(&arena);
    const char *text = spec_print(spec, &arena);
    enum status status = expand(spec, &plain, diag);
    if (status == STATUS_OK)
        status = build(&plain, text, fabric, diag);
    if (status != STATUS_OK)
        diag_field(diag, "topology \"%.90s\"", text);
    arena_release(&arena);
    return status;
}

enum status fabric_parse(const char *text, struct fabric **fabric, struct diag *diag)
{
    if (preset_is(text))
        return preset_build(text, fabric, diag);
    if (!spec_is_kind(text) && topology_file_is(text))
        return topology_file_load(text, 0, fabric, diag);
    struct spec spec;
    enum status status = spec_parse(text, &spec, diag);
    return status == STATUS_OK ? build_spec(&spec, fabric, diag) : status;
}

enum status fabric_of_dims(const struct network_config *network, struct fabric **fabric,
                           struct diag *diag)
{
    static const struct spec_kind *const kind_of[] = {[NET_RING] = &block_ring,
                                                      [NET_FULLY_CONNECTED] = &block_full,
                                                      [NET_SWITCH] = &block_switch};
    struct spec spec = {.count = network->dim_count};
    for (uint32_t d = 0; d < network->dim_count; d++) {
        const struct net_dim *dim = &network->dim[d];
        spec.factor[d] = spec_factor_of(kind_of[dim->block], dim->npus);
        spec.factor[d].value[KEY_BW] =
            (struct spec_value){.given = true, .number = dim->bandwidth_B_per_ns * 1e9};
        spec.factor[d].value[KEY_LAT] =
            (struct spec_value){.given = true, .number = dim->latency_ns};
    }
    return build_spec(&spec, fabric, diag);
}
