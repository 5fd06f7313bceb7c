#include "sweep/study_charts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sweep/pivot.h"
#include "sweep/quantity.h"

enum { MOST_FAINT = 20000, MOST_LINES = 8, OTHERS_COLOUR = 7 };

/* -- columns ----------------------------------------------------------------------------------- */

static int measure_of(const struct results *results, uint32_t column)
{
    uint32_t first = results->table->axis_count + 2;
    return column >= first && column < first + MEASURE_COUNT ? (int)(column - first) : -1;
}

static const char *label_of(const struct results *results, uint32_t column)
{
    int measure = measure_of(results, column);
    return measure >= 0 ? measure_labels[measure] : results->column[column];
}

static uint32_t column_of_measure(const struct results *results, enum measure measure)
{
    return results->table->axis_count + 2 + (uint32_t)measure;
}

static bool is_ok(const struct results *results, uint32_t row)
{
    return strcmp(results->table->row[row].state, "ok") == 0;
}

static double number_at(const struct results *results, uint32_t row, uint32_t column)
{
    struct expression_value value = results_cell(results, row, column, false);
    return value.text ? NAN : value.number;
}

/* Does the column have two values or more that are numbers? */
static bool has_several(const struct results *results, uint32_t column)
{
    double first = NAN;
    for (uint32_t i = 0; i < results->row_count; i++) {
        double value = number_at(results, results->row[i], column);
        if (!is_ok(results, results->row[i]) || isnan(value))
            continue;
        if (isnan(first))
            first = value;
        else if (value != first)
            return true;
    }
    return false;
}

/* The column asked for, or the first of `usual` measures that varies, or else an axis that does, or
 * the first of `usual`. */
static uint32_t pick(const struct results *results, const char *asked, const char *option,
                     const enum measure *usual, bool may_be_axis, struct diag *diag)
{
    if (asked)
        return results_column(results, asked, option, diag);
    for (int i = 0; usual[i] != MEASURE_COUNT; i++) {
        if (has_several(results, column_of_measure(results, usual[i])))
            return column_of_measure(results, usual[i]);
    }
    for (uint32_t axis = 1; may_be_axis && axis <= results->table->axis_count; axis++) {
        if (has_several(results, axis))
            return axis;
    }
    if (may_be_axis && results->table->axis_count)
        return 1;
    return column_of_measure(results, usual[0]);
}

/* The unit of an axis whose values carry one: their numbers are in ns, bytes/s, .. (quantity.h). */
static const char *unit_of_axis(const struct results *results, uint32_t column)
{
    static const struct {
        const char *end, *unit;
    } units[] = {{"B/s", "B/s"}, {"bps", "B/s"}, {"FLOPS", "flop/s"}, {"B", "B"}, {"s", "ns"}};
    double number;
    const char *text, *unit;
    if (!results->row_count)
        return "";
    text = results_cell(results, results->row[0], column, true).text;
    if (!text || !quantity_split(text, &number, &unit))
        return "";
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t length = strlen(unit), end = strlen(units[i].end);
        if (length >= end && strcmp(unit + length - end, units[i].end) == 0)
            return units[i].unit;
    }
    return "";
}

static void set_axis(struct chart_axis *axis, const struct results *results, uint32_t column)
{
    int measure = measure_of(results, column);
    axis->label = label_of(results, column);
    axis->unit = measure >= 0 ? measure_units[measure] : unit_of_axis(results, column);
}

static enum status nothing(struct diag *diag)
{
    diag_fail(diag, STATUS_USAGE, "no point that is ok has values for this chart");
    diag_hint(diag, "other columns, or a wider --where");
    return STATUS_USAGE;
}

/* -- points ------------------------------------------------------------------------------------ */

/* A row as a place. */
struct spot {
    const char *group; /* text of the column `by`, or "" */
    const char *name;  /* of an axis across that is of names, or NULL */
    double x, y;
    uint32_t row;
};

static int compare_doubles(double a, double b)
{
    return a < b ? -1 : a > b;
}

