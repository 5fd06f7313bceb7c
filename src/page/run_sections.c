/* Facts, time, critical path, compute and memory of a run's page. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "config/names.h"
#include "page/run_parts.h"
#include "report/describe.h"
#include "report/spread.h"
#include "stats/critical_path_parts.h"

/* -- facts ------------------------------------------------------------------------------------- */

static void step_facts(struct json_writer *json, const struct run_result *result,
                       const struct step_figures *step)
{
    char unit[40];
    block_fact_text(json, "model", step->model, step->framework);
    if (step->device)
        block_fact_text(json, "device", step->device, step->type);
    if (result->status == STATUS_OK && step->tokens) {
        snprintf(unit, sizeof unit, "%.30s/s", step->unit);
        block_fact(json, "throughput", step_tokens_per_s(step, result->end_ps), unit,
                   "input of a step over its time");
    }
    if (result->status == STATUS_OK && step->peak_flops > 0)
        block_fact(json, "MFU", 100 * step_mfu(step, result->end_ps), "%",
                   "model flops over the devices' dense peak");
    block_fact(json, "memory", (double)step->memory.worst.total_bytes, "B",
               step_fits(&step->memory) ? "of the rank that needs most"
                                        : "of the rank that needs most: does not fit");
}

void run_facts(struct run_writing *writing)
{
    const struct run_result *result = writing->page->result;
    const struct config *config = writing->page->config;
    const struct report_context *context = writing->page->context;
    struct json_writer *json = &writing->json;
    char text[64];
    json_list_begin(json, "facts", JSON_LINES);
    block_fact(json, result->status == STATUS_OK ? "makespan" : "simulated until",
               (double)result->end_ps, "ps",
               result->status == STATUS_OK ? "when the last rank finished"
                                           : status_help(result->status));
    block_fact(json, "ranks", result->rank_count, "", "of the job");
    if (result->finished_count < result->rank_count)
        block_fact(json, "ranks finished", result->finished_count, "", "of them");
    if (context->step)
        step_facts(json, result, context->step);
    snprintf(text, sizeof text, "compute: %s", compute_model_names[config->system.compute]);
    block_fact_text(json, "network model", net_backend_names[config->network.backend], text);
    block_fact(json, "sent", result->bytes_sent, "B", "over the network, by all ranks");
    block_fact(json, "operations", (double)result->node_done, "", "done, over all ranks");
    json_list_end(json);
}

/* -- time -------------------------------------------------------------------------------------- */

static void spread_table(struct run_writing *writing)
{
    static const struct block_column columns[] = {
        {"category", "category", "", "exclusive ones sum to a rank's finish time", true},
        {"least", "least", "ps", "of all ranks", false},
        {"mean", "mean", "ps", "over all ranks", false},
        {"most", "most", "ps", "of all ranks", false},
        {"most_rank", "on rank", "", "the first rank with the most", false},
        {"share", "share", "%", "of the mean, of the makespan", false},
        {0}};
    const struct run_result *result = writing->page->result;
    struct json_writer *json = &writing->json;
    block_table_begin(json, "categories", "Categories of time, over ranks", columns,
                      "“overlapped” runs under compute, and is not part of the sum.");
    for (uint32_t i = 0; i < time_category_count; i++) {
        struct spread spread = spread_of(result, &time_categories[i]);
        if (!spread.most)
            continue;
        json_list_begin(json, NULL, JSON_INLINE);
        json_text(json, NULL, time_categories[i].text);
        json_u64(json, NULL, spread.least);
        json_u64(json, NULL, spread.mean);
        json_u64(json, NULL, spread.most);
        json_u64(json, NULL, spread.most_rank);
        json_number(json, NULL,
                    result->end_ps ? 100.0 * (double)spread.mean / (double)result->end_ps : 0);
        json_list_end(json);
    }
    block_table_end(json);
}

enum { RANK_COLUMNS = 40 };

/* The categories that some rank has. */
static uint32_t rank_columns(const struct run_result *result, struct block_column *column,
                             const struct time_category **category)
{
    uint32_t count = 0;
    column[0] = (struct block_column){"ranks", "ranks", "", "with equal figures", true};
    column[1] = (struct block_column){"count", "how many", "", "ranks of the group", false};
    column[2] = (struct block_column){"finished", "finished", "ps", "end of the last node", false};
    for (uint32_t i = 0; i < time_category_count; i++) {
        if (!spread_of(result, &time_categories[i]).most)
            continue;
        promise(count + 4 < RANK_COLUMNS);
        column[3 + count] = (struct block_column){
            time_categories[i].key, time_categories[i].text, "ps",
            time_categories[i].group == TIME_EXCLUSIVE ? "exclusive time" : "under compute", false};
        category[count++] = &time_categories[i];
    }
    column[3 + count] = (struct block_column){0};
    return count;
}

