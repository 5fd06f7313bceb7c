#include "tests/agree/row.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static const char *text_or(const struct doc_node *map, const char *key, const char *fallback)
{
    const struct doc_node *node = doc_find(map, key);
    return node != NULL && node->kind == DOC_TEXT ? node->text : fallback;
}

static uint64_t number_or(const struct doc_node *map, const char *key, uint64_t fallback)
{
    const struct doc_node *node = doc_find(map, key);
    return node != NULL && node->kind == DOC_NUMBER ? node->magnitude : fallback;
}

static struct row_figures figures_of(const struct doc_node *map, const char *per_rank,
                                     const char *least, const char *most)
{
    struct row_figures figures = {0};
    const struct doc_node *list = doc_find(map, per_rank);
    if (list != NULL && list->kind == DOC_LIST)
        figures.per_rank = list;
    figures.has_range = doc_find(map, least) != NULL && doc_find(map, most) != NULL;
    figures.least = number_or(map, least, 0);
    figures.most = number_or(map, most, 0);
    return figures;
}

static void fill_row(struct row *row)
{
    const struct doc_node *map = row->doc.root;
    const struct doc_node *user = doc_find(map, "user_s");
    row->name = text_or(map, "case", "?");
    row->backend = text_or(map, "backend", "congestion_unaware");
    row->status = text_or(map, "status", "?");
    row->note = text_or(map, "note", "");
    row->family = text_or(map, "family", "");
    row->npus = (uint32_t)number_or(map, "npus", 0);
    row->finished = (uint32_t)number_or(map, "finished", 0);
    row->cycles = figures_of(map, "cycles_per_sys", "cycles_min", "cycles_max");
    row->exposed = figures_of(map, "exposed_per_sys", "exposed_min", "exposed_max");
    row->workload = doc_find(map, "workload");
    row->extra_args = doc_find(map, "extra_args");
    row->network_yml = text_or(map, "network_yml", "");
    row->system_json = text_or(map, "system_json", "");
    row->memory_json = text_or(map, "memory_json", "");
    row->user_s = user != NULL ? user->number : 0;
    row->peak_rss_kb = number_or(map, "peak_rss_kb", 0);
    row->messages = number_or(map, "messages", 0);
}

/*
 * JSON readers commonly stop at 2^63 - 1, but ASTRA-sim's figures wrap below zero and print as
 * huge. Such a figure is rewritten as the negative number of the same 64 bits; row_figure() undoes
 * it. `to` has room for twice the line. Returns the new length.
 */
static size_t fold_huge_numbers(char *to, const char *line, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length;) {
        size_t digits = 0;
        bool starts = i > 0 && (line[i - 1] == ' ' || line[i - 1] == '[');
        while (starts && i + digits < length && line[i + digits] >= '0' && line[i + digits] <= '9')
            digits++;
        uint64_t value = digits == 19 || digits == 20 ? strtoull(line + i, NULL, 10) : 0;
        if (value > INT64_MAX)
            used += (size_t)sprintf(to + used, "-%" PRIu64, (uint64_t)0 - value);
        else
            to[used++] = line[i], digits = 1;
        i += digits;
    }
    return used;
}

static enum status add_line(struct row **rows, uint32_t *count, const char *path, const char *line,
                            size_t length, struct diag *diag)
{
    struct row *grown = realloc(*rows, (*count + 1) * sizeof **rows);
    if (grown == NULL)
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for another case");
    *rows = grown;
    memset(&grown[*count], 0, sizeof *grown);
    char *text = malloc(2 * length + 32);
    if (text == NULL)
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for another case");
    length = fold_huge_numbers(text, line, length);
    enum status status = doc_parse(&grown[*count].doc, path, text, length, DOC_JSON, diag);
    free(text);
    if (status != STATUS_OK)
        return status;
    fill_row(&grown[*count]);
    (*count)++;
    return STATUS_OK;
}

enum status rows_load(const char *path, struct row **rows, uint32_t *count, struct diag *diag)
{
    struct file file;
    enum status status = file_load(&file, path, FILE_NO_LIMIT, diag);
    *rows = NULL;
    *count = 0;
    if (status != STATUS_OK)
        return status;
    const char *at = (const char *)file.bytes, *end = at + file.length;
    while (at < end && status == STATUS_OK) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop == NULL ? end : stop) - at);
        if (length > 0)
            status = add_line(rows, count, path, at, length, diag);
        at += length + 1;
    }
    file_release(&file);
    if (status != STATUS_OK) {
        rows_release(*rows, *count);
        *rows = NULL;
        *count = 0;
    }
    return status;
}

void rows_release(struct row *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        doc_release(&rows[i].doc);
    free(rows);
}

bool row_is_reference(const struct row *row)
{
    return strcmp(row->status, "ok") == 0 && strstr(row->note, "wrong answer") == NULL &&
           strstr(row->note, "different collectives") == NULL;
}

bool row_figure(const struct row_figures *figures, uint32_t rank, uint64_t *value)
{
    if (figures->per_rank == NULL || rank >= figures->per_rank->count)
        return false;
    const struct doc_node *node = &figures->per_rank->child[rank];
    if (node->kind != DOC_NUMBER || !node->is_integer)
        return false;
    *value = node->is_negative ? (uint64_t)0 - node->magnitude : node->magnitude;
    return true;
}
