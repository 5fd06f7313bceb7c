/* By which names a device is found (device.h, rule 5). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compute/device.h"
#include "compute/device_files.h"

enum { MOST_ALSO = 96 /* bytes of a published name */ };

/* Letters and digits in lower case, with or without what stands in parentheses. */
static void essence(const char *words, bool with_parentheses, char to[MOST_ALSO])
{
    size_t used = 0;
    uint32_t depth = 0;
    for (; *words && used + 1 < MOST_ALSO; words++) {
        depth += *words == '(';
        if (isalnum((unsigned char)*words) && (depth == 0 || with_parentheses))
            to[used++] = (char)tolower((unsigned char)*words);
        depth -= *words == ')' && depth > 0;
    }
    to[used] = '\0';
}

static bool is_name_of(const struct embedded_file *file, const char *wanted)
{
    char name[MOST_ALSO];
    struct diag diag = DIAG_NONE;
    struct doc doc;
    essence(file->name, true, name);
    if (strcmp(name, wanted) == 0)
        return true;
    enum status status = doc_parse(&doc, file->name, file->text, file->length, DOC_YAML, &diag);
    promise(status == STATUS_OK); /* the files are ours: tests read them all */
    const struct doc_node *also = doc_find(doc.root, "also");
    bool is_found = false;
    for (uint32_t i = 0; also && i < also->count && !is_found; i++) {
        essence(also->child[i].text, true, name);
        is_found = strcmp(name, wanted) == 0;
    }
    doc_release(&doc);
    return is_found;
}

const char *device_find(const char *words)
{
    if (embedded_find(device_files, words))
        return embedded_find(device_files, words)->name;
    for (int with_parentheses = 1; with_parentheses >= 0; with_parentheses--) {
        char wanted[MOST_ALSO];
        essence(words, with_parentheses, wanted);
        for (const struct embedded_file *file = device_files; file->name && wanted[0]; file++) {
            if (is_name_of(file, wanted))
                return file->name;
        }
    }
    return NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *const *device_names(struct arena *arena)
{
    size_t count = 0;
    while (device_files[count].name)
        count++;
    const char **names = arena_array(arena, count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = device_files[i].name;
    qsort(names, count, sizeof *names, by_name); /* files are in the order of "v100.yaml" */
    return names;
}
