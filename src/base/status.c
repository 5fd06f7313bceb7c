#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    int code;
    const char *name;
    const char *help;
} statuses[STATUS_COUNT] = {
#define X(enumerator, code, name, help) [enumerator] = {code, name, help},
    STATUS_LIST(X)
#undef X
};

int status_exit_code(enum status status)
{
    return statuses[status].code;
}

const char *status_name(enum status status)
{
    return statuses[status].name;
}

const char *status_help(enum status status)
{
    return statuses[status].help;
}

void promise_broken(const char *what, const char *file, int line)
{
    fprintf(stderr,
            "orrery: internal error: promise broken: %s (%s:%d)\n"
            "  This is a defect of orrery, not of your input. Please report it with the command.\n",
            what, file, line);
    exit(70);
}
