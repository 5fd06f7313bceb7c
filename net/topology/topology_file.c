#include "net/topology/topology_file.h"

#include <string.h>

#include "base/file.h"
#include "config/astra_config.h"
#include "config/places.h"
#include "net/topology/changes.h"
#include "net/topology/compose.h"
#include "net/topology/find_tree.h"
#include "net/topology/graph_file.h"
#include "net/topology/import_lstopo.h"
#include "net/topology/import_ns3.h"
#include "net/topology/lstopo_doc.h"
#include "net/topology/spec.h"
#include "net/topology/topology_doc.h"

/* A path that leads nowhere is one by its look, so that the message is about a missing file. */
bool topology_file_is(const char *text)
{
    return is_topology_path(text) || file_exists(text);
}

/* -- documents ------------------------------------------------------------------------------- */

/* ASTRA-sim's network file: what it says of dimensions, as a product. */
static enum status read_astra(const struct doc *doc, struct fabric **fabric, struct diag *diag)
{
    struct config config;
    struct notices notices;
    config_init(&config);
    notices_init(&notices);
    enum status status = astra_network_read(&config, doc, &notices, diag);
    if (status == STATUS_OK)
        status = fabric_of_dims(&config.network, fabric, diag);
    if (status == STATUS_OK) {
        notices_release(&(*fabric)->notices);
        (*fabric)->notices = notices;
    } else {
        notices_release(&notices);
    }
    config_release(&config);
    return status;
}

/* {topology: "torus:4x4"}: another topology by name. */
static enum status read_named(const struct doc *doc, uint32_t depth, struct fabric **fabric,
                              struct diag *diag)
{
    static const char *const known[] = {"topology", "changes", NULL};
    enum status status = topology_keys(doc, doc->root, "", known, diag);
    if (status == STATUS_OK)
        status =
            topology_beside(doc, doc_find(doc->root, "topology"), "topology", depth, fabric, diag);
    return status;
}

/* `changes`: a text, or a list of texts; each failure has the line of its text. */
static enum status apply_changes(const struct doc *doc, const struct doc_node *node,
                                 struct fabric *fabric, struct diag *diag)
{
    bool is_list = node->kind == DOC_LIST;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < (is_list ? node->count : 1) && status == STATUS_OK; i++) {
        const struct doc_node *entry = is_list ? &node->child[i] : node;
        const char *text = NULL;
        status = doc_get_text(doc, entry, "changes", &text, diag);
        if (status == STATUS_OK && fabric_change(fabric, text, diag) != STATUS_OK)
            status = topology_at(doc, entry, "changes", diag);
    }
    return status;
}

static enum status read_map(const struct doc *doc, uint32_t depth, struct fabric **fabric,
                            struct diag *diag)
{
    const struct doc_node *root = doc->root;
    if (doc_find(root, "npus_count"))
        return read_astra(doc, fabric, diag);
    if (doc_find(root, "node") || doc_find(root, "copies"))
        return compose_read(doc, depth, fabric, diag);
    if (doc_find(root, "lstopo"))
        return lstopo_doc_read(doc, root, "", fabric, diag);
    if (doc_find(root, "topology"))
        return read_named(doc, depth, fabric, diag);
    enum status status = graph_file_read(doc, fabric, diag);
    if (status == STATUS_OK)
        find_tree(*fabric);
    return status;
}

static enum status read_document(const struct doc *doc, uint32_t depth, struct fabric **fabric,
                                 struct diag *diag)
{
    if (doc->root->kind != DOC_MAP) {
        doc_fail(doc, doc->root, "", "a topology: a map with nodes and links, or node and copies",
                 diag);
        diag_hint(diag, "net/README.md lists the kinds of topology files");
        return diag->status;
    }
    const struct doc_node *changes = doc_find(doc->root, "changes");
    enum status status = read_map(doc, depth, fabric, diag);
    if (status == STATUS_OK && changes) {
        status = apply_changes(doc, changes, *fabric, diag);
        if (status != STATUS_OK) {
            fabric_destroy(*fabric);
            *fabric = NULL;
        }
    }
    return status;
}

static enum status read_yaml(const char *path, const struct file *file, uint32_t depth,
                             struct fabric **fabric, struct diag *diag)
{
    struct doc doc;
    enum status status =
        doc_parse(&doc, path, (const char *)file->bytes, file->length, DOC_YAML, diag);
    if (status != STATUS_OK)
        return status;
    status = read_document(&doc, depth, fabric, diag);
    doc_release(&doc);
    return status;
}

/* -- files ---------------------------------------------------------------------------------- */

static bool is_xml(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length && strchr(" \t\r\n", text[at]))
        at++;
    return at < length && text[at] == '<';
}

enum status topology_file_load(const char *path, uint32_t depth, struct fabric **fabric,
                               struct diag *diag)
{
    if (depth > TOPOLOGY_DEPTH) {
        diag_fail(diag, STATUS_BAD_CONFIG, "topology files name each other more than %d deep",
                  TOPOLOGY_DEPTH);
        diag_in(diag, path);
        diag_hint(diag, "a file must not lead back to itself");
        return STATUS_BAD_CONFIG;
    }
    struct file file;
    enum status status = file_load(&file, path, TOPOLOGY_MOST_BYTES, diag);
    if (status != STATUS_OK)
        return status;
    const char *text = (const char *)file.bytes;
    bool is_ns3 = import_ns3_is(text, file.length);
    if (is_xml(text, file.length))
        status = import_lstopo(path, text, file.length, NULL, fabric, diag);
    else if (is_ns3)
        status = import_ns3(path, text, file.length, fabric, diag);
    else
        status = read_yaml(path, &file, depth, fabric, diag);
    if (status == STATUS_OK && is_ns3)
        find_tree(*fabric);
    file_release(&file);
    return status;
}

enum status topology_beside(const struct doc *doc, const struct doc_node *node, const char *field,
                            uint32_t depth, struct fabric **fabric, struct diag *diag)
{
    const char *text = NULL;
    enum status status = doc_get_text(doc, node, field, &text, diag);
    if (status != STATUS_OK)
        return status;
    struct arena arena;
    arena_init(&arena);
    const char *path = path_beside(&arena, doc, text);
    if (!spec_is_kind(text) && topology_file_is(path))
        status = topology_file_load(path, depth + 1, fabric, diag);
    else
        status = fabric_parse(text, fabric, diag);
    arena_release(&arena);
    if (status == STATUS_OK || *diag->file)
        return status; /* a file that was named says itself where it is wrong */
    return topology_at(doc, node, field, diag);
}
