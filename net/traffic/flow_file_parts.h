/*
 * flow_file_parts - what the readers of the three forms share. Only flow_file*.c includes it.
 */
#ifndef ORRERY_NET_TRAFFIC_FLOW_FILE_PARTS_H
#define ORRERY_NET_TRAFFIC_FLOW_FILE_PARTS_H

#include "base/table.h"
#include "net/traffic/flow_file.h"

/* One line, without its end. */
struct flow_line {
    const char *text;
    size_t length;
    uint32_t number;
};

/* A flow as it is read; ids of dependencies follow in reader->wanted. */
struct flow_reader {
    struct traffic *traffic;
    const char *name; /* of the file */
    struct diag *diag;
    const char *rest, *end; /* lines to come */
    uint32_t line_number;
    struct table by_id;
    bool has_ids;
    struct grow wanted; /* struct wanted_dep */
};

/* Dependencies may name flows of later lines: they are looked up at the end. */
struct wanted_dep {
    uint64_t id;
    uint32_t flow, line;
};

/* The next line that is neither empty nor a comment; false at the end. */
bool flow_reader_line(struct flow_reader *reader, struct flow_line *line);

/* STATUS_BAD_INPUT at the line being read. `field` may be NULL. */
enum status flow_reader_fail(struct flow_reader *reader, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes the message of a parser of units as one of this line. */
enum status flow_reader_blame(struct flow_reader *reader, const char *field);

/* Adds a flow; `id` NULL: numbered by order. Fails on an id that was there before. */
enum status flow_reader_add(struct flow_reader *reader, const struct traffic_flow *flow,
                            const uint64_t *id);

/* The flow added last depends on the flow called `id`. */
void flow_reader_want(struct flow_reader *reader, uint64_t id);

/* A rank that is written as a plain number. */
enum status flow_reader_rank(struct flow_reader *reader, const char *field, const char *text,
                             size_t length, uint32_t *rank);
enum status flow_reader_bytes(struct flow_reader *reader, const char *text, size_t length,
                              uint64_t *bytes);
enum status flow_reader_start(struct flow_reader *reader, const char *text, size_t length,
                              time_ps *start);

enum status flow_file_csv(struct flow_reader *reader);
enum status flow_file_json(struct flow_reader *reader);
enum status flow_file_matrix(struct flow_reader *reader);

#endif
