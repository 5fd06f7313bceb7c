#include "base/gzip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/memory.h"

enum { GZIP_WINDOW = 15 + 16, GZIP_MEMORY = 8 }; /* + 16: a gzip header, not zlib's */

unsigned char *gzip_bytes(const void *bytes, size_t size, size_t *length)
{
    *length = 0;
    if (size == 0 || size > UINT_MAX)
        return NULL;
    z_stream stream = {.next_in = (z_const Bytef *)bytes, .avail_in = (uInt)size};
    need_memory(
        deflateInit2(&stream, 1, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY, Z_DEFAULT_STRATEGY) == Z_OK);
    unsigned char *to = malloc(size);
    need_memory(to != NULL);
    stream.next_out = to;
    stream.avail_out = (uInt)size - 1; /* shorter, or not at all */
    int code = deflate(&stream, Z_FINISH);
    *length = stream.total_out;
    deflateEnd(&stream);
    if (code == Z_STREAM_END)
        return to;
    free(to);
    *length = 0;
    return NULL;
}
