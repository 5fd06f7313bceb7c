/* Communication and network of a run's page, and where it came from. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "net/topology/fabric.h"
#include "page/run_parts.h"
#include "report/describe.h"
#include "report/draw.h"
#include "report/links.h"
#include "report/spread.h"

/* -- communication ----------------------------------------------------------------------------- */

static void collective_table(struct run_writing *writing)
{
    static const struct block_column columns[] = {
        {"kind", "kind", "", "of collective, as performed", true},
        {"group_size", "ranks", "", "of its group", false},
        {"algorithm", "algorithm", "", "per dimension", true},
        {"count", "count", "", "instances", false},
        {"bytes", "size", "B", "sum over instances, of one rank", false},
        {"time", "time", "ps", "sum over instances, from the last arrival on", false},
        {"least", "least", "ps", "over instances", false},
        {"most", "most", "ps", "over instances", false},
        {"skew", "skew", "ps", "sum over instances: first arrival to last", false},
        {"algbw", "algorithm bw", "B/s", "size over time (nccl-tests algbw)", false},
        {"busbw", "bus bw", "B/s", "nccl-tests busbw", false},
        {0}};
    const struct run_result *result = writing->page->result;
    struct json_writer *json = &writing->json;
    block_table_begin(json, "collectives", "Collectives", columns, NULL);
    for (uint32_t i = 0; i < result->collective_count; i++) {
        const struct collective_row *row = &result->collective[i];
        json_list_begin(json, NULL, JSON_INLINE);
        json_text(json, NULL, collective_name(row->kind));
        json_u64(json, NULL, row->group_size);
        json_text(json, NULL, row->algorithm);
        json_u64(json, NULL, row->count);
        json_whole(json, NULL, row->bytes);
        json_u64(json, NULL, row->time_ps);
        json_u64(json, NULL, row->least_ps);
        json_u64(json, NULL, row->most_ps);
        json_u64(json, NULL, row->skew_ps);
        json_whole(json, NULL, row->algorithm_Bps);
        json_whole(json, NULL, row->bus_Bps);
        json_list_end(json);
    }
    block_table_end(json);
}

static void group_table(struct run_writing *writing)
{
    static const struct block_column columns[] = {
        {"name", "communicator", "", "name of the groups", true},
        {"group_size", "ranks", "", "of each", false},
        {"groups", "groups", "", "of that name and size", false},
        {"collectives", "collectives", "", "instances", false},
        {"bytes", "size", "B", "sum over instances, of one rank", false},
        {"time", "time", "ps", "sum over the instances of all groups", false},
        {0}};
    const struct run_result *result = writing->page->result;
    struct json_writer *json = &writing->json;
    block_table_begin(json, "groups", "Communicators", columns, NULL);
    for (uint32_t i = 0; i < result->group_count && i < RUN_PAGE_ROWS; i++) {
        const struct group_row *row = &result->group[i];
        json_list_begin(json, NULL, JSON_INLINE);
        json_text(json, NULL, row->name);
        json_u64(json, NULL, row->size);
        json_u64(json, NULL, row->groups);
        json_u64(json, NULL, row->collectives);
        json_whole(json, NULL, row->bytes);
        json_u64(json, NULL, row->time_ps);
        json_list_end(json);
    }
    block_table_end(json);
}

void run_section_communication(struct run_writing *writing)
{
    const struct run_result *result = writing->page->result;
    if (!result->collective_count && !result->group_count)
        return;
    block_section_begin(&writing->json, "communication", "Communication",
                        "Collectives as performed, and the groups that they are of.");
    run_chart_block(writing, "collectives");
    collective_table(writing);
    if (result->group_count)
        group_table(writing);
    block_section_end(&writing->json);
}

/* -- network ----------------------------------------------------------------------------------- */

static void dimension_table(struct run_writing *writing)
{
    static const struct block_column columns[] = {
        {"dim", "dimension", "", "of the network", false},
        {"block", "block", "", "what connects it", true},
        {"npus", "ranks", "", "in it", false},
        {"messages", "messages", "", "of all ranks", false},
        {"bytes", "injected", "B", "by all ranks", false},
        {"ideal_busy", "at link rate", "ps", "what a rank injects, at the rate of its link", false},
        {0}};
    const struct run_result *result = writing->page->result;
    struct json_writer *json = &writing->json;
    block_table_begin(json, "dimensions", "Dimensions", columns, NULL);
    for (uint32_t i = 0; i < result->dimension_count; i++) {
        const struct dimension_row *row = &result->dimension[i];
        time_ps share = share_at_link_rate(result, row);
        json_list_begin(json, NULL, JSON_INLINE);
        json_u64(json, NULL, row->dim);
        json_text(json, NULL, row->block);
        json_u64(json, NULL, row->npus);
        json_u64(json, NULL, row->messages);
        json_whole(json, NULL, row->bytes);
        json_double(json, NULL, share == TIME_NEVER ? NAN : (double)share);
        json_list_end(json);
    }
    block_table_end(json);
}

