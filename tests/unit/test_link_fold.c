/*
 * Folded runs on fabrics against unfolded ones: every rank ends at the same picosecond and every
 * link carries the same; and jobs that must not be folded are not.
 */
#include "tests/unit/mini.h"

#include <math.h>

#include "config/algorithm_name.h"
#include "config/names.h"
#include "net/topology/fabric.h"
#include "net/topology/resolve.h"

struct row {
    const char *topology, *algorithm; /* routing after a blank, else auto */
    enum collective_kind kind;
    bool folds_at_flow, folds_at_link;
};

static const struct row rows[] = {
    {"ring:8", "ring", COLL_ALL_REDUCE, true, true},
    {"ring:8", "direct", COLL_ALL_TO_ALL, true, true},
    {"torus:4x4", "ring", COLL_ALL_REDUCE, true, true},
    {"torus:3x5", "ring", COLL_ALL_REDUCE, true, true},
    {"torus:4x2x3", "ring,direct,ring", COLL_ALL_REDUCE, true, true},
    {"torus:4x4", "oneDirect", COLL_ALL_TO_ALL, true, false},
    {"fully-connected:6", "direct", COLL_ALL_REDUCE, true, true},
    {"switch:8", "ring", COLL_ALL_GATHER, true, true},
    {"switch:8", "halvingDoubling", COLL_ALL_REDUCE, true, true},
    {"switch:8", "direct", COLL_ALL_TO_ALL, true, true},
    {"ring:8", "halvingDoubling", COLL_ALL_REDUCE, true, true},
    {"fattree:4 spray", "halvingDoubling", COLL_ALL_REDUCE, true, false},
    {"fattree:4 spray", "direct", COLL_ALL_TO_ALL, true, false},
    {"switch:4*fattree:4 spray", "ring,halvingDoubling", COLL_ALL_REDUCE, true, false},
    {"leafspine:4x4 ecmp", "ring", COLL_ALL_REDUCE, false, false},
    {"mesh:3x3", "ring", COLL_ALL_REDUCE, false, false},
    {"torus:4x4", "oneRing", COLL_ALL_REDUCE, true, true}, /* a row of 16, not 4 x 4 steps */
    {"torus:4x4x4", "torus-bucket-multiport", COLL_ALL_GATHER, true, true},
    {"torus:4x3x5", "torus-bucket-multiport", COLL_ALL_GATHER, true, false}, /* parts meet */
    /* Many classes, rates that no double holds, long chains: any difference grows. */
    {"xgft:2/8,8/1,8/1,1 spray", "torus-bucket-multiport", COLL_ALL_REDUCE, true, false},
    {"switch:3*xgft:2/6,5/1,3/1,1 spray", "torus-bucket-multiport", COLL_ALL_REDUCE, true, false},
    {"xgft:2/7,6/1,5/1,1 spray", "bidirectional-ring", COLL_ALL_REDUCE, true, false},
    {"switch:4,bw=450GB/s*xgft:3/4,4,2/1,4,2/1,1,1 spray", "torus-bucket-multiport",
     COLL_ALL_REDUCE, true, false},
};

