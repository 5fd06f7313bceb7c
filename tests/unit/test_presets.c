#include "net/topology/presets.h"

#include <stdlib.h>

#include "compute/device_files.h"
#include "net/collective/tuner.h"
#include "net/topology/preset_files.h"
#include "net/topology/survey.h"
#include "tests/unit/fabric_util.h"
#include "tests/unit/unit.h"

/* Every preset, at two sizes besides its default. Figures are those of the datasheets: injection is
 * the sum over an NPU's ports, per direction. */
static const struct {
    const char *text;
    uint32_t npus, switches;
    double injection_Bps, bisection_Bps; /* 0: not checked */
} rows[] = {
    /* 8 GPUs per node. Switches: one in each node, 8 leaves per unit, spines. A half of the NPUs
     * sends through the fabric without taper, and through nothing else. */
    {"preset:dgx-a100", 160, 20 + 8 + 5, 325e9, 80 * 25e9},
    {"preset:dgx-a100,nodes=4", 32, 4 + 8 + 5, 325e9, 16 * 25e9},
    {"preset:dgx-a100,nodes=80", 640, 80 + 32 + 20, 325e9, 320 * 25e9},
    {"preset:dgx-h100", 256, 32 + 8 + 4, 500e9, 128 * 50e9},
    {"preset:dgx-h100,nodes=64", 512, 64 + 16 + 8, 500e9, 256 * 50e9},
    {"preset:dgx-h100,nodes=128", 1024, 128 + 32 + 16, 500e9, 512 * 50e9},
    {"preset:dgx-h100,nodes=16384", 131072, 16384 + 4096 + 4096 + 1024, 500e9, 65536 * 50e9},
    {"preset:dgx-h200,nodes=8", 64, 8 + 8 + 4, 500e9, 32 * 50e9},
    {"preset:dgx-h200,nodes=256", 2048, 256 + 64 + 32, 500e9, 1024 * 50e9},
    {"preset:dgx-b200", 256, 32 + 8 + 4, 950e9, 128 * 50e9},
    {"preset:dgx-b200,nodes=128", 1024, 128 + 32 + 16, 950e9, 512 * 50e9},
    /* The rack alone is 72 x 900 GB/s = 64.8 TB/s out of its GPUs (130 TB/s both ways). */
    {"preset:gb200-nvl72,racks=1", 72, 1, 900e9, 36 * 900e9},
    {"preset:gb200-nvl72", 576, 8 + 72 + 8, 950e9, 288 * 50e9},
    {"preset:mi300x,nodes=1", 8, 0, 448e9, 16 * 64e9},
    {"preset:mi300x", 64, 8 + 4, 498e9, 32 * 50e9},
    {"preset:mi300x,nodes=64", 512, 16 + 8, 498e9, 256 * 50e9},
    {"preset:tpu-v4", 128, 0, 300e9, 2 * 16 * 50e9},
    {"preset:tpu-v4,shape=16x16x16", 4096, 0, 300e9, 512 * 50e9},
    {"preset:tpu-v5p", 512, 0, 600e9, 2 * 64 * 100e9},
    {"preset:tpu-v5p,shape=16x16x24", 6144, 0, 600e9, 512 * 100e9},
    /* The published bisections of whole pods: 1.6 and 3.2 TB/s. */
    {"preset:tpu-v5e", 256, 0, 200e9, 1.6e12},
    {"preset:tpu-v6e", 256, 0, 400e9, 3.2e12},
    {"preset:trainium2", 16, 0, 512e9, 8 * 128e9},
    {"preset:trainium2,instances=4", 64, 16, 537e9, 32 * 25e9},
    {"preset:trainium2-ultra", 64, 0, 640e9, 32 * 64e9},
    {"preset:trainium2-ultra,servers=4", 256, 64, 665e9, 128 * 25e9},
};

START_TEST(figures)
{
    struct fabric *fabric = fabric_from(rows[_i].text);
    struct survey survey;
    survey_take(&survey, fabric);
    ck_assert_uint_eq(fabric->npu_count, rows[_i].npus);
    ck_assert_uint_eq(survey.role_count[ROLE_SWITCH], rows[_i].switches);
    ck_assert_double_eq_tol(survey.injection_least_Bps, rows[_i].injection_Bps, 1e3);
    ck_assert_double_eq_tol(survey.injection_most_Bps, rows[_i].injection_Bps, 1e3);
    ck_assert_double_eq_tol(survey.bisection_Bps, rows[_i].bisection_Bps,
                            1e-9 * rows[_i].bisection_Bps);
    ck_assert_uint_eq(survey.classes, 1);
    fabric_destroy(fabric);
}
END_TEST

