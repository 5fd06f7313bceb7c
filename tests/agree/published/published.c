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

/* Over the results of `group`; NULL: over all that count, and those assumed if `assumed`. */
static struct summary summary_of(const struct result *list, uint32_t count, group_name *name,
                                 const char *group, bool large, bool assumed)
{
    double *error = malloc((count + 1) * sizeof *error);
    promise(error != NULL);
    uint32_t kept = 0;
    double bias = 0;
    char own[GROUP_BYTES];
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].one.unmapped || is_large(&list[i]) != large ||
            (list[i].one.is_assumed && !assumed))
            continue;
        if (group)
            name(&list[i], own);
        if (!group || strcmp(own, group) == 0) {
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

static void print_groups(const struct result *list, uint32_t count, const char *title,
                         group_name *name, FILE *out)
{
    struct names groups;
    names_init(&groups);
    char own[GROUP_BYTES];
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].one.unmapped)
            continue;
        name(&list[i], own);
        names_add(&groups, own, strlen(own));
    }
    fprintf(out, "\n%-44s | %5s %7s %7s %8s %7s | %5s %7s %7s %8s %7s\n", title, "< 1MB", "MAPE %",
            "median", "worst", "bias", ">=1MB", "MAPE %", "median", "worst", "bias");
    for (uint32_t g = 0; g < groups.count; g++) {
        struct summary small = summary_of(list, count, name, groups.text[g], false, true);
        struct summary large = summary_of(list, count, name, groups.text[g], true, true);
        fprintf(out, "%-44.44s", groups.text[g]);
        print_half(&small, out);
        print_half(&large, out);
        bool is_off = (small.count && small.mean > limit_family) ||
                      (large.count && large.mean > limit_family);
        fprintf(out, "%s\n", name == by_family && is_off ? "  over 25 %" : "");
    }
    names_release(&groups);
}

/* Why a row is not among those that count, or NULL. */
static const char *reason(const struct result *result)
{
    return result->one.unmapped     ? result->one.unmapped
           : result->one.is_assumed ? "the source does not say what joins the nodes"
                                    : NULL;
}

static void print_unmapped(const struct result *list, uint32_t count, FILE *out)
{
    struct names reasons;
    names_init(&reasons);
    char text[GROUP_BYTES * 2];
    for (uint32_t i = 0; i < count; i++) {
        if (reason(&list[i])) {
            snprintf(text, sizeof text, "%s: %s", list[i].row->text[COLUMN_FAMILY],
                     reason(&list[i]));
            names_add(&reasons, text, strlen(text));
        }
    }
    fprintf(out, "\nnot counted:%s\n", reasons.count ? "" : " none");
    for (uint32_t r = 0; r < reasons.count; r++) {
        uint32_t rows = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (!reason(&list[i]))
                continue;
            snprintf(text, sizeof text, "%s: %s", list[i].row->text[COLUMN_FAMILY],
                     reason(&list[i]));
            rows += strcmp(text, reasons.text[r]) == 0;
        }
        fprintf(out, "  %4u rows of %s\n", rows, reasons.text[r]);
    }
    names_release(&reasons);
}

static void print_rows(const struct result *list, uint32_t count, FILE *out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!list[i].one.unmapped)
            fprintf(out, "%s,%.0f,%s,%s,%.2f,%.2f,%.1f\n", list[i].row->text[COLUMN_FAMILY],
                    list[i].one.bytes, tuner_algorithm_name(list[i].choice.algorithm),
                    tuner_protocol_name(list[i].choice.protocol), list[i].choice.time_us,
                    list[i].one.measured_us, list[i].error);
    }
}

static void print_total(const struct result *list, uint32_t count, bool large, FILE *out,
                        uint32_t *passed, uint32_t *failed)
{
    struct summary total = summary_of(list, count, NULL, NULL, large, false);
    struct summary with = summary_of(list, count, NULL, NULL, large, true);
    double limit = large ? limit_large : limit_small;
    bool holds = total.count > 0 && total.mean <= limit;
    fprintf(
        out,
        "%s published, %s: %u rows, MAPE %.1f %% (at most %.0f), median %.1f %%, worst %.0f %%\n",
        holds ? "pass" : "FAIL", large ? "1 MB and more" : "below 1 MB", total.count, total.mean,
        limit, total.median, total.worst);
    if (with.count > total.count)
        fprintf(out, "     with %u rows whose network is assumed: MAPE %.1f %%\n",
                with.count - total.count, with.mean);
    *(holds ? passed : failed) += 1;
}

static const char *const columns[COLUMN_COUNT] = {
    "id",    "series",        "family",     "source",  "hardware",   "op",         "gpus",
    "nodes", "gpus_per_node", "bytes",      "time_us", "busbw_gbps", "algbw_gbps", "dtype",
    "intra", "lib",           "provenance", "note",    "inter"};

static enum status fill(const struct tuner *tuner, const struct published_row *rows, uint32_t count,
                        struct result *list, struct diag *diag)
{
    for (uint32_t i = 0; i < count; i++) {
        struct result *result = &list[i];
        result->row = &rows[i];
        published_map(tuner, &rows[i], &result->one);
        if (result->one.unmapped)
            continue;
        /* The case holds the system by value, and moved into the list. */
        result->one.request.system = &result->one.system;
        enum status status = tuner_choose(&result->one.request, &result->choice, diag);
        if (status != STATUS_OK) {
            diag_hint(diag, "row %s", rows[i].text[COLUMN_ID]);
            return status;
        }
        result->error = (result->choice.time_us / result->one.measured_us - 1) * 100;
    }
    return STATUS_OK;
}

enum status published_run(const char *csv, bool brief, FILE *out, uint32_t *passed,
                          uint32_t *failed, struct diag *diag)
{
    struct arena arena;
    arena_init(&arena);
    struct csv table;
    struct tuner *tuner = NULL;
    enum status status = csv_load(&table, csv, columns, COLUMN_COUNT, &arena, diag);
    uint32_t count = table.rows;
    if (status == STATUS_OK)
        status = tuner_create(&tuner, NULL, diag);
    struct result *list = NULL;
    if (status == STATUS_OK) {
        list = arena_array(&arena, count, sizeof *list);
        struct published_row *rows = arena_array(&arena, count, sizeof *rows);
        for (uint32_t i = 0; i < count; i++)
            rows[i].text = table.cell + (size_t)i * COLUMN_COUNT;
        status = fill(tuner, rows, count, list, diag);
    }
    if (status == STATUS_OK && getenv("PUBLISHED_ROWS"))
        print_rows(list, count, out);
    if (status == STATUS_OK && !brief) {
        print_groups(list, count, "by system", by_system, out);
        print_groups(list, count, "by collective", by_collective, out);
        print_groups(list, count, "by size", by_decade, out);
        print_groups(list, count, "by ranks", by_ranks, out);
        print_groups(list, count, "by choice", by_choice, out);
        print_groups(list, count, "by family", by_family, out);
    }
    if (status == STATUS_OK) {
        print_unmapped(list, count, out);
        fprintf(out, "\n");
        print_total(list, count, true, out, passed, failed);
        print_total(list, count, false, out, passed, failed);
    }
    tuner_destroy(tuner);
    arena_release(&arena);
    return status;
}
