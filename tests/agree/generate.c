#include "tests/agree/generate.h"

enum status generate_traces(const struct row *row, const char *prefix, struct diag *diag)
{
    (void)prefix;
    return diag_fail(diag, STATUS_USAGE, "%s: its traces cannot be generated", row->name);
}
