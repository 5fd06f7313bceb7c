#include "net/topology/changes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/blank.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "base/units.h"
#include "net/topology/fabric_check.h"
#include "net/topology/node_class.h"

enum { LONGEST_CHANGE = 512 };

/* A node, those of a class, or with neither any. */
struct end {
    uint32_t node; /* FABRIC_NONE: see class */
    char class[NODE_CLASS_TEXT];
};

/* Which links: those from `from` to `to`, and the way back; or those of a dimension. */
struct target {
    struct end from, to;
    bool both;
    uint32_t dim; /* FABRIC_NONE: of any */
};

struct action {
    bool fail;
    double bandwidth_ratio, bandwidth_Bps; /* Bps > 0: instead */
    double latency_ratio, latency_more_ns;
    double latency_ns; /* >= 0: instead */
};

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

static bool is_class(const struct fabric *fabric, const char *name)
{
    return *name && strlen(name) < NODE_CLASS_TEXT && node_class_is_there(fabric, name);
}

static enum status find_node(const struct fabric *fabric, char *name, struct end *end,
                             struct diag *diag)
{
    name = blank_trim(name);
    end->node = fabric_find_node(fabric, name);
    return end->node == FABRIC_NONE ? unknown_node(fabric, name, diag) : STATUS_OK;
}

/* A node, or a class of them. */
static enum status find_end(const struct fabric *fabric, char *name, struct end *end,
                            struct diag *diag)
{
    name = blank_trim(name);
    end->node = fabric_find_node(fabric, name);
    if (end->node != FABRIC_NONE || !is_class(fabric, name))
        return find_node(fabric, name, end, diag);
    strcpy(end->class, name);
    return STATUS_OK;
}

static bool is_end(const struct fabric *fabric, const struct end *end, uint32_t node)
{
    char class[NODE_CLASS_TEXT];
    if (end->node != FABRIC_NONE || !*end->class)
        return end->node == FABRIC_NONE || end->node == node;
    node_class(fabric->node[node].name, class);
    return strcmp(class, end->class) == 0;
}

static enum status find_rank(const struct fabric *fabric, const char *text, struct end *end_of,
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
    end_of->node = (uint32_t)rank;
    return STATUS_OK;
}

static enum status find_dim(const struct fabric *fabric, const char *text, uint32_t *dim,
                            struct diag *diag)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || number >= fabric->dim_count)
        return diag_fail(diag, STATUS_BAD_CONFIG, "expected a dimension from 0 to %u, found \"%s\"",
                         fabric->dim_count - 1, text);
    *dim = (uint32_t)number;
    return STATUS_OK;
}

/* The rest of `text` after the word `word` and blanks, or NULL. */
static char *after_word(char *text, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(text, word, length) != 0 || !isspace((unsigned char)text[length]))
        return NULL;
    return blank_trim(text + length);
}

/* Of a class: its name. */
static const char *end_name(const struct fabric *fabric, const struct end *end)
{
    return end->node == FABRIC_NONE ? end->class : fabric->node[end->node].name;
}

static enum status no_link(const struct fabric *fabric, const struct target *target,
                           struct diag *diag)
{
    char list[240] = "";
    uint32_t from = target->from.node;
    diag_fail(diag, STATUS_BAD_CONFIG, "there is no link from %s to %s",
              end_name(fabric, &target->from), end_name(fabric, &target->to));
    if (from == FABRIC_NONE)
        return diag->status;
    uint32_t first = fabric->first_link[from], end = fabric->first_link[from + 1];
    for (uint32_t i = first; i < end; i++) {
        size_t used = strlen(list);
        if (i - first < 3 || end - i < 4)
            snprintf(list + used, sizeof list - used, "%s%.30s", used ? ", " : "",
                     fabric->node[fabric->link[i].dst].name);
        else if (i - first == 3)
            snprintf(list + used, sizeof list - used, ", ..");
    }
    diag_hint(diag, "links of %s lead to %s", fabric->node[from].name, list);
    return diag->status;
}

static bool is_target(const struct fabric *fabric, const struct target *target,
                      const struct fabric_link *link)
{
    if (target->dim != FABRIC_NONE)
        return link->dim == target->dim;
    bool there = is_end(fabric, &target->from, link->src) && is_end(fabric, &target->to, link->dst);
    return there || (target->both && is_end(fabric, &target->from, link->dst) &&
                     is_end(fabric, &target->to, link->src));
}

static bool has_link(const struct fabric *fabric, const struct target *target)
{
    struct target there = *target;
    there.both = false;
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        if (is_target(fabric, &there, &fabric->link[l]))
            return true;
    }
    return false;
}

static enum status take_target(const struct fabric *fabric, char *text, struct target *target,
                               struct diag *diag)
{
    char *rest, classes[200];
    *target = (struct target){{FABRIC_NONE, ""}, {FABRIC_NONE, ""}, true, FABRIC_NONE};
    text = blank_trim(text);
    if ((rest = after_word(text, "rank")) != NULL)
        return find_rank(fabric, rest, &target->from, diag);
    if ((rest = after_word(text, "node")) != NULL)
        return find_node(fabric, rest, &target->from, diag);
    if ((rest = after_word(text, "dim")) != NULL)
        return find_dim(fabric, rest, &target->dim, diag);
    if ((rest = after_word(text, "link")) != NULL)
        text = rest;
    char *arrow = strstr(text, "->");
    target->both = arrow == NULL;
    if (!arrow)
        arrow = strstr(text, "--");
    if (!arrow && is_class(fabric, text))
        return find_end(fabric, text, &target->from, diag);
    if (!arrow) {
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "expected a link (\"a->b\", \"a--b\"), a class of nodes, \"rank N\", "
                  "\"node NAME\" or \"dim N\", found \"%s\"",
                  text);
        diag_hint(diag, "classes of nodes are %s",
                  node_class_list(fabric, classes, sizeof classes));
        return diag->status;
    }
    *arrow = '\0';
    enum status status = find_end(fabric, text, &target->from, diag);
    if (status == STATUS_OK)
        status = find_end(fabric, arrow + 2, &target->to, diag);
    if (status == STATUS_OK && !has_link(fabric, target))
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
    text = blank_trim(text);
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

static void apply(struct fabric *fabric, const struct target *target, const struct action *action)
{
    for (uint32_t i = 0; i < fabric->link_count; i++) {
        if (is_target(fabric, target, &fabric->link[i]))
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
        if (is_target(fabric, &target, &fabric->link[i]))
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
    char *plain = blank_trim(line);
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
