/* orrery results: the table of a study's store. */
#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "page/study_page.h"
#include "sweep/results_write.h"

struct results_command {
    const char *store, *where, *sort, *columns, *pareto, *pivot, *limit, *format, *output, *html;
};

#define TEXT(option, word, member, what)                                                           \
    {                                                                                              \
        .name = option, .argument = word, .help = what, .take = take_text,                         \
        .offset = offsetof(struct results_command, member)                                         \
    }

static const struct option options[] = {
    TEXT("--where", "CONDITION", where, "rows that it holds for: \"plan.tp <= 4 and mfu > 0.4\""),
    TEXT("--sort", "COLUMNS", sort, "least first; -COLUMN: most first. \"-mfu,time_s\""),
    TEXT("--pareto", "COLUMNS", pareto,
         "the front over two or three: \"time_s,cost\", \"-mfu,..\""),
    TEXT("--pivot", "DOWN,ACROSS,VALUE", pivot,
         "a table of two axes; then ,least ,most ,mean ,count"),
    TEXT("--columns", "NAMES", columns, "these alone, in this order"),
    TEXT("--limit", "N", limit, "the first N rows"),
    TEXT("--format", "NAME", format, "text (default), csv or json"),
    TEXT("--output", "FILE", output, "write it there (complete, or not at all)"),
    TEXT("--html", "FILE", html,
         "write the study there as a page: charts, tables, all in one file"),
    {0},
};

static enum status select_rows(const struct results_command *given, struct results *results,
                               struct diag *diag)
{
    uint64_t limit = UINT32_MAX;
    if (given->limit && (!decimal_u64(given->limit, strlen(given->limit), &limit) || limit < 1))
        return usage_error(diag, "--limit", "expected a number of 1 or more, found \"%.40s\"",
                           given->limit);
    if (given->pivot && (given->columns || given->pareto))
        return usage_error(diag, "--pivot", "has its own rows and columns");
    enum status status = STATUS_OK;
    if (given->where)
        status = results_filter(results, given->where, diag);
    if (status == STATUS_OK && given->pareto)
        status = results_pareto(results, given->pareto, diag);
    if (status == STATUS_OK && given->sort)
        status = results_sort(results, given->sort, diag);
    if (status == STATUS_OK && given->columns)
        status = results_show(results, given->columns, diag);
    if (status == STATUS_OK)
        results_limit(results, limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX);
    return status;
}

/* How many rows there are, for people. */
static void print_count(const struct results *results, FILE *out)
{
    uint32_t done = 0;
    for (uint32_t i = 0; i < results->table->count; i++)
        done += results->table->row[i].is_done;
    fprintf(out, "%" PRIu32 " rows of %" PRIu32 " points, of which %" PRIu32 " have ended\n",
            results->row_count, results->table->count, done);
}

static enum status write_results(const struct results_command *given, struct results *results,
                                 const struct results_format *format, struct diag *diag)
{
    struct pivot pivot;
    struct out_file out;
    bool is_text = format == results_formats;
    enum status status = select_rows(given, results, diag);
    if (status == STATUS_OK && given->pivot)
        status = pivot_make(&pivot, results, given->pivot, diag);
    if (status == STATUS_OK && is_text && !given->columns)
        results_show_usual(results);
    if (status == STATUS_OK)
        status = output_open(&out, given->output, diag);
    if (status != STATUS_OK)
        return status;
    if (is_text && !given->pivot)
        print_count(results, out.stream);
    if (given->pivot)
        format->pivot(&pivot, out.stream);
    else
        format->rows(results, out.stream);
    return output_commit(&out, diag);
}

/* The whole study: its page filters, sorts and draws by itself. */
static enum status write_html(const struct results_command *given, const struct store_table *table,
                              struct diag *diag)
{
    const char *name = strrchr(given->store, '/');
    const struct study_page page = {table, ORRERY_VERSION, name ? name + 1 : given->store, false};
    struct out_file out;
    enum status status = output_open(&out, given->html, diag);
    if (status != STATUS_OK)
        return status;
    study_page_write(&page, out.stream);
    return output_commit(&out, diag);
}

/* What the page does itself. */
static enum status check_html(const struct results_command *given, struct diag *diag)
{
    const char *const others[] = {given->where, given->sort,  given->columns, given->pareto,
                                  given->pivot, given->limit, given->format,  given->output};
    for (size_t i = 0; given->html && i < sizeof others / sizeof *others; i++) {
        if (!others[i])
            continue;
        usage_error(diag, "--html", "writes the whole study, and goes with no other option");
        diag_hint(diag, "the page itself filters, sorts and draws");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

static enum status show(const struct results_command *given, struct diag *diag)
{
    const struct results_format *format =
        options_format(results_formats, sizeof *results_formats, given->format, diag);
    if (!format || check_html(given, diag) != STATUS_OK)
        return STATUS_USAGE;
    if (!given->store) {
        usage_error(diag, NULL, "a store is needed, which orrery sweep wrote");
        diag_hint(diag, "orrery results study.db");
        return STATUS_USAGE;
    }
    struct store *store = store_open(given->store, false, diag);
    if (!store)
        return diag->status;
    struct store_table table;
    struct results results;
    enum status status = store_read(store, &table, diag);
    results_init(&results, &table);
    if (status == STATUS_OK)
        status = given->html ? write_html(given, &table, diag)
                             : write_results(given, &results, format, diag);
    results_release(&results);
    store_table_release(&table);
    store_close(store);
    return status;
}

static int run_results(int argc, char **argv)
{
    struct results_command given = {0};
    struct diag diag = DIAG_NONE;
    int code;
    if (!options_begin(&command_results, argc, argv, &given, take_word, &code))
        return code;
    enum status status = show(&given, &diag);
    if (status != STATUS_OK)
        command_failed(&diag);
    return status_exit_code(status);
}

static void print_columns(FILE *out)
{
    fputs("\nColumns: point, the axes, state, reason, identity, and\n", out);
    for (int i = 0; i < MEASURE_COUNT; i++)
        fprintf(out, "  %-20s %-4s %s\n", measure_columns[i], measure_units[i],
                measure_meanings[i]);
}

const struct command command_results = {
    .name = "results",
    .summary = "the results of a study: list, filter, sort, pivot, Pareto front, export",
    .usage = "STUDY.db [OPTIONS]",
    .about =
        "Reads the store of orrery sweep, also while it runs. Conditions: src/sweep/expression.h.\n"
        "CSV and JSON are the same bytes for the same study, however often it was stopped.\n",
    .more = print_columns,
    .examples = "  orrery results study.db --sort time_s --limit 10\n"
                "  orrery results study.db --where \"state == 'ok' and mfu > 0.4\" --format csv\n"
                "  orrery results study.db --pareto time_s,memory_bytes\n"
                "  orrery results study.db --pivot plan.tp,plan.pp,time_s,least\n"
                "  orrery results study.db --html study.html\n",
    .options = options,
    .run = run_results,
};
