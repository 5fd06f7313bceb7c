#include "cli/say.h"

#include <inttypes.h>

void say_notices(const struct notices *notices, FILE *out)
{
    if (!notices->count)
        return;
    fputs("notices\n", out);
    for (size_t i = 0; i < notices->count; i++) {
        const struct notice *notice = &notices->row[i];
        fprintf(out, "  %s: %s, %" PRIu64 " %s%s%s\n", notice_kind_name(notice->kind), notice->key,
                notice->count, notice->count == 1 ? "time" : "times",
                notice->example[0] ? ": " : "", notice->example);
    }
}
