#include "report/timeline_native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "base/visible.h"
#include "report/timeline_draw.h"
#include "src/report/timeline_native.pb-c.h"

enum { SEQUENCE = 1, NAMES_START_AFRESH = 1, NAMES_ARE_USED = 2, MOST_NEW = TIMELINE_MOST_ARGS };

/* Kinds of interned text. */
enum { CATEGORIES, EVENTS, KEYS, TEXTS, INTERNED_KINDS };

struct native {
    FILE *out;
    struct names names[INTERNED_KINDS];
    uint8_t *buffer;
    size_t room;
    char *text; /* what is being interned, made UTF-8 */
    size_t text_room;
    /* Of the packet being made: text that is told for the first time. */
    TimelineNative__InternedData interned;
    TimelineNative__Interned fresh[3][MOST_NEW], *fresh_list[3][MOST_NEW];
    TimelineNative__InternedBytes fresh_text[MOST_NEW], *fresh_text_list[MOST_NEW];
};

/* -- packets ----------------------------------------------------------------------------------- */

static void put_varint(FILE *out, size_t value)
{
    for (; value >= 0x80; value >>= 7)
        putc((int)(value & 0x7f) | 0x80, out);
    putc((int)value, out);
}

/* Field 1 of Trace: a file is its packets one after the other. */
static void put_packet(struct native *native, TimelineNative__TracePacket *packet)
{
    packet->has_trusted_packet_sequence_id = true;
    packet->trusted_packet_sequence_id = SEQUENCE;
    size_t length = timeline_native__trace_packet__get_packed_size(packet);
    if (length > native->room) {
        native->room = 2 * length;
        native->buffer = realloc(native->buffer, native->room);
        need_memory(native->buffer != NULL);
    }
    timeline_native__trace_packet__pack(packet, native->buffer);
    putc(1 << 3 | 2, native->out);
    put_varint(native->out, length);
    fwrite(native->buffer, 1, length, native->out);
}

/* -- tracks ------------------------------------------------------------------------------------ */

/* Numbers of tracks: 2^21 for each process, the first of them its own. 0 is the root. */
static uint64_t process_uuid(uint32_t pid)
{
    return ((uint64_t)pid + 1) << 21;
}

static uint64_t thread_uuid(uint32_t pid, uint32_t tid)
{
    return process_uuid(pid) + tid;
}

static uint64_t counter_uuid(const struct timeline_counter *counter)
{
    return process_uuid(counter->pid) + (1 << 20) + counter->number;
}

static void put_track_descriptor(struct native *native, TimelineNative__TrackDescriptor *track)
{
    TimelineNative__TracePacket packet = TIMELINE_NATIVE__TRACE_PACKET__INIT;
    packet.track_descriptor = track;
    put_packet(native, &packet);
}

/* Processes and threads are shown in the order that they ask for. */
static void put_root(struct native *native)
{
    TimelineNative__TrackDescriptor track = TIMELINE_NATIVE__TRACK_DESCRIPTOR__INIT;
    track.has_uuid = true;
    track.has_process_ordering = track.has_thread_ordering = true;
    track.process_ordering = track.thread_ordering = 1;
    put_track_descriptor(native, &track);
}

static void put_process(void *self, uint32_t pid, uint32_t place, const char *name)
{
    TimelineNative__TrackDescriptor track = TIMELINE_NATIVE__TRACK_DESCRIPTOR__INIT;
    TimelineNative__ProcessDescriptor process = TIMELINE_NATIVE__PROCESS_DESCRIPTOR__INIT;
    process.has_pid = true;
    process.pid = (int32_t)pid;
    process.process_name = (char *)name;
    track.has_uuid = track.has_sibling_order_rank = true;
    track.uuid = process_uuid(pid);
    track.sibling_order_rank = (int32_t)place;
    track.process = &process;
    put_track_descriptor(self, &track);
}

static void put_track(void *self, uint32_t pid, uint32_t tid, uint32_t place, const char *name)
{
    TimelineNative__TrackDescriptor track = TIMELINE_NATIVE__TRACK_DESCRIPTOR__INIT;
    TimelineNative__ThreadDescriptor thread = TIMELINE_NATIVE__THREAD_DESCRIPTOR__INIT;
    thread.has_pid = thread.has_tid = true;
    thread.pid = (int32_t)pid;
    thread.tid = tid;
    thread.thread_name = (char *)name;
    track.has_uuid = track.has_parent_uuid = track.has_sibling_order_rank = true;
    track.uuid = thread_uuid(pid, tid);
    track.parent_uuid = process_uuid(pid);
    track.sibling_order_rank = (int32_t)place;
    track.thread = &thread;
    put_track_descriptor(self, &track);
}

