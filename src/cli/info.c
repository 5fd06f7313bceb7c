#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "cli/census_json.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "report/columns.h"
#include "workloads/census.h"
#include "workloads/workload_set.h"

enum { RANKS_SHOWN = 16 };

struct info_options {
    char **source; /* [argc] */
    int source_count;
    const char *format;
    bool per_rank;
};

static const struct option options[] = {
    {.name = "--format",
     .argument = "NAME",
     .help = "text (default) or json",
     .take = take_text,
     .offset = offsetof(struct info_options, format)},
    {.name = "--per-rank",
     .help = "a row for every rank, however many there are",
     .take = take_flag,
     .offset = offsetof(struct info_options, per_rank)},
    {0},
};

/* What is read: all is released in one place. */
struct survey {
    struct arena arena;
    struct census total;
    struct notices notices;
    struct census_rank *rank;
    uint32_t rank_count, rank_capacity;
    struct diag diag;
};

static enum status take_source(void *to, const char *text, struct diag *diag)
{
    (void)diag;
    struct info_options *info = to;
    info->source[info->source_count++] = (char *)text; /* one of argv's own */
    return STATUS_OK;
}

/* -- reading ------------------------------------------------------------------------------- */

static uint64_t nodes_of(const struct census *census, enum op_type type)
{
    return census->op[type][0].count + census->op[type][1].count;
}

static struct census_rank rank_of(const struct trace *trace)
{
    struct census one;
    census_init(&one);
    census_add(&one, trace, 1);
    struct census_rank rank = {
        .nodes = one.nodes,
        .compute = one.op[OP_COMPUTE][0].count,
        .host = one.op[OP_COMPUTE][1].count + nodes_of(&one, OP_HOST_WORK),
        .memory = nodes_of(&one, OP_MEM_LOAD) + nodes_of(&one, OP_MEM_STORE),
        .collectives = nodes_of(&one, OP_COLLECTIVE),
        .sends = nodes_of(&one, OP_SEND),
        .receives = nodes_of(&one, OP_RECV),
    };
    static const enum op_type payload[] = {OP_COLLECTIVE, OP_SEND};
    for (size_t i = 0; i < sizeof payload / sizeof *payload; i++)
        rank.comm_bytes += one.op[payload[i]][0].size_bytes + one.op[payload[i]][1].size_bytes;
    census_release(&one);
    return rank;
}

static void add_ranks(struct survey *survey, const char *source, const struct workload *workload)
{
    if (survey->rank_capacity - survey->rank_count < workload->rank_count) {
        uint32_t capacity = 2 * (survey->rank_count + workload->rank_count);
        struct census_rank *bigger = arena_array(&survey->arena, capacity, sizeof *bigger);
        if (survey->rank_count)
            memcpy(bigger, survey->rank, survey->rank_count * sizeof *bigger);
        survey->rank = bigger;
        survey->rank_capacity = capacity;
    }
    struct census_rank *distinct =
        arena_array(&survey->arena, workload->trace_count, sizeof *distinct);
    for (uint32_t t = 0; t < workload->trace_count; t++)
        distinct[t] = rank_of(workload->traces[t]);
    for (uint32_t r = 0; r < workload->rank_count; r++) {
        struct census_rank *rank = &survey->rank[survey->rank_count++];
        *rank = distinct[workload->trace_of_rank[r]];
        rank->source = source;
        rank->rank = r;
    }
}

/* A word is a trace file, or a prefix of one file per rank, or of one for all. */
static enum status read_source(struct survey *survey, const char *source)
{
    struct workload_config config = {.prefix = source};
    uint32_t count = file_exists(source) ? workload_file_ranks(source)
                                         : workload_count_files(source, CONFIG_MAX_NPUS);
    if (count == 0) {
        count = 1;
        config.replicate = true; /* PREFIX.all, or the message that nothing is there */
    }
    struct workload workload;
    enum status status =
        workload_open(&workload, &config, count, NULL, &survey->notices, &survey->diag);
    if (status != STATUS_OK)
        return status;
    census_add_workload(&survey->total, &workload);
    add_ranks(survey, source, &workload);
    workload_release(&workload);
    return STATUS_OK;
}

