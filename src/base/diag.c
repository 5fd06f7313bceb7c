#include "base/diag.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/visible.h"

enum status diag_fail(struct diag *diag, enum status status, const char *format, ...)
{
    if (diag->status != STATUS_OK)
        return status;
    diag->status = status;
    va_list args;
    va_start(args, format);
    visible_format(diag->message, sizeof diag->message, format, args);
    va_end(args);
    return status;
}

/* The first text stays. */
static void put_all_once(char *to, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

static void put_all_once(char *to, size_t size, const char *format, va_list args)
{
    if (!to[0])
        visible_format(to, size, format, args);
}

static void put_once(char *to, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void put_once(char *to, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_all_once(to, size, format, args);
    va_end(args);
}

void diag_in(struct diag *diag, const char *file)
{
    put_once(diag->file, sizeof diag->file, "%s", file);
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
    va_list args;
    va_start(args, format);
    put_all_once(diag->field, sizeof diag->field, format, args);
    va_end(args);
}

void diag_hint(struct diag *diag, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_all_once(diag->hint, sizeof diag->hint, format, args);
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
