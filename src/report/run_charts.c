#include "report/run_charts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/links.h"
#include "report/spread.h"

enum { MOST_BARS = 24, MOST_PARTS = 8 };

/* -- breakdown --------------------------------------------------------------------------------- */

struct category_mean {
    const struct time_category *category;
    time_ps mean;
};

static int compare_means(const void *left, const void *right)
{
    const struct category_mean *a = left, *b = right;
    if (a->mean != b->mean)
        return a->mean > b->mean ? -1 : 1;
    return a->category < b->category ? -1 : a->category > b->category;
}

/* The exclusive categories that take time, most first; returns how many. */
static uint32_t find_categories(const struct run_result *result, struct category_mean *mean)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < time_category_count; i++) {
        struct spread spread = spread_of(result, &time_categories[i]);
        if (time_categories[i].group == TIME_EXCLUSIVE && spread.most > 0)
            mean[count++] = (struct category_mean){&time_categories[i], spread.mean};
    }
    qsort(mean, count, sizeof *mean, compare_means);
    return count;
}

/* The bars' names: all ranks, then groups of equal ones. */
static void name_bars(struct chart *chart, const struct rank_groups *groups, const uint32_t *pick,
                      uint32_t picked)
{
    char text[RANK_GROUP_TEXT];
    chart->y.name = arena_array(&chart->arena, picked + 1, sizeof *chart->y.name);
    chart->y.names = picked + 1;
    chart->y.name[0] = "mean of all ranks";
    for (uint32_t i = 0; i < picked; i++)
        chart->y.name[i + 1] =
            chart_text(chart, groups->group[pick[i]].count > 1 ? "ranks %s" : "rank %s",
                       rank_groups_text(text, groups, pick[i]));
}

/* One part of each bar; those from MOST_PARTS on are added up in the last. */
static void add_part(struct chart *chart, const struct run_charts_source *source,
                     const struct category_mean *mean, const uint32_t *pick)
{
    bool is_last = chart->series_count == MOST_PARTS;
    struct chart_series *series = is_last ? &chart->series[MOST_PARTS - 1]
                                          : chart_add(chart, mean->category->text, chart->y.names);
    if (is_last)
        series->name = "everything else";
    for (uint32_t i = 0; i < chart->y.names; i++) {
        time_ps time = i == 0 ? mean->mean
                              : time_of(source->groups->group[pick[i - 1]].figures, mean->category);
        series->y[i] = (is_last ? series->y[i] : 0) + (double)time;
    }
}

static bool fill_breakdown(struct chart *chart, const struct run_charts_source *source)
{
    struct category_mean mean[2 * COMM_KIND_COUNT + 8];
    uint32_t pick[MOST_BARS + 4];
    uint32_t count = find_categories(source->result, mean);
    if (!count)
        return false;
    chart_init(chart, CHART_BARS, "Where the time of ranks went");
    chart->x = (struct chart_axis){.label = "time", .unit = "ps", .from_zero = true};
    uint32_t picked = rank_groups_pick(source->groups, MOST_BARS, pick);
    name_bars(chart, source->groups, pick, picked);
    if (picked < source->groups->count)
        chart->note = chart_text(chart,
                                 "%" PRIu32 " of %" PRIu32 " groups of equal ranks, evenly "
                                 "spaced, with those that finish first and last.",
                                 picked, source->groups->count);
    for (uint32_t i = 0; i < count; i++)
        add_part(chart, source, &mean[i], pick);
    return true;
}

/* -- tables as bars ---------------------------------------------------------------------------- */

/* Bars of one part: names and figures are added until `most`; the others are one bar. */
struct bars {
    struct chart *chart;
    struct chart_series *series;
    uint32_t most, others;
};

static struct bars bars_begin(struct chart *chart, const char *title, const char *label,
                              const char *unit, uint32_t count)
{
    chart_init(chart, CHART_BARS, title);
    chart->x = (struct chart_axis){.label = label, .unit = unit, .from_zero = true};
    uint32_t most = count < MOST_BARS ? count : MOST_BARS;
    chart->y.name = arena_array(&chart->arena, (size_t)most + 2, sizeof *chart->y.name);
    return (struct bars){chart, chart_add(chart, label, most + 1), most, 0};
}

static void bars_add(struct bars *bars, const char *name, double value)
{
    struct chart_axis *axis = &bars->chart->y;
    if (axis->names < bars->most) {
        bars->series->y[axis->names] = value;
        axis->name[axis->names++] = name;
        return;
    }
    double before = bars->others++ ? bars->series->y[bars->most] : 0;
    bars->series->y[bars->most] = before + value;
}

static void bars_end(struct bars *bars)
{
    struct chart_axis *axis = &bars->chart->y;
    if (bars->others)
        axis->name[axis->names++] = chart_text(bars->chart, "%" PRIu32 " others", bars->others);
    bars->series->count = axis->names;
}

