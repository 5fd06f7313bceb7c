/*
 * chakra_schema - which layout a binary trace has, told by the fields it uses.
 *
 * Rules (each from a published layout; there is no magic number):
 *  1. Record 0 is metadata if it parses as metadata whole; otherwise it is the first node.
 *  2. Fields of the first 64 nodes decide: text in fields 6, 7 or 11 is 0.0.2/0.0.3; integers in
 *     fields 8-10 or 12-20 are 0.0.1. A file without metadata and without attributes is 0.0.1 if it
 *     shows proto2 (an explicit id 0, an unpacked parent) or computes as type 3.
 *  3. 0.0.2 and 0.0.3 differ in the numbers of types and in the attribute value fields.
 */
#ifndef ORRERY_WORKLOADS_CHAKRA_CHAKRA_SCHEMA_H
#define ORRERY_WORKLOADS_CHAKRA_CHAKRA_SCHEMA_H

#include "workloads/chakra/chakra_wire.h"

enum chakra_schema { SCHEMA_0_0_1, SCHEMA_0_0_2, SCHEMA_0_0_3, SCHEMA_CURRENT };

struct chakra_layout {
    enum chakra_schema schema;
    bool has_metadata;
    struct chakra_metadata metadata;
};

typedef bool chakra_read_metadata(const uint8_t *bytes, size_t length,
                                  struct chakra_metadata *metadata);
typedef bool chakra_read_node(void *state, const uint8_t *bytes, size_t length,
                              struct chakra_draft *draft);

/* Looks at the first records; damage is left for the reader to find. */
void chakra_detect(const uint8_t *bytes, size_t length, chakra_read_metadata *read_metadata,
                   struct chakra_layout *layout);

/* The next record of the file; false if it is cut or its length is not a number (see *left). */
struct chakra_record {
    const uint8_t *bytes;
    size_t length;
    uint64_t offset;  /* of the length prefix */
    uint64_t claimed; /* length it says, when chakra_next_record() fails; 0 if not readable */
};
bool chakra_next_record(struct wire *wire, const uint8_t *file, struct chakra_record *record);

/* Nodes of 0.0.1, and of 0.0.2 and 0.0.3. Their parents are data parents. */
bool legacy_read_node_1(void *state, const uint8_t *bytes, size_t length,
                        struct chakra_draft *draft);
bool legacy_read_node_2(void *state, const uint8_t *bytes, size_t length,
                        struct chakra_draft *draft);
bool legacy_read_node_3(void *state, const uint8_t *bytes, size_t length,
                        struct chakra_draft *draft);

/* Name and value of a 0.0.2 or 0.0.3 attribute; false on damage. */
bool legacy_read_attr(const uint8_t *bytes, size_t length, struct chakra_text *name,
                      struct chakra_value *value);

#endif
