/*
 * compare - our outcome against ASTRA-sim's row, rank by rank, to the nanosecond.
 */
#ifndef ORRERY_TESTS_AGREE_COMPARE_H
#define ORRERY_TESTS_AGREE_COMPARE_H

#include "tests/agree/launch.h"
#include "tests/agree/row.h"

struct verdict {
    uint32_t ranks;     /* compared */
    uint32_t exact;     /* both figures equal (or within the known range) */
    uint32_t differing; /* the others, ranks without a line included */
    bool has_reference; /* ASTRA-sim gave figures; without, `exact` only says that ours are there */
    uint64_t least_cycles, most_cycles; /* of our ranks */
    char first[160]; /* the first difference in words, with both numbers; "" if none */
};

/*
 * Compares every rank. A rank with its own figure must equal it; without one, the least and most
 * over our ranks must equal ASTRA-sim's least and most. A run that did not exit with 0 differs on
 * every rank.
 */
struct verdict compare(const struct row *row, const struct outcome *outcome);

/*
 * A case that ASTRA-sim did not finish, or finished with nonsense: true if our run ended as it
 * should, by an answer or by a diagnosis, and not by a signal, a hang, or in silence.
 */
bool ended_well(const struct outcome *outcome);

#endif
