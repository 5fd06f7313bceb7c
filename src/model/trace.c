#include "model/trace.h"

#include <ctype.h>
#include <stdlib.h>

static int order_of(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_lives(const void *left, const void *right)
{
    const struct trace_life *a = left, *b = right;
    int order = order_of(a->first, b->first);
    if (!order)
        order = order_of(a->last, b->last);
    if (!order)
        order = order_of(a->bytes, b->bytes);
    return order ? order : order_of(a->kind, b->kind);
}

void trace_sort_lives(struct trace *trace)
{
    if (trace->life_count)
        qsort(trace->life, trace->life_count, sizeof *trace->life, compare_lives);
}

void trace_family(const char *name, char *family, size_t room)
{
    size_t used = 0;
    while (*name && used + 1 < room) {
        bool is_digit = isdigit((unsigned char)*name) != 0;
        family[used++] = is_digit ? '*' : *name;
        name++;
        while (is_digit && isdigit((unsigned char)*name))
            name++;
    }
    family[used] = '\0';
}
