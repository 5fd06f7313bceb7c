#include "net/topology/lstopo_doc.h"

#include "base/file.h"
#include "config/places.h"
#include "net/topology/import_lstopo.h"
#include "net/topology/topology_doc.h"
#include "net/topology/topology_file.h"

static enum status read_options(const struct doc *doc, const struct doc_node *node,
                                const char *field, struct lstopo_options *options,
                                struct diag *diag)
{
    static const char *const known[] = {
        "lstopo",      "host-bandwidth", "host-latency", "pci-bandwidth",
        "pci-latency", "gpu-latency",    "changes",      NULL};
    const struct {
        const char *key;
        double *ns;
    } latency[] = {{"host-latency", &options->host_ns},
                   {"pci-latency", &options->pci_ns},
                   {"gpu-latency", &options->gpu_ns}};
    enum status status = topology_keys(doc, node, field, known, diag);
    if (status == STATUS_OK)
        status = topology_bandwidth(doc, node, field, "host-bandwidth", &options->host_Bps, diag);
    if (status == STATUS_OK)
        status = topology_bandwidth(doc, node, field, "pci-bandwidth", &options->pci_Bps, diag);
    for (int i = 0; i < 3 && status == STATUS_OK; i++)
        status = topology_duration(doc, node, field, latency[i].key, latency[i].ns, diag);
    return status;
}

enum status lstopo_doc_read(const struct doc *doc, const struct doc_node *node, const char *field,
                            struct fabric **fabric, struct diag *diag)
{
    struct lstopo_options options = lstopo_defaults();
    const char *name = NULL;
    enum status status = read_options(doc, node, field, &options, diag);
    if (status == STATUS_OK)
        status = doc_get_text(doc, doc_find(node, "lstopo"), "lstopo", &name, diag);
    if (status != STATUS_OK)
        return status;
    struct arena arena;
    struct file file;
    arena_init(&arena);
    const char *path = path_beside(&arena, doc, name);
    status = file_load(&file, path, TOPOLOGY_MOST_BYTES, diag);
    if (status == STATUS_OK) {
        status = import_lstopo(path, (const char *)file.bytes, file.length, &options, fabric, diag);
        file_release(&file);
    }
    arena_release(&arena);
    return status;
}
