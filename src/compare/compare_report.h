/*
 * compare_report - a comparison in words and figures: one function per format.
 *
 * A report depends on the two sides and nothing else; figures of the host are not in it.
 */
#ifndef ORRERY_COMPARE_COMPARE_REPORT_H
#define ORRERY_COMPARE_COMPARE_REPORT_H

#include <stdio.h>

#include "compare/comparison.h"
#include "compare/tolerance.h"

#define COMPARE_SCHEMA "orrery.compare/1"

/* X(enumerator, name, picoseconds) - units of times in text. */
#define COMPARE_UNIT_LIST(X)                                                                       \
    X(UNIT_AUTO, "auto", 0)                                                                        \
    X(UNIT_PS, "ps", 1)                                                                            \
    X(UNIT_NS, "ns", 1e3)                                                                          \
    X(UNIT_CYCLES, "cycles", 1e3) /* of ASTRA-sim: 1 ns */                                         \
    X(UNIT_US, "us", 1e6)                                                                          \
    X(UNIT_MS, "ms", 1e9)                                                                          \
    X(UNIT_S, "s", 1e12)

enum compare_unit {
#define X(name, text, ps) name,
    COMPARE_UNIT_LIST(X)
#undef X
        UNIT_COUNT
};

extern const char *const compare_unit_names[]; /* NULL-terminated */

struct compare_report {
    const char *version;
    const struct comparison *comparison;
    const struct tolerance *tolerance;
    const struct tolerance_verdict *verdict;
    enum compare_unit unit; /* text */
    bool quiet;             /* text: without notices */
};

struct compare_format {
    const char *name;
    void (*write)(const struct compare_report *report, FILE *out);
};

/* All formats, the last has a NULL name. The first is the default. */
extern const struct compare_format compare_formats[];

void compare_text(const struct compare_report *report, FILE *out);
void compare_json(const struct compare_report *report, FILE *out);
void compare_csv(const struct compare_report *report, FILE *out);

/* "1024 of 1024 ranks equal to the cycle", in text and by hosts of this module. */
const char *compare_headline(char *to, size_t size, const struct comparison *comparison);

#endif