static void link_row(struct run_writing *writing, uint32_t l)
{
    const struct run_result *result = writing->page->result;
    const struct fabric *fabric = writing->page->config->network.fabric;
    const struct link_figures *figures = &result->link[l];
    struct json_writer *json = &writing->json;
    double end_ps = (double)result->end_ps;
    json_list_begin(json, NULL, JSON_INLINE);
    json_text(json, NULL, fabric->node[fabric->link[l].src].name);
    json_text(json, NULL, fabric->node[fabric->link[l].dst].name);
    json_u64(json, NULL, fabric->link[l].dim);
    json_double(json, NULL, fabric->link[l].bandwidth_Bps);
    json_whole(json, NULL, figures->bytes);
    json_whole(json, NULL, 1e3 * figures->busy_ns);
    json_number(json, NULL, end_ps > 0 ? round(1e7 * figures->busy_ns / end_ps) / 100 : NAN);
    json_whole(json, NULL, 1e3 * figures->queued_ns);
    json_list_end(json);
}

static void link_table(struct run_writing *writing)
{
    static const struct block_column columns[] = {
        {"from", "from", "", "where the link begins", true},
        {"to", "to", "", "where it ends", true},
        {"dim", "dimension", "", "of the network", false},
        {"bandwidth", "bandwidth", "B/s", "of the link", false},
        {"bytes", "bytes", "B", "over the link", false},
        {"busy", "busy", "ps", "its load over its bandwidth", false},
        {"utilisation", "utilisation", "%", "busy, of the makespan", false},
        {"queued", "queued", "ps", "sum of the waits for it (network model link)", false},
        {0}};
    enum { HOTTEST = 1000 };
    const struct run_result *result = writing->page->result;
    struct json_writer *json = &writing->json;
    uint32_t *link = malloc(HOTTEST * sizeof *link);
    need_memory(link != NULL);
    uint32_t count = links_hottest(result->link, result->link_count, HOTTEST, link);
    char note[160];
    snprintf(note, sizeof note,
             "The %" PRIu32 " busiest of %" PRIu32 " links; --links FILE has all.", count,
             result->link_count);
    block_table_begin(json, "links", "Links, the busiest first", columns, note);
    for (uint32_t i = 0; i < count; i++)
        link_row(writing, link[i]);
    block_table_end(json);
    free(link);
}

static void heat_map(struct run_writing *writing)
{
    const struct run_result *result = writing->page->result;
    struct json_writer *json = &writing->json;
    char *svg = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&svg, &length);
    need_memory(memory != NULL);
    draw_svg(writing->page->config->network.fabric, result->link,
             (double)result->end_ps / (double)PS_PER_NS, memory);
    need_memory(fclose(memory) == 0);
    json_map_begin(json, NULL, JSON_LINES);
    json_text(json, "type", "drawing");
    json_text(json, "title", "The network and how busy its links were");
    json_text(json, "note", "From blue (idle) to red (busy all the time).");
    json_text(json, "describe",
              "Drawing of the network with links coloured by utilisation; the table of links below "
              "has the same figures.");
    json_text(json, "svg", svg);
    json_map_end(json);
    free(svg);
}

void run_section_network(struct run_writing *writing)
{
    const struct run_result *result = writing->page->result;
    block_section_begin(&writing->json, "network", "Network",
                        result->link_count ? "What links carried, and for how much of the time."
                                           : "This network model sees no links: dimensions alone.");
    if (result->link_count) {
        heat_map(writing);
        run_chart_block(writing, "links");
        link_table(writing);
    }
    dimension_table(writing);
    block_section_end(&writing->json);
}

/* -- where it came from ------------------------------------------------------------------------ */

