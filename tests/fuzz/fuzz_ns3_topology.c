/*
 * fuzz_ns3_topology - the reader of ns-3 topology text: no bytes end it by a signal or a hang.
 */
#include <stddef.h>
#include <stdint.h>

#include "net/topology/import_ns3.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag diag = DIAG_NONE;
    struct fabric *fabric;
    (void)import_ns3_is((const char *)data, size);
    if (import_ns3("topology", (const char *)data, size, &fabric, &diag) == STATUS_OK)
        fabric_destroy(fabric);
    return 0;
}