static void put_counter(void *self, const struct timeline_counter *counter)
{
    TimelineNative__TrackDescriptor track = TIMELINE_NATIVE__TRACK_DESCRIPTOR__INIT;
    TimelineNative__CounterDescriptor descriptor = TIMELINE_NATIVE__COUNTER_DESCRIPTOR__INIT;
    if (strcmp(counter->unit, "bytes") == 0) {
        descriptor.has_unit = true;
        descriptor.unit = TIMELINE_NATIVE__COUNTER_DESCRIPTOR__UNIT__UNIT_SIZE_BYTES;
    } else {
        descriptor.unit_name = (char *)counter->unit;
        descriptor.y_axis_share_key = (char *)counter->unit;
    }
    track.has_uuid = track.has_parent_uuid = true;
    track.uuid = counter_uuid(counter);
    track.parent_uuid = process_uuid(counter->pid);
    track.name = (char *)counter->name;
    track.counter = &descriptor;
    put_track_descriptor(self, &track);
}

/* -- text -------------------------------------------------------------------------------------- */

/* The text with U+FFFD for what is not UTF-8, which the format wants; valid until the next call. */
static const char *as_utf8(struct native *native, const char *text)
{
    size_t length = strlen(text), count = 0;
    if (3 * length + 1 > native->text_room) {
        native->text_room = 6 * length + 64;
        native->text = realloc(native->text, native->text_room);
        need_memory(native->text != NULL);
    }
    while (*text) {
        size_t bytes = utf8_length(text);
        memcpy(native->text + count, bytes ? text : "\xef\xbf\xbd", bytes ? bytes : 3);
        count += bytes ? bytes : 3;
        text += bytes ? bytes : 1;
    }
    native->text[count] = '\0';
    return native->text;
}

static void tell_name(struct native *native, int kind, uint32_t number, char *text)
{
    TimelineNative__InternedData *interned = &native->interned;
    size_t *counts[] = {&interned->n_event_categories, &interned->n_event_names,
                        &interned->n_debug_annotation_names};
    TimelineNative__Interned *one = &native->fresh[kind][*counts[kind]];
    timeline_native__interned__init(one);
    one->has_iid = true;
    one->iid = number + 1;
    one->name = text;
    native->fresh_list[kind][(*counts[kind])++] = one;
}

static void tell_text(struct native *native, uint32_t number, char *text)
{
    size_t place = native->interned.n_debug_annotation_string_values++;
    TimelineNative__InternedBytes *one = &native->fresh_text[place];
    timeline_native__interned_bytes__init(one);
    one->has_iid = one->has_str = true;
    one->iid = number + 1;
    one->str = (ProtobufCBinaryData){strlen(text), (uint8_t *)text};
    native->fresh_text_list[place] = one;
}

/* The number of the text, which the packet being made tells if none before it did. */
static uint64_t intern(struct native *native, int kind, const char *text)
{
    struct names *names = &native->names[kind];
    uint32_t before = names->count;
    text = as_utf8(native, text);
    uint32_t number = names_add(names, text, strlen(text));
    if (names->count > before && kind == TEXTS)
        tell_text(native, number, names->text[number]);
    else if (names->count > before)
        tell_name(native, kind, number, names->text[number]);
    return number + 1;
}

static void begin_interning(struct native *native)
{
    timeline_native__interned_data__init(&native->interned);
    native->interned.event_categories = native->fresh_list[CATEGORIES];
    native->interned.event_names = native->fresh_list[EVENTS];
    native->interned.debug_annotation_names = native->fresh_list[KEYS];
    native->interned.debug_annotation_string_values = native->fresh_text_list;
}

/* -- events ------------------------------------------------------------------------------------ */

static void put_event(struct native *native, uint64_t at_ns, TimelineNative__TrackEvent *event)
{
    const TimelineNative__InternedData *interned = &native->interned;
    TimelineNative__TracePacket packet = TIMELINE_NATIVE__TRACE_PACKET__INIT;
    packet.has_timestamp = packet.has_sequence_flags = true;
    packet.timestamp = at_ns;
    packet.sequence_flags = NAMES_ARE_USED;
    packet.track_event = event;
    if (interned->n_event_categories || interned->n_event_names ||
        interned->n_debug_annotation_names || interned->n_debug_annotation_string_values)
        packet.interned_data = &native->interned;
    put_packet(native, &packet);
    begin_interning(native);
}

static void fill_annotation(struct native *native, TimelineNative__DebugAnnotation *to,
                            const struct timeline_arg *arg)
{
    timeline_native__debug_annotation__init(to);
    to->has_name_iid = true;
    to->name_iid = intern(native, KEYS, arg->key);
    if (arg->kind == TIMELINE_TEXT) {
        to->has_string_value_iid = true;
        to->string_value_iid = intern(native, TEXTS, arg->text);
    } else if (arg->kind == TIMELINE_NUMBER) {
        to->has_uint_value = true;
        to->uint_value = arg->number;
    } else {
        to->has_bool_value = true;
        to->bool_value = arg->number != 0;
    }
}

