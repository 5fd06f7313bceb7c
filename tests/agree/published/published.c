/* The comparison and its tables. */
#include "tests/agree/published/published.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "tests/agree/published/csv.h"

static const double million = 1e6;                                         /* "1 MB and more" */
static const double limit_large = 15, limit_small = 30, limit_family = 25; /* percent */

enum { GROUP_BYTES = 160 };

struct result {
    const struct published_row *row;
    struct published_case one;
    struct tuner_choice choice;
    double error; /* percent, signed: predicted less measured */
};

struct results {
    const struct result *list;
    uint32_t count;
    FILE *out;
};

struct summary {
    uint32_t count;
    double mean, median, worst, bias; /* percent */
};

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Writes the name of the group that a result belongs to. */
typedef void group_name(const struct result *result, char *to);

static void by_system(const struct result *result, char *to)
{
    snprintf(to, GROUP_BYTES, "%s", result->one.system.name);
}

static void by_collective(const struct result *result, char *to)
{
    snprintf(to, GROUP_BYTES, "%s", result->row->text[COLUMN_OP]);
}

static void by_decade(const struct result *result, char *to)
{
    double bytes = result->one.bytes < 1 ? 1 : result->one.bytes;
    snprintf(to, GROUP_BYTES, "1e%02d B", (int)floor(log10(bytes)));
}

static void by_ranks(const struct result *result, char *to)
{
    snprintf(to, GROUP_BYTES, "%4u ranks, %2u nodes", result->one.request.ranks,
             result->one.request.nodes);
}

static void by_choice(const struct result *result, char *to)
{
    snprintf(to, GROUP_BYTES, "%s %s", tuner_algorithm_name(result->choice.algorithm),
             tuner_protocol_name(result->choice.protocol));
}

static void by_family(const struct result *result, char *to)
{
    snprintf(to, GROUP_BYTES, "%s", result->row->text[COLUMN_FAMILY]);
}

/* -- numbers ---------------------------------------------------------------------------------- */

static bool is_large(const struct result *result)
{
    return result->one.bytes >= million;
}

static struct summary summarise(double *error, uint32_t count, double bias)
{
    struct summary summary = {.count = count};
    if (count == 0)
        return summary;
    qsort(error, count, sizeof *error, ascending);
    for (uint32_t i = 0; i < count; i++)
        summary.mean += error[i] / count;
    summary.median = (error[count / 2] + error[(count - 1) / 2]) / 2;
    summary.worst = error[count - 1];
    summary.bias = bias / count;
    return summary;
}

/* What a summary is over. */
struct range {
    group_name *name;
    const char *group; /* NULL: all */
    bool is_large;     /* 1 MB and more, or below */
    bool has_assumed;  /* those with an assumed network too */
};

static struct summary summary_of(const struct results *table, const struct range *range)
{
    const struct result *list = table->list;
    uint32_t count = table->count;
    double *error = malloc((count + 1) * sizeof *error);
    promise(error != NULL);
    uint32_t kept = 0;
    double bias = 0;
    char own[GROUP_BYTES];
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].one.unmapped || is_large(&list[i]) != range->is_large ||
            (list[i].one.is_assumed && !range->has_assumed))
            continue;
        if (range->group)
            range->name(&list[i], own);
        if (!range->group || strcmp(own, range->group) == 0) {
            error[kept++] = fabs(list[i].error);
            bias += list[i].error;
        }
    }
    struct summary summary = summarise(error, kept, bias);
    free(error);
    return summary;
}

/* -- tables ----------------------------------------------------------------------------------- */

static void print_half(const struct summary *summary, FILE *out)
{
    if (summary->count == 0)
        fprintf(out, " | %5s %7s %7s %8s %7s", "-", "-", "-", "-", "-");
    else
        fprintf(out, " | %5u %7.1f %7.1f %8.1f %+7.1f", summary->count, summary->mean,
                summary->median, summary->worst, summary->bias);
}

/* The groups that `name` makes of the mapped results, in order of appearance. */
static void find_groups(const struct results *table, group_name *name, struct names *groups)
{
    char own[GROUP_BYTES];
    names_init(groups);
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->list[i].one.unmapped)
            continue;
        name(&table->list[i], own);
        names_add(groups, own, strlen(own));
    }
}

static void print_groups(const struct results *table, const char *title, group_name *name)
{
    struct names groups;
    find_groups(table, name, &groups);
    fprintf(table->out, "\n%-44s | %5s %7s %7s %8s %7s | %5s %7s %7s %8s %7s\n", title, "< 1MB",
            "MAPE %", "median", "worst", "bias", ">=1MB", "MAPE %", "median", "worst", "bias");
    for (uint32_t g = 0; g < groups.count; g++) {
        struct range range = {name, groups.text[g], false, true};
        struct summary small = summary_of(table, &range);
        range.is_large = true;
        struct summary large = summary_of(table, &range);
        fprintf(table->out, "%-44.44s", groups.text[g]);
        print_half(&small, table->out);
        print_half(&large, table->out);
        bool is_off = (small.count && small.mean > limit_family) ||
                      (large.count && large.mean > limit_family);
        fprintf(table->out, "%s\n", name == by_family && is_off ? "  over 25 %" : "");
    }
    if (name == by_family)
        fprintf(table->out,
                "(families with an assumed network are marked too; the summary leaves them out)\n");
    names_release(&groups);
}

/* Why a row is not among those that count, or NULL. */
static const char *reason(const struct result *result)
{
    return result->one.unmapped     ? result->one.unmapped
           : result->one.is_assumed ? "the source does not say what joins the nodes"
                                    : NULL;
}

static void by_reason(const struct result *result, char *to)
{
    snprintf(to, GROUP_BYTES, "%s: %s", result->row->text[COLUMN_FAMILY], reason(result));
}

