/* step_report: throughput, utilisation and memory of a step, worked out by hand. */
#define _POSIX_C_SOURCE 200809L
#include "report/step_report.h"

#include <string.h>

#include "tests/unit/unit.h"

/*
 * 4,000 tokens on 2 devices in half a second: 8,000 a second, 4,000 each. 100e12 model flops are
 * 100 Tflop/s of each device, a quarter of its 400. Stage 3 needs 30 GB of 40: 10 of weights, 18 of
 * activations, 2 kept back.
 */
static struct step_figures figures(void)
{
    struct step_figures step = {.model = "m",
                                .framework = "f",
                                .device = "d",
                                .plan = "pp 4",
                                .type = "bf16",
                                .devices = 2,
                                .unit = "tokens",
                                .tokens = 4000,
                                .model_flops = 100e12,
                                .peak_flops = 400e12};
    step.memory.stage = 3;
    step.memory.device_bytes = 40e9;
    step.memory.worst.total_bytes = 30000000000;
    step.memory.worst.bytes[MEMORY_WEIGHTS] = 10000000000;
    step.memory.worst.bytes[MEMORY_ACTIVATIONS] = 18000000000;
    step.memory.worst.bytes[MEMORY_RESERVE] = 2000000000;
    return step;
}

static const struct run_result half_a_second = {.status = STATUS_OK, .end_ps = 500000000000};

static char *printed;
static size_t length;

static const char *text_of(const struct step_figures *step, const struct run_result *result)
{
    free(printed);
    FILE *out = open_memstream(&printed, &length);
    step_text(result, step, out);
    fclose(out);
    return printed;
}

static const char *json_of(const struct step_figures *step, const struct run_result *result)
{
    struct json_writer json;
    free(printed);
    FILE *out = open_memstream(&printed, &length);
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    step_json(result, step, &json);
    json_map_end(&json);
    fclose(out);
    return printed;
}

static void expect(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "\"%s\" is not in\n%s", part, text);
}

START_TEST(figures_in_text)
{
    struct step_figures step = figures();
    const char *text = text_of(&step, &half_a_second);
    expect(text, "30.00 GB of a rank at most, on stage 3; the device has 40.00 GB\n");
    expect(text, "weights 10.00 GB, activations 18.00 GB, reserve 2.000 GB\n");
    expect(text, "  8000 tokens/s, 4000.0 tokens/s per device, 4000 tokens a step\n");
    expect(text, "  100.0 model Tflop/s per device, MFU 25.0 % of 400 Tflop/s (d, bf16, dense)\n");
    step.memory.device_bytes = 29e9;
    expect(text_of(&step, &half_a_second), "29.00 GB: DOES NOT FIT\n");
    step.peak_flops = 0;
    ck_assert_ptr_null(strstr(text_of(&step, &half_a_second), "MFU"));
}
END_TEST

START_TEST(figures_in_json)
{
    const struct step_figures step = figures();
    const char *json = json_of(&step, &half_a_second);
    expect(json, "\"devices\": 2,");
    expect(json, "\"tokens\": 4000,");
    expect(json, "\"tokens_per_s\": 8000,");
    expect(json, "\"model_flop\": 100000000000000,");
    expect(json, "\"peak_flop_per_s\": 400000000000000,");
    expect(json, "\"model_flop_per_s_per_device\": 100000000000000,");
    expect(json, "\"mfu\": 0.25,");
    expect(json, "\"stage\": 3,");
    expect(json, "\"bytes\": 30000000000,");
    expect(json, "\"device_bytes\": 40000000000,");
    expect(json, "\"fits\": true,");
    expect(json, "\"reserve\": 2000000000");
}
END_TEST

/* A run that did not end has no throughput. */
START_TEST(no_time_no_rate)
{
    const struct run_result stuck = {.status = STATUS_STUCK, .end_ps = 500000000000};
    const struct step_figures step = figures();
    ck_assert_ptr_null(strstr(text_of(&step, &stuck), "/s"));
    expect(json_of(&step, &stuck), "\"mfu\": 0,");
}
END_TEST

static Suite *step_report_suite(void)
{
    Suite *suite = suite_create("step_report");
    TCase *all = tcase_create("all");
    tcase_add_test(all, figures_in_text);
    tcase_add_test(all, figures_in_json);
    tcase_add_test(all, no_time_no_rate);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(step_report_suite())
