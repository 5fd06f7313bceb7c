#include "net/traffic/pattern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mix.h"

/* -- without dependencies ---------------------------------------------------------------------- */

/* Every NPU sends once and gets once, none to itself: one cycle through all of them in random order
 * (Sattolo, "An algorithm to generate a random cyclic permutation", IPL 22(6), 1986). */
static void add_permutation(const struct pattern_request *request, struct traffic *traffic)
{
    uint32_t n = request->npus, *to = malloc(n * sizeof *to);
    uint64_t state = request->seed;
    need_memory(to != NULL);
    for (uint32_t i = 0; i < n; i++)
        to[i] = i;
    for (uint32_t i = n - 1; i > 0; i--) {
        uint32_t j = random_below(&state, i), swapped = to[i];
        to[i] = to[j];
        to[j] = swapped;
    }
    for (uint32_t i = 0; i < n; i++)
        traffic_add(traffic, i, to[i], request->bytes);
    free(to);
}

static void add_shift(const struct pattern_request *request, struct traffic *traffic)
{
    uint32_t n = request->npus, offset = request->offset ? request->offset : n / 2;
    for (uint32_t i = 0; i < n; i++)
        traffic_add(traffic, i, (uint32_t)(((uint64_t)i + offset) % n), request->bytes);
}

static uint32_t reversed(uint32_t value, uint32_t n)
{
    uint32_t result = 0;
    for (uint32_t bit = 1; bit < n; bit <<= 1, value >>= 1)
        result = result << 1 | (value & 1);
    return result;
}

static void add_bit_reversal(const struct pattern_request *request, struct traffic *traffic)
{
    for (uint32_t i = 0; i < request->npus; i++) {
        uint32_t to = reversed(i, request->npus);
        if (to != i)
            traffic_add(traffic, i, to, request->bytes);
    }
}

static uint32_t incast_senders(const struct pattern_request *request)
{
    return request->count ? request->count : request->npus - 1;
}

static void add_incast(const struct pattern_request *request, struct traffic *traffic)
{
    for (uint32_t i = 1; i <= incast_senders(request); i++)
        traffic_add(traffic, i, 0, request->bytes);
}

static uint32_t uniform_flows(const struct pattern_request *request)
{
    return request->count ? request->count : 8 * request->npus;
}

static void add_uniform(const struct pattern_request *request, struct traffic *traffic)
{
    uint64_t state = request->seed;
    for (uint32_t i = 0; i < uniform_flows(request); i++) {
        uint32_t src = random_below(&state, request->npus);
        uint32_t dst = random_below(&state, request->npus - 1);
        double factor = 0.5 + (double)(random_next(&state) >> 11) * 0x1p-53;
        traffic_add(traffic, src, dst < src ? dst : dst + 1,
                    (uint64_t)((double)request->bytes * factor));
    }
}

/* -- steps: a flow waits for what its sender got in the step before ---------------------------- */

/* By distance, so that each step is a shift; with `chained`, a sender's next flow waits for the one
 * before to have arrived. */
static void add_by_distance(const struct pattern_request *request, struct traffic *traffic,
                            bool chained)
{
    uint32_t n = request->npus, before = traffic_count(traffic);
    for (uint32_t distance = 1; distance < n; distance++) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t to = i + distance < n ? i + distance : i + distance - n;
            traffic_add(traffic, i, to, request->bytes);
            if (chained && distance > 1)
                traffic_depend(traffic, before + (distance - 2) * n + i);
        }
    }
}

static void add_all_to_all(const struct pattern_request *request, struct traffic *traffic)
{
    add_by_distance(request, traffic, false);
}

static void add_all_to_all_steps(const struct pattern_request *request, struct traffic *traffic)
{
    add_by_distance(request, traffic, true);
}

static uint32_t ring_steps(const struct pattern_request *request)
{
    return request->count ? request->count : 2 * (request->npus - 1);
}

static void add_ring(const struct pattern_request *request, struct traffic *traffic)
{
    uint32_t n = request->npus, before = traffic_count(traffic);
    for (uint32_t step = 0; step < ring_steps(request); step++) {
        for (uint32_t i = 0; i < n; i++) {
            traffic_add(traffic, i, i + 1 < n ? i + 1 : 0, request->bytes);
            if (step > 0)
                traffic_depend(traffic, before + (step - 1) * n + (i > 0 ? i - 1 : n - 1));
        }
    }
}

/* Every NPU exchanges `bytes` with the one `distance` away (xor); waits for its flow of the step
 * before, which came from the NPU that was `last` away. */
static void add_exchange(const struct pattern_request *request, struct traffic *traffic,
                         uint32_t distance, uint32_t last, uint64_t bytes)
{
    uint32_t n = request->npus, before = traffic_count(traffic);
    for (uint32_t i = 0; i < n; i++) {
        traffic_add(traffic, i, i ^ distance, bytes);
        if (last)
            traffic_depend(traffic, before - n + (i ^ last));
    }
}

static void add_recursive_doubling(const struct pattern_request *request, struct traffic *traffic)
{
    for (uint32_t distance = 1; distance < request->npus; distance *= 2)
        add_exchange(request, traffic, distance, distance / 2, request->bytes);
}

static void add_halving_doubling(const struct pattern_request *request, struct traffic *traffic)
{
    uint64_t bytes = request->bytes;
    uint32_t last = 0;
    for (uint32_t distance = request->npus / 2; distance >= 1; distance /= 2) {
        bytes /= 2;
        add_exchange(request, traffic, distance, last, bytes);
        last = distance;
    }
    for (uint32_t distance = 1; distance < request->npus; distance *= 2) {
        add_exchange(request, traffic, distance, last, bytes);
        bytes *= 2;
        last = distance;
    }
}

