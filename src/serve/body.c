#include "serve/body.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/table.h"

struct body *body_create(const char *type, void *bytes, size_t length, void *packed,
                         size_t packed_length)
{
    struct body *body = calloc(1, sizeof *body);
    need_memory(body != NULL);
    *body = (struct body){.users = 1,
                          .type = type,
                          .bytes = bytes,
                          .length = length,
                          .packed = packed,
                          .packed_length = packed_length};
    snprintf(body->tag, sizeof body->tag, "%016" PRIx64, hash_bytes(bytes, length, length));
    return body;
}

struct body *body_text(const char *type, const char *format, ...)
{
    char *bytes = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&bytes, &length);
    need_memory(out != NULL);
    va_list args;
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    need_memory(fclose(out) == 0);
    return body_create(type, bytes, length, NULL, 0);
}

struct body *body_keep(struct body *body)
{
    body->users++;
    return body;
}

void body_drop(struct body *body)
{
    if (!body || --body->users)
        return;
    free(body->bytes);
    free(body->packed);
    free(body);
}
