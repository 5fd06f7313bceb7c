#include "report/plan_report.h"

#include <inttypes.h>

#include "report/columns.h"
#include "report/json_writer.h"

void plan_text(const struct train_plan *plan, char *text, size_t size)
{
    snprintf(text, size,
             "tp=%" PRIu32 ",pp=%" PRIu32 ",cp=%" PRIu32 ",dp=%" PRIu32 ",ep=%" PRIu32
             ",expert-tp=%" PRIu32 ",interleave=%" PRIu32 ",uneven=%s,seq=%" PRIu64
             ",micro-batch=%" PRIu64 ",global-batch=%" PRIu64
             ",sequence-parallel=%s,schedule=%s,recompute=%s,zero=%" PRIu32 ",compute-type=%s",
             plan->tp, plan->pp, plan->cp, plan->dp, plan->ep, plan->expert_tp, plan->interleave,
             plan->uneven ? "true" : "false", plan->seq, plan->micro_batch, plan->global_batch,
             plan->sequence_parallel ? "true" : "false", schedule_names[plan->schedule],
             recompute_names[plan->recompute], plan->zero, data_type_name(plan->compute_type));
}

static double share(const struct estimate *estimate, enum estimate_term term)
{
    return estimate->step_ns > 0 ? estimate->term_ns[term] / estimate->step_ns : 0;
}

static const char *state_of(const struct plan_row *row)
{
    return !row->is_simulated ? "-" : row->simulated_ps ? "" : "failed";
}

/* -- text ----------------------------------------------------------------------------------- */

/* Terms that belong together in the table. */
struct part {
    const char *heading;
    enum estimate_term term[3];
    uint32_t count;
};

static const struct part parts[] = {
    {"matrix", {TERM_MATRIX}, 1},        {"attention", {TERM_ATTENTION}, 1},
    {"memory", {TERM_MEMORY}, 1},        {"recompute", {TERM_RECOMPUTE}, 1},
    {"host", {TERM_HOST, TERM_STEP}, 2}, {"tp", {TERM_TP}, 1},
    {"cp, ep", {TERM_CP, TERM_EP}, 2},   {"stages", {TERM_PP}, 1},
    {"bubble", {TERM_BUBBLE}, 1},        {"data", {TERM_DP, TERM_OPTIMIZER}, 2},
};

enum { PARTS = sizeof parts / sizeof *parts };

static void add_degrees(const struct train_plan *plan, struct columns *columns)
{
    columns_add(columns, "%" PRIu32, plan->tp);
    if (plan->interleave > 1)
        columns_add(columns, "%" PRIu32 "x%" PRIu32, plan->pp, plan->interleave);
    else
        columns_add(columns, "%" PRIu32, plan->pp);
    columns_add(columns, "%" PRIu32, plan->cp);
    columns_add(columns, "%" PRIu32, plan->ep);
    columns_add(columns, "%" PRIu32, plan->dp);
    columns_add(columns, "%" PRIu64, plan->micro_batch);
    columns_add(columns, "%" PRIu32, plan->zero);
    columns_add(columns, "%s", recompute_names[plan->recompute]);
}

static void add_row(const struct plan_table *table, uint32_t i, struct columns *columns)
{
    const struct plan_row *row = &table->row[i];
    const struct estimate *estimate = &row->found->estimate;
    char text[32];
    columns_add(columns, "%" PRIu32, i + 1);
    add_degrees(&row->found->plan, columns);
    columns_add(columns, "%.1f GB", (double)row->found->memory.total_bytes / 1e9);
    columns_add(columns, "%s",
                units_show_time(text, sizeof text, time_rounded(estimate->step_ns, false)));
    if (row->simulated_ps)
        columns_add(columns, "%s", units_show_time(text, sizeof text, row->simulated_ps));
    else
        columns_add(columns, "%s", state_of(row));
    columns_add(columns, "%.1f %%", 100 * estimate->mfu_ratio);
}

static void add_parts(const struct plan_table *table, uint32_t i, struct columns *columns)
{
    columns_add(columns, "%" PRIu32, i + 1);
    for (int p = 0; p < PARTS; p++) {
        double sum = 0;
        for (uint32_t t = 0; t < parts[p].count; t++)
            sum += share(&table->row[i].found->estimate, parts[p].term[t]);
        columns_add(columns, "%.1f", 100 * sum);
    }
}

static void print_plans(const struct plan_table *table, FILE *out)
{
    static const char *const heading[] = {"",     "tp",        "pp",   "cp",        "ep",
                                          "dp",   "mb",        "zero", "recompute", "memory",
                                          "step", "simulated", "MFU"};
    struct columns columns;
    columns_init(&columns, "rrrrrrrrlrrrr");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        columns_add(&columns, "%s", heading[i]);
    for (uint32_t i = 0; i < table->count; i++)
        add_row(table, i, &columns);
    columns_print(&columns, out);
    columns_release(&columns);
}

