#include "run/what_if.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "config/names.h"

static const char *const forms[] = {"rank:N",          "compute",    "launches",
                                    "collective:KIND", "messages",   "network",
                                    "link:NAME",       "contention", NULL};

/* -- reading --------------------------------------------------------------------------------- */

static enum status read_rank(struct what_if *what_if, const char *text, struct diag *diag)
{
    char *end;
    unsigned long rank = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || rank >= CONFIG_MAX_NPUS)
        return diag_fail(diag, STATUS_USAGE, "expected rank:NUMBER, found \"rank:%.60s\"", text);
    what_if->rank[what_if->rank_count++] = (uint32_t)rank;
    return STATUS_OK;
}

static enum status read_kind(struct what_if *what_if, const char *text, struct diag *diag)
{
    const char *names[COLL_KIND_COUNT + 1] = {0};
    for (int kind = 0; kind < COLL_KIND_COUNT; kind++) {
        names[kind] = collective_name((enum collective_kind)kind);
        if (strcmp(names[kind], text) == 0)
            what_if->collectives = 1u << kind;
    }
    if (what_if->collectives)
        return STATUS_OK;
    diag_fail(diag, STATUS_USAGE, "there is no collective \"%.60s\"", text);
    const char *nearest = suggest_nearest(text, names);
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    return STATUS_USAGE;
}

static enum status read_link(struct what_if *what_if, const char *text, struct diag *diag)
{
    size_t room = sizeof what_if->changes;
    int length = snprintf(what_if->changes, room, "%s:bw*10000,lat=0ns", text);
    if (*text == '\0' || strpbrk(text, ":;\n#") || length >= (int)room)
        return diag_fail(diag, STATUS_USAGE,
                         "expected link:A--B, link:A->B, link:rank N or "
                         "link:node NAME, found \"link:%.60s\"",
                         text);
    return STATUS_OK;
}

enum status what_if_parse(struct what_if *what_if, const char *text, struct diag *diag)
{
    *what_if = (struct what_if){.rank_count = 0};
    snprintf(what_if->name, sizeof what_if->name, "%s", text);
    if (strncmp(text, "rank:", 5) == 0)
        return read_rank(what_if, text + 5, diag);
    if (strncmp(text, "collective:", 11) == 0)
        return read_kind(what_if, text + 11, diag);
    if (strncmp(text, "link:", 5) == 0)
        return read_link(what_if, text + 5, diag);
    what_if->compute = strcmp(text, "compute") == 0;
    what_if->launches = strcmp(text, "launches") == 0;
    what_if->contention = strcmp(text, "contention") == 0;
    bool is_network = strcmp(text, "network") == 0;
    what_if->messages = is_network || strcmp(text, "messages") == 0;
    what_if->collectives = is_network ? (1u << COLL_KIND_COUNT) - 1 : 0;
    if (what_if->compute || what_if->launches || what_if->contention || what_if->messages)
        return STATUS_OK;
    char known[160];
    return diag_fail(diag, STATUS_USAGE, "expected %s, found \"%.60s\"",
                     names_text(known, sizeof known, forms), text);
}

/* Adds `more` to a list with `between`; false if it does not fit. */
static bool append(char list[WHAT_IF_TEXT], const char *between, const char *more)
{
    size_t used = strlen(list), gap = used && *more ? strlen(between) : 0, length = strlen(more);
    if (used + gap + length >= WHAT_IF_TEXT)
        return false;
    memcpy(list + used, between, gap);
    memcpy(list + used + gap, more, length + 1);
    return true;
}

bool what_if_add(struct what_if *what_if, const struct what_if *other)
{
    if (what_if->rank_count + other->rank_count > WHAT_IF_RANKS ||
        !append(what_if->name, ", ", other->name) ||
        !append(what_if->changes, "; ", other->changes))
        return false;
    for (uint32_t i = 0; i < other->rank_count; i++)
        what_if->rank[what_if->rank_count++] = other->rank[i];
    what_if->compute |= other->compute;
    what_if->launches |= other->launches;
    what_if->messages |= other->messages;
    what_if->contention |= other->contention;
    what_if->collectives |= other->collectives;
    return true;
}

