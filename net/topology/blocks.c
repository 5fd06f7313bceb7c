#include "net/topology/blocks.h"

#include <string.h>

#include "net/topology/cayley.h"

enum { KEY_ONEWAY = KEY_FIRST_OWN };
enum { KEY_TWIST = KEY_FIRST_OWN, KEY_WRAP };

/* -- one dimension --------------------------------------------------------------------------- */

static void add_cable(struct fabric_builder *builder, const struct spec_factor *factor, uint32_t a,
                      uint32_t b)
{
    uint32_t handle = fabric_add_cable(builder, a, b, spec_number(factor, KEY_BW),
                                       spec_number(factor, KEY_LAT), 0);
    fabric_set_count(builder, handle, (uint32_t)spec_number(factor, KEY_COUNT));
}

static enum status too_large(const struct spec_factor *factor, struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_CONFIG, "%s:%u needs more than %d links", factor->kind->name,
              factor->size[0][0], FABRIC_MAX_LINKS);
    return diag->status;
}

static struct fabric_builder *begin(const struct spec_factor *factor, enum fabric_kind kind)
{
    struct fabric_builder *builder = fabric_builder_create();
    uint32_t n = factor->size[0][0];
    fabric_add_npus(builder, n);
    fabric_add_dim(
        builder, (struct fabric_dim){
                     .kind = (uint8_t)kind,
                     .npus = n,
                     .stride = 1,
                     .bandwidth_Bps = spec_number(factor, KEY_BW) * spec_number(factor, KEY_COUNT),
                     .latency_ns = spec_number(factor, KEY_LAT),
                     .oneway = kind == FABRIC_RING && factor->value[KEY_ONEWAY].given});
    return builder;
}

static enum status build_ring(const struct spec_factor *factor, struct fabric **fabric,
                              struct diag *diag)
{
    uint32_t n = factor->size[0][0];
    bool oneway = factor->value[KEY_ONEWAY].given;
    if (n > FABRIC_MAX_LINKS / 2)
        return too_large(factor, diag);
    struct fabric_builder *builder = begin(factor, FABRIC_RING);
    for (uint32_t i = 0; i < n && n > 1; i++) {
        if (oneway) {
            uint32_t handle = fabric_add_link(builder, i, (i + 1) % n, spec_number(factor, KEY_BW),
                                              spec_number(factor, KEY_LAT), 0);
            fabric_set_count(builder, handle, (uint32_t)spec_number(factor, KEY_COUNT));
        } else if (n > 2 || i == 0) {
            add_cable(builder, factor, i, (i + 1) % n);
        }
    }
    return fabric_finish(builder, "ring", fabric, diag);
}

static enum status build_line(const struct spec_factor *factor, struct fabric **fabric,
                              struct diag *diag)
{
    uint32_t n = factor->size[0][0];
    if (n > FABRIC_MAX_LINKS / 2)
        return too_large(factor, diag);
    struct fabric_builder *builder = begin(factor, FABRIC_LINE);
    for (uint32_t i = 0; i + 1 < n; i++)
        add_cable(builder, factor, i, i + 1);
    return fabric_finish(builder, "line", fabric, diag);
}

static enum status build_full(const struct spec_factor *factor, struct fabric **fabric,
                              struct diag *diag)
{
    uint32_t n = factor->size[0][0];
    if ((uint64_t)n * (n - 1) > FABRIC_MAX_LINKS)
        return too_large(factor, diag);
    struct fabric_builder *builder = begin(factor, FABRIC_FULL);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            add_cable(builder, factor, i, j);
    return fabric_finish(builder, "full", fabric, diag);
}

static enum status build_switch(const struct spec_factor *factor, struct fabric **fabric,
                                struct diag *diag)
{
    uint32_t n = factor->size[0][0];
    if (n > FABRIC_MAX_LINKS / 2)
        return too_large(factor, diag);
    struct fabric_builder *builder = begin(factor, FABRIC_SWITCH);
    if (n > 1) {
        uint32_t hub = fabric_add_node(builder, ROLE_SWITCH, "switch0");
        struct fabric_node *node = fabric_builder_node(builder, hub);
        node->level = 1;
        node->below_stride = 1;
        node->below_count = n;
        for (uint32_t i = 0; i < n; i++)
            add_cable(builder, factor, i, hub);
    }
    return fabric_finish(builder, "switch", fabric, diag);
}

/* -- several --------------------------------------------------------------------------------- */

/* A number per dimension? */
static enum status check_numbers(const struct spec_factor *factor, uint32_t key, struct diag *diag)
{
    const struct spec_value *value = &factor->value[key];
    if (!value->given || value->numbers_count == factor->columns[0])
        return STATUS_OK;
    return diag_fail(diag, STATUS_BAD_CONFIG, "%s has %u numbers for a torus of %u dimensions",
                     factor->kind->key[key].name, value->numbers_count, factor->columns[0]);
}

static enum status check_rounds(const struct spec_factor *factor, struct diag *diag)
{
    const struct spec_value *wrap = &factor->value[KEY_WRAP], *twist = &factor->value[KEY_TWIST];
    enum status status = check_numbers(factor, KEY_WRAP, diag);
    if (status == STATUS_OK)
        status = check_numbers(factor, KEY_TWIST, diag);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; i < wrap->numbers_count; i++)
        if (wrap->numbers[i] > 1)
            return diag_fail(diag, STATUS_BAD_CONFIG,
                             "wrap: expected 1 (a ring) or 0 (a line) per dimension, found %u",
                             wrap->numbers[i]);
    if (twist->given && wrap->given)
        return diag_fail(diag, STATUS_BAD_CONFIG, "a torus takes wrap or twist, not both");
    uint32_t longest = cayley_longest(factor);
    if (twist->given && twist->numbers[longest] != 0)
        return diag_fail(
            diag, STATUS_BAD_CONFIG,
            "twist: dimension %u is the longest, which the others shift; its own twist "
            "is 0",
            longest);
    for (uint32_t i = 0; i < twist->numbers_count; i++)
        if (twist->numbers[i] >= factor->size[0][longest])
            return diag_fail(diag, STATUS_BAD_CONFIG,
                             "twist: expected less than the longest dimension, %u, found %u",
                             factor->size[0][longest], twist->numbers[i]);
    return STATUS_OK;
}

