/* plan_auto: what `auto` needs, and that it chooses what the tuner says for the whole
 * collective. */
#include "sched/plan_auto.h"

#include <string.h>

#include "config/algorithm_name.h"
#include "config/settings.h"
#include "net/collective/tuner_fabric.h"
#include "net/topology/fabric.h"
#include "net/topology/resolve.h"
#include "tests/unit/config_bench.h"

static struct plan_auto *automatic;

static void set(const char *key, const char *text)
{
    enum status status =
        setting_set_text(&config, setting_find(key), text, "test", &notices, &diag);
    ck_assert_msg(status == STATUS_OK, "%s: %s", key, diag.message);
}

static void begin(void)
{
    set_up();
    automatic = NULL;
}

static void end(void)
{
    plan_auto_destroy(automatic);
    tear_down();
}

static enum status choose(enum collective_kind kind, uint64_t bytes,
                          struct algorithm_choice *choice, struct tuner_choice *tuned)
{
    const struct plan_auto_request asked = {kind, bytes, 0, 0};
    return plan_auto_choose(&automatic, &config, &asked, choice, tuned, &diag);
}

/* Two domains of 8: as the preset itself, asked for 16 ranks on 2 nodes. */
START_TEST(as_the_tuner)
{
    static const uint64_t sizes[] = {1024, 1 << 20, 1 << 28};
    set("network.topology", "rail:8x2,inbw=450GB/s,bw=50GB/s");
    set("system.library", "h100-dgx");
    ck_assert_int_eq(topology_resolve(&config, &notices, &diag), STATUS_OK);
    struct tuner *tuner;
    const struct tuner_system *system;
    ck_assert_int_eq(tuner_create(&tuner, NULL, &diag), STATUS_OK);
    ck_assert_int_eq(tuner_find_system(tuner, "h100-dgx", &system, &diag), STATUS_OK);
    for (int i = 0; i < 3; i++) {
        struct algorithm_choice choice;
        struct tuner_choice tuned, wanted;
        ck_assert_msg(choose(COLL_ALL_REDUCE, sizes[i], &choice, &tuned) == STATUS_OK, "%s",
                      diag.message);
        const struct tuner_request request = {
            .kind = COLL_ALL_REDUCE, .ranks = 16, .nodes = 2, .bytes = sizes[i], .system = system};
        ck_assert_int_eq(tuner_choose(&request, &wanted, &diag), STATUS_OK);
        ck_assert_int_eq(tuned.algorithm, wanted.algorithm);
        ck_assert_int_eq(tuned.protocol, wanted.protocol);
        ck_assert_double_eq_tol(tuned.time_us, wanted.time_us, 1e-9 * wanted.time_us);
        ck_assert(choice.flat && choice.id < ALG_COUNT);
    }
    tuner_destroy(tuner);
}
END_TEST

/* trace.h rule 5: an all-gather's size is one rank's, the tuner's that of all 16. */
START_TEST(sizes_are_those_of_traces)
{
    struct algorithm_choice choice;
    struct tuner_choice part, whole;
    set("network.topology", "rail:8x2,inbw=450GB/s,bw=50GB/s");
    set("system.library", "h100-dgx");
    ck_assert_int_eq(topology_resolve(&config, &notices, &diag), STATUS_OK);
    ck_assert_int_eq(choose(COLL_ALL_GATHER, 1 << 24, &choice, &part), STATUS_OK);
    ck_assert_int_eq(choose(COLL_REDUCE_SCATTER, 1 << 28, &choice, &whole), STATUS_OK);
    ck_assert_double_eq_tol(part.wire_bytes, whole.wire_bytes, 1e-9 * whole.wire_bytes);
    ck_assert_int_eq(choose(COLL_ALL_REDUCE, 1 << 24, &choice, NULL), STATUS_OK);
}
END_TEST

/* Domains of 4: whole ones, single members, halves of each, and what is spread unevenly. */
static const struct {
    uint32_t ranks[8], count, domains;
} layouts[] = {
    {{4, 5, 6, 7}, 4, 1}, {{0, 4, 8, 12}, 4, 4}, {{0, 1, 4, 5, 8, 9}, 6, 3}, {{0, 1, 4}, 3, 3},
    {{0, 1, 4, 8}, 4, 4}, {{0, 4, 1, 5}, 4, 4},  {{8, 9, 0, 1}, 4, 4},
};

START_TEST(domains_of_groups)
{
    set("network.topology", "rail:4x4,inbw=450GB/s,bw=50GB/s");
    ck_assert_int_eq(topology_resolve(&config, &notices, &diag), STATUS_OK);
    const struct comm_group group = {"g", layouts[_i].ranks, layouts[_i].count, false};
    ck_assert_uint_eq(plan_auto_domains(&config.network, &group), layouts[_i].domains);
}
END_TEST

/* A group of two domains of 2: a ring through each member of a domain; alltoall point to point. */
START_TEST(groups_take_rings_or_messages)
{
    struct algorithm_choice choice;
    struct tuner_choice tuned;
    set("network.topology", "rail:8x4,inbw=450GB/s,bw=50GB/s");
    set("system.library", "h100-dgx");
    ck_assert_int_eq(topology_resolve(&config, &notices, &diag), STATUS_OK);
    struct plan_auto_request asked = {COLL_ALL_REDUCE, 1 << 28, 4, 2};
    ck_assert_int_eq(plan_auto_choose(&automatic, &config, &asked, &choice, &tuned, &diag),
                     STATUS_OK);
    ck_assert_int_eq(choice.id, ALG_MULTI_RING);
    ck_assert_uint_eq(choice.channels, 2);
    asked = (struct plan_auto_request){COLL_ALL_REDUCE, 1 << 28, 8, 1}; /* not NVLS */
    ck_assert_int_eq(plan_auto_choose(&automatic, &config, &asked, &choice, &tuned, &diag),
                     STATUS_OK);
    ck_assert_int_eq(choice.id, ALG_RING);
    asked.kind = COLL_ALL_TO_ALL;
    ck_assert_int_eq(plan_auto_choose(&automatic, &config, &asked, &choice, &tuned, &diag),
                     STATUS_OK);
    ck_assert_int_eq(choice.id, ALG_DIRECT);
}
END_TEST

