#include "cli/say.h"

void say_notices(const struct notices *notices, FILE *out)
{
    if (!notices->count)
        return;
    fputs("notices\n", out);
    for (size_t i = 0; i < notices->count; i++) {
        char text[NOTICE_TEXT];
        fprintf(out, "  %s\n", notice_show(text, sizeof text, &notices->row[i]));
    }
}

void say_if_too_large(const struct step_memory *memory, const char *job, struct notices *notices)
{
    char needs[32], has[32];
    if (!step_fits(memory))
        notices_add(notices, NOTICE_ODDITY, "a job that does not fit in its devices' memory", 1,
                    "%.80s: %s of %s", job,
                    units_show_bytes(needs, sizeof needs, (double)memory->worst.total_bytes),
                    units_show_bytes(has, sizeof has, memory->device_bytes));
}
