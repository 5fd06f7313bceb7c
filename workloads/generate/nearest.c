#include "workloads/generate/nearest.h"

uint64_t nearest_divisor(uint64_t n, uint64_t wanted)
{
    uint64_t best = 1;
    for (uint64_t d = 1; d * d <= n; d++) {
        if (n % d != 0)
            continue;
        uint64_t pair[2] = {d, n / d};
        for (int i = 0; i < 2; i++) {
            uint64_t off = pair[i] > wanted ? pair[i] - wanted : wanted - pair[i];
            uint64_t least = best > wanted ? best - wanted : wanted - best;
            if (off < least || (off == least && pair[i] < best))
                best = pair[i];
        }
    }
    return best;
}

uint64_t nearest_multiple(uint64_t unit, uint64_t wanted)
{
    uint64_t times = (wanted + unit / 2) / unit;
    return (times ? times : 1) * unit;
}

uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
