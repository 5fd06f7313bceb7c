#include "workloads/chakra/chakra_schema.h"

enum { SAMPLE_RECORDS = 64, MAX_FIELD = 31 };

bool chakra_next_record(struct wire *wire, const uint8_t *file, struct chakra_record *record)
{
    record->offset = (uint64_t)(wire->at - file);
    record->claimed = 0;
    uint64_t length;
    if (!wire_record_length(wire, &length))
        return false;
    record->claimed = length;
    if (length > (uint64_t)(wire->end - wire->at))
        return false;
    record->bytes = wire->at;
    record->length = (size_t)length;
    wire->at += length;
    return true;
}

/* What the sampled nodes contain. */
struct features {
    uint32_t number_fields; /* bit f: field f occurs as a varint */
    uint32_t text_fields;   /* bit f: field f occurs as text, message or packed list */
    uint64_t types;         /* bit t: type t occurs (below 64) */
    bool explicit_zero_id;
    bool attr_2, attr_3; /* attribute values as in 0.0.2, as in 0.0.3 */
};

/* 0.0.2: f=4 i=5 s=6. 0.0.3: b=4 f=5 i or u=6, s=7 or i=7 and s=8. */
static void sample_attr(const struct wire_field *outer, struct features *features)
{
    struct wire wire = {outer->bytes, outer->bytes + outer->length};
    struct wire_field field;
    while (wire.at < wire.end && wire_field(&wire, &field)) {
        bool is_number = field.type == WIRE_VARINT, is_text = field.type == WIRE_LENGTH;
        features->attr_2 |= field.number == 5 && is_number;
        features->attr_2 |= field.number == 4 && field.type == WIRE_FIXED32;
        features->attr_2 |= field.number == 6 && is_text;
        features->attr_3 |= (field.number == 4 || field.number == 6) && is_number;
        features->attr_3 |= field.number == 5 && field.type == WIRE_FIXED32;
        features->attr_3 |= (field.number == 7 || field.number == 8) && is_text;
        features->attr_3 |= field.number == 7 && is_number;
    }
}

static void sample_node(const struct chakra_record *record, struct features *features)
{
    struct wire wire = {record->bytes, record->bytes + record->length};
    struct wire_field field;
    while (wire.at < wire.end && wire_field(&wire, &field)) {
        if (field.number > MAX_FIELD)
            continue;
        if (field.type == WIRE_VARINT)
            features->number_fields |= 1u << field.number;
        if (field.type == WIRE_LENGTH)
            features->text_fields |= 1u << field.number;
        if (field.type == WIRE_VARINT && field.number == 3 && field.bits < 64)
            features->types |= UINT64_C(1) << field.bits;
        features->explicit_zero_id |= field.number == 1 && field.bits == 0;
        if (field.type == WIRE_LENGTH && field.number == 11)
            sample_attr(&field, features);
    }
}

static bool has(uint32_t fields, unsigned first, unsigned last)
{
    for (unsigned f = first; f <= last; f++) {
        if (fields >> f & 1)
            return true;
    }
    return false;
}

static enum chakra_schema decide(const struct features *features, bool has_metadata)
{
    if (has(features->text_fields, 6, 7) || has(features->text_fields, 11, 11)) {
        bool is_2 = features->attr_2 && !features->attr_3;
        return is_2 && !has_metadata ? SCHEMA_0_0_2 : SCHEMA_0_0_3;
    }
    if (has_metadata)
        return SCHEMA_CURRENT;
    if (has(features->number_fields, 8, 10) || has(features->number_fields, 12, 20))
        return SCHEMA_0_0_1;
    if (has(features->text_fields, 8, 10) || has(features->text_fields, 4, 5))
        return SCHEMA_CURRENT;
    bool is_proto2 = features->explicit_zero_id || has(features->number_fields, 4, 4);
    bool computes_as_3 = features->types == UINT64_C(1) << 3;
    return is_proto2 || computes_as_3 ? SCHEMA_0_0_1 : SCHEMA_CURRENT;
}

/*
 * Metadata of August to October 2023 has its attributes in field 1, where the version text is now:
 * an attribute starts with its name's key (0x0a), a version never does.
 */
static void reread_old_metadata(const struct chakra_record *record, struct chakra_layout *layout)
{
    struct chakra_text version = layout->metadata.version;
    if (!version.length || version.at[0] != '\n')
        return;
    struct wire wire = {record->bytes, record->bytes + record->length};
    struct chakra_metadata metadata = {0};
    struct wire_field field;
    while (wire.at < wire.end && wire_field(&wire, &field)) {
        struct chakra_text name;
        struct chakra_value value;
        if (wire_read_attr(field.bytes, field.length, &name, &value) && value.kind != VALUE_NONE)
            metadata_attr(&metadata, name, &value);
        else if (legacy_read_attr(field.bytes, field.length, &name, &value))
            metadata_attr(&metadata, name, &value);
        else
            return;
    }
    layout->metadata = metadata;
}

void chakra_detect(const uint8_t *bytes, size_t length, chakra_read_metadata *read_metadata,
                   struct chakra_layout *layout)
{
    *layout = (struct chakra_layout){.schema = SCHEMA_CURRENT};
    struct wire wire = {bytes, bytes + length};
    struct chakra_record record;
    struct features features = {0};
    for (unsigned i = 0; i < SAMPLE_RECORDS && wire.at < wire.end; i++) {
        if (!chakra_next_record(&wire, bytes, &record))
            break;
        if (i == 0 && read_metadata(record.bytes, record.length, &layout->metadata)) {
            layout->has_metadata = true;
            reread_old_metadata(&record, layout);
            continue;
        }
        sample_node(&record, &features);
    }
    if (!layout->has_metadata)
        layout->metadata = (struct chakra_metadata){0};
    layout->schema = decide(&features, layout->has_metadata);
}
