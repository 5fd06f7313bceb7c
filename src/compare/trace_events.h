/*
 * trace_events - the events of a Chrome trace (JSON), one after the other, however large the file.
 *
 * A trace is a list of events, or a map with the list "traceEvents". Complete events ("ph": "X")
 * are given, and names of threads. Times are microseconds with decimals in the file; an instant is
 * kept as whole microseconds and picoseconds, since traces count from 1970 (1.7e21 ps) and to the
 * nanosecond.
 */
#ifndef ORRERY_COMPARE_TRACE_EVENTS_H
#define ORRERY_COMPARE_TRACE_EVENTS_H

#include "compare/json_items.h"
#include "compare/reader.h"

struct instant {
    int64_t us;
    int64_t ps; /* 0 to 999,999 more */
};

struct trace_event {
    const char *name, *category; /* "" if not given */
    struct instant begin;
    int64_t duration_ps;
    uint64_t process, thread;         /* UINT64_MAX if they are no numbers */
    const struct doc_node *arguments; /* a map, or NULL */
};

struct trace_events_ops {
    /* Each event; borrowed for the call. */
    enum status (*event)(void *context, const struct trace_event *event);

    /* Each "thread_name" among the metadata events. May be NULL. */
    enum status (*thread)(void *context, const struct trace_event *event, const char *name);

    /* An event whose text holds none of these is passed over unread; NULL: all are read. Most of a
     * profiler's events are of the host. */
    const char *const *words;

    /* A member of the map beside traceEvents; NULL: passed over. Its text is not parsed yet. */
    enum status (*member)(void *context, const struct json_items *top,
                          const struct json_item *item);
};

enum status trace_events_read(const struct reading *reading, const struct trace_events_ops *ops,
                              void *context);

/* `later` less `earlier` in ps; saturates at 106 days. */
int64_t instant_since(struct instant later, struct instant earlier);
bool instant_is_before(struct instant a, struct instant b);

/* Text, or a whole number from 0 on, of a map that may be NULL; "" or `otherwise` if not there. */
const char *trace_text(const struct doc_node *map, const char *key);
uint64_t trace_number(const struct doc_node *map, const char *key, uint64_t otherwise);

#endif