/* -- checks ------------------------------------------------------------------------------------ */

static enum status check_incast(const struct pattern_request *request, struct diag *diag)
{
    if (incast_senders(request) < request->npus)
        return STATUS_OK;
    return diag_fail(diag, STATUS_USAGE,
                     "incast has at most %" PRIu32 " senders on this network, found %" PRIu32,
                     request->npus - 1, request->count);
}

static enum status check_shift(const struct pattern_request *request, struct diag *diag)
{
    if (!request->offset || request->offset % request->npus)
        return STATUS_OK;
    return diag_fail(diag, STATUS_USAGE,
                     "an offset of %" PRIu32 " leads every NPU of %" PRIu32 " to itself",
                     request->offset, request->npus);
}

/* -- how many ---------------------------------------------------------------------------------- */

static uint64_t one_each(const struct pattern_request *request)
{
    return request->npus;
}

static uint64_t one_each_sender(const struct pattern_request *request)
{
    return incast_senders(request);
}

static uint64_t every_pair(const struct pattern_request *request)
{
    return (uint64_t)request->npus * (request->npus - 1);
}

static uint64_t as_asked(const struct pattern_request *request)
{
    return uniform_flows(request);
}

static uint64_t every_step(const struct pattern_request *request)
{
    return (uint64_t)request->npus * ring_steps(request);
}

static uint64_t log_steps(const struct pattern_request *request)
{
    uint64_t flows = 0;
    for (uint32_t distance = 1; distance < request->npus; distance *= 2)
        flows += 2 * (uint64_t)request->npus;
    return flows;
}

const struct traffic_pattern traffic_patterns[] = {
    {.name = "permutation",
     .summary = "each NPU sends once and gets once, at random (--pattern-seed)",
     .is_random = true,
     .add = add_permutation,
     .flows = one_each},
    {.name = "shift",
     .summary = "NPU i sends to i + --offset (default: half way round)",
     .has_offset = true,
     .check = check_shift,
     .add = add_shift,
     .flows = one_each},
    {.name = "bit-reversal",
     .summary = "NPU i sends to i with its bits reversed",
     .power_of_two = true,
     .add = add_bit_reversal,
     .flows = one_each},
    {.name = "incast",
     .summary = "NPUs 1 to --count send to NPU 0",
     .count = "senders, default all others",
     .check = check_incast,
     .add = add_incast,
     .flows = one_each_sender},
    {.name = "uniform",
     .summary = "random pairs, sizes from 1/2 to 3/2 of --bytes (--pattern-seed)",
     .bytes = "a flow's, on average",
     .count = "flows, default 8 for each NPU",
     .is_random = true,
     .add = add_uniform,
     .flows = as_asked},
    {.name = "all-to-all",
     .summary = "every NPU to every other at once",
     .add = add_all_to_all,
     .flows = every_pair},
    {.name = "all-to-all-steps",
     .summary = "every NPU to every other, one after the other by distance",
     .add = add_all_to_all_steps,
     .flows = every_pair},
    {.name = "ring",
     .summary = "--count steps round the ring of ranks; each waits for the one before",
     .count = "steps, default 2 (n - 1) as in an all-reduce",
     .add = add_ring,
     .flows = every_step},
    {.name = "recursive-doubling",
     .summary = "exchanges with the NPUs 1, 2, 4, .. away, one after the other",
     .power_of_two = true,
     .add = add_recursive_doubling,
     .flows = log_steps},
    {.name = "halving-doubling",
     .summary = "exchanges of 1/2, 1/4, .. with the NPUs n/2, n/4, .. away, and back",
     .bytes = "that of the whole data",
     .power_of_two = true,
     .add = add_halving_doubling,
     .flows = log_steps},
    {0},
};

const struct traffic_pattern *pattern_find(const char *name)
{
    for (const struct traffic_pattern *pattern = traffic_patterns; pattern->name; pattern++) {
        if (strcmp(pattern->name, name) == 0)
            return pattern;
    }
    return NULL;
}

static enum status check(const struct traffic_pattern *pattern,
                         const struct pattern_request *request, const struct traffic *traffic,
                         struct diag *diag)
{
    uint32_t n = request->npus;
    if (n < 2)
        return diag_fail(diag, STATUS_USAGE, "%s needs at least 2 NPUs, the network has %" PRIu32,
                         pattern->name, n);
    if (pattern->power_of_two && (n & (n - 1)) != 0)
        return diag_fail(diag, STATUS_USAGE,
                         "%s needs a power of two of NPUs, the network has %" PRIu32, pattern->name,
                         n);
    if (pattern->check && pattern->check(request, diag) != STATUS_OK)
        return diag->status;
    uint64_t flows = pattern->flows(request);
    if (flows > UINT32_MAX / 2 || !grow_room(&traffic->flows, flows) ||
        !grow_room(&traffic->deps, flows))
        return diag_fail(diag, STATUS_NO_MEMORY,
                         "%" PRIu64 " flows are more than this machine can hold", flows);
    return STATUS_OK;
}

enum status pattern_add(const struct traffic_pattern *pattern,
                        const struct pattern_request *request, struct traffic *traffic,
                        struct diag *diag)
{
    if (check(pattern, request, traffic, diag) == STATUS_OK)
        pattern->add(request, traffic);
    return diag->status;
}
