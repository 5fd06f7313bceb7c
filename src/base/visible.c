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

size_t utf8_length(const char *bytes)
{
    const unsigned char *text = (const unsigned char *)bytes;
    size_t length = text[0] < 0x80                      ? 1
                    : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
                    : text[0] >= 0xe0 && text[0] < 0xf0 ? 3
                    : text[0] >= 0xf0 && text[0] < 0xf5 ? 4
                                                        : 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    }
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] >= 0xa0) ||
        (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] >= 0x90))
        return 0;
    return length;
}
