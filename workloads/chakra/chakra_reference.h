/*
 * chakra_reference - the current layout read with protobuf-c's generated code.
 *
 * Slower than chakra_wire.c (one allocation per text), and the judge of it: a test and a fuzz
 * target hold the two equal.
 */
#ifndef ORRERY_WORKLOADS_CHAKRA_CHAKRA_REFERENCE_H
#define ORRERY_WORKLOADS_CHAKRA_CHAKRA_REFERENCE_H

#include "workloads/chakra/chakra_wire.h"

/* Holds the message a draft's texts point into until the next one. */
struct chakra_reference {
    void *message;
};

void reference_init(struct chakra_reference *reference);
void reference_release(struct chakra_reference *reference);

/* `state` is a struct chakra_reference. */
bool reference_read_node(void *state, const uint8_t *bytes, size_t length,
                         struct chakra_draft *draft);

/* The texts of `metadata` point into `bytes` or are empty. */
bool reference_read_metadata(const uint8_t *bytes, size_t length, struct chakra_metadata *metadata);

#endif
