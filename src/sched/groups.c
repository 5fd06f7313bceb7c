#include "sched/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"

enum { KNOWN_SHOWN = 12 };

/* Where a group was declared, for messages. */
struct declaration {
    const char *name;
    const uint32_t *ranks;
    uint32_t count;
    const char *path;
};

struct build {
    struct groups *groups;
    const struct workload *workload;
    const struct group_file *file;
    struct names names;   /* of the file */
    uint32_t *first;      /* [name + 1]: its first entry in the file */
    uint32_t *meaning;    /* [name]: group or family, GROUP_NONE: not used yet */
    struct table by_hash; /* hash of name and members -> group (first of a chain by `next`) */
    uint32_t *next;
    uint32_t room;
    struct diag *diag;
};

static int compare_places(const void *left, const void *right)
{
    const struct group_place *a = left, *b = right;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static enum status declaration_fail(struct build *build, const struct declaration *from,
                                    const char *format, uint32_t value)
{
    char text[200];
    snprintf(text, sizeof text, format, value);
    diag_fail(build->diag, STATUS_BAD_CONFIG, "%s; the system has ranks 0 to %u", text,
              build->workload->rank_count - 1);
    diag_in(build->diag, from->path);
    diag_field(build->diag, "group \"%s\"", from->name);
    return STATUS_BAD_CONFIG;
}

/* Members sorted by rank, checked for range and repetition. */
static enum status sort_members(struct build *build, const struct declaration *from,
                                struct group_place **place)
{
    struct group_place *sorted = arena_array(&build->groups->arena, from->count, sizeof *sorted);
    for (uint32_t p = 0; p < from->count; p++) {
        if (from->ranks[p] >= build->workload->rank_count)
            return declaration_fail(build, from, "member %u does not exist", from->ranks[p]);
        sorted[p] = (struct group_place){from->ranks[p], p};
    }
    qsort(sorted, from->count, sizeof *sorted, compare_places);
    for (uint32_t p = 1; p < from->count; p++) {
        if (sorted[p].rank == sorted[p - 1].rank)
            return declaration_fail(build, from, "member %u is listed twice", sorted[p].rank);
    }
    *place = sorted;
    return STATUS_OK;
}

static uint32_t push_group(struct build *build, struct comm_group group, struct group_place *place)
{
    struct groups *groups = build->groups;
    if (groups->table.count == build->room) {
        build->room = build->room ? 2 * build->room : 16;
        groups->table.group =
            realloc(groups->table.group, build->room * sizeof *groups->table.group);
        groups->place = realloc(groups->place, build->room * sizeof *groups->place);
        build->next = realloc(build->next, build->room * sizeof *build->next);
        need_memory(groups->table.group && groups->place && build->next);
    }
    uint32_t index = groups->table.count++;
    groups->table.group[index] = group;
    groups->place[index] = place;
    build->next[index] = TABLE_NONE;
    return index;
}

static bool is_same(const struct comm_group *group, const struct declaration *from)
{
    return group->count == from->count && strcmp(group->name, from->name) == 0 &&
           memcmp(group->ranks, from->ranks, from->count * sizeof *from->ranks) == 0;
}

/* The group of this name and member list, made if it is new. An empty list means all ranks. */
static enum status intern_group(struct build *build, struct declaration from, uint32_t *index)
{
    if (from.count == 0) {
        from.ranks = build->groups->table.group[0].ranks;
        from.count = build->workload->rank_count;
    }
    uint64_t hash = hash_bytes(from.name, strlen(from.name), 0);
    hash = hash_bytes(from.ranks, from.count * sizeof *from.ranks, hash);
    uint32_t first = table_find(&build->by_hash, hash);
    for (uint32_t g = first; g != TABLE_NONE; g = build->next[g]) {
        if (is_same(&build->groups->table.group[g], &from)) {
            *index = g;
            return STATUS_OK;
        }
    }
    struct group_place *place = NULL;
    enum status status = sort_members(build, &from, &place);
    if (status)
        return status;
    *index = push_group(build,
                        (struct comm_group){.name = from.name,
                                            .ranks = from.ranks,
                                            .count = from.count,
                                            .is_world = from.count == build->workload->rank_count},
                        place);
    build->next[*index] = first;
    table_put(&build->by_hash, hash, *index);
    return STATUS_OK;
}

static enum status undefined_fail(struct build *build, const struct trace *trace, const char *name)
{
    char known[300] = "";
    size_t at = 0;
    uint32_t shown = 0;
    for (uint32_t i = 0; i < build->file->count && shown < KNOWN_SHOWN; i++, shown++)
        at += (size_t)snprintf(known + at, sizeof known - at, " \"%.16s\"",
                               build->file->entry[i].name);
    for (uint32_t i = 0; i < trace->group_count && shown < KNOWN_SHOWN; i++, shown++)
        at += (size_t)snprintf(known + at, sizeof known - at, " \"%.16s\"", trace->groups[i].name);
    uint32_t more = build->file->count + trace->group_count - shown;
    diag_fail(build->diag, STATUS_BAD_INPUT,
              "communicator group \"%s\" is used but not defined; known:%s%s", name,
              shown ? known : " none", more ? " and more" : "");
    diag_in(build->diag, trace->path);
    diag_field(build->diag, "pg_name");
    diag_hint(build->diag, "define it in the file given with --comm-group");
    return STATUS_BAD_INPUT;
}

/* Groups of one name without a common member: what each rank means (model/group.h, rule 4). */
static uint32_t *new_family(struct build *build, uint32_t *index)
{
    uint32_t *of_rank =
        arena_array(&build->groups->arena, build->workload->rank_count, sizeof *of_rank);
    for (uint32_t r = 0; r < build->workload->rank_count; r++)
        of_rank[r] = GROUP_NONE;
    *index = GROUP_IS_FAMILY | build->groups->family_count;
    build->groups->family[build->groups->family_count++] = of_rank;
    return of_rank;
}

static enum status join_family(struct build *build, uint32_t *of_rank, struct declaration from)
{
    uint32_t group;
    enum status status = intern_group(build, from, &group);
    for (uint32_t p = 0; status == STATUS_OK && p < from.count; p++) {
        if (of_rank[from.ranks[p]] != GROUP_NONE)
            return declaration_fail(build, &from, "member %u is in another group of this name",
                                    from.ranks[p]);
        of_rank[from.ranks[p]] = group;
    }
    return status;
}

static enum status family_of_file(struct build *build, uint32_t number, uint32_t *index)
{
    const struct group_file *file = build->file;
    uint32_t *of_rank = new_family(build, index);
    enum status status = STATUS_OK;
    for (uint32_t i = build->first[number]; i < build->first[number + 1] && !status; i++) {
        const struct group_entry *entry = &file->entry[i];
        status =
            join_family(build, of_rank,
                        (struct declaration){entry->name, entry->ranks, entry->count, file->path});
    }
    return status;
}

static enum status family_of_trace(struct build *build, const struct trace *trace, const char *name,
                                   uint32_t *index)
{
    uint32_t *of_rank = new_family(build, index);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < trace->group_count && !status; i++) {
        const struct trace_group *group = &trace->groups[i];
        if (group->is_family && strcmp(group->name, name) == 0)
            status =
                join_family(build, of_rank,
                            (struct declaration){name, group->ranks, group->count, trace->path});
    }
    return status;
}

