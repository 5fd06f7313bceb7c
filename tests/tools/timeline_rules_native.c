#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "base/visible.h"
#include "src/report/timeline_native.pb-c.h"
#include "tests/tools/timeline_rules.h"

enum { MOST_DEPTH = 8, KINDS = 4 };

struct track {
    uint64_t uuid;
    uint32_t depth; /* slices that are open */
    bool is_thread, is_counter;
};

struct native_rules {
    struct timeline_counts *counts;
    char *why;
    uint64_t packet; /* number of the packet */
    uint64_t last_ns;
    bool is_cleared;
    struct table tracks;       /* uuid -> place */
    struct table known[KINDS]; /* iid -> 1 */
    struct table left;         /* flow id -> 0 begun, 1 ended */
    struct table left_time;    /* flow id -> low bits of the time, to compare */
    struct track *track;
    uint32_t track_count, track_room;
};

static bool broken(struct native_rules *rules, const char *what)
{
    snprintf(rules->why, 256, "packet %llu: %s", (unsigned long long)rules->packet, what);
    return false;
}

/* -- tracks ------------------------------------------------------------------------------------ */

static struct track *find_track(const struct native_rules *rules, uint64_t uuid)
{
    uint32_t place = table_find(&rules->tracks, uuid);
    return place == TABLE_NONE ? NULL : &rules->track[place];
}

static bool is_declaration(struct native_rules *rules,
                           const TimelineNative__TrackDescriptor *descriptor)
{
    struct track track = {descriptor->uuid, 0, descriptor->thread != NULL,
                          descriptor->counter != NULL};
    if (!descriptor->has_uuid || find_track(rules, track.uuid))
        return broken(rules, "a track without a uuid, or declared twice");
    if (descriptor->has_parent_uuid && !find_track(rules, descriptor->parent_uuid))
        return broken(rules, "a track whose parent is not declared");
    if ((track.is_thread || track.is_counter) && !descriptor->has_parent_uuid)
        return broken(rules, "a thread or counter without a parent");
    if (descriptor->process && !(descriptor->process->has_pid && descriptor->process->process_name))
        return broken(rules, "a process without number or name");
    if (descriptor->thread && !(descriptor->thread->has_pid && descriptor->thread->has_tid &&
                                descriptor->thread->thread_name))
        return broken(rules, "a thread without numbers or name");
    if (track.is_counter && !descriptor->name)
        return broken(rules, "a counter without a name");
    if (rules->track_count == rules->track_room) {
        rules->track_room = 2 * rules->track_room + 64;
        rules->track = realloc(rules->track, rules->track_room * sizeof track);
        need_memory(rules->track != NULL);
    }
    table_put(&rules->tracks, track.uuid, rules->track_count);
    rules->track[rules->track_count++] = track;
    rules->counts->processes += descriptor->process != NULL;
    rules->counts->tracks += track.is_thread;
    rules->counts->counters += track.is_counter;
    return true;
}

/* -- names ------------------------------------------------------------------------------------- */

static bool learn(struct native_rules *rules, int kind, bool has_iid, uint64_t iid)
{
    if (!has_iid || iid == 0)
        return broken(rules, "an interned name without a number");
    if (table_put(&rules->known[kind], iid, 1) != TABLE_NONE)
        return broken(rules, "a number of a name is given twice");
    return true;
}

static bool is_utf8(const char *text)
{
    while (*text && utf8_length(text))
        text += utf8_length(text);
    return *text == '\0';
}

static bool learn_names(struct native_rules *rules, int kind, TimelineNative__Interned **list,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i]->base.n_unknown_fields || !list[i]->name || !is_utf8(list[i]->name))
            return broken(rules, "an interned name that is no text");
        if (!learn(rules, kind, list[i]->has_iid, list[i]->iid))
            return false;
    }
    return true;
}

static bool learn_all(struct native_rules *rules, const TimelineNative__InternedData *data)
{
    if (data->base.n_unknown_fields)
        return broken(rules, "interned data with a field that we do not know");
    for (size_t i = 0; i < data->n_debug_annotation_string_values; i++) {
        const TimelineNative__InternedBytes *text = data->debug_annotation_string_values[i];
        if (!learn(rules, 3, text->has_iid && text->has_str, text->iid))
            return false;
    }
    return learn_names(rules, 0, data->event_categories, data->n_event_categories) &&
           learn_names(rules, 1, data->event_names, data->n_event_names) &&
           learn_names(rules, 2, data->debug_annotation_names, data->n_debug_annotation_names);
}

static bool knows(const struct native_rules *rules, int kind, uint64_t iid)
{
    return table_find(&rules->known[kind], iid) != TABLE_NONE;
}

/* -- events ------------------------------------------------------------------------------------ */

static bool are_annotations(struct native_rules *rules, const TimelineNative__TrackEvent *event)
{
    for (size_t i = 0; i < event->n_debug_annotations; i++) {
        const TimelineNative__DebugAnnotation *one = event->debug_annotations[i];
        if (one->base.n_unknown_fields ||
            one->has_bool_value + one->has_uint_value + one->has_string_value_iid != 1)
            return broken(rules, "an argument without a value");
        if (!knows(rules, 2, one->name_iid) ||
            (one->has_string_value_iid && !knows(rules, 3, one->string_value_iid)))
            return broken(rules, "an argument with a name that was not told");
    }
    return true;
}

