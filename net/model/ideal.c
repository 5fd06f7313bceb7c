#include "net/model/ideal.h"

static enum status check(const struct network_config *config, struct diag *diag)
{
    (void)config;
    return diag_fail(diag, STATUS_BAD_CONFIG, "the ideal network model is being built");
}

const struct network_ops network_ideal = {
    .name = "ideal",
    .summary = "a bound: ports only, a network core without limits",
    .check = check,
};
