/* What is a RESULT, reports, and the words of a command. Points: rerun_point.c. */
#include "cli/rerun.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "cli/cli.h"

/* What "command" may hold. */
static const struct option input_options[] = {INPUT_OPTIONS, {0}};
static const struct command inputs_alone = {.name = "run", .options = input_options};

void rerun_init(struct rerun *rerun)
{
    *rerun = (struct rerun){.is_report = false};
}

void rerun_release(struct rerun *rerun)
{
    if (rerun->is_report)
        doc_release(&rerun->doc);
    free(rerun->command);
    if (rerun->is_point) {
        study_release(&rerun->study);
        point_inputs_release(rerun->point);
        free(rerun->point);
    }
    rerun_init(rerun);
}

/* -- words ------------------------------------------------------------------------------------- */

static const struct override *find_override(const struct inputs *inputs,
                                            const struct option *option)
{
    for (uint32_t i = 0; i < inputs->override_count; i++) {
        if (strcmp(inputs->override[i].option, option->name) == 0)
            return &inputs->override[i];
    }
    return NULL;
}

/* "--plan=tp=8", or the name alone. */
static const char *joined(struct arena *arena, const char *name, const char *text)
{
    size_t size = strlen(name) + strlen(text) + 2;
    char *word = arena_take(arena, size);
    snprintf(word, size, "%s%s%s", name, *text ? "=" : "", text);
    return word;
}

static const char *set_word(struct arena *arena, const char *key, const char *text)
{
    return joined(arena, "--set", joined(arena, key, text));
}

const char *const *rerun_words(const struct inputs *inputs, struct arena *arena)
{
    size_t options = sizeof input_options / sizeof *input_options, n = 0;
    const char **word = arena_array(arena, options + MOST_OVERRIDES + MOST_EDITS + 3, sizeof *word);
    for (const struct option *option = input_options; option->name; option++) {
        const char *text = NULL;
        const struct override *given = find_override(inputs, option);
        if (option->take == take_text)
            memcpy(&text, (const char *)inputs + option->offset, sizeof text);
        else if (given && strcmp(given->setting->key, "run.fold") != 0)
            text = option->fixed ? "" : given->text;
        if (text)
            word[n++] = joined(arena, option->name, text);
    }
    for (uint32_t i = 0; i < inputs->override_count; i++) {
        const struct override *given = &inputs->override[i];
        if (given->option[0] != '-' && strcmp(given->setting->key, "run.fold") != 0)
            word[n++] = set_word(arena, given->setting->key, given->text);
    }
    for (uint32_t i = 0; i < inputs->edit_count; i++)
        word[n++] = set_word(arena, inputs->edit[i].path, inputs->edit[i].text);
    if (inputs->word && inputs->word[0] == '-')
        word[n++] = "--";
    if (inputs->word)
        word[n++] = inputs->word;
    word[n] = NULL;
    return word;
}

/* -- reports ----------------------------------------------------------------------------------- */

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* What the file begins with, white space apart; 0 for nothing. */
static int first_byte(const char *path)
{
    FILE *file = is_file(path) ? fopen(path, "rb") : NULL;
    if (!file)
        return 0;
    int byte;
    do
        byte = fgetc(file);
    while (byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r');
    fclose(file);
    return byte;
}

static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), size = strlen(end);
    return length > size && strcmp(path + length - size, end) == 0;
}

/* Does it say that it is a report of ours? Then rerun->doc is open, and is_report set. Fails if it
 * is called JSON and begins so, but is damaged. */
static enum status open_report(struct rerun *rerun, const char *path, struct diag *diag)
{
    struct diag found = DIAG_NONE;
    if (first_byte(path) != '{')
        return STATUS_OK;
    if (doc_load(&rerun->doc, path, DOC_JSON, &found) != STATUS_OK) {
        if (!ends_in(path, ".json"))
            return STATUS_OK; /* a configuration may be written in braces */
        *diag = found;
        return diag->status;
    }
    const struct doc_node *schema = doc_find(rerun->doc.root, "schema_version");
    rerun->is_report =
        schema && schema->kind == DOC_TEXT && strncmp(schema->text, "orrery.", 7) == 0;
    if (!rerun->is_report)
        doc_release(&rerun->doc);
    return STATUS_OK;
}

static const struct doc_node *find_in(const struct rerun *rerun, const char *key)
{
    const struct doc_node *root = rerun->doc.root, *node = doc_find(root, key);
    return node ? node : doc_find(doc_find(root, "provenance"), key);
}

