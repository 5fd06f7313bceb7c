#include "model/slow_list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/blank.h"
#include "base/memory.h"

/* -- lines ------------------------------------------------------------------------------------- */

/* The last " word " of `text`, cut off there; returns what follows it, or NULL. */
static char *cut_at_word(char *text, const char *word)
{
    char *found = NULL;
    size_t length = strlen(word);
    for (char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        if (at > text && isspace((unsigned char)at[-1]) && isspace((unsigned char)at[length]))
            found = at;
    }
    if (!found)
        return NULL;
    *found = '\0';
    return blank_trim(found + length);
}

static enum status read_time(const char *text, time_ps *time, struct diag *diag)
{
    double ns;
    enum status status = units_parse_duration(text, NULL, &ns, NULL, diag);
    if (status == STATUS_OK)
        *time = time_rounded(ns, false);
    return status;
}

static enum status read_line(struct slow_line *line, struct diag *diag)
{
    char *text = blank_trim(line->text);
    char *colon = strrchr(text, ':');
    if (!colon) {
        diag_fail(diag, STATUS_BAD_CONFIG, "expected WHAT: HOW [from TIME] [to TIME], found \"%s\"",
                  text);
        diag_hint(diag, "for example \"rank 17: 1.3x from 10ms to 30ms\", or "
                        "\"npu3->leaf0: bw*0.5 to 5ms\"");
        return diag->status;
    }
    *colon = '\0';
    line->what = blank_trim(text);
    char *to = cut_at_word(colon + 1, "to");
    char *from = cut_at_word(colon + 1, "from");
    line->action = blank_trim(colon + 1);
    line->from = 0;
    line->to = TIME_NEVER;
    enum status status = from ? read_time(from, &line->from, diag) : STATUS_OK;
    if (status == STATUS_OK && to)
        status = read_time(to, &line->to, diag);
    if (status == STATUS_OK && line->to <= line->from)
        status = diag_fail(diag, STATUS_BAD_CONFIG, "ends before it begins: to %s", to);
    return status;
}

static enum status read_span(const char *text, size_t length, const char *key,
                             enum status (*take)(void *context, struct slow_line *line,
                                                 struct diag *diag),
                             void *context, struct diag *diag)
{
    struct slow_line line;
    char shown[100];
    if (length >= sizeof line.text) {
        diag_fail(diag, STATUS_BAD_CONFIG, "a line of more than %d letters", SLOW_LINE_MOST - 1);
        diag_field(diag, "%s", key);
        return diag->status;
    }
    memcpy(line.text, text, length);
    line.text[length] = '\0';
    char *plain = blank_trim(line.text);
    if (!*plain)
        return STATUS_OK;
    snprintf(shown, sizeof shown, "%.99s", plain);
    enum status status = read_line(&line, diag);
    if (status == STATUS_OK)
        status = take(context, &line, diag);
    if (status != STATUS_OK)
        diag_field(diag, "%s \"%s\"", key, shown);
    return status;
}

enum status slow_list_read(const char *text, const char *key,
                           enum status (*take)(void *context, struct slow_line *line,
                                               struct diag *diag),
                           void *context, struct diag *diag)
{
    enum status status = STATUS_OK;
    while (text && *text && status == STATUS_OK) {
        size_t length = strcspn(text, ";\n#");
        status = read_span(text, length, key, take, context, diag);
        text += length;
        text += *text == '#' ? strcspn(text, "\n") : 0;
        text += *text != '\0';
    }
    return status;
}

/* -- pace -------------------------------------------------------------------------------------- */

void pace_release(struct pace *pace)
{
    free(pace->mark);
    *pace = (struct pace){0};
}

/* The mark that holds at `time`; there is one. */
static uint32_t find_mark(const struct pace *pace, time_ps time)
{
    uint32_t low = 0, high = pace->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (pace->mark[middle].at <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Makes a mark at `time`, with the factor that holds there. */
static void split(struct pace *pace, time_ps time)
{
    if (pace->count && pace->mark[find_mark(pace, time)].at == time)
        return;
    pace->mark = realloc(pace->mark, (pace->count + 1) * sizeof *pace->mark);
    need_memory(pace->mark != NULL);
    uint32_t place = pace->count ? find_mark(pace, time) + 1 : 0;
    double factor = place ? pace->mark[place - 1].factor : 1;
    memmove(pace->mark + place + 1, pace->mark + place, (pace->count - place) * sizeof *pace->mark);
    pace->mark[place] = (struct pace_mark){time, factor};
    pace->count++;
}

void pace_multiply(struct pace *pace, time_ps from, time_ps to, double factor)
{
    split(pace, 0);
    split(pace, from);
    if (to != TIME_NEVER)
        split(pace, to);
    for (uint32_t i = find_mark(pace, from); i < pace->count && pace->mark[i].at < to; i++)
        pace->mark[i].factor *= factor;
}

double pace_at(const struct pace *pace, time_ps time)
{
    return pace->count ? pace->mark[find_mark(pace, time)].factor : 1;
}

time_ps pace_next(const struct pace *pace, time_ps time)
{
    if (!pace->count)
        return TIME_NEVER;
    uint32_t next = find_mark(pace, time) + 1;
    return next < pace->count ? pace->mark[next].at : TIME_NEVER;
}

double pace_duration(const struct pace *pace, time_ps from, double work_ps)
{
    double duration = 0;
    for (;;) {
        double factor = pace_at(pace, from);
        time_ps next = pace_next(pace, from);
        if (next == TIME_NEVER || (double)(next - from) >= work_ps * factor)
            return duration + work_ps * factor;
        duration += (double)(next - from);
        work_ps -= (double)(next - from) / factor;
        from = next;
    }
}

double pace_work(const struct pace *pace, time_ps from, time_ps to)
{
    double work = 0;
    while (from < to) {
        time_ps next = pace_next(pace, from);
        time_ps end = next < to ? next : to;
        work += (double)(end - from) / pace_at(pace, from);
        from = end;
    }
    return work;
}
