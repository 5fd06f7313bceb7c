#include "net/topology/max_flow.h"

#include <stdlib.h>

#include "tests/unit/fabric_util.h"
#include "tests/unit/unit.h"

static double flow(const struct fabric *fabric, const char *from, const char *to)
{
    unsigned char *side = malloc(fabric->node_count);
    memset(side, FLOW_BETWEEN, fabric->node_count);
    side[fabric_find_node(fabric, from)] = FLOW_SOURCE;
    side[fabric_find_node(fabric, to)] = FLOW_SINK;
    double Bps = max_flow(fabric, side);
    free(side);
    return Bps;
}

/* The usual example in which the first shortest path must partly be taken back:
 * s->a 3, s->b 2, a->b 2, a->t 2, b->t 3: the cut around s has 5. */
START_TEST(paths_are_taken_back)
{
    struct fabric *fabric =
        graph_from("nodes: [{name: s, role: npu}, {name: a, role: npu}, {name: b, role: npu}, "
                   "{name: t, role: npu}]\n"
                   "defaults: {latency: 1us, bandwidth: 1GB/s}\n"
                   "links:\n"
                   "  - {a: s, b: a, bandwidth: 3GB/s, bandwidth-back: 1MB/s}\n"
                   "  - {a: s, b: b, bandwidth: 2GB/s, bandwidth-back: 1MB/s}\n"
                   "  - {a: a, b: b, bandwidth: 2GB/s, bandwidth-back: 1MB/s}\n"
                   "  - {a: a, b: t, bandwidth: 2GB/s, bandwidth-back: 1MB/s}\n"
                   "  - {a: b, b: t, bandwidth: 3GB/s, bandwidth-back: 1MB/s}\n");
    ck_assert_double_eq_tol(flow(fabric, "s", "t"), 5e9, 10);
    ck_assert_double_eq_tol(flow(fabric, "t", "s"), 2e6, 1); /* two links of 1 MB/s */
    fabric_destroy(fabric);
}
END_TEST

/* Between two NPUs of a torus all 2 x dims links of each are used; of a leaf-spine, the one
 * link. */
START_TEST(single_pairs)
{
    static const struct {
        const char *text, *from, *to;
        double Bps;
    } rows[] = {
        {"ring:7,bw=10GB/s", "npu0", "npu3", 20e9},
        {"line:7,bw=10GB/s", "npu0", "npu3", 10e9},
        {"torus:4x4x4,bw=10GB/s", "npu0", "npu42", 60e9},
        {"hypercube:16,bw=10GB/s", "npu0", "npu15", 40e9},
        {"full:6,bw=10GB/s", "npu1", "npu4", 50e9},
        {"fattree:4,bw=10GB/s", "npu0", "npu15", 10e9},
        {"fattree:4,bw=10GB/s", "leaf0", "leaf7", 20e9},
    };
    struct fabric *fabric = fabric_from(rows[_i].text);
    ck_assert_double_eq_tol(flow(fabric, rows[_i].from, rows[_i].to), rows[_i].Bps, 10);
    fabric_destroy(fabric);
}
END_TEST

/* A dumb twin: the narrowest of all 2^(n-2) cuts, on random graphs. */
START_TEST(equals_the_narrowest_cut)
{
    enum { NODES = 7 };
    srand((unsigned)_i);
    struct fabric_builder *builder = fabric_builder_create();
    fabric_add_npus(builder, NODES);
    for (uint32_t i = 1; i < NODES; i++)
        fabric_add_cable(builder, i - 1, i, 1 + rand() % 9, 1, 0);
    for (uint32_t i = 0; i < NODES; i++)
        for (uint32_t k = 0; k < NODES; k++)
            if (i != k && rand() % 3 == 0)
                fabric_add_link(builder, i, k, 1 + rand() % 9, 1, 0);
    struct fabric *fabric;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(fabric_finish(builder, "random", &fabric, &diag), STATUS_OK);
    double narrowest = 1e9;
    for (uint32_t set = 0; set < 1u << NODES; set++) {
        if (!(set & 1) || set >> (NODES - 1))
            continue;
        double cut = 0;
        for (uint32_t l = 0; l < fabric->link_count; l++)
            if (set >> fabric->link[l].src & 1 && !(set >> fabric->link[l].dst & 1))
                cut += fabric->link[l].bandwidth_Bps;
        narrowest = cut < narrowest ? cut : narrowest;
    }
    ck_assert_double_eq_tol(flow(fabric, "npu0", "npu6"), narrowest, 1e-6);
    fabric_destroy(fabric);
}
END_TEST

static Suite *max_flow_suite(void)
{
    Suite *suite = suite_create("max_flow");
    TCase *tcase = tcase_create("flow");
    tcase_add_test(tcase, paths_are_taken_back);
    tcase_add_loop_test(tcase, single_pairs, 0, 7);
    tcase_add_loop_test(tcase, equals_the_narrowest_cut, 0, 200);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(max_flow_suite())
