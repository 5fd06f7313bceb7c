#include "net/topology/node_set.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/suggest.h"

enum { MOST_NAME = 100, MOST_SUGGESTED = 2000 };

void node_set_init(struct node_set *set)
{
    *set = (struct node_set){0};
    names_init(&set->group_name);
    names_init(&set->node_name);
}

void node_set_release(struct node_set *set)
{
    names_release(&set->group_name);
    names_release(&set->node_name);
    free(set->group);
}

/* -- adding --------------------------------------------------------------------------------- */

static enum status check_name(const char *name, struct diag *diag)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_-./";
    size_t length = strlen(name);
    if (length > 0 && length <= MOST_NAME && strspn(name, allowed) == length)
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG, "\"%.60s\" is no name", name);
    diag_hint(diag, "a name has 1 to %d letters, digits, '_', '-', '.' and '/'", MOST_NAME);
    return STATUS_BAD_CONFIG;
}

static enum status add_node(struct node_set *set, const char *name, struct diag *diag)
{
    uint32_t count = set->node_name.count;
    if (names_add(&set->node_name, name, strlen(name)) == count)
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG, "duplicate name: there is a node \"%.60s\" already", name);
    return STATUS_BAD_CONFIG;
}

static void add_group(struct node_set *set, struct node_group group)
{
    uint32_t number = set->group_name.count - 1;
    if (number == set->group_capacity) {
        set->group_capacity = set->group_capacity ? 2 * set->group_capacity : 16;
        set->group = realloc(set->group, set->group_capacity * sizeof *set->group);
        need_memory(set->group != NULL);
    }
    set->group[number] = group;
}

enum status node_set_add(struct node_set *set, const char *name, uint32_t count, struct diag *diag)
{
    enum status status = check_name(name, diag);
    if (status != STATUS_OK)
        return status;
    uint32_t groups = set->group_name.count;
    if (names_add(&set->group_name, name, strlen(name)) != groups)
        return diag_fail(diag, STATUS_BAD_CONFIG,
                         "duplicate name: \"%.60s\" stands for nodes above", name);
    add_group(set, (struct node_group){set->node_name.count, count ? count : 1, count == 0});
    if (count == 0)
        return add_node(set, name, diag);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        char text[MOST_NAME + 16];
        snprintf(text, sizeof text, "%s%" PRIu32, name, i);
        status = add_node(set, text, diag);
    }
    return status;
}

/* -- selecting -------------------------------------------------------------------------------- */

static enum status unknown_node(const struct node_set *set, const char *name, size_t length,
                                struct diag *diag)
{
    const char *known[MOST_SUGGESTED + 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->group_name.count && count < MOST_SUGGESTED; i++)
        known[count++] = set->group_name.text[i];
    for (uint32_t i = 0; i < set->node_name.count && count < MOST_SUGGESTED; i++)
        known[count++] = set->node_name.text[i];
    known[count] = NULL;
    char text[MOST_NAME + 1];
    snprintf(text, sizeof text, "%.*s", length < MOST_NAME ? (int)length : MOST_NAME, name);
    const char *nearest = suggest_nearest(text, known);
    diag_fail(diag, STATUS_BAD_CONFIG, "there is no node \"%.60s\"", text);
    if (nearest)
        diag_hint(diag, "did you mean \"%.60s\"?", nearest);
    return STATUS_BAD_CONFIG;
}

static enum status take_numbers(struct selection *selection, uint32_t first, uint32_t last,
                                uint32_t step)
{
    uint32_t more = (last - first) / step + 1;
    uint32_t *bigger =
        realloc(selection->number, ((size_t)selection->count + more) * sizeof *bigger);
    need_memory(bigger != NULL);
    selection->number = bigger;
    for (uint32_t i = 0; i < more; i++)
        bigger[selection->count++] = first + i * step;
    return STATUS_OK;
}

/* One digit string of `text`; moves *text past it. */
static bool take_number(const char **text, uint32_t *value)
{
    size_t length = strspn(*text, "0123456789");
    uint64_t wide;
    if (!decimal_u64(*text, length, &wide) || wide > UINT32_MAX)
        return false;
    *text += length;
    *value = (uint32_t)wide;
    return true;
}

/* "4", "0-3" or "0-14:2" at *text. */
static bool take_range(const char **text, uint32_t *first, uint32_t *last, uint32_t *step)
{
    if (!take_number(text, first))
        return false;
    *last = *first;
    *step = 1;
    if (**text == '-') {
        ++*text;
        if (!take_number(text, last))
            return false;
        if (**text == ':') {
            ++*text;
            if (!take_number(text, step))
                return false;
        }
    }
    return *last >= *first && *step > 0;
}

static enum status bad_range(const char *text, struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_CONFIG, "\"%.60s\" selects no nodes", text);
    diag_hint(diag, "write name[4], name[0-3], name[0-14:2], or several of these with commas");
    return STATUS_BAD_CONFIG;
}

static enum status select_members(const char *whole, const char *ranges,
                                  const struct node_group *group, struct selection *selection,
                                  struct diag *diag)
{
    const char *at = ranges;
    for (;;) {
        uint32_t first, last, step;
        if (!take_range(&at, &first, &last, &step))
            return bad_range(whole, diag);
        if (last >= group->count) {
            diag_fail(diag, STATUS_BAD_CONFIG,
                      "\"%.60s\" selects number %" PRIu32 ", but there are %" PRIu32 " of them",
                      whole, last, group->count);
            diag_hint(diag, "numbers start at 0");
            return STATUS_BAD_CONFIG;
        }
        if ((uint64_t)selection->count + (last - first) / step >= UINT32_MAX / 2)
            return bad_range(whole, diag);
        take_numbers(selection, group->first + first, group->first + last, step);
        if (strcmp(at, "]") == 0)
            return STATUS_OK;
        if (*at != ',')
            return bad_range(whole, diag);
        at++;
    }
}

enum status node_set_select(const struct node_set *set, const char *text,
                            struct selection *selection, struct diag *diag)
{
    *selection = (struct selection){0};
    const char *bracket = strchr(text, '[');
    size_t length = bracket ? (size_t)(bracket - text) : strlen(text);
    uint32_t number = names_find(&set->group_name, text, length);
    if (number != TABLE_NONE) {
        const struct node_group *group = &set->group[number];
        if (!bracket)
            return take_numbers(selection, group->first, group->first + group->count - 1, 1);
        if (group->is_single)
            return diag_fail(diag, STATUS_BAD_CONFIG,
                             "\"%.60s\": one node, not a group: it has no count", text);
        return select_members(text, bracket + 1, group, selection, diag);
    }
    number = bracket ? TABLE_NONE : names_find(&set->node_name, text, length);
    if (number == TABLE_NONE)
        return unknown_node(set, text, length, diag);
    return take_numbers(selection, number, number, 1);
}
