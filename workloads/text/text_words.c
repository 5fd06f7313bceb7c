#include "workloads/text/text_words.h"

#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

void text_words_init(struct text_words *words, const void *bytes, size_t length, struct diag *diag)
{
    *words = (struct text_words){.at = bytes, .end = (const char *)bytes + length, .diag = diag};
    words->line_start = words->line_end = words->word = words->at;
}

bool text_words_line(struct text_words *words)
{
    while (words->at < words->end) {
        const char *newline = memchr(words->at, '\n', (size_t)(words->end - words->at));
        words->line_start = words->at;
        words->line_end = newline ? newline : words->end;
        words->at = newline ? newline + 1 : words->end;
        words->line++;
        words->word = words->line_start;
        words->length = 0;
        for (const char *c = words->line_start; c < words->line_end; c++) {
            if (!is_blank(*c))
                return true;
        }
    }
    return false;
}

bool text_words_next(struct text_words *words)
{
    const char *c = words->word + words->length;
    while (c < words->line_end && is_blank(*c))
        c++;
    words->word = c;
    while (c < words->line_end && !is_blank(*c))
        c++;
    words->length = (size_t)(c - words->word);
    return words->length > 0;
}

bool text_words_are(const struct text_words *words, const char *text)
{
    return strlen(text) == words->length && memcmp(text, words->word, words->length) == 0;
}

enum status text_words_fail(const struct text_words *words, const char *what)
{
    int shown = words->length < 40 ? (int)words->length : 40;
    size_t column = (size_t)(words->word - words->line_start) + 1;
    if (words->length > 0)
        diag_fail(words->diag, STATUS_BAD_INPUT, "column %zu: expected %s, found \"%.*s\"", column,
                  what, shown, words->word);
    else
        diag_fail(words->diag, STATUS_BAD_INPUT,
                  "column %zu: expected %s, found the end of the line", column, what);
    diag_at(words->diag, DIAG_LINE, words->line);
    return STATUS_BAD_INPUT;
}

enum status text_words_number(struct text_words *words, const char *what, uint64_t least,
                              uint64_t most, uint64_t *number)
{
    char text[160];
    text_words_next(words);
    if (decimal_u64(words->word, words->length, number) && *number >= least && *number <= most)
        return STATUS_OK;
    if (most == UINT64_MAX)
        snprintf(text, sizeof text, "%s (a whole number%s)", what, least ? " from 1" : "");
    else
        snprintf(text, sizeof text, "%s (a whole number from %" PRIu64 " to %" PRIu64 ")", what,
                 least, most);
    return text_words_fail(words, text);
}
