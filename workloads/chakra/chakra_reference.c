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

/* An integer list as truth values. */
#define INTEGER_LIST(value, list)                                                                  \
    do {                                                                                           \
        (value)->kind = VALUE_INTEGERS;                                                            \
        (value)->length = (list)->n_values;                                                        \
        for (size_t i = 0; i < (list)->n_values && i < 64; i++)                                    \
            (value)->bits |= (uint64_t)((list)->values[i] != 0) << i;                              \
    } while (0)

static void other_list(struct chakra_value *value, size_t count)
{
    value->kind = VALUE_LIST;
    value->length = count;
}

static struct chakra_value list_of(const attribute_message *attr)
{
    struct chakra_value value = {.kind = VALUE_NONE};
    switch (attr->value_case) {
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_INT32_LIST:
        INTEGER_LIST(&value, attr->int32_list);
        break;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_INT64_LIST:
        INTEGER_LIST(&value, attr->int64_list);
        break;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_UINT32_LIST:
        INTEGER_LIST(&value, attr->uint32_list);
        break;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_UINT64_LIST:
        INTEGER_LIST(&value, attr->uint64_list);
        break;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_SINT32_LIST:
        INTEGER_LIST(&value, attr->sint32_list);
        break;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_SINT64_LIST:
        INTEGER_LIST(&value, attr->sint64_list);
        break;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_FIXED32_LIST:
        INTEGER_LIST(&value, attr->fixed32_list);
        break;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_FIXED64_LIST:
        INTEGER_LIST(&value, attr->fixed64_list);
        break;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_SFIXED32_LIST:
        INTEGER_LIST(&value, attr->sfixed32_list);
        break;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_SFIXED64_LIST:
        INTEGER_LIST(&value, attr->sfixed64_list);
        break;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_BOOL_LIST:
        INTEGER_LIST(&value, attr->bool_list);
        break;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_DOUBLE_LIST:
        other_list(&value, attr->double_list->n_values);
        break;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_FLOAT_LIST:
        other_list(&value, attr->float_list->n_values);
        break;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_STRING_LIST:
        other_list(&value, attr->string_list->n_values);
        break;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_BYTES_LIST:
        other_list(&value, attr->bytes_list->n_values);
        break;
    default:
        break;
    }
    return value;
}

static struct chakra_value signed_value(int64_t number)
{
    return (struct chakra_value){.kind = VALUE_SIGNED, .bits = (uint64_t)number};
}

static struct chakra_value unsigned_value(uint64_t number)
{
    return (struct chakra_value){.kind = VALUE_UNSIGNED, .bits = number};
}

static struct chakra_value value_of(const attribute_message *attr)
{
    switch (attr->value_case) {
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_DOUBLE_VAL:
        return (struct chakra_value){.kind = VALUE_REAL, .real = attr->double_val};
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_FLOAT_VAL:
        return (struct chakra_value){.kind = VALUE_REAL, .real = (double)attr->float_val};
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_INT32_VAL:
        return signed_value(attr->int32_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_INT64_VAL:
        return signed_value(attr->int64_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_UINT32_VAL:
        return unsigned_value(attr->uint32_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_UINT64_VAL:
        return unsigned_value(attr->uint64_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_SINT32_VAL:
        return signed_value(attr->sint32_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_SINT64_VAL:
        return signed_value(attr->sint64_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_FIXED32_VAL:
        return unsigned_value(attr->fixed32_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_FIXED64_VAL:
        return unsigned_value(attr->fixed64_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_SFIXED32_VAL:
        return signed_value(attr->sfixed32_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_SFIXED64_VAL:
        return signed_value(attr->sfixed64_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_BOOL_VAL:
        return (struct chakra_value){.kind = VALUE_BOOL, .bits = attr->bool_val != 0};
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_STRING_VAL:
        return (struct chakra_value){
            .kind = VALUE_TEXT, .text = attr->string_val, .length = strlen(attr->string_val)};
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_BYTES_VAL:
        return (struct chakra_value){
            .kind = VALUE_BYTES,
            .text = attr->bytes_val.len ? (const char *)attr->bytes_val.data : "",
            .length = attr->bytes_val.len};
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