/* -- printing ------------------------------------------------------------------------------ */

static void print_ranks(const struct survey *survey, bool with_source)
{
    static const char *const heading[] = {"source",   "rank",      "nodes",       "compute",
                                          "host",     "memory",    "collectives", "sends",
                                          "receives", "comm bytes"};
    struct columns columns;
    columns_init(&columns, with_source ? "lrrrrrrrrr" : "rrrrrrrrr");
    for (size_t i = with_source ? 0 : 1; i < sizeof heading / sizeof *heading; i++)
        columns_add(&columns, "%s", heading[i]);
    for (uint32_t i = 0; i < survey->rank_count; i++) {
        const struct census_rank *rank = &survey->rank[i];
        char bytes[32];
        const uint64_t counts[] = {rank->nodes,       rank->compute, rank->host,    rank->memory,
                                   rank->collectives, rank->sends,   rank->receives};
        if (with_source)
            columns_add(&columns, "%s", rank->source);
        columns_add(&columns, "%" PRIu32, rank->rank);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            columns_add(&columns, "%" PRIu64, counts[c]);
        columns_add(&columns, "%s",
                    units_show_bytes(bytes, sizeof bytes, (double)rank->comm_bytes));
    }
    puts("\nranks");
    columns_print(&columns, stdout);
    columns_release(&columns);
}

static void print_text(const struct survey *survey, const struct info_options *info)
{
    census_print_text(&survey->total, stdout);
    if (info->per_rank || (survey->rank_count > 1 && survey->rank_count <= RANKS_SHOWN))
        print_ranks(survey, info->source_count > 1);
    if (survey->notices.count)
        putchar('\n');
    say_notices(&survey->notices, stdout);
}

static enum status survey_all(struct survey *survey, const struct info_options *info)
{
    bool json = info->format && strcmp(info->format, "json") == 0;
    if (info->format && !json && strcmp(info->format, "text") != 0)
        return usage_error(&survey->diag, "--format", "expected text or json, found \"%.60s\"",
                           info->format);
    if (!info->source_count) {
        usage_error(&survey->diag, NULL, "no trace was given");
        diag_hint(&survey->diag, "write orrery info PREFIX, or orrery info FILE..");
        return STATUS_USAGE;
    }
    for (int i = 0; i < info->source_count; i++) {
        enum status status = read_source(survey, info->source[i]);
        if (status != STATUS_OK)
            return status;
    }
    if (json)
        census_print_json(&survey->total, survey->rank, survey->rank_count, &survey->notices,
                          stdout);
    else
        print_text(survey, info);
    return STATUS_OK;
}

static int run_info(int argc, char **argv)
{
    struct survey survey = {.diag = DIAG_NONE};
    arena_init(&survey.arena);
    census_init(&survey.total);
    notices_init(&survey.notices);
    struct info_options info = {0};
    info.source = arena_array(&survey.arena, (size_t)argc, sizeof *info.source);
    enum asked asked;
    enum status status =
        options_parse(&command_info, argc, argv, &info, take_source, &asked, &survey.diag);
    if (status == STATUS_OK && asked == ASKED_HELP)
        options_help(&command_info, stdout);
    else if (status == STATUS_OK)
        status = survey_all(&survey, &info);
    if (status != STATUS_OK)
        command_failed(&survey.diag);
    notices_release(&survey.notices);
    census_release(&survey.total);
    arena_release(&survey.arena);
    return status_exit_code(status);
}

const struct command command_info = {
    .name = "info",
    .summary = "what is in traces: nodes by type, bytes by collective and group",
    .usage = "PREFIX | FILE.. [OPTIONS]",
    .about = "Prints a census of traces: nodes by type, collectives by kind and group,\n"
             "dependencies, layouts and oddities, in total and per rank.\n",
    .examples = "  orrery info configs/examples/dp8/workload\n"
                "  orrery info W/*.et --format json\n"
                "  orrery info W/all_reduce --per-rank\n",
    .options = options,
    .run = run_info,
};
