#include "report/lab_report.h"

#include <inttypes.h>

#include "config/names.h"
#include "report/columns.h"
#include "report/json_writer.h"

enum { SHOWN = 32 };

/* The fidelity whose time gives the bus bandwidth: the last one that was asked for. */
static time_ps main_time(const struct lab *lab, const struct lab_row *row)
{
    return row->time_ps[lab->request->fidelity_count - 1];
}

static double bus_Bps(const struct lab *lab, time_ps time)
{
    return time ? lab->bus_bytes / (double)time * 1e12 : 0;
}

static double bound_percent(const struct lab *lab, const struct lab_row *row)
{
    time_ps time = main_time(lab, row);
    return time ? 100.0 * (double)lab->bound_ps / (double)time : 0;
}

/* -- text ----------------------------------------------------------------------------------- */

static void add_heading(const struct lab *lab, struct columns *table)
{
    columns_add(table, "algorithm");
    columns_add(table, "steps");
    columns_add(table, "messages");
    columns_add(table, "injected");
    columns_add(table, "busiest link");
    for (uint32_t f = 0; f < lab->request->fidelity_count; f++)
        columns_add(table, "%s", net_backend_names[lab->request->fidelity[f]]);
    columns_add(table, "busbw GB/s");
    columns_add(table, "of bound");
}

static void add_row(const struct lab *lab, const struct lab_row *row, struct columns *table)
{
    char text[SHOWN];
    if (row->chosen)
        columns_add(table, "%s (%s)", row->algorithm, row->chosen);
    else
        columns_add(table, "%s", row->algorithm);
    if (row->steps)
        columns_add(table, "%" PRIu64, row->steps);
    else
        columns_add(table, "-");
    columns_add(table, "%.4g", row->messages_per_rank);
    columns_add(table, "%s", units_show_bytes(text, sizeof text, row->bytes_per_rank));
    columns_add(table, "%s",
                row->most_link_bytes > 0 ? units_show_bytes(text, sizeof text, row->most_link_bytes)
                                         : "-");
    for (uint32_t f = 0; f < lab->request->fidelity_count; f++)
        columns_add(table, "%s", units_show_time(text, sizeof text, row->time_ps[f]));
    columns_add(table, "%.2f", bus_Bps(lab, main_time(lab, row)) / 1e9);
    columns_add(table, "%.1f %%", bound_percent(lab, row));
}

static void write_head(const struct lab *lab, FILE *out)
{
    char bytes[SHOWN], rate[SHOWN], time[SHOWN];
    fprintf(out, "%s of %s on %s: %" PRIu32 " rank%s, %s injection per rank\n",
            collective_name(lab->request->kind),
            units_show_bytes(bytes, sizeof bytes, (double)lab->request->bytes), lab->topology,
            lab->ranks, lab->ranks == 1 ? "" : "s",
            units_show_rate(rate, sizeof rate, lab->injection_Bps));
    fprintf(out,
            "lower bound %s (injection; algorithms that reduce in the network may beat it)\n\n",
            units_show_time(time, sizeof time, lab->bound_ps));
}

static void write_text(const struct lab *lab, FILE *out)
{
    static const char align[COLUMNS_MOST + 1] = "Lrrrrrrrrrrrrrrr";
    write_head(lab, out);
    struct columns table;
    char used[COLUMNS_MOST + 1];
    snprintf(used, sizeof used, "%.*s", (int)lab->request->fidelity_count + 7, align);
    columns_init(&table, used);
    add_heading(lab, &table);
    uint32_t refused = 0;
    for (uint32_t i = 0; i < lab->row_count; i++) {
        if (lab->row[i].reason)
            refused++;
        else
            add_row(lab, &lab->row[i], &table);
    }
    columns_print(&table, out);
    columns_release(&table);
    if (lab->tuned) {
        char time[SHOWN];
        fprintf(out, "\n  the library takes %s and %s\n", lab->tuned,
                units_show_time(time, sizeof time, lab->tuned_ps));
    }
    fputs("\n  steps: messages one after the other, of one piece\n", out);
    fputs("  messages, injected: per rank; busiest link: bytes of the link that carries most\n",
          out);
    if (refused)
        fputs("\nnot run\n", out);
    for (uint32_t i = 0; i < lab->row_count; i++) {
        if (lab->row[i].reason)
            fprintf(out, "  %-24s %s\n", lab->row[i].algorithm, lab->row[i].reason);
    }
}

