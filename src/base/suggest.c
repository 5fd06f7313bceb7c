#include "base/suggest.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { LONGEST_WORD = 63, MOST_EDITS = 4 };

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return lower((unsigned char)a) == lower((unsigned char)b);
}

/*
 * Edits from `a` to `b`: insert, delete, change, or swap two neighbours ("rnu" and "run" are one
 * apart). Row i of the usual matrix needs the two before it. Words are at most LONGEST_WORD long.
 */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST_WORD + 1];
    size_t length = strlen(b);
    for (size_t j = 0; j <= length; j++)
        rows[0][j] = j;
    size_t i = 0;
    for (; a[i]; i++) {
        size_t *row = rows[(i + 1) % 3];
        const size_t *above = rows[i % 3];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            row[j + 1] = least_of(above[j] + !same(a[i], b[j]), least_of(row[j], above[j + 1]) + 1);
            if (i > 0 && j > 0 && same(a[i], b[j - 1]) && same(a[i - 1], b[j]))
                row[j + 1] = least_of(row[j + 1], rows[(i + 2) % 3][j - 1] + 1);
        }
    }
    return rows[i % 3][length];
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
