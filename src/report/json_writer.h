/*
 * json_writer - JSON as a stream: commas, indentation and escapes are right by construction.
 *
 * Rules:
 *  1. Inside a map every value has a key, inside a list none (key NULL): a promise.
 *  2. A container opened as JSON_INLINE stays on one line, with everything in it.
 *  3. Text is escaped; bytes that are not UTF-8 become U+FFFD, so the output is always valid.
 *  4. Figures are integers. A double is written as a whole number if it is one, else with 17
 *     digits; not-a-number and infinity become null.
 *  5. Nesting is at most JSON_DEPTH deep: a promise.
 */
#ifndef ORRERY_REPORT_JSON_WRITER_H
#define ORRERY_REPORT_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/notice.h"

enum { JSON_DEPTH = 16 };
enum json_layout { JSON_LINES, JSON_INLINE };

struct json_writer {
    FILE *out;
    uint32_t depth;
    bool is_map[JSON_DEPTH];
    bool is_inline[JSON_DEPTH];
    bool has_items[JSON_DEPTH];
};

void json_init(struct json_writer *json, FILE *out);

void json_map_begin(struct json_writer *json, const char *key, enum json_layout layout);
void json_map_end(struct json_writer *json);
void json_list_begin(struct json_writer *json, const char *key, enum json_layout layout);
void json_list_end(struct json_writer *json);

void json_u64(struct json_writer *json, const char *key, uint64_t value);
void json_i64(struct json_writer *json, const char *key, int64_t value);
void json_double(struct json_writer *json, const char *key, double value);

/* The shortest of 15 to 17 digits that reads back the same: as exact, and smaller. */
void json_number(struct json_writer *json, const char *key, double value);

/* A time in microseconds, exact: 1234 ns is 1.234. */
void json_us_of_ns(struct json_writer *json, const char *key, uint64_t time_ns);

/* A sum of whole things that is kept in a double: rounded, digits only, however large. */
void json_whole(struct json_writer *json, const char *key, double value);
void json_bool(struct json_writer *json, const char *key, bool value);

/* `text` may be NULL: null. */
void json_text(struct json_writer *json, const char *key, const char *text);

/* The list "notices". */
void json_notices(struct json_writer *json, const struct notices *notices);

#endif
