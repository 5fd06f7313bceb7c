#include "base/diag.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* Copies `format` into `to`, cut to `size`, with control characters made visible as '?'. */
static void put_text(char *to, size_t size, const char *format, va_list args)
{
    vsnprintf(to, size, format, args);
    for (char *c = to; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    }
}

enum status diag_fail(struct diag *diag, enum status status, const char *format, ...)
{
    if (diag->status != STATUS_OK)
        return status;
    diag->status = status;
    va_list args;
    va_start(args, format);
    put_text(diag->message, sizeof diag->message, format, args);
    va_end(args);
    return status;
}

void diag_in(struct diag *diag, const char *file)
{
    if (!diag->file[0])
        snprintf(diag->file, sizeof diag->file, "%s", file);
}

void diag_at(struct diag *diag, enum diag_place place, uint64_t at)
{
    if (diag->place != DIAG_NOWHERE)
        return;
    diag->place = place;
    diag->at = at;
}

void diag_rank(struct diag *diag, int64_t rank)
{
    if (diag->rank < 0)
        diag->rank = rank;
}

void diag_field(struct diag *diag, const char *format, ...)
{
    if (diag->field[0])
        return;
    va_list args;
    va_start(args, format);
    put_text(diag->field, sizeof diag->field, format, args);
    va_end(args);
}

void diag_hint(struct diag *diag, const char *format, ...)
{
    if (diag->hint[0])
        return;
    va_list args;
    va_start(args, format);
    put_text(diag->hint, sizeof diag->hint, format, args);
    va_end(args);
}

void diag_print(const struct diag *diag, FILE *out)
{
    static const char *const places[] = {
        [DIAG_NOWHERE] = "", [DIAG_LINE] = "line", [DIAG_BYTE] = "byte", [DIAG_NODE] = "node"};
    fprintf(out, "orrery: %s: ", status_name(diag->status));
    if (diag->file[0])
        fprintf(out, "%s: ", diag->file);
    if (diag->rank >= 0)
        fprintf(out, "rank %" PRId64 ": ", diag->rank);
    if (diag->place != DIAG_NOWHERE)
        fprintf(out, "%s %" PRIu64 ": ", places[diag->place], diag->at);
    if (diag->field[0])
        fprintf(out, "%s: ", diag->field);
    fprintf(out, "%s\n", diag->message);
    if (diag->hint[0])
        fprintf(out, "  hint: %s\n", diag->hint);
}
