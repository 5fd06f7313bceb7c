#include "base/visible.h"

static char shown(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f ? '?' : c;
}

void visible_format(char *to, size_t size, const char *format, va_list args)
{
    vsnprintf(to, size, format, args);
    for (char *c = to; *c; c++)
        *c = shown(*c);
}

void visible_put(FILE *out, const char *text, int least, int most)
{
    int count = 0;
    for (; text[count] && count < most; count++)
        fputc(shown(text[count]), out);
    if (count < least)
        fprintf(out, "%*s", least - count, "");
}
