#include "compare/sides.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/decimal.h"

/* -- names ------------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A number after "rank", or one that is a part of its own between dots. */
int64_t side_rank_of_name(const char *path)
{
    const char *name = base_name(path);
    uint64_t rank;
    for (const char *at = strstr(name, "rank"); at; at = strstr(at + 1, "rank")) {
        const char *digits = at + 4 + strspn(at + 4, "-_.");
        size_t count = strspn(digits, "0123456789");
        if (count && decimal_u64(digits, count, &rank) && rank < UINT32_MAX)
            return (int64_t)rank;
    }
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        size_t count = strspn(dot + 1, "0123456789");
        if (count && (dot[1 + count] == '.' || dot[1 + count] == '\0') &&
            decimal_u64(dot + 1, count, &rank) && rank < UINT32_MAX)
            return (int64_t)rank;
    }
    return -1;
}

/* -- one file ---------------------------------------------------------------------------------- */

static const struct reader *find_reader(const struct file *file)
{
    const char *head = (const char *)file->bytes;
    size_t length = file->length < READER_HEAD ? file->length : READER_HEAD;
    while (length && memchr(" \t\r\n", *head, 4)) {
        head++;
        length--;
    }
    for (const struct reader *const *reader = readers; *reader; reader++)
        if (length && (*reader)->is_mine(head, length))
            return *reader;
    return NULL;
}

static enum status fail_unknown(const char *path, bool is_empty, struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_INPUT,
              is_empty ? "the file is empty" : "this is no kind of result that is known here");
    diag_in(diag, path);
    diag_hint(diag, "orrery compare --help lists them");
    return STATUS_BAD_INPUT;
}

static enum status read_file(struct reading *reading, const struct reader *reader)
{
    struct outcome *outcome = reading->outcome;
    if (outcome->kind[0] && strcmp(outcome->kind, reader->name) != 0)
        return reading_fail_line(reading, 0, "of another kind (%s) than the files before it (%s)",
                                 reader->name, outcome->kind);
    if (outcome->kind[0] && !reader->is_per_rank)
        return reading_fail_line(reading, 0, "one file of kind \"%s\" is a side", reader->name);
    outcome->kind = reader->name;
    enum status status = reader->read(reading);
    if (status != STATUS_OK) {
        promise(reading->diag->status == status);
        diag_in(reading->diag, reading->path);
    }
    return status;
}

const struct reader *side_kind(const char *path)
{
    struct file file;
    struct diag ignored = DIAG_NONE;
    if (file_load(&file, path, FILE_NO_LIMIT, &ignored) != STATUS_OK)
        return NULL;
    const struct reader *reader = find_reader(&file);
    file_release(&file);
    return reader;
}

/* *is_known NULL: a file of no known kind is an error. */
static enum status load_file(struct outcome *outcome, const char *path,
                             const struct side_options *options, bool *is_known, struct diag *diag)
{
    struct file file;
    enum status status = file_load(&file, path, FILE_NO_LIMIT, diag);
    if (status != STATUS_OK)
        return status;
    struct reading reading = {outcome, &file, path, side_rank_of_name(path), options, diag};
    const struct reader *reader = find_reader(&file);
    if (is_known)
        *is_known = reader != NULL;
    if (reader)
        status = read_file(&reading, reader);
    else if (!is_known)
        status = fail_unknown(path, file.length == 0, diag);
    file_release(&file);
    return status;
}

/* -- several files ----------------------------------------------------------------------------- */

struct part {
    char *path;
    int64_t rank;
};

static int compare_parts(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return strcmp(a->path, b->path);
}

/* PREFIX.<digits> and then the end or a dot. */
static bool is_part(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    if (!length)
        return name[0] != '.';
    if (strncmp(name, prefix, length) != 0 || name[length] != '.')
        return false;
    size_t digits = strspn(name + length + 1, "0123456789");
    char after = name[length + 1 + digits];
    return digits && (after == '\0' || after == '.');
}

struct parts {
    struct arena *arena;
    struct part *row;
    uint32_t count, room;
};

/* Regular files of `folder` that are parts of `prefix` ("": all). */
static enum status list_parts(struct parts *parts, const char *folder, const char *prefix,
                              struct diag *diag)
{
    DIR *dir = opendir(folder);
    if (!dir) {
        diag_fail(diag, STATUS_IO, "cannot be opened: %s", strerror(errno));
        diag_in(diag, folder);
        return STATUS_IO;
    }
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        char path[4096];
        struct stat about;
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!is_part(entry->d_name, prefix) || length >= (int)sizeof path ||
            stat(path, &about) != 0 || !S_ISREG(about.st_mode))
            continue;
        parts->row =
            arena_grow(parts->arena, parts->row, parts->count, &parts->room, sizeof *parts->row);
        parts->row[parts->count++] =
            (struct part){arena_text(parts->arena, path, (size_t)length), side_rank_of_name(path)};
    }
    closedir(dir);
    if (parts->count)
        qsort(parts->row, parts->count, sizeof *parts->row, compare_parts);
    return STATUS_OK;
}

static enum status load_parts(struct outcome *outcome, const char *path, const char *folder,
                              const char *prefix, const struct side_options *options,
                              struct diag *diag)
{
    struct parts parts = {.arena = &outcome->arena};
    enum status status = list_parts(&parts, folder, prefix, diag);
    uint32_t known = 0;
    for (uint32_t i = 0; i < parts.count && status == STATUS_OK; i++) {
        bool is_known = true;
        status = load_file(outcome, parts.row[i].path, options, &is_known, diag);
        known += is_known;
        if (!is_known)
            notices_add(&outcome->notices, NOTICE_IGNORED, "file that is no result", 1, "%s",
                        parts.row[i].path);
    }
    if (status != STATUS_OK || known)
        return status;
    diag_fail(diag, *prefix ? STATUS_IO : STATUS_BAD_INPUT,
              *prefix ? "there is no such file, nor PREFIX.<rank>.* of it"
                      : "there is no result in this folder");
    diag_in(diag, path);
    return diag->status;
}

/* Room for the folder of a path. */
static const char *folder_of(struct outcome *outcome, const char *path)
{
    const char *name = base_name(path);
    if (name == path)
        return ".";
    return arena_text(&outcome->arena, path, name - path > 1 ? (size_t)(name - path - 1) : 1);
}

enum status side_read(struct outcome *outcome, const char *path, const struct side_options *options,
                      struct diag *diag)
{
    struct stat about;
    enum status status;
    outcome->path = path;
    if (stat(path, &about) != 0)
        status =
            load_parts(outcome, path, folder_of(outcome, path), base_name(path), options, diag);
    else if (S_ISDIR(about.st_mode))
        status = load_parts(outcome, path, path, "", options, diag);
    else
        status = load_file(outcome, path, options, NULL, diag);
    return status == STATUS_OK ? outcome_close(outcome, diag) : status;
}

enum status side_parse(struct outcome *outcome, const char *name, const void *bytes, size_t length,
                       const struct side_options *options, struct diag *diag)
{
    const struct file file = {.bytes = bytes, .length = length};
    struct reading reading = {outcome, &file, name, -1, options, diag};
    const struct reader *reader = find_reader(&file);
    outcome->path = name;
    if (!reader)
        return fail_unknown(name, length == 0, diag);
    enum status status = read_file(&reading, reader);
    return status == STATUS_OK ? outcome_close(outcome, diag) : status;
}
