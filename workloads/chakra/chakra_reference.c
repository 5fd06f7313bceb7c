#define _GNU_SOURCE
#include "workloads/chakra/chakra_reference.h"

#include <string.h>

#include "workloads/chakra/et_def.pb-c.h"

typedef ChakraProtoMsg__AttributeProto attribute_message;

void reference_init(struct chakra_reference *reference)
{
    reference->message = NULL;
}

void reference_release(struct chakra_reference *reference)
{
    if (reference->message)
        chakra_proto_msg__node__free_unpacked(reference->message, NULL);
    reference->message = NULL;
}

static struct chakra_text as_text(const char *text)
{
    return (struct chakra_text){text, strlen(text)};
}

/* X(case of the union, member): lists of integers, other lists, integers by sign. */
#define INTEGER_LISTS(X)                                                                           \
    X(INT32_LIST, int32_list)                                                                      \
    X(INT64_LIST, int64_list)                                                                      \
    X(UINT32_LIST, uint32_list)                                                                    \
    X(UINT64_LIST, uint64_list)                                                                    \
    X(SINT32_LIST, sint32_list)                                                                    \
    X(SINT64_LIST, sint64_list)                                                                    \
    X(FIXED32_LIST, fixed32_list)                                                                  \
    X(FIXED64_LIST, fixed64_list)                                                                  \
    X(SFIXED32_LIST, sfixed32_list)                                                                \
    X(SFIXED64_LIST, sfixed64_list)                                                                \
    X(BOOL_LIST, bool_list)
#define OTHER_LISTS(X)                                                                             \
    X(DOUBLE_LIST, double_list)                                                                    \
    X(FLOAT_LIST, float_list)                                                                      \
    X(STRING_LIST, string_list)                                                                    \
    X(BYTES_LIST, bytes_list)
#define SIGNED_VALUES(X)                                                                           \
    X(INT32_VAL, int32_val)                                                                        \
    X(INT64_VAL, int64_val)                                                                        \
    X(SINT32_VAL, sint32_val)                                                                      \
    X(SINT64_VAL, sint64_val)                                                                      \
    X(SFIXED32_VAL, sfixed32_val)                                                                  \
    X(SFIXED64_VAL, sfixed64_val)
#define UNSIGNED_VALUES(X)                                                                         \
    X(UINT32_VAL, uint32_val)                                                                      \
    X(UINT64_VAL, uint64_val)                                                                      \
    X(FIXED32_VAL, fixed32_val)                                                                    \
    X(FIXED64_VAL, fixed64_val)

#define VALUE_CASE(name) CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_##name

static struct chakra_value list_of(const attribute_message *attr)
{
    struct chakra_value value = {.kind = VALUE_NONE};
    switch (attr->value_case) {
#define X(name, list)                                                                              \
    case VALUE_CASE(name):                                                                         \
        value.kind = VALUE_INTEGERS;                                                               \
        value.length = attr->list->n_values;                                                       \
        for (size_t i = 0; i < attr->list->n_values && i < 64; i++)                                \
            value.bits |= (uint64_t)(attr->list->values[i] != 0) << i;                             \
        break;
        INTEGER_LISTS(X)
#undef X
#define X(name, list)                                                                              \
    case VALUE_CASE(name):                                                                         \
        value.kind = VALUE_LIST;                                                                   \
        value.length = attr->list->n_values;                                                       \
        break;
        OTHER_LISTS(X)
#undef X
    default:
        break;
    }
    return value;
}

static struct chakra_value text_value(enum chakra_value_kind kind, const char *text, size_t length)
{
    return (struct chakra_value){.kind = kind, .text = length ? text : "", .length = length};
}

