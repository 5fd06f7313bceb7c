/*
 * timeline_rules - the rules that a timeline's file keeps, so that viewers open it without a
 * warning; checked from the outside, on the bytes alone.
 *
 * JSON (Trace Event Format, Google, 2016): an object with a list of events, each with its phase's
 * fields; complete events of a thread follow or enclose each other; both ends of an arrow are there
 * once, inside a slice of their thread that comes before them in the file, the start no later than
 * the end; every process and thread has its name; counters have numbers.
 *
 * Native (Perfetto's TracePackets): one sequence that begins with its names cleared, in order of
 * time; no field that we do not know; a track is declared, after its parent, once, before an event
 * is on it; SLICE_BEGIN and SLICE_END nest and balance; a counter has one value an event; a name is
 * told once, before or with its first use; both ends of a flow are there once, the first earlier.
 */
#ifndef ORRERY_TESTS_TOOLS_TIMELINE_RULES_H
#define ORRERY_TESTS_TOOLS_TIMELINE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timeline_counts {
    uint64_t processes, tracks, counters, slices, arrows, values;
};

/* False with a reason at the first rule that is broken. */
bool timeline_json_rules(const char *text, size_t length, struct timeline_counts *counts,
                         char why[256]);
bool timeline_native_rules(const unsigned char *bytes, size_t length,
                           struct timeline_counts *counts, char why[256]);

#endif
