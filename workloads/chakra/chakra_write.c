#include "workloads/chakra/chakra_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/memory.h"
#include "workloads/chakra/et_def.pb-c.h"

typedef ChakraProtoMsg__AttributeProto attribute_message;

/* Messages of one record's attributes, in the form protobuf-c wants them. */
struct packed_attrs {
    attribute_message message[CHAKRA_WRITE_MAX_ATTRS];
    attribute_message *pointer[CHAKRA_WRITE_MAX_ATTRS];
    ChakraProtoMsg__BoolList flags[CHAKRA_WRITE_MAX_ATTRS];
    protobuf_c_boolean flag[CHAKRA_WRITE_MAX_ATTRS][16];
};

enum status chakra_writer_open(struct chakra_writer *writer, const char *path, struct diag *diag)
{
    *writer = (struct chakra_writer){.owns_file = true};
    enum status status = out_file_open(&writer->out, path, diag);
    writer->stream = status ? NULL : writer->out.stream;
    return status;
}

void chakra_writer_attach(struct chakra_writer *writer, FILE *stream)
{
    *writer = (struct chakra_writer){.stream = stream};
}

static void set_flags(struct packed_attrs *packed, uint32_t i, const struct chakra_write_attr *attr)
{
    promise(attr->number >= 0 && attr->number <= 16);
    ChakraProtoMsg__BoolList *list = &packed->flags[i];
    chakra_proto_msg__bool_list__init(list);
    for (int64_t f = 0; f < attr->number; f++)
        packed->flag[i][f] = attr->flags[f];
    list->n_values = (size_t)attr->number;
    list->values = packed->flag[i];
    packed->message[i].bool_list = list;
}

/* X(encoding, case of the union, statement that sets the member) */
#define ENCODINGS(X)                                                                               \
    X(ENCODE_INT64, INT64_VAL, to->int64_val = attr->number)                                       \
    X(ENCODE_UINT64, UINT64_VAL, to->uint64_val = (uint64_t)attr->number)                          \
    X(ENCODE_INT32, INT32_VAL, to->int32_val = (int32_t)attr->number)                              \
    X(ENCODE_UINT32, UINT32_VAL, to->uint32_val = (uint32_t)attr->number)                          \
    X(ENCODE_SINT32, SINT32_VAL, to->sint32_val = (int32_t)attr->number)                           \
    X(ENCODE_SINT64, SINT64_VAL, to->sint64_val = attr->number)                                    \
    X(ENCODE_FIXED32, FIXED32_VAL, to->fixed32_val = (uint32_t)attr->number)                       \
    X(ENCODE_FIXED64, FIXED64_VAL, to->fixed64_val = (uint64_t)attr->number)                       \
    X(ENCODE_SFIXED32, SFIXED32_VAL, to->sfixed32_val = (int32_t)attr->number)                     \
    X(ENCODE_SFIXED64, SFIXED64_VAL, to->sfixed64_val = attr->number)                              \
    X(ENCODE_BOOL, BOOL_VAL, to->bool_val = attr->number != 0)                                     \
    X(ENCODE_DOUBLE, DOUBLE_VAL, to->double_val = (double)attr->number)                            \
    X(ENCODE_FLOAT, FLOAT_VAL, to->float_val = (float)attr->number)                                \
    X(ENCODE_STRING, STRING_VAL, to->string_val = (char *)attr->text)                              \
    X(ENCODE_BOOL_LIST, BOOL_LIST, set_flags(packed, i, attr))

static void pack_attr(struct packed_attrs *packed, uint32_t i, const struct chakra_write_attr *attr)
{
    attribute_message *to = &packed->message[i];
    chakra_proto_msg__attribute_proto__init(to);
    to->name = (char *)attr->name;
    packed->pointer[i] = to;
    switch (attr->encoding) {
#define X(encoding, member, set)                                                                   \
    case encoding:                                                                                 \
        to->value_case = CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_##member;                        \
        set;                                                                                       \
        break;
        ENCODINGS(X)
#undef X
    default:
        break;
    }
}

static void pack_attrs(struct packed_attrs *packed, const struct chakra_write_attr *attr,
                       uint32_t count)
{
    promise(count <= CHAKRA_WRITE_MAX_ATTRS);
    for (uint32_t i = 0; i < count; i++)
        pack_attr(packed, i, &attr[i]);
}

static void write_length(FILE *stream, size_t length)
{
    for (; length >= 0x80; length >>= 7)
        putc((int)(length & 0x7f) | 0x80, stream);
    putc((int)length, stream);
}

/* Failed writes are noticed by chakra_writer_close(). */
static void write_record(struct chakra_writer *writer, const ProtobufCMessage *message)
{
    size_t length = protobuf_c_message_get_packed_size(message);
    if (length > writer->buffer_capacity) {
        writer->buffer_capacity = 2 * length;
        writer->buffer = realloc(writer->buffer, writer->buffer_capacity);
        need_memory(writer->buffer != NULL);
    }
    protobuf_c_message_pack(message, writer->buffer);
    write_length(writer->stream, length);
    fwrite(writer->buffer, 1, length, writer->stream);
}

void chakra_writer_metadata(struct chakra_writer *writer, const char *version,
                            const struct chakra_write_attr *attr, uint32_t attr_count)
{
    ChakraProtoMsg__GlobalMetadata message;
    struct packed_attrs packed;
    chakra_proto_msg__global_metadata__init(&message);
    pack_attrs(&packed, attr, attr_count);
    if (version)
        message.version = (char *)version;
    message.n_attr = attr_count;
    message.attr = packed.pointer;
    write_record(writer, &message.base);
}

static void pack_io(ChakraProtoMsg__IOInfo *io, const struct chakra_write_node *node)
{
    chakra_proto_msg__ioinfo__init(io);
    if (node->input_values)
        io->values = (char *)node->input_values;
    if (node->input_shapes)
        io->shapes = (char *)node->input_shapes;
    if (node->input_types)
        io->types = (char *)node->input_types;
}

void chakra_writer_node(struct chakra_writer *writer, const struct chakra_write_node *node)
{
    ChakraProtoMsg__Node message;
    ChakraProtoMsg__IOInfo io;
    struct packed_attrs packed;
    chakra_proto_msg__node__init(&message);
    pack_attrs(&packed, node->attr, node->attr_count);
    message.id = node->id;
    if (node->name)
        message.name = (char *)node->name;
    message.type = (ChakraProtoMsg__NodeType)node->type;
    message.n_ctrl_deps = node->control_count;
    message.ctrl_deps = (uint64_t *)node->control;
    message.n_data_deps = node->data_count;
    message.data_deps = (uint64_t *)node->data;
    message.duration_micros = node->duration_us;
    message.start_time_micros = node->start_us;
    if (node->input_values || node->input_shapes || node->input_types) {
        pack_io(&io, node);
        message.inputs = &io;
    }
    message.n_attr = node->attr_count;
    message.attr = packed.pointer;
    write_record(writer, &message.base);
}

enum status chakra_writer_close(struct chakra_writer *writer, struct diag *diag)
{
    free(writer->buffer);
    writer->buffer = NULL;
    if (writer->owns_file)
        return out_file_commit(&writer->out, diag);
    if (fflush(writer->stream) != 0 || ferror(writer->stream))
        return diag_fail(diag, STATUS_IO, "cannot write the trace");
    return STATUS_OK;
}
