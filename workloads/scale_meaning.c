#include "workloads/scale_meaning.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* -- names ---------------------------------------------------------------------------------- */

/* "dp-cp-gradients" is listed where "dp-cp" is: the same ranks (generate/job_groups.h). */
static bool is_listed(const char *list, const char *name)
{
    static const char suffix[] = "-gradients";
    size_t length = strlen(name), tail = sizeof suffix - 1;
    if (length > tail && strcmp(name + length - tail, suffix) == 0)
        length -= tail;
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

static bool means_data_parallel(const char *name)
{
    return is_listed("dp,dp-cp,dp_cp,data,data-parallel,data_parallel,replica,expert-dp,expert_dp",
                     name);
}

static bool does_grow(const struct scaling *scaling, const char *name, uint32_t members)
{
    if (scaling->grow)
        return is_listed(scaling->grow, name);
    return means_data_parallel(name) || !members || members == scaling->from->rank_count;
}

/* -- what names mean ------------------------------------------------------------------------ */

static struct meaning *push_meaning(struct scaling *scaling, struct meaning meaning)
{
    if (scaling->meaning_count == scaling->meaning_room) {
        scaling->meaning_room = scaling->meaning_room ? 2 * scaling->meaning_room : 16;
        scaling->meaning =
            realloc(scaling->meaning, scaling->meaning_room * sizeof *scaling->meaning);
        need_memory(scaling->meaning != NULL);
    }
    scaling->meaning[scaling->meaning_count] = meaning;
    return &scaling->meaning[scaling->meaning_count++];
}

static bool is_same_list(const struct group_entry *a, const struct group_entry *b)
{
    return a->count == b->count &&
           (!a->count || memcmp(a->ranks, b->ranks, a->count * sizeof *a->ranks) == 0);
}

/* A group that a trace declares; the same list under the same name is the same group on all
 * ranks. */
static const struct meaning *declared(struct scaling *scaling, const struct trace_group *group)
{
    struct group_entry *entry = arena_take(&scaling->out->arena, sizeof *entry);
    *entry = (struct group_entry){group->name, group->ranks, group->count};
    uint32_t twins = 0;
    for (uint32_t i = 0; i < scaling->meaning_count; i++) {
        const struct meaning *meaning = &scaling->meaning[i];
        if (strcmp(meaning->from, group->name) != 0)
            continue;
        if (is_same_list(meaning->list, entry))
            return meaning;
        twins++;
    }
    char name[80];
    int length = snprintf(name, sizeof name, twins ? "%.50s~%u" : "%.50s", group->name, twins);
    return push_meaning(
        scaling, (struct meaning){.name = arena_text(&scaling->out->arena, name, (size_t)length),
                                  .from = group->name,
                                  .list = entry,
                                  .count = 1,
                                  .grows = does_grow(scaling, group->name, group->count)});
}

/* Several groups of one name that a trace declares for all its ranks. */
static const struct meaning *declared_family(struct scaling *scaling, const struct trace *trace,
                                             const struct trace_group *last)
{
    for (uint32_t i = 0; i < scaling->meaning_count; i++) {
        if (strcmp(scaling->meaning[i].from, last->name) == 0)
            return &scaling->meaning[i];
    }
    struct group_entry *entry =
        arena_array(&scaling->out->arena, trace->group_count, sizeof *entry);
    uint32_t count = 0;
    for (uint32_t i = 0; i < trace->group_count; i++) {
        const struct trace_group *group = &trace->groups[i];
        if (group->is_family && strcmp(group->name, last->name) == 0)
            entry[count++] = (struct group_entry){group->name, group->ranks, group->count};
    }
    return push_meaning(scaling,
                        (struct meaning){.name = last->name,
                                         .from = last->name,
                                         .list = entry,
                                         .count = count,
                                         .grows = does_grow(scaling, last->name, last->count)});
}

static const struct meaning *in_file(struct scaling *scaling, const char *name)
{
    const struct group_file *groups = scaling->groups;
    for (uint32_t i = 0; i < scaling->meaning_count; i++) {
        if (strcmp(scaling->meaning[i].name, name) == 0)
            return &scaling->meaning[i];
    }
    for (uint32_t g = 0; g < groups->count; g++) {
        if (strcmp(groups->entry[g].name, name) != 0)
            continue;
        uint32_t count = 1;
        while (g + count < groups->count && strcmp(groups->entry[g + count].name, name) == 0)
            count++;
        const char *kept = arena_text(&scaling->out->arena, name, strlen(name));
        return push_meaning(
            scaling, (struct meaning){.name = kept,
                                      .from = kept,
                                      .list = &groups->entry[g],
                                      .count = count,
                                      .grows = does_grow(scaling, name, groups->entry[g].count)});
    }
    return NULL;
}

const struct meaning *scaling_meaning(struct scaling *scaling, const struct trace *trace,
                                      uint32_t index)
{
    if (index == TRACE_NONE)
        return NULL;
    const char *name = trace->group_names[index];
    for (uint32_t i = trace->group_count; i-- > 0;) { /* the latest declaration wins */
        const struct trace_group *group = &trace->groups[i];
        if (strcmp(group->name, name) == 0)
            return group->is_family ? declared_family(scaling, trace, group)
                                    : declared(scaling, group);
    }
    return in_file(scaling, name);
}

/* -- rule 2 --------------------------------------------------------------------------------- */

/* Does group name `index` of the trace mean all ranks? */
static bool is_over_all(const struct scaling *scaling, const struct trace *trace, uint32_t index)
{
    uint32_t all = scaling->from->rank_count;
    const char *name = trace->group_names[index];
    for (uint32_t i = trace->group_count; i-- > 0;) {
        if (strcmp(trace->groups[i].name, name) == 0)
            return !trace->groups[i].count || trace->groups[i].count == all;
    }
    for (uint32_t g = 0; g < scaling->groups->count; g++) {
        const struct group_entry *entry = &scaling->groups->entry[g];
        if (strcmp(entry->name, name) == 0)
            return !entry->count || entry->count == all;
    }
    return true;
}

struct survey {
    bool all_over_all;   /* every collective of the job is over all ranks */
    bool has_known;      /* some are in groups that grow by their name */
    const char *unknown; /* a group that nothing is known of */
};

/* A group that collectives use. */
static void look_at_name(const struct scaling *scaling, const struct trace *trace, uint32_t index,
                         struct survey *survey)
{
    const char *name = trace->group_names[index];
    if (is_over_all(scaling, trace, index))
        return;
    survey->all_over_all = false;
    if (means_data_parallel(name))
        survey->has_known = true;
    else if (!survey->unknown)
        survey->unknown = name;
}

static void look_at_trace(struct scaling *scaling, const struct trace *trace, struct survey *survey)
{
    bool *is_used = calloc(trace->group_name_count + (size_t)1, sizeof *is_used);
    need_memory(is_used != NULL);
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct trace_node *node = &trace->node[i];
        scaling->has_messages |= node->type == OP_SEND || node->type == OP_RECV;
        if (node->type == OP_COLLECTIVE && node->group != TRACE_NONE)
            is_used[node->group] = true;
    }
    for (uint32_t i = 0; i < trace->group_name_count; i++) {
        if (is_used[i])
            look_at_name(scaling, trace, i, survey);
    }
    free(is_used);
}

