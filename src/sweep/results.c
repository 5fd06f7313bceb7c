#include "sweep/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "sweep/quantity.h"

/* -- columns ----------------------------------------------------------------------------------- */

static uint32_t state_column(const struct results *results)
{
    return 1 + results->table->axis_count;
}

void results_init(struct results *results, const struct store_table *table)
{
    *results = (struct results){.table = table};
    arena_init(&results->arena);
    const char **column = results->column;
    *column++ = "point";
    for (uint32_t i = 0; i < table->axis_count; i++)
        *column++ = table->axis[i];
    *column++ = "state";
    for (int i = 0; i < MEASURE_COUNT; i++)
        *column++ = measure_columns[i];
    *column++ = "reason";
    *column++ = "identity";
    results->column_count = results->shown_count = (uint32_t)(column - results->column);
    for (uint32_t i = 0; i < results->column_count; i++)
        results->shown[i] = i;
    results->row = arena_array(&results->arena, table->count, sizeof *results->row);
    results->row_count = table->count;
    for (uint32_t i = 0; i < table->count; i++)
        results->row[i] = i;
}

void results_release(struct results *results)
{
    arena_release(&results->arena);
}

struct expression_value results_cell(const struct results *results, uint32_t row, uint32_t column,
                                     bool is_text)
{
    const struct store_row *at = &results->table->row[row];
    uint32_t state = state_column(results);
    if (column == 0)
        return (struct expression_value){NULL, at->ordinal};
    if (column < state) {
        const char *text = at->axis[column - 1];
        double number;
        if (is_text || !quantity_parse(text, &number))
            return (struct expression_value){text, NAN};
        return (struct expression_value){NULL, number};
    }
    if (column == state)
        return (struct expression_value){at->state, NAN};
    if (column - state - 1 < MEASURE_COUNT)
        return (struct expression_value){NULL, at->value[column - state - 1]};
    bool is_reason = column - state - 1 == MEASURE_COUNT;
    return (struct expression_value){is_reason ? at->reason : at->identity, NAN};
}

uint32_t results_column(const struct results *results, const char *name, const char *option,
                        struct diag *diag)
{
    for (uint32_t i = 0; i < results->column_count; i++) {
        if (strcmp(results->column[i], name) == 0)
            return i;
    }
    diag_fail(diag, STATUS_USAGE, "there is no column \"%.80s\"", name);
    diag_field(diag, "%s", option);
    const char *nearest = suggest_nearest(name, results->column);
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(diag, "orrery results FILE --format csv has all columns in its first line");
    return UINT32_MAX;
}

/* The next of names with commas between, in the arena; NULL after the last. */
static const char *next_name(struct results *results, const char **names)
{
    if (!**names)
        return NULL;
    size_t length = strcspn(*names, ",");
    const char *name = arena_text(&results->arena, *names, length);
    *names += length + ((*names)[length] == ',');
    return name;
}

enum status results_show(struct results *results, const char *names, struct diag *diag)
{
    results->shown_count = 0;
    for (const char *name; (name = next_name(results, &names));) {
        uint32_t column = results_column(results, name, "--columns", diag);
        if (column == UINT32_MAX)
            return STATUS_USAGE;
        if (results->shown_count == RESULTS_COLUMNS)
            return diag_fail(diag, STATUS_USAGE, "too many columns");
        results->shown[results->shown_count++] = column;
    }
    return STATUS_OK;
}

static bool has_value(const struct results *results, int measure)
{
    for (uint32_t i = 0; i < results->row_count; i++) {
        if (!isnan(results->table->row[results->row[i]].value[measure]))
            return true;
    }
    return false;
}

static bool has_failure(const struct results *results)
{
    for (uint32_t i = 0; i < results->row_count; i++) {
        if (results->table->row[results->row[i]].reason[0])
            return true;
    }
    return false;
}

void results_show_usual(struct results *results)
{
    static const enum measure usual[] = {MEASURE_TIME,         MEASURE_TIME_P50, MEASURE_TIME_P95,
                                         MEASURE_TOKENS_PER_S, MEASURE_MFU,      MEASURE_MEMORY,
                                         MEASURE_COST};
    uint32_t state = state_column(results), n = 0;
    for (uint32_t i = 0; i <= state && i < 9; i++)
        results->shown[n++] = i;
    if (state >= 9)
        results->shown[n++] = state;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (has_value(results, (int)usual[i]))
            results->shown[n++] = state + 1 + usual[i];
    }
    if (has_failure(results))
        results->shown[n++] = state + 1 + MEASURE_COUNT;
    results->shown_count = n;
}

/* -- rows -------------------------------------------------------------------------------------- */

enum status results_filter(struct results *results, const char *text, struct diag *diag)
{
    struct expression *expression =
        expression_compile(&results->arena, text, "--where", results->column, diag);
    uint32_t kept = 0;
    for (uint32_t i = 0; expression && i < results->row_count; i++) {
        struct expression_value value[RESULTS_COLUMNS];
        bool holds;
        for (uint32_t k = 0; k < results->column_count; k++)
            value[k] = results_cell(results, results->row[i], k, false);
        if (expression_holds(expression, value, &holds, diag) != STATUS_OK)
            break;
        if (holds)
            results->row[kept++] = results->row[i];
    }
    if (diag->status != STATUS_OK)
        return diag->status = STATUS_USAGE;
    results->row_count = kept;
    return STATUS_OK;
}