/* -- the configuration ----------------------------------------------------------------------- */

enum status what_if_check(const struct what_if *what_if, const struct config *config,
                          struct diag *diag)
{
    for (uint32_t i = 0; i < what_if->rank_count; i++) {
        if (what_if->rank[i] >= config->network.npu_count)
            return diag_fail(diag, STATUS_USAGE,
                             "rank %" PRIu32 " is not there: the job has %" PRIu32 " ranks",
                             what_if->rank[i], config->network.npu_count);
    }
    if (what_if->contention && !network_model_of(config->network.backend)->has_contention)
        return diag_fail(diag, STATUS_USAGE, "the network model of this run (%s) has no contention",
                         net_backend_names[config->network.backend]);
    if (*what_if->changes && !config->network.fabric)
        return diag_fail(diag, STATUS_USAGE,
                         "the network model of this run (%s) has no links by name",
                         net_backend_names[config->network.backend]);
    return STATUS_OK;
}

const char *what_if_backend(const struct what_if *what_if, const struct config *config)
{
    if (!what_if->contention)
        return NULL;
    return net_backend_names[config->network.backend == NET_CONGESTION_AWARE
                                 ? NET_CONGESTION_UNAWARE
                                 : NET_ANALYTICAL];
}

const char *what_if_changes(const struct what_if *what_if, const struct config *config,
                            char *changes, size_t room)
{
    const char *before = config->network.changes;
    if (!*what_if->changes)
        return NULL;
    int length = snprintf(changes, room, "%s%s%s", before ? before : "", before ? "; " : "",
                          what_if->changes);
    promise(length >= 0 && (size_t)length < room);
    return changes;
}

/* -- the run --------------------------------------------------------------------------------- */

/* Free ranks have a trace of their own, so that they are folded with nobody else. */
struct freed {
    struct workload workload;
    bool *is_free; /* [traces] */
};

static void free_ranks(struct freed *freed, const struct what_if *what_if,
                       const struct workload *workload)
{
    struct workload *copy = &freed->workload;
    uint32_t most = workload->trace_count + what_if->rank_count;
    *copy = *workload;
    copy->trace_of_rank = malloc((workload->rank_count + 1) * sizeof *copy->trace_of_rank);
    copy->traces = malloc(most * sizeof(struct trace *) + 1);
    freed->is_free = calloc(most + 1, sizeof *freed->is_free);
    need_memory(copy->trace_of_rank && copy->traces && freed->is_free);
    memcpy(copy->trace_of_rank, workload->trace_of_rank,
           workload->rank_count * sizeof *copy->trace_of_rank);
    memcpy(copy->traces, workload->traces, workload->trace_count * sizeof(struct trace *));
    memset(freed->is_free, what_if->compute, workload->trace_count * sizeof *freed->is_free);
    for (uint32_t i = 0; i < what_if->rank_count; i++) {
        uint32_t *trace = &copy->trace_of_rank[what_if->rank[i]];
        copy->traces[copy->trace_count] =
            workload->traces[workload->trace_of_rank[what_if->rank[i]]];
        freed->is_free[copy->trace_count] = true;
        *trace = copy->trace_count++;
    }
}

enum status what_if_run(const struct what_if *what_if, const struct config *config,
                        const struct workload *workload, const struct group_file *groups,
                        const struct simulate_watch *watch, struct run_result *result,
                        struct diag *diag)
{
    struct freed freed;
    free_ranks(&freed, what_if, workload);
    const struct sched_free nothing = {.trace = freed.is_free,
                                       .collectives = what_if->collectives,
                                       .messages = what_if->messages,
                                       .launches = what_if->launches};
    const struct simulate_also also = {.watch = watch, .free = &nothing};
    enum status status = simulate_also(config, &freed.workload, groups, &also, result, diag);
    free(freed.workload.trace_of_rank);
    free(freed.workload.traces);
    free(freed.is_free);
    return status;
}
