#include "workloads/generate/job_entries.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "model/trace.h"

void job_entries_init(struct job_entries *entries, const struct group_file *groups, uint32_t ranks)
{
    *entries = (struct job_entries){.groups = groups, .ranks = ranks};
    names_init(&entries->names);
    for (uint32_t g = 0; g < groups->count; g++)
        names_add(&entries->names, groups->entry[g].name, strlen(groups->entry[g].name));
    size_t size = (size_t)entries->names.count * ranks;
    entries->member_of = malloc((size + 1) * sizeof *entries->member_of);
    need_memory(entries->member_of != NULL);
    memset(entries->member_of, 0xff, size * sizeof *entries->member_of);
    for (uint32_t g = 0; g < groups->count; g++) {
        const struct group_entry *entry = &groups->entry[g];
        uint32_t name = names_find(&entries->names, entry->name, strlen(entry->name));
        for (uint32_t i = 0; i < (entry->count ? entry->count : ranks); i++)
            entries->member_of[(size_t)name * ranks + (entry->count ? entry->ranks[i] : i)] = g;
    }
}

void job_entries_release(struct job_entries *entries)
{
    free(entries->member_of);
    names_release(&entries->names);
}

uint32_t job_entry_of(const struct job_entries *entries, const char *name, uint32_t rank)
{
    uint32_t number = names_find(&entries->names, name, strlen(name));
    if (number == TABLE_NONE)
        return TRACE_NONE;
    return entries->member_of[(size_t)number * entries->ranks + rank];
}

uint32_t job_member_after(const struct job_entries *entries, uint32_t entry, uint32_t rank,
                          uint32_t places)
{
    const struct group_entry *group = &entries->groups->entry[entry];
    uint32_t at = 0;
    while (at < group->count && group->ranks[at] != rank)
        at++;
    return group->ranks[(at + (uint64_t)places) % group->count];
}

static void write_ranks(FILE *out, const struct group_entry *entry)
{
    fputc('[', out);
    for (uint32_t i = 0; i < entry->count; i++)
        fprintf(out, "%s%" PRIu32, i ? ", " : "", entry->ranks[i]);
    fputc(']', out);
}

static void write_name(FILE *out, const char *name)
{
    fputs("  \"", out);
    for (const char *at = name; *at; at++) {
        if (*at == '"' || *at == '\\')
            fputc('\\', out);
        if ((unsigned char)*at < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*at);
        else
            fputc(*at, out);
    }
    fputs("\": ", out);
}

enum status job_entries_write(const struct job_entries *entries, const char *path,
                              enum job_form form, struct diag *diag)
{
    const struct group_file *groups = entries->groups;
    struct out_file out;
    enum status status = out_file_open(&out, path, diag);
    if (status)
        return status;
    fputc('{', out.stream);
    for (uint32_t g = 0; g < groups->count; g++) {
        const char *name = groups->entry[g].name;
        bool is_shared = form == JOB_FORM_SHARED;
        bool continues = is_shared && g && strcmp(groups->entry[g - 1].name, name) == 0;
        bool goes_on =
            is_shared && g + 1 < groups->count && strcmp(groups->entry[g + 1].name, name) == 0;
        fputs(!g ? "\n" : ",\n", out.stream);
        if (!is_shared)
            fprintf(out.stream, "  \"%" PRIu32 "\": ", g + 1);
        else if (!continues)
            write_name(out.stream, name);
        if (continues)
            fputs("   ", out.stream);
        else if (goes_on)
            fputc('[', out.stream);
        write_ranks(out.stream, &groups->entry[g]);
        if (continues && !goes_on)
            fputc(']', out.stream);
    }
    fputs("\n}\n", out.stream);
    return out_file_commit(&out, diag);
}
