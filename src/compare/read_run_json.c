/*
 * JSON of `orrery run --format json` (schema orrery.run/1), item by item: a report of 100,000 ranks
 * is larger than a document may be.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare/json_items.h"
#include "compare/kinds.h"
#include "compare/rank_times.h"
#include "compare/reader.h"

#define SCHEMA "\"orrery.run/"

struct run_reader {
    const struct reading *reading;
    struct json_items top;
    struct doc doc; /* of the item at hand */
};

static enum status read_number(struct run_reader *run, const struct doc_node *map, const char *key,
                               uint64_t *value)
{
    char field[64];
    snprintf(field, sizeof field, "%s", key);
    enum status status =
        doc_get_u64(&run->doc, doc_find(map, key), field, 0, UINT64_MAX, value, run->reading->diag);
    if (status != STATUS_OK) {
        run->reading->diag->status = STATUS_BAD_INPUT;
        run->reading->diag->place = DIAG_NOWHERE; /* the line is that of the item */
        diag_hint(run->reading->diag, "it is not as orrery run --format json wrote it");
        status = STATUS_BAD_INPUT;
    }
    return status;
}

static enum status read_rank(struct run_reader *run, const struct doc_node *map)
{
    struct rank_times times;
    rank_times_begin(&times);
    for (uint32_t i = 0; i < map->count; i++) {
        const struct doc_node *field = &map->child[i];
        uint64_t value = field->boolean;
        if (field->kind != DOC_NUMBER && field->kind != DOC_BOOL)
            continue;
        if (field->kind == DOC_NUMBER && read_number(run, map, field->key, &value) != STATUS_OK)
            return STATUS_BAD_INPUT;
        rank_times_take(&times, field->key, strlen(field->key), value);
    }
    if (!rank_times_end(&times, run->reading->outcome))
        return reading_fail_line(run->reading, 0,
                                 "ranks: one has no number, or a time of 106 days or more");
    return STATUS_OK;
}

static double number_of(const struct doc_node *map, const char *key)
{
    const struct doc_node *node = doc_find(map, key);
    return node && node->kind == DOC_NUMBER && !node->is_negative ? node->number : 0;
}

static const char *text_of(const struct doc_node *map, const char *key)
{
    const struct doc_node *node = doc_find(map, key);
    return node && node->kind == DOC_TEXT ? node->text : "";
}

static enum status read_collective(struct run_reader *run, const struct doc_node *map)
{
    uint64_t group, count, time;
    int32_t kind = kinds_find_collective(text_of(map, "kind"));
    if (read_number(run, map, "group_size", &group) != STATUS_OK ||
        read_number(run, map, "count", &count) != STATUS_OK ||
        read_number(run, map, "time_ps", &time) != STATUS_OK)
        return STATUS_BAD_INPUT;
    if (kind < 0 || group > UINT32_MAX)
        return reading_fail_line(run->reading, 0, "collectives: one of an unknown kind \"%.40s\"",
                                 text_of(map, "kind"));
    struct outcome_collective *added = outcome_add_collective(run->reading->outcome, kind);
    added->group_size = (uint32_t)group;
    added->count = count;
    added->time_ps = (double)time;
    added->size_bytes = number_of(map, "size_bytes");
    return STATUS_OK;
}

/* Items of a list, each as a document of its own. */
static enum status each_item(struct run_reader *run, const struct json_item *list,
                             enum status (*take)(struct run_reader *, const struct doc_node *))
{
    struct json_items items;
    struct json_item item;
    const struct reading *reading = run->reading;
    enum status status = json_items_begin(&items, reading->path, (const char *)reading->file->bytes,
                                          list, reading->diag);
    while (status == STATUS_OK && json_items_next(&items, &item)) {
        status = json_item_parse(&items, &item, &run->doc);
        if (status != STATUS_OK)
            break;
        status = run->doc.root->kind == DOC_MAP
                     ? take(run, run->doc.root)
                     : reading_fail_line(reading, 0, "%s: expected maps", list->key);
        doc_release(&run->doc);
    }
    return status == STATUS_OK ? json_items_status(&items) : status;
}

