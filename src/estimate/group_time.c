#include "estimate/group_time.h"

#include "base/status.h"
#include "base/table.h"

enum { ENTRIES = 1 << 14 };

void group_times_init(struct group_times *times, const struct tuner_system *system, double ratio,
                      struct arena *arena)
{
    *times = (struct group_times){.system = system, .ratio = ratio > 0 ? ratio : 1};
    tuner_system_size(system, &times->node, &times->domain);
    times->entry = arena_array(arena, ENTRIES, sizeof *times->entry);
}

/* -- where the ranks lie ---------------------------------------------------------------------- */

/* Members of a group that share a piece of `size` consecutive ranks, at least 1. */
static uint32_t members_in(struct rank_group group, uint32_t size)
{
    uint32_t in = size / group.stride;
    if (in < 1)
        in = 1;
    return in < group.ranks ? in : group.ranks;
}

/* The largest divisor of `ranks` that is at most `most`. */
static uint32_t divisor_below(uint32_t ranks, uint32_t most)
{
    while (ranks % most != 0)
        most--;
    return most;
}

uint32_t group_domains(const struct group_times *times, struct rank_group group)
{
    uint32_t in = members_in(group, times->domain);
    return (group.ranks + in - 1) / in;
}

/* -- times ------------------------------------------------------------------------------------ */

static double ask_tuner(const struct group_times *times, int kind, uint64_t bytes,
                        struct rank_group group)
{
    uint32_t in_node = divisor_below(group.ranks, members_in(group, times->node));
    bool is_kind = kind < COLL_KIND_COUNT;
    struct tuner_request request = {
        .kind = kind,
        .ranks = group.ranks,
        .nodes = group.ranks / in_node,
        .bytes = is_kind ? tuner_bytes((enum collective_kind)kind, bytes, group.ranks) : bytes,
        .system = times->system,
        .in_domain = members_in(group, times->domain),
    };
    struct tuner_choice choice;
    struct diag diag = DIAG_NONE;
    enum status status = tuner_choose(&request, &choice, &diag);
    promise(status == STATUS_OK);
    double transfer_us = choice.wire_bytes / choice.rate_Bps * 1e6;
    return (choice.time_us + transfer_us * (1 / times->ratio - 1)) * 1e3;
}

double group_time_ns(struct group_times *times, int kind, uint64_t bytes, struct rank_group group)
{
    if (group.ranks < 2 || bytes == 0)
        return 0;
    struct group_time_entry key = {
        .bytes = bytes, .ranks = group.ranks, .stride = group.stride, .kind = (uint32_t)kind};
    uint64_t mixed[3] = {bytes, (uint64_t)group.ranks << 32 | group.stride, (uint64_t)kind};
    struct group_time_entry *entry =
        &times->entry[hash_bytes(mixed, sizeof mixed, 0) & (ENTRIES - 1)];
    bool is_known = entry->bytes == key.bytes && entry->ranks == key.ranks &&
                    entry->stride == key.stride && entry->kind == key.kind;
    if (!is_known) {
        key.ns = ask_tuner(times, kind, bytes, group);
        *entry = key;
    }
    return entry->ns;
}
