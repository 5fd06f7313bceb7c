#include "base/decimal.h"

bool decimal_u64(const char *text, size_t length, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(*value, 10u, value) ||
            __builtin_add_overflow(*value, (uint64_t)(text[i] - '0'), value))
            return false;
    }
    return length > 0;
}
