#include "report/step_report.h"

#include <inttypes.h>

#include "report/columns.h"

/* Of the stage that needs most, by class. */
static void needs_text(const struct step_memory *memory, FILE *out)
{
    char bytes[32];
    fprintf(out, "  memory      %s of a rank at most, on stage %u",
            units_show_bytes(bytes, sizeof bytes, (double)memory->worst.total_bytes),
            memory->stage);
    if (memory->device_bytes > 0)
        fprintf(out, "; the device has %s%s",
                units_show_bytes(bytes, sizeof bytes, memory->device_bytes),
                step_fits(memory) ? "" : ": DOES NOT FIT");
    char text[320] = "";
    size_t used = 0;
    for (int class = 0; class < MEMORY_CLASS_COUNT && used < sizeof text; class ++) {
        if (memory->worst.bytes[class])
            used += (size_t)snprintf(
                text + used, sizeof text - used, "%s%s %s", used ? ", " : "",
                memory_class_names[class],
                units_show_bytes(bytes, sizeof bytes, (double)memory->worst.bytes[class]));
    }
    fprintf(out, "\n%14s", "");
    columns_wrap(out, 14, 14, text);
}

void step_text(const struct run_result *result, const struct step_figures *step, FILE *out)
{
    time_ps end = result->end_ps;
    fprintf(out, "training step: %s by %s\n", step->model, step->framework);
    fprintf(out, "  plan        ");
    columns_wrap(out, 14, 14, step->plan);
    needs_text(&step->memory, out);
    if (result->status == STATUS_OK && step->tokens)
        fprintf(out, "  throughput  %.0f %s/s, %.1f %s/s per device, %" PRIu64 " %s a step\n",
                step_tokens_per_s(step, end), step->unit,
                step_tokens_per_s(step, end) / step->devices, step->unit, step->tokens, step->unit);
    if (result->status == STATUS_OK)
        fprintf(out, "  compute     %.1f model Tflop/s per device",
                step_flops_per_device(step, end) / 1e12);
    if (result->status == STATUS_OK && step->peak_flops > 0)
        fprintf(out, ", MFU %.1f %% of %.0f Tflop/s (%s, %s, dense)", 100 * step_mfu(step, end),
                step->peak_flops / 1e12, step->device, step->type);
    fputs(result->status == STATUS_OK ? "\n\n" : "\n", out);
}

static void needs_json(const struct step_memory *memory, struct json_writer *json)
{
    json_map_begin(json, "memory", JSON_LINES);
    json_u64(json, "stage", memory->stage);
    json_u64(json, "bytes", memory->worst.total_bytes);
    json_whole(json, "device_bytes", memory->device_bytes);
    json_bool(json, "fits", step_fits(memory));
    for (int class = 0; class < MEMORY_CLASS_COUNT; class ++)
        json_u64(json, memory_class_names[class], memory->worst.bytes[class]);
    json_map_end(json);
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
    json_text(json, "unit", step->unit);
    json_u64(json, step->unit, step->tokens);
    json_whole(json, "model_flop", step->model_flops);
    json_whole(json, "peak_flop_per_s", step->peak_flops);
    char key[32];
    snprintf(key, sizeof key, "%s_per_s", step->unit);
    json_double(json, key, step_tokens_per_s(step, end));
    json_double(json, "model_flop_per_s_per_device", step_flops_per_device(step, end));
    json_double(json, "mfu", step_mfu(step, end));
    needs_json(&step->memory, json);
    json_map_end(json);
}
