#include "net/topology/changes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "base/units.h"
#include "net/topology/fabric_check.h"

enum { LONGEST_CHANGE = 512 };

/* Which links: those from `from` (or all with FABRIC_NONE) to `to`, likewise, and the way back. */
struct target {
    uint32_t from, to;
    bool both;
};

struct action {
    bool fail;
    double bandwidth_ratio, bandwidth_Bps; /* Bps > 0: instead */
    double latency_ratio, latency_more_ns;
    double latency_ns; /* >= 0: instead */
};

static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* -- names ----------------------------------------------------------------------------------- */

static enum status unknown_node(const struct fabric *fabric, const char *name, struct diag *diag)
{
    const char **names = malloc(((size_t)fabric->node_count + 1) * sizeof *names);
    need_memory(names);
    for (uint32_t v = 0; v < fabric->node_count; v++)
        names[v] = fabric->node[v].name;
    names[fabric->node_count] = NULL;
    const char *nearest = suggest_nearest(name, names);
    diag_fail(diag, STATUS_BAD_CONFIG, "the topology has no node \"%s\"", name);
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"? `orrery topo` prints all nodes and links", nearest);
    else
        diag_hint(diag, "`orrery topo` prints all nodes and links");
    free(names);
    return diag->status;
}

static enum status find_node(const struct fabric *fabric, char *name, uint32_t *node,
                             struct diag *diag)
{
    name = trimmed(name);
    *node = fabric_find_node(fabric, name);
    return *node == FABRIC_NONE ? unknown_node(fabric, name, diag) : STATUS_OK;
}

static enum status find_rank(const struct fabric *fabric, const char *text, uint32_t *node,
                             struct diag *diag)
{
    char *end;
    unsigned long rank = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end)
        return diag_fail(diag, STATUS_BAD_CONFIG, "expected the number of a rank, found \"%s\"",
                         text);
    if (rank >= fabric->npu_count)
        return diag_fail(diag, STATUS_BAD_CONFIG, "there is no rank %lu: the topology has %u NPUs",
                         rank, fabric->npu_count);
    *node = (uint32_t)rank;
    return STATUS_OK;
}

/* The rest of `text` after the word `word` and blanks, or NULL. */
static char *after_word(char *text, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(text, word, length) != 0 || !isspace((unsigned char)text[length]))
        return NULL;
    return trimmed(text + length);
}

static enum status no_link(const struct fabric *fabric, const struct target *target,
                           struct diag *diag)
{
    char list[240] = "";
    uint32_t first = fabric->first_link[target->from], end = fabric->first_link[target->from + 1];
    for (uint32_t i = first; i < end; i++) {
        size_t used = strlen(list);
        if (i - first < 3 || end - i < 4)
            snprintf(list + used, sizeof list - used, "%s%.30s", used ? ", " : "",
                     fabric->node[fabric->link[i].dst].name);
        else if (i - first == 3)
            snprintf(list + used, sizeof list - used, ", ..");
    }
    diag_fail(diag, STATUS_BAD_CONFIG, "there is no link from %s to %s",
              fabric->node[target->from].name, fabric->node[target->to].name);
    diag_hint(diag, "links of %s lead to %s", fabric->node[target->from].name, list);
    return diag->status;
}

static enum status take_target(const struct fabric *fabric, char *text, struct target *target,
                               struct diag *diag)
{
    char *rest;
    *target = (struct target){FABRIC_NONE, FABRIC_NONE, true};
    text = trimmed(text);
    if ((rest = after_word(text, "rank")) != NULL)
        return find_rank(fabric, rest, &target->from, diag);
    if ((rest = after_word(text, "node")) != NULL)
        return find_node(fabric, rest, &target->from, diag);
    if ((rest = after_word(text, "link")) != NULL)
        text = rest;
    char *arrow = strstr(text, "->");
    target->both = arrow == NULL;
    if (!arrow)
        arrow = strstr(text, "--");
    if (!arrow) {
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "expected a link (\"a->b\", \"a--b\"), \"rank N\" or "
                  "\"node NAME\", found \"%s\"",
                  text);
        return diag->status;
    }
    *arrow = '\0';
    enum status status = find_node(fabric, text, &target->from, diag);
    if (status == STATUS_OK)
        status = find_node(fabric, arrow + 2, &target->to, diag);
    if (status == STATUS_OK && fabric_find_link(fabric, target->from, target->to) == FABRIC_NONE)
        status = no_link(fabric, target, diag);
    return status;
}

/* -- actions --------------------------------------------------------------------------------- */

static enum status take_factor(const char *text, double *ratio, struct diag *diag)
{
    char *end;
    double factor = strtod(text, &end);
    if (end == text || *end || strpbrk(text, "xXnN") || !(factor > 0) || factor > 1e6) {
        diag_fail(diag, STATUS_BAD_CONFIG, "expected a factor above 0, found \"%s\"", text);
        diag_hint(diag, "a link that carries nothing is written \"fail\"");
        return diag->status;
    }
    *ratio *= factor;
    return STATUS_OK;
}

