#include "page/study_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "page/block.h"
#include "page/page_shell.h"
#include "page/study_rows.h"
#include "sweep/quantity.h"
#include "sweep/results.h"

/* A page being written. */
struct writing {
    const struct study_page *page;
    struct results results;
    struct study_rows rows;
    struct json_writer json;
    bool has[RESULTS_COLUMNS]; /* some point has a value there */
};

/* -- columns ----------------------------------------------------------------------------------- */

static uint32_t axes_of(const struct writing *writing)
{
    return writing->page->table->axis_count;
}

/* Number of the measure of a column, or -1. */
static int measure_of(const struct writing *writing, uint32_t column)
{
    uint32_t first = axes_of(writing) + 2;
    return column >= first && column < first + MEASURE_COUNT ? (int)(column - first) : -1;
}

static const char *role_of(const struct writing *writing, uint32_t column)
{
    if (measure_of(writing, column) >= 0)
        return "measure";
    return column > 0 && column <= axes_of(writing) ? "axis" : writing->results.column[column];
}

static const char *source_of(const struct writing *writing, uint32_t column)
{
    int measure = measure_of(writing, column);
    if (measure >= 0)
        return measure_meanings[measure];
    if (column == 0)
        return "number of the point in the study";
    if (column <= axes_of(writing))
        return "axis of the study";
    if (column == axes_of(writing) + 1)
        return "ok, or what became of the point; pending: it has not ended";
    return column + 1 == writing->results.column_count
               ? "hash of the program, the point's keys and values, and the files it read"
               : "why the point is not ok";
}

/* The distinct values of a column of texts, with the index of each row's. */
struct dictionary {
    const char **text; /* sorted */
    uint32_t count;
};

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static const char *text_at(const struct writing *writing, uint32_t row, uint32_t column)
{
    const char *text = results_cell(&writing->results, row, column, true).text;
    return text ? text : "";
}

static struct dictionary dictionary_of(struct writing *writing, uint32_t column)
{
    const struct study_rows *rows = &writing->rows;
    struct dictionary words = {
        arena_array(&writing->results.arena, (size_t)rows->count + 1, sizeof *words.text), 0};
    for (uint32_t i = 0; i < rows->count; i++)
        words.text[i] = text_at(writing, rows->row[i], column);
    qsort(words.text, rows->count, sizeof *words.text, compare_texts);
    for (uint32_t i = 0; i < rows->count; i++) {
        if (i == 0 || strcmp(words.text[i], words.text[words.count - 1]) != 0)
            words.text[words.count++] = words.text[i];
    }
    return words;
}

static uint32_t index_of(const struct dictionary *words, const char *text)
{
    const char **found =
        bsearch(&text, words->text, words->count, sizeof *words->text, compare_texts);
    promise(found != NULL);
    return (uint32_t)(found - words->text);
}

/* "values": [["4", 4], ["auto", null], ..] of an axis, ["ok", ..] of other texts. */
static void put_words(struct writing *writing, const struct dictionary *words, bool is_axis)
{
    double number;
    json_list_begin(&writing->json, "values", JSON_INLINE);
    for (uint32_t i = 0; i < words->count; i++) {
        if (!is_axis) {
            json_text(&writing->json, NULL, words->text[i]);
            continue;
        }
        json_list_begin(&writing->json, NULL, JSON_INLINE);
        json_text(&writing->json, NULL, words->text[i]);
        json_double(&writing->json, NULL, quantity_parse(words->text[i], &number) ? number : NAN);
        json_list_end(&writing->json);
    }
    json_list_end(&writing->json);
}

static void put_column(struct writing *writing, uint32_t column)
{
    struct json_writer *json = &writing->json;
    int measure = measure_of(writing, column);
    bool is_axis = column > 0 && column <= axes_of(writing);
    json_map_begin(json, NULL, JSON_INLINE);
    json_text(json, "key", writing->results.column[column]);
    json_text(json, "label",
              measure >= 0 ? measure_labels[measure] : writing->results.column[column]);
    json_text(json, "role", role_of(writing, column));
    json_text(json, "unit", measure >= 0 ? measure_units[measure] : "");
    json_text(json, "source", source_of(writing, column));
    json_text(json, "kind", measure >= 0 || column == 0 ? "number" : "text");
    if (measure >= 0)
        json_text(json, "better", measure_is_most_better(measure) ? "most" : "least");
    json_list_begin(json, "cells", JSON_INLINE);
    struct dictionary words = {0};
    if (measure < 0 && column)
        words = dictionary_of(writing, column);
    for (uint32_t i = 0; i < writing->rows.count; i++) {
        uint32_t row = writing->rows.row[i];
        if (words.text)
            json_u64(json, NULL, index_of(&words, text_at(writing, row, column)));
        else
            json_number(json, NULL, results_cell(&writing->results, row, column, false).number);
    }
    json_list_end(json);
    if (words.text)
        put_words(writing, &words, is_axis);
    json_map_end(json);
}

