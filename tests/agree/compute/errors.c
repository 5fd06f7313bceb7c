#include "tests/agree/compute/errors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void errors_init(struct errors *errors, double least_us)
{
    *errors = (struct errors){.least_us = least_us};
}

void errors_release(struct errors *errors)
{
    free(errors->row);
    *errors = (struct errors){0};
}

void errors_add(struct errors *errors, const struct error_row *row)
{
    if (errors->count == errors->room) {
        errors->room = errors->room ? 2 * errors->room : 256;
        errors->row = realloc(errors->row, errors->room * sizeof *errors->row);
        need_memory(errors->row != NULL);
    }
    errors->row[errors->count++] = *row;
}

static double error_of(const struct error_row *row)
{
    return 100 * (row->ours_us - row->measured_us) / row->measured_us;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static bool is_same(const char *wanted, const char *text)
{
    return wanted == NULL || (text && strcmp(wanted, text) == 0);
}

struct error_sum errors_sum(const struct errors *errors, const char *series, const char *line,
                            double least_us)
{
    struct error_sum sum = {0};
    double *size = malloc((errors->count + 1) * sizeof *size);
    need_memory(size != NULL);
    for (uint32_t i = 0; i < errors->count; i++) {
        const struct error_row *row = &errors->row[i];
        if (!is_same(series, row->series) || !is_same(line, row->line) ||
            row->measured_us < least_us)
            continue;
        double error = error_of(row);
        sum.bias += error;
        sum.mean += fabs(error);
        size[sum.rows++] = fabs(error);
    }
    if (sum.rows > 0) {
        qsort(size, sum.rows, sizeof *size, by_size);
        sum.bias /= sum.rows;
        sum.mean /= sum.rows;
        sum.median = (size[(sum.rows - 1) / 2] + size[sum.rows / 2]) / 2;
        sum.p90 = size[(uint32_t)ceil(0.9 * sum.rows) - 1];
    }
    free(size);
    return sum;
}

static bool is_first(const struct errors *errors, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++) {
        if (strcmp(errors->row[i].series, errors->row[index].series) == 0)
            return false;
    }
    return true;
}

void errors_table(const struct errors *errors, FILE *out)
{
    fprintf(out, "  %-46s %5s %8s %8s | %5s from %.0f us: %8s %8s %8s %8s\n", "series (%)", "rows",
            "median", "mean", "rows", errors->least_us, "median", "mean", "p90", "bias");
    for (uint32_t i = 0; i < errors->count; i++) {
        if (!is_first(errors, i))
            continue;
        const char *series = errors->row[i].series;
        struct error_sum all = errors_sum(errors, series, NULL, 0);
        struct error_sum large = errors_sum(errors, series, NULL, errors->least_us);
        fprintf(out, "  %-46.46s %5u %8.1f %8.1f | %5u %19.1f %8.1f %8.1f %+8.1f%s\n", series,
                all.rows, all.median, all.mean, large.rows, large.median, large.mean, large.p90,
                large.bias, errors->row[i].line ? "" : "  (not judged)");
    }
}

struct family {
    const char *name;
    uint32_t rows;
    double sum; /* of absolute errors */
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct error_row *)a)->family, ((const struct error_row *)b)->family);
}

static int by_mean(const void *a, const void *b)
{
    const struct family *x = a, *y = b;
    double left = x->sum / x->rows, right = y->sum / y->rows;
    return (left < right) - (left > right);
}

/* Copies the judged rows that have a family, in its order. */
static uint32_t judged_rows(const struct errors *errors, struct error_row *row)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < errors->count; i++) {
        const struct error_row *from = &errors->row[i];
        if (from->line && from->family && from->measured_us >= errors->least_us)
            row[count++] = *from;
    }
    qsort(row, count, sizeof *row, by_name);
    return count;
}

void errors_families(const struct errors *errors, uint32_t most, FILE *out)
{
    struct error_row *row = malloc((errors->count + 1) * sizeof *row);
    struct family *family = calloc(errors->count + 1, sizeof *family);
    need_memory(row != NULL && family != NULL);
    uint32_t rows = judged_rows(errors, row), count = 0;
    double sum = 0;
    for (uint32_t i = 0; i < rows; i++) {
        if (i == 0 || strcmp(row[i - 1].family, row[i].family) != 0)
            family[count++].name = row[i].family;
        family[count - 1].rows++;
        family[count - 1].sum += fabs(error_of(&row[i]));
    }
    qsort(family, count, sizeof *family, by_mean);
    for (uint32_t i = 0; i < count; i++)
        sum += family[i].sum / family[i].rows;
    fprintf(out, "  %u families, mean of their mean errors %.1f %%; the worst:\n", count,
            count ? sum / count : 0);
    for (uint32_t i = 0; i < count && i < most; i++)
        fprintf(out, "    %-60.60s %3u rows, mean %.1f %%\n", family[i].name, family[i].rows,
                family[i].sum / family[i].rows);
    free(row);
    free(family);
}

static int by_error(const void *a, const void *b)
{
    double left = fabs(error_of(a)), right = fabs(error_of(b));
    return (left < right) - (left > right);
}

void errors_worst(const struct errors *errors, uint32_t most, FILE *out)
{
    struct error_row *row = malloc((errors->count + 1) * sizeof *row);
    need_memory(row != NULL);
    uint32_t count = 0;
    for (uint32_t i = 0; i < errors->count; i++) {
        if (errors->row[i].line && errors->row[i].measured_us >= errors->least_us)
            row[count++] = errors->row[i];
    }
    qsort(row, count, sizeof *row, by_error);
    fprintf(out, "  the worst %u:\n", count < most ? count : most);
    for (uint32_t i = 0; i < count && i < most; i++)
        fprintf(out, "    %-40.40s %-46.46s measured %10.1f us, ours %10.1f us, %+6.1f %%: %s\n",
                row[i].series, row[i].label, row[i].measured_us, row[i].ours_us, error_of(&row[i]),
                row[i].guess ? row[i].guess : "unknown");
    free(row);
}

static void judge(const char *line, const char *what, double found, double most, FILE *out,
                  struct part_count *count)
{
    if (most <= 0)
        return;
    bool holds = found <= most;
    fprintf(out, "  %s: %s: %s error %.1f %%, at most %.0f %%\n", holds ? "ok" : "FAILED", line,
            what, found, most);
    if (holds)
        count->passed++;
    else
        count->failed++;
}

void errors_judge(const struct errors *errors, const char *line, double median, double mean,
                  FILE *out, struct part_count *count)
{
    struct error_sum sum = errors_sum(errors, NULL, line, errors->least_us);
    if (sum.rows == 0)
        return;
    fprintf(out, "  %s: %u rows from %.0f us\n", line, sum.rows, errors->least_us);
    judge(line, "median", sum.median, median, out, count);
    judge(line, "mean", sum.mean, mean, out, count);
}
