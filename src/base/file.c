#define _XOPEN_SOURCE 700
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/spill.h"

/* Smaller files are read, not mapped: another process cutting them then does no harm. */
enum { LEAST_MAPPED = 1 << 20, FIRST_BUFFER = 1 << 16 };

/* What is inflated or comes from a pipe, and is larger, goes to a temporary file (spill.h). */
#define MOST_IN_MEMORY ((size_t)64 << 20)

static enum status fail(const char *path, enum status status, const char *what, struct diag *diag)
{
    diag_fail(diag, status, "%s", what);
    diag_in(diag, path);
    return status;
}

static enum status fail_errno(const char *path, const char *doing, int error, struct diag *diag)
{
    diag_fail(diag, STATUS_IO, "%s: %s", doing, strerror(error));
    diag_in(diag, path);
    return STATUS_IO;
}

static enum status too_large(const char *path, size_t limit, struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_INPUT, "larger than the %zu bytes accepted here", limit);
    diag_in(diag, path);
    return STATUS_BAD_INPUT;
}

/* Room for more bytes, at least `first` when there are none; up to one byte more than `limit`, so
 * that reaching the limit is seen. */
static enum status buffer_room(struct spill *buffer, size_t first, size_t limit, const char *path,
                               struct diag *diag)
{
    if (buffer->count < buffer->capacity)
        return STATUS_OK;
    if (buffer->count > limit)
        return too_large(path, limit, diag);
    size_t more = buffer->count ? buffer->count : first;
    if (more > limit - buffer->count && limit < SIZE_MAX)
        more = limit - buffer->count + 1;
    bool pages = buffer->count + more > MOST_IN_MEMORY;
    if ((!pages || spill_page(buffer)) && spill_reserve(buffer, more))
        return STATUS_OK;
    if (!pages)
        return fail(path, STATUS_NO_MEMORY, "not enough memory to hold the file", diag);
    fail(path, STATUS_NO_MEMORY, "what it holds needs a temporary file, and there is no room",
         diag);
    diag_hint(diag, "set TMPDIR to a folder that can be written, on a disk with more space");
    return STATUS_NO_MEMORY;
}

/* Makes the bytes read those of `file`. */
static void take_buffer(struct file *file, struct spill *buffer)
{
    spill_fit(buffer);
    file->bytes = buffer->data;
    file->length = buffer->count;
    if (buffer->paged) {
        file->map = buffer->data;
        file->map_length = buffer->capacity;
    } else {
        file->heap = buffer->data;
    }
}

static enum status read_all(int fd, const char *path, size_t limit, size_t first,
                            struct spill *buffer, struct diag *diag)
{
    for (;;) {
        enum status status = buffer_room(buffer, first, limit, path, diag);
        if (status != STATUS_OK)
            return status;
        ssize_t got =
            read(fd, (char *)buffer->data + buffer->count, buffer->capacity - buffer->count);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(path, "cannot read", errno, diag);
        if (got == 0)
            break;
        buffer->count += (size_t)got;
    }
    return buffer->count > limit ? too_large(path, limit, diag) : STATUS_OK;
}

static enum status load_plain(struct file *file, int fd, const struct stat *info, const char *path,
                              size_t limit, struct diag *diag)
{
    bool is_regular = S_ISREG(info->st_mode) && info->st_size > 0;
    size_t length = is_regular ? (size_t)info->st_size : 0;
    if (length >= LEAST_MAPPED) {
        if (length > limit)
            return too_large(path, limit, diag);
        void *map = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map != MAP_FAILED) {
            file->map = map;
            file->map_length = length;
            file->bytes = map;
            file->length = length;
            return STATUS_OK;
        }
    }
    struct spill buffer;
    spill_init(&buffer, 1, false);
    size_t first = length && length < LEAST_MAPPED ? length + 1 : FIRST_BUFFER;
    enum status status = read_all(fd, path, limit, first, &buffer, diag);
    take_buffer(file, &buffer);
    return status;
}

static enum status bad_gzip(const char *path, size_t at, const char *why, struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_INPUT, "damaged gzip data: %s", why);
    diag_in(diag, path);
    diag_at(diag, DIAG_BYTE, at);
    return STATUS_BAD_INPUT;
}

static bool all_zero(const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (bytes[i])
            return false;
    }
    return true;
}

/* Gives zlib the next piece of input, whose counters are 32 bits wide. */
static void feed(z_stream *z, const struct file *packed, size_t *given)
{
    if (z->avail_in)
        return;
    size_t left = packed->length - *given;
    z->next_in = (unsigned char *)packed->bytes + *given;
    z->avail_in = left > UINT_MAX ? UINT_MAX : (uInt)left;
    *given += z->avail_in;
}

static enum status inflate_members(z_stream *z, const struct file *packed, const char *path,
                                   size_t limit, struct spill *buffer, struct diag *diag)
{
    size_t given = 0;
    for (;;) {
        enum status status = buffer_room(buffer, FIRST_BUFFER, limit, path, diag);
        if (status != STATUS_OK)
            return status;
        feed(z, packed, &given);
        size_t room = buffer->capacity - buffer->count;
        z->next_out = (unsigned char *)buffer->data + buffer->count;
        z->avail_out = room > UINT_MAX ? UINT_MAX : (uInt)room;
        uInt before = z->avail_out;
        int code = inflate(z, Z_NO_FLUSH);
        buffer->count += before - z->avail_out;
        size_t at = given - z->avail_in;
        if (code == Z_STREAM_END) {
            if (all_zero(packed->bytes + at, packed->length - at))
                return buffer->count > limit ? too_large(path, limit, diag) : STATUS_OK;
            if (inflateReset(z) != Z_OK)
                return bad_gzip(path, at, "cannot restart", diag);
        } else if (code == Z_BUF_ERROR || (code == Z_OK && at == packed->length && z->avail_out)) {
            return bad_gzip(path, at, "it ends early", diag);
        } else if (code != Z_OK) {
            return bad_gzip(path, at, z->msg ? z->msg : "cannot inflate", diag);
        }
    }
}