enum status scaling_survey(struct scaling *scaling)
{
    struct survey survey = {.all_over_all = true};
    for (uint32_t t = 0; t < scaling->from->trace_count; t++)
        look_at_trace(scaling, scaling->from->traces[t], &survey);
    if (scaling->grow)
        return STATUS_OK;
    if (!survey.all_over_all && !survey.has_known) {
        diag_fail(scaling->diag, STATUS_BAD_CONFIG,
                  "which groups are data-parallel? \"%.60s\" could be anything", survey.unknown);
        diag_field(scaling->diag, "scale-groups");
        diag_hint(scaling->diag, "--scale-groups NAME[,NAME..] names the groups that grow");
        return STATUS_BAD_CONFIG;
    }
    notices_add(scaling->notices, NOTICE_GUESSED, "data-parallel groups by name", 1, "%s",
                survey.all_over_all ? "all collectives run over all ranks: those grow"
                                    : "dp, dp-cp, replica and their like grow");
    return STATUS_OK;
}

enum status scaling_check_names(const struct scaling *scaling)
{
    for (const char *at = scaling->grow; at;) {
        size_t length = strcspn(at, ",");
        bool is_used = false;
        for (uint32_t m = 0; m < scaling->meaning_count; m++)
            is_used |= strlen(scaling->meaning[m].from) == length &&
                       strncmp(scaling->meaning[m].from, at, length) == 0;
        if (!is_used) {
            diag_fail(scaling->diag, STATUS_BAD_CONFIG, "no trace uses a group \"%.*s\"",
                      (int)(length < 60 ? length : 60), at);
            diag_field(scaling->diag, "scale-groups");
            return STATUS_BAD_CONFIG;
        }
        at = at[length] ? at + length + 1 : NULL;
    }
    return STATUS_OK;
}
