/* ASTRA-sim's remote-memory file from memory. */
#include "tests/fuzz/fuzz_config.h"

static bool is_sane(const struct config *config)
{
    return config_source(config, "memory.type") != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_config(data, size, DOC_JSON, astra_memory_read, is_sane);
}