/* What each file says of itself holds at its default size, and it builds what it says. */
START_TEST(every_file_keeps_its_word)
{
    struct preset_words words;
    uint32_t count = 0;
    for (; preset_describe(count, &words); count++) {
        char text[100];
        snprintf(text, sizeof text, PRESET_PREFIX "%s,%s=%s", words.name, words.parameter,
                 words.fallback);
        struct fabric *fabric = fabric_from(text);
        snprintf(text, sizeof text, PRESET_PREFIX "%s", words.name);
        struct fabric *same = fabric_from(text);
        ck_assert_str_eq(fabric->text, same->text);
        fabric_destroy(same);
        if (words.npus_each)
            ck_assert_uint_eq(fabric->npu_count, words.npus_each * (uint32_t)atoi(words.fallback));
        struct survey survey;
        survey_take(&survey, fabric);
        /* A unit alone has no network outside of it: rows of `figures` have those. */
        if (strcmp(words.fallback, "1") != 0)
            ck_assert_double_eq_tol(survey.injection_least_Bps, words.injection_Bps, 1e3);
        fabric_destroy(fabric);
        ck_assert_ptr_nonnull(strstr(preset_files[count].text, "source:"));
    }
    ck_assert_uint_eq(count, 12);
}
END_TEST

/* v4, v5p: rings only if all sizes are multiples of 4; v5e, v6e: only along a full 16. */
START_TEST(wrap_around)
{
    static const struct {
        const char *text;
        uint32_t cables;
    } slices[] = {
        {"preset:tpu-v4,shape=2x2x1", 4},            /* a 2 x 2 mesh */
        {"preset:tpu-v4,shape=2x4x4", 16 + 24 + 24}, /* a mesh: 1*16, 3*8, 3*8 */
        {"preset:tpu-v4,shape=4x4x4", 192},
        {"preset:tpu-v5p,shape=4x4x8", 384},
        {"preset:tpu-v5p,shape=4x4x6", 72 * 2 + 80}, /* no multiple: 3*24, 3*24, 5*16 */
        {"preset:tpu-v5e,shape=8x16", 7 * 16 + 128}, /* lines of 8, rings of 16 */
        {"preset:tpu-v5e,shape=4x4", 24},
        {"preset:tpu-v6e,shape=16x16", 512},
    };
    struct fabric *fabric = fabric_from(slices[_i].text);
    ck_assert_uint_eq(fabric->link_count, 2 * slices[_i].cables);
    fabric_destroy(fabric);
}
END_TEST

static const struct {
    const char *text, *message, *hint;
} bad[] = {
    {"preset:dgx-h10", "there is no preset \"dgx-h10\"", "did you mean \"dgx-h100\"?"},
    {"preset:", "there is no preset \"\"", "list presets"},
    {"preset:dgx-h100,nodes=33", "a multiple of 32", NULL},
    {"preset:dgx-h100,nodes=0", "from 1 to 16777216", NULL},
    {"preset:dgx-h100,nodes=-4", "from 1 to 16777216", NULL},
    {"preset:dgx-h100,nodes=32768", "at most 16384", NULL},
    {"preset:dgx-h100,nodes", "expected nodes=32", "only parameter"},
    {"preset:dgx-h100,racks=4", "expected nodes=32", "only parameter"},
    {"preset:tpu-v4,shape=4x4", "3 sizes such as 4x4x8", NULL},
    {"preset:tpu-v4,shape=4x4x", "3 sizes such as 4x4x8", NULL},
    {"preset:tpu-v4,shape=0x4x4", "3 sizes such as 4x4x8", NULL},
    {"preset:tpu-v4,shape=16x16x32", "at most 4096 NPUs", NULL},
};

START_TEST(mistakes)
{
    struct fabric *fabric = NULL;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(fabric_parse(bad[_i].text, &fabric, &diag), STATUS_BAD_CONFIG);
    ck_assert_msg(strstr(diag.message, bad[_i].message), "%s: %s", bad[_i].text, diag.message);
    if (bad[_i].hint)
        ck_assert_msg(strstr(diag.hint, bad[_i].hint), "%s: %s", bad[_i].text, diag.hint);
}
END_TEST

/* What a preset says of its device and library is there. */
START_TEST(devices_and_libraries_exist)
{
    struct tuner *tuner;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(tuner_create(&tuner, NULL, &diag), STATUS_OK);
    struct preset_words words;
    for (uint32_t i = 0; preset_describe(i, &words); i++) {
        const struct tuner_system *system;
        ck_assert_msg(embedded_find(device_files, words.device) != NULL, "%s: no device %s",
                      words.name, words.device);
        if (words.library[0])
            ck_assert_msg(tuner_find_system(tuner, words.library, &system, &diag) == STATUS_OK,
                          "%s: %s", words.name, diag.message);
    }
    ck_assert(preset_find("preset:dgx-h100,nodes=128", &words));
    ck_assert_str_eq(words.device, "h100-sxm");
    ck_assert(!preset_find("preset:dgx-h1", &words));
    ck_assert(!preset_find("torus:4x4", &words));
    tuner_destroy(tuner);
}
END_TEST

static Suite *presets_suite(void)
{
    Suite *suite = suite_create("presets");
    TCase *tcase = tcase_create("presets");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, figures, 0, sizeof rows / sizeof *rows);
    tcase_add_test(tcase, every_file_keeps_its_word);
    tcase_add_loop_test(tcase, wrap_around, 0, 8);
    tcase_add_loop_test(tcase, mistakes, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tcase, devices_and_libraries_exist);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(presets_suite())