static void rank_table(struct run_writing *writing)
{
    const struct rank_groups *groups = &writing->groups;
    struct json_writer *json = &writing->json;
    struct block_column column[RANK_COLUMNS];
    const struct time_category *category[RANK_COLUMNS];
    uint32_t categories = rank_columns(writing->page->result, column, category);
    uint32_t *pick = malloc((RUN_PAGE_ROWS + 4) * sizeof *pick);
    need_memory(pick != NULL);
    uint32_t picked = rank_groups_pick(groups, RUN_PAGE_ROWS, pick);
    char note[200] = "", text[RANK_GROUP_TEXT];
    if (picked < groups->count)
        snprintf(note, sizeof note,
                 "%" PRIu32 " of %" PRIu32 " groups of equal ranks, evenly spaced, with those that "
                 "finish first and last; --format csv has every rank.",
                 picked, groups->count);
    block_table_begin(json, "ranks", "Ranks", column, note);
    for (uint32_t i = 0; i < picked; i++) {
        const struct rank_group *group = &groups->group[pick[i]];
        json_list_begin(json, NULL, JSON_INLINE);
        json_text(json, NULL, rank_groups_text(text, groups, pick[i]));
        json_u64(json, NULL, group->count);
        json_u64(json, NULL, group->figures->finish_ps);
        for (uint32_t k = 0; k < categories; k++)
            json_u64(json, NULL, time_of(group->figures, category[k]));
        json_list_end(json);
    }
    block_table_end(json);
    free(pick);
}

void run_section_time(struct run_writing *writing)
{
    block_section_begin(&writing->json, "time", "Where the time went",
                        "At any moment of a rank the first of these counts: compute, communication "
                        "that no compute hides, remote memory, host, idle.");
    run_chart_block(writing, "breakdown");
    spread_table(writing);
    run_chart_block(writing, "finish");
    rank_table(writing);
    block_section_end(&writing->json);
}

/* -- critical path ----------------------------------------------------------------------------- */

static void sensitivity_row(struct json_writer *json, const struct sensitivity_row *row,
                            double end_ps)
{
    char name[80];
    if (row->part == PATH_PART_COUNT)
        snprintf(name, sizeof name,
                 row->alike > 1 ? "rank %" PRIu32 " (%" PRIu32 " alike)" : "rank %" PRIu32,
                 row->rank, row->alike);
    else
        snprintf(name, sizeof name, row->dim < 0 ? "%s" : "%s, dimension %d",
                 path_part_name(row->part), row->dim);
    json_list_begin(json, NULL, JSON_INLINE);
    json_text(json, NULL, name);
    json_number(json, NULL, round(row->slower_ps));
    json_number(json, NULL, round(row->faster_ps));
    json_number(json, NULL, 100 * row->from);
    json_number(json, NULL, 100 * row->to);
    json_number(json, NULL, round(row->ten_faster_ps));
    json_number(json, NULL, round(row->most_ps));
    json_number(json, NULL, 100 * row->most_ps / end_ps);
    json_list_end(json);
}

static void sensitivity_table(struct run_writing *writing)
{
    static const struct block_column columns[] = {
        {"parameter", "parameter", "", "what the time scales with", true},
        {"slower", "1 % longer costs", "ps", "of the makespan, by the line", false},
        {"faster", "1 % less saves", "ps", "of the makespan, by the line", false},
        {"from", "holds from", "%", "change within which the line is right to 1 %", false},
        {"to", "to", "%", "change within which the line is right to 1 %", false},
        {"ten", "10 % less saves", "ps", "of the makespan, by the replay", false},
        {"most", "at most", "ps", "saved if it took no time", false},
        {"most_share", "share", "%", "of the makespan, saved at most", false},
        {0}};
    const struct sensitivity *found = writing->page->sensitivity;
    struct json_writer *json = &writing->json;
    if (!found || !found->end_ps)
        return;
    block_table_begin(json, "sensitivity", "Sensitivity: what a change of each parameter is worth",
                      columns,
                      "From the run's replay (stats/sensitivity.h): what contention, order and "
                      "algorithms would do is left out. -100 % is “takes no time”.");
    for (uint32_t i = 0; i < found->part_count; i++)
        sensitivity_row(json, &found->part[i], (double)found->end_ps);
    for (uint32_t i = 0; i < found->rank_count && i < 64; i++)
        sensitivity_row(json, &found->rank[i], (double)found->end_ps);
    block_table_end(json);
}