/* Base name of a path: where a file lies is no difference between runs. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static enum status read_provenance(struct run_reader *run, const struct json_item *item)
{
    enum status status = json_item_parse(&run->top, item, &run->doc);
    if (status != STATUS_OK)
        return status;
    const struct doc_node *inputs = doc_find(run->doc.root, "inputs");
    const struct doc_node *config = doc_find(run->doc.root, "config");
    for (uint32_t i = 0; inputs && inputs->kind == DOC_LIST && i < inputs->count; i++) {
        char key[256];
        const char *role = text_of(&inputs->child[i], "role");
        const char *path = text_of(&inputs->child[i], "path");
        bool is_trace = strcmp(role, "trace") == 0;
        snprintf(key, sizeof key, "%s%s%s", role, is_trace ? " " : "",
                 is_trace ? base_name(path) : "");
        outcome_add_input(
            run->reading->outcome,
            &(struct outcome_input){key, text_of(&inputs->child[i], "content_hash"), path, true});
    }
    for (uint32_t i = 0; config && config->kind == DOC_LIST && i < config->count; i++)
        outcome_add_input(run->reading->outcome,
                          &(struct outcome_input){text_of(&config->child[i], "key"),
                                                  text_of(&config->child[i], "value"),
                                                  text_of(&config->child[i], "source"), false});
    doc_release(&run->doc);
    return STATUS_OK;
}

static enum status read_top(struct run_reader *run, const struct json_item *item)
{
    uint64_t value;
    if (strcmp(item->key, "ranks") == 0)
        return each_item(run, item, read_rank);
    if (strcmp(item->key, "collectives") == 0)
        return each_item(run, item, read_collective);
    if (strcmp(item->key, "provenance") == 0)
        return read_provenance(run, item);
    if (strcmp(item->key, "end_ps") != 0 && strcmp(item->key, "rank_count") != 0 &&
        strcmp(item->key, "status") != 0)
        return STATUS_OK;
    enum status status = json_item_parse(&run->top, item, &run->doc);
    if (status != STATUS_OK)
        return status;
    struct outcome *outcome = run->reading->outcome;
    if (strcmp(item->key, "status") == 0) {
        if (run->doc.root->kind == DOC_TEXT && strcmp(run->doc.root->text, "ok") != 0)
            notices_add(&outcome->notices, NOTICE_ODDITY, "a run that did not end well", 1,
                        "status %s", run->doc.root->text);
    } else {
        status = doc_get_u64(&run->doc, run->doc.root, item->key, 0, INT64_MAX, &value,
                             run->reading->diag);
        if (status != STATUS_OK)
            run->reading->diag->status = status = STATUS_BAD_INPUT;
        else if (strcmp(item->key, "end_ps") == 0)
            outcome->end_ps = (int64_t)value;
        else
            outcome->ranks_in_all = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
    }
    doc_release(&run->doc);
    return status;
}

static enum status read_json(const struct reading *reading)
{
    const char *text = (const char *)reading->file->bytes;
    struct json_item item = {.text = text, .length = reading->file->length};
    struct run_reader run = {.reading = reading};
    enum status status = json_items_begin(&run.top, reading->path, text, &item, reading->diag);
    while (status == STATUS_OK && json_items_next(&run.top, &item))
        status = read_top(&run, &item);
    return status == STATUS_OK ? json_items_status(&run.top) : status;
}

static bool is_report(const char *head, size_t length)
{
    return length && *head == '{' && reader_has(head, length < 256 ? length : 256, SCHEMA);
}

const struct reader reader_run_json = {
    .name = "orrery report",
    .from = "orrery run --format json",
    .is_mine = is_report,
    .read = read_json,
};
