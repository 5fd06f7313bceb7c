#include "net/model/flow.h"

static enum status check(const struct network_config *config, struct diag *diag)
{
    (void)config;
    return diag_fail(diag, STATUS_BAD_CONFIG, "the flow network model is being built");
}

const struct network_ops network_flow = {
    .name = "flow",
    .summary = "max-min fair sharing of every link on any graph",
    .check = check,
};
