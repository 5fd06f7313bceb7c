#include "report/top.h"

void top_add(struct top *top, uint32_t row)
{
    uint32_t at = top->count;
    while (at > 0 && top->is_before(top->context, row, top->row[at - 1]))
        at--;
    if (at >= top->most)
        return;
    if (top->count < top->most)
        top->count++;
    for (uint32_t i = top->count - 1; i > at; i--)
        top->row[i] = top->row[i - 1];
    top->row[at] = row;
}
