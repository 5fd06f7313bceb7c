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