static struct mini *job_of(const struct row *row, const char *changes, enum net_backend backend,
                           bool fold)
{
    struct mini *mini = mini_new();
    char topology[64];
    snprintf(topology, sizeof topology, "%s", row->topology);
    char *routing = strchr(topology, ' ');
    if (routing) {
        unsigned value;
        *routing++ = '\0';
        ck_assert(names_value(net_routing_names, routing, &value));
        mini->config.network.routing = (enum net_routing)value;
    }
    mini->config.network.topology = topology;
    mini->config.network.changes = changes;
    mini->config.network.backend = backend;
    mini->config.network.whole_ns = mini->config.system.whole_ns = false;
    mini->config.fold = fold;
    config_note(&mini->config, "network.backend", "test", "set");
    ck_assert_int_eq(topology_resolve(&mini->config, NULL, &mini->diag), STATUS_OK);
    mini->config.network.topology = row->topology; /* the copy does not last */
    enum algorithm_slot slot = row->kind == COLL_ALL_REDUCE   ? SLOT_ALL_REDUCE
                               : row->kind == COLL_ALL_GATHER ? SLOT_ALL_GATHER
                                                              : SLOT_ALL_TO_ALL;
    struct algorithm_list *list = &mini->config.system.algorithm[slot];
    char names[64], *rest = NULL;
    snprintf(names, sizeof names, "%s", row->algorithm);
    list->count = 0;
    for (char *word = strtok_r(names, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        ck_assert(algorithm_parse(word, &list->choice[list->count++]));
    list->one_name = list->count == 1 && !list->choice[0].flat;
    ck_assert_int_eq(config_finish(&mini->config, &mini->result.notices, &mini->diag), STATUS_OK);
    uint32_t t = mini_trace_new(mini);
    uint32_t before = mini_compute(mini, t, -1, 100);
    uint32_t first = mini_collective(mini, t, (int)before, row->kind, 720720);
    mini_collective(mini, t, (int)before, row->kind, 360360);
    mini_compute(mini, t, (int)first, 5000);
    return mini;
}

static void compare_links(const struct run_result *a, const struct run_result *b)
{
    ck_assert_uint_eq(a->link_count, b->link_count);
    for (uint32_t l = 0; l < a->link_count; l++) {
        ck_assert_msg(fabs(a->link[l].bytes - b->link[l].bytes) <= 1e-9 * b->link[l].bytes,
                      "link %u: %.17g and %.17g B", l, a->link[l].bytes, b->link[l].bytes);
        ck_assert_msg(
            fabs(a->link[l].busy_ns - b->link[l].busy_ns) <= 1e-6 + 1e-9 * b->link[l].busy_ns,
            "link %u: busy %.17g and %.17g ns", l, a->link[l].busy_ns, b->link[l].busy_ns);
    }
}

static void compare_runs(const struct row *row, enum net_backend backend, bool must_fold)
{
    struct mini *folded = job_of(row, NULL, backend, true);
    struct mini *unfolded = job_of(row, NULL, backend, false);
    ck_assert_int_eq(mini_run(folded), STATUS_OK);
    ck_assert_int_eq(mini_run(unfolded), STATUS_OK);
    bool folds = folded->result.class_count < folded->result.rank_count;
    ck_assert_msg(folds == must_fold, "%s %s: %u classes, %s", row->topology, row->algorithm,
                  folded->result.class_count, folded->result.fold_note);
    for (uint32_t r = 0; r < folded->result.rank_count; r++) {
        const struct rank_result *one = result_rank(&folded->result, r);
        const struct rank_result *other = result_rank(&unfolded->result, r);
        ck_assert_msg(memcmp(one, other, sizeof *one) == 0, "%s rank %u: %lu and %lu ps",
                      row->topology, r, (unsigned long)one->finish_ps,
                      (unsigned long)other->finish_ps);
    }
    compare_links(&folded->result, &unfolded->result);
    mini_free(folded);
    mini_free(unfolded);
}

START_TEST(folded_equals_unfolded_at_flow)
{
    compare_runs(&rows[_i], NET_FLOW, rows[_i].folds_at_flow);
}
END_TEST

START_TEST(folded_equals_unfolded_at_link)
{
    compare_runs(&rows[_i], NET_LINK, rows[_i].folds_at_link);
}
END_TEST

/* Chunks whose parts go side by side may end a phase in another order on each rank. */
START_TEST(chunks_of_two_parts)
{
    static const struct row row = {.topology = "switch:4,lat=200ns*ring:3,lat=0ns",
                                   .algorithm = "bidirectional-ring",
                                   .kind = COLL_ALL_REDUCE};
    struct mini *folded = job_of(&row, NULL, NET_FLOW, true);
    struct mini *unfolded = job_of(&row, NULL, NET_FLOW, false);
    for (int i = 0; i < 2; i++) {
        struct system_config *system = &(i ? folded : unfolded)->config.system;
        system->dataset_splits = 3;
        system->active_chunks_per_dim = 2;
        ck_assert_int_eq(mini_run(i ? folded : unfolded), STATUS_OK);
    }
    ck_assert_uint_eq(folded->result.end_ps, unfolded->result.end_ps);
    mini_free(folded);
    mini_free(unfolded);
}
END_TEST

START_TEST(folded_equals_unfolded_at_ideal)
{
    struct mini *folded = job_of(&rows[_i], NULL, NET_IDEAL, true);
    struct mini *unfolded = job_of(&rows[_i], NULL, NET_IDEAL, false);
    ck_assert_int_eq(mini_run(folded), STATUS_OK);
    ck_assert_int_eq(mini_run(unfolded), STATUS_OK);
    ck_assert_uint_eq(folded->result.end_ps, unfolded->result.end_ps);
    mini_free(folded);
    mini_free(unfolded);
}
END_TEST

START_TEST(a_slow_link_is_not_folded_away)
{
    const struct row row = {"torus:4x4", "ring", COLL_ALL_REDUCE, false, false};
    struct mini *slow = job_of(&row, "npu0--npu1:bw*0.5", NET_FLOW, true);
    struct mini *whole = job_of(&row, NULL, NET_FLOW, true);
    ck_assert_int_eq(mini_run(slow), STATUS_OK);
    ck_assert_int_eq(mini_run(whole), STATUS_OK);
    ck_assert_uint_gt(slow->result.class_count, 1);
    ck_assert_uint_gt(slow->result.end_ps, whole->result.end_ps);
    mini_free(slow);
    mini_free(whole);
}
END_TEST

/* The messages of this ring take no rail; the ports of `ideal` have it all the same. */
START_TEST(a_failed_link_that_no_message_takes)
{
    const struct row row = {"rail:4x2", "oneRing", COLL_ALL_REDUCE, false, false};
    const enum net_backend backends[] = {NET_IDEAL, NET_ANALYTICAL, NET_FLOW, NET_LINK};
    struct mini *folded = job_of(&row, "leaf1->npu1:fail", backends[_i], true);
    struct mini *unfolded = job_of(&row, "leaf1->npu1:fail", backends[_i], false);
    ck_assert_int_eq(mini_run(folded), STATUS_OK);
    ck_assert_int_eq(mini_run(unfolded), STATUS_OK);
    for (uint32_t r = 0; r < folded->result.rank_count; r++)
        ck_assert_uint_eq(result_rank(&folded->result, r)->finish_ps,
                          result_rank(&unfolded->result, r)->finish_ps);
    mini_free(folded);
    mini_free(unfolded);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("link_fold");
    TCase *cases = tcase_create("link_fold");
    int count = sizeof rows / sizeof *rows;
    tcase_add_loop_test(cases, folded_equals_unfolded_at_flow, 0, count);
    tcase_add_loop_test(cases, folded_equals_unfolded_at_link, 0, count);
    tcase_add_loop_test(cases, folded_equals_unfolded_at_ideal, 0, count);
    tcase_add_test(cases, chunks_of_two_parts);
    tcase_add_test(cases, a_slow_link_is_not_folded_away);
    tcase_add_loop_test(cases, a_failed_link_that_no_message_takes, 0, 4);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
