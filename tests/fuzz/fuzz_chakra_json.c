/* The JSON form from memory; a document that is not JSON is wrapped so that it reaches the reader.
 * A second use: the bytes as process-group text and as tensor shapes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "workloads/chakra/chakra.h"
#include "workloads/chakra/chakra_text.h"
#include "workloads/trace_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(const char *text, size_t size)
{
    struct chakra_options options = CHAKRA_OPTIONS_DEFAULT;
    struct notices notices;
    struct diag diag = DIAG_NONE;
    struct trace *trace = NULL;
    notices_init(&notices);
    enum status status = chakra_parse(&trace, "fuzz.json", text, size, &options, &notices, &diag);
    promise(status == diag.status && (status == STATUS_OK) == (trace != NULL));
    if (trace) {
        promise(!trace_unsound(trace));
        trace->destroy(trace);
    }
    notices_release(&notices);
}

static void parse_texts(const char *text, size_t size)
{
    struct arena arena;
    struct group_list groups = {0};
    uint64_t bytes = 0;
    size_t half = size / 2;
    arena_init(&arena);
    chakra_text_groups((struct chakra_text){text, size}, &arena, &groups);
    chakra_text_bytes((struct chakra_text){text, half},
                      (struct chakra_text){text + half, size - half}, &bytes);
    promise(bytes <= INT64_MAX);
    group_list_release(&groups);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char head[] = "{\"workload_graph\":[", tail[] = "]}";
    char *text = malloc(size + sizeof head + sizeof tail);
    promise(text != NULL);
    memcpy(text, head, sizeof head - 1);
    if (size)
        memcpy(text + sizeof head - 1, data, size);
    memcpy(text + sizeof head - 1 + size, tail, sizeof tail - 1);
    parse(text, sizeof head - 1 + size + sizeof tail - 1);
    parse(text + sizeof head - 1, size);
    parse_texts(text + sizeof head - 1, size);
    free(text);
    return 0;
}
