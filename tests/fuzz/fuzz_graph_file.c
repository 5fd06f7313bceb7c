/*
 * fuzz_graph_file - the graph file's reader: no bytes end it by a signal, a hang or much memory.
 *
 * Inputs that ask for very many nodes are left out: they are right, and only slow.
 */
#include <stddef.h>
#include <stdint.h>

#include "net/topology/graph_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int has_long_number(const uint8_t *data, size_t size)
{
    size_t digits = 0;
    for (size_t i = 0; i < size && digits < 4; i++)
        digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
    return digits >= 4;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct doc doc;
    struct diag diag = DIAG_NONE;
    if (has_long_number(data, size) ||
        doc_parse(&doc, "graph", (const char *)data, size, DOC_YAML, &diag) != STATUS_OK)
        return 0;
    struct fabric *fabric;
    if (graph_file_read(&doc, &fabric, &diag) == STATUS_OK)
        fabric_destroy(fabric);
    doc_release(&doc);
    return 0;
}
