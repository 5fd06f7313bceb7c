#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "base/memory.h"
#include "base/table.h"
#include "tests/tools/timeline_rules.h"

enum { MOST_DEPTH = 8 };

struct thread {
    double end[MOST_DEPTH]; /* of the slices that are open */
    uint32_t depth;
    bool has_name;
};

struct arrow {
    double left;
    bool has_begun, has_ended;
};

struct json_rules {
    struct timeline_counts *counts;
    char *why;
    struct names process, thread, arrow, counter; /* numbers of "pid", "pid/tid", .. */
    struct thread *threads;
    struct arrow *arrows;
    uint32_t room;
    double last;
};

static bool broken(struct json_rules *rules, const struct doc_node *event, const char *what)
{
    snprintf(rules->why, 256, "line %u: %s", event->line, what);
    return false;
}

static const struct doc_node *number_of(const struct doc_node *event, const char *key)
{
    const struct doc_node *node = doc_find(event, key);
    return node && node->kind == DOC_NUMBER ? node : NULL;
}

static const char *text_of(const struct doc_node *event, const char *key)
{
    const struct doc_node *node = doc_find(event, key);
    return node && node->kind == DOC_TEXT ? node->text : NULL;
}

static uint32_t number(struct names *names, const char *a, const char *b)
{
    char text[400];
    snprintf(text, sizeof text, "%s/%s", a, b);
    return names_add(names, text, strlen(text));
}

static struct thread *thread_of(struct json_rules *rules, const struct doc_node *event)
{
    const struct doc_node *pid = number_of(event, "pid"), *tid = number_of(event, "tid");
    if (!pid || !tid)
        return NULL;
    return &rules->threads[number(&rules->thread, pid->text, tid->text)];
}

static bool is_name(struct json_rules *rules, const struct doc_node *event, const char *name)
{
    const struct doc_node *args = doc_find(event, "args");
    bool is_process = strncmp(name, "process_", 8) == 0;
    bool is_sort = strstr(name, "_sort_index") != NULL;
    if (strcmp(name, "process_name") != 0 && strcmp(name, "thread_name") != 0 && !is_sort)
        return broken(rules, event, "metadata of unknown name");
    if (is_sort ? !number_of(args, "sort_index") : !text_of(args, "name"))
        return broken(rules, event, "metadata without its argument");
    if (is_process) {
        rules->counts->processes += !is_sort;
        names_add(&rules->process, number_of(event, "pid")->text,
                  strlen(number_of(event, "pid")->text));
        return true;
    }
    struct thread *thread = thread_of(rules, event);
    if (!thread)
        return broken(rules, event, "name of a thread without a tid");
    rules->counts->tracks += !is_sort;
    thread->has_name = true;
    return true;
}

/* A thousandth of a microsecond is exact enough for times of up to 2^43 of them. */
static uint64_t whole_ns(double us)
{
    return (uint64_t)(us * 1000 + 0.5);
}

static bool is_slice(struct json_rules *rules, const struct doc_node *event, double at)
{
    const struct doc_node *length = number_of(event, "dur");
    struct thread *thread = thread_of(rules, event);
    if (!length || length->is_negative || !text_of(event, "cat"))
        return broken(rules, event, "complete event without a category or a length");
    if (!thread || !thread->has_name)
        return broken(rules, event, "slice of a thread without a name");
    while (thread->depth && whole_ns(thread->end[thread->depth - 1]) <= whole_ns(at))
        thread->depth--;
    double end = at + length->number;
    if (thread->depth && whole_ns(end) > whole_ns(thread->end[thread->depth - 1]))
        return broken(rules, event, "slices overlap and neither is inside the other");
    if (thread->depth == MOST_DEPTH)
        return broken(rules, event, "slices are nested too deep");
    thread->end[thread->depth++] = end;
    rules->counts->slices++;
    return true;
}

