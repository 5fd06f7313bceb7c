#include "report/diff_links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "net/topology/fabric.h"

static time_ps to_ps(double ns)
{
    return ns > 0 ? (time_ps)llround(ns * 1e3) : 0;
}

static bool same_links(const struct fabric *a, const struct fabric *b)
{
    if (a->link_count != b->link_count)
        return false;
    for (uint32_t l = 0; l < a->link_count; l++) {
        if (strcmp(a->node[a->link[l].src].name, b->node[b->link[l].src].name) != 0 ||
            strcmp(a->node[a->link[l].dst].name, b->node[b->link[l].dst].name) != 0)
            return false;
    }
    return true;
}

static uint64_t change_of(const struct diff_link *row)
{
    int64_t change = difference_of(row->busy_a_ps, row->busy_b_ps);
    return change < 0 ? 0 - (uint64_t)change : (uint64_t)change;
}

static int most_first(const void *left, const void *right)
{
    const struct diff_link *a = left, *b = right;
    if (change_of(a) != change_of(b))
        return change_of(a) > change_of(b) ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* -- each link --------------------------------------------------------------------------------- */

static uint32_t find_each(const struct diff_run *a, const struct diff_run *b, struct diff_link *row)
{
    const struct fabric *fabric = a->config->network.fabric, *other = b->config->network.fabric;
    uint32_t count = 0;
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        const struct link_figures *in_a = &a->result->link[l], *in_b = &b->result->link[l];
        if (!(in_a->bytes > 0) && !(in_b->bytes > 0))
            continue;
        struct diff_link *to = &row[count++];
        *to = (struct diff_link){.rate_a_Bps = fabric->link[l].bandwidth_Bps,
                                 .rate_b_Bps = other->link[l].bandwidth_Bps,
                                 .bytes_a = in_a->bytes,
                                 .bytes_b = in_b->bytes,
                                 .busy_a_ps = to_ps(in_a->busy_ns),
                                 .busy_b_ps = to_ps(in_b->busy_ns),
                                 .queued_a_ps = to_ps(in_a->queued_ns),
                                 .queued_b_ps = to_ps(in_b->queued_ns)};
        snprintf(to->name, sizeof to->name, "%.45s->%.45s", fabric->node[fabric->link[l].src].name,
                 fabric->node[fabric->link[l].dst].name);
    }
    return count;
}

/* -- each dimension ---------------------------------------------------------------------------- */

struct mean {
    double links, rate_Bps, bytes, busy_ns, queued_ns;
};

/* Sums over the links of each dimension that carried something. */
static void find_sums(const struct diff_run *run, struct mean *mean)
{
    const struct fabric *fabric = run->config->network.fabric;
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        const struct link_figures *figures = &run->result->link[l];
        struct mean *to = &mean[fabric->link[l].dim];
        if (!(figures->bytes > 0))
            continue;
        to->links++;
        to->rate_Bps += fabric->link[l].bandwidth_Bps;
        to->bytes += figures->bytes;
        to->busy_ns += figures->busy_ns;
        to->queued_ns += figures->queued_ns;
    }
}

static double mean_of(double sum, const struct mean *of)
{
    return of->links > 0 ? sum / of->links : 0;
}

static uint32_t find_dimensions(const struct diff_run *a, const struct diff_run *b,
                                struct diff_link *row)
{
    struct mean in_a[CONFIG_MAX_DIMS] = {{0}}, in_b[CONFIG_MAX_DIMS] = {{0}};
    uint32_t count = 0;
    find_sums(a, in_a);
    find_sums(b, in_b);
    for (int d = 0; d < CONFIG_MAX_DIMS; d++) {
        const struct mean *x = &in_a[d], *y = &in_b[d];
        if (!(x->links > 0) && !(y->links > 0))
            continue;
        struct diff_link *to = &row[count++];
        *to = (struct diff_link){.rate_a_Bps = mean_of(x->rate_Bps, x),
                                 .rate_b_Bps = mean_of(y->rate_Bps, y),
                                 .bytes_a = mean_of(x->bytes, x),
                                 .bytes_b = mean_of(y->bytes, y),
                                 .busy_a_ps = to_ps(mean_of(x->busy_ns, x)),
                                 .busy_b_ps = to_ps(mean_of(y->busy_ns, y)),
                                 .queued_a_ps = to_ps(mean_of(x->queued_ns, x)),
                                 .queued_b_ps = to_ps(mean_of(y->queued_ns, y))};
        snprintf(to->name, sizeof to->name, "dimension %d (%.0f and %.0f)", d, x->links, y->links);
    }
    return count;
}

struct diff_link *diff_links_find(const struct diff_run *a, const struct diff_run *b,
                                  uint32_t *count)
{
    *count = 0;
    if (!a->result->link_count || !b->result->link_count)
        return NULL;
    bool is_same = same_links(a->config->network.fabric, b->config->network.fabric);
    uint32_t most = is_same ? a->result->link_count : CONFIG_MAX_DIMS;
    struct diff_link *row = malloc(most * sizeof *row);
    need_memory(row != NULL);
    *count = is_same ? find_each(a, b, row) : find_dimensions(a, b, row);
    if (*count)
        qsort(row, *count, sizeof *row, most_first);
    return row;
}
