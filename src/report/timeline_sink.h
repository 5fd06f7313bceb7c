/*
 * timeline_sink - the promise of a timeline's file format: it writes down what it is told.
 *
 * Rules:
 *  1. Calls come in this order: facts; processes, tracks and counters; begin, end and value in
 *     ascending time; done. Text is borrowed for the call.
 *  2. Times are whole ns, to the nearest: viewers keep no more, and would see ops that follow each
 *     other overlap. Where that is not exact, a slice has the arguments begin_ps and length_ps.
 *  3. Slices of a track are one after the other, or one within the other: what begins last ends
 *     first. Each begin has its end.
 *  4. An arrow has a number > 0; it begins in one slice (`out`) and ends in one that begins later
 *     (`in`). The first is told first.
 */
#ifndef ORRERY_REPORT_TIMELINE_SINK_H
#define ORRERY_REPORT_TIMELINE_SINK_H

#include <stdbool.h>
#include <stdint.h>

enum timeline_kind { TIMELINE_NUMBER, TIMELINE_TEXT, TIMELINE_BOOL };

struct timeline_arg {
    const char *key;
    enum timeline_kind kind;
    uint64_t number; /* or bool */
    const char *text;
};

enum { TIMELINE_MOST_ARGS = 8 };

struct timeline_slice {
    uint32_t pid, tid; /* tid > 0 */
    const char *name, *category;
    uint64_t begin_ns, end_ns;
    struct timeline_arg arg[TIMELINE_MOST_ARGS];
    uint32_t arg_count;
    const uint64_t *out; /* [out_count] arrows that begin here */
    uint32_t out_count;
    uint64_t in; /* the arrow that ends here, or 0 */
};

struct timeline_counter {
    uint32_t pid, number; /* of its process, from 0 */
    const char *unit;     /* "bytes", "percent", .. */
    char name[96];
};

struct timeline_sink {
    void (*facts)(void *self, const struct timeline_arg *fact, uint32_t count);
    /* `place`: processes, and tracks of one, are shown in ascending order of it. */
    void (*process)(void *self, uint32_t pid, uint32_t place, const char *name);
    void (*track)(void *self, uint32_t pid, uint32_t tid, uint32_t place, const char *name);
    void (*counter)(void *self, const struct timeline_counter *counter);
    void (*begin)(void *self, const struct timeline_slice *slice);
    void (*end)(void *self, uint32_t pid, uint32_t tid, uint64_t at_ns);
    void (*value)(void *self, const struct timeline_counter *counter, uint64_t at_ns, double value);
    void (*done)(void *self);
    void *self;
};

#endif
