#include "base/suggest.h"

#include <stddef.h>
#include <string.h>

enum { LONGEST_WORD = 63, MOST_EDITS = 4 };

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static size_t least_of(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Levenshtein distance, one row at a time; both words are at most LONGEST_WORD long. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[LONGEST_WORD + 1];
    size_t length = strlen(b);
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t above = row[j + 1];
            size_t change = diagonal + (lower((unsigned char)a[i]) != lower((unsigned char)b[j]));
            row[j + 1] = least_of(change, row[j] + 1, above + 1);
            diagonal = above;
        }
    }
    return row[length];
}

const char *suggest_nearest(const char *word, const char *const *known)
{
    size_t length = strlen(word);
    if (length > LONGEST_WORD)
        return NULL;
    size_t most = (length + 2) / 3;
    size_t best = (most < MOST_EDITS ? most : MOST_EDITS) + 1;
    const char *nearest = NULL;
    for (; *known; known++) {
        if (strlen(*known) > LONGEST_WORD)
            continue;
        size_t distance = edit_distance(word, *known);
        if (distance < best) {
            best = distance;
            nearest = *known;
        }
    }
    return nearest;
}
