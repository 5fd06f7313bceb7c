#include "report/scale_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/columns.h"
#include "report/json_writer.h"

void scale_row_fill(struct scale_row *row, const struct run_result *result)
{
    double compute = 0, exposed = 0;
    for (uint32_t r = 0; r < result->rank_count; r++) {
        const struct rank_result *rank = result_rank(result, r);
        compute += (double)rank->compute_ps;
        for (int kind = 0; kind < COMM_KIND_COUNT; kind++)
            exposed += (double)rank->exposed_ps[kind];
    }
    double whole = (double)result->end_ps * result->rank_count;
    row->end_ps = result->end_ps;
    row->compute_ratio = whole > 0 ? compute / whole : 0;
    row->exposed_ratio = whole > 0 ? exposed / whole : 0;
    row->rest_ratio = whole > 0 ? fmax(0, 1 - row->compute_ratio - row->exposed_ratio) : 0;
}

static const struct scale_row *first_run(const struct scale_table *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->row[i].status == STATUS_OK)
            return &table->row[i];
    }
    return &table->row[0];
}

static const char *unit_of(const struct scale_table *table)
{
    const char *unit = first_run(table)->step.unit;
    return unit ? unit : "tokens";
}

static double per_device(const struct scale_row *row)
{
    return row->status == STATUS_OK ? step_tokens_per_s(&row->step, row->end_ps) / row->devices : 0;
}

double scale_efficiency(const struct scale_table *table, uint32_t index)
{
    for (uint32_t i = 0; i < table->count; i++) {
        if (per_device(&table->row[i]) > 0)
            return per_device(&table->row[index]) / per_device(&table->row[i]);
    }
    return 0;
}

/* -- text ----------------------------------------------------------------------------------- */

static void add_row(const struct scale_table *table, uint32_t i, struct columns *columns)
{
    const struct scale_row *row = &table->row[i];
    char text[32];
    columns_add(columns, "%" PRIu32, row->devices);
    columns_add(columns, "%s", units_show_time(text, sizeof text, row->end_ps));
    columns_add(columns, "%.0f", step_tokens_per_s(&row->step, row->end_ps));
    columns_add(columns, "%.1f", per_device(row));
    if (row->step.peak_flops > 0)
        columns_add(columns, "%.1f %%", 100 * step_mfu(&row->step, row->end_ps));
    else
        columns_add(columns, "-");
    columns_add(columns, "%.1f %%", 100 * scale_efficiency(table, i));
    columns_add(columns, "%.1f %%", 100 * row->compute_ratio);
    columns_add(columns, "%.1f %%", 100 * row->exposed_ratio);
    columns_add(columns, "%.1f %%", 100 * row->rest_ratio);
    columns_add(columns, "%.1f GB%s", (double)row->step.memory.worst.total_bytes / 1e9,
                step_fits(&row->step.memory) ? "" : " (!)");
}

static void print_rows(const struct scale_table *table, FILE *out)
{
    char rate[32];
    snprintf(rate, sizeof rate, "%s/s", unit_of(table));
    const char *const heading[] = {"devices",    "step",    rate,      "per device", "MFU",
                                   "efficiency", "compute", "exposed", "rest",       "memory"};
    struct columns columns;
    columns_init(&columns, "rrrrrrrrrr");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        columns_add(&columns, "%s", heading[i]);
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->row[i].status == STATUS_OK)
            add_row(table, i, &columns);
    }
    columns_print(&columns, out);
    columns_release(&columns);
}

/* Rows that did not run, and what may help the last of each kind. */
static void print_failures(const struct scale_table *table, FILE *out)
{
    const char *hint = "";
    for (uint32_t i = 0; i < table->count; i++) {
        const struct scale_row *row = &table->row[i];
        if (row->status == STATUS_OK)
            continue;
        char text[640];
        snprintf(text, sizeof text, "%s: %s", status_name(row->status), row->diag.message);
        fprintf(out, "  %7" PRIu32 "  ", row->devices);
        columns_wrap(out, 11, 11, text);
        if (row->diag.hint[0] && strcmp(row->diag.hint, hint) != 0) {
            snprintf(text, sizeof text, "hint: %s", row->diag.hint);
            fprintf(out, "%11s", "");
            columns_wrap(out, 11, 11, text);
        }
        hint = row->diag.hint;
    }
}

static void print_plans(const struct scale_table *table, FILE *out)
{
    fputs("\nplans\n", out);
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->row[i].status != STATUS_OK)
            continue;
        fprintf(out, "  %7" PRIu32 "  ", table->row[i].devices);
        columns_wrap(out, 11, 11, table->row[i].step.plan);
    }
}

