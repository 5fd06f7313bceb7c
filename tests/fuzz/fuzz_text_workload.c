/* Text workloads of ASTRA-sim 1.0 and SimAI: any bytes end with a sound trace or with a message. */
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "workloads/text/text_workload.h"
#include "workloads/trace_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace *trace;
    struct notices notices;
    struct diag diag = DIAG_NONE;
    notices_init(&notices);
    if (text_workload_parse(&trace, "workload", data, size, 48, 2, &notices, &diag) == STATUS_OK) {
        promise(trace_unsound(trace) == NULL);
        trace->destroy(trace);
    }
    notices_release(&notices);
    return 0;
}