/* What the name of that number in the group file means, found out at its first use. */
static enum status of_file_name(struct build *build, uint32_t number, uint32_t *index)
{
    const struct group_entry *entry = &build->file->entry[build->first[number]];
    enum status status = STATUS_OK;
    if (build->meaning[number] == GROUP_NONE && build->first[number + 1] - build->first[number] > 1)
        status = family_of_file(build, number, &build->meaning[number]);
    else if (build->meaning[number] == GROUP_NONE)
        status = intern_group(
            build, (struct declaration){entry->name, entry->ranks, entry->count, build->file->path},
            &build->meaning[number]);
    *index = build->meaning[number];
    return status;
}

static enum status resolve_name(struct build *build, const struct trace *trace, const char *name,
                                struct notices *notices, uint32_t *index)
{
    for (uint32_t i = trace->group_count; i-- > 0;) { /* the latest declaration wins */
        const struct trace_group *group = &trace->groups[i];
        if (strcmp(group->name, name) == 0 && group->is_family)
            return family_of_trace(build, trace, name, index);
        if (strcmp(group->name, name) == 0)
            return intern_group(
                build, (struct declaration){name, group->ranks, group->count, trace->path}, index);
    }
    uint32_t number = names_find(&build->names, name, strlen(name));
    if (number != TABLE_NONE)
        return of_file_name(build, number, index);
    if (strcmp(name, "") != 0 && strcmp(name, "0") != 0)
        return undefined_fail(build, trace, name);
    if (name[0])
        notices_add(notices, NOTICE_DEFAULTED, "communicator group \"0\" taken as all ranks", 1,
                    "%s", trace->path);
    *index = 0;
    return STATUS_OK;
}

static enum status resolve_trace(struct build *build, uint32_t t, struct notices *notices)
{
    struct trace *trace = build->workload->traces[t];
    uint32_t *of_name =
        arena_array(&build->groups->arena, trace->group_name_count, sizeof *of_name);
    build->groups->of_name[t] = of_name;
    for (uint32_t i = 0; i < trace->group_name_count; i++) {
        enum status status =
            resolve_name(build, trace, trace->group_names[i], notices, &of_name[i]);
        if (status)
            return status;
    }
    return STATUS_OK;
}

