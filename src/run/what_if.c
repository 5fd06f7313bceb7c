#include "run/what_if_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "base/table.h"
#include "config/names.h"

static const char *const forms[] = {
    "rank:N",    "compute",    "memory",  "launches",   "collective:KIND", "messages", "network",
    "link:NAME", "group:NAME", "op:NAME", "contention", "stragglers",      NULL};

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

static enum status read_match(struct what_if *what_if, const char *text, bool is_group,
                              struct diag *diag)
{
    if (*text == '\0' || strlen(text) >= WHAT_IF_NAME)
        return diag_fail(diag, STATUS_USAGE, "expected a name of 1 to %d letters after the colon",
                         WHAT_IF_NAME - 1);
    what_if->match[0].is_group = is_group;
    strcpy(what_if->match[what_if->match_count++].text, text);
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
    if (strpbrk(text, ".*")) {
        what_if->match[0].is_collective = true;
        return read_match(what_if, text, false, diag);
    }
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
                         "expected link:CLASS (\"spine\"), link:A--B, link:A->B, link:rank N, "
                         "link:node NAME or link:dim N, found \"link:%.60s\"",
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
    if (strncmp(text, "group:", 6) == 0)
        return read_match(what_if, text + 6, true, diag);
    if (strncmp(text, "op:", 3) == 0)
        return read_match(what_if, text + 3, false, diag);
    what_if->compute = strcmp(text, "compute") == 0;
    what_if->launches = strcmp(text, "launches") == 0;
    what_if->contention = strcmp(text, "contention") == 0;
    what_if->memory = strcmp(text, "memory") == 0;
    what_if->stragglers = strcmp(text, "stragglers") == 0;
    bool is_network = strcmp(text, "network") == 0;
    what_if->messages = is_network || strcmp(text, "messages") == 0;
    what_if->collectives = is_network ? (1u << COLL_KIND_COUNT) - 1 : 0;
    if (what_if->compute || what_if->launches || what_if->contention || what_if->messages ||
        what_if->memory || what_if->stragglers)
        return STATUS_OK;
    char known[200];
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
        what_if->match_count + other->match_count > WHAT_IF_NAMES ||
        !append(what_if->name, ", ", other->name) ||
        !append(what_if->changes, "; ", other->changes))
        return false;
    for (uint32_t i = 0; i < other->rank_count; i++)
        what_if->rank[what_if->rank_count++] = other->rank[i];
    for (uint32_t i = 0; i < other->match_count; i++)
        what_if->match[what_if->match_count++] = other->match[i];
    what_if->compute |= other->compute;
    what_if->memory |= other->memory;
    what_if->stragglers |= other->stragglers;
    what_if->launches |= other->launches;
    what_if->messages |= other->messages;
    what_if->contention |= other->contention;
    what_if->collectives |= other->collectives;
    return true;
}

/* -- the configuration ----------------------------------------------------------------------- */

static bool is_in(const struct workload *workload, const struct what_if *what_if, uint32_t match)
{
    for (uint32_t t = 0; t < workload->trace_count; t++) {
        for (uint32_t i = 0; i < workload->traces[t]->count; i++) {
            if (what_if_matches(what_if, match, workload->traces[t], i))
                return true;
        }
    }
    return false;
}

/* Names of groups, or of ops as families, of the first traces. */
static void suggest(const struct workload *workload, bool is_group, const char *text,
                    struct diag *diag)
{
    struct names names;
    char family[200];
    names_init(&names);
    for (uint32_t t = 0; t < workload->trace_count; t++) {
        struct trace *trace = workload->traces[t];
        for (uint32_t g = 0; is_group && g < trace->group_name_count; g++)
            names_add(&names, trace->group_names[g], strlen(trace->group_names[g]));
        for (uint32_t i = 0; !is_group && i < trace->count; i++) {
            trace_family(trace_name(trace, i), family, sizeof family);
            names_add(&names, family, strlen(family));
        }
    }
    const char **list = calloc((size_t)names.count + 1, sizeof *list);
    need_memory(list != NULL);
    for (uint32_t i = 0; i < names.count; i++)
        list[i] = names.text[i];
    const char *nearest = suggest_nearest(text, list);
    if (nearest && *nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    else if (names.count)
        diag_hint(diag, "there is \"%s\", for one", names.text[0]);
    free(list);
    names_release(&names);
}

static enum status check_names(const struct what_if *what_if, const struct workload *workload,
                               struct diag *diag)
{
    for (uint32_t m = 0; m < what_if->match_count; m++) {
        if (is_in(workload, what_if, m))
            continue;
        const char *what = what_if->match[m].is_group ? "communicator" : "op";
        diag_fail(diag, STATUS_USAGE, "the job has no %s \"%s\"", what, what_if->match[m].text);
        suggest(workload, what_if->match[m].is_group, what_if->match[m].text, diag);
        return diag->status;
    }
    return STATUS_OK;
}

enum status what_if_check(const struct what_if *what_if, const struct config *config,
                          const struct workload *workload, struct diag *diag)
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
    return check_names(what_if, workload, diag);
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