static enum status no_command(const struct rerun *rerun, struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_INPUT,
              "a report of schema \"%.40s\" without \"command\", which cannot be run again",
              doc_find(rerun->doc.root, "schema_version")->text);
    diag_in(diag, rerun->name);
    diag_hint(diag, "orrery run .. --format json and orrery explain .. --format json write what "
                    "can be; older versions did not");
    return STATUS_BAD_INPUT;
}

/* A run that cannot be held against its report must not look as if it had been. */
static enum status no_time(const struct rerun *rerun, struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_INPUT, "when its run ended is no whole number of ps");
    diag_in(diag, rerun->name);
    diag_hint(diag, "it was edited: \"end_ps\", or \"makespan_ps\" of explain");
    return STATUS_BAD_INPUT;
}

static enum status parse_command(struct rerun *rerun, const struct doc_node *list,
                                 struct inputs *inputs, struct diag *diag)
{
    const char *name = rerun->name;
    rerun->command = calloc(list->count + 1, sizeof *rerun->command);
    need_memory(rerun->command != NULL);
    for (uint32_t i = 0; i < list->count; i++) {
        const char *text;
        if (doc_get_text(&rerun->doc, &list->child[i], "command", &text, diag) != STATUS_OK)
            return diag->status;
        rerun->command[i] = arena_text(&rerun->doc.arena, text, strlen(text));
    }
    enum asked asked;
    *inputs = (struct inputs){.word = NULL};
    if (options_parse(&inputs_alone, (int)list->count, rerun->command, inputs, take_input_word,
                      &asked, diag) == STATUS_OK &&
        asked == ASKED_NOTHING)
        return STATUS_OK;
    diag_fail(diag, STATUS_USAGE, "--help is no input of a run");
    diag->status = STATUS_BAD_INPUT; /* of a file, not of the command line */
    diag_in(diag, name);
    return STATUS_BAD_INPUT;
}

static enum status read_report(struct rerun *rerun, struct inputs *inputs, struct diag *diag)
{
    const struct doc_node *command = doc_find(rerun->doc.root, "command");
    if (!command || command->kind != DOC_LIST || command->count == 0 ||
        (command->child[0].kind == DOC_TEXT && !*command->child[0].text))
        return no_command(rerun, diag);
    const struct doc_node *end = doc_find(rerun->doc.root, "end_ps");
    if (!end) /* of explain */
        end = doc_find(rerun->doc.root, "makespan_ps");
    const struct doc_node *status = doc_find(rerun->doc.root, "status");
    const struct doc_node *version = find_in(rerun, "orrery_version");
    bool is_ok = !status || (status->kind == DOC_TEXT && strcmp(status->text, "ok") == 0);
    bool is_time = end && end->kind == DOC_NUMBER && end->is_integer && !end->is_negative;
    if (is_ok && end && !is_time)
        return no_time(rerun, diag);
    rerun->has_end = is_ok && end;
    rerun->end_ps = rerun->has_end ? end->magnitude : 0;
    if (version && version->kind == DOC_TEXT)
        snprintf(rerun->version, sizeof rerun->version, "%s", version->text);
    return parse_command(rerun, command, inputs, diag);
}

/* -- opening ----------------------------------------------------------------------------------- */

/* Is there anything but the word? */
static bool has_more(const struct inputs *inputs)
{
    bool any = inputs->override_count || inputs->edit_count || inputs->ignored_count;
    for (const struct option *option = input_options; option->name; option++) {
        const char *text = NULL;
        if (option->take == take_text)
            memcpy(&text, (const char *)inputs + option->offset, sizeof text);
        any |= text != NULL;
    }
    return any;
}

static enum status check_alone(const struct rerun *rerun, const struct inputs *inputs,
                               struct diag *diag)
{
    if (!has_more(inputs))
        return STATUS_OK;
    usage_error(diag, NULL, "%.200s is a result, which has all its inputs: no others can be given",
                rerun->name);
    diag_hint(diag, "its list \"command\" holds the words to begin with");
    return STATUS_USAGE;
}

bool rerun_is_store(const char *word, char *path, size_t size, const char **point)
{
    const char *colon = strrchr(word, ':');
    size_t length = colon ? (size_t)(colon - word) : strlen(word);
    *point = colon ? colon + 1 : "";
    if (length >= size)
        return false;
    memcpy(path, word, length);
    path[length] = '\0';
    return ends_in(path, ".db");
}

