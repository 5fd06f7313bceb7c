/*
 * gzip - bytes in memory as a gzip file (RFC 1952, zlib), for whoever sends them on.
 */
#ifndef ORRERY_BASE_GZIP_H
#define ORRERY_BASE_GZIP_H

#include <stddef.h>

/*
 * The bytes, compressed quickly (level 1): by malloc(), *length of them. The same bytes give the
 * same result; there is no time of day in it. NULL if it would be no shorter, or `size` is 0.
 */
unsigned char *gzip_bytes(const void *bytes, size_t size, size_t *length);

#endif