static int compare_spots(const void *left, const void *right)
{
    const struct spot *a = left, *b = right;
    int order = strcmp(a->group, b->group);
    if (order == 0)
        order = compare_doubles(a->x, b->x);
    if (order == 0)
        order = compare_doubles(a->y, b->y);
    return order ? order : a->row < b->row ? -1 : a->row > b->row;
}

struct spots {
    struct spot *spot; /* by group, x, y */
    uint32_t count;
    const char **name; /* [names] of an axis of names, sorted */
    uint32_t names;
};

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static const char *text_at(struct results *results, uint32_t row, uint32_t column)
{
    struct expression_value value = results_cell(results, row, column, true);
    char text[40];
    if (value.text)
        return value.text;
    snprintf(text, sizeof text, "%g", value.number);
    return arena_text(&results->arena, text, strlen(text));
}

/* Numbers the names of the axis across: spot.x. */
static void number_names(struct results *results, struct spots *spots)
{
    spots->name = arena_array(&results->arena, spots->count + 1, sizeof *spots->name);
    for (uint32_t i = 0; i < spots->count; i++)
        spots->name[i] = spots->spot[i].name;
    qsort(spots->name, spots->count, sizeof *spots->name, compare_texts);
    for (uint32_t i = 0; i < spots->count; i++) {
        if (i == 0 || strcmp(spots->name[i], spots->name[spots->names - 1]) != 0)
            spots->name[spots->names++] = spots->name[i];
    }
    for (uint32_t i = 0; i < spots->count; i++) {
        const char **at = bsearch(&spots->spot[i].name, spots->name, spots->names,
                                  sizeof *spots->name, compare_texts);
        spots->spot[i].x = (double)(at - spots->name);
    }
}

/* All rows with both values. An axis across that has a value which is no number is of names. */
static struct spots find_spots(struct results *results, uint32_t x, uint32_t y, uint32_t by)
{
    struct spots spots = {arena_array(&results->arena, results->row_count + 1, sizeof(struct spot)),
                          0, NULL, 0};
    bool is_names = false;
    for (uint32_t i = 0; i < results->row_count; i++) {
        uint32_t row = results->row[i];
        double up = number_at(results, row, y);
        is_names |= results_cell(results, row, x, false).text != NULL;
        double across = number_at(results, row, x);
        bool is_there = !isnan(across) || results_cell(results, row, x, false).text;
        if (is_ok(results, row) && !isnan(up) && is_there)
            spots.spot[spots.count++] = (struct spot){
                by == UINT32_MAX ? "" : text_at(results, row, by), NULL, across, up, row};
    }
    for (uint32_t i = 0; i < spots.count && is_names; i++)
        spots.spot[i].name = text_at(results, spots.spot[i].row, x);
    if (is_names)
        number_names(results, &spots);
    qsort(spots.spot, spots.count, sizeof *spots.spot, compare_spots);
    return spots;
}

/* Points alone, faint, every k-th if they are very many. */
static void add_faint(struct chart *chart, const char *name, const struct spot *spot,
                      uint32_t count, uint32_t colour)
{
    uint32_t step = 1 + (count ? count - 1 : 0) / MOST_FAINT, kept = 0;
    struct chart_series *series = chart_add(chart, name, (count + step - 1) / step);
    for (uint32_t i = 0; i < count; i += step, kept++) {
        series->x[kept] = spot[i].x;
        series->y[kept] = spot[i].y;
    }
    series->colour = (uint8_t)colour;
    if (step > 1)
        chart->note =
            chart_text(chart, "Of %" PRIu32 " points every %" PRIu32 "th is drawn.", count, step);
}

/* -- scaling ----------------------------------------------------------------------------------- */

