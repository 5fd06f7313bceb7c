#include "report/step_report.h"

#include <inttypes.h>

#include "report/columns.h"

void step_text(const struct run_result *result, const struct step_figures *step, FILE *out)
{
    time_ps end = result->end_ps;
    fprintf(out, "training step: %s by %s\n", step->model, step->framework);
    fprintf(out, "  plan        ");
    columns_wrap(out, 14, 14, step->plan);
    if (result->status == STATUS_OK && step->tokens)
        fprintf(out, "  throughput  %.0f tokens/s, %.1f tokens/s per device, %" PRIu64 " tokens\n",
                step_tokens_per_s(step, end), step_tokens_per_s(step, end) / step->devices,
                step->tokens);
    if (result->status == STATUS_OK)
        fprintf(out, "  compute     %.1f model Tflop/s per device",
                step_flops_per_device(step, end) / 1e12);
    if (result->status == STATUS_OK && step->peak_flops > 0)
        fprintf(out, ", MFU %.1f %% of %.0f Tflop/s (%s, %s, dense)", 100 * step_mfu(step, end),
                step->peak_flops / 1e12, step->device, step->type);
    fputs(result->status == STATUS_OK ? "\n\n" : "\n", out);
}

void step_json(const struct run_result *result, const struct step_figures *step,
               struct json_writer *json)
{
    time_ps end = result->status == STATUS_OK ? result->end_ps : 0;
    json_map_begin(json, "training_step", JSON_LINES);
    json_text(json, "model", step->model);
    json_text(json, "framework", step->framework);
    json_text(json, "plan", step->plan);
    json_text(json, "device", step->device ? step->device : "");
    json_text(json, "type", step->type);
    json_u64(json, "devices", step->devices);
    json_u64(json, "tokens", step->tokens);
    json_whole(json, "model_flop", step->model_flops);
    json_whole(json, "peak_flop_per_s", step->peak_flops);
    json_double(json, "tokens_per_s", step_tokens_per_s(step, end));
    json_double(json, "model_flop_per_s_per_device", step_flops_per_device(step, end));
    json_double(json, "mfu", step_mfu(step, end));
    json_map_end(json);
}