enum status rerun_open(struct rerun *rerun, struct inputs *inputs, struct diag *diag)
{
    char store[4096];
    const char *point;
    if (!inputs->word || inputs->cluster)
        return STATUS_OK;
    rerun->name = inputs->word;
    bool is_point = rerun_is_store(inputs->word, store, sizeof store, &point);
    enum status status = is_point ? STATUS_OK : open_report(rerun, inputs->word, diag);
    if (status != STATUS_OK || (!is_point && !rerun->is_report))
        return status;
    status = check_alone(rerun, inputs, diag);
    if (status != STATUS_OK)
        return status;
    return is_point ? rerun_open_point(rerun, store, point, inputs, diag)
                    : read_report(rerun, inputs, diag);
}

void rerun_hint(const struct rerun *rerun, struct diag *diag)
{
    if (diag->status != STATUS_IO || (!rerun->is_report && !rerun->is_point))
        return;
    diag->hint[0] = '\0';
    diag_hint(diag, "paths of %.120s are relative to the folder in which %s: run there",
              rerun->name, rerun->is_point ? "its sweep ran" : "that command ran");
}

/* -- the same inputs? -------------------------------------------------------------------------- */

struct now {
    const struct config *config;
    const struct workload *workload;
    uint32_t at; /* where the last one was found: reports list them in order */
};

static uint32_t now_count(const struct now *now)
{
    return now->config->input_count + (now->workload ? now->workload->trace_count : 0);
}

static uint64_t now_hash(const struct now *now, uint32_t i, const char **path)
{
    uint32_t files = now->config->input_count;
    *path = i < files ? now->config->input[i].path : now->workload->traces[i - files]->path;
    return i < files ? now->config->input[i].hash : now->workload->traces[i - files]->content_hash;
}

static bool find_now(struct now *now, const char *path, uint64_t *hash)
{
    uint32_t count = now_count(now);
    for (uint32_t i = 0; i < count; i++) {
        const char *found;
        uint32_t at = (now->at + i) % count;
        *hash = now_hash(now, at, &found);
        if (strcmp(found, path) != 0)
            continue;
        now->at = at + 1;
        return true;
    }
    return false;
}

static void add_changed(struct rerun *rerun, const char *path)
{
    size_t used = strlen(rerun->changed);
    if (used + 20 < sizeof rerun->changed)
        snprintf(rerun->changed + used, sizeof rerun->changed - used, "%s%.60s", used ? ", " : "",
                 path);
    rerun->changed_count++;
}

void rerun_check_inputs(struct rerun *rerun, const struct config *config,
                        const struct workload *workload, struct notices *notices)
{
    const struct doc_node *list = rerun->is_report ? find_in(rerun, "inputs") : NULL;
    struct now now = {config, workload, 0};
    for (uint32_t i = 0; list && i < list->count; i++) {
        const struct doc_node *path = doc_find(&list->child[i], "path");
        const struct doc_node *hash = doc_find(&list->child[i], "content_hash");
        uint64_t found = 0;
        if (!path || !hash || path->kind != DOC_TEXT || hash->kind != DOC_TEXT)
            continue;
        if (!find_now(&now, path->text, &found) || found != strtoull(hash->text, NULL, 16))
            add_changed(rerun, path->text);
    }
    if (rerun->changed_count)
        notices_add(notices, NOTICE_ODDITY, "input that has changed since the result was stored",
                    rerun->changed_count, "%.180s", rerun->changed);
}

enum status rerun_check_end(const struct rerun *rerun, const struct run_result *result,
                            struct diag *diag)
{
    double end_s = (double)result->end_ps / 1e12;
    bool is_same = rerun->is_point ? end_s == rerun->end_s : result->end_ps == rerun->end_ps;
    if (!rerun->has_end || is_same)
        return STATUS_OK;
    if (rerun->is_point)
        diag_fail(diag, STATUS_BAD_INPUT, "the run ends at %.12g s, and ended at %.12g s then",
                  end_s, rerun->end_s);
    else
        diag_fail(diag, STATUS_BAD_INPUT,
                  "the run ends at %" PRIu64 " ps, and ended at %" PRIu64 " ps then",
                  result->end_ps, rerun->end_ps);
    diag_in(diag, rerun->name);
    if (rerun->changed_count)
        diag_hint(diag, "other inputs than then: %s", rerun->changed);
    else if (strcmp(rerun->version, ORRERY_VERSION) != 0)
        diag_hint(diag, "it was written by orrery %s, and this is " ORRERY_VERSION,
                  *rerun->version ? rerun->version : "of another version");
    else
        diag_hint(diag, "its inputs are the same: the program is another, or it was edited");
    return STATUS_BAD_INPUT;
}