/* A line through the best, or the median, of the spots at each place; they are sorted. */
static void add_line(struct chart *chart, const char *name, const struct spot *spot, uint32_t count,
                     bool is_most, bool is_median)
{
    struct chart_series *series = chart_add(chart, name, count);
    uint32_t kept = 0;
    for (uint32_t first = 0, last; first < count; first = last + 1) {
        last = first;
        while (last + 1 < count && spot[last + 1].x == spot[first].x)
            last++;
        double middle =
            (spot[first + (last - first) / 2].y + spot[last - (last - first) / 2].y) / 2;
        series->x[kept] = spot[first].x;
        series->y[kept++] = is_median ? middle : spot[is_most ? last : first].y;
    }
    series->count = kept;
    series->has_line = true;
}

static void add_lines(struct chart *chart, const struct spots *spots, bool is_most, bool is_median)
{
    uint32_t lines = 0, left_out = 0;
    for (uint32_t first = 0, last; first < spots->count; first = last + 1) {
        last = first;
        while (last + 1 < spots->count &&
               strcmp(spots->spot[last + 1].group, spots->spot[first].group) == 0)
            last++;
        if (lines == MOST_LINES)
            left_out++;
        else {
            add_line(chart, spots->spot[first].group, spots->spot + first, last - first + 1,
                     is_most, is_median);
            lines++;
        }
    }
    if (left_out)
        chart->note =
            chart_text(chart, "The first %d of %" PRIu32 " lines.", MOST_LINES, lines + left_out);
}

static enum status fill_scaling(struct chart *chart, struct results *results,
                                const struct study_chart_request *request, struct diag *diag)
{
    static const enum measure across[] = {MEASURE_DEVICES, MEASURE_COUNT};
    static const enum measure up[] = {MEASURE_TOKENS_PER_S, MEASURE_TIME, MEASURE_COUNT};
    uint32_t x = pick(results, request->x, "--x", across, true, diag);
    uint32_t y = pick(results, request->y, "--y", up, false, diag);
    uint32_t by = request->by ? results_column(results, request->by, "--by", diag) : UINT32_MAX;
    if (diag->status != STATUS_OK)
        return diag->status;
    struct spots spots = find_spots(results, x, y, by);
    if (!spots.count)
        return nothing(diag);
    bool is_most = measure_of(results, y) >= 0 && measure_is_most_better(measure_of(results, y));
    chart_init(chart, CHART_XY, "");
    chart->title =
        chart_text(chart, request->by ? "%s over %s, by %s: the %s" : "%s over %s%s: the %s",
                   label_of(results, y), label_of(results, x), request->by ? request->by : "",
                   request->is_median ? "median" : "best");
    set_axis(&chart->x, results, x);
    set_axis(&chart->y, results, y);
    chart->x.name = spots.name;
    chart->x.names = spots.names;
    chart->x.is_log = request->log_x;
    chart->y.is_log = request->log_y;
    chart->y.from_zero = true;
    add_lines(chart, &spots, is_most, request->is_median);
    return STATUS_OK;
}

/* -- Pareto front ------------------------------------------------------------------------------ */

static enum status fill_pareto(struct chart *chart, struct results *results,
                               const struct study_chart_request *request, struct diag *diag)
{
    static const enum measure across[] = {MEASURE_TIME, MEASURE_COUNT};
    /* On as many devices, cost and energy are time. */
    static const enum measure ups[] = {MEASURE_COST, MEASURE_DEVICES, MEASURE_MEMORY, MEASURE_BYTES,
                                       MEASURE_COUNT};
    const enum measure *up = ups;
    if (!has_several(results, column_of_measure(results, MEASURE_DEVICES)))
        up += 2;
    uint32_t x = pick(results, request->x, "--x", across, false, diag);
    uint32_t y = pick(results, request->y, "--y", up, false, diag);
    if (diag->status != STATUS_OK)
        return diag->status;
    struct spots all = find_spots(results, x, y, UINT32_MAX);
    if (!all.count)
        return nothing(diag);
    bool most_x = measure_of(results, x) >= 0 && measure_is_most_better(measure_of(results, x));
    bool most_y = measure_of(results, y) >= 0 && measure_is_most_better(measure_of(results, y));
    char orders[256];
    snprintf(orders, sizeof orders, "%s%s,%s%s", most_x ? "-" : "", results->column[x],
             most_y ? "-" : "", results->column[y]);
    enum status status = results_pareto(results, orders, diag);
    if (status != STATUS_OK)
        return status;
    struct spots front = find_spots(results, x, y, UINT32_MAX);
    chart_init(chart, CHART_XY, "");
    chart->title =
        chart_text(chart, "%s (%s is better) against %s (%s is better)", results->column[y],
                   most_y ? "high" : "low", results->column[x], most_x ? "high" : "low");
    set_axis(&chart->x, results, x);
    set_axis(&chart->y, results, y);
    chart->x.is_log = request->log_x;
    chart->y.is_log = request->log_y;
    chart->is_step = true;
    add_line(chart, chart_text(chart, "front, %" PRIu32 " points", front.count), front.spot,
             front.count, most_y, false);
    add_faint(chart, "all points", all.spot, all.count, OTHERS_COLOUR);
    return STATUS_OK;
}

