/*
 * units - quantities with units: the only place where a prefix becomes a number.
 *
 * Simulated time is one integer type in picoseconds (2^64 ps = 213 days). Decimal and binary
 * prefixes differ: 1 GB = 10^9 B, 1 GiB = 2^30 B, 1 Gbps = 10^9 bit/s = 1.25e8 B/s.
 *
 * Parsing rules: number (C decimal syntax, no hex, no inf/nan), optional blanks, unit. A quantity
 * must be consumed whole; anything else fails with a message that lists the accepted units.
 * "50GB/s", "50 GB/s", "400Gbps", "46.566GiB/s"; "1.5us", "500ns", "10 ms"; "64MiB", "1MB", "100B".
 */
#ifndef ORRERY_BASE_UNITS_H
#define ORRERY_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

typedef uint64_t time_ps; /* simulated time, or a duration, in picoseconds */

#define PS_PER_NS  ((time_ps)1000)
#define PS_PER_S   ((time_ps)1000000000000)
#define TIME_NEVER UINT64_MAX

/*
 * Durations saturate at TIME_NEVER instead of wrapping; the engine stops a run that gets there
 * (simulated time ends after 2^64 ps, 213 days).
 */

/* A duration in ns, cut to whole ns (ASTRA-sim's grid). NaN and negative durations are 0. */
static inline time_ps time_of_ns(double ns)
{
    if (!(ns > 0))
        return 0;
    return ns < 1.8446744073709550e16 ? (time_ps)ns * PS_PER_NS : TIME_NEVER;
}

static inline time_ps time_of_whole_ns(uint64_t ns)
{
    return ns <= UINT64_MAX / PS_PER_NS ? ns * PS_PER_NS : TIME_NEVER;
}

/* A duration in ns on ASTRA-sim's grid (cut to whole ns), or to the nearest ps. */
static inline time_ps time_rounded(double ns, bool whole_ns)
{
    if (whole_ns)
        return time_of_ns(ns);
    double ps = ns * (double)PS_PER_NS + 0.5;
    if (!(ps > 0))
        return 0;
    return ps < 1.8446744073709550e19 ? (time_ps)ps : TIME_NEVER;
}

static inline time_ps time_after(time_ps now, time_ps duration)
{
    return duration < TIME_NEVER - now ? now + duration : TIME_NEVER;
}

static inline time_ps time_later(time_ps a, time_ps b)
{
    return a > b ? a : b;
}

static inline time_ps time_times(time_ps duration, uint64_t count)
{
    return count == 0 || duration <= TIME_NEVER / count ? duration * count : TIME_NEVER;
}

/* What a bare number means for each quantity is the caller's documented default unit. */

/* Bandwidth in bytes/s. `bare_unit` is used for a number without unit (e.g. "GB/s"), or NULL to
 * refuse one. *was_bare (may be NULL) says that it was used. Must be > 0 and finite. */
enum status units_parse_bandwidth(const char *text, const char *bare_unit, double *Bps,
                                  bool *was_bare, struct diag *diag);

/* A number of bytes ("64MiB", "1MB", "100B"); must come out whole. 0 is allowed. */
enum status units_parse_bytes(const char *text, const char *bare_unit, uint64_t *bytes,
                              bool *was_bare, struct diag *diag);

/* Duration in nanoseconds as a double (ASTRA-sim's latencies are fractional ns). Must be >= 0. */
enum status units_parse_duration(const char *text, const char *bare_unit, double *ns,
                                 bool *was_bare, struct diag *diag);

/* Compute rate in flop/s ("312TFLOPS", "1.5 PFLOP/s"). Must be > 0. */
enum status units_parse_flops(const char *text, const char *bare_unit, double *flop_per_s,
                              bool *was_bare, struct diag *diag);

/* A clock in Hz ("1.98GHz"), a power in W ("700W"); both > 0. */
enum status units_parse_clock(const char *text, const char *bare_unit, double *hz, bool *was_bare,
                              struct diag *diag);
enum status units_parse_power(const char *text, const char *bare_unit, double *watts,
                              bool *was_bare, struct diag *diag);

/* Human forms with four significant digits: "3.500 ms", "1.400 GB", "50.00 GB/s"; whole numbers of
 * the smallest unit are exact: "552 ps", "12 B". */
const char *units_show_time(char *to, size_t size, time_ps ps);
const char *units_show_bytes(char *to, size_t size, double bytes);
const char *units_show_rate(char *to, size_t size, double Bps);

#endif
