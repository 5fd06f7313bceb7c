#include "cli/kept_traces.h"

#include <string.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "base/table.h"

static uint64_t key_of(const struct config *config)
{
    const struct workload_config *w = &config->workload;
    const char *const texts[] = {w->prefix, w->comm_group, w->scale_groups};
    const uint64_t numbers[] = {
        w->replicate,    w->ignore_extra,         w->allow_empty,
        w->deps,         w->scale_ranks,          w->passes,
        w->break_cycles, w->drop_missing_parents, config->network.npu_count};
    uint64_t key = hash_bytes(numbers, sizeof numbers, 1);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        key = hash_bytes(texts[i] ? texts[i] : "", texts[i] ? strlen(texts[i]) + 1 : 0, key);
    return key | 1;
}

static void forget(struct kept_set *set)
{
    if (set->key)
        work_release(&set->work);
    set->key = 0;
    set->inputs.count = 0;
}

void kept_traces_release(struct kept_traces *kept)
{
    for (int i = 0; i < KEPT_TRACES; i++) {
        forget(&kept->set[i]);
        input_list_release(&kept->set[i].inputs);
    }
}

/* Rule 2. */
static struct kept_set *make_room(struct kept_traces *kept)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    bool is_much = (uint64_t)usage.ru_maxrss * 1024 > memory_limit() / 8;
    struct kept_set *oldest = kept->set;
    for (int i = 0; i < KEPT_TRACES; i++) {
        struct kept_set *set = &kept->set[i];
        if (is_much)
            forget(set);
        if (set->key == 0 ? oldest->key != 0 : oldest->key != 0 && set->asked < oldest->asked)
            oldest = set;
    }
    forget(oldest);
    return oldest;
}

static struct kept_set *find(struct kept_traces *kept, uint64_t key)
{
    for (int i = 0; i < KEPT_TRACES; i++) {
        if (kept->set[i].key == key)
            return &kept->set[i];
    }
    return NULL;
}

const struct kept_set *kept_traces_open(struct kept_traces *kept, const struct config *config,
                                        struct group_file *groups, struct notices *notices,
                                        struct diag *diag)
{
    uint64_t key = key_of(config);
    struct kept_set *set = find(kept, key);
    if (!set) {
        set = make_room(kept);
        work_init(&set->work);
        if (work_open(&set->work, config, groups, notices, diag) != STATUS_OK) {
            work_release(&set->work);
            return NULL;
        }
        const char *prefix = config->workload.prefix;
        if (prefix)
            input_list_add(&set->inputs, "traces", prefix, input_hash_now("traces", prefix));
        set->key = key;
    }
    set->asked = ++kept->asked;
    return set;
}