/* Replaces the packed bytes of `file` by the inflated ones. */
static enum status inflate_file(struct file *file, const char *path, size_t limit,
                                struct diag *diag)
{
    z_stream z = {0};
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        return fail(path, STATUS_NO_MEMORY, "not enough memory to inflate the file", diag);
    struct spill buffer;
    spill_init(&buffer, 1, false);
    enum status status = inflate_members(&z, file, path, limit, &buffer, diag);
    inflateEnd(&z);
    file_release(file);
    take_buffer(file, &buffer);
    file->was_gzip = true;
    return status;
}

static enum status open_input(const char *path, int *fd, struct stat *info, struct diag *diag)
{
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (*fd < 0)
        return fail_errno(path, "cannot open", errno, diag);
    if (fstat(*fd, info) != 0)
        return fail_errno(path, "cannot read", errno, diag);
    if (S_ISDIR(info->st_mode))
        return fail(path, STATUS_IO, "cannot read: it is a folder", diag);
    if (!S_ISREG(info->st_mode) && !S_ISFIFO(info->st_mode))
        return fail(path, STATUS_IO, "cannot read: neither a file nor a pipe", diag);
    return STATUS_OK;
}

/* What a process reads is one thing, however many runs are in it: so is who is told. */
static const struct file_observer *observer;

void file_observe(const struct file_observer *given)
{
    observer = given;
}

enum status file_load(struct file *file, const char *path, size_t limit, struct diag *diag)
{
    *file = (struct file){0};
    int fd = -1;
    struct stat info;
    enum status status = open_input(path, &fd, &info, diag);
    /* Packed, content that does not compress is a little longer. */
    size_t most = limit < SIZE_MAX / 2 ? limit + limit / 8 + 4096 : limit;
    if (status == STATUS_OK)
        status = load_plain(file, fd, &info, path, most, diag);
    if (fd >= 0)
        close(fd);
    if (status == STATUS_OK && file->length >= 2 && file->bytes[0] == 0x1f &&
        file->bytes[1] == 0x8b)
        status = inflate_file(file, path, limit, diag);
    else if (status == STATUS_OK && file->length > limit)
        status = too_large(path, limit, diag);
    if (status != STATUS_OK)
        file_release(file);
    if (observer)
        observer->loaded(observer->context, path, status == STATUS_OK ? file : NULL);
    return status;
}

void file_release(struct file *file)
{
    if (file->map)
        munmap(file->map, file->map_length);
    free(file->heap);
    *file = (struct file){0};
}

bool file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && (S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode));
}

/* -- output -------------------------------------------------------------------------------- */

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    need_memory(copy != NULL);
    strcpy(copy, text);
    return copy;
}

/* Opens a new file beside `path`. */
static int open_aside(const char *path, char **aside)
{
    size_t size = strlen(path) + 48;
    char *name = malloc(size);
    need_memory(name != NULL);
    int fd = -1;
    for (unsigned i = 0; i < 100 && fd < 0; i++) {
        snprintf(name, size, "%s.%ld.%u.tmp", path, (long)getpid(), i);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0)
        free(name);
    else
        *aside = name;
    return fd;
}

enum status out_file_open(struct out_file *out, const char *path, struct diag *diag)
{
    *out = (struct out_file){0};
    if (strcmp(path, "-") == 0) {
        out->stream = stdout;
        return STATUS_OK;
    }
    struct stat info;
    bool exists = stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode))
        return fail(path, STATUS_IO, "cannot write: it is a folder", diag);
    if (exists && access(path, W_OK) != 0)
        return fail_errno(path, "cannot write", errno, diag);
    int fd;
    if (exists && !S_ISREG(info.st_mode)) { /* a device or pipe is written, never replaced */
        out->path = copy_text(path);
        fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    } else { /* a link keeps pointing at what is written */
        out->path = exists ? realpath(path, NULL) : copy_text(path);
        fd = out->path ? open_aside(out->path, &out->aside) : -1;
    }
    if (fd >= 0)
        out->stream = fdopen(fd, "w");
    if (out->stream)
        return STATUS_OK;
    int error = errno;
    if (fd >= 0)
        close(fd);
    out_file_abandon(out);
    return fail_errno(path, "cannot write", error, diag);
}

enum status out_file_commit(struct out_file *out, struct diag *diag)
{
    const char *name = out->path ? out->path : "standard output";
    errno = 0;
    bool bad = fflush(out->stream) != 0 || ferror(out->stream);
    int error = errno ? errno : EIO;
    if (out->path) {
        if (fclose(out->stream) != 0 && !bad) {
            bad = true;
            error = errno;
        }
        out->stream = NULL;
        if (!bad && out->aside && rename(out->aside, out->path) != 0) {
            bad = true;
            error = errno;
        }
    }
    enum status status = bad ? fail_errno(name, "cannot write", error, diag) : STATUS_OK;
    if (!bad) {
        free(out->aside);
        out->aside = NULL;
    }
    out_file_abandon(out);
    return status;
}

void out_file_abandon(struct out_file *out)
{
    if (out->stream && out->path)
        fclose(out->stream);
    if (out->aside)
        unlink(out->aside);
    free(out->aside);
    free(out->path);
    *out = (struct out_file){0};
}
