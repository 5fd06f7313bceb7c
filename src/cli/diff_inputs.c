#include "cli/diff_inputs.h"

#include <inttypes.h>
#include <string.h>

#include "report/describe.h"
#include "report/plan_report.h"

struct list {
    struct arena *arena;
    struct diff_input *row;
    uint32_t count, room;
};

static const char *keep(struct list *list, const char *text)
{
    return text ? arena_text(list->arena, text, strlen(text)) : NULL;
}

static void add(struct list *list, const char *kind, const char *key, const char *a, const char *b)
{
    if ((a && b && strcmp(a, b) == 0) || (!a && !b))
        return;
    list->row = arena_grow(list->arena, list->row, list->count, &list->room, sizeof *list->row);
    list->row[list->count++] =
        (struct diff_input){kind, keep(list, key), keep(list, a), keep(list, b)};
}

/* -- the job ----------------------------------------------------------------------------------- */

/* Each key of the plan that differs. */
static void add_plan(struct list *list, const struct train_plan *a, const struct train_plan *b)
{
    char text_a[512], text_b[512];
    char *next_a, *next_b;
    plan_text(a, text_a, sizeof text_a);
    plan_text(b, text_b, sizeof text_b);
    char *word_a = strtok_r(text_a, ",", &next_a), *word_b = strtok_r(text_b, ",", &next_b);
    for (; word_a && word_b;
         word_a = strtok_r(NULL, ",", &next_a), word_b = strtok_r(NULL, ",", &next_b)) {
        char key[64];
        size_t length = strcspn(word_a, "=");
        snprintf(key, sizeof key, "plan.%.*s", (int)length, word_a);
        add(list, "job", key, word_a + length + (word_a[length] != '\0'),
            strchr(word_b, '=') ? strchr(word_b, '=') + 1 : "");
    }
}

static void add_job(struct list *list, const struct job *a, const struct job *b)
{
    char ranks_a[16], ranks_b[16];
    const struct job_spec *in_a = a->work.has_spec ? &a->work.spec : NULL;
    const struct job_spec *in_b = b->work.has_spec ? &b->work.spec : NULL;
    add(list, "job", "job", in_a ? in_a->name : NULL, in_b ? in_b->name : NULL);
    snprintf(ranks_a, sizeof ranks_a, "%" PRIu32, a->result.rank_count);
    snprintf(ranks_b, sizeof ranks_b, "%" PRIu32, b->result.rank_count);
    add(list, "job", "ranks", ranks_a, ranks_b);
    if (!in_a || !in_b)
        return;
    add(list, "job", "framework", in_a->framework.name, in_b->framework.name);
    add_plan(list, &in_a->plan, &in_b->plan);
}

/* -- settings ---------------------------------------------------------------------------------- */

static const char *value_in(const struct config *config, const char *key)
{
    for (uint32_t i = 0; i < config->provenance_count; i++) {
        if (strcmp(config->provenance[i].key, key) == 0)
            return config->provenance[i].value;
    }
    return NULL;
}

static bool is_told_elsewhere(const struct provenance *row)
{
    return describe_is_fold_row(row) || strcmp(row->key, "workload.traces") == 0 ||
           strcmp(row->key, "network.npus") == 0;
}

static void add_settings(struct list *list, const struct config *a, const struct config *b)
{
    for (uint32_t i = 0; i < a->provenance_count; i++) {
        const struct provenance *row = &a->provenance[i];
        if (!is_told_elsewhere(row))
            add(list, "setting", row->key, row->value, value_in(b, row->key));
    }
    for (uint32_t i = 0; i < b->provenance_count; i++) {
        const struct provenance *row = &b->provenance[i];
        if (!is_told_elsewhere(row) && !value_in(a, row->key))
            add(list, "setting", row->key, NULL, row->value);
    }
}

/* -- files ------------------------------------------------------------------------------------- */

/* The first file of that role whose bytes the other run has not read. */
static const struct config_input *only_in(const struct config *config, const struct config *other,
                                          const char *role)
{
    for (uint32_t i = 0; i < config->input_count; i++) {
        const struct config_input *input = &config->input[i];
        bool is_there = strcmp(input->role, role) != 0;
        for (uint32_t k = 0; k < other->input_count && !is_there; k++)
            is_there = other->input[k].hash == input->hash;
        if (!is_there)
            return input;
    }
    return NULL;
}

static const char *show_file(char *to, size_t size, const struct config_input *input)
{
    if (!input)
        return NULL;
    snprintf(to, size, "%.200s (%016" PRIx64 ")", input->path, input->hash);
    return to;
}

static bool has_role(const struct list *list, const char *role)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(list->row[i].kind, "file") == 0 && strcmp(list->row[i].key, role) == 0)
            return true;
    }
    return false;
}

static void add_files_of(struct list *list, const struct config *roles, const struct config *a,
                         const struct config *b)
{
    for (uint32_t i = 0; i < roles->input_count; i++) {
        const char *role = roles->input[i].role;
        char text_a[256], text_b[256];
        if (!has_role(list, role))
            add(list, "file", role, show_file(text_a, sizeof text_a, only_in(a, b, role)),
                show_file(text_b, sizeof text_b, only_in(b, a, role)));
    }
}

/* How many traces of files the other run has not. */
static uint32_t count_others(const struct workload *workload, const struct workload *other)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < workload->trace_count; t++) {
        bool is_there = false;
        for (uint32_t k = 0; k < other->trace_count && !is_there; k++)
            is_there = other->traces[k]->content_hash == workload->traces[t]->content_hash;
        count += !is_there;
    }
    return count;
}

static const char *show_traces(char *to, size_t size, const struct job *job, uint32_t others)
{
    snprintf(to, size, "%.160s: %" PRIu32 " of %" PRIu32 " are others", job_name(job), others,
             work_load_of(&job->work)->trace_count);
    return to;
}

static void add_traces(struct list *list, const struct job *a, const struct job *b)
{
    if (a->work.has_spec || b->work.has_spec)
        return; /* generated: the job says what differs */
    const struct workload *in_a = work_load_of(&a->work), *in_b = work_load_of(&b->work);
    uint32_t only_a = count_others(in_a, in_b), only_b = count_others(in_b, in_a);
    char text_a[256], text_b[256];
    if (only_a || only_b)
        add(list, "file", "traces", show_traces(text_a, sizeof text_a, a, only_a),
            show_traces(text_b, sizeof text_b, b, only_b));
}

uint32_t diff_inputs_find(const struct job *a, const struct job *b, struct arena *arena,
                          struct diff_input **rows)
{
    struct list list = {.arena = arena};
    add_job(&list, a, b);
    add_settings(&list, &a->config, &b->config);
    add_files_of(&list, &a->config, &a->config, &b->config);
    add_files_of(&list, &b->config, &a->config, &b->config);
    add_traces(&list, a, b);
    *rows = list.row;
    return list.count;
}
