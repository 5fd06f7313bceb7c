#include "workloads/chakra/chakra_wire.h"

#include <limits.h>
#include <string.h>

enum { VARINT_BYTES = 10, KEY_BYTES = 5, LENGTH_BYTES = 5 };

static bool read_long_varint(struct wire *wire, uint64_t *value)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < VARINT_BYTES && wire->at < wire->end; i++) {
        uint8_t byte = *wire->at++;
        bits |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (!(byte & 0x80)) {
            *value = bits;
            return true;
        }
    }
    return false;
}

/* A varint of at most 10 bytes; bits above the 64th are dropped. */
static inline bool read_varint(struct wire *wire, uint64_t *value)
{
    if (wire->at < wire->end && *wire->at < 0x80) {
        *value = *wire->at++;
        return true;
    }
    return read_long_varint(wire, value);
}

/* A bool's value is whether any bit is set, also one above the 64th. */
static bool any_bit(const uint8_t *at, const uint8_t *end)
{
    while (at < end && (*at & 0x7f) == 0)
        at++;
    return at < end;
}

/* A varint of at most 5 bytes. */
static inline bool read_short_varint(struct wire *wire, uint64_t *value)
{
    if (wire->at < wire->end && *wire->at < 0x80) {
        *value = *wire->at++;
        return true;
    }
    uint64_t bits = 0;
    for (unsigned i = 0; i < LENGTH_BYTES && wire->at < wire->end; i++) {
        uint8_t byte = *wire->at++;
        bits |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (!(byte & 0x80)) {
            *value = bits;
            return true;
        }
    }
    return false;
}

bool wire_record_length(struct wire *wire, uint64_t *length)
{
    return read_short_varint(wire, length);
}

static bool read_payload(struct wire *wire, struct wire_field *field)
{
    size_t left = (size_t)(wire->end - wire->at);
    uint32_t narrow;
    uint64_t length;
    switch (field->type) {
    case WIRE_VARINT:
        return read_varint(wire, &field->bits);
    case WIRE_FIXED64:
        if (left < 8)
            return false;
        memcpy(&field->bits, wire->at, 8);
        wire->at += 8;
        return true;
    case WIRE_FIXED32:
        if (left < 4)
            return false;
        memcpy(&narrow, wire->at, 4);
        field->bits = narrow;
        wire->at += 4;
        return true;
    case WIRE_LENGTH:
        if (!read_short_varint(wire, &length) || length > INT_MAX ||
            length > (size_t)(wire->end - wire->at))
            return false;
        field->bits = 0;
        field->bytes = wire->at;
        field->length = (size_t)length;
        wire->at += length;
        return true;
    default:
        return false;
    }
}

bool wire_field(struct wire *wire, struct wire_field *field)
{
    uint64_t key;
    if ((*wire->at & 0xf8) == 0 || !read_short_varint(wire, &key))
        return false;
    field->number = (uint32_t)(key >> 3);
    field->type = key & 7;
    field->payload = wire->at;
    bool ok = read_payload(wire, field);
    field->end = wire->at;
    return ok;
}

bool wire_read_ids(const struct wire_field *field, struct id_list *list)
{
    if (field->type == WIRE_VARINT)
        return id_list_add(list, field->bits);
    if (field->type != WIRE_LENGTH)
        return false;
    struct wire packed = {field->bytes, field->bytes + field->length};
    while (packed.at < packed.end) {
        uint64_t id;
        if (!read_varint(&packed, &id) || !id_list_add(list, id))
            return false;
    }
    return true;
}

static struct chakra_text as_text(const struct wire_field *field)
{
    return (struct chakra_text){(const char *)field->bytes, field->length};
}

/* -- lists --------------------------------------------------------------------------------- */

/* How the elements of a list (even field numbers of an attribute) are encoded. */
enum element {
    ELEMENT_VARINT32,
    ELEMENT_VARINT64,
    ELEMENT_BOOL,
    ELEMENT_FIXED32,
    ELEMENT_FIXED64,
    ELEMENT_TEXT
};

static enum element element_of(uint32_t number)
{
    static const uint8_t elements[34] = {
        [4] = ELEMENT_FIXED64,   [6] = ELEMENT_FIXED32,   [8] = ELEMENT_VARINT32,
        [10] = ELEMENT_VARINT64, [12] = ELEMENT_VARINT32, [14] = ELEMENT_VARINT64,
        [16] = ELEMENT_VARINT32, [18] = ELEMENT_VARINT64, [20] = ELEMENT_FIXED32,
        [22] = ELEMENT_FIXED64,  [24] = ELEMENT_FIXED32,  [26] = ELEMENT_FIXED64,
        [28] = ELEMENT_BOOL,     [30] = ELEMENT_TEXT,     [32] = ELEMENT_TEXT,
    };
    return elements[number];
}

static void add_element(struct chakra_value *list, bool is_true)
{
    if (list->length < 64)
        list->bits |= (uint64_t)is_true << list->length;
    list->length++;
}

static bool is_true(enum element element, uint64_t bits, const uint8_t *at, const uint8_t *end)
{
    if (element == ELEMENT_BOOL)
        return any_bit(at, end);
    return element == ELEMENT_VARINT32 ? (uint32_t)bits != 0 : bits != 0;
}

