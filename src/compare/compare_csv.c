#include <inttypes.h>
#include <string.h>

#include "compare/compare_report.h"

/* In quotes if it needs them; control characters become '?'. */
static void put_text(const char *text, FILE *out)
{
    bool is_quoted = strpbrk(text, ",\"") != NULL;
    if (is_quoted)
        fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc((unsigned char)*text < 32 || *text == 127 ? '?' : *text, out);
    }
    if (is_quoted)
        fputc('"', out);
}

static void put_row(const struct compare_row *row, FILE *out)
{
    const struct error_stats *error = &row->error;
    fprintf(out, "%s,", compare_part_keys[row->part]);
    put_text(row->name, out);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, error->pairs, error->equal,
            error->without_percent);
    if (error->pairs)
        fprintf(out, ",%.17g,%.17g", error->total_a_ps / (double)error->pairs,
                error->total_b_ps / (double)error->pairs);
    else
        fputs(",,", out);
    if (error->pairs > error->without_percent)
        fprintf(out, ",%.17g,%.17g,%.17g,%.17g,%.17g,", error->mean_percent,
                error->mean_abs_percent, error->median_abs_percent, error->p90_abs_percent,
                error->worst_percent);
    else
        fputs(",,,,,,", out);
    put_text(row->worst, out);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%.17g,%.17g\n", row->only_a, row->only_b, row->only_a_ps,
            row->only_b_ps);
}

void compare_csv(const struct compare_report *report, FILE *out)
{
    const struct comparison *comparison = report->comparison;
    char headline[128];
    fprintf(out, "# schema " COMPARE_SCHEMA ", orrery %s, errors are A / B - 1\n", report->version);
    fprintf(out, "# %s\n", compare_headline(headline, sizeof headline, comparison));
    fputs("part,name,pairs,equal,without_percent,a_mean_ps,b_mean_ps,mean_percent,"
          "mean_abs_percent,median_abs_percent,p90_abs_percent,worst_percent,worst,only_a,only_b,"
          "only_a_ps,only_b_ps\n",
          out);
    for (uint32_t i = 0; i < comparison->row_count; i++)
        put_row(&comparison->row[i], out);
}
