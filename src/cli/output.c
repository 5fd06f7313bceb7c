#include "cli/output.h"

#include "base/watch.h"

enum status output_open(struct out_file *out, const char *path, struct diag *diag)
{
    enum status status = out_file_open(out, path ? path : "-", diag);
    if (status == STATUS_OK)
        watch_unlink(out->aside);
    return status;
}

enum status output_commit(struct out_file *out, struct diag *diag)
{
    enum status status = out_file_commit(out, diag);
    watch_unlink(NULL);
    return status;
}

void output_abandon(struct out_file *out)
{
    out_file_abandon(out);
    watch_unlink(NULL);
}