static bool read_packed(const struct wire_field *field, enum element element,
                        struct chakra_value *list)
{
    size_t width = element == ELEMENT_FIXED64 ? 8 : element == ELEMENT_FIXED32 ? 4 : 0;
    if (width) {
        for (size_t i = 0; i + width <= field->length; i += width) {
            uint64_t bits = 0;
            memcpy(&bits, field->bytes + i, width);
            add_element(list, bits != 0);
        }
        return field->length % width == 0;
    }
    struct wire packed = {field->bytes, field->bytes + field->length};
    while (packed.at < packed.end) {
        uint64_t bits;
        const uint8_t *first = packed.at;
        if (!read_varint(&packed, &bits))
            return false;
        add_element(list, is_true(element, bits, first, packed.at));
    }
    return true;
}

static bool read_element(const struct wire_field *field, enum element element,
                         struct chakra_value *list)
{
    static const uint8_t expected[] = {
        [ELEMENT_VARINT32] = WIRE_VARINT, [ELEMENT_VARINT64] = WIRE_VARINT,
        [ELEMENT_BOOL] = WIRE_VARINT,     [ELEMENT_FIXED32] = WIRE_FIXED32,
        [ELEMENT_FIXED64] = WIRE_FIXED64, [ELEMENT_TEXT] = WIRE_LENGTH,
    };
    if (field->type == WIRE_LENGTH && element != ELEMENT_TEXT)
        return read_packed(field, element, list);
    if (field->type != expected[element] && element != ELEMENT_BOOL)
        return false;
    add_element(list, is_true(element, field->bits, field->payload, field->end));
    return true;
}

static bool read_list(const struct wire_field *outer, struct chakra_value *value)
{
    enum element element = element_of(outer->number);
    bool is_real = outer->number == 4 || outer->number == 6;
    *value = (struct chakra_value){.kind = VALUE_INTEGERS};
    struct wire wire = {outer->bytes, outer->bytes + outer->length};
    while (wire.at < wire.end) {
        struct wire_field field;
        if (!wire_field(&wire, &field))
            return false;
        if (field.number == 1 && !read_element(&field, element, value))
            return false;
    }
    if (is_real || element == ELEMENT_TEXT)
        value->kind = VALUE_LIST;
    return true;
}

/* -- attributes ---------------------------------------------------------------------------- */

static int64_t unzigzag(uint64_t bits)
{
    return (int64_t)(bits >> 1 ^ (~(bits & 1) + 1));
}

static struct chakra_value real_value(const struct wire_field *field)
{
    struct chakra_value value = {.kind = VALUE_REAL};
    uint32_t low = (uint32_t)field->bits;
    float narrow;
    if (field->type == WIRE_FIXED64) {
        memcpy(&value.real, &field->bits, 8);
    } else {
        memcpy(&narrow, &low, 4);
        value.real = (double)narrow;
    }
    return value;
}

/* int32, int64, uint32, uint64, sint32, sint64, and the fixed ones from 19 on. */
static struct chakra_value integer_value(uint32_t number, uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    switch (number) {
    case 7:
    case 23:
        return (struct chakra_value){.kind = VALUE_SIGNED, .bits = (uint64_t)(int64_t)(int32_t)low};
    case 9:
    case 25:
        return (struct chakra_value){.kind = VALUE_SIGNED, .bits = bits};
    case 11:
    case 19:
        return (struct chakra_value){.kind = VALUE_UNSIGNED, .bits = low};
    case 15:
        return (struct chakra_value){.kind = VALUE_SIGNED,
                                     .bits = (uint64_t)(int64_t)(int32_t)unzigzag(low)};
    case 17:
        return (struct chakra_value){.kind = VALUE_SIGNED, .bits = (uint64_t)unzigzag(bits)};
    default:
        return (struct chakra_value){.kind = VALUE_UNSIGNED, .bits = bits};
    }
}

static bool read_scalar(const struct wire_field *field, struct chakra_value *value)
{
    static const uint8_t expected[32] = {
        [3] = WIRE_FIXED64,  [5] = WIRE_FIXED32,  [19] = WIRE_FIXED32, [21] = WIRE_FIXED64,
        [23] = WIRE_FIXED32, [25] = WIRE_FIXED64, [29] = WIRE_LENGTH,  [31] = WIRE_LENGTH,
    };
    if (field->type != expected[field->number] && field->number != 27)
        return false;
    switch (field->number) {
    case 3:
    case 5:
        *value = real_value(field);
        return true;
    case 27:
        *value =
            (struct chakra_value){.kind = VALUE_BOOL, .bits = any_bit(field->payload, field->end)};
        return true;
    case 29:
    case 31:
        *value = (struct chakra_value){.kind = field->number == 29 ? VALUE_TEXT : VALUE_BYTES,
                                       .text = (const char *)field->bytes,
                                       .length = field->length};
        return true;
    default:
        *value = integer_value(field->number, field->bits);
        return true;
    }
}

bool wire_read_attr(const uint8_t *bytes, size_t length, struct chakra_text *name,
                    struct chakra_value *value)
{
    struct wire wire = {bytes, bytes + length};
    *name = (struct chakra_text){"", 0};
    value->kind = VALUE_NONE;
    while (wire.at < wire.end) {
        struct wire_field field;
        if (!wire_field(&wire, &field))
            return false;
        if (field.number > 32)
            continue;
        if (field.number <= 2) {
            if (field.number && field.type != WIRE_LENGTH)
                return false;
            if (field.number == 1)
                *name = as_text(&field);
        } else if (field.number & 1) {
            if (!read_scalar(&field, value))
                return false;
        } else if (field.type != WIRE_LENGTH || !read_list(&field, value)) {
            return false;
        }
    }
    return true;
}
