#include "base/apportion.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

struct remainder {
    apportion_sum left;
    uint32_t index;
};

static int most_first(const void *left, const void *right)
{
    const struct remainder *a = left, *b = right;
    if (a->left != b->left)
        return a->left > b->left ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

void apportion(const apportion_sum *part, uint32_t count, uint64_t times, apportion_sum by,
               uint64_t *to)
{
    struct remainder *remainder = malloc((count + 1) * sizeof *remainder);
    need_memory(remainder != NULL);
    apportion_sum left = 0;
    for (uint32_t i = 0; i < count; i++) {
        apportion_sum product = part[i] * times;
        to[i] = (uint64_t)(product / by);
        remainder[i] = (struct remainder){product % by, i};
        left += remainder[i].left;
    }
    promise(left % by == 0);
    if (left)
        qsort(remainder, count, sizeof *remainder, most_first);
    for (uint32_t i = 0; i < (uint32_t)(left / by); i++)
        to[remainder[i].index]++;
    free(remainder);
}
