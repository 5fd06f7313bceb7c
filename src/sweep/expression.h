/*
 * expression - a condition over names, as studies filter points and `orrery results` filters rows.
 *
 * The language, from what binds last:
 *
 *     or | and | not | == != < <= > >= | + - | * / % | - (of one) | ( ) number 'text' name
 *
 * Rules:
 *  1. A name has letters, digits, '.', '_' and '-', and begins with a letter, "[0]" may follow:
 *     "plan.global-batch", "network.dims[0].bandwidth". A difference needs blanks: "a - b".
 *     Comparisons do not chain.
 *  2. A number may carry a unit (quantity.h): "network.injection >= 50GB/s". Text stands in '..' or
 *     "..".
 *  3. A comparison gives 1 or 0, and anything but 0 is true. `and` and `or` look at both sides.
 *  4. Text can be compared, with text only; a name that has no value (a row that failed) makes
 *     every comparison with it false, != included, and arithmetic with it has no value either.
 *  5. Arithmetic is in double. Division by 0 is an error, as is arithmetic with text.
 *  6. No recursion: compiled once to a list of steps. At most EXPRESSION_STEPS steps and
 *     EXPRESSION_DEPTH open operators.
 */
#ifndef ORRERY_SWEEP_EXPRESSION_H
#define ORRERY_SWEEP_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

enum { EXPRESSION_STEPS = 256, EXPRESSION_DEPTH = 64 };

/* A value: text if `text` is there, else a number; absent if that is not-a-number. */
struct expression_value {
    const char *text;
    double number;
};

struct expression;

/*
 * Compiles `text`; everything is in `arena`. `known` (NULL-terminated, borrowed) are the names that
 * there are. NULL with a message (STATUS_BAD_CONFIG, field `field`) if it is wrong.
 */
struct expression *expression_compile(struct arena *arena, const char *text, const char *field,
                                      const char *const *known, struct diag *diag);

/* Sets *is_true; `value[i]` is that of known[i]. Fails as in rule 5. */
enum status expression_holds(const struct expression *expression,
                             const struct expression_value *value, bool *is_true,
                             struct diag *diag);

#endif
