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
