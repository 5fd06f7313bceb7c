/*
 * algorithm_name - the names of collective algorithms.
 *
 * As ASTRA-sim writes them: ring, direct, direct<W> (at most W messages in flight),
 * halvingDoubling, doubleBinaryTree, and over all ranks as one dimension oneRing, oneDirect,
 * oneDirect<W>, oneHalvingDoubling. Ours are NAME or NAME:OPTION:..: chunks=K, channels=K, radix=K
 * (1 to 99999) where the algorithm takes it; `flat`, over all ranks as one dimension, where it is
 * not so already, and `dim`, in one dimension, where it is flat otherwise. "chain:chunks=16",
 * "bidirectional-ring:flat", "double-binary-tree:dim:chunks=4".
 */
#ifndef ORRERY_CONFIG_ALGORITHM_NAME_H
#define ORRERY_CONFIG_ALGORITHM_NAME_H

#include "config/config.h"

enum { ALGORITHM_TEXT = 96 }; /* room for any name with its options */

/* False if `name` is none of the above, or a number is not 1 to 99999. */
bool algorithm_parse(const char *name, struct algorithm_choice *choice);

/* The name of `choice`, as algorithm_parse() reads it. */
const char *algorithm_show(char *to, size_t size, struct algorithm_choice choice);

/* Fills `diag` for a name that algorithm_parse() refused. */
enum status algorithm_unknown(const char *name, struct diag *diag);

/* Key of the slot's provenance row: "system.collectives.all-reduce". */
void algorithm_key(char *to, size_t size, enum algorithm_slot slot);

/* Notes the provenance row of the slot from its present value. */
void algorithm_note(struct config *config, enum algorithm_slot slot, const char *source);

/* Names without windows, NULL-terminated, for lists and suggestions. */
extern const char *const algorithm_names[];

#endif
