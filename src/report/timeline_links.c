/*
 * Counters of links: of the links of a dimension together, and of the busiest, the share of their
 * bandwidth that is in use, bucket by bucket of link_series.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/links.h"
#include "report/timeline_parts.h"

enum { LINKS_LOOKED_AT = 4096 };

/* Links whose use is one counter. */
struct sum {
    double *bytes; /* [buckets] */
    double Bps;
};

static void add_link(struct sum *sum, const struct timeline_view *view, uint32_t link)
{
    const uint64_t *bucket = link_series_of(view->links, link);
    sum->Bps += view->network->fabric->link[link].bandwidth_Bps;
    for (uint32_t b = 0; bucket && b < view->links->buckets; b++)
        sum->bytes[b] += (double)bucket[b] * view->links->share_of[link];
}

/* Percent in use, up to the end of the run, which ends in the last bucket. */
static void draw_sum(struct drawing *drawing, const struct sum *sum, uint32_t number,
                     const char *name)
{
    const struct link_series *links = drawing->view->links;
    time_ps end = drawing->view->result->end_ps;
    struct series series = series_of(drawing, network_pid(drawing), number, name, "percent");
    for (uint32_t b = 0; b < links->buckets && b * links->width_ps < end; b++) {
        time_ps from = b * links->width_ps, left = end - from;
        double length_s = (double)(left < links->width_ps ? left : links->width_ps) / 1e12;
        double most = sum->Bps * length_s;
        series_add(&series, from, most > 0 ? 100 * sum->bytes[b] / most : 0);
    }
    series_add(&series, end, 0);
    series_end(&series);
}

static double *make_sums(const struct link_series *links)
{
    double *bytes = calloc(links->buckets, sizeof *bytes);
    need_memory(bytes != NULL);
    return bytes;
}

/* Links that share buckets are added up before their buckets are: a folded run has few. */
static void draw_dimension(struct drawing *drawing, uint32_t d)
{
    const struct timeline_view *view = drawing->view;
    const struct link_series *links = view->links;
    struct sum sum = {.bytes = make_sums(links)};
    double *share = calloc((size_t)links->used + 1, sizeof *share);
    uint32_t count = 0;
    char name[96];
    need_memory(share != NULL);
    for (uint32_t l = 0; l < links->link_count; l++) {
        if (view->network->fabric->link[l].dim != d)
            continue;
        uint32_t place = links->place[links->server_of[l]];
        share[place ? place - 1 : links->used] += links->share_of[l];
        sum.Bps += view->network->fabric->link[l].bandwidth_Bps;
        count++;
    }
    for (uint32_t p = 0; p < links->used; p++)
        for (uint32_t b = 0; share[p] > 0 && b < links->buckets; b++)
            sum.bytes[b] += share[p] * (double)links->bucket[(size_t)p * links->buckets + b];
    snprintf(name, sizeof name, "dimension %" PRIu32 " (%s), all %" PRIu32 " links", d,
             fabric_kind_name(view->network->fabric->dim[d].kind), count);
    if (count)
        draw_sum(drawing, &sum, d, name);
    free(share);
    free(sum.bytes);
}

/* All links of a dimension of ASTRA-sim's form: a ring has one each way between neighbours. */
static uint64_t links_in(const struct network_config *network, uint32_t d)
{
    const struct net_dim *dim = &network->dim[d];
    uint64_t n = dim->npus, in_group = dim->block == NET_FULLY_CONNECTED ? n * (n - 1)
                                       : dim->block == NET_RING && n < 3 ? 2
                                                                         : 2 * n;
    return network->npu_count / n * in_group;
}

/* Of a network model that sees no links, and tells of dimensions. */
static void draw_told_dimension(struct drawing *drawing, uint32_t d)
{
    const struct network_config *network = drawing->view->network;
    const struct link_series *links = drawing->view->links;
    const uint64_t *bucket = link_series_of(links, d);
    uint64_t count = links_in(network, d);
    struct sum sum = {make_sums(links), (double)count * network->dim[d].bandwidth_B_per_ns * 1e9};
    char name[96];
    for (uint32_t b = 0; bucket && b < links->buckets; b++)
        sum.bytes[b] = (double)bucket[b] * links->share_of[d];
    snprintf(name, sizeof name, "dimension %" PRIu32 " (%s), all %" PRIu64 " links", d,
             net_block_name(network->dim[d].block), count);
    draw_sum(drawing, &sum, d, name);
    free(sum.bytes);
}

/* Same bandwidth, same bytes at the same times. */
static bool are_alike(const struct timeline_view *view, uint32_t a, uint32_t b)
{
    const struct link_series *links = view->links;
    const uint64_t *one = link_series_of(links, a), *other = link_series_of(links, b);
    if (view->network->fabric->link[a].bandwidth_Bps !=
            view->network->fabric->link[b].bandwidth_Bps ||
        links->share_of[a] != links->share_of[b] || !one || !other)
        return false;
    return one == other || memcmp(one, other, links->buckets * sizeof *one) == 0;
}

/* The busiest of each kind of links that are alike: symmetric jobs have few kinds. Returns how many
 * there are, at most `most`. */
static uint32_t find_busiest(const struct timeline_view *view, uint32_t most, uint32_t *link)
{
    const struct run_result *result = view->result;
    uint32_t pool = result->link_count < LINKS_LOOKED_AT ? result->link_count : LINKS_LOOKED_AT;
    uint32_t *hot = calloc((size_t)pool + 1, sizeof *hot), kinds = 0;
    need_memory(hot != NULL);
    uint32_t count = links_hottest(result->link, result->link_count, pool, hot);
    for (uint32_t i = 0; i < count && kinds < most; i++) {
        uint32_t k = 0;
        while (k < kinds && !are_alike(view, link[k], hot[i]))
            k++;
        if (k == kinds)
            link[kinds++] = hot[i];
    }
    free(hot);
    return kinds;
}

static void draw_link(struct drawing *drawing, uint32_t link, uint32_t number)
{
    const struct timeline_view *view = drawing->view;
    const struct fabric *fabric = view->network->fabric;
    struct sum sum = {.bytes = make_sums(view->links)};
    uint32_t alike = 0;
    char name[96], more[24] = "";
    for (uint32_t l = 0; l < view->links->link_count; l++)
        alike += are_alike(view, link, l);
    if (alike > 1)
        snprintf(more, sizeof more, " (%" PRIu32 " alike)", alike);
    snprintf(name, sizeof name, "%.32s->%.32s%s", fabric->node[fabric->link[link].src].name,
             fabric->node[fabric->link[link].dst].name, more);
    add_link(&sum, view, link);
    draw_sum(drawing, &sum, number, name);
    free(sum.bytes);
}

void drawing_add_links(struct drawing *drawing)
{
    const struct timeline_view *view = drawing->view;
    if (!view->links)
        return;
    if (!view->result->link_count) {
        for (uint32_t d = 0; d < view->links->link_count; d++)
            draw_told_dimension(drawing, d);
        return;
    }
    for (uint32_t d = 0; d < view->network->fabric->dim_count; d++)
        draw_dimension(drawing, d);
    uint32_t *link = calloc((size_t)view->most_links + 1, sizeof *link);
    need_memory(link != NULL);
    uint32_t count = find_busiest(view, view->most_links, link);
    for (uint32_t i = 0; i < count; i++)
        draw_link(drawing, link[i], view->network->fabric->dim_count + i);
    free(link);
}
