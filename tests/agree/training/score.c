/* Tables of errors: by family, over all, the worst. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/agree/training/training.h"

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool is_in(const struct train_row *row, enum train_set set, const char *family)
{
    return (set == SET_ALL || row->is_core) && (!family || strcmp(row->family, family) == 0);
}

void score_find(const struct train_table *table, enum train_set set, const char *family,
                struct train_score *score)
{
    *score = (struct train_score){0};
    double *error = malloc((table->count + 1) * sizeof *error);
    double sum = 0, bias = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; error && i < table->count; i++) {
        const struct train_row *row = &table->row[i];
        if (!is_in(row, set, family))
            continue;
        score->rows++;
        score->refused += row->estimated_s <= 0;
        if (row->estimated_s <= 0)
            continue;
        error[count++] = fabs(row->error_ratio);
        sum += fabs(row->error_ratio);
        bias += row->error_ratio;
    }
    if (count > 0) {
        qsort(error, count, sizeof *error, by_value);
        score->median_ratio = error[count / 2];
        score->p90_ratio = error[(uint32_t)(0.9 * (count - 1))];
        score->mean_ratio = sum / count;
        score->bias_ratio = bias / count;
    }
    free(error);
}

static void print_line(const char *name, const struct train_score *score, FILE *out)
{
    fprintf(out, "%-44.44s %5u %6.1f %6.1f %6.1f %+6.1f", name, score->rows,
            score->median_ratio * 100, score->mean_ratio * 100, score->p90_ratio * 100,
            score->bias_ratio * 100);
    if (score->refused > 0)
        fprintf(out, "  %u refused", score->refused);
    fprintf(out, "\n");
}

static bool is_first_of_family(const struct train_table *table, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++) {
        if (strcmp(table->row[i].family, table->row[index].family) == 0)
            return false;
    }
    return true;
}

void score_print(const struct train_table *table, FILE *out)
{
    fprintf(out, "%-44s %5s %6s %6s %6s %6s\n", "framework, device", "rows", "median", "mean",
            "p90", "bias");
    struct train_score score;
    for (uint32_t i = 0; i < table->count; i++) {
        if (!is_first_of_family(table, i))
            continue;
        score_find(table, SET_ALL, table->row[i].family, &score);
        print_line(table->row[i].family, &score, out);
    }
    score_find(table, SET_CORE, NULL, &score);
    print_line("judge_core.csv", &score, out);
    score_find(table, SET_ALL, NULL, &score);
    print_line("all complete rows", &score, out);
}

void score_print_memory(const struct train_table *table, FILE *out)
{
    double *ratio = malloc((table->count + 1) * sizeof *ratio);
    uint32_t count = 0;
    for (uint32_t i = 0; ratio && i < table->count; i++) {
        double published = strtod(table->row[i].cell.mem_gib, NULL) * 1073741824;
        if (published > 0 && table->row[i].memory_bytes > 0)
            ratio[count++] = (double)table->row[i].memory_bytes / published;
    }
    if (count > 0) {
        qsort(ratio, count, sizeof *ratio, by_value);
        fprintf(out, "memory, ours / published peak: %u rows, median %.2f, 10th %.2f, 90th %.2f\n",
                count, ratio[count / 2], ratio[count / 10], ratio[count * 9 / 10]);
    }
    free(ratio);
}

/* -- rows ------------------------------------------------------------------------------------- */

static void print_row(const struct train_row *row, FILE *out)
{
    const struct train_plan *plan = &row->plan;
    char plan_text[96];
    snprintf(plan_text, sizeof plan_text, "t%u p%u/%u c%u d%u e%u z%u", plan->tp, plan->pp,
             plan->interleave, plan->cp, plan->dp, plan->ep, plan->zero);
    fprintf(out, "%+6.1f %9.3f %9.3f  %-20.20s %-22.22s x%-5u %-26s mb %-3llu s %-6llu %-8.8s",
            row->error_ratio * 100, row->estimated_s, row->measured_s, row->framework_name,
            row->cell.model, plan->ranks, plan_text, (unsigned long long)plan->micro_batch,
            (unsigned long long)plan->seq, row->cell.precision);
    fprintf(out, "\n       %s\n", row->refused[0] ? row->refused : row_suspect(row));
}

static int by_error(const void *a, const void *b)
{
    const struct train_row *x = *(const struct train_row *const *)a,
                           *y = *(const struct train_row *const *)b;
    double left = fabs(x->error_ratio), right = fabs(y->error_ratio);
    return left != right ? (left < right) - (left > right) : (x > y) - (x < y);
}

void score_print_worst(const struct train_table *table, uint32_t most, FILE *out)
{
    const struct train_row **row = malloc((table->count + 1) * sizeof *row);
    uint32_t count = 0;
    for (uint32_t i = 0; row && i < table->count; i++) {
        if (table->row[i].is_core)
            row[count++] = &table->row[i];
    }
    if (row) {
        qsort(row, count, sizeof *row, by_error);
        fprintf(out, "worst of judge_core.csv: error %%, estimated s, measured s\n");
        for (uint32_t i = 0; i < count && i < most; i++)
            print_row(row[i], out);
    }
    free(row);
}

void score_print_simulated(const struct train_table *table, FILE *out)
{
    fprintf(out, "simulated beside estimated: error %%, simulated / estimated\n");
    double simulated = 0, estimated = 0, apart = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct train_row *row = &table->row[i];
        if (!(row->simulated_s > 0))
            continue;
        double ratio = row->simulated_s / row->estimated_s;
        fprintf(out, "%+6.1f %+6.1f  %5.2f  %-40.40s %-28.28s x%-5u %s\n",
                100 * (row->simulated_s / row->measured_s - 1), 100 * row->error_ratio, ratio,
                row->family, row->cell.model, row->plan.ranks, row->cell.precision);
        simulated += fabs(row->simulated_s / row->measured_s - 1);
        estimated += fabs(row->error_ratio);
        apart += fabs(ratio - 1);
        count++;
    }
    if (count)
        fprintf(out,
                "%u rows simulated: mean error %.1f %%, of the estimate %.1f %%, apart %.1f %%\n",
                count, 100 * simulated / count, 100 * estimated / count, 100 * apart / count);
}

void score_print_rows(const struct train_table *table, FILE *out)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const struct train_row *row = &table->row[i];
        if (row->estimated_s <= 0 && !row->refused[0])
            continue;
        fprintf(out, "%s,%s,%d,%s,%s,%.6f,%.6f,%.4f", row->cell.id, row->cell.family, row->is_core,
                row->framework_name, row->device_name, row->measured_s, row->estimated_s,
                row->error_ratio);
        for (int t = 0; t < ESTIMATE_TERM_COUNT; t++)
            fprintf(out, ",%.4f", row->estimate.term_ns[t] * 1e-9);
        fprintf(out, ",%.2f,%s\n", (double)row->memory_bytes / 1e9, row->refused);
    }
}
