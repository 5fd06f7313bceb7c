/*
 * suggest - "did you mean": the known word nearest to a mistyped one.
 */
#ifndef ORRERY_BASE_SUGGEST_H
#define ORRERY_BASE_SUGGEST_H

/*
 * The word of `known` (NULL-terminated) with the least edit distance to `word`, letter case apart,
 * or NULL if none is near: more than a third of the letters, or more than 4, differ. The first of
 * equally near words is taken.
 */
const char *suggest_nearest(const char *word, const char *const *known);

#endif