/* In a mesh one ring would have one link of each NPU; the library's rings have all. */
START_TEST(meshes_take_all_their_links)
{
    struct algorithm_choice choice;
    struct tuner_choice tuned;
    set("network.topology", "rail:8x2,inside=full,inbw=64GB/s,bw=50GB/s");
    set("system.library", "mi300x");
    ck_assert_int_eq(topology_resolve(&config, &notices, &diag), STATUS_OK);
    struct plan_auto_request asked = {COLL_ALL_REDUCE, 1 << 28, 8, 1};
    ck_assert_int_eq(plan_auto_choose(&automatic, &config, &asked, &choice, &tuned, &diag),
                     STATUS_OK);
    ck_assert_int_eq(choice.id, ALG_DIRECT);
    ck_assert(choice.flat);
    ck_assert_uint_eq(tuned.steps, 2); /* which cost what 14 hand-overs of the ring do */
    const struct tuner_choice direct = tuned;
    asked.domains = 2; /* halves of both: rings */
    ck_assert_int_eq(plan_auto_choose(&automatic, &config, &asked, &choice, &tuned, &diag),
                     STATUS_OK);
    ck_assert_int_eq(choice.id, ALG_MULTI_RING);
    ck_assert_double_gt(direct.alpha_us, tuned.alpha_us);
}
END_TEST

/* 32 domains of 8: small all-reduces are a tree's in the library, and exchanges here; large ones
 * are rings. With 24 domains there is no exchange; without library-costs groups have rings. */
START_TEST(exchanges_stand_for_trees)
{
    static const struct {
        bool with_costs;
        uint64_t bytes;
        uint32_t ranks, domains;
        enum algorithm_id id;
    } rows[] = {{true, 4, 256, 32, ALG_RECURSIVE_DOUBLING},
                {true, 1 << 20, 256, 32, ALG_HALVING_DOUBLING},
                {true, 1 << 20, 32, 32, ALG_HALVING_DOUBLING},
                {true, 1 << 20, 24, 24, ALG_RING},
                {false, 4, 32, 32, ALG_RING}};
    struct algorithm_choice choice;
    struct tuner_choice tuned;
    set("network.topology", "rail:8x64,inbw=450GB/s,bw=50GB/s");
    set("system.library", "h100-dgx");
    set("system.library-costs", rows[_i].with_costs ? "true" : "false");
    ck_assert_int_eq(topology_resolve(&config, &notices, &diag), STATUS_OK);
    const struct plan_auto_request asked = {COLL_ALL_REDUCE, rows[_i].bytes, rows[_i].ranks,
                                            rows[_i].domains};
    ck_assert_int_eq(plan_auto_choose(&automatic, &config, &asked, &choice, &tuned, &diag),
                     STATUS_OK);
    ck_assert_int_eq(choice.id, rows[_i].id);
    ck_assert(choice.flat);
}
END_TEST

START_TEST(needs_a_library)
{
    struct algorithm_choice choice;
    set("network.topology", "switch:8");
    ck_assert_int_eq(topology_resolve(&config, &notices, &diag), STATUS_OK);
    ck_assert_int_eq(choose(COLL_ALL_REDUCE, 1024, &choice, NULL), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.field, "system.library");
    ck_assert_ptr_nonnull(strstr(diag.hint, "h100-dgx"));
    ck_assert_ptr_null(automatic);
}
END_TEST

START_TEST(needs_a_fabric)
{
    struct algorithm_choice choice;
    set("system.library", "h100-dgx");
    ck_assert_int_eq(choose(COLL_ALL_REDUCE, 1024, &choice, NULL), STATUS_BAD_CONFIG);
    ck_assert_ptr_nonnull(strstr(diag.message, "sees links"));
}
END_TEST

START_TEST(unknown_library)
{
    struct algorithm_choice choice;
    set("network.topology", "switch:8");
    set("system.library", "h100-dgz");
    ck_assert_int_eq(topology_resolve(&config, &notices, &diag), STATUS_OK);
    ck_assert_int_ne(choose(COLL_ALL_REDUCE, 1024, &choice, NULL), STATUS_OK);
    ck_assert_str_eq(diag.field, "system.library");
    ck_assert_msg(strstr(diag.hint, "h100-dgx") != NULL, "%s", diag.hint);
    ck_assert_ptr_null(automatic);
    plan_auto_destroy(NULL);
}
END_TEST

static Suite *plan_auto_suite(void)
{
    Suite *suite = suite_create("plan_auto");
    TCase *tcase = tcase_create("plan_auto");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, as_the_tuner);
    tcase_add_test(tcase, sizes_are_those_of_traces);
    tcase_add_loop_test(tcase, domains_of_groups, 0, (int)(sizeof layouts / sizeof *layouts));
    tcase_add_test(tcase, groups_take_rings_or_messages);
    tcase_add_test(tcase, meshes_take_all_their_links);
    tcase_add_loop_test(tcase, exchanges_stand_for_trees, 0, 5);
    tcase_add_test(tcase, needs_a_library);
    tcase_add_test(tcase, needs_a_fabric);
    tcase_add_test(tcase, unknown_library);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(plan_auto_suite())