static struct chakra_value value_of(const attribute_message *attr)
{
    switch (attr->value_case) {
#define X(name, member)                                                                            \
    case VALUE_CASE(name):                                                                         \
        return (struct chakra_value){.kind = VALUE_SIGNED, .bits = (uint64_t)(int64_t)attr->member};
        SIGNED_VALUES(X)
#undef X
#define X(name, member)                                                                            \
    case VALUE_CASE(name):                                                                         \
        return (struct chakra_value){.kind = VALUE_UNSIGNED, .bits = attr->member};
        UNSIGNED_VALUES(X)
#undef X
    case VALUE_CASE(DOUBLE_VAL):
        return (struct chakra_value){.kind = VALUE_REAL, .real = attr->double_val};
    case VALUE_CASE(FLOAT_VAL):
        return (struct chakra_value){.kind = VALUE_REAL, .real = (double)attr->float_val};
    case VALUE_CASE(BOOL_VAL):
        return (struct chakra_value){.kind = VALUE_BOOL, .bits = attr->bool_val != 0};
    case VALUE_CASE(STRING_VAL):
        return text_value(VALUE_TEXT, attr->string_val, strlen(attr->string_val));
    case VALUE_CASE(BYTES_VAL):
        return text_value(VALUE_BYTES, (const char *)attr->bytes_val.data, attr->bytes_val.len);
    default:
        return list_of(attr);
    }
}

static bool add_ids(struct id_list *list, const uint64_t *id, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!id_list_add(list, id[i]))
            return false;
    }
    return true;
}

static void fill_draft(const ChakraProtoMsg__Node *node, struct chakra_draft *draft)
{
    draft->id = node->id;
    draft->type = (int32_t)node->type;
    draft->name = as_text(node->name);
    draft->duration_us = node->duration_micros;
    draft->start_us = node->start_time_micros;
    if (node->inputs) {
        draft->in_values = as_text(node->inputs->values);
        draft->in_shapes = as_text(node->inputs->shapes);
        draft->in_types = as_text(node->inputs->types);
    }
    draft->unknown_field_count = (uint32_t)node->base.n_unknown_fields;
    for (size_t i = 0; i < node->n_attr; i++) {
        struct chakra_value value = value_of(node->attr[i]);
        draft_attr(draft, as_text(node->attr[i]->name), &value);
    }
}

bool reference_read_node(void *state, const uint8_t *bytes, size_t length,
                         struct chakra_draft *draft)
{
    struct chakra_reference *reference = state;
    reference_release(reference);
    ChakraProtoMsg__Node *node = chakra_proto_msg__node__unpack(NULL, length, bytes);
    if (!node)
        return false;
    reference->message = node;
    fill_draft(node, draft);
    return add_ids(&draft->data, node->data_deps, node->n_data_deps) &&
           add_ids(&draft->control, node->ctrl_deps, node->n_ctrl_deps);
}

/* The copy of `text` that lies in the record itself. */
static struct chakra_text in_record(const uint8_t *bytes, size_t length, const char *text)
{
    size_t text_length = strlen(text);
    const char *found = text_length ? memmem(bytes, length, text, text_length) : NULL;
    return (struct chakra_text){found, found ? text_length : 0};
}

bool reference_read_metadata(const uint8_t *bytes, size_t length, struct chakra_metadata *metadata)
{
    *metadata = (struct chakra_metadata){0};
    ChakraProtoMsg__GlobalMetadata *message =
        chakra_proto_msg__global_metadata__unpack(NULL, length, bytes);
    if (!message)
        return false;
    bool is_whole = message->base.n_unknown_fields == 0;
    metadata->version = in_record(bytes, length, message->version);
    for (size_t i = 0; i < message->n_attr; i++) {
        struct chakra_value value = value_of(message->attr[i]);
        metadata_attr(metadata, as_text(message->attr[i]->name), &value);
        if (metadata->schema.at && value.kind == VALUE_TEXT && metadata->schema.at == value.text)
            metadata->schema = in_record(bytes, length, value.text);
    }
    chakra_proto_msg__global_metadata__free_unpacked(message, NULL);
    return is_whole;
}
