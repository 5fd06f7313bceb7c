/* tuner_fabric: what the tuner sees in a fabric. */
#include "tests/unit/unit.h"

#include <math.h>

#include "config/algorithm_name.h"
#include "net/collective/tuner_fabric.h"
#include "net/collective/tuner_parts.h"

static const struct {
    const char *text, *like;
    enum tuner_scale_up scale_up;
    uint32_t domain, gpus_per_node;
    bool has_nvls;
    double ring_GBps, nic_GBps; /* of an NPU */
} rows[] = {
    /* 360 of 450 GB/s are planned on Hopper */
    {"switch:8,bw=450GB/s", "h100-dgx", SCALE_UP_SWITCH, 8, 8, true, 360, 450},
    {"rail:8x4,inbw=450GB/s,bw=50GB/s", "h100-dgx", SCALE_UP_SWITCH, 8, 8, true, 360, 50},
    {"switch:4,bw=225GB/s*switch:16,bw=25GB/s", "h100-dgx", SCALE_UP_SWITCH, 4, 4, true, 180, 25},
    /* the preset has no reduction in its switches */
    {"switch:8,bw=300GB/s", "a100-dgx", SCALE_UP_SWITCH, 8, 8, false, 240, 300},
    /* seven links of 64 GB/s, of which 48 are planned */
    {"full:8,bw=64GB/s", "mi300x", SCALE_UP_MESH, 8, 8, false, 336, 448},
    /* both ways of dimension 0 */
    {"torus:4x4x4,bw=90GB/s", "tpu-v5p", SCALE_UP_TORUS, 64, 4, false, 180, 360},
    /* a network of single NPUs */
    {"fattree:4,bw=50GB/s", "h100-dgx", SCALE_UP_SWITCH, 1, 1, false, 50, 50},
};

static struct tuner *installed(void)
{
    struct tuner *tuner;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(tuner_create(&tuner, NULL, &diag), STATUS_OK);
    return tuner;
}

START_TEST(systems_of_fabrics)
{
    struct tuner *tuner = installed();
    struct fabric *fabric;
    struct diag diag = DIAG_NONE;
    ck_assert_msg(fabric_parse(rows[_i].text, &fabric, &diag) == STATUS_OK, "%s", diag.message);
    const struct tuner_system *system;
    ck_assert_int_eq(tuner_system_of_fabric(tuner, fabric, rows[_i].like, &system, &diag),
                     STATUS_OK);
    ck_assert_int_eq(system->scale_up, rows[_i].scale_up);
    ck_assert_uint_eq(system->domain, rows[_i].domain);
    ck_assert_uint_eq(system->gpus_per_node, rows[_i].gpus_per_node);
    ck_assert_int_eq(system->has_nvls, rows[_i].has_nvls);
    ck_assert_double_eq_tol(system->ring_rate_Bps / 1e9, rows[_i].ring_GBps, 1e-6);
    ck_assert_double_eq_tol(system->nic_rate_Bps / 1e9, rows[_i].nic_GBps, 1e-6);
    fabric_destroy(fabric);
    tuner_destroy(tuner);
}
END_TEST

/* A fabric that is a preset's hardware gives the preset's choice and time. */
START_TEST(same_as_the_preset)
{
    struct tuner *tuner = installed();
    struct fabric *fabric;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(fabric_parse("rail:8x16,inbw=450GB/s,bw=50GB/s", &fabric, &diag), STATUS_OK);
    const struct tuner_system *system, *preset;
    ck_assert_int_eq(tuner_system_of_fabric(tuner, fabric, "h100-dgx", &system, &diag), STATUS_OK);
    ck_assert_int_eq(tuner_find_system(tuner, "h100-dgx", &preset, &diag), STATUS_OK);
    for (uint32_t nodes = 1; nodes <= 16; nodes *= 2) {
        struct tuner_request request = {.kind = COLL_ALL_REDUCE,
                                        .ranks = 8 * nodes,
                                        .nodes = nodes,
                                        .bytes = 1 << 26,
                                        .system = preset};
        struct tuner_choice a, b;
        ck_assert_int_eq(tuner_choose(&request, &a, &diag), STATUS_OK);
        request.system = system;
        ck_assert_int_eq(tuner_choose(&request, &b, &diag), STATUS_OK);
        ck_assert_int_eq(a.algorithm, b.algorithm);
        ck_assert_double_eq_tol(a.time_us, b.time_us, 1e-9 * a.time_us);
    }
    fabric_destroy(fabric);
    tuner_destroy(tuner);
}
END_TEST

