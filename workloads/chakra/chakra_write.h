/*
 * chakra_write - writes traces in the current layout, with each attribute encoded as asked.
 *
 * Rules:
 *  1. Call order: open, metadata once (or never, for a file without metadata), nodes, close. The
 *     file appears under its name only when close succeeds (base/file.h).
 *  2. Everything passed in is borrowed for the call only.
 */
#ifndef ORRERY_WORKLOADS_CHAKRA_CHAKRA_WRITE_H
#define ORRERY_WORKLOADS_CHAKRA_CHAKRA_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/file.h"

enum { CHAKRA_WRITE_MAX_ATTRS = 32 };

/* Which member of the value union an attribute is written to, and from which field below. */
enum chakra_encoding {
    ENCODE_NOTHING, /* a name without a value */
    ENCODE_INT64,   /* number, as are all integers */
    ENCODE_UINT64,
    ENCODE_INT32,
    ENCODE_UINT32,
    ENCODE_SINT32,
    ENCODE_SINT64,
    ENCODE_FIXED32,
    ENCODE_FIXED64,
    ENCODE_SFIXED32,
    ENCODE_SFIXED64,
    ENCODE_BOOL,
    ENCODE_DOUBLE,    /* number, converted */
    ENCODE_FLOAT,     /* number, converted */
    ENCODE_STRING,    /* text */
    ENCODE_BOOL_LIST, /* flags[number] */
};

struct chakra_write_attr {
    const char *name;
    enum chakra_encoding encoding;
    int64_t number;
    const char *text;
    const bool *flags;
};

struct chakra_write_node {
    uint64_t id;
    const char *name;               /* or NULL */
    uint32_t type;                  /* Chakra's number: enum op_type up to OP_COLLECTIVE */
    const uint64_t *data, *control; /* parents */
    uint32_t data_count, control_count;
    uint64_t duration_us, start_us;
    const char *input_values, *input_shapes, *input_types; /* all NULL: no inputs */
    const struct chakra_write_attr *attr;
    uint32_t attr_count; /* at most CHAKRA_WRITE_MAX_ATTRS */
};

struct chakra_writer {
    FILE *stream;
    struct out_file out;
    bool owns_file;
    unsigned char *buffer; /* one packed record */
    size_t buffer_capacity;
};

enum status chakra_writer_open(struct chakra_writer *writer, const char *path, struct diag *diag);

/* Writes to `stream`, which stays the caller's. */
void chakra_writer_attach(struct chakra_writer *writer, FILE *stream);

void chakra_writer_metadata(struct chakra_writer *writer, const char *version,
                            const struct chakra_write_attr *attr, uint32_t attr_count);
void chakra_writer_node(struct chakra_writer *writer, const struct chakra_write_node *node);

/* Reports the first failed write, if any. */
enum status chakra_writer_close(struct chakra_writer *writer, struct diag *diag);

#endif