static void blame_table_block(struct run_writing *writing, enum blame_by by, const char *id,
                              const char *caption)
{
    static const struct block_column columns[] = {
        {"what", "what", "", "what the path was in", true},
        {"time", "time", "ps", "on the critical path; sums to the makespan", false},
        {"share", "share", "%", "of the makespan", false},
        {"pieces", "pieces", "", "of the path", false},
        {0}};
    const struct path_blame *blame = writing->page->blame;
    const struct blame_table *table = &blame->by[by];
    struct json_writer *json = &writing->json;
    uint32_t count = table->count < RUN_PAGE_ROWS ? table->count : RUN_PAGE_ROWS;
    char note[120] = "";
    if (count < table->count)
        snprintf(note, sizeof note, "The first %" PRIu32 " of %" PRIu32 ".", count, table->count);
    block_table_begin(json, id, caption, columns, note);
    for (uint32_t i = 0; i < count; i++) {
        json_list_begin(json, NULL, JSON_INLINE);
        json_text(json, NULL, table->row[i].name);
        json_u64(json, NULL, table->row[i].time_ps);
        json_number(json, NULL, 100.0 * (double)table->row[i].time_ps / (double)blame->end_ps);
        json_u64(json, NULL, table->row[i].pieces);
        json_list_end(json);
    }
    block_table_end(json);
}

void run_section_path(struct run_writing *writing)
{
    if (!writing->page->blame || !writing->page->blame->end_ps)
        return;
    block_section_begin(&writing->json, "critical-path", "Critical path",
                        "The chain of operations from the end of the run to its start: each "
                        "instant is in one of them, so every table sums to the makespan.");
    run_chart_block(writing, "critical-path");
    blame_table_block(writing, BLAME_BY_PART, "path-parts", "By part");
    sensitivity_table(writing);
    blame_table_block(writing, BLAME_BY_COLLECTIVE, "path-collectives", "By collective");
    blame_table_block(writing, BLAME_BY_OP, "path-ops", "By operation (numbers as *)");
    blame_table_block(writing, BLAME_BY_STAGE, "path-stages", "By trace or pipeline stage");
    blame_table_block(writing, BLAME_BY_RANK, "path-ranks", "By rank");
    block_section_end(&writing->json);
}

/* -- compute ----------------------------------------------------------------------------------- */

void run_section_compute(struct run_writing *writing)
{
    static const struct block_column columns[] = {
        {"class", "class", "", "of operation", true},
        {"model", "timed by", "", "the compute model that timed it", true},
        {"ops", "ops", "", "over all ranks", false},
        {"extrapolated", "extrapolated", "", "timed beyond what was measured", false},
        {"time", "time", "ps", "sum of durations, before what slows them down", false},
        {"flop", "work", "flop", "over all ranks", false},
        {"rate", "rate", "flop/s", "work over time", false},
        {0}};
    const struct run_result *result = writing->page->result;
    struct json_writer *json = &writing->json;
    if (!result->compute_count)
        return;
    block_section_begin(json, "compute", "Compute", "What was timed by which model.");
    block_table_begin(json, "compute-classes", "Classes of operations", columns, NULL);
    for (uint32_t i = 0; i < result->compute_count; i++) {
        const struct compute_row *row = &result->compute[i];
        json_list_begin(json, NULL, JSON_INLINE);
        json_text(json, NULL, op_class_name(row->class));
        json_text(json, NULL, row->model);
        json_u64(json, NULL, row->nodes);
        json_u64(json, NULL, row->extrapolated);
        json_whole(json, NULL, 1e3 * row->time_ns);
        json_whole(json, NULL, row->flops);
        json_number(json, NULL, row->time_ns > 0 ? 1e9 * row->flops / row->time_ns : NAN);
        json_list_end(json);
    }
    block_table_end(json);
    block_section_end(json);
}

/* -- memory ------------------------------------------------------------------------------------ */

void run_section_memory(struct run_writing *writing)
{
    static const struct block_column columns[] = {
        {"trace", "trace", "", "or pipeline stage", true},
        {"ranks", "ranks", "", "with it", false},
        {"most", "most", "B", "held at once", false},
        {"fixed", "throughout", "B", "weights, gradients, optimizer states", false},
        {"first_at", "first at", "ps", "when the most was first reached", false},
        {0}};
    const struct run_result *result = writing->page->result;
    struct json_writer *json = &writing->json;
    if (!result->memory_count)
        return;
    block_section_begin(json, "memory", "Memory", "What ranks hold in their devices.");
    run_chart_block(writing, "memory");
    block_table_begin(json, "memory-traces", "By trace", columns, NULL);
    for (uint32_t i = 0; i < result->memory_count && i < RUN_PAGE_ROWS; i++) {
        const struct memory_row *row = &result->memory[i];
        json_list_begin(json, NULL, JSON_INLINE);
        json_text(json, NULL, row->trace);
        json_u64(json, NULL, row->ranks);
        json_u64(json, NULL, row->most_bytes);
        json_u64(json, NULL, row->fixed_bytes);
        json_u64(json, NULL, row->most_ps);
        json_list_end(json);
    }
    block_table_end(json);
    block_section_end(json);
}