/* Single NPUs of a tree: rings and trees over NICs, no domain to be in. */
START_TEST(single_npus)
{
    struct tuner *tuner = installed();
    struct fabric *fabric;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(fabric_parse("fattree:4,bw=50GB/s", &fabric, &diag), STATUS_OK);
    struct tuner_request request = {
        .kind = COLL_ALL_REDUCE, .ranks = 16, .nodes = 16, .bytes = (uint64_t)1 << 30};
    ck_assert_int_eq(tuner_system_of_fabric(tuner, fabric, "h100-dgx", &request.system, &diag),
                     STATUS_OK);
    struct tuner_choice choice;
    ck_assert_int_eq(tuner_choose(&request, &choice, &diag), STATUS_OK);
    ck_assert(choice.time_us > 2 * 15 / 16.0 * 1073741824 / 50e3 && isfinite(choice.time_us));
    fabric_destroy(fabric);
    tuner_destroy(tuner);
}
END_TEST

START_TEST(unknown_preset)
{
    struct tuner *tuner = installed();
    struct fabric *fabric;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(fabric_parse("switch:8", &fabric, &diag), STATUS_OK);
    const struct tuner_system *system;
    ck_assert_int_eq(tuner_system_of_fabric(tuner, fabric, "h101-dgx", &system, &diag),
                     STATUS_BAD_CONFIG);
    fabric_destroy(fabric);
    tuner_destroy(tuner);
}
END_TEST

static const struct {
    enum tuner_algorithm algorithm;
    int kind;
    uint32_t domains, per_domain;
    const char *name; /* NULL: one way only */
} schedules[] = {
    {TUNER_RING, COLL_ALL_REDUCE, 1, 8, "oneRing"},
    {TUNER_RING, COLL_ALL_GATHER, 4, 8, "multi-ring:flat:channels=8"},
    {TUNER_RING, COLL_ALL_REDUCE, 16, 1, "oneRing"},
    {TUNER_RING, COLL_BROADCAST, 4, 8, "chain"},
    {TUNER_TREE, COLL_ALL_REDUCE, 4, 8, "double-binary-tree"},
    {TUNER_NVLS, COLL_ALL_REDUCE, 1, 8, "nvls:flat"},
    {TUNER_NVLS_TREE, COLL_ALL_REDUCE, 4, 8, "nvls-tree"},
    {TUNER_POINT_TO_POINT, COLL_ALL_TO_ALL, 4, 8, "oneDirect"},
    {TUNER_POINT_TO_POINT, COLL_GATHER, 4, 8, "linear"},
    {TUNER_RING, COLL_BARRIER, 1, 8, NULL},
    {TUNER_POINT_TO_POINT, TUNER_SEND_RECEIVE, 1, 8, NULL},
};

START_TEST(schedules_of_choices)
{
    struct tuner_choice choice = {.algorithm = schedules[_i].algorithm};
    struct algorithm_choice schedule;
    bool has = tuner_schedule(&choice, schedules[_i].kind, schedules[_i].domains,
                              schedules[_i].per_domain, &schedule);
    ck_assert_int_eq(has, schedules[_i].name != NULL);
    char text[ALGORITHM_TEXT];
    if (has)
        ck_assert_str_eq(algorithm_show(text, sizeof text, schedule), schedules[_i].name);
}
END_TEST

static Suite *tuner_fabric_suite(void)
{
    Suite *suite = suite_create("tuner_fabric");
    TCase *tcase = tcase_create("tuner_fabric");
    tcase_add_loop_test(tcase, systems_of_fabrics, 0, (int)(sizeof rows / sizeof rows[0]));
    tcase_add_loop_test(tcase, schedules_of_choices, 0,
                        (int)(sizeof schedules / sizeof schedules[0]));
    tcase_add_test(tcase, same_as_the_preset);
    tcase_add_test(tcase, single_npus);
    tcase_add_test(tcase, unknown_preset);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(tuner_fabric_suite())
