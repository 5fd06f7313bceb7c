#include "tests/agree/forms/form_nets.h"

#include <stdio.h>
#include <string.h>

#define HOP_NS 700.0 /* of a link */

static const uint32_t shapes[][4] = {
    {2},  {3},  {4},  {5},    {6},    {7},    {8},    {9},    {12},      {16},   {17},
    {31}, {32}, {64}, {2, 2}, {2, 4}, {4, 2}, {3, 4}, {4, 4}, {2, 3, 4}, {8, 4}, {4, 4, 4},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Networks that algorithms are made for. The form is exact on them; `hops` links of a message. */
static const struct own {
    const char *algorithm, *topology;
    uint32_t n, hops;
} own[] = {
    {"ring", "ring:3", 3, 1},
    {"ring", "ring:17", 17, 1},
    {"ring", "ring:64", 64, 1},
    {"ring", "torus:8x4", 32, 1},
    {"ring", "torus:4x4x4", 64, 1},
    {"oneRing", "ring:12", 12, 1},
    {"direct", "full:8*full:4", 32, 1},
    {"halvingDoubling", "hypercube:32", 32, 1},
    {"bidirectional-ring", "ring:9", 9, 1},
    {"bidirectional-ring", "torus:8x4", 32, 1},
    {"bidirectional-ring-full", "ring:9", 9, 1},
    {"bidirectional-ring-full", "ring:16", 16, 1},
    {"hierarchical", "torus:8x4", 32, 1},
    {"hierarchical", "full:4*full:8", 32, 1},
    {"torus-bucket", "torus:3x4x5", 60, 1},
    {"torus-bucket-multiport", "ring:7", 7, 1},
    {"torus-bucket-multiport", "torus:5x5", 25, 1},
    {"torus-bucket-multiport", "torus:4x4x4", 64, 1},
    {"recursive-doubling", "hypercube:64", 64, 1},
    {"swing", "ring:4", 4, 1},
    {"swing", "torus:4x4", 16, 1},
    {"swing", "torus:4x4x4", 64, 1},
    {"swing-latency", "torus:4x4x4", 64, 1},
    {"chain", "line:9", 9, 1},
    {"two-step", "full:4*full:8", 32, 1},
    {"rail-aware", "full:4*full:8", 32, 1},
    {"nvls", "switch:5", 5, 2},
    {"nvls", "switch:64", 64, 2},
    {"nvls", "leafspine:8x4", 32, 4},
    {"nvls", "fattree:4", 16, 6},
    {"nvls", "switch:8*switch:4", 32, 2},
    {"sharp", "switch:31", 31, 2},
    {"sharp", "leafspine:4x4", 16, 4},
    {"sharp", "fattree:4", 16, 6},
    {"sharp", "full:8,lat=1400ns*switch:4", 32, 2},
    {"sharp", "full:4,lat=2800ns*leafspine:4x4", 64, 4},
    {"nvls-tree", "switch:8*full:4,lat=1400ns", 32, 2},
    {"nvls-tree", "switch:4*full:16,lat=1400ns", 64, 2},
};
enum { OWN = sizeof own / sizeof *own };

static bool is_in_network(const struct form_row *row)
{
    return strcmp(row->name, "nvls") == 0 || strcmp(row->name, "sharp") == 0 ||
           strcmp(row->name, "nvls-tree") == 0;
}

static void give_mesh(const uint32_t *shape, struct form_net *net)
{
    net->kind = FORM_NET_MESH;
    memcpy(net->shape, shape, sizeof net->shape);
    net->n = 1;
    for (int d = 0; d < 4 && shape[d]; d++)
        net->n *= shape[d];
    net->topology = NULL;
    net->latency_ns = HOP_NS;
}

/* Shapes as a mesh, those of one dimension on a switch, then the row's own. */
bool form_net_next(const struct form_row *row, struct form_net *net)
{
    uint32_t at = net->next;
    if (is_in_network(row) && at < 2 * SHAPES)
        at = 2 * SHAPES;
    net->by_port = false;
    for (; at < 2 * SHAPES + OWN; at++) {
        net->next = at + 1;
        if (at < SHAPES) {
            give_mesh(shapes[at], net);
            return true;
        }
        if (at < 2 * SHAPES && !shapes[at - SHAPES][1]) {
            give_mesh(shapes[at - SHAPES], net);
            net->kind = FORM_NET_SWITCH;
            net->latency_ns = 2 * HOP_NS;
            net->by_port = row->on_switch == SWITCH_PORT;
            return true;
        }
        if (at >= 2 * SHAPES && strcmp(own[at - 2 * SHAPES].algorithm, row->name) == 0) {
            const struct own *found = &own[at - 2 * SHAPES];
            *net = (struct form_net){.kind = FORM_NET_OWN,
                                     .next = at + 1,
                                     .n = found->n,
                                     .topology = found->topology,
                                     .latency_ns = found->hops * HOP_NS};
            return true;
        }
    }
    return false;
}

double form_net_Bps(bool is_odd)
{
    return is_odd ? 46.6 * (1 << 30) : 50e9;
}

/* Each factor gets the bandwidth, and the latency of a link if it names none. */
static void own_text(const char *topology, char *to, size_t size)
{
    char text[128], *rest = NULL;
    size_t used = 0;
    snprintf(text, sizeof text, "%s", topology);
    for (char *word = strtok_r(text, "*", &rest); word && used < size;
         word = strtok_r(NULL, "*", &rest))
        used += (size_t)snprintf(to + used, size - used, "%s%s,bw=50GB/s%s", used ? "*" : "", word,
                                 strstr(word, "lat=") ? "" : ",lat=700ns");
}

void form_net_text(const struct form_net *net, bool is_odd, char *to, size_t size)
{
    if (net->kind == FORM_NET_OWN)
        own_text(net->topology, to, size);
    else
        snprintf(to, size, "%s:%u,bw=%s,lat=700ns", net->kind == FORM_NET_MESH ? "full" : "switch",
                 net->n, is_odd ? "46.6GiB/s" : "50GB/s");
}

uint64_t form_net_bytes(const struct form_net *net)
{
    return (uint64_t)net->n * FORM_UNIT;
}

/* Are the dimensions of different sizes, or some of 2? */
static bool has_odd_dims(const struct form_net *net)
{
    bool is_odd = net->shape[0] == 2;
    for (int d = 1; d < 4 && net->shape[d]; d++)
        is_odd = is_odd || net->shape[d] == 2 || net->shape[d] != net->shape[0];
    return is_odd;
}

static enum relation on_mesh(const struct form_row *row, const struct form_net *net)
{
    bool is_power = (net->n & (net->n - 1)) == 0;
    bool meets = row->meets == MEETS_ALWAYS || (row->meets == MEETS_TWO && has_odd_dims(net)) ||
                 (row->meets == MEETS_SHAPED && net->shape[1]) ||
                 (row->meets == MEETS_UNEVEN && !is_power);
    return meets ? RELATION_AT_LEAST : RELATION_EXACT;
}

static enum relation on_switch(const struct form_row *row, const struct form_net *net)
{
    bool is_power = (net->n & (net->n - 1)) == 0;
    bool is_bound = row->on_switch == SWITCH_BOUND || (row->on_switch == SWITCH_POWER && !is_power);
    return is_bound ? RELATION_AT_LEAST : RELATION_EXACT;
}

enum relation form_relation(const struct form_row *row, const struct lone_case *given,
                            const struct form_net *net)
{
    if (row->meets == ENDS_UNEVENLY && net->shape[1])
        return RELATION_AT_MOST;
    if (given->fidelity == NET_ANALYTICAL || net->kind == FORM_NET_OWN)
        return RELATION_EXACT;
    return net->kind == FORM_NET_MESH ? on_mesh(row, net) : on_switch(row, net);
}
