/* step_memory: what fits and what does not, and the words for it. */
#include "tests/unit/unit.h"

#include <string.h>

#include "compute/device.h"
#include "run/step_memory.h"
#include "run/step_summary.h"

static struct config config;
static struct job_spec spec;
static struct device device;
static struct notices notices;
static struct diag diag;

static void begin(const char *plan, uint32_t devices, double device_bytes)
{
    diag = DIAG_NONE;
    notices_init(&notices);
    config_init(&config);
    device = (struct device){.name = "toy", .memory_bytes = device_bytes};
    config.system.device = &device;
    job_spec_init(&spec);
    ck_assert_int_eq(job_spec_load(&spec, "llama3-8b", &notices, &diag), STATUS_OK);
    ck_assert_int_eq(job_spec_override(&spec, plan, &diag), STATUS_OK);
    ck_assert_int_eq(job_spec_finish(&spec, devices, &notices, &diag), STATUS_OK);
}

static void end(void)
{
    job_spec_release(&spec);
    config_release(&config);
    notices_release(&notices);
}

static const struct {
    const char *plan;
    uint32_t devices;
    double device_bytes;
    const char *helps; /* NULL: it fits */
} rows[] = {
    {"seq=1024,global-batch=8", 8, 200e9, NULL},
    {"seq=1024,global-batch=8", 8, 0, NULL}, /* not known */
    {"seq=1024,global-batch=8", 8, 80e9, "largest: optimizer, 96.36 GB: try zero 1"},
    {"seq=1024,global-batch=8,zero=1,gradient-type=fp32", 8, 40e9,
     "largest: gradients, 32.12 GB: try more tp or pp, or zero 2"},
    {"seq=8192,global-batch=8,zero=3", 8, 20e9, "largest: activations"},
};

START_TEST(fits_or_says_what_helps)
{
    struct step_memory memory;
    begin(rows[_i].plan, rows[_i].devices, rows[_i].device_bytes);
    step_memory_find(&memory, &spec, &config);
    ck_assert_int_eq(step_fits(&memory), rows[_i].helps == NULL);
    enum status status = step_memory_check(&memory, &config, &diag);
    ck_assert_int_eq(status, rows[_i].helps ? STATUS_DOES_NOT_FIT : STATUS_OK);
    if (rows[_i].helps) {
        ck_assert_msg(strstr(diag.message, "a rank of pipeline stage 0 needs"), "%s", diag.message);
        ck_assert_msg(strstr(diag.hint, rows[_i].helps), "%s", diag.hint);
    }
    struct step_figures step = step_summary(&spec, &config);
    ck_assert_uint_eq(step.memory.worst.total_bytes, memory.worst.total_bytes);
    end();
}
END_TEST

/*
 * 16 sequences of 1,024 on 8 devices, tp 4 and dp 2: 16,384 tokens, whatever is parallel. Products
 * are in fp8, so utilisation is of that peak. Llama-3 8B has 7.5e9 parameters in products (8.03e9
 * less 128,256 x 4,096 of the embedding): 6 flops of each and token are 7.38e14, causal attention
 * (6 x 32 x 4,096 x 1,024 a token) adds 1.3e13.
 */
START_TEST(figures_of_a_step)
{
    begin("seq=1024,global-batch=16,tp=4,micro-batch=1,compute-type=fp8,recompute=full", 8, 80e9);
    device.peak_flops[TYPE_BF16] = 1e15;
    device.peak_flops[TYPE_FP8] = 2e15;
    struct step_figures step = step_summary(&spec, &config);
    ck_assert_uint_eq(step.devices, 8);
    ck_assert_uint_eq(step.tokens, 16384);
    ck_assert_str_eq(step.unit, "tokens");
    ck_assert_str_eq(step.type, "fp8");
    ck_assert_double_eq(step.peak_flops, 2e15);
    double flops = 6 * 7.505e9 * 16384 + 6.0 * 32 * 4096 * 1024 * 16384;
    ck_assert_double_eq_tol(step.model_flops, flops, 2e-3 * flops);
    ck_assert_str_eq(step.plan, "tp 4, dp 2, recompute full, seq 1024, batch 16 of micro-batch 1");
    end();
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("step_memory");
    TCase *tcase = tcase_create("step_memory");
    tcase_add_loop_test(tcase, fits_or_says_what_helps, 0, sizeof rows / sizeof *rows);
    tcase_add_test(tcase, figures_of_a_step);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(suite_of())