/* -- heat map, distribution -------------------------------------------------------------------- */

static enum status fill_pivot(struct chart *chart, struct results *results,
                              const struct study_chart_request *request, struct diag *diag)
{
    struct pivot pivot;
    if (!request->pivot) {
        diag_field(diag, "--pivot");
        diag_fail(diag, STATUS_USAGE, "a heat map needs DOWN,ACROSS,VALUE");
        diag_hint(diag, "--pivot plan.tp,plan.pp,time_s,least");
        return STATUS_USAGE;
    }
    enum status status = pivot_make(&pivot, results, request->pivot, diag);
    if (status != STATUS_OK)
        return status;
    if (!pivot.rows || !pivot.columns)
        return nothing(diag);
    static const char *const of[] = {"least", "most", "mean", "number of points"};
    uint32_t value = results_column(results, pivot.value, "--pivot", diag);
    int measure = measure_of(results, value);
    chart_init(chart, CHART_HEAT, "");
    chart->title = chart_text(chart, "%s, %s", label_of(results, value), of[pivot.of]);
    chart->x = (struct chart_axis){
        .label = pivot.across, .unit = "", .name = pivot.column, .names = pivot.columns};
    chart->y = (struct chart_axis){
        .label = pivot.down, .unit = "", .name = pivot.row, .names = pivot.rows};
    chart->value_label = pivot.of == PIVOT_COUNT ? "points" : label_of(results, value);
    chart->value_unit = measure >= 0 && pivot.of != PIVOT_COUNT ? measure_units[measure] : "";
    chart->cell = pivot.cell;
    return STATUS_OK;
}

static enum status fill_distribution(struct chart *chart, struct results *results,
                                     const struct study_chart_request *request, struct diag *diag)
{
    static const enum measure usual[] = {MEASURE_TIME, MEASURE_COUNT};
    uint32_t x = pick(results, request->x, "--x", usual, false, diag);
    if (diag->status != STATUS_OK)
        return diag->status;
    struct spots spots = find_spots(results, x, x, UINT32_MAX);
    if (!spots.count)
        return nothing(diag);
    chart_init(chart, CHART_HISTOGRAM, "");
    chart->title = chart_text(chart, "Distribution of %s over %" PRIu32 " points",
                              label_of(results, x), spots.count);
    set_axis(&chart->x, results, x);
    chart->y.label = "points";
    struct chart_series *series = chart_add(chart, "points", spots.count);
    for (uint32_t i = 0; i < spots.count; i++)
        series->y[i] = spots.spot[i].y;
    return STATUS_OK;
}

const struct study_chart study_charts[] = {
    {"scaling", "lines over a column (--x, --y, --by): through the best at each place",
     fill_scaling},
    {"pareto", "the points that no other beats in --x and --y, among all", fill_pareto},
    {"heat-map", "a column over two axes (--pivot DOWN,ACROSS,VALUE)", fill_pivot},
    {"distribution", "how many points have which --x", fill_distribution},
    {NULL, NULL, NULL},
};
