#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "tests/agree/messages/messages.h"

enum status peers_load(const char *shared, const char *name, struct doc **rows, uint32_t *count,
                       struct diag *diag)
{
    char path[4096];
    snprintf(path, sizeof path, "%.3900s/data/peers/%.100s", shared, name);
    *rows = NULL;
    *count = 0;
    if (!file_exists(path))
        return STATUS_OK;
    struct file file;
    enum status status = file_load(&file, path, FILE_NO_LIMIT, diag);
    if (status != STATUS_OK)
        return status;
    const char *at = (const char *)file.bytes, *end = at + file.length;
    while (at < end && status == STATUS_OK) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        if (length > 0) {
            *rows = realloc(*rows, (*count + 1) * sizeof **rows);
            need_memory(*rows != NULL);
            status = doc_parse(&(*rows)[*count], path, at, length, DOC_JSON, diag);
            *count += status == STATUS_OK;
        }
        at += length + 1;
    }
    file_release(&file);
    return status;
}

bool peers_are_absent(uint32_t row_count, FILE *out, struct part_count *count)
{
    if (row_count > 0)
        return false;
    fprintf(out, "skipped: its data is absent\n");
    count->skipped++;
    return true;
}

void peers_release(struct doc *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        doc_release(&rows[i]);
    free(rows);
}

const char *peers_text(const struct doc_node *map, const char *key)
{
    const struct doc_node *node = doc_find(map, key);
    return node && node->kind == DOC_TEXT ? node->text : "";
}

double peers_number(const struct doc_node *map, const char *key)
{
    const struct doc_node *node = doc_find(map, key);
    return node && node->kind == DOC_NUMBER ? node->number : 0;
}
