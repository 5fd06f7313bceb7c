#include "base/embedded.h"

#include <stdio.h>
#include <string.h>

#include "base/doc_edit.h"
#include "base/suggest.h"

enum { MOST_FILES = 512 };

const struct embedded_file *embedded_find(const struct embedded_file *files, const char *name)
{
    for (; files->name; files++)
        if (strcmp(files->name, name) == 0)
            return files;
    return NULL;
}

void embedded_split(struct embedded_words *words, const char *text)
{
    size_t length = strlen(text), name = strcspn(text, "{");
    bool is_split = name && length > name && text[length - 1] == '}';
    words->changes = is_split ? text + name : text + length;
    snprintf(words->name, sizeof words->name, "%.*s", (int)(words->changes - text), text);
}

const char *embedded_rename(char *to, size_t size, const char *text, const char *name)
{
    struct embedded_words words;
    embedded_split(&words, text);
    snprintf(to, size, "%s%s", name, words.changes);
    return to;
}

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

bool embedded_is_path(const char *name)
{
    struct embedded_words words;
    embedded_split(&words, name);
    if (*words.changes)
        name = words.name;
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

static enum status refuse_change(const char *what, const char *text, int length, struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_CONFIG, "expected KEY=VALUE, found \"%.*s\"",
              length < 60 ? length : 60, text);
    diag_field(diag, "%s{..}", what);
    diag_hint(diag, "as in llama3-8b{layers=16,vocab=32000}");
    return STATUS_BAD_CONFIG;
}

/* Each "KEY=VALUE" of "{KEY=VALUE,KEY=VALUE}". */
static enum status change(struct doc *doc, const char *what, const char *changes, struct diag *diag)
{
    enum status status = STATUS_OK;
    for (const char *at = changes + 1; *at && status == STATUS_OK;) {
        char key[128], value[EMBEDDED_NAME];
        int length = (int)strcspn(at, ",}"), blank = (int)strspn(at, " ");
        int name = (int)strcspn(at, "=,}"), end = name;
        while (end > blank && at[end - 1] == ' ')
            end--;
        bool is_pair =
            name < length && end > blank &&
            snprintf(key, sizeof key, "%.*s", end - blank, at + blank) < (int)sizeof key &&
            snprintf(value, sizeof value, "%.*s", length - name - 1, at + name + 1) <
                (int)sizeof value;
        status = is_pair ? doc_set(doc, key, value, diag) : refuse_change(what, at, length, diag);
        at += length + 1;
    }
    return status;
}

enum status embedded_open(struct doc *doc, const struct embedded_file *files, const char *what,
                          const char *name, struct diag *diag)
{
    struct embedded_words words;
    embedded_split(&words, name);
    const char *bare = *words.changes ? words.name : name;
    const struct embedded_file *file = embedded_find(files, bare);
    enum status status;
    if (embedded_is_path(bare))
        status = doc_load(doc, bare, DOC_YAML, diag);
    else if (file)
        status = doc_parse(doc, file->name, file->text, file->length, DOC_YAML, diag);
    else
        return unknown(files, what, bare, diag);
    if (status == STATUS_OK && *words.changes) {
        status = change(doc, what, words.changes, diag);
        if (status != STATUS_OK)
            doc_release(doc);
    }
    return status;
}
