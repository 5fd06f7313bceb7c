#include "net/topology/survey.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "net/topology/alike.h"
#include "net/topology/max_flow.h"

/* Searches from every NPU are made while they take no more than so many steps. */
#define MOST_STEPS 400e6
enum { SOME_NPUS = 64 };

/* Halves of a graph are tried while they have no more links than so many, all together. */
enum { MOST_CUT_LINKS = 1 << 20 };

/* -- counts --------------------------------------------------------------------------------- */

static void count_nodes(struct survey *survey, const struct fabric *fabric)
{
    for (uint32_t v = 0; v < fabric->node_count; v++) {
        const struct fabric_node *node = &fabric->node[v];
        survey->role_count[node->role]++;
        if (fabric->is_tree && node->role == ROLE_SWITCH && node->level < 16) {
            survey->level_switches[node->level]++;
            if (survey->level_count <= node->level)
                survey->level_count = node->level + 1u;
        }
    }
}

static void count_links(struct survey *survey, const struct fabric *fabric)
{
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        const struct fabric_link *link = &fabric->link[l];
        survey->failed += link->bandwidth_Bps <= 0;
        if (link->reverse == FABRIC_NONE) {
            survey->one_way++;
            survey->cables += link->count;
        } else if (link->src < link->dst) {
            survey->cables += link->count;
        }
    }
}

static double bandwidth_out(const struct fabric *fabric, uint32_t npu)
{
    double out_Bps = 0;
    for (uint32_t l = fabric->first_link[npu]; l < fabric->first_link[npu + 1]; l++)
        out_Bps += fabric->link[l].bandwidth_Bps;
    return out_Bps;
}

static void measure_injection(struct survey *survey, const struct fabric *fabric)
{
    for (uint32_t v = 0; v < fabric->npu_count; v++) {
        double out = bandwidth_out(fabric, v);
        survey->injection_total_Bps += out;
        if (v == 0 || out < survey->injection_least_Bps) {
            survey->injection_least_Bps = out;
            survey->injection_least_npu = v;
        }
        if (out > survey->injection_most_Bps)
            survey->injection_most_Bps = out;
    }
}

static void find_classes(struct survey *survey, const struct fabric *fabric)
{
    uint32_t *class_of = malloc(((size_t)fabric->node_count + 1) * sizeof *class_of);
    need_memory(class_of);
    uint32_t all = alike_classes(fabric, class_of, &survey->classes_settled);
    uint32_t *members = calloc((size_t)all + 1, sizeof *members);
    uint32_t *first = calloc((size_t)all + 1, sizeof *first);
    need_memory(members && first);
    for (uint32_t v = 0; v < fabric->npu_count; v++) {
        if (members[class_of[v]]++ == 0)
            first[class_of[v]] = v;
    }
    for (uint32_t c = 0; c < all; c++) {
        if (!members[c])
            continue;
        if (survey->classes < 4) {
            survey->class_first[survey->classes] = first[c];
            survey->class_members[survey->classes] = members[c];
        }
        survey->classes++;
    }
    free(class_of);
    free(members);
    free(first);
}

/* -- diameter ------------------------------------------------------------------------------- */

/* Hops from NPU `src` to the NPU farthest from it, over links that have not failed. */
static uint32_t farthest(const struct fabric *fabric, uint32_t src, uint32_t *hops, uint32_t *queue,
                         uint32_t *most)
{
    memset(hops, 0xff, (size_t)fabric->node_count * sizeof *hops);
    uint32_t head = 0, tail = 0, far = src;
    hops[src] = 0;
    queue[tail++] = src;
    while (head < tail) {
        uint32_t v = queue[head++];
        if (v < fabric->npu_count && hops[v] > hops[far])
            far = v;
        for (uint32_t l = fabric->first_link[v]; l < fabric->first_link[v + 1]; l++) {
            uint32_t w = fabric->link[l].dst;
            if (hops[w] != UINT32_MAX || fabric->link[l].bandwidth_Bps <= 0)
                continue;
            hops[w] = hops[v] + 1;
            queue[tail++] = w;
        }
    }
    *most = hops[far];
    return far;
}

static void search_from(struct survey *survey, const struct fabric *fabric, uint32_t npus)
{
    uint32_t *hops = malloc(2 * ((size_t)fabric->node_count + 1) * sizeof *hops);
    need_memory(hops);
    for (uint32_t i = 0; i < npus; i++) {
        uint32_t src = (uint32_t)((uint64_t)i * fabric->npu_count / npus);
        uint32_t most;
        uint32_t far = farthest(fabric, src, hops, hops + fabric->node_count, &most);
        if (most > survey->diameter_hops) {
            survey->diameter_hops = most;
            survey->far_src = src;
            survey->far_dst = far;
        }
    }
    free(hops);
}

/* Built factors of these kinds are farthest across as seen from their NPU 0: all are alike, or, of
 * a line, 0 is an end. */
