#include "report/goodput_report.h"

#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "report/columns.h"
#include "report/json_writer.h"

enum { SHOWN = 64 };
#define BETTER 1.001

/* -- text -------------------------------------------------------------------------------------- */

/* Times as people say them: "3.1 h", "4.2 min". */
static const char *show_s(char *to, double s)
{
    static const struct {
        double s;
        const char *unit;
    } units[] = {{86400, "days"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    if (!(s < 1e12))
        snprintf(to, SHOWN, "never");
    else if (s < 1)
        snprintf(to, SHOWN, "%.4g ms", s * 1000);
    else
        for (size_t i = 0; i < 4; i++) {
            if (s < 2 * units[i].s && units[i].s > 1)
                continue;
            snprintf(to, SHOWN, "%.4g %s", s / units[i].s, units[i].unit);
            break;
        }
    return to;
}

static const char *show_tokens(char *to, double tokens)
{
    static const char *const names[] = {"", " thousand", " million", " billion", " trillion"};
    size_t i = 0;
    while (tokens >= 1000 && i < 4) {
        tokens /= 1000;
        i++;
    }
    snprintf(to, SHOWN, "%.4g%s", tokens, names[i]);
    return to;
}

static void line(FILE *out, const char *label, const char *text)
{
    fprintf(out, "%-13s", label);
    columns_wrap(out, 13, 13, text);
}

static void given_text(const struct goodput_report *report, FILE *out)
{
    const struct goodput_input *input = report->input;
    char text[400], a[SHOWN], b[SHOWN], c[SHOWN];
    int used = snprintf(text, sizeof text, "%s: a step of %s on %" PRIu32 " devices", report->job,
                        show_s(a, input->step_s), input->devices);
    if (input->tokens > 0)
        snprintf(text + used, sizeof text - (size_t)used, ", %s tokens each",
                 show_tokens(b, input->tokens));
    line(out, "job", text);
    snprintf(text, sizeof text, "one every %s, %.3g a day; %" PRIu32 " device%s are replaced",
             show_s(a, 1 / input->failures_per_s), input->failures_per_s * 86400,
             input->node_devices, input->node_devices > 1 ? "s" : "");
    used = (int)strlen(text);
    if (input->planned_per_s > 0)
        snprintf(text + used, sizeof text - (size_t)used, "; %.3g planned stops a day",
                 input->planned_per_s * 86400);
    line(out, "failures", text);
    used = snprintf(text, sizeof text, "%s to write", show_s(a, input->write_s));
    if (report->checkpoint_bytes > 0)
        used += snprintf(text + used, sizeof text - (size_t)used, " %s at %s",
                         units_show_bytes(b, SHOWN, report->checkpoint_bytes),
                         units_show_rate(c, SHOWN, report->storage_Bps));
    snprintf(text + used, sizeof text - (size_t)used,
             input->is_async ? ", beside the work; steps stop for %s" : ", steps stop for %s",
             show_s(b, input->stall_s));
    line(out, "checkpoint", text);
    used = snprintf(text, sizeof text, "%s; ", show_s(a, input->restart_s));
    if (input->policy == GOODPUT_SHRINK)
        snprintf(text + used, sizeof text - (size_t)used,
                 "smaller by %.3g %% of its speed for each node under repair (%s)",
                 100 * input->node_ratio, show_s(b, input->repair_s));
    else if (input->repair_s > 0)
        snprintf(text + used, sizeof text - (size_t)used,
                 "%" PRIu32 " spare node%s, a repair takes %s", input->spares,
                 input->spares == 1 ? "" : "s", show_s(b, input->repair_s));
    else
        snprintf(text + used, sizeof text - (size_t)used, "there is always a spare");
    line(out, "restart", text);
    fputc('\n', out);
}

static void add_share(struct columns *table, double share)
{
    columns_add(table, share > 0 ? "%.2f %%" : "%.0f", 100 * share);
}

static void add_simulated(struct columns *table, bool is_simulated,
                          const struct sample_estimate *useful)
{
    if (is_simulated)
        columns_add(table, "%.2f +- %.2f %%", 100 * useful->at,
                    100 * (useful->range.high - useful->at));
    else
        columns_add(table, "%s", "");
}

static void tokens_cell(struct columns *table, double tokens)
{
    char text[SHOWN];
    columns_add(table, "%s", tokens > 0 ? show_tokens(text, tokens) : "");
}

static void intervals_text(const struct goodput_report *report, FILE *out)
{
    const struct goodput_input *input = report->input;
    struct columns table;
    bool has_tokens = input->tokens > 0;
    columns_init(&table, has_tokens ? "lrrrrr" : "lrrrr");
    columns_add(&table, "%s", "interval");
    columns_add(&table, "%s", "");
    columns_add(&table, "steps");
    columns_add(&table, "goodput");
    columns_add(&table, "simulated");
    if (has_tokens)
        columns_add(&table, "tokens a day");
    for (uint32_t i = 0; i < report->row_count; i++) {
        const struct goodput_row *row = &report->row[i];
        char text[SHOWN];
        columns_add(&table, "%s", row->name);
        columns_add(&table, "%s", show_s(text, row->form.interval_s));
        columns_add(&table, "%.0f", row->form.interval_s / input->step_s);
        add_share(&table, row->form.share[SHARE_USEFUL]);
        add_simulated(&table, row->is_simulated, &row->useful);
        if (has_tokens)
            tokens_cell(&table, goodput_tokens_per_day(input, &row->form));
    }
    fputs("time between checkpoints\n", out);
    columns_print(&table, out);
    columns_release(&table);
    fputc('\n', out);
}

static void shares_text(const struct goodput_report *report, FILE *out)
{
    const struct goodput *form = &report->row[0].form;
    struct columns table;
    columns_init(&table, "lrr");
    columns_add(&table, "%s", "share of the time");
    columns_add(&table, "%s", "");
    columns_add(&table, "of a day");
    for (int i = 0; i < GOODPUT_SHARES; i++) {
        char text[SHOWN];
        if (form->share[i] <= 0)
            continue;
        columns_add(&table, "%s", goodput_share_names[i]);
        columns_add(&table, "%.2f %%", 100 * form->share[i]);
        columns_add(&table, "%s", show_s(text, form->share[i] * 86400));
    }
    fprintf(out, "where the time goes, at the first of these: %.3g failures a day\n",
            form->failures_per_day);
    columns_print(&table, out);
    columns_release(&table);
}

static void choices_text(const struct goodput_report *report, FILE *out)
{
    if (!report->choice_count)
        return;
    bool has_tokens = report->input->tokens > 0;
    struct columns table;
    columns_init(&table, has_tokens ? "lrrrrrr" : "lrrrr");
    columns_add(&table, "%s", "after a failure");
    columns_add(&table, "interval");
    columns_add(&table, "goodput");
    columns_add(&table, "simulated");
    columns_add(&table, "waiting");
    if (has_tokens) {
        columns_add(&table, "tokens a day");
        columns_add(&table, "per device");
    }
    for (uint32_t i = 0; i < report->choice_count; i++) {
        const struct goodput_choice *choice = &report->choice[i];
        char text[SHOWN];
        columns_add(&table, "%s", choice->name);
        columns_add(&table, "%s", show_s(text, choice->form.interval_s));
        add_share(&table, choice->form.share[SHARE_USEFUL]);
        add_simulated(&table, choice->is_simulated, &choice->useful);
        add_share(&table, choice->form.share[SHARE_WAITING]);
        if (!has_tokens)
            continue;
        tokens_cell(&table, goodput_tokens_per_day(&choice->input, &choice->form));
        tokens_cell(&table, goodput_tokens_per_device(&choice->input, &choice->form));
    }
    fprintf(out, "\nwhat to do after a failure%s%s\n",
            report->is_interval_given ? "" : ", each at its best interval",
            has_tokens ? "; per device: spares included" : "");
    columns_print(&table, out);
    columns_release(&table);
}

/* What gives most, and what gives most for what is paid; the first of those within 0.1 %. */
static void advice_text(const struct goodput_report *report, FILE *out)
{
    const struct goodput_choice *most = &report->choice[0], *worth = most;
    for (uint32_t i = 1; i < report->choice_count; i++) {
        const struct goodput_choice *choice = &report->choice[i];
        if (goodput_tokens_per_day(&choice->input, &choice->form) >
            BETTER * goodput_tokens_per_day(&most->input, &most->form))
            most = choice;
        if (goodput_tokens_per_device(&choice->input, &choice->form) >
            BETTER * goodput_tokens_per_device(&worth->input, &worth->form))
            worth = choice;
    }
    if (report->choice_count && report->input->tokens > 0)
        fprintf(out, "  most tokens a day: %s; most for each device that is paid for: %s\n",
                most->name, worth->name);
}

void goodput_text(const struct goodput_report *report, FILE *out)
{
    given_text(report, out);
    intervals_text(report, out);
    shares_text(report, out);
    choices_text(report, out);
    advice_text(report, out);
    if (report->runs)
        fprintf(out,
                "\nsimulated: %" PRIu32 " runs of %.4g days of seed %" PRIu64
                ", mean and 95 %% confidence; the rest in closed form\n",
                report->runs, report->days, report->seed);
}

/* -- JSON -------------------------------------------------------------------------------------- */

static void form_json(struct json_writer *json, const struct goodput_input *input,
                      const struct goodput *form)
{
    static const char *const keys[GOODPUT_SHARES] = {
        [SHARE_USEFUL] = "goodput",         [SHARE_CHECKPOINT] = "checkpointing",
        [SHARE_LOST] = "lost_work",         [SHARE_RESTART] = "restarting",
        [SHARE_PLANNED] = "planned_stops",  [SHARE_WAITING] = "waiting_repair",
        [SHARE_SLOWER] = "running_smaller",
    };
    json_double(json, "interval_s", form->interval_s);
    json_double(json, "steps", form->interval_s / input->step_s);
    for (int i = 0; i < GOODPUT_SHARES; i++)
        json_double(json, keys[i], form->share[i]);
    json_double(json, "failures_per_day", form->failures_per_day);
    if (input->tokens > 0) {
        json_double(json, "tokens_per_day", goodput_tokens_per_day(input, form));
        json_double(json, "tokens_per_device_day", goodput_tokens_per_device(input, form));
    }
}

static void simulated_json(struct json_writer *json, bool is_simulated,
                           const struct sample_estimate *useful)
{
    if (!is_simulated)
        return;
    json_double(json, "simulated_goodput", useful->at);
    json_double(json, "simulated_low", useful->range.low);
    json_double(json, "simulated_high", useful->range.high);
}

static void input_json(struct json_writer *json, const struct goodput_report *report)
{
    const struct goodput_input *input = report->input;
    json_map_begin(json, "input", JSON_LINES);
    json_double(json, "step_s", input->step_s);
    json_double(json, "tokens", input->tokens);
    json_u64(json, "devices", input->devices);
    json_u64(json, "node_devices", input->node_devices);
    json_double(json, "failures_per_day", input->failures_per_s * 86400);
    json_double(json, "planned_stops_per_day", input->planned_per_s * 86400);
    json_double(json, "checkpoint_bytes", report->checkpoint_bytes);
    json_double(json, "storage_Bps", report->storage_Bps);
    json_double(json, "write_s", input->write_s);
    json_double(json, "stall_s", input->stall_s);
    json_bool(json, "is_asynchronous", input->is_async);
    json_double(json, "restart_s", input->restart_s);
    json_text(json, "policy", input->policy == GOODPUT_SHRINK ? "shrink" : "replace");
    json_u64(json, "spares", input->spares);
    json_double(json, "repair_s", input->repair_s);
    json_double(json, "node_ratio", input->node_ratio);
    json_map_end(json);
}

void goodput_json(const struct goodput_report *report, FILE *out)
{
    struct json_writer json;
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    json_text(&json, "schema", "orrery.goodput/1");
    json_text(&json, "orrery", report->version);
    json_text(&json, "job", report->job);
    input_json(&json, report);
    json_u64(&json, "runs", report->runs);
    json_double(&json, "days", report->days);
    json_u64(&json, "seed", report->seed);
    json_list_begin(&json, "intervals", JSON_LINES);
    for (uint32_t i = 0; i < report->row_count; i++) {
        json_map_begin(&json, NULL, JSON_INLINE);
        json_text(&json, "name", report->row[i].name);
        form_json(&json, report->input, &report->row[i].form);
        simulated_json(&json, report->row[i].is_simulated, &report->row[i].useful);
        json_map_end(&json);
    }
    json_list_end(&json);
    json_list_begin(&json, "choices", JSON_LINES);
    for (uint32_t i = 0; i < report->choice_count; i++) {
        const struct goodput_choice *choice = &report->choice[i];
        json_map_begin(&json, NULL, JSON_INLINE);
        json_text(&json, "name", choice->name);
        json_u64(&json, "spares", choice->input.spares);
        form_json(&json, &choice->input, &choice->form);
        simulated_json(&json, choice->is_simulated, &choice->useful);
        json_map_end(&json);
    }
    json_list_end(&json);
    json_notices(&json, report->notices);
    json_map_end(&json);
}
