/*
 * chakra_wire - bounds-checked decoding of protobuf's wire format, and of the current layout.
 *
 * Rules:
 *  1. What is damage follows protobuf-c 1.4, the reader of record: a key of more than 5 bytes, a
 *     varint of more than 10, a length past the end or above 2^31-1, a group, a known field with
 *     the wrong wire type, a packed list that is cut. Unknown fields are skipped and counted. A
 *     bool is taken from any wire type and is true if any of its bytes is.
 *  2. Nested values that nobody reads are checked all the same, so both readers accept the same
 *     files.
 */
#ifndef ORRERY_WORKLOADS_CHAKRA_CHAKRA_WIRE_H
#define ORRERY_WORKLOADS_CHAKRA_CHAKRA_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "workloads/chakra/chakra_draft.h"

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LENGTH = 2, WIRE_FIXED32 = 5 };

struct wire {
    const uint8_t *at, *end;
};

struct wire_field {
    uint32_t number;
    uint32_t type;                /* enum wire_type */
    uint64_t bits;                /* varint (low 64 bits) or fixed value */
    const uint8_t *payload, *end; /* as in the file, with a length prefix */
    const uint8_t *bytes;         /* WIRE_LENGTH: after the prefix */
    size_t length;
};

/* The next field; false on damage. Call only while wire->at < wire->end. */
bool wire_field(struct wire *wire, struct wire_field *field);

/* A record's length prefix (at most 5 bytes); false if cut or longer. */
bool wire_record_length(struct wire *wire, uint64_t *length);

/* What a trace says about itself. Texts point into the record. */
struct chakra_metadata {
    struct chakra_text version, schema;
    bool has_pid, has_time, has_start_ts, has_finish_ts;
};

/* One node of the current layout; false on damage. */
bool wire_read_node(const uint8_t *bytes, size_t length, struct chakra_draft *draft);

/* A metadata record: true only if all of it is one, without unknown fields. */
bool wire_read_metadata(const uint8_t *bytes, size_t length, struct chakra_metadata *metadata);

/* Name and value of an attribute in the current layout; false on damage. */
bool wire_read_attr(const uint8_t *bytes, size_t length, struct chakra_text *name,
                    struct chakra_value *value);

/* Notes attribute `name` of the metadata. */
void metadata_attr(struct chakra_metadata *metadata, struct chakra_text name,
                   const struct chakra_value *value);

/* A repeated id field: one element, or a packed list. False on damage or exhausted memory. */
bool wire_read_ids(const struct wire_field *field, struct id_list *list);

#endif
