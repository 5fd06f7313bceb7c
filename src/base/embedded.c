#include "base/embedded.h"

#include <string.h>

#include "base/suggest.h"

enum { MOST_FILES = 512 };

const struct embedded_file *embedded_find(const struct embedded_file *files, const char *name)
{
    for (; files->name; files++)
        if (strcmp(files->name, name) == 0)
            return files;
    return NULL;
}

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

bool embedded_is_path(const char *name)
{
    return strchr(name, '/') || ends_in(name, ".yaml") || ends_in(name, ".yml");
}

static enum status unknown(const struct embedded_file *files, const char *what, const char *name,
                           struct diag *diag)
{
    const char *known[MOST_FILES + 1];
    uint32_t count = 0;
    for (; files->name && count < MOST_FILES; files++)
        known[count++] = files->name;
    known[count] = NULL;
    diag_fail(diag, STATUS_BAD_CONFIG, "there is no %s \"%.60s\"", what, name);
    const char *nearest = suggest_nearest(name, known);
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(diag, "a name of the program's own, or a file: a path with '/' or .yaml");
    return STATUS_BAD_CONFIG;
}

enum status embedded_open(struct doc *doc, const struct embedded_file *files, const char *what,
                          const char *name, struct diag *diag)
{
    if (embedded_is_path(name))
        return doc_load(doc, name, DOC_YAML, diag);
    const struct embedded_file *file = embedded_find(files, name);
    if (!file)
        return unknown(files, what, name, diag);
    return doc_parse(doc, file->name, file->text, file->length, DOC_YAML, diag);
}