/* Rows with their keys, so that comparing needs no context; a key that is not there is
 * +infinity. */
struct keyed_row {
    uint32_t row;
    uint32_t count;
    struct expression_value key[RESULTS_ORDERS];
    bool is_descending[RESULTS_ORDERS];
};

static int compare_keys(const struct keyed_row *a, const struct keyed_row *b, uint32_t i)
{
    const struct expression_value *x = &a->key[i], *y = &b->key[i];
    int sign = a->is_descending[i] ? -1 : 1;
    if (x->text && y->text)
        return sign * strcmp(x->text, y->text);
    if (x->text || y->text)
        return x->text ? 1 : -1; /* numbers, then texts */
    bool x_is_there = !isnan(x->number), y_is_there = !isnan(y->number);
    if (!x_is_there || !y_is_there)
        return (int)y_is_there - (int)x_is_there;
    return x->number < y->number ? -sign : x->number > y->number ? sign : 0;
}

static int by_keys(const void *a, const void *b)
{
    const struct keyed_row *x = a, *y = b;
    for (uint32_t i = 0; i < x->count; i++) {
        int order = compare_keys(x, y, i);
        if (order)
            return order;
    }
    return (x->row > y->row) - (x->row < y->row);
}

static enum status read_orders(struct results *results, const char *text, const char *option,
                               struct results_order *order, uint32_t *count, struct diag *diag)
{
    *count = 0;
    for (const char *name; (name = next_name(results, &text));) {
        if (*count == RESULTS_ORDERS) {
            diag_field(diag, "%s", option);
            return diag_fail(diag, STATUS_USAGE, "at most %d columns", RESULTS_ORDERS);
        }
        bool is_descending = *name == '-';
        uint32_t column = results_column(results, name + is_descending, option, diag);
        if (column == UINT32_MAX)
            return STATUS_USAGE;
        order[(*count)++] = (struct results_order){column, is_descending};
    }
    return STATUS_OK;
}

static struct keyed_row *sorted_rows(const struct results *results,
                                     const struct results_order *order, uint32_t count)
{
    struct keyed_row *rows = calloc(results->row_count + 1, sizeof *rows);
    need_memory(rows != NULL);
    for (uint32_t i = 0; i < results->row_count; i++) {
        rows[i].row = results->row[i];
        rows[i].count = count;
        for (uint32_t k = 0; k < count; k++) {
            rows[i].key[k] = results_cell(results, results->row[i], order[k].column, false);
            rows[i].is_descending[k] = order[k].is_descending;
        }
    }
    qsort(rows, results->row_count, sizeof *rows, by_keys);
    return rows;
}

enum status results_sort(struct results *results, const char *orders, struct diag *diag)
{
    struct results_order order[RESULTS_ORDERS];
    uint32_t count;
    enum status status = read_orders(results, orders, "--sort", order, &count, diag);
    if (status != STATUS_OK)
        return status;
    struct keyed_row *rows = sorted_rows(results, order, count);
    for (uint32_t i = 0; i < results->row_count; i++)
        results->row[i] = rows[i].row;
    free(rows);
    return STATUS_OK;
}

/* -- Pareto ------------------------------------------------------------------------------------ */

static bool is_candidate(const struct results *results, const struct keyed_row *row)
{
    if (strcmp(results->table->row[row->row].state, "ok") != 0)
        return false;
    for (uint32_t i = 0; i < row->count; i++) {
        if (row->key[i].text || isnan(row->key[i].number))
            return false;
    }
    return true;
}

static bool beats(const struct keyed_row *a, const struct keyed_row *b)
{
    bool is_better = false;
    for (uint32_t i = 0; i < a->count; i++) {
        int order = compare_keys(a, b, i);
        if (order > 0)
            return false;
        is_better |= order < 0;
    }
    return is_better;
}

/* Sorted rows are only beaten by rows before them, and then by one of the front. */
enum status results_pareto(struct results *results, const char *orders, struct diag *diag)
{
    struct results_order order[RESULTS_ORDERS];
    uint32_t count, front = 0;
    enum status status = read_orders(results, orders, "--pareto", order, &count, diag);
    if (status == STATUS_OK && count < 2) {
        diag_field(diag, "--pareto");
        status = diag_fail(diag, STATUS_USAGE, "two or three columns are needed");
    }
    if (status != STATUS_OK)
        return status;
    struct keyed_row *rows = sorted_rows(results, order, count);
    for (uint32_t i = 0; i < results->row_count; i++) {
        bool is_beaten = !is_candidate(results, &rows[i]);
        for (uint32_t k = 0; k < front && !is_beaten; k++)
            is_beaten = beats(&rows[k], &rows[i]);
        if (!is_beaten)
            rows[front++] = rows[i];
    }
    for (uint32_t i = 0; i < front; i++)
        results->row[i] = rows[i].row;
    results->row_count = front;
    free(rows);
    return STATUS_OK;
}

void results_limit(struct results *results, uint32_t count)
{
    if (count < results->row_count)
        results->row_count = count;
}
