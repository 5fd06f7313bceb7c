/*
 * fluid_parts - the flow model against SimGrid (the same fluid) and htsim (packets).
 *
 * Each is a part of agree-net (tests/agree/part/part.h).
 */
#ifndef ORRERY_TESTS_AGREE_FLUID_PARTS_H
#define ORRERY_TESTS_AGREE_FLUID_PARTS_H

#include "tests/agree/part/part.h"

/*
 * Every flow of the `zero` and `plain` rows of simgrid_reference.jsonl and
 * simgrid_htsim_match.jsonl within 1e-5 relative: on our topology with our routing, and, where the
 * row has its routes, on those.
 */
enum status agree_simgrid(const char *shared, bool brief, FILE *out, struct part_count *count,
                          struct diag *diag);

/*
 * Makespans of htsim_reference.jsonl: with spray within 15 % of NDP on permutation, incast,
 * recursive doubling and all-to-all; the collision factor of hashed ECMP on random permutations.
 */
enum status agree_htsim(const char *shared, bool brief, FILE *out, struct part_count *count,
                        struct diag *diag);

/*
 * Flows per CPU second on the patterns of simgrid_speed.jsonl: at least 10 times SimGrid's on
 * symmetric rows of 1,024 hosts and more, at least 100 times on random sizes.
 */
enum status agree_simgrid_speed(const char *shared, bool brief, FILE *out, struct part_count *count,
                                struct diag *diag);

#endif
