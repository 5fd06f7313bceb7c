#include "base/visible.h"

#include <stdio.h>

void visible_format(char *to, size_t size, const char *format, va_list args)
{
    vsnprintf(to, size, format, args);
    for (char *c = to; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    }
}
