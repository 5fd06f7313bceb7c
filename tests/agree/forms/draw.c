#include "tests/agree/forms/draw.h"

#include <stdio.h>
#include <string.h>

#include "base/mix.h"
#include "config/algorithm_name.h"

/* -- networks --------------------------------------------------------------------------------- */

#define BL ",bw=@b,lat=@l"

static const struct drawn_factor factors[] = {
    {.form = "ring:3" BL, .npus = 3, .is_transitive = true},
    {.form = "ring:4" BL, .npus = 4, .is_transitive = true},
    {.form = "ring:7" BL, .npus = 7, .is_transitive = true},
    {.form = "ring:8" BL, .npus = 8, .is_transitive = true},
    {.form = "full:2" BL, .npus = 2, .is_transitive = true},
    {.form = "full:4" BL, .npus = 4, .is_transitive = true},
    {.form = "full:6" BL, .npus = 6, .is_transitive = true},
    {.form = "switch:3" BL, .npus = 3, .is_transitive = true},
    {.form = "switch:4" BL, .npus = 4, .is_transitive = true},
    {.form = "switch:8" BL, .npus = 8, .is_transitive = true},
    {.form = "torus:4x4" BL, .npus = 16, .is_transitive = true},
    {.form = "torus:3x5" BL, .npus = 15, .is_transitive = true},
    {.form = "hypercube:8" BL, .npus = 8},
    {.form = "line:5" BL, .npus = 5},
    {.form = "mesh:4x3" BL, .npus = 12},
    {.form = "leafspine:4x2" BL, .npus = 8},
    {.form = "leafspine:4x4,taper=2" BL, .npus = 16},
    {.form = "fattree:4" BL, .npus = 16},
    {.form = "fattree2:4" BL, .npus = 8},
    {.form = "dragonfly:2,1/2,1/2,1/2,globalbw=@b,globallat=@l" BL, .npus = 16},
    {.form = "rail:4x4,inbw=@b,inlat=@l,nicbw=@b,niclat=@l" BL, .npus = 16},
};
enum { FACTORS = sizeof factors / sizeof *factors };

static bool may_be_a_factor(const struct drawn_factor *factor)
{
    return strncmp(factor->form, "rail", 4) != 0 && strncmp(factor->form, "dragonfly", 9) != 0;
}

static bool is_tree(const struct drawn_factor *factor)
{
    return strncmp(factor->form, "leaf", 4) == 0 || strncmp(factor->form, "fat", 3) == 0 ||
           strncmp(factor->form, "rail", 4) == 0;
}

/* Bandwidths of 10, 20, 40 ps per byte and whole ns: times that halve without a rest. */
static void draw_factor(uint64_t *state, struct drawn_net *net, const struct drawn_factor *kind)
{
    static const double GBps[] = {25, 50, 100}, latency_ns[] = {0, 200, 500, 1000};
    struct drawn_factor *factor = &net->factor[net->factor_count++];
    *factor = *kind;
    factor->GBps = GBps[random_below(state, 3)];
    factor->latency_ns = latency_ns[random_below(state, 4)];
    net->npus *= factor->npus;
}

void draw_net(uint64_t *state, uint32_t most, struct drawn_net *net)
{
    static const char *const routings[] = {"auto", "spray", "ecmp", "shortest"};
    *net = (struct drawn_net){.npus = 1, .routing = "auto"};
    draw_factor(state, net, &factors[random_below(state, FACTORS)]);
    uint32_t wanted = may_be_a_factor(&net->factor[0]) ? 1 + random_below(state, 3) : 1;
    for (uint32_t tries = 0; tries < 20 && net->factor_count < wanted; tries++) {
        const struct drawn_factor *kind = &factors[random_below(state, FACTORS)];
        if (may_be_a_factor(kind) && net->npus * kind->npus <= most)
            draw_factor(state, net, kind);
    }
    bool has_choice = false;
    for (uint32_t f = 0; f < net->factor_count; f++)
        has_choice = has_choice || is_tree(&net->factor[f]);
    if (has_choice || random_below(state, 4) == 0)
        net->routing = routings[random_below(state, 4)];
}

static void add_factor(const struct drawn_factor *factor, double bandwidth, double latency,
                       char *to, size_t size)
{
    size_t used = 0;
    for (const char *at = factor->form; *at && used + 1 < size; at++) {
        if (*at != '@') {
            to[used++] = *at;
            continue;
        }
        at++;
        used += (size_t)(*at == 'b' ? snprintf(to + used, size - used, "%.10gGB/s",
                                               factor->GBps * bandwidth)
                                    : snprintf(to + used, size - used, "%.10gns",
                                               factor->latency_ns * latency));
    }
    to[used < size ? used : size - 1] = '\0';
}

void draw_net_text(const struct drawn_net *net, const struct net_change *change,
                   char to[DRAW_MOST_TEXT])
{
    size_t used = 0;
    for (uint32_t f = 0; f < net->factor_count; f++) {
        bool is_changed = change && (change->factor == ALL_FACTORS || change->factor == f);
        if (f)
            to[used++] = '*';
        add_factor(&net->factor[f], is_changed ? change->bandwidth : 1,
                   is_changed ? change->latency : 1, to + used, DRAW_MOST_TEXT - used);
        used += strlen(to + used);
    }
}

/* -- collectives ------------------------------------------------------------------------------ */

static const char *draw_algorithm(uint64_t *state, enum collective_kind kind)
{
    for (;;) {
        uint32_t count = 0;
        while (algorithm_names[count])
            count++;
        const char *name = algorithm_names[random_below(state, count)];
        struct algorithm_choice choice;
        if (algorithm_parse(name, &choice) && choice.id != ALG_AUTO &&
            collective_algorithms[choice.id]->kinds & KIND_BIT(kind))
            return name;
    }
}

static bool has_chunks(enum collective_kind kind)
{
    return kind == COLL_ALL_REDUCE || kind == COLL_ALL_GATHER || kind == COLL_REDUCE_SCATTER ||
           kind == COLL_ALL_TO_ALL;
}

void draw_collective(uint64_t *state, const struct drawn_net *net, struct drawn_collective *drawn)
{
    static const enum collective_kind kinds[] = {
        COLL_ALL_REDUCE, COLL_ALL_REDUCE, COLL_ALL_GATHER, COLL_REDUCE_SCATTER, COLL_ALL_TO_ALL,
        COLL_BROADCAST,  COLL_REDUCE,     COLL_GATHER,     COLL_SCATTER};
    static const uint32_t pieces[] = {1, 1, 2, 4};
    enum collective_kind kind = kinds[random_below(state, sizeof kinds / sizeof *kinds)];
    *drawn = (struct drawn_collective){.given = {.kind = kind, .is_unfolded = true}};
    drawn->given.algorithm = draw_algorithm(state, kind);
    drawn->given.bytes = (uint64_t)net->npus * 960 * (1 + random_below(state, 50));
    uint32_t chunks = has_chunks(kind) ? pieces[random_below(state, 4)] : 1;
    uint32_t active = 1 + random_below(state, chunks);
    snprintf(drawn->chunks, sizeof drawn->chunks, "%u", chunks);
    snprintf(drawn->active, sizeof drawn->active, "%u", active);
    snprintf(drawn->seed, sizeof drawn->seed, "%u", random_below(state, 1000));
}
