#include "stats/spaced.h"

uint32_t spaced_fit(uint32_t asked, uint64_t most,
                    uint64_t (*cost)(const void *context, uint32_t thing), const void *context,
                    uint64_t *sum)
{
    for (uint32_t count = asked;;) {
        *sum = 0;
        for (uint32_t i = 0; i < count; i++)
            *sum += cost(context, spaced_at(i, count, asked));
        if (*sum <= most || count <= 1)
            return count;
        uint64_t fewer = (uint64_t)((double)count * (double)most / (double)*sum);
        count = fewer >= count ? count - 1 : fewer > 0 ? (uint32_t)fewer : 1;
    }
}
