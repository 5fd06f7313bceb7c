/* A binary trace from memory: read by both readers, which must agree and give a sound trace. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "workloads/chakra/chakra.h"
#include "workloads/trace_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct trace *parse(const uint8_t *data, size_t size, enum chakra_reader_id reader,
                           uint64_t limit_bytes)
{
    struct chakra_options options = {
        .reader = reader, .memory_limit_bytes = limit_bytes, .rank = -1};
    struct notices notices;
    struct diag diag = DIAG_NONE;
    struct trace *trace = NULL;
    notices_init(&notices);
    enum status status = chakra_parse(&trace, "fuzz.et", data, size, &options, &notices, &diag);
    promise(status == diag.status && (status == STATUS_OK) == (trace != NULL));
    promise(status == STATUS_OK || diag.message[0] != '\0');
    notices_release(&notices);
    return trace;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Now and then with arrays in a temporary file. */
    struct trace *fast = parse(data, size, CHAKRA_READER_FAST, size % 64 == 7 ? 1 : 0);
    struct trace *reference = parse(data, size, CHAKRA_READER_REFERENCE, 0);
    promise((fast != NULL) == (reference != NULL));
    if (!fast)
        return 0;
    const char *unsound = trace_unsound(fast);
    const char *differs = unsound ? NULL : trace_difference(fast, reference);
    if (unsound || differs)
        fprintf(stderr, "%s%s\n", unsound ? "unsound: " : "differs: ", unsound ? unsound : differs);
    promise(!unsound && !differs);
    fast->destroy(fast);
    reference->destroy(reference);
    return 0;
}
