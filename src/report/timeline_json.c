#include "report/timeline_json.h"

#include "report/json_writer.h"
#include "report/timeline_draw.h"

static void begin_event(struct json_writer *json, const char *phase, const char *name, uint32_t pid)
{
    json_map_begin(json, NULL, JSON_INLINE);
    json_text(json, "ph", phase);
    json_text(json, "name", name);
    json_u64(json, "pid", pid);
}

static void put_arg(struct json_writer *json, const struct timeline_arg *arg)
{
    if (arg->kind == TIMELINE_NUMBER)
        json_u64(json, arg->key, arg->number);
    else if (arg->kind == TIMELINE_TEXT)
        json_text(json, arg->key, arg->text);
    else
        json_bool(json, arg->key, arg->number != 0);
}

static void put_args(struct json_writer *json, const struct timeline_arg *arg, uint32_t count)
{
    json_map_begin(json, "args", JSON_INLINE);
    for (uint32_t i = 0; i < count; i++)
        put_arg(json, &arg[i]);
    json_map_end(json);
}

static void put_facts(void *self, const struct timeline_arg *fact, uint32_t count)
{
    struct json_writer *json = self;
    json_map_begin(json, NULL, JSON_LINES);
    json_text(json, "displayTimeUnit", "ns");
    json_map_begin(json, "otherData", JSON_LINES);
    for (uint32_t i = 0; i < count; i++)
        put_arg(json, &fact[i]);
    json_map_end(json);
    json_list_begin(json, "traceEvents", JSON_LINES);
}

/* Of a process, or of a thread if `tid` is not 0. */
static void put_metadata(struct json_writer *json, const char *what, uint32_t pid, uint32_t tid,
                         struct timeline_arg arg)
{
    begin_event(json, "M", what, pid);
    if (tid)
        json_u64(json, "tid", tid);
    put_args(json, &arg, 1);
    json_map_end(json);
}

static void put_process(void *self, uint32_t pid, uint32_t place, const char *name)
{
    put_metadata(self, "process_name", pid, 0,
                 (struct timeline_arg){"name", TIMELINE_TEXT, 0, name});
    put_metadata(self, "process_sort_index", pid, 0,
                 (struct timeline_arg){"sort_index", TIMELINE_NUMBER, place, NULL});
}

static void put_track(void *self, uint32_t pid, uint32_t tid, uint32_t place, const char *name)
{
    put_metadata(self, "thread_name", pid, tid,
                 (struct timeline_arg){"name", TIMELINE_TEXT, 0, name});
    put_metadata(self, "thread_sort_index", pid, tid,
                 (struct timeline_arg){"sort_index", TIMELINE_NUMBER, place, NULL});
}

static void put_counter(void *self, const struct timeline_counter *counter)
{
    (void)self, (void)counter; /* each value says it */
}

static void put_arrow(struct json_writer *json, const char *phase,
                      const struct timeline_slice *slice, uint64_t number)
{
    begin_event(json, phase, "message", slice->pid);
    json_u64(json, "tid", slice->tid);
    json_text(json, "cat", "message");
    json_u64(json, "id", number);
    json_us_of_ns(json, "ts", slice->begin_ns);
    if (*phase == 'f')
        json_text(json, "bp", "e");
    json_map_end(json);
}

static void put_begin(void *self, const struct timeline_slice *slice)
{
    struct json_writer *json = self;
    begin_event(json, "X", slice->name, slice->pid);
    json_u64(json, "tid", slice->tid);
    json_text(json, "cat", slice->category);
    json_us_of_ns(json, "ts", slice->begin_ns);
    json_us_of_ns(json, "dur", slice->end_ns - slice->begin_ns);
    if (slice->arg_count)
        put_args(json, slice->arg, slice->arg_count);
    json_map_end(json);
    for (uint32_t i = 0; i < slice->out_count; i++)
        put_arrow(json, "s", slice, slice->out[i]);
    if (slice->in)
        put_arrow(json, "f", slice, slice->in);
}

static void put_end(void *self, uint32_t pid, uint32_t tid, uint64_t at_ns)
{
    (void)self, (void)pid, (void)tid, (void)at_ns; /* the slice said how long it is */
}

static void put_value(void *self, const struct timeline_counter *counter, uint64_t at_ns,
                      double value)
{
    struct json_writer *json = self;
    begin_event(json, "C", counter->name, counter->pid);
    json_us_of_ns(json, "ts", at_ns);
    json_map_begin(json, "args", JSON_INLINE);
    json_double(json, counter->unit, value);
    json_map_end(json);
    json_map_end(json);
}

static void put_done(void *self)
{
    struct json_writer *json = self;
    json_list_end(json);
    json_map_end(json);
}

void timeline_json(const struct timeline_view *view, const struct timeline_pick *pick, FILE *out)
{
    struct json_writer json;
    json_init(&json, out);
    const struct timeline_sink sink = {.facts = put_facts,
                                       .process = put_process,
                                       .track = put_track,
                                       .counter = put_counter,
                                       .begin = put_begin,
                                       .end = put_end,
                                       .value = put_value,
                                       .done = put_done,
                                       .self = &json};
    timeline_draw(view, pick, &sink);
}
