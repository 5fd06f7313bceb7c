#include "report/scale_report.h"

#include <inttypes.h>
#include <math.h>

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
    char time[32];
    columns_add(columns, "%" PRIu32, row->devices);
    columns_add(columns, "%s", units_show_time(time, sizeof time, row->end_ps));
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
}

static void write_text(const struct scale_table *table, FILE *out)
{
    static const char *const heading[] = {"devices",    "step",    "tokens/s", "per device", "MFU",
                                          "efficiency", "compute", "exposed",  "waiting"};
    struct columns columns;
    columns_init(&columns, "rrrrrrrrr");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        columns_add(&columns, "%s", heading[i]);
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->row[i].status == STATUS_OK)
            add_row(table, i, &columns);
    }
    fprintf(out, "%s on %s, %s\n", table->model, table->cluster,
            table->is_strong ? "the same batch on all" : "a batch that grows with the devices");
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->row[i].status != STATUS_OK)
            continue;
        fprintf(out, "first plan: %s\n", table->row[i].step.plan);
        break;
    }
    fputc('\n', out);
    columns_print(&columns, out);
    columns_release(&columns);
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->row[i].status == STATUS_OK)
            continue;
        fprintf(out, "  %" PRIu32 " devices: ", table->row[i].devices);
        columns_wrap(out, 2, 6, table->row[i].reason);
    }
}

/* -- JSON and CSV ---------------------------------------------------------------------------- */

static void write_json(const struct scale_table *table, FILE *out)
{
    struct json_writer json;
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    json_text(&json, "schema", "orrery-scale-1");
    json_text(&json, "model", table->model);
    json_text(&json, "cluster", table->cluster);
    json_bool(&json, "strong", table->is_strong);
    json_list_begin(&json, "rows", JSON_LINES);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct scale_row *row = &table->row[i];
        json_map_begin(&json, NULL, JSON_INLINE);
        json_u64(&json, "devices", row->devices);
        json_text(&json, "status", status_name(row->status));
        json_text(&json, "reason", row->reason);
        json_text(&json, "plan", row->step.plan);
        json_u64(&json, "step_ps", row->end_ps);
        json_u64(&json, "tokens", row->step.tokens);
        json_double(&json, "tokens_per_s", step_tokens_per_s(&row->step, row->end_ps));
        json_double(&json, "mfu", step_mfu(&row->step, row->end_ps));
        json_double(&json, "efficiency", scale_efficiency(table, i));
        json_double(&json, "compute_ratio", row->compute_ratio);
        json_double(&json, "exposed_ratio", row->exposed_ratio);
        json_double(&json, "rest_ratio", row->rest_ratio);
        json_map_end(&json);
    }
    json_list_end(&json);
    json_map_end(&json);
    fputc('\n', out);
}

static void write_csv(const struct scale_table *table, FILE *out)
{
    fputs("devices,status,step_ps,tokens,tokens_per_s,mfu,efficiency,compute_ratio,exposed_ratio,"
          "rest_ratio\n",
          out);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct scale_row *row = &table->row[i];
        fprintf(out, "%" PRIu32 ",%s,%" PRIu64 ",%" PRIu64 ",%.9g,%.6g,%.6g,%.6g,%.6g,%.6g\n",
                row->devices, status_name(row->status), row->end_ps, row->step.tokens,
                step_tokens_per_s(&row->step, row->end_ps), step_mfu(&row->step, row->end_ps),
                scale_efficiency(table, i), row->compute_ratio, row->exposed_ratio,
                row->rest_ratio);
    }
}

const struct scale_format scale_formats[] = {
    {"text", write_text}, {"json", write_json}, {"csv", write_csv}, {NULL, NULL}};