static bool are_flows(struct native_rules *rules, const TimelineNative__TrackEvent *event)
{
    uint32_t now = (uint32_t)(rules->last_ns % UINT32_MAX);
    for (size_t i = 0; i < event->n_flow_ids; i++) {
        if (table_put(&rules->left, event->flow_ids[i], 0) != TABLE_NONE)
            return broken(rules, "a flow begins twice");
        table_put(&rules->left_time, event->flow_ids[i], now);
    }
    for (size_t i = 0; i < event->n_terminating_flow_ids; i++) {
        uint64_t id = event->terminating_flow_ids[i];
        if (table_put(&rules->left, id, 1) != 0)
            return broken(rules, "a flow ends that has not begun, or ends twice");
        if (table_find(&rules->left_time, id) == now)
            return broken(rules, "a flow ends when it begins: which is first is not certain");
        rules->counts->arrows++;
    }
    return true;
}

static bool is_begin(struct native_rules *rules, const TimelineNative__TrackEvent *event,
                     struct track *track)
{
    if (!event->has_name_iid || !knows(rules, 1, event->name_iid))
        return broken(rules, "a slice with a name that was not told");
    if (event->n_category_iids != 1 || !knows(rules, 0, event->category_iids[0]))
        return broken(rules, "a slice with a category that was not told");
    if (!track->is_thread || ++track->depth > MOST_DEPTH)
        return broken(rules, "a slice on what is no thread, or too deep");
    rules->counts->slices++;
    return are_annotations(rules, event) && are_flows(rules, event);
}

static bool is_event(struct native_rules *rules, const TimelineNative__TracePacket *packet)
{
    const TimelineNative__TrackEvent *event = packet->track_event;
    struct track *track = find_track(rules, event->track_uuid);
    if (event->base.n_unknown_fields || !event->has_type || !event->has_track_uuid || !track)
        return broken(rules, "an event without a type, or on a track that is not declared");
    if (!packet->has_timestamp || packet->timestamp < rules->last_ns)
        return broken(rules, "an event without a time, or not in order");
    if (!packet->has_sequence_flags || packet->sequence_flags != 2 || !rules->is_cleared)
        return broken(rules, "an event that uses names and does not say so");
    rules->last_ns = packet->timestamp;
    switch (event->type) {
    case TIMELINE_NATIVE__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN:
        return is_begin(rules, event, track);
    case TIMELINE_NATIVE__TRACK_EVENT__TYPE__TYPE_SLICE_END:
        return track->depth-- > 0 || broken(rules, "a slice ends that has not begun");
    case TIMELINE_NATIVE__TRACK_EVENT__TYPE__TYPE_COUNTER:
        rules->counts->values++;
        return (track->is_counter &&
                event->has_counter_value + event->has_double_counter_value == 1) ||
               broken(rules, "a value that is none, or not of a counter");
    default:
        return broken(rules, "an event of unknown type");
    }
}

static bool is_packet(struct native_rules *rules, const TimelineNative__TracePacket *packet)
{
    bool is_first = rules->packet == 1;
    if (packet->base.n_unknown_fields || packet->trusted_packet_sequence_id != 1)
        return broken(rules, "a field that we do not know, or another sequence");
    bool clears = packet->has_sequence_flags && (packet->sequence_flags & 1) != 0;
    if (clears != is_first)
        return broken(rules, "names start afresh elsewhere than in the first packet");
    rules->is_cleared = true;
    if (packet->interned_data && !learn_all(rules, packet->interned_data))
        return false;
    if (packet->track_descriptor)
        return is_declaration(rules, packet->track_descriptor);
    return !packet->track_event || is_event(rules, packet);
}

/* -- a file ------------------------------------------------------------------------------------ */

/* Reads tag and length of the next packet. */
static bool read_head(const unsigned char *bytes, size_t length, size_t *at, size_t *size)
{
    if (bytes[(*at)++] != (1 << 3 | 2))
        return false;
    *size = 0;
    for (unsigned shift = 0; *at < length && shift < 63; shift += 7) {
        unsigned char byte = bytes[(*at)++];
        *size |= (size_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return *size <= length - *at;
    }
    return false;
}

static bool are_packets(struct native_rules *rules, const unsigned char *bytes, size_t length)
{
    for (size_t at = 0, size; at < length; at += size) {
        rules->packet++;
        if (!read_head(bytes, length, &at, &size))
            return broken(rules, "this is no packet");
        TimelineNative__TracePacket *packet =
            timeline_native__trace_packet__unpack(NULL, size, bytes + at);
        bool good = packet ? is_packet(rules, packet) : broken(rules, "cannot be decoded");
        if (packet)
            timeline_native__trace_packet__free_unpacked(packet, NULL);
        if (!good)
            return false;
    }
    for (uint32_t t = 0; t < rules->track_count; t++)
        if (rules->track[t].depth)
            return broken(rules, "a slice has no end");
    return rules->counts->arrows == rules->left.count || broken(rules, "a flow has no end");
}

bool timeline_native_rules(const unsigned char *bytes, size_t length,
                           struct timeline_counts *counts, char why[256])
{
    struct native_rules rules = {.counts = counts, .why = why};
    *counts = (struct timeline_counts){0};
    bool good = are_packets(&rules, bytes, length);
    table_release(&rules.tracks);
    table_release(&rules.left);
    table_release(&rules.left_time);
    for (int kind = 0; kind < KINDS; kind++)
        table_release(&rules.known[kind]);
    free(rules.track);
    return good;
}
