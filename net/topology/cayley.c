#include "net/topology/cayley.h"

uint32_t cayley_longest(const struct spec_factor *torus)
{
    uint32_t longest = 0;
    for (uint32_t d = 1; d < torus->columns[0]; d++)
        if (torus->size[0][d] >= torus->size[0][longest])
            longest = d;
    return longest;
}

static void add_link(struct fabric_builder *builder, const struct spec_factor *factor, uint32_t a,
                     uint32_t b, uint32_t dim)
{
    uint32_t handle = fabric_add_link(builder, a, b, spec_number(factor, KEY_BW),
                                      spec_number(factor, KEY_LAT), dim);
    fabric_set_count(builder, handle, (uint32_t)spec_number(factor, KEY_COUNT));
}

static void add_dim(struct fabric_builder *builder, const struct spec_factor *factor, uint32_t npus,
                    uint32_t stride)
{
    fabric_add_dim(builder, (struct fabric_dim){.kind = FABRIC_GRAPH,
                                                .npus = npus,
                                                .stride = stride,
                                                .bandwidth_Bps = spec_number(factor, KEY_BW) *
                                                                 spec_number(factor, KEY_COUNT),
                                                .latency_ns = spec_number(factor, KEY_LAT)});
}

/* The rank one step up from `rank` in dimension d. */
static uint32_t neighbour(const struct spec_factor *torus, const uint32_t *stride, uint32_t rank,
                          uint32_t d)
{
    const uint32_t *size = torus->size[0];
    uint32_t at = rank / stride[d] % size[d], longest = cayley_longest(torus);
    if (at + 1 < size[d])
        return rank + stride[d];
    rank -= at * stride[d];
    uint32_t along = rank / stride[longest] % size[longest];
    uint32_t twist = torus->value[KEY_FIRST_OWN].numbers[d];
    return rank - along * stride[longest] + (along + twist) % size[longest] * stride[longest];
}

/*
 * All links up, then all links down, so that every NPU has its links in one order: a search that
 * takes the first of equals then chooses alike everywhere, and moving all ranks along moves the
 * routes.
 */
static void add_round(struct fabric_builder *builder, const struct spec_factor *torus,
                      const uint32_t *stride, uint32_t d)
{
    uint32_t dims = torus->columns[0], npus = stride[dims - 1] * torus->size[0][dims - 1];
    for (uint32_t rank = 0; rank < npus; rank++) {
        uint32_t to = neighbour(torus, stride, rank, d);
        if (to != rank)
            add_link(builder, torus, rank, to, d);
    }
    for (uint32_t rank = 0; rank < npus; rank++) {
        uint32_t to = neighbour(torus, stride, rank, d);
        if (to != rank && neighbour(torus, stride, to, d) != rank) /* else up is down */
            add_link(builder, torus, to, rank, d);
    }
}

static enum status build_twisted(const struct spec_factor *torus, struct fabric **fabric,
                                 struct diag *diag)
{
    struct fabric_builder *builder = fabric_builder_create();
    uint32_t dims = torus->columns[0], npus = 1, stride[SPEC_COLUMNS];
    for (uint32_t d = 0; d < dims; d++) {
        stride[d] = npus;
        npus *= torus->size[0][d];
        add_dim(builder, torus, torus->size[0][d], stride[d]);
    }
    fabric_add_npus(builder, npus);
    for (uint32_t d = 0; d < dims; d++)
        add_round(builder, torus, stride, d);
    return fabric_finish(builder, "torus", fabric, diag);
}

static enum status build_cube(const struct spec_factor *factor, struct fabric **fabric,
                              struct diag *diag)
{
    struct fabric_builder *builder = fabric_builder_create();
    uint32_t npus = factor->size[0][0];
    fabric_add_npus(builder, npus);
    add_dim(builder, factor, npus, 1);
    for (uint32_t bit = 1; bit < npus; bit *= 2) /* in one order at every NPU, as above */
        for (uint32_t rank = 0; rank < npus; rank++)
            add_link(builder, factor, rank, rank ^ bit, 0);
    return fabric_finish(builder, "hypercube", fabric, diag);
}

const struct spec_kind cayley_twisted = {
    .name = "torus", .sizes = "AxBx..", .key = {SPEC_LINK_KEYS}, .build = build_twisted};

const struct spec_kind cayley_cube = {
    .name = "hypercube", .sizes = "N", .key = {SPEC_LINK_KEYS}, .build = build_cube};
