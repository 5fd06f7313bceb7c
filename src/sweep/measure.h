/*
 * measure - the columns of a point: what a run of it found, as figures.
 *
 * Means are over ranks; times are of simulated hardware. A figure that a point does not have is
 * not-a-number here, NULL in the store, empty in CSV. Of a point with several `samples` (of what
 * varies, model/jitter.h) all but the percentiles are of its first.
 */
#ifndef ORRERY_SWEEP_MEASURE_H
#define ORRERY_SWEEP_MEASURE_H

#include <stdbool.h>

#include "base/status.h"

/* X(enumerator, column, unit, meaning) */
#define MEASURE_LIST(X)                                                                            \
    X(MEASURE_TIME, "time_s", "s", "when the last rank ended")                                     \
    X(MEASURE_DEVICES, "devices", "", "ranks")                                                     \
    X(MEASURE_TOKENS_PER_S, "tokens_per_s", "1/s", "of the whole job (samples, of some models)")   \
    X(MEASURE_TOKENS_PER_DEVICE, "tokens_per_s_device", "1/s", "the same for each device")         \
    X(MEASURE_MFU, "mfu", "", "model flops over the devices' peak, of 1")                          \
    X(MEASURE_MEMORY, "memory_bytes", "B", "of the rank that needs most")                          \
    X(MEASURE_COMPUTE, "compute_s", "s", "a compute op runs; mean")                                \
    X(MEASURE_EXPOSED, "exposed_s", "s", "communication that no compute hides; mean")              \
    X(MEASURE_WAITING, "waiting_s", "s", "of communication, for peers to arrive; mean")            \
    X(MEASURE_OTHER, "other_s", "s", "host, remote memory, idle until the end; mean")              \
    X(MEASURE_BYTES, "bytes_sent", "B", "over the network, by all ranks")                          \
    X(MEASURE_MESSAGES, "messages", "", "by all ranks")                                            \
    X(MEASURE_COST, "cost", "$", "devices x time x system.device-price")                           \
    X(MEASURE_ENERGY, "energy_J", "J", "devices x time x the device's power: an upper bound")      \
    X(MEASURE_TIME_P50, "time_p50_s", "s", "median of time_s over the point's samples")            \
    X(MEASURE_TIME_P95, "time_p95_s", "s", "95th percentile of the same")

enum measure {
#define X(name, column, unit, meaning) name,
    MEASURE_LIST(X)
#undef X
        MEASURE_COUNT
};

extern const char *const measure_columns[MEASURE_COUNT + 1]; /* NULL-terminated */
extern const char *const measure_units[MEASURE_COUNT];
extern const char *const measure_meanings[MEASURE_COUNT];
extern const char *const measure_labels[MEASURE_COUNT]; /* for charts: "throughput" */

/* Is more of it better? Throughput and utilisation; of all else less is. */
static inline bool measure_is_most_better(int measure)
{
    return measure == MEASURE_TOKENS_PER_S || measure == MEASURE_TOKENS_PER_DEVICE ||
           measure == MEASURE_MFU;
}

enum { POINT_REASON = 400 };

/* What became of a point. */
struct point_result {
    char state
        [24]; /* "ok", a name of status.h, or "crash", "time-limit", "memory-limit", "killed" */
    char reason[POINT_REASON]; /* why it is not "ok", or "" */
    double value[MEASURE_COUNT];
    double host_s; /* of this machine; in no export */
};

/* A result without figures. */
void point_result_clear(struct point_result *result, const char *state);

#endif