static void print_parts(const struct plan_table *table, FILE *out)
{
    fprintf(out, "\n%% of the estimated step\n");
    struct columns columns;
    columns_init(&columns, "rrrrrrrrrrr");
    columns_add(&columns, "%s", "");
    for (int p = 0; p < PARTS; p++)
        columns_add(&columns, "%s", parts[p].heading);
    for (uint32_t i = 0; i < table->count; i++)
        add_parts(table, i, &columns);
    columns_print(&columns, out);
    columns_release(&columns);
}

static void print_least(const struct plan_table *table, FILE *out)
{
    char text[320];
    plan_text(&table->least->plan, text, sizeof text);
    fprintf(out, "no plan fits into %.1f GB; least is needed, %.1f GB, by %s\n",
            table->device_bytes / 1e9, (double)table->least->memory.total_bytes / 1e9, text);
}

static void write_text(const struct plan_table *table, FILE *out)
{
    fprintf(out, "%s on %s: %" PRIu32 " x %s, %s\n", table->model, table->cluster, table->devices,
            table->device, table->framework);
    fprintf(out, "%" PRIu64 " valid plans, %" PRIu64 " fit in memory\n\n", table->valid,
            table->fitting);
    if (table->count == 0) {
        print_least(table, out);
        return;
    }
    print_plans(table, out);
    print_parts(table, out);
    char text[320];
    plan_text(&table->row[0].found->plan, text, sizeof text);
    fprintf(out, "\nfastest: --plan %s\n", text);
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->row[i].reason[0])
            fprintf(out, "plan %" PRIu32 " was not simulated: %s\n", i + 1, table->row[i].reason);
    }
}

/* -- JSON and CSV ---------------------------------------------------------------------------- */

static void json_row(struct json_writer *json, const struct plan_row *row)
{
    const struct search_plan *found = row->found;
    char text[320];
    plan_text(&found->plan, text, sizeof text);
    json_map_begin(json, NULL, JSON_LINES);
    json_text(json, "plan", text);
    json_u64(json, "memory_bytes", found->memory.total_bytes);
    json_double(json, "step_ns", found->estimate.step_ns);
    json_double(json, "tokens_per_s_per_device", found->estimate.tokens_per_s);
    json_double(json, "mfu_ratio", found->estimate.mfu_ratio);
    if (row->is_simulated)
        json_u64(json, "simulated_ps", row->simulated_ps);
    if (row->reason[0])
        json_text(json, "reason", row->reason);
    json_map_begin(json, "term_ns", JSON_INLINE);
    for (int t = 0; t < ESTIMATE_TERM_COUNT; t++)
        json_double(json, estimate_term_name((enum estimate_term)t), found->estimate.term_ns[t]);
    json_map_end(json);
    json_map_end(json);
}

static void write_json(const struct plan_table *table, FILE *out)
{
    struct json_writer json;
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    json_text(&json, "schema", "orrery.plan/1");
    json_text(&json, "model", table->model);
    json_text(&json, "cluster", table->cluster);
    json_text(&json, "device", table->device);
    json_text(&json, "framework", table->framework);
    json_u64(&json, "devices", table->devices);
    json_u64(&json, "valid_plans", table->valid);
    json_u64(&json, "fitting_plans", table->fitting);
    if (table->count == 0)
        json_u64(&json, "least_memory_bytes", table->least->memory.total_bytes);
    json_list_begin(&json, "plans", JSON_LINES);
    for (uint32_t i = 0; i < table->count; i++)
        json_row(&json, &table->row[i]);
    json_list_end(&json);
    json_map_end(&json);
    fputc('\n', out);
}

/* One of the terms is "step": without a word before it, two columns would be step_ns. */
static void csv_header(FILE *out)
{
    fputs("plan,memory_bytes,step_ns,simulated_ps,mfu_ratio", out);
    for (int t = 0; t < ESTIMATE_TERM_COUNT; t++)
        fprintf(out, ",term_%s_ns", estimate_term_name((enum estimate_term)t));
    fputc('\n', out);
}

/* simulated_ps is empty where there is none. */
static void write_csv(const struct plan_table *table, FILE *out)
{
    csv_header(out);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct search_plan *found = table->row[i].found;
        char text[320];
        plan_text(&found->plan, text, sizeof text);
        fprintf(out, "\"%s\",%" PRIu64 ",%.9g,", text, found->memory.total_bytes,
                found->estimate.step_ns);
        if (table->row[i].simulated_ps)
            fprintf(out, "%" PRIu64, table->row[i].simulated_ps);
        fprintf(out, ",%.6g", found->estimate.mfu_ratio);
        for (int t = 0; t < ESTIMATE_TERM_COUNT; t++)
            fprintf(out, ",%.9g", found->estimate.term_ns[t]);
        fputc('\n', out);
    }
}

const struct plan_format plan_formats[] = {
    {"text", write_text}, {"json", write_json}, {"csv", write_csv}, {NULL, NULL}};
