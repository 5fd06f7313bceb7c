#include "net/topology/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { KEY_VIA = KEY_FIRST_OWN, KEY_UPLINKS };
enum via { VIA_SWITCH, VIA_FULL, VIA_RING, VIA_LINE };
enum { MOST_PARTS = 4096 };

static const char *const via_names[] = {"switch", "full", "ring", "line", NULL};

struct part {
    const char *text;
    size_t length;
    uint32_t copies;
};

/* The next part of the canonical text "2(..)+(..)"; false at its end. */
static bool next_part(const char **text, struct part *part)
{
    if (!**text)
        return false;
    *text += **text == '+';
    char *open;
    unsigned long copies = strtoul(*text, &open, 10);
    part->copies = open == *text ? 1 : (uint32_t)copies;
    part->text = open + 1;
    part->length = strcspn(part->text, ")");
    *text = part->text + part->length + 1;
    return true;
}

struct joining {
    const struct spec_factor *factor;
    struct fabric_builder *builder;
    uint32_t *first; /* [count + 1] first NPU of each part */
    uint32_t count;
};

/* The fabrics of all kinds of parts, one for each in the text. */
static enum status parse_parts(const struct spec_factor *factor, struct fabric **fabric,
                               struct diag *diag)
{
    const char *text = factor->parts;
    struct part part;
    enum status status = STATUS_OK;
    for (uint32_t kind = 0; status == STATUS_OK && next_part(&text, &part); kind++) {
        char *plain = strndup(part.text, part.length);
        need_memory(plain);
        status = fabric_parse(plain, &fabric[kind], diag);
        free(plain);
    }
    return status;
}

/* Node of the whole that node v of a part is. */
static uint32_t whole_node(const struct fabric *part, uint32_t v, uint32_t first_npu,
                           uint32_t first_other)
{
    return v < part->npu_count ? first_npu + v : first_other + (v - part->npu_count);
}

static void add_part(const struct joining *joining, const struct fabric *part, uint32_t number)
{
    uint32_t first_npu = joining->first[number], first_other = 0;
    for (uint32_t v = part->npu_count; v < part->node_count; v++) {
        char name[160];
        snprintf(name, sizeof name, "p%u.%.120s", number, part->node[v].name);
        uint32_t at = fabric_add_node(joining->builder, part->node[v].role, name);
        struct fabric_node *node = fabric_builder_node(joining->builder, at);
        const char *own_name = node->name;
        *node = part->node[v];
        node->name = own_name;
        node->below_first += first_npu;
        first_other = v == part->npu_count ? at : first_other;
    }
    for (uint32_t i = 0; i < part->link_count; i++) {
        const struct fabric_link *link = &part->link[i];
        uint32_t handle =
            fabric_add_link(joining->builder, whole_node(part, link->src, first_npu, first_other),
                            whole_node(part, link->dst, first_npu, first_other),
                            link->bandwidth_Bps / link->count, link->latency_ns, 0);
        fabric_set_count(joining->builder, handle, link->count);
    }
}

static void add_cable(const struct joining *joining, uint32_t a, uint32_t b)
{
    uint32_t handle = fabric_add_cable(joining->builder, a, b, spec_number(joining->factor, KEY_BW),
                                       spec_number(joining->factor, KEY_LAT), 0);
    fabric_set_count(joining->builder, handle, (uint32_t)spec_number(joining->factor, KEY_COUNT));
}

/* Cables between the k-th NPUs of parts a and b. */
static void join_pair(const struct joining *joining, uint32_t a, uint32_t b)
{
    uint32_t uplinks = (uint32_t)spec_number(joining->factor, KEY_UPLINKS);
    for (uint32_t k = 0; k < uplinks; k++)
        add_cable(joining, joining->first[a] + k, joining->first[b] + k);
}

static void join_by_switch(const struct joining *joining)
{
    const struct spec_value *uplinks = &joining->factor->value[KEY_UPLINKS];
    uint32_t hub = fabric_add_node(joining->builder, ROLE_SWITCH, "join0");
    struct fabric_node *node = fabric_builder_node(joining->builder, hub);
    node->level = 1;
    for (uint32_t p = 0; p < joining->count; p++) {
        uint32_t npus = joining->first[p + 1] - joining->first[p];
        for (uint32_t k = 0; k < (uplinks->given ? (uint32_t)uplinks->number : npus); k++)
            add_cable(joining, joining->first[p] + k, hub);
    }
}