static bool fill_path(struct chart *chart, const struct run_charts_source *source)
{
    if (!source->blame || !source->blame->end_ps)
        return false;
    const struct blame_table *parts = &source->blame->by[BLAME_BY_PART];
    struct bars bars =
        bars_begin(chart, "Critical path by part", "time on the path", "ps", parts->count);
    for (uint32_t i = 0; i < parts->count; i++)
        bars_add(&bars, parts->row[i].name, (double)parts->row[i].time_ps);
    bars_end(&bars);
    return true;
}

static bool fill_collectives(struct chart *chart, const struct run_charts_source *source)
{
    const struct run_result *result = source->result;
    if (!result->collective_count)
        return false;
    struct bars bars = bars_begin(chart, "Time in collectives", "sum over instances", "ps",
                                  result->collective_count);
    for (uint32_t i = 0; i < result->collective_count; i++) {
        const struct collective_row *row = &result->collective[i];
        bars_add(&bars,
                 chart_text(chart, "%s of %" PRIu32 ", %s", collective_name(row->kind),
                            row->group_size, row->algorithm),
                 (double)row->time_ps);
    }
    bars_end(&bars);
    return true;
}

/* -- memory ------------------------------------------------------------------------------------ */

static bool fill_memory(struct chart *chart, const struct run_charts_source *source)
{
    const struct run_result *result = source->result;
    uint32_t count = result->memory_count < MOST_BARS ? result->memory_count : MOST_BARS;
    if (!count)
        return false;
    chart_init(chart, CHART_BARS, "Device memory at its fullest");
    chart->x = (struct chart_axis){.label = "memory", .unit = "B", .from_zero = true};
    chart->y.name = arena_array(&chart->arena, count, sizeof *chart->y.name);
    chart->y.names = count;
    if (count < result->memory_count)
        chart->note = chart_text(chart, "The first %" PRIu32 " of %" PRIu32 " traces.", count,
                                 result->memory_count);
    struct chart_series *fixed = chart_add(chart, "weights and states", count);
    for (uint32_t i = 0; i < count; i++) {
        chart->y.name[i] = result->memory[i].trace;
        fixed->y[i] = (double)result->memory[i].fixed_bytes;
    }
    for (int kind = 0; kind < LIFE_KIND_COUNT; kind++) {
        double sum = 0;
        for (uint32_t i = 0; i < count; i++)
            sum += (double)result->memory[i].most_of[kind];
        if (sum <= 0)
            continue;
        struct chart_series *series = chart_add(chart, life_name((enum life_kind)kind), count);
        for (uint32_t i = 0; i < count; i++)
            series->y[i] = (double)result->memory[i].most_of[kind];
    }
    return true;
}

/* -- distributions ----------------------------------------------------------------------------- */

/* At most so many values, evenly spaced, are kept of a distribution. */
enum { MOST_VALUES = 20000 };

static bool fill_links(struct chart *chart, const struct run_charts_source *source)
{
    const struct run_result *result = source->result;
    uint32_t used = 0;
    for (uint32_t l = 0; l < result->link_count; l++)
        used += result->link[l].bytes > 0;
    if (!used || !result->end_ps)
        return false;
    chart_init(chart, CHART_HISTOGRAM, "Utilisation of links");
    chart->x = (struct chart_axis){.label = "busy", .unit = "%"};
    chart->y = (struct chart_axis){.label = "links", .unit = ""};
    uint32_t step = 1 + (used - 1) / MOST_VALUES, seen = 0, count = 0;
    struct chart_series *series = chart_add(chart, "links", 1 + (used - 1) / step);
    for (uint32_t l = 0; l < result->link_count; l++) {
        if (result->link[l].bytes > 0 && seen++ % step == 0)
            series->y[count++] = 1e5 * result->link[l].busy_ns / (double)result->end_ps;
    }
    chart->note =
        chart_text(chart, "%" PRIu32 " of %" PRIu32 " links carried something%s", used,
                   result->link_count, step > 1 ? "; every few of them are counted." : ".");
    return true;
}

static bool fill_finish(struct chart *chart, const struct run_charts_source *source)
{
    const struct run_result *result = source->result;
    if (source->groups->count < 3)
        return false;
    chart_init(chart, CHART_HISTOGRAM, "When ranks finished");
    chart->x = (struct chart_axis){.label = "finished at", .unit = "ps"};
    chart->y = (struct chart_axis){.label = "ranks", .unit = ""};
    uint32_t step = 1 + (result->rank_count - 1) / MOST_VALUES;
    struct chart_series *series = chart_add(chart, "ranks", 1 + (result->rank_count - 1) / step);
    for (uint32_t i = 0; i < series->count; i++)
        series->y[i] = (double)result_rank(result, i * step)->finish_ps;
    if (step > 1)
        chart->note = chart_text(chart, "Every %" PRIu32 "th rank.", step);
    return true;
}

const struct run_chart run_charts[] = {
    {"breakdown", "where the time of ranks went, by groups of equal ranks", fill_breakdown},
    {"critical-path", "the critical path by part", fill_path},
    {"collectives", "time in collectives, by kind, size and algorithm", fill_collectives},
    {"memory", "device memory at its fullest, by trace", fill_memory},
    {"links", "how many links were how busy", fill_links},
    {"finish", "when ranks finished", fill_finish},
    {NULL, NULL, NULL},
};
