/*
 * generate - the traces of a row from its specification, as astra/README.md describes them.
 */
#ifndef ORRERY_TESTS_AGREE_GENERATE_H
#define ORRERY_TESTS_AGREE_GENERATE_H

#include "tests/agree/row.h"

/*
 * Writes PREFIX.all.et, or PREFIX.<rank>.et for each rank if ranks differ. STATUS_USAGE if the
 * specification is of a kind that is not generated here.
 */
enum status generate_traces(const struct row *row, const char *prefix, struct diag *diag);

#endif