static void join(const struct joining *joining)
{
    enum via via = (enum via)spec_number(joining->factor, KEY_VIA);
    uint32_t n = joining->count;
    if (n < 2)
        return;
    if (via == VIA_SWITCH)
        join_by_switch(joining);
    for (uint32_t a = 0; a < n && via == VIA_FULL; a++)
        for (uint32_t b = a + 1; b < n; b++)
            join_pair(joining, a, b);
    for (uint32_t a = 0; a + 1 < n && (via == VIA_RING || via == VIA_LINE); a++)
        join_pair(joining, a, a + 1);
    if (via == VIA_RING && n > 2)
        join_pair(joining, n - 1, 0);
}

static enum status check_uplinks(const struct spec_factor *factor, uint32_t least,
                                 struct diag *diag)
{
    if (spec_number(factor, KEY_UPLINKS) <= least)
        return STATUS_OK;
    return diag_fail(diag, STATUS_BAD_CONFIG, "uplinks=%.0f, but a part has %u NPUs",
                     spec_number(factor, KEY_UPLINKS), least);
}

/* Parts in order, each with the number of its kind. */
static uint32_t list_parts(const struct spec_factor *factor, uint32_t kind_of[MOST_PARTS])
{
    const char *text = factor->parts;
    struct part part;
    uint32_t count = 0;
    for (uint32_t kind = 0; next_part(&text, &part); kind++)
        for (uint32_t i = 0; i < part.copies && count < MOST_PARTS; i++)
            kind_of[count++] = kind;
    return count;
}

static enum status build_joined(const struct spec_factor *factor, struct fabric *const *kinds,
                                struct fabric **fabric, struct diag *diag)
{
    uint32_t kind_of[MOST_PARTS], first[MOST_PARTS + 1] = {0}, least = UINT32_MAX;
    struct joining joining = {.factor = factor, .first = first};
    joining.count = list_parts(factor, kind_of);
    for (uint32_t p = 0; p < joining.count; p++) {
        uint32_t npus = kinds[kind_of[p]]->npu_count;
        first[p + 1] = first[p] + npus;
        least = npus < least ? npus : least;
    }
    enum status status = check_uplinks(factor, least, diag);
    if (status != STATUS_OK)
        return status;
    joining.builder = fabric_builder_create();
    fabric_add_npus(joining.builder, first[joining.count]);
    for (uint32_t p = 0; p < joining.count; p++)
        add_part(&joining, kinds[kind_of[p]], p);
    join(&joining);
    return fabric_finish(joining.builder, "parts", fabric, diag);
}

static enum status build(const struct spec_factor *factor, struct fabric **fabric,
                         struct diag *diag)
{
    struct fabric *kinds[MOST_PARTS] = {NULL};
    enum status status = parse_parts(factor, kinds, diag);
    if (status == STATUS_OK)
        status = build_joined(factor, kinds, fabric, diag);
    for (uint32_t kind = 0; kind < MOST_PARTS && kinds[kind]; kind++)
        fabric_destroy(kinds[kind]);
    return status;
}

static enum status check(const struct spec_factor *factor, uint64_t *npus, struct diag *diag)
{
    if (!factor->parts)
        return diag_fail(diag, STATUS_BAD_CONFIG, "parts needs its parts in parentheses");
    uint64_t count = 0;
    const char *text = factor->parts;
    struct part part;
    while (next_part(&text, &part))
        count += part.copies;
    if (count > MOST_PARTS)
        return diag_fail(diag, STATUS_BAD_CONFIG, "%llu parts; the limit is %d",
                         (unsigned long long)count, MOST_PARTS);
    *npus = factor->part_npus;
    return STATUS_OK;
}

const struct spec_kind parts_kind = {
    .name = "parts",
    .sizes = "[COUNT](TOPOLOGY)+[COUNT](TOPOLOGY)..",
    .summary = "unequal parts, joined",
    .key = {SPEC_LINK_KEYS,
            {"via", SPEC_CHOICE, VIA_SWITCH, via_names, "what joins the parts", false},
            {"uplinks", SPEC_COUNT, 1, NULL,
             "NPUs of a part that are joined (default: all for a switch, else 1)", true}},
    .takes_parts = true,
    .check = check,
    .build = build,
};