static void notice_table(struct run_writing *writing)
{
    static const struct block_column columns[] = {
        {"kind", "kind", "", "ignored, guessed, repaired, clamped, ..", true},
        {"key", "what", "", "", true},
        {"count", "count", "", "how often", false},
        {"example", "example", "", "the first", true},
        {0}};
    const struct notices *notices = &writing->page->result->notices;
    struct json_writer *json = &writing->json;
    block_table_begin(json, "notices", "Notices: what was not taken as it stood", columns,
                      notices->count ? NULL : "None.");
    for (size_t i = 0; i < notices->count; i++) {
        json_list_begin(json, NULL, JSON_INLINE);
        json_text(json, NULL, notice_kind_name(notices->row[i].kind));
        json_text(json, NULL, notices->row[i].key);
        json_u64(json, NULL, notices->row[i].count);
        json_text(json, NULL, notices->row[i].example);
        json_list_end(json);
    }
    block_table_end(json);
}

static void input_row(struct json_writer *json, const char *role, const char *path,
                      const char *format, uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    json_list_begin(json, NULL, JSON_INLINE);
    json_text(json, NULL, role);
    json_text(json, NULL, path);
    json_text(json, NULL, format);
    json_text(json, NULL, text);
    json_list_end(json);
}

static void input_table(struct run_writing *writing)
{
    static const struct block_column columns[] = {
        {"role", "role", "", "what it was read as", true},
        {"path", "path", "", "as it was given", true},
        {"format", "format", "", "of a trace", true},
        {"hash", "hash of its content", "", "of the bytes that were read", true},
        {0}};
    const struct config *config = writing->page->config;
    const struct workload *workload = writing->page->context->workload;
    struct json_writer *json = &writing->json;
    uint32_t traces = workload ? workload->trace_count : 0;
    char note[120] = "";
    if (traces > RUN_PAGE_ROWS)
        snprintf(note, sizeof note, "The first %d of %" PRIu32 " traces.", RUN_PAGE_ROWS, traces);
    block_table_begin(json, "inputs", "Inputs", columns, note);
    for (uint32_t i = 0; i < config->input_count; i++)
        input_row(json, config->input[i].role, config->input[i].path, "", config->input[i].hash);
    for (uint32_t t = 0; t < traces && t < RUN_PAGE_ROWS; t++)
        input_row(json, "trace", workload->traces[t]->path, workload->traces[t]->format,
                  workload->traces[t]->content_hash);
    block_table_end(json);
}

static void setting_table(struct run_writing *writing)
{
    static const struct block_column columns[] = {
        {"key", "setting", "", "its path", true},
        {"value", "value", "", "in effect", true},
        {"source", "source", "", "where the value is from", true},
        {0}};
    const struct config *config = writing->page->config;
    struct json_writer *json = &writing->json;
    block_table_begin(json, "settings", "Settings, each with its source", columns, NULL);
    for (uint32_t i = 0; i < config->provenance_count; i++) {
        const struct provenance *row = &config->provenance[i];
        if (describe_is_fold_row(row))
            continue;
        json_list_begin(json, NULL, JSON_INLINE);
        json_text(json, NULL, row->key);
        json_text(json, NULL, row->value);
        json_text(json, NULL, row->source);
        json_list_end(json);
    }
    block_table_end(json);
}

/* A word as a shell takes it. */
static void put_word(const char *word, FILE *out)
{
    if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789_-+=:,./@%")]) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
    fputc('\'', out);
}

static void put_command(struct run_writing *writing)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    need_memory(memory != NULL);
    fputs("orrery run", memory);
    for (const char *const *word = writing->page->context->command; *word; word++) {
        fputc(' ', memory);
        put_word(*word, memory);
    }
    need_memory(fclose(memory) == 0);
    block_code(&writing->json, "The command that makes this run again", text);
    free(text);
}

static void wait_for(struct run_writing *writing)
{
    static const struct block_column columns[] = {
        {"line", "what waits for what", "", "of the ranks that did not finish", true}, {0}};
    const struct run_result *result = writing->page->result;
    if (!result->wait_for_count)
        return;
    block_table_begin(&writing->json, "wait-for", "Why it is stuck", columns, NULL);
    for (uint32_t i = 0; i < result->wait_for_count && i < RUN_PAGE_ROWS; i++) {
        json_list_begin(&writing->json, NULL, JSON_INLINE);
        json_text(&writing->json, NULL, result->wait_for[i]);
        json_list_end(&writing->json);
    }
    block_table_end(&writing->json);
}

void run_section_origin(struct run_writing *writing)
{
    char fold[DESCRIBE_TEXT];
    const struct report_context *context = writing->page->context;
    block_section_begin(&writing->json, "origin", "Where this comes from",
                        describe_fold(fold, writing->page->result));
    wait_for(writing);
    if (context->step)
        block_code(&writing->json, "Plan", context->step->plan);
    if (context->command)
        put_command(writing);
    notice_table(writing);
    input_table(writing);
    setting_table(writing);
    block_section_end(&writing->json);
}