static enum status take_action(char *text, struct action *action, struct diag *diag)
{
    text = trimmed(text);
    if (strcmp(text, "fail") == 0) {
        action->fail = true;
        return STATUS_OK;
    }
    if (strncmp(text, "bw*", 3) == 0)
        return take_factor(text + 3, &action->bandwidth_ratio, diag);
    if (strncmp(text, "bw=", 3) == 0)
        return units_parse_bandwidth(text + 3, NULL, &action->bandwidth_Bps, NULL, diag);
    if (strncmp(text, "lat*", 4) == 0)
        return take_factor(text + 4, &action->latency_ratio, diag);
    if (strncmp(text, "lat=", 4) == 0)
        return units_parse_duration(text + 4, NULL, &action->latency_ns, NULL, diag);
    if (strncmp(text, "lat+", 4) == 0)
        return units_parse_duration(text + 4, NULL, &action->latency_more_ns, NULL, diag);
    diag_fail(diag, STATUS_BAD_CONFIG,
              "expected fail, bw*F, bw=B, lat*F, lat=T or lat+T, found "
              "\"%s\"",
              text);
    return diag->status;
}

static void act(struct fabric_link *link, const struct action *action)
{
    if (action->bandwidth_Bps > 0)
        link->bandwidth_Bps = action->bandwidth_Bps;
    link->bandwidth_Bps *= action->fail ? 0 : action->bandwidth_ratio;
    if (action->latency_ns >= 0)
        link->latency_ns = action->latency_ns;
    link->latency_ns = link->latency_ns * action->latency_ratio + action->latency_more_ns;
}

static bool is_meant(const struct fabric_link *link, const struct target *target)
{
    bool there =
        link->src == target->from && (target->to == FABRIC_NONE || link->dst == target->to);
    bool back = target->both && link->dst == target->from &&
                (target->to == FABRIC_NONE || link->src == target->to);
    return there || back;
}

static void apply(struct fabric *fabric, const struct target *target, const struct action *action)
{
    for (uint32_t i = 0; i < fabric->link_count; i++) {
        if (is_meant(&fabric->link[i], target))
            act(&fabric->link[i], action);
    }
    fabric->has_changes = true;
}

enum status fabric_visit_named(const struct fabric *fabric, char *what,
                               void (*visit)(void *context, uint32_t link), void *context,
                               struct diag *diag)
{
    struct target target;
    enum status status = take_target(fabric, what, &target, diag);
    for (uint32_t i = 0; status == STATUS_OK && i < fabric->link_count; i++) {
        if (is_meant(&fabric->link[i], &target))
            visit(context, i);
    }
    return status;
}

enum status fabric_read_ratio(const char *text, double *ratio, struct diag *diag)
{
    *ratio = 1;
    if (strncmp(text, "bw*", 3) == 0)
        return take_factor(text + 3, ratio, diag);
    return diag_fail(diag, STATUS_BAD_CONFIG, "expected bw*F such as bw*0.5, found \"%s\"", text);
}

static enum status change(struct fabric *fabric, char *text, struct diag *diag)
{
    struct target target;
    struct action action = {.bandwidth_ratio = 1, .latency_ratio = 1, .latency_ns = -1};
    char *colon = strrchr(text, ':');
    if (!colon) {
        diag_fail(diag, STATUS_BAD_CONFIG, "expected WHAT:ACTION, found \"%s\"", text);
        diag_hint(diag, "for example \"npu3->leaf0:bw*0.5\" or \"rank 5:bw*0.8\"");
        return diag->status;
    }
    *colon = '\0';
    enum status status = take_target(fabric, text, &target, diag);
    char *next = colon + 1;
    while (status == STATUS_OK && next) {
        char *comma = strchr(next, ',');
        if (comma)
            *comma++ = '\0';
        status = take_action(next, &action, diag);
        next = comma;
    }
    if (status == STATUS_OK)
        apply(fabric, &target, &action);
    return status;
}

/* One change of `length` letters, which may be blank. */
static enum status change_span(struct fabric *fabric, const char *text, size_t length,
                               struct diag *diag)
{
    char line[LONGEST_CHANGE], shown[100];
    if (length >= sizeof line)
        return diag_fail(diag, STATUS_BAD_CONFIG, "a change of more than %d letters",
                         LONGEST_CHANGE - 1);
    memcpy(line, text, length);
    line[length] = '\0';
    char *plain = trimmed(line);
    if (!*plain)
        return STATUS_OK;
    snprintf(shown, sizeof shown, "%.99s", plain);
    enum status status = change(fabric, plain, diag);
    if (status != STATUS_OK)
        diag_field(diag, "changes \"%s\"", shown);
    return status;
}

enum status fabric_change(struct fabric *fabric, const char *text, struct diag *diag)
{
    enum status status = STATUS_OK;
    while (*text && status == STATUS_OK) {
        size_t length = strcspn(text, ";\n#");
        status = change_span(fabric, text, length, diag);
        text += length;
        text += *text == '#' ? strcspn(text, "\n") : 0;
        text += *text != '\0';
    }
    if (status == STATUS_OK && fabric->has_changes)
        status = fabric_check_connected(fabric, diag);
    return status;
}