static enum status check_torus(const struct spec_factor *factor, uint64_t *npus, struct diag *diag)
{
    if (factor->rows != 1)
        return diag_fail(diag, STATUS_BAD_CONFIG, "%s takes one size per dimension",
                         factor->kind->name);
    *npus = 1;
    for (uint32_t i = 0; i < factor->columns[0] && *npus <= CONFIG_MAX_NPUS; i++)
        *npus *= factor->size[0][i];
    return factor->kind == &block_torus ? check_rounds(factor, diag) : STATUS_OK;
}

/* One factor of `kind` and `size` with the link keys of `factor`. */
static void add_factor(struct spec *into, const struct spec_factor *factor,
                       const struct spec_kind *kind, uint32_t size)
{
    struct spec_factor *made = &into->factor[into->count++];
    *made = spec_factor_of(kind, size);
    memcpy(made->value, factor->value, KEY_FIRST_OWN * sizeof made->value[0]);
}

static void expand_torus(const struct spec_factor *factor, struct spec *into)
{
    const struct spec_value *wrap = &factor->value[KEY_WRAP];
    if (factor->kind == &block_torus && factor->value[KEY_TWIST].given) {
        into->factor[into->count] = *factor;
        into->factor[into->count++].kind = &cayley_twisted;
        return;
    }
    for (uint32_t i = 0; i < factor->columns[0]; i++) {
        bool line = factor->kind == &block_mesh || (wrap->given && wrap->numbers[i] == 0);
        add_factor(into, factor, line ? &block_line : &block_ring, factor->size[0][i]);
    }
}

static enum status check_hypercube(const struct spec_factor *factor, uint64_t *npus,
                                   struct diag *diag)
{
    uint32_t n = factor->size[0][0];
    if (factor->rows != 1 || factor->columns[0] != 1 || n == 0 || (n & (n - 1)) != 0)
        return diag_fail(diag, STATUS_BAD_CONFIG,
                         "hypercube takes the number of NPUs, a power of two");
    *npus = n;
    return STATUS_OK;
}

/* A dimension per bit, or with more than CONFIG_MAX_DIMS bits, per as many as needed. */
static void expand_hypercube(const struct spec_factor *factor, struct spec *into)
{
    uint32_t bits = 0, n = factor->size[0][0];
    while (n >> (bits + 1))
        bits++;
    if (bits == 0)
        add_factor(into, factor, &block_full, 1);
    uint32_t per_dim = (bits + CONFIG_MAX_DIMS - 1) / CONFIG_MAX_DIMS;
    while (bits > 0) {
        uint32_t now = bits % per_dim ? bits % per_dim : per_dim;
        add_factor(into, factor, now == 1 ? &block_full : &cayley_cube, 1u << now);
        bits -= now;
    }
}

const struct spec_kind block_ring = {
    .name = "ring",
    .aliases = "bidirectionalring biring",
    .sizes = "N",
    .summary = "a cable between neighbours, both directions; `oneway`: upwards only",
    .key = {SPEC_LINK_KEYS, {"oneway", SPEC_FLAG, 0, NULL, "links go upwards only"}},
    .build = build_ring,
};

const struct spec_kind block_line = {
    .name = "line",
    .aliases = "chain path",
    .sizes = "N",
    .summary = "a ring without the cable between its ends",
    .key = {SPEC_LINK_KEYS},
    .build = build_line,
};

const struct spec_kind block_full = {
    .name = "full",
    .aliases = "fully fullyconnected clique",
    .sizes = "N",
    .summary = "a cable for every pair",
    .key = {SPEC_LINK_KEYS},
    .build = build_full,
};

const struct spec_kind block_switch = {
    .name = "switch",
    .aliases = "star crossbar",
    .sizes = "N",
    .summary = "every NPU on one switch that never blocks",
    .key = {SPEC_LINK_KEYS},
    .build = build_switch,
};

const struct spec_kind block_torus = {
    .name = "torus",
    .sizes = "AxBx..",
    .summary = "a ring in every dimension",
    .key = {SPEC_LINK_KEYS,
            {"twist", SPEC_NUMBERS, 0, NULL, "4x4x0: shift of the longest dimension per round"},
            {"wrap", SPEC_NUMBERS, 0, NULL, "1x0x..: which dimensions are rings; others: lines"}},
    .check = check_torus,
    .expand = expand_torus,
};

const struct spec_kind block_mesh = {
    .name = "mesh",
    .aliases = "grid",
    .sizes = "AxBx..",
    .summary = "a line in every dimension",
    .key = {SPEC_LINK_KEYS},
    .check = check_torus,
    .expand = expand_torus,
};

const struct spec_kind block_hypercube = {
    .name = "hypercube",
    .sizes = "N",
    .summary = "a dimension of 2 for every bit of the rank",
    .key = {SPEC_LINK_KEYS},
    .check = check_hypercube,
    .expand = expand_hypercube,
};
