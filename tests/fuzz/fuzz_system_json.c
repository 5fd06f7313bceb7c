/* ASTRA-sim's system file from memory. */
#include "tests/fuzz/fuzz_config.h"

static enum status read_scaled(struct config *config, const struct doc *doc,
                               struct notices *notices, struct diag *diag)
{
    return astra_system_read(config, doc, 1.5, notices, diag);
}

static bool is_sane(const struct config *config)
{
    return config_source(config, "system.endpoint-delay") != NULL &&
           config->system.bus_G_ns_per_byte <= CONFIG_MAX_BUS_G;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_config(data, size, DOC_JSON, read_scaled, is_sane);
}
