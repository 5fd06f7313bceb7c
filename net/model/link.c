#include "net/model/link.h"

static enum status check(const struct network_config *config, struct diag *diag)
{
    (void)config;
    return diag_fail(diag, STATUS_BAD_CONFIG, "the link network model is being built");
}

const struct network_ops network_link = {
    .name = "link",
    .summary = "messages queue FIFO at every link, cut-through or store-and-forward",
    .check = check,
};
