/*
 * forms - collectives against their closed forms, and against laws that any network must obey.
 *
 * Each is a part of agree-net (tests/agree/part/part.h); neither needs data.
 */
#ifndef ORRERY_TESTS_AGREE_FORMS_FORMS_H
#define ORRERY_TESTS_AGREE_FORMS_FORMS_H

#include "tests/agree/part/part.h"

/*
 * Every algorithm, every kind it runs, 2 to 64 ranks: the simulated time at analytical, flow and
 * link is that of collective_ops.cost to a picosecond per message, the bytes are its total_bytes
 * and the identity of the kind. Where messages share links the form is a bound, and is so checked.
 */
enum status agree_forms(const char *shared, bool brief, FILE *out, struct part_count *count,
                        struct diag *diag);

/* Laws over random networks, algorithms and sizes (properties.c lists them). */
enum status agree_properties(const char *shared, bool brief, FILE *out, struct part_count *count,
                             struct diag *diag);

#endif
