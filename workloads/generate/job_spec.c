#include "workloads/generate/job_spec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/embedded.h"
#include "base/suggest.h"
#include "config/places.h"
#include "workloads/generate/preset_files.h"

static const char *const job_keys[] = {"model", "framework", "plan", NULL};

void job_spec_init(struct job_spec *spec)
{
    *spec = (struct job_spec){.name = ""};
    arena_init(&spec->arena);
    train_plan_defaults(&spec->plan);
}

void job_spec_release(struct job_spec *spec)
{
    arena_release(&spec->arena);
}

bool job_spec_is_file(const char *path)
{
    struct doc doc;
    struct diag ignored = DIAG_NONE;
    if (!embedded_is_path(path) || doc_load(&doc, path, DOC_YAML, &ignored) != STATUS_OK)
        return false;
    bool is_job = false;
    for (const char *const *key = job_keys; *key; key++)
        is_job = is_job || doc_find(doc.root, *key);
    is_job = is_job && !doc_find(doc.root, "network");
    doc_release(&doc);
    return is_job;
}

/* -- reading --------------------------------------------------------------------------------- */

/* What a job's file calls `name`: a preset, or a path from the file's folder on. */
static const char *name_from(struct job_spec *spec, const struct doc *doc, const char *name)
{
    return embedded_is_path(name) ? path_beside(&spec->arena, doc, name) : name;
}

static enum status get_name(struct job_spec *spec, const struct doc *doc, const char *key,
                            const char *otherwise, const char **name, struct diag *diag)
{
    const struct doc_node *node = doc_find(doc->root, key);
    *name = otherwise;
    if (!node && otherwise)
        return STATUS_OK;
    enum status status = doc_get_text(doc, node, key, name, diag);
    if (status == STATUS_OK)
        *name = name_from(spec, doc, arena_text(&spec->arena, *name, strlen(*name)));
    return status;
}

static enum status load_parts(struct job_spec *spec, const char *model, const char *framework,
                              struct notices *notices, struct diag *diag)
{
    enum status status = model_spec_load(&spec->model, model, &spec->arena, notices, diag);
    if (status == STATUS_OK)
        status = framework_load(&spec->framework, framework, &spec->arena, notices, diag);
    if (status == STATUS_OK)
        framework_plan(&spec->framework, &spec->plan);
    return status;
}

static enum status read_plan(struct job_spec *spec, const struct doc *doc,
                             const struct doc_node *map, const char *path, struct diag *diag)
{
    const struct field_reader reader = {doc, &spec->arena, diag, path};
    return train_plan_read(&spec->plan, &reader, map);
}

static enum status refuse_key(const struct doc *doc, const struct doc_node *key, struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_CONFIG, "a job has the keys model, framework and plan");
    diag_in(diag, doc->path);
    diag_at(diag, DIAG_LINE, key->line);
    diag_field(diag, "%s", key->key);
    const char *nearest = suggest_nearest(key->key, job_keys);
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(diag, "what the job runs on goes into a file of its own: --cluster FILE");
    return STATUS_BAD_CONFIG;
}

static enum status read_file(struct job_spec *spec, const struct doc *doc, struct notices *notices,
                             struct diag *diag)
{
    const struct doc_node *unknown = doc_unknown_key(doc->root, job_keys);
    if (unknown)
        return refuse_key(doc, unknown, diag);
    const char *model, *framework;
    enum status status = get_name(spec, doc, "model", NULL, &model, diag);
    if (status == STATUS_OK)
        status = get_name(spec, doc, "framework", "megatron", &framework, diag);
    if (status == STATUS_OK)
        status = load_parts(spec, model, framework, notices, diag);
    const struct doc_node *plan = doc_find(doc->root, "plan");
    return status == STATUS_OK && plan ? read_plan(spec, doc, plan, "plan", diag) : status;
}

enum status job_spec_load(struct job_spec *spec, const char *name, struct notices *notices,
                          struct diag *diag)
{
    spec->name = arena_text(&spec->arena, name, strlen(name));
    if (!job_spec_is_file(name))
        return load_parts(spec, name, "megatron", notices, diag);
    struct doc doc;
    enum status status = doc_load(&doc, name, DOC_YAML, diag);
    if (status != STATUS_OK)
        return status;
    spec->hash = doc.content_hash;
    status = read_file(spec, &doc, notices, diag);
    doc_release(&doc);
    return status;
}

enum status job_spec_framework(struct job_spec *spec, const char *name, struct notices *notices,
                               struct diag *diag)
{
    enum status status = framework_load(&spec->framework, name, &spec->arena, notices, diag);
    if (status == STATUS_OK)
        framework_plan(&spec->framework, &spec->plan);
    return status;
}

/* -- the command line ------------------------------------------------------------------------ */

enum status job_spec_override(struct job_spec *spec, const char *text, struct diag *diag)
{
    char *yaml = arena_take(&spec->arena, 2 * strlen(text) + 3);
    size_t length = 1;
    yaml[0] = '{';
    for (const char *at = text; *at; at++) {
        yaml[length++] = *at == '=' ? ':' : *at;
        if (*at == '=')
            yaml[length++] = ' ';
    }
    yaml[length++] = '}';
    yaml[length] = '\0';
    struct doc doc;
    enum status status =
        doc_parse(&doc, "the plan on the command line", yaml, length, DOC_YAML, diag);
    if (status == STATUS_OK) {
        status = read_plan(spec, &doc, doc.root, "", diag);
        doc_release(&doc);
    }
    if (status != STATUS_OK) {
        diag->status = STATUS_USAGE;
        diag_hint(diag, "KEY=VALUE,KEY=VALUE, as in tp=8,pp=4,seq=8192 "
                        "(configs/examples/jobs/full.yaml has every key)");
    }
    return status == STATUS_OK ? STATUS_OK : STATUS_USAGE;
}

enum status job_spec_finish(struct job_spec *spec, uint32_t devices, struct notices *notices,
                            struct diag *diag)
{
    uint32_t asked = spec->plan.ranks;
    if (asked != 0 && asked != devices) {
        diag_field(diag, "plan.ranks");
        diag_hint(diag, "nearest: ranks %" PRIu32 ", or leave it out", devices);
        return diag_fail(diag, STATUS_BAD_CONFIG, "%" PRIu32 ", but there are %" PRIu32 " devices",
                         asked, devices);
    }
    spec->plan.ranks = devices;
    return train_plan_check(&spec->plan, &spec->model, notices, diag);
}
