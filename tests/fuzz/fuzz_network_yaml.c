/* ASTRA-sim's network file from memory: accepted with every dimension sane, or refused with words.
 */
#include "tests/fuzz/fuzz_config.h"

static bool is_sane(const struct config *config)
{
    return config->network.npu_count >= 1 && config->network.dim[0].bandwidth_B_per_ns > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_config(data, size, DOC_YAML, astra_network_read, is_sane);
}