static bool is_arrow(struct json_rules *rules, const struct doc_node *event, double at, bool begins)
{
    const struct doc_node *id = number_of(event, "id");
    const struct thread *thread = thread_of(rules, event);
    if (!id || !text_of(event, "cat"))
        return broken(rules, event, "flow event without an id or a category");
    if (!thread || !thread->depth || whole_ns(thread->end[thread->depth - 1]) < whole_ns(at))
        return broken(rules, event, "flow event outside of a slice");
    struct arrow *arrow = &rules->arrows[number(&rules->arrow, text_of(event, "cat"), id->text)];
    if (begins ? arrow->has_begun : !arrow->has_begun || arrow->has_ended)
        return broken(rules, event, "flow that does not begin once and then end once");
    if (begins) {
        arrow->left = at;
        arrow->has_begun = true;
        return true;
    }
    const char *bind = text_of(event, "bp");
    if (at <= arrow->left || !bind || strcmp(bind, "e") != 0)
        return broken(rules, event, "flow that ends before it begins, or is bound to what follows");
    arrow->has_ended = true;
    rules->counts->arrows++;
    return true;
}

static bool is_counter(struct json_rules *rules, const struct doc_node *event)
{
    const struct doc_node *args = doc_find(event, "args");
    if (!args || args->kind != DOC_MAP || args->count == 0)
        return broken(rules, event, "counter without a value");
    for (uint32_t i = 0; i < args->count; i++)
        if (args->child[i].kind != DOC_NUMBER)
            return broken(rules, event, "counter whose value is no number");
    number(&rules->counter, number_of(event, "pid")->text, text_of(event, "name"));
    rules->counts->counters = rules->counter.count;
    rules->counts->values++;
    return true;
}

static bool is_event(struct json_rules *rules, const struct doc_node *event)
{
    const char *phase = text_of(event, "ph"), *name = text_of(event, "name");
    const struct doc_node *pid = number_of(event, "pid"), *at = number_of(event, "ts");
    if (!phase || !name || !pid)
        return broken(rules, event, "event without a phase, a name or a process");
    if (strcmp(phase, "M") == 0)
        return is_name(rules, event, name);
    if (!at || at->is_negative || at->number < rules->last)
        return broken(rules, event, "event without a time, or not in order");
    rules->last = at->number;
    if (names_find(&rules->process, pid->text, strlen(pid->text)) == TABLE_NONE)
        return broken(rules, event, "process without a name");
    if (strcmp(phase, "X") == 0)
        return is_slice(rules, event, at->number);
    if (strcmp(phase, "s") == 0 || strcmp(phase, "f") == 0)
        return is_arrow(rules, event, at->number, *phase == 's');
    if (strcmp(phase, "C") == 0)
        return is_counter(rules, event);
    return broken(rules, event, "phase that is not one of X, s, f, C, M");
}

static bool are_events(struct json_rules *rules, const struct doc_node *root)
{
    const struct doc_node *events = doc_find(root, "traceEvents");
    if (!events || events->kind != DOC_LIST)
        return broken(rules, root, "no list traceEvents");
    rules->threads = calloc(events->count + 1, sizeof *rules->threads);
    rules->arrows = calloc(events->count + 1, sizeof *rules->arrows);
    need_memory(rules->threads && rules->arrows);
    for (uint32_t i = 0; i < events->count; i++)
        if (!is_event(rules, &events->child[i]))
            return false;
    for (uint32_t i = 0; i < rules->arrow.count; i++)
        if (!rules->arrows[i].has_ended)
            return broken(rules, root, "a flow has no end");
    return true;
}

bool timeline_json_rules(const char *text, size_t length, struct timeline_counts *counts,
                         char why[256])
{
    struct json_rules rules = {.counts = counts, .why = why};
    struct doc doc;
    struct diag diag = DIAG_NONE;
    *counts = (struct timeline_counts){0};
    if (doc_parse(&doc, "timeline", text, length, DOC_JSON, &diag) != STATUS_OK) {
        snprintf(why, 256, "%.200s", diag.message);
        return false;
    }
    names_init(&rules.process);
    names_init(&rules.thread);
    names_init(&rules.arrow);
    names_init(&rules.counter);
    bool good = are_events(&rules, doc.root);
    names_release(&rules.process);
    names_release(&rules.thread);
    names_release(&rules.arrow);
    names_release(&rules.counter);
    free(rules.threads);
    free(rules.arrows);
    doc_release(&doc);
    return good;
}
