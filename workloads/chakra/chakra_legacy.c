/* Layouts of January to October 2023 (0.0.1, 0.0.2, 0.0.3 and its variants). */
#include "workloads/chakra/chakra_schema.h"

#include <string.h>

/* Numbers a schema does not have are reported as they are. */
static void set_type(struct chakra_draft *draft, uint64_t raw, bool counts_metadata)
{
    uint64_t most = counts_metadata ? OP_COLLECTIVE : OP_COLLECTIVE - 1;
    draft->type_known = raw <= most;
    draft->type = (int32_t)(uint32_t)raw;
    /* Before 0.0.3 there was no metadata node: 1 is a memory load. */
    if (draft->type_known && !counts_metadata && raw)
        draft->type = (int64_t)raw + 1;
}

/* Kinds before the current numbering: all-reduce, all-to-all, all-gather, reduce-scatter, .. */
static uint64_t old_kind(uint64_t raw)
{
    static const uint8_t kinds[] = {COLL_ALL_REDUCE, COLL_ALL_TO_ALL, COLL_ALL_GATHER,
                                    COLL_REDUCE_SCATTER, COLL_BROADCAST};
    if (raw < sizeof kinds)
        return kinds[raw];
    /* Out of range here as well, and visibly not a number of the current schema. */
    return raw < INT64_MAX - 1000 ? 1000 + raw : raw;
}

static void set_number(struct chakra_draft *draft, enum chakra_attr attr, uint64_t bits)
{
    draft->given |= 1u << attr;
    draft->attr[attr] = (struct chakra_value){.kind = VALUE_SIGNED, .bits = bits};
}

static void add_dim(struct chakra_draft *draft, bool takes_part)
{
    struct chakra_value *list = &draft->attr[ATTR_INVOLVED_DIM];
    if (!(draft->given >> ATTR_INVOLVED_DIM & 1))
        *list = (struct chakra_value){.kind = VALUE_INTEGERS};
    draft->given |= 1u << ATTR_INVOLVED_DIM;
    if (list->length < 64)
        list->bits |= (uint64_t)takes_part << list->length;
    list->length++;
}

/* -- 0.0.1: everything is a field ---------------------------------------------------------- */

static bool number_1(const struct wire_field *field, struct chakra_draft *draft)
{
    static const uint8_t attr_of[21] = {
        [6] = ATTR_TENSOR_SIZE, [12] = ATTR_NUM_OPS,       [15] = ATTR_COMM_GROUP,
        [16] = ATTR_COMM_SRC,   [17] = ATTR_COMM_DST,      [18] = ATTR_COMM_SIZE,
        [19] = ATTR_COMM_TAG,   [20] = ATTR_COMM_PRIORITY,
    };
    switch (field->number) {
    case 1:
        draft->id = field->bits;
        break;
    case 3:
        set_type(draft, field->bits, false);
        break;
    case 7:
        draft->duration_us = field->bits;
        break;
    case 13: /* 0 is "invalid": no kind */
        if (field->bits)
            set_number(draft, ATTR_COMM_TYPE, old_kind(field->bits - 1));
        break;
    case 14:
        add_dim(draft, field->bits != 0);
        break;
    case 6:
    case 12:
    case 15:
    case 16:
    case 17:
    case 18:
    case 19:
    case 20:
        set_number(draft, attr_of[field->number], field->bits);
        break;
    default: /* locations and sizes of input and output tensors */
        break;
    }
    return true;
}

static bool field_1(const struct wire_field *field, struct chakra_draft *draft)
{
    if (field->number == 2) {
        draft->name = (struct chakra_text){(const char *)field->bytes, field->length};
        return field->type == WIRE_LENGTH;
    }
    if (field->number == 4)
        return wire_read_ids(field, &draft->data);
    if (field->number > 20) {
        draft->unknown_field_count++;
        return true;
    }
    return field->type == WIRE_VARINT && number_1(field, draft);
}

bool legacy_read_node_1(void *state, const uint8_t *bytes, size_t length,
                        struct chakra_draft *draft)
{
    (void)state;
    struct wire wire = {bytes, bytes + length};
    while (wire.at < wire.end) {
        struct wire_field field;
        if (!wire_field(&wire, &field) || !field_1(&field, draft))
            return false;
    }
    return true;
}

/* -- 0.0.2 and 0.0.3: attributes ----------------------------------------------------------- */

