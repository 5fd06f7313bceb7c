#include "net/topology/topology_doc.h"

#include <stdio.h>

#include "base/suggest.h"
#include "base/units.h"
#include "config/names.h"
#include "config/places.h"

enum { FIELD = 120 };

static const char *join(char to[FIELD], const char *field, const char *key)
{
    snprintf(to, FIELD, "%s%s%s", field, *field ? "." : "", key);
    return to;
}

enum status topology_at(const struct doc *doc, const struct doc_node *node, const char *field,
                        struct diag *diag)
{
    return fail_at_node(doc, node, field, diag->status, diag);
}

enum status topology_keys(const struct doc *doc, const struct doc_node *node, const char *field,
                          const char *const *known, struct diag *diag)
{
    enum status status = doc_want(doc, node, field, DOC_MAP, diag);
    const struct doc_node *odd = status == STATUS_OK ? doc_unknown_key(node, known) : NULL;
    if (!odd)
        return status;
    char path[FIELD];
    char names[300];
    const char *nearest = suggest_nearest(odd->key, known);
    diag_fail(diag, STATUS_BAD_CONFIG, "unknown key");
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(diag, "known: %s", names_text(names, sizeof names, known));
    return topology_at(doc, odd, join(path, field, odd->key), diag);
}

/* A number with its unit. */
struct quantity {
    enum status (*parse)(const char *text, const char *bare_unit, double *value, bool *was_bare,
                         struct diag *diag);
    const char *expected;
};

static enum status read_quantity(const struct doc *doc, const struct doc_node *child,
                                 const char *field, const struct quantity *quantity, double *value,
                                 struct diag *diag)
{
    if (!child)
        return STATUS_OK;
    char path[FIELD];
    join(path, field, child->key);
    if (child->kind != DOC_TEXT && child->kind != DOC_NUMBER)
        return doc_fail(doc, child, path, quantity->expected, diag);
    if (quantity->parse(child->text, NULL, value, NULL, diag) != STATUS_OK)
        return topology_at(doc, child, path, diag);
    return STATUS_OK;
}

enum status topology_bandwidth(const struct doc *doc, const struct doc_node *node,
                               const char *field, const char *key, double *Bps, struct diag *diag)
{
    static const struct quantity bandwidth = {units_parse_bandwidth, "a bandwidth with its unit"};
    return read_quantity(doc, doc_find(node, key), field, &bandwidth, Bps, diag);
}

enum status topology_duration(const struct doc *doc, const struct doc_node *node, const char *field,
                              const char *key, double *ns, struct diag *diag)
{
    static const struct quantity duration = {units_parse_duration, "a duration with its unit"};
    return read_quantity(doc, doc_find(node, key), field, &duration, ns, diag);
}

enum status topology_count(const struct doc *doc, const struct doc_node *node, const char *field,
                           const char *key, uint32_t most, uint32_t *count, struct diag *diag)
{
    const struct doc_node *child = doc_find(node, key);
    if (!child)
        return STATUS_OK;
    char path[FIELD];
    uint64_t wide = 0;
    enum status status = doc_get_u64(doc, child, join(path, field, key), 1, most, &wide, diag);
    if (status == STATUS_OK)
        *count = (uint32_t)wide;
    return status;
}

enum status topology_word(const struct doc *doc, const struct doc_node *node, const char *field,
                          const char *key, const char *const *words, unsigned *value,
                          struct diag *diag)
{
    const struct doc_node *child = doc_find(node, key);
    if (!child || (child->kind == DOC_TEXT && names_value(words, child->text, value)))
        return STATUS_OK;
    char path[FIELD], names[200];
    const char *nearest = child->kind == DOC_TEXT ? suggest_nearest(child->text, words) : NULL;
    enum status status =
        doc_fail(doc, child, join(path, field, key), names_text(names, sizeof names, words), diag);
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    return status;
}

enum status topology_flag(const struct doc *doc, const struct doc_node *node, const char *field,
                          const char *key, bool *value, struct diag *diag)
{
    const struct doc_node *child = doc_find(node, key);
    if (!child)
        return STATUS_OK;
    char path[FIELD];
    if (child->kind != DOC_BOOL)
        return doc_fail(doc, child, join(path, field, key), "true or false", diag);
    *value = child->boolean;
    return STATUS_OK;
}
