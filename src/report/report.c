#include "report/report.h"

#include <string.h>

#include "report/formats.h"

const struct report_ops *const report_formats[] = {
    &report_text, &report_json, &report_csv, &report_astra, NULL,
};

const struct report_ops *report_find(const char *name)
{
    for (const struct report_ops *const *ops = report_formats; *ops != NULL; ops++) {
        if (strcmp((*ops)->name, name) == 0)
            return *ops;
    }
    return NULL;
}

enum status report_finish(FILE *out, struct diag *diag)
{
    if (fflush(out) != 0 || ferror(out))
        return diag_fail(diag, STATUS_IO, "the report cannot be written");
    return STATUS_OK;
}
