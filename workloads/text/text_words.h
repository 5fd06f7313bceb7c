/*
 * text_words - the words of a text, line by line, each with its place.
 */
#ifndef ORRERY_WORKLOADS_TEXT_TEXT_WORDS_H
#define ORRERY_WORKLOADS_TEXT_TEXT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct text_words {
    const char *at, *end;   /* rest of the text */
    const char *line_start; /* of the current line */
    const char *line_end;
    uint32_t line; /* from 1; 0: before the first */
    const char *word;
    size_t length;
    struct diag *diag;
};

void text_words_init(struct text_words *words, const void *bytes, size_t length, struct diag *diag);

/* Goes to the next line that has a word; false at the end of the text. */
bool text_words_line(struct text_words *words);

/* Goes to the next word of the line; false (and an empty word) at its end. */
bool text_words_next(struct text_words *words);

bool text_words_are(const struct text_words *words, const char *text);

/* "expected <what>, found <the word>", with line and column. */
enum status text_words_fail(const struct text_words *words, const char *what);

/* The next word as a number from `least` to `most`; `what` names it. */
enum status text_words_number(struct text_words *words, const char *what, uint64_t least,
                              uint64_t most, uint64_t *number);

#endif