static void find_columns(struct writing *writing)
{
    const struct store_table *table = writing->page->table;
    for (uint32_t column = 0; column < writing->results.column_count; column++) {
        int measure = measure_of(writing, column);
        writing->has[column] = measure < 0;
        for (uint32_t i = 0; measure >= 0 && i < table->count && !writing->has[column]; i++)
            writing->has[column] = !isnan(table->row[i].value[measure]);
    }
}

static void put_points(struct writing *writing)
{
    const struct store_table *table = writing->page->table;
    struct json_writer *json = &writing->json;
    char note[320] = "";
    if (writing->rows.count < table->count)
        snprintf(note, sizeof note,
                 "This page holds %" PRIu32 " of %" PRIu32
                 " points: the ends of each measure, the fronts of time with each, the first "
                 "failures, and an even sample of the rest. orrery results --format csv has all.",
                 writing->rows.count, table->count);
    json_map_begin(json, "points", JSON_LINES);
    json_u64(json, "count", writing->rows.count);
    json_text(json, "note", note);
    json_list_begin(json, "columns", JSON_LINES);
    for (uint32_t column = 0; column < writing->results.column_count; column++) {
        if (writing->has[column])
            put_column(writing, column);
    }
    json_list_end(json);
    json_map_end(json);
}

/* -- the document ------------------------------------------------------------------------------ */

struct counts {
    uint32_t done, ok;
};

static struct counts count_points(const struct store_table *table)
{
    struct counts counts = {0};
    for (uint32_t i = 0; i < table->count; i++) {
        counts.done += table->row[i].is_done;
        counts.ok += strcmp(table->row[i].state, "ok") == 0;
    }
    return counts;
}

static void put_facts(struct writing *writing)
{
    const struct store_table *table = writing->page->table;
    struct counts counts = count_points(table);
    struct json_writer *json = &writing->json;
    json_list_begin(json, "facts", JSON_LINES);
    block_fact(json, "points", table->count, "", "of the study");
    block_fact(json, "ended", counts.done, "", "points that have a result, good or bad");
    block_fact(json, "ok", counts.ok, "", "points whose run ended well");
    block_fact(json, "failed", counts.done - counts.ok, "", "points with a reason instead");
    json_list_end(json);
    json_map_begin(json, "progress", JSON_INLINE);
    json_u64(json, "done", counts.done);
    json_u64(json, "total", table->count);
    json_u64(json, "failed", counts.done - counts.ok);
    json_map_end(json);
}

static void put_document(struct writing *writing)
{
    const struct study_page *page = writing->page;
    struct json_writer *json = &writing->json;
    json_map_begin(json, NULL, JSON_LINES);
    json_text(json, "schema_version", PAGE_SCHEMA);
    json_text(json, "kind", "study");
    json_text(json, "title", page->title);
    json_text(json, "version", page->version);
    json_text(json, "program", page->table->program);
    put_facts(writing);
    put_points(writing);
    json_list_begin(json, "sections", JSON_LINES);
    block_section_begin(json, "study", "The study", "What was asked for, as it was written.");
    block_code(json, "study file", page->table->study);
    block_section_end(json);
    json_list_end(json);
    json_map_end(json);
}

void study_page_data(const struct study_page *page, FILE *out)
{
    struct writing writing = {.page = page};
    results_init(&writing.results, page->table);
    writing.rows = study_rows_choose(page->table, STUDY_PAGE_ROWS, &writing.results.arena);
    json_init(&writing.json, out);
    find_columns(&writing);
    put_document(&writing);
    results_release(&writing.results);
}

void study_page_write(const struct study_page *page, FILE *out)
{
    char *data = NULL;
    size_t length = 0;
    if (page->is_live) {
        page_shell_live(page->title, out);
        return;
    }
    FILE *memory = open_memstream(&data, &length);
    need_memory(memory != NULL);
    study_page_data(page, memory);
    need_memory(fclose(memory) == 0);
    page_shell_write(page->title, data, length, out);
    free(data);
}
