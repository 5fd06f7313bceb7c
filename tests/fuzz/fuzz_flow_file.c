/* Flow lists in their three forms: any bytes end with flows or with a message. */
#include <stddef.h>
#include <stdint.h>

#include "net/traffic/flow_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct traffic traffic;
    struct diag diag = DIAG_NONE;
    traffic_init(&traffic);
    if (flow_file_parse(&traffic, "flows", (const char *)data, size, &diag) == STATUS_OK)
        traffic_check(&traffic, 1024, &diag);
    traffic_release(&traffic);
    return 0;
}