static void print_not_counted(const struct results *table)
{
    struct names reasons;
    names_init(&reasons);
    char text[GROUP_BYTES];
    for (uint32_t i = 0; i < table->count; i++) {
        if (reason(&table->list[i])) {
            by_reason(&table->list[i], text);
            names_add(&reasons, text, strlen(text));
        }
    }
    fprintf(table->out, "\nnot counted:%s\n", reasons.count ? "" : " none");
    for (uint32_t r = 0; r < reasons.count; r++) {
        uint32_t rows = 0;
        for (uint32_t i = 0; i < table->count; i++) {
            if (!reason(&table->list[i]))
                continue;
            by_reason(&table->list[i], text);
            rows += strcmp(text, reasons.text[r]) == 0;
        }
        fprintf(table->out, "  %4u rows of %s\n", rows, reasons.text[r]);
    }
    names_release(&reasons);
}

static void print_rows(const struct results *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const struct result *one = &table->list[i];
        if (!one->one.unmapped)
            fprintf(table->out, "%s,%.0f,%s,%s,%.2f,%.2f,%.1f\n", one->row->text[COLUMN_FAMILY],
                    one->one.bytes, tuner_algorithm_name(one->choice.algorithm),
                    tuner_protocol_name(one->choice.protocol), one->choice.time_us,
                    one->one.measured_us, one->error);
    }
}

/* The mean of the families' means, each counting once however many rows it has. */
static void print_families(const struct results *table, bool is_large)
{
    struct names families;
    find_groups(table, by_family, &families);
    double sum = 0;
    uint32_t count = 0, over = 0;
    for (uint32_t f = 0; f < families.count; f++) {
        const struct range range = {by_family, families.text[f], is_large, false};
        struct summary one = summary_of(table, &range);
        count += one.count > 0;
        sum += one.mean;
        over += one.mean > limit_family;
    }
    fprintf(table->out,
            "     by family: %u families, mean of their MAPE %.1f %%, %u over %.0f %%\n", count,
            count ? sum / count : 0, over, limit_family);
    names_release(&families);
}

static void print_total(const struct results *table, bool is_large, struct part_count *count)
{
    struct range range = {NULL, NULL, is_large, false};
    struct summary total = summary_of(table, &range);
    range.has_assumed = true;
    struct summary with = summary_of(table, &range);
    double limit = is_large ? limit_large : limit_small;
    bool holds = total.count > 0 && total.mean <= limit;
    fprintf(table->out,
            "%s published, %s: %u rows, MAPE %.1f %% (at most %.0f), median %.1f %%, worst %.0f "
            "%%\n",
            holds ? "pass" : "FAIL", is_large ? "1 MB and more" : "below 1 MB", total.count,
            total.mean, limit, total.median, total.worst);
    print_families(table, is_large);
    if (with.count > total.count)
        fprintf(table->out, "     with %u rows whose network is assumed: MAPE %.1f %%\n",
                with.count - total.count, with.mean);
    *(holds ? &count->passed : &count->failed) += 1;
}

static void print_all(const struct results *table, bool brief, struct part_count *count)
{
    static const struct {
        const char *title;
        group_name *name;
    } groups[] = {{"by system", by_system}, {"by collective", by_collective},
                  {"by size", by_decade},   {"by ranks", by_ranks},
                  {"by choice", by_choice}, {"by family", by_family}};
    for (size_t i = 0; !brief && i < sizeof groups / sizeof groups[0]; i++)
        print_groups(table, groups[i].title, groups[i].name);
    print_not_counted(table);
    fprintf(table->out, "\n");
    print_total(table, true, count);
    print_total(table, false, count);
}

static const char *const columns[COLUMN_COUNT] = {
    "id",    "series",        "family",     "source",  "hardware",   "op",         "gpus",
    "nodes", "gpus_per_node", "bytes",      "time_us", "busbw_gbps", "algbw_gbps", "dtype",
    "intra", "lib",           "provenance", "note",    "inter"};

static enum status fill(const struct tuner *tuner, const struct csv *csv, struct result *list,
                        struct published_row *rows, struct diag *diag)
{
    for (uint32_t i = 0; i < csv->rows; i++) {
        struct result *result = &list[i];
        rows[i].text = csv->cell + (size_t)i * COLUMN_COUNT;
        result->row = &rows[i];
        published_map(tuner, &rows[i], &result->one);
        if (result->one.unmapped)
            continue;
        enum status status = tuner_choose(&result->one.request, &result->choice, diag);
        if (status != STATUS_OK) {
            diag_hint(diag, "row %s", rows[i].text[COLUMN_ID]);
            return status;
        }
        result->error = (result->choice.time_us / result->one.measured_us - 1) * 100;
    }
    return STATUS_OK;
}

enum status published_run(const char *csv, bool brief, FILE *out, struct part_count *count,
                          struct diag *diag)
{
    struct arena arena;
    arena_init(&arena);
    struct csv rows = {.names = columns, .columns = COLUMN_COUNT};
    struct tuner *tuner = NULL;
    struct result *list = NULL;
    enum status status = csv_load(&rows, csv, &arena, diag);
    if (status == STATUS_OK)
        status = tuner_create(&tuner, NULL, diag);
    if (status == STATUS_OK) {
        list = arena_array(&arena, rows.rows, sizeof *list);
        status = fill(tuner, &rows, list,
                      arena_array(&arena, rows.rows, sizeof(struct published_row)), diag);
    }
    const struct results table = {list, rows.rows, out};
    if (status == STATUS_OK && getenv("PUBLISHED_ROWS"))
        print_rows(&table);
    if (status == STATUS_OK)
        print_all(&table, brief, count);
    tuner_destroy(tuner);
    arena_release(&arena);
    return status;
}
