/* What a generated job sets of a configuration, and what it leaves. */
#include "run/job_config.h"

#include <string.h>

#include "compute/device.h"
#include "config/own_config.h"
#include "config/settings.h"
#include "tests/unit/unit.h"

static struct config config;
static struct job_spec spec;
static struct notices notices;
static struct diag diag;

static void begin(void)
{
    diag = DIAG_NONE;
    config_init(&config);
    own_config_defaults(&config);
    notices_init(&notices);
    job_spec_init(&spec);
    spec.framework = (struct framework){.name = "test", .launch_ns = 3000, .matrix_ratio = 0.8};
}

static void end(void)
{
    job_spec_release(&spec);
    notices_release(&notices);
    config_release(&config);
}

static void set(const char *key, const char *value)
{
    ck_assert_int_eq(setting_set_text(&config, setting_find(key), value, "file:1", &notices, &diag),
                     STATUS_OK);
}

static void apply(void)
{
    ck_assert_msg(job_config_default(&config, &spec, &notices, &diag) == STATUS_OK, "%s",
                  diag.message);
}

START_TEST(a_preset_gives_device_library_and_auto)
{
    set("network.topology", "preset:dgx-h100,nodes=2");
    apply();
    const struct system_config *system = &config.system;
    ck_assert_str_eq(system->device_name, "h100-sxm");
    ck_assert_str_eq(system->library, "h100-dgx");
    ck_assert(system->library_costs && system->streams && system->sustained_rates);
    ck_assert_int_eq(system->algorithm[SLOT_ALL_REDUCE].choice[0].id, ALG_AUTO);
    ck_assert_ptr_nonnull(strstr(config_source(&config, "system.streams"), "generated job"));
}
END_TEST

START_TEST(what_was_said_stays)
{
    set("network.topology", "preset:dgx-h100,nodes=2");
    set("system.device", "h200");
    set("system.dataset-splits", "4");
    set("system.library-costs", "false");
    config.system.algorithm[SLOT_ALL_GATHER].count = 1;
    config.system.algorithm[SLOT_ALL_GATHER].choice[0].id = ALG_DIRECT;
    apply();
    ck_assert_str_eq(config.system.device_name, "h200");
    ck_assert_uint_eq(config.system.dataset_splits, 4);
    ck_assert(!config.system.library_costs);
    ck_assert_int_eq(config.system.algorithm[SLOT_ALL_GATHER].choice[0].id, ALG_DIRECT);
    ck_assert_str_eq(config_source(&config, "system.device"), "file:1");
}
END_TEST

START_TEST(without_a_library_rings_and_direct_exchanges)
{
    set("network.topology", "switch:8");
    apply();
    ck_assert_ptr_null(config.system.library);
    ck_assert(!config.system.library_costs);
    ck_assert_int_eq(config.system.algorithm[SLOT_ALL_REDUCE].choice[0].id, ALG_RING);
    ck_assert_int_eq(config.system.algorithm[SLOT_ALL_TO_ALL].choice[0].id, ALG_DIRECT);
}
END_TEST

START_TEST(a_library_of_ones_own_comes_with_its_costs)
{
    set("network.topology", "switch:8");
    set("system.library", "h100-dgx");
    apply();
    ck_assert(config.system.library_costs);
    ck_assert_int_eq(config.system.algorithm[SLOT_ALL_REDUCE].choice[0].id, ALG_AUTO);
}
END_TEST

/* The framework's launch, else the device's; none of either where a step is one graph. */
START_TEST(launches_are_the_frameworks_or_the_devices)
{
    set("network.topology", "preset:dgx-h100,nodes=2");
    apply();
    ck_assert_double_eq(config.system.launch_overhead_ns, 3000);
    ck_assert_double_eq(config.system.collective_launch_ns, 3000);
    ck_assert_double_eq(config.system.matrix_ratio, 0.8);
    end();
    begin();
    set("network.topology", "preset:dgx-h100,nodes=2");
    spec.framework.launch_ns = 0;
    spec.framework.collective_launch_ns = 7000;
    apply();
    ck_assert_double_gt(config.system.launch_overhead_ns, 0);
    ck_assert_double_eq(config.system.collective_launch_ns, 7000);
    end();
    begin();
    set("network.topology", "preset:dgx-h100,nodes=2");
    spec.framework.one_graph = true;
    apply();
    ck_assert_double_eq(config.system.launch_overhead_ns, 0);
    ck_assert_double_eq(config.system.collective_launch_ns, 0);
}
END_TEST

/* A device with bf16 and fp8: fp4 goes to fp8, fp16 (V100's) to bf16; fp32 has no matrix units and needs none. */
static const struct {
    enum data_type type;
    const char *nearest; /* NULL: accepted */
} types[] = {{TYPE_BF16, NULL}, {TYPE_FP8, NULL},  {TYPE_FP32, NULL},
             {TYPE_FP4, "fp8"}, {TYPE_FP6, "fp8"}, {TYPE_FP16, "bf16"}};

START_TEST(types_without_matrix_units_are_refused)
{
    struct device device = {.name = "d"};
    device.peak_flops[TYPE_BF16] = device.peak_flops[TYPE_FP8] = 1e15;
    bool is_fine = job_config_type(types[_i].type, &device, &diag) == STATUS_OK;
    ck_assert_int_eq(is_fine, types[_i].nearest == NULL);
    if (types[_i].nearest)
        ck_assert_ptr_nonnull(strstr(diag.hint, types[_i].nearest));
}
END_TEST

static Suite *job_config_suite(void)
{
    Suite *suite = suite_create("job_config");
    TCase *tcase = tcase_create("job_config");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, a_preset_gives_device_library_and_auto);
    tcase_add_test(tcase, what_was_said_stays);
    tcase_add_test(tcase, without_a_library_rings_and_direct_exchanges);
    tcase_add_test(tcase, a_library_of_ones_own_comes_with_its_costs);
    tcase_add_test(tcase, launches_are_the_frameworks_or_the_devices);
    tcase_add_loop_test(tcase, types_without_matrix_units_are_refused, 0,
                        (int)(sizeof types / sizeof *types));
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(job_config_suite())
