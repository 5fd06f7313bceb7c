/* Nodes and metadata of the current layout. */
#include "workloads/chakra/chakra_wire.h"

#include <string.h>

static struct chakra_text text_of(const struct wire_field *field)
{
    return (struct chakra_text){(const char *)field->bytes, field->length};
}

static bool read_node_attr(const struct wire_field *field, struct chakra_draft *draft)
{
    struct chakra_text name;
    struct chakra_value value;
    if (field->type != WIRE_LENGTH || !wire_read_attr(field->bytes, field->length, &name, &value))
        return false;
    draft_attr(draft, name, &value);
    return true;
}

/* IOInfo; `to` is values, shapes, types (NULL: only checked). */
static bool read_io(const struct wire_field *outer, struct chakra_text *const to[3])
{
    if (outer->type != WIRE_LENGTH)
        return false;
    struct wire wire = {outer->bytes, outer->bytes + outer->length};
    while (wire.at < wire.end) {
        struct wire_field field;
        if (!wire_field(&wire, &field))
            return false;
        if (field.number < 1 || field.number > 3)
            continue;
        if (field.type != WIRE_LENGTH)
            return false;
        if (to)
            *to[field.number - 1] = text_of(&field);
    }
    return true;
}

static bool read_inputs(const struct wire_field *field, struct chakra_draft *draft)
{
    struct chakra_text *const to[3] = {&draft->in_values, &draft->in_shapes, &draft->in_types};
    return read_io(field, to);
}

static bool read_number_field(const struct wire_field *field, struct chakra_draft *draft)
{
    if (field->type != WIRE_VARINT)
        return false;
    switch (field->number) {
    case 1:
        draft->id = field->bits;
        return true;
    case 3:
        draft->type = (int32_t)(uint32_t)field->bits;
        return true;
    case 6:
        draft->start_us = field->bits;
        return true;
    default:
        draft->duration_us = field->bits;
        return true;
    }
}

static bool read_node_field(const struct wire_field *field, struct chakra_draft *draft)
{
    switch (field->number) {
    case 1:
    case 3:
    case 6:
    case 7:
        return read_number_field(field, draft);
    case 2:
        draft->name = text_of(field);
        return field->type == WIRE_LENGTH;
    case 4:
        return wire_read_ids(field, &draft->control);
    case 5:
        return wire_read_ids(field, &draft->data);
    case 8:
        return read_inputs(field, draft);
    case 9:
        return read_io(field, NULL);
    case 10:
        return read_node_attr(field, draft);
    default:
        draft->unknown_field_count++;
        return true;
    }
}

bool wire_read_node(const uint8_t *bytes, size_t length, struct chakra_draft *draft)
{
    struct wire wire = {bytes, bytes + length};
    while (wire.at < wire.end) {
        struct wire_field field;
        if (!wire_field(&wire, &field) || !read_node_field(&field, draft))
            return false;
    }
    return true;
}

/* -- metadata ------------------------------------------------------------------------------ */

static bool text_is(struct chakra_text text, const char *expected)
{
    size_t length = strnlen(text.at, text.length);
    return length == strlen(expected) && memcmp(text.at, expected, length) == 0;
}

void metadata_attr(struct chakra_metadata *metadata, struct chakra_text name,
                   const struct chakra_value *value)
{
    if (text_is(name, "schema") && value->kind == VALUE_TEXT && value->length)
        metadata->schema = (struct chakra_text){value->text, value->length};
    metadata->has_pid |= text_is(name, "pid");
    metadata->has_time |= text_is(name, "time");
    metadata->has_start_ts |= text_is(name, "start_ts");
    metadata->has_finish_ts |= text_is(name, "finish_ts");
}

bool wire_read_metadata(const uint8_t *bytes, size_t length, struct chakra_metadata *metadata)
{
    struct wire wire = {bytes, bytes + length};
    *metadata = (struct chakra_metadata){0};
    while (wire.at < wire.end) {
        struct wire_field field;
        if (!wire_field(&wire, &field) || field.type != WIRE_LENGTH)
            return false;
        struct chakra_text name;
        struct chakra_value value;
        if (field.number == 1) {
            metadata->version = text_of(&field);
        } else if (field.number == 2) {
            if (!wire_read_attr(field.bytes, field.length, &name, &value))
                return false;
            metadata_attr(metadata, name, &value);
        } else {
            return false;
        }
    }
    return true;
}