static bool looks_alike_from_0(uint8_t kind)
{
    return kind != FABRIC_GRAPH;
}

/* Dimensions are walked one after the other: hops, and coordinates of the far NPU, add up. */
static void diameter_of_product(struct survey *survey, const struct fabric *fabric)
{
    for (uint32_t d = 0; d < fabric->dim_count; d++) {
        const struct fabric *factor = fabric->factor[d].fabric;
        if (!factor)
            continue;
        struct survey part = {0};
        search_from(&part, factor, looks_alike_from_0(fabric->dim[d].kind) ? 1 : factor->npu_count);
        survey->diameter_hops += part.diameter_hops;
        survey->far_src += part.far_src * fabric->dim[d].stride;
        survey->far_dst += part.far_dst * fabric->dim[d].stride;
    }
    survey->diameter_how = SURVEY_BY_SYMMETRY;
}

static double product_steps(const struct fabric *fabric)
{
    double most = 0;
    for (uint32_t d = 0; d < fabric->dim_count; d++) {
        const struct fabric *factor = fabric->factor[d].fabric;
        bool many = factor && !looks_alike_from_0(fabric->dim[d].kind);
        double steps = many ? (double)factor->npu_count * factor->link_count : 0;
        most = steps > most ? steps : most;
    }
    return most;
}

/* A tree that was found in a graph may be lopsided; one that was built is not. */
static bool is_built_tree(const struct fabric *fabric)
{
    return fabric->is_tree && fabric->dim[fabric->dim_count - 1].kind == FABRIC_TREE;
}

static void find_diameter(struct survey *survey, const struct fabric *fabric)
{
    double steps = (double)fabric->npu_count * (fabric->link_count + fabric->node_count);
    if (fabric->npu_count < 2)
        return;
    if (fabric->is_product && !fabric->has_changes && product_steps(fabric) <= MOST_STEPS) {
        diameter_of_product(survey, fabric);
    } else if (is_built_tree(fabric) && !fabric->has_changes) {
        search_from(survey, fabric, 1);
        survey->diameter_how = SURVEY_BY_SYMMETRY;
    } else if (steps <= MOST_STEPS) {
        search_from(survey, fabric, fabric->npu_count);
    } else {
        search_from(survey, fabric, SOME_NPUS);
        survey->diameter_how = SURVEY_SOME_NPUS;
    }
}

/* -- bisection ------------------------------------------------------------------------------ */

static void take_cut(struct survey *survey, double Bps, int dim)
{
    if (survey->bisection_how == SURVEY_UNKNOWN || Bps < survey->bisection_Bps) {
        survey->bisection_Bps = Bps;
        survey->bisection_dim = dim;
    }
    survey->bisection_how = SURVEY_SOME_HALVES;
}

/* Every link has one of the same bandwidth the other way: so has every cut. */
static bool is_same_both_ways(const struct fabric *fabric)
{
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        const struct fabric_link *link = &fabric->link[l];
        if (link->reverse == FABRIC_NONE ||
            fabric->link[link->reverse].bandwidth_Bps != link->bandwidth_Bps)
            return false;
    }
    return true;
}

/* What two halves can send each other: the narrower of the two directions. Swaps the sides. */
static double both_ways(const struct fabric *fabric, unsigned char *side, bool is_same)
{
    double there = max_flow(fabric, side);
    if (is_same)
        return there;
    for (uint32_t v = 0; v < fabric->npu_count; v++)
        side[v] = side[v] == FLOW_SOURCE ? FLOW_SINK : FLOW_SOURCE;
    double back = max_flow(fabric, side);
    return back < there ? back : there;
}

/* NPUs whose coordinate in `dim`, counted from `from` on, is in its lower half are sources.
 * dim < 0: of the rank. */
static void part_by(const struct fabric *fabric, int dim, uint32_t from, unsigned char *side)
{
    memset(side, FLOW_BETWEEN, fabric->node_count);
    uint32_t stride = dim < 0 ? 1 : fabric->dim[dim].stride;
    uint32_t size = dim < 0 ? fabric->npu_count : fabric->dim[dim].npus;
    for (uint32_t v = 0; v < fabric->npu_count; v++)
        side[v] = (v / stride % size + size - from) % size < size / 2 ? FLOW_SOURCE : FLOW_SINK;
}

/* Halves along a dimension of a product cut every copy of its factor in halves. */
static void cut_product(struct survey *survey, const struct fabric *fabric, unsigned char *side)
{
    bool is_even = true, is_built = true;
    for (uint32_t d = 0; d < fabric->dim_count; d++) {
        const struct fabric *factor = fabric->factor[d].fabric;
        bool is_half = fabric->dim[d].npus % 2 == 0 || fabric->dim_count == 1;
        is_even &= is_half || fabric->dim[d].npus == 1;
        is_built &= fabric->dim[d].kind != FABRIC_GRAPH;
        if (!factor || !is_half || factor->link_count > SURVEY_MOST_FLOW_LINKS)
            continue;
        part_by(factor, -1, 0, side);
        double copies = (double)fabric->npu_count / fabric->dim[d].npus;
        take_cut(survey, copies * both_ways(factor, side, is_same_both_ways(factor)), (int)d);
    }
    if (is_even && is_built && survey->bisection_how == SURVEY_SOME_HALVES)
        survey->bisection_how = SURVEY_BY_SYMMETRY;
}

