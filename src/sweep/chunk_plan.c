#include "sweep/chunk_plan.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fields.h"
#include "base/file.h"
#include "report/json_writer.h"

static const char schema[] = "orrery.sweep-plan/1";

uint32_t chunk_plan_part(const struct chunk_plan *plan, uint32_t task, uint32_t *first)
{
    promise(task < chunk_plan_tasks(plan));
    *first = task * plan->chunk_points;
    uint32_t left = plan->count - *first;
    return left < plan->chunk_points ? left : plan->chunk_points;
}

/* -- writing ----------------------------------------------------------------------------------- */

static void write_points(struct json_writer *json, const struct chunk_plan *plan)
{
    json_list_begin(json, "points", JSON_LINES);
    for (uint32_t i = 0; i < plan->count; i++) {
        char hex[IDENTITY_HEX];
        json_list_begin(json, NULL, JSON_INLINE);
        json_u64(json, NULL, plan->ordinal[i]);
        json_text(json, NULL, identity_show(hex, plan->request[i]));
        json_list_end(json);
    }
    json_list_end(json);
}

enum status chunk_plan_write(const struct chunk_plan *plan, struct diag *diag)
{
    char path[CHUNK_PATH];
    struct out_file out;
    struct json_writer json;
    snprintf(path, sizeof path, "%s/plan.json", plan->folder);
    enum status status = out_file_open(&out, path, diag);
    if (status != STATUS_OK)
        return status;
    json_init(&json, out.stream);
    json_map_begin(&json, NULL, JSON_LINES);
    json_text(&json, "schema", schema);
    json_text(&json, "jobs", plan->jobs);
    json_text(&json, "program", plan->program);
    json_text(&json, "study", plan->study);
    json_text(&json, "text", plan->text);
    json_text(&json, "store", plan->store);
    json_u64(&json, "chunk_points", plan->chunk_points);
    write_points(&json, plan);
    json_map_end(&json);
    return out_file_commit(&out, diag);
}

/* -- reading ----------------------------------------------------------------------------------- */

static bool read_request(const char *hex, struct identity *request)
{
    char again[IDENTITY_HEX];
    if (sscanf(hex, "%16" SCNx64 "%16" SCNx64, &request->word[0], &request->word[1]) != 2)
        return false;
    return strcmp(identity_show(again, *request), hex) == 0;
}

static enum status read_points(struct chunk_plan *plan, const struct doc *doc, struct diag *diag)
{
    const struct doc_node *list = doc_find(doc->root, "points");
    enum status status = doc_want(doc, list, "points", DOC_LIST, diag);
    if (status != STATUS_OK)
        return status;
    plan->count = list->count;
    plan->ordinal = arena_array(&plan->arena, list->count, sizeof *plan->ordinal);
    plan->request = arena_array(&plan->arena, list->count, sizeof *plan->request);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct doc_node *point = &list->child[i];
        if (point->kind != DOC_LIST || point->count != 2 || !point->child[0].is_integer ||
            point->child[0].is_negative || point->child[0].magnitude >= UINT32_MAX ||
            !point->child[1].text || !read_request(point->child[1].text, &plan->request[i]))
            return doc_fail(doc, point, "points", "[ordinal, \"32 hexadecimal digits\"]", diag);
        plan->ordinal[i] = (uint32_t)point->child[0].magnitude;
    }
    return STATUS_OK;
}

static enum status read_plan(struct chunk_plan *plan, const struct doc *doc, struct diag *diag)
{
    static const char *const more[] = {"schema", "points", NULL};
    const char *found = NULL;
    static const struct field field[] = {
        FIELD(struct chunk_plan, jobs, "jobs", FIELD_TEXT, .is_required = true),
        FIELD(struct chunk_plan, program, "program", FIELD_TEXT, .is_required = true),
        FIELD(struct chunk_plan, study, "study", FIELD_TEXT, .is_required = true),
        FIELD(struct chunk_plan, text, "text", FIELD_TEXT, .is_required = true),
        FIELD(struct chunk_plan, store, "store", FIELD_TEXT, .is_required = true),
        FIELD(struct chunk_plan, chunk_points, "chunk_points", FIELD_U32, .is_required = true,
              .least = 1),
        {0}};
    const struct field_reader reader = {doc, &plan->arena, diag, ""};
    const struct doc_node *is = doc_find(doc->root, "schema");
    enum status status = doc_get_text(doc, is, "schema", &found, diag);
    if (status == STATUS_OK && strcmp(found, schema) != 0)
        status = doc_fail(doc, is, "schema", schema, diag);
    if (status == STATUS_OK)
        status = fields_read(&reader, doc->root, field, more, plan);
    return status == STATUS_OK ? read_points(plan, doc, diag) : status;
}

enum status chunk_plan_read(struct chunk_plan *plan, const char *folder, struct diag *diag)
{
    char path[CHUNK_PATH];
    struct doc doc;
    *plan = (struct chunk_plan){.folder = NULL};
    arena_init(&plan->arena);
    plan->folder = arena_text(&plan->arena, folder, strlen(folder));
    snprintf(path, sizeof path, "%s/plan.json", folder);
    enum status status = doc_load(&doc, path, DOC_JSON, diag);
    if (status == STATUS_OK)
        status = read_plan(plan, &doc, diag);
    doc_release(&doc);
    return status;
}

void chunk_plan_release(struct chunk_plan *plan)
{
    arena_release(&plan->arena);
}

/* -- the folder -------------------------------------------------------------------------------- */

void chunk_file(char to[CHUNK_PATH], const char *folder, uint32_t task, const char *end)
{
    snprintf(to, CHUNK_PATH, "%s/%" PRIu32 ".%s", folder, task, end);
}

char **chunk_submissions(struct arena *arena, const char *jobs_folder, uint32_t *count)
{
    char **name = NULL;
    uint32_t room = 0;
    *count = 0;
    DIR *dir = opendir(jobs_folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (strncmp(entry->d_name, CHUNK_JOBS, strlen(CHUNK_JOBS)) != 0)
            continue;
        name = arena_grow(arena, name, *count, &room, sizeof *name);
        name[(*count)++] = arena_text(arena, entry->d_name, strlen(entry->d_name));
    }
    if (dir)
        closedir(dir);
    return name;
}

void chunk_remove(const char *folder)
{
    char path[CHUNK_PATH];
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
            unlink(path); /* not of "." and ".." */
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}