static void put_begin(void *self, const struct timeline_slice *slice)
{
    struct native *native = self;
    TimelineNative__TrackEvent event = TIMELINE_NATIVE__TRACK_EVENT__INIT;
    TimelineNative__DebugAnnotation annotation[TIMELINE_MOST_ARGS], *list[TIMELINE_MOST_ARGS];
    uint64_t category = intern(native, CATEGORIES, slice->category), in = slice->in;
    for (uint32_t i = 0; i < slice->arg_count; i++) {
        fill_annotation(native, &annotation[i], &slice->arg[i]);
        list[i] = &annotation[i];
    }
    event.has_type = event.has_track_uuid = event.has_name_iid = true;
    event.type = TIMELINE_NATIVE__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN;
    event.track_uuid = thread_uuid(slice->pid, slice->tid);
    event.name_iid = intern(native, EVENTS, slice->name);
    event.n_category_iids = 1;
    event.category_iids = &category;
    event.n_debug_annotations = slice->arg_count;
    event.debug_annotations = list;
    event.n_flow_ids = slice->out_count;
    event.flow_ids = (uint64_t *)slice->out;
    event.n_terminating_flow_ids = in != 0;
    event.terminating_flow_ids = &in;
    put_event(native, slice->begin_ns, &event);
}

static void put_end(void *self, uint32_t pid, uint32_t tid, uint64_t at_ns)
{
    TimelineNative__TrackEvent event = TIMELINE_NATIVE__TRACK_EVENT__INIT;
    event.has_type = event.has_track_uuid = true;
    event.type = TIMELINE_NATIVE__TRACK_EVENT__TYPE__TYPE_SLICE_END;
    event.track_uuid = thread_uuid(pid, tid);
    put_event(self, at_ns, &event);
}

static void put_value(void *self, const struct timeline_counter *counter, uint64_t at_ns,
                      double value)
{
    TimelineNative__TrackEvent event = TIMELINE_NATIVE__TRACK_EVENT__INIT;
    event.has_type = event.has_track_uuid = true;
    event.type = TIMELINE_NATIVE__TRACK_EVENT__TYPE__TYPE_COUNTER;
    event.track_uuid = counter_uuid(counter);
    event.has_counter_value = value == floor(value) && fabs(value) < 0x1p63;
    event.has_double_counter_value = !event.has_counter_value;
    event.counter_value = event.has_counter_value ? (int64_t)value : 0;
    event.double_counter_value = value;
    put_event(self, at_ns, &event);
}

/* -- facts ------------------------------------------------------------------------------------- */

static void put_fact(struct native *native, const struct timeline_arg *fact)
{
    TimelineNative__TracePacket packet = TIMELINE_NATIVE__TRACE_PACKET__INIT;
    TimelineNative__TraceAttributes attributes = TIMELINE_NATIVE__TRACE_ATTRIBUTES__INIT;
    TimelineNative__TraceAttributes__Attribute one =
        TIMELINE_NATIVE__TRACE_ATTRIBUTES__ATTRIBUTE__INIT;
    TimelineNative__TraceAttributes__Attribute *list[] = {&one};
    char key[64];
    snprintf(key, sizeof key, "orrery.%s", fact->key);
    one.key = key;
    one.has_long_value = fact->kind != TIMELINE_TEXT;
    one.long_value = (int64_t)fact->number;
    if (fact->kind == TIMELINE_TEXT)
        one.string_value = (char *)as_utf8(native, fact->text);
    attributes.n_attribute = 1;
    attributes.attribute = list;
    packet.trace_attributes = &attributes;
    put_packet(native, &packet);
}

static void put_facts(void *self, const struct timeline_arg *fact, uint32_t count)
{
    TimelineNative__TracePacket first = TIMELINE_NATIVE__TRACE_PACKET__INIT;
    first.has_sequence_flags = first.has_first_packet_on_sequence = true;
    first.sequence_flags = NAMES_START_AFRESH;
    first.first_packet_on_sequence = true;
    put_packet(self, &first);
    for (uint32_t i = 0; i < count; i++)
        put_fact(self, &fact[i]);
    put_root(self);
}

static void put_done(void *self)
{
    (void)self; /* a stream has no end */
}

void timeline_native(const struct timeline_view *view, const struct timeline_pick *pick, FILE *out)
{
    struct native native = {.out = out};
    for (int kind = 0; kind < INTERNED_KINDS; kind++)
        names_init(&native.names[kind]);
    begin_interning(&native);
    const struct timeline_sink sink = {.facts = put_facts,
                                       .process = put_process,
                                       .track = put_track,
                                       .counter = put_counter,
                                       .begin = put_begin,
                                       .end = put_end,
                                       .value = put_value,
                                       .done = put_done,
                                       .self = &native};
    timeline_draw(view, pick, &sink);
    for (int kind = 0; kind < INTERNED_KINDS; kind++)
        names_release(&native.names[kind]);
    free(native.buffer);
    free(native.text);
}