static void write_text(const struct scale_table *table, FILE *out)
{
    const struct scale_row *first = first_run(table);
    bool all_fit = true;
    for (uint32_t i = 0; i < table->count; i++)
        all_fit &= table->row[i].status != STATUS_OK || step_fits(&table->row[i].step.memory);
    fprintf(out, "%s on %s, %s\n", table->model, table->cluster,
            table->is_strong ? "the same batch on all" : "a batch that grows with the devices");
    if (table->is_auto)
        fputs("the fastest plan for each number of devices\n\n", out);
    else
        fprintf(out, "plan on %" PRIu32 " devices: %s\n\n", first->devices, first->step.plan);
    print_rows(table, out);
    if (!all_fit) {
        char bytes[32];
        fprintf(out, "  (!) does not fit: a device has %s\n",
                units_show_bytes(bytes, sizeof bytes, first->step.memory.device_bytes));
    }
    print_failures(table, out);
    if (table->is_auto)
        print_plans(table, out);
}

/* -- JSON and CSV ---------------------------------------------------------------------------- */

static void row_json(const struct scale_table *table, uint32_t i, struct json_writer *json)
{
    const struct scale_row *row = &table->row[i];
    json_map_begin(json, NULL, JSON_INLINE);
    json_u64(json, "devices", row->devices);
    json_text(json, "status", status_name(row->status));
    if (row->status != STATUS_OK) {
        json_text(json, "reason", row->diag.message);
        json_text(json, "hint", row->diag.hint);
        json_map_end(json);
        return;
    }
    char key[32];
    json_text(json, "plan", row->step.plan);
    json_u64(json, "step_ps", row->end_ps);
    json_u64(json, unit_of(table), row->step.tokens);
    snprintf(key, sizeof key, "%s_per_s", unit_of(table));
    json_double(json, key, step_tokens_per_s(&row->step, row->end_ps));
    json_double(json, "mfu_ratio", step_mfu(&row->step, row->end_ps));
    json_double(json, "efficiency_ratio", scale_efficiency(table, i));
    json_double(json, "compute_ratio", row->compute_ratio);
    json_double(json, "exposed_ratio", row->exposed_ratio);
    json_double(json, "rest_ratio", row->rest_ratio);
    json_u64(json, "memory_bytes", row->step.memory.worst.total_bytes);
    json_bool(json, "fits", step_fits(&row->step.memory));
    json_map_end(json);
}

static void write_json(const struct scale_table *table, FILE *out)
{
    struct json_writer json;
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    json_text(&json, "schema", "orrery.scale/1");
    json_text(&json, "model", table->model);
    json_text(&json, "cluster", table->cluster);
    json_text(&json, "unit", unit_of(table));
    json_bool(&json, "strong", table->is_strong);
    json_whole(&json, "device_bytes", first_run(table)->step.memory.device_bytes);
    json_list_begin(&json, "rows", JSON_LINES);
    for (uint32_t i = 0; i < table->count; i++)
        row_json(table, i, &json);
    json_list_end(&json);
    json_map_end(&json);
}

/* Rows that did not run have their devices and status only. */
static void write_csv(const struct scale_table *table, FILE *out)
{
    const char *unit = unit_of(table);
    fprintf(out,
            "devices,status,step_ps,%s,%s_per_s,mfu_ratio,efficiency_ratio,compute_ratio,"
            "exposed_ratio,rest_ratio,memory_bytes,fits,plan\n",
            unit, unit);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct scale_row *row = &table->row[i];
        fprintf(out, "%" PRIu32 ",%s,", row->devices, status_name(row->status));
        if (row->status != STATUS_OK) {
            fputs(",,,,,,,,,,\n", out);
            continue;
        }
        fprintf(out,
                "%" PRIu64 ",%" PRIu64 ",%.9g,%.6g,%.6g,%.6g,%.6g,%.6g,%" PRIu64 ",%s,\"%s\"\n",
                row->end_ps, row->step.tokens, step_tokens_per_s(&row->step, row->end_ps),
                step_mfu(&row->step, row->end_ps), scale_efficiency(table, i), row->compute_ratio,
                row->exposed_ratio, row->rest_ratio, row->step.memory.worst.total_bytes,
                step_fits(&row->step.memory) ? "true" : "false", row->step.plan);
    }
}

const struct scale_format scale_formats[] = {
    {"text", write_text}, {"json", write_json}, {"csv", write_csv}, {NULL, NULL}};
