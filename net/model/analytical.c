#include "net/model/analytical.h"

static enum status check(const struct network_config *config, struct diag *diag)
{
    (void)config;
    return diag_fail(diag, STATUS_BAD_CONFIG, "the analytical network model is being built");
}

const struct network_ops network_analytical = {
    .name = "analytical",
    .summary = "latency of the route + bytes / its least bandwidth; messages never meet",
    .check = check,
};
