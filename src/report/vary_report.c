#include "report/vary_parts.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/columns.h"

enum { SHOWN = 48 };

/* -- text: one job ----------------------------------------------------------------------------- */

static const char *show_ps(char *to, double ps)
{
    return units_show_time(to, SHOWN, (time_ps)(ps + 0.5));
}

/* "368.6 ms to 370.1 ms"; "at least" where nothing is known of the other end. */
static void add_range(struct columns *table, const struct interval *range)
{
    char low[SHOWN], high[SHOWN];
    show_ps(low, range->low);
    show_ps(high, range->high);
    if (range->is_open_low && range->is_open_high)
        columns_add(table, "not known");
    else if (range->is_open_high)
        columns_add(table, "%s or more", low);
    else if (range->is_open_low)
        columns_add(table, "%s or less", high);
    else
        columns_add(table, "%s to %s", low, high);
}

static double over(double ps, time_ps plain)
{
    return plain ? 100 * (ps / (double)plain - 1) : 0;
}

static void add_estimate(struct columns *table, const char *name,
                         const struct sample_estimate *estimate, time_ps plain)
{
    char text[SHOWN];
    columns_add(table, "%s", name);
    columns_add(table, "%s", show_ps(text, estimate->at));
    columns_add(table, "%+.2f %%", over(estimate->at, plain));
    add_range(table, &estimate->range);
}

static void times_text(const struct vary_job *job, FILE *out)
{
    struct columns table;
    char text[SHOWN];
    columns_init(&table, "lrrL");
    columns_add(&table, "%s", "time of a run");
    columns_add(&table, "%s", "");
    columns_add(&table, "over plain");
    columns_add(&table, "95 %% confident");
    columns_add(&table, "plain");
    columns_add(&table, "%s", show_ps(text, (double)job->sampling.plain_ps));
    columns_add(&table, "%s", "");
    columns_add(&table, "%s", "");
    if (job->sampling.steady_ps != job->sampling.plain_ps)
        add_estimate(&table, "only what is slow for a time",
                     &(struct sample_estimate){(double)job->sampling.steady_ps,
                                               {(double)job->sampling.steady_ps,
                                                (double)job->sampling.steady_ps, false, false}},
                     job->sampling.plain_ps);
    if (job->sampling.count > 1) {
        add_estimate(&table, "mean", &job->figures.mean, job->sampling.plain_ps);
        for (int q = 0; q < SAMPLING_QUANTILES; q++)
            add_estimate(&table, sampling_quantile_names[q], &job->figures.quantile[q],
                         job->sampling.plain_ps);
    }
    columns_print(&table, out);
    columns_release(&table);
}

/* Where the time that variation costs comes from. */
static void amplification_text(const struct vary_job *job, FILE *out)
{
    const struct sampling_figures *figures = &job->figures;
    char text[512], least[SHOWN], most[SHOWN];
    snprintf(text, sizeof text, "spread: %s to %s, standard deviation %.2f %% of the mean",
             show_ps(least, figures->least_ps), show_ps(most, figures->most_ps),
             100 * figures->deviation_ps / figures->mean.at);
    fputs("  ", out);
    columns_wrap(out, 2, 4, text);
    if (!job->sampling.compute_s)
        return;
    snprintf(
        text, sizeof text,
        "amplification: the compute of one rank varies by %.2f %% (standard deviation / mean); "
        "the slowest of %" PRIu32 " computes %.2f %% longer than the mean rank; the mean run "
        "takes %.2f %% longer than the plain one",
        100 * figures->compute_spread, job->sampling.rank_count, 100 * (figures->compute_most - 1),
        over(figures->mean.at, job->sampling.plain_ps));
    fputs("  ", out);
    columns_wrap(out, 2, 4, text);
    snprintf(text, sizeof text,
             "slowest: rank %" PRIu32 " computes longest of all in %" PRIu32 " of %" PRIu32
             " samples; if ranks were alike each would in %.3g",
             figures->slow_rank, figures->slow_count, job->sampling.count,
             (double)job->sampling.count / job->sampling.rank_count);
    fputs("  ", out);
    columns_wrap(out, 2, 4, text);
}

static void sources_text(const struct vary_job *job, FILE *out)
{
    if (!job->source_count)
        return;
    struct columns table;
    columns_init(&table, "lrrL");
    columns_add(&table, "%s", "alone");
    columns_add(&table, "mean");
    columns_add(&table, "over plain");
    columns_add(&table, "95 %% confident");
    for (uint32_t i = 0; i < job->source_count; i++)
        add_estimate(&table, job->source[i].what, &job->source[i].mean, job->sampling.plain_ps);
    fputs("\n  what each costs alone\n", out);
    columns_print(&table, out);
    columns_release(&table);
}

/* Ranks by their compute, links by how much longer a byte takes. */
static void ranks_rows(const struct vary_job *job, struct columns *table)
{
    const struct culprit_list *ranks = &job->figures.ranks;
    for (uint32_t i = 0; i < ranks->count && i < SHOWN_CULPRITS; i++) {
        const struct culprit *culprit = &ranks->top[i];
        char late[SHOWN], all[SHOWN];
        columns_add(table, "compute of rank %" PRIu32, culprit->thing);
        columns_add(table, "%s", show_ps(late, culprit->late * 1e12));
        columns_add(table, "%s", show_ps(all, culprit->all * 1e12));
        columns_add(table, "%.2f %%", 100 * (culprit->late / culprit->all - 1));
        columns_add(table, "%.1f", culprit->z);
    }
}

