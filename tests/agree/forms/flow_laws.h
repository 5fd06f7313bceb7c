/*
 * flow_laws - laws of random lists of flows: rotations, symmetry, bounds. The second half of part
 * `properties`.
 */
#ifndef ORRERY_TESTS_AGREE_FORMS_FLOW_LAWS_H
#define ORRERY_TESTS_AGREE_FORMS_FLOW_LAWS_H

#include "tests/agree/part/part.h"

/* Tries `cases` random lists, and prints and counts as a part does. */
enum status agree_flow_laws(uint32_t cases, bool brief, FILE *out, struct part_count *count,
                            struct diag *diag);

#endif