/* Halves that begin half way round an even dimension are the same ones. */
static uint32_t begins(uint32_t size)
{
    return size % 2 == 0 ? size / 2 : size;
}

/*
 * Marks where halves of a dimension may begin: at 0, and, unless all places are alike, at NPUs with
 * less than the most bandwidth, and evenly spread over all, as many of each as are worth it.
 */
static void mark_begins(const struct survey *survey, const struct fabric *fabric, int dim,
                        unsigned char *is_begin)
{
    uint32_t stride = dim < 0 ? 1 : fabric->dim[dim].stride;
    uint32_t size = dim < 0 ? fabric->npu_count : fabric->dim[dim].npus, all = begins(size);
    memset(is_begin, 0, all);
    is_begin[0] = 1;
    if (is_built_tree(fabric) && !fabric->has_changes)
        return;
    uint32_t worth = 1 + MOST_CUT_LINKS / (fabric->link_count + 1), weak = 0;
    for (uint32_t v = 0; v < fabric->npu_count && weak < worth; v++) {
        unsigned char *here = &is_begin[v / stride % size % all];
        if (*here || bandwidth_out(fabric, v) >= survey->injection_most_Bps * (1 - 1e-9))
            continue;
        *here = 1;
        weak++;
    }
    for (uint32_t i = 0; i < worth && i < all; i++)
        is_begin[(uint64_t)i * all / (worth < all ? worth : all)] = 1;
}

static void cut_graph(struct survey *survey, const struct fabric *fabric, unsigned char *side)
{
    bool is_same = is_same_both_ways(fabric);
    unsigned char *is_begin = malloc(fabric->npu_count);
    need_memory(is_begin);
    for (int d = -1; d < (int)fabric->dim_count; d++) {
        if (d >= 0 && (fabric->dim_count == 1 || fabric->dim[d].npus % 2 != 0))
            continue;
        mark_begins(survey, fabric, d, is_begin);
        uint32_t all = begins(d < 0 ? fabric->npu_count : fabric->dim[d].npus);
        for (uint32_t from = 0; from < all; from++) {
            if (!is_begin[from])
                continue;
            part_by(fabric, d, from, side);
            take_cut(survey, both_ways(fabric, side, is_same), d);
        }
    }
    free(is_begin);
    if (is_built_tree(fabric) && !fabric->has_changes && fabric->npu_count % 2 == 0)
        survey->bisection_how = SURVEY_BY_SYMMETRY;
}

/* All ways to part a few NPUs, each in both directions: these may differ. */
static void cut_all_ways(struct survey *survey, const struct fabric *fabric, unsigned char *side)
{
    uint32_t npus = fabric->npu_count;
    for (uint32_t set = 0; set < UINT32_C(1) << npus; set++) {
        uint32_t sources = (uint32_t)__builtin_popcount(set);
        if (sources != npus / 2 && sources != npus - npus / 2)
            continue;
        memset(side, FLOW_BETWEEN, fabric->node_count);
        for (uint32_t v = 0; v < npus; v++)
            side[v] = set >> v & 1 ? FLOW_SOURCE : FLOW_SINK;
        take_cut(survey, max_flow(fabric, side), -2);
    }
    survey->bisection_how = SURVEY_EXACT;
}

static void find_bisection(struct survey *survey, const struct fabric *fabric)
{
    survey->bisection_how = SURVEY_UNKNOWN;
    if (fabric->npu_count < 2)
        return;
    unsigned char *side = malloc(fabric->node_count);
    need_memory(side);
    if (fabric->is_product && !fabric->has_changes)
        cut_product(survey, fabric, side);
    /* On trees shortest paths fill the links: a few phases, whatever the size. */
    uint32_t most = fabric->is_tree ? 16 * SURVEY_MOST_FLOW_LINKS : SURVEY_MOST_FLOW_LINKS;
    if (fabric->link_count <= most && survey->bisection_how == SURVEY_UNKNOWN)
        cut_graph(survey, fabric, side);
    if (fabric->npu_count <= SURVEY_ALL_HALVES && fabric->node_count <= 4 * SURVEY_ALL_HALVES)
        cut_all_ways(survey, fabric, side);
    free(side);
}

void survey_take(struct survey *survey, const struct fabric *fabric)
{
    *survey = (struct survey){0};
    count_nodes(survey, fabric);
    count_links(survey, fabric);
    measure_injection(survey, fabric);
    find_classes(survey, fabric);
    find_diameter(survey, fabric);
    find_bisection(survey, fabric);
}