/* -- JSON ----------------------------------------------------------------------------------- */

static void json_row(const struct lab *lab, const struct lab_row *row, struct json_writer *json)
{
    json_map_begin(json, NULL, JSON_LINES);
    json_text(json, "algorithm", row->algorithm);
    json_text(json, "reason_not_run", row->reason);
    if (!row->reason) {
        json_text(json, "chosen_by_auto", row->chosen);
        json_u64(json, "steps", row->steps);
        json_double(json, "messages_per_rank", row->messages_per_rank);
        json_double(json, "injected_bytes_per_rank", row->bytes_per_rank);
        json_double(json, "busiest_link_bytes", row->most_link_bytes);
        json_text(json, "busiest_link", row->busiest_link);
        json_double(json, "bus_bandwidth_Bps", bus_Bps(lab, main_time(lab, row)));
        json_double(json, "percent_of_bound", bound_percent(lab, row));
        json_map_begin(json, "time_ps", JSON_INLINE);
        for (uint32_t f = 0; f < lab->request->fidelity_count; f++)
            json_u64(json, net_backend_names[lab->request->fidelity[f]], row->time_ps[f]);
        json_map_end(json);
    }
    json_map_end(json);
}

static void write_json(const struct lab *lab, FILE *out)
{
    struct json_writer json;
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    json_text(&json, "schema", "orrery.collective/1");
    json_text(&json, "collective", collective_name(lab->request->kind));
    json_u64(&json, "bytes", lab->request->bytes);
    json_text(&json, "topology", lab->topology);
    json_u64(&json, "ranks", lab->ranks);
    json_double(&json, "injection_Bps", lab->injection_Bps);
    json_u64(&json, "bound_ps", lab->bound_ps);
    if (lab->tuned) {
        json_text(&json, "library", lab->tuned);
        json_u64(&json, "library_time_ps", lab->tuned_ps);
    }
    json_list_begin(&json, "algorithms", JSON_LINES);
    for (uint32_t i = 0; i < lab->row_count; i++)
        json_row(lab, &lab->row[i], &json);
    json_list_end(&json);
    json_notices(&json, &lab->notices);
    json_map_end(&json);
    fputc('\n', out);
}

/* -- CSV ------------------------------------------------------------------------------------ */

static void write_csv(const struct lab *lab, FILE *out)
{
    fputs("# orrery.collective/1\n", out);
    fputs("collective,bytes,ranks,algorithm,steps,fidelity,time_ps,bus_bandwidth_Bps,"
          "injected_bytes_per_rank,busiest_link_bytes,bound_ps\n",
          out);
    for (uint32_t i = 0; i < lab->row_count; i++) {
        const struct lab_row *row = &lab->row[i];
        for (uint32_t f = 0; f < lab->request->fidelity_count && !row->reason; f++)
            fprintf(out,
                    "%s,%" PRIu64 ",%" PRIu32 ",\"%s\",%" PRIu64 ",%s,%" PRIu64
                    ",%.17g,%.17g,%.17g,%" PRIu64 "\n",
                    collective_name(lab->request->kind), lab->request->bytes, lab->ranks,
                    row->algorithm, row->steps, net_backend_names[lab->request->fidelity[f]],
                    row->time_ps[f], bus_Bps(lab, row->time_ps[f]), row->bytes_per_rank,
                    row->most_link_bytes, lab->bound_ps);
    }
}

const struct lab_format lab_formats[] = {
    {"text", write_text}, {"json", write_json}, {"csv", write_csv}, {0}};