/* A group that no node uses is checked too: the file is for another system, or has a slip. */
static enum status check_file(struct build *build)
{
    for (uint32_t i = 0; i < build->file->count; i++) {
        const struct group_entry *entry = &build->file->entry[i];
        const struct declaration from = {entry->name, entry->ranks, entry->count,
                                         build->file->path};
        for (uint32_t p = 0; p < entry->count; p++) {
            if (entry->ranks[p] >= build->workload->rank_count)
                return declaration_fail(build, &from, "member %u does not exist", entry->ranks[p]);
        }
    }
    return STATUS_OK;
}

/* Every rank must be a member of each group its trace uses. */
static enum status check_membership(struct build *build)
{
    const struct workload *workload = build->workload;
    for (uint32_t r = 0; r < workload->rank_count; r++) {
        uint32_t t = workload->trace_of_rank[r];
        const struct trace *trace = workload->traces[t];
        for (uint32_t i = 0; i < trace->group_name_count; i++) {
            uint32_t group = groups_of(build->groups, t, i, r);
            if (group != GROUP_NONE && groups_position(build->groups, group, r) != UINT32_MAX)
                continue;
            if (group == GROUP_NONE)
                diag_fail(build->diag, STATUS_BAD_INPUT,
                          "uses communicator group \"%s\" without being in any group of that name",
                          trace->group_names[i]);
            else
                diag_fail(build->diag, STATUS_BAD_INPUT,
                          "uses communicator group \"%s\" without being one of its %u members",
                          trace->group_names[i], build->groups->table.group[group].count);
            diag_in(build->diag, trace->path);
            diag_rank(build->diag, r);
            diag_field(build->diag, "pg_name");
            return STATUS_BAD_INPUT;
        }
    }
    return STATUS_OK;
}

/* Entries of one name follow each other. */
static void number_names(struct build *build)
{
    const struct group_file *file = build->file;
    names_init(&build->names);
    build->first = arena_array(&build->groups->arena, (size_t)file->count + 1, sizeof(uint32_t));
    build->meaning = arena_array(&build->groups->arena, file->count, sizeof(uint32_t));
    for (uint32_t i = 0; i < file->count; i++) {
        uint32_t before = build->names.count;
        if (i && strcmp(file->entry[i].name, file->entry[i - 1].name) == 0)
            continue;
        names_add(&build->names, file->entry[i].name, strlen(file->entry[i].name));
        promise(build->names.count == before + 1);
        build->meaning[before] = GROUP_NONE;
        build->first[before] = i;
    }
    build->first[build->names.count] = file->count;
    size_t families = build->names.count;
    for (uint32_t t = 0; t < build->workload->trace_count; t++)
        families += build->workload->traces[t]->group_name_count;
    build->groups->family =
        arena_array(&build->groups->arena, families, sizeof *build->groups->family);
}

enum status groups_build(struct groups *groups, const struct workload *workload,
                         const struct group_file *file, struct notices *notices, struct diag *diag)
{
    static const struct group_file no_file = {.path = ""};
    *groups = (struct groups){0};
    arena_init(&groups->arena);
    struct build build = {
        .groups = groups, .workload = workload, .file = file ? file : &no_file, .diag = diag};
    table_init(&build.by_hash);
    number_names(&build);
    uint32_t *everyone = arena_array(&groups->arena, workload->rank_count, sizeof *everyone);
    for (uint32_t r = 0; r < workload->rank_count; r++)
        everyone[r] = r;
    push_group(&build,
               (struct comm_group){"world", everyone, workload->rank_count, .is_world = true},
               NULL);
    groups->of_name = arena_array(&groups->arena, workload->trace_count, sizeof *groups->of_name);
    enum status status = check_file(&build);
    for (uint32_t t = 0; t < workload->trace_count && !status; t++)
        status = resolve_trace(&build, t, notices);
    if (!status)
        status = check_membership(&build);
    table_release(&build.by_hash);
    names_release(&build.names);
    free(build.next);
    if (status)
        groups_release(groups);
    return status;
}

void groups_release(struct groups *groups)
{
    free(groups->table.group);
    free(groups->place);
    arena_release(&groups->arena);
    *groups = (struct groups){0};
}

uint32_t groups_position(const struct groups *groups, uint32_t group, uint32_t rank)
{
    const struct group_place *place = groups->place[group];
    if (!place)
        return rank;
    uint32_t low = 0, high = groups->table.group[group].count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (place[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < groups->table.group[group].count && place[low].rank == rank;
    return found ? place[low].position : UINT32_MAX;
}

uint32_t groups_peer(const struct groups *groups, uint32_t trace, const struct trace_node *node,
                     uint32_t rank)
{
    if (!(node->flags & NODE_PEER_IN_GROUP))
        return node->peer;
    uint32_t group = groups_of(groups, trace, node->group, rank);
    const struct comm_group *members = &groups->table.group[group];
    uint32_t place = groups_position(groups, group, rank);
    return members->ranks[(place + (uint64_t)node->peer) % members->count];
}