static void list_element(const struct wire_field *field, struct chakra_value *value)
{
    if (value->kind != VALUE_INTEGERS && value->kind != VALUE_LIST)
        *value = (struct chakra_value){.kind = VALUE_INTEGERS};
    if (field->type != WIRE_VARINT)
        value->kind = VALUE_LIST;
    else if (value->length < 64)
        value->bits |= (uint64_t)(field->bits != 0) << value->length;
    value->length++;
}

/* Field numbers moved between versions, but with its wire type each is told apart. */
static void attr_value(const struct wire_field *field, struct chakra_value *value)
{
    uint32_t low = (uint32_t)field->bits;
    float narrow;
    if (field->number == 4 && field->type == WIRE_VARINT) {
        *value = (struct chakra_value){.kind = VALUE_BOOL, .bits = field->bits != 0};
    } else if (field->number <= 7 && field->type == WIRE_VARINT) {
        *value = (struct chakra_value){.kind = VALUE_SIGNED, .bits = field->bits};
    } else if (field->number <= 5 && field->type == WIRE_FIXED32) {
        memcpy(&narrow, &low, 4);
        *value = (struct chakra_value){.kind = VALUE_REAL, .real = (double)narrow};
    } else if (field->number >= 6 && field->number <= 8 && field->type == WIRE_LENGTH) {
        *value = (struct chakra_value){
            .kind = VALUE_TEXT, .text = (const char *)field->bytes, .length = field->length};
    } else {
        list_element(field, value);
    }
}

bool legacy_read_attr(const uint8_t *bytes, size_t length, struct chakra_text *name,
                      struct chakra_value *value)
{
    struct wire wire = {bytes, bytes + length};
    *name = (struct chakra_text){"", 0};
    *value = (struct chakra_value){.kind = VALUE_NONE};
    while (wire.at < wire.end) {
        struct wire_field field;
        if (!wire_field(&wire, &field))
            return false;
        if (field.number == 1 && field.type != WIRE_LENGTH)
            return false;
        if (field.number == 1)
            *name = (struct chakra_text){(const char *)field.bytes, field.length};
        else if (field.number >= 4 && field.number <= 13) /* 2: its type, 3: documentation */
            attr_value(&field, value);
    }
    return true;
}

static bool node_attr(const struct wire_field *field, struct chakra_draft *draft)
{
    struct chakra_text name;
    struct chakra_value value;
    if (field->type != WIRE_LENGTH || !legacy_read_attr(field->bytes, field->length, &name, &value))
        return false;
    bool is_kind = chakra_attr_find(name.at, strnlen(name.at, name.length)) == ATTR_COMM_TYPE;
    if (is_kind && value.kind == VALUE_SIGNED)
        value.bits = old_kind(value.bits);
    draft_attr(draft, name, &value);
    return true;
}

static bool text_3(const struct wire_field *field, struct chakra_draft *draft)
{
    struct chakra_text text = {(const char *)field->bytes, field->length};
    if (field->type != WIRE_LENGTH)
        return false;
    if (field->number == 2)
        draft->name = text;
    else if (field->number == 5)
        draft->in_values = text;
    else if (field->number == 6)
        draft->in_shapes = text;
    else if (field->number == 7)
        draft->in_types = text;
    return true;
}

static bool field_3(const struct wire_field *field, bool counts_metadata,
                    struct chakra_draft *draft)
{
    switch (field->number) {
    case 1:
        draft->id = field->bits;
        return field->type == WIRE_VARINT;
    case 3:
        set_type(draft, field->bits, counts_metadata);
        return field->type == WIRE_VARINT;
    case 4:
        return wire_read_ids(field, &draft->data);
    case 2:
    case 5:
    case 6:
    case 7:
    case 8:
    case 9:
    case 10:
        return text_3(field, draft);
    case 11:
        return node_attr(field, draft);
    default:
        draft->unknown_field_count++;
        return true;
    }
}

static bool read_node_attrs(const uint8_t *bytes, size_t length, bool counts_metadata,
                            struct chakra_draft *draft)
{
    struct wire wire = {bytes, bytes + length};
    while (wire.at < wire.end) {
        struct wire_field field;
        if (!wire_field(&wire, &field) || !field_3(&field, counts_metadata, draft))
            return false;
    }
    return true;
}

bool legacy_read_node_2(void *state, const uint8_t *bytes, size_t length,
                        struct chakra_draft *draft)
{
    (void)state;
    return read_node_attrs(bytes, length, false, draft);
}

bool legacy_read_node_3(void *state, const uint8_t *bytes, size_t length,
                        struct chakra_draft *draft)
{
    (void)state;
    return read_node_attrs(bytes, length, true, draft);
}