static void links_rows(const struct vary_job *job, struct columns *table)
{
    const struct culprit_list *links = &job->figures.links;
    for (uint32_t i = 0; i < links->count && i < SHOWN_CULPRITS; i++) {
        const struct culprit *culprit = &links->top[i];
        columns_add(table, "bandwidth of %s", job->link_name[i]);
        columns_add(table, "x %.3f", 1 / culprit->late);
        columns_add(table, "x %.3f", 1 / culprit->all);
        columns_add(table, "%.2f %%", 100 * (culprit->late / culprit->all - 1));
        columns_add(table, "%.1f", culprit->z);
    }
}

static void culprits_text(const struct vary_job *job, FILE *out)
{
    uint32_t found = job->figures.ranks.count + job->figures.links.count;
    uint32_t tail = culprits_tail(job->sampling.count);
    if (job->sampling.count < CULPRITS_LEAST)
        return;
    if (!found) {
        fprintf(out,
                "  the slowest %" PRIu32
                " samples have no rank or link in common that was slower\n",
                tail);
        return;
    }
    fprintf(out, "\n  what the slowest %" PRIu32 " samples have in common\n", tail);
    struct columns table;
    columns_init(&table, "lrrrr");
    columns_add(&table, "%s", "");
    columns_add(&table, "there");
    columns_add(&table, "in all");
    columns_add(&table, "longer");
    columns_add(&table, "standard errors");
    ranks_rows(job, &table);
    links_rows(job, &table);
    columns_print(&table, out);
    columns_release(&table);
    if (job->figures.ranks.count > SHOWN_CULPRITS)
        fprintf(out, "  and %" PRIu32 " ranks more\n", job->figures.ranks.count - SHOWN_CULPRITS);
    if (job->figures.links.count > SHOWN_CULPRITS)
        fprintf(out, "  and %" PRIu32 " links more\n", job->figures.links.count - SHOWN_CULPRITS);
}

static void job_text(const struct vary_report *report, const struct vary_job *job, FILE *out)
{
    char text[640];
    fputs("job          ", out);
    columns_wrap(out, 13, 13, job->name);
    fputs("varies       ", out);
    columns_wrap(out, 13, 13, *job->varies ? job->varies : "nothing");
    uint32_t count = job->sampling.count;
    size_t used =
        (size_t)snprintf(text, sizeof text, "%" PRIu32 " of seed %" PRIu64, count, job->seed);
    if (job->first_sample)
        used += (size_t)snprintf(text + used, sizeof text - used, ", from %" PRIu64 " on",
                                 job->first_sample);
    if (count == 1)
        snprintf(text + used, sizeof text - used, "; nothing random varies");
    else if (report->until > 0)
        snprintf(text + used, sizeof text - used,
                 job->sampling.is_converged
                     ? "; median and p95 are known to within %.3g %%"
                     : "; not enough to know median and p95 to within %.3g %%",
                 100 * report->until);
    fputs("samples      ", out);
    columns_wrap(out, 13, 13, text);
    fputc('\n', out);
    times_text(job, out);
    if (count > 1) {
        amplification_text(job, out);
        culprits_text(job, out);
        sources_text(job, out);
    }
    fputc('\n', out);
}

/* -- text: which is better --------------------------------------------------------------------- */

static uint32_t place_in(const struct vary_place *order, uint32_t job)
{
    uint32_t place = 0;
    while (order[place].job != job)
        place++;
    return place;
}

/* A time of a run, or tokens a second. */
static void add_speed(struct columns *table, const struct vary_report *report,
                      const struct vary_job *job, int quantile)
{
    char text[SHOWN];
    double ps = job->figures.quantile[quantile].at;
    if (vary_is_by_token(report))
        columns_add(table, "%.0f tokens/s", (double)job->tokens / ps * 1e12);
    else
        columns_add(table, "%s", show_ps(text, ps));
}

static void ranking_text(const struct vary_report *report, FILE *out)
{
    struct vary_place *median = vary_ranked(report, AT_MEDIAN), *late = vary_ranked(report, AT_P95);
    struct columns table;
    columns_init(&table, "rLrrrrr");
    columns_add(&table, "#");
    columns_add(&table, "%s", "by median");
    columns_add(&table, "median");
    columns_add(&table, "over first");
    columns_add(&table, "p95");
    columns_add(&table, "# by p95");
    columns_add(&table, "P(first faster)");
    for (uint32_t i = 0; i < report->count; i++) {
        const struct vary_job *job = &report->job[median[i].job];
        struct sample_estimate beats;
        columns_add(&table, "%" PRIu32, i + 1);
        columns_add(&table, "%s", job->name);
        add_speed(&table, report, job, AT_MEDIAN);
        columns_add(&table, "%+.2f %%", 100 * (median[i].key / median[0].key - 1));
        add_speed(&table, report, job, AT_P95);
        columns_add(&table, "%" PRIu32, place_in(late, median[i].job) + 1);
        if (i > 0 && vary_beats(report, median[0].job, median[i].job, &beats))
            columns_add(&table, "%.1f %% (%.1f to %.1f)", 100 * beats.at, 100 * beats.range.low,
                        100 * beats.range.high);
        else
            columns_add(&table, "%s", "");
    }
    fputs(vary_is_by_token(report)
              ? "ranking: time for a token, as steps have different numbers of them\n"
              : "ranking: time of a run\n",
          out);
    columns_print(&table, out);
    columns_release(&table);
    free(median);
    free(late);
}

void vary_text(const struct vary_report *report, FILE *out)
{
    for (uint32_t i = 0; i < report->count; i++)
        job_text(report, &report->job[i], out);
    if (report->count > 1)
        ranking_text(report, out);
}
