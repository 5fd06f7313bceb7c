#include "sweep/pivot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "sweep/quantity.h"

enum { PIVOT_CELLS = 1 << 22 };

static const char *const words[] = {"least", "most", "mean", "count"};

struct request {
    char word[4][100];
    uint32_t down, across, value;
};

static enum status read_request(struct request *request, struct pivot *pivot,
                                const struct results *results, const char *text, struct diag *diag)
{
    uint32_t count = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (count == 4) { /* a word too many */
            count = 5;
            break;
        }
        snprintf(request->word[count++], sizeof request->word[0], "%.*s",
                 (int)(length < 99 ? length : 99), at);
        at += length;
        if (!*at)
            break;
    }
    pivot->of = PIVOT_MEAN;
    for (int i = 0; count == 4 && i < 4; i++) {
        if (strcmp(request->word[3], words[i]) == 0) {
            pivot->of = (enum pivot_of)i;
            count = 3;
        }
    }
    if (count != 3) {
        diag_field(diag, "--pivot");
        return diag_fail(diag, STATUS_USAGE,
                         "expected DOWN,ACROSS,VALUE and perhaps least, most, mean or count, "
                         "found \"%.100s\"",
                         text);
    }
    request->down = results_column(results, request->word[0], "--pivot", diag);
    request->across = results_column(results, request->word[1], "--pivot", diag);
    request->value = results_column(results, request->word[2], "--pivot", diag);
    return diag->status;
}

/* The text of a cell, also of a number. */
static const char *text_of(struct results *results, uint32_t row, uint32_t column)
{
    struct expression_value value = results_cell(results, row, column, true);
    char text[40];
    if (value.text)
        return value.text;
    int length = isnan(value.number) ? 0 : snprintf(text, sizeof text, "%.12g", value.number);
    return arena_text(&results->arena, text, (size_t)length);
}

static const char **keep_names(struct results *results, const struct names *names)
{
    const char **text = arena_array(&results->arena, names->count, sizeof *text);
    for (uint32_t i = 0; i < names->count; i++)
        text[i] = arena_text(&results->arena, names->text[i], strlen(names->text[i]));
    return text;
}

struct name_key {
    double number;
    uint32_t name;
};

static int by_number(const void *a, const void *b)
{
    const struct name_key *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Numbers in their order; texts stay as they came. place[2 * i] are the names of rows. */
static void order_names(struct results *results, const char **text, uint32_t count, uint32_t *place)
{
    struct name_key *key = arena_array(&results->arena, count, sizeof *key);
    for (uint32_t i = 0; i < count; i++) {
        key[i].name = i;
        if (!quantity_parse(text[i], &key[i].number))
            return;
    }
    qsort(key, count, sizeof *key, by_number);
    const char **before = arena_array(&results->arena, count, sizeof *before);
    uint32_t *place_of = arena_array(&results->arena, count, sizeof *place_of);
    memcpy(before, text, count * sizeof *before);
    for (uint32_t i = 0; i < count; i++) {
        text[i] = before[key[i].name];
        place_of[key[i].name] = i;
    }
    for (uint32_t i = 0; i < results->row_count; i++) {
        if (place[2 * i] != TABLE_NONE)
            place[2 * i] = place_of[place[2 * i]];
    }
}

static double joined(enum pivot_of of, double sum, double value, double count)
{
    switch (of) {
    case PIVOT_LEAST:
        return count > 0 ? fmin(sum, value) : value;
    case PIVOT_MOST:
        return count > 0 ? fmax(sum, value) : value;
    default:
        return count > 0 ? sum + value : value;
    }
}

static void fill(struct pivot *pivot, struct results *results, const struct request *request,
                 const uint32_t *place)
{
    uint32_t cells = pivot->rows * pivot->columns;
    double *count = arena_array(&results->arena, cells, sizeof *count);
    pivot->cell = arena_array(&results->arena, cells, sizeof *pivot->cell);
    for (uint32_t i = 0; i < results->row_count; i++) {
        struct expression_value value =
            results_cell(results, results->row[i], request->value, false);
        if (place[2 * i] == TABLE_NONE || value.text || isnan(value.number))
            continue;
        uint32_t at = place[2 * i] * pivot->columns + place[2 * i + 1];
        pivot->cell[at] = joined(pivot->of, pivot->cell[at], value.number, count[at]);
        count[at]++;
    }
    for (uint32_t i = 0; i < cells; i++) {
        if (pivot->of == PIVOT_COUNT)
            pivot->cell[i] = count[i];
        else if (count[i] <= 0)
            pivot->cell[i] = NAN;
        else if (pivot->of == PIVOT_MEAN)
            pivot->cell[i] /= count[i];
    }
}

/* Where each row goes: pairs of numbers, TABLE_NONE if it is not ok. */
static uint32_t *number_rows(struct results *results, const struct request *request,
                             struct names *down, struct names *across)
{
    uint32_t *place = arena_array(&results->arena, results->row_count + 1, 2 * sizeof *place);
    for (uint32_t i = 0; i < results->row_count; i++) {
        uint32_t row = results->row[i];
        place[2 * i] = place[2 * i + 1] = TABLE_NONE;
        if (strcmp(results->table->row[row].state, "ok") != 0)
            continue;
        const char *x = text_of(results, row, request->down);
        const char *y = text_of(results, row, request->across);
        place[2 * i] = names_add(down, x, strlen(x));
        place[2 * i + 1] = names_add(across, y, strlen(y));
    }
    return place;
}

enum status pivot_make(struct pivot *pivot, struct results *results, const char *text,
                       struct diag *diag)
{
    struct request request;
    struct names down, across;
    *pivot = (struct pivot){.rows = 0};
    enum status status = read_request(&request, pivot, results, text, diag);
    if (status != STATUS_OK)
        return status;
    pivot->down = results->column[request.down];
    pivot->across = results->column[request.across];
    pivot->value = results->column[request.value];
    names_init(&down);
    names_init(&across);
    uint32_t *place = number_rows(results, &request, &down, &across);
    pivot->rows = down.count;
    pivot->columns = across.count;
    pivot->row = keep_names(results, &down);
    pivot->column = keep_names(results, &across);
    names_release(&down);
    names_release(&across);
    order_names(results, pivot->row, pivot->rows, place);
    order_names(results, pivot->column, pivot->columns, place + 1);
    if ((uint64_t)pivot->rows * pivot->columns > PIVOT_CELLS) {
        diag_field(diag, "--pivot");
        return diag_fail(diag, STATUS_USAGE, "more than %d cells", PIVOT_CELLS);
    }
    fill(pivot, results, &request, place);
    return STATUS_OK;
}
