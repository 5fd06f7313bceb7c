/*
 * ledger - what random cases said of a law: how often it was tried, broken, or excused.
 *
 * A law may be excused at some fidelities, for a reason that it states; such breaks are counted as
 * known, and may not be more than `most_known` percent of its runs. At others none is allowed.
 */
#ifndef ORRERY_TESTS_AGREE_FORMS_LEDGER_H
#define ORRERY_TESTS_AGREE_FORMS_LEDGER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "config/config.h"
#include "tests/agree/part/part.h"

#define AT(fidelity) (1u << (fidelity))

struct law {
    const char *name, *text;
    const char *known; /* why it may be broken at the `excused` fidelities, AT() bits; or NULL */
    uint32_t excused;
    uint32_t most_known; /* percent */
};

struct ledger {
    uint32_t runs, broken, known;
    double worst; /* relative, of the broken and the known */
};

enum { LEDGER_MOST_SAID = 10 }; /* broken cases of a law that are told one by one */

/* Enters a run that gave `got` where the law wants `want`; true if it is to be told. */
bool ledger_enter(struct ledger *ledger, const struct law *law, enum net_backend fidelity,
                  bool holds, double got, double want);

void ledger_print_head(FILE *out);

/* Prints the row (`brief`: only if it failed), and counts the law as passed or failed. */
void ledger_print(const struct ledger *ledger, const struct law *law, bool brief, FILE *out,
                  struct part_count *count);

#endif
