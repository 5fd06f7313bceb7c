/* What a draft means: attributes become fields of a node. */
#include "workloads/chakra/chakra_draft.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "workloads/chakra/chakra_text.h"

enum { MAX_DIMS = 8, NS_PER_US = 1000, MOST_SHAPE_TEXT = 256 };

static bool is_given(const struct chakra_draft *draft, enum chakra_attr attr)
{
    return draft->given >> attr & 1;
}

/* Completes a message about one attribute of one node. */
static enum status refuse(const struct chakra_draft *draft, struct draft_context *context,
                          const char *field)
{
    diag_field(context->diag, "%s", field);
    diag_at(context->diag, DIAG_NODE, draft->id);
    return STATUS_BAD_INPUT;
}

static enum status refuse_kind(const struct chakra_draft *draft, struct draft_context *context,
                               enum chakra_attr attr)
{
    const struct chakra_value *value = &draft->attr[attr];
    if (value->kind == VALUE_TEXT || value->kind == VALUE_BYTES) {
        int length = value->length < 40 ? (int)strnlen(value->text, value->length) : 40;
        diag_fail(context->diag, STATUS_BAD_INPUT, "expected an integer, found the text \"%.*s\"",
                  length, value->text);
    } else if (value->kind == VALUE_REAL) {
        diag_fail(context->diag, STATUS_BAD_INPUT, "expected an integer, found %.17g", value->real);
    } else {
        diag_fail(context->diag, STATUS_BAD_INPUT, "expected an integer, found a list");
    }
    return refuse(draft, context, chakra_attr_name(attr));
}

static enum status refuse_range(const struct chakra_draft *draft, struct draft_context *context,
                                enum chakra_attr attr, int64_t least, uint64_t most)
{
    const struct chakra_value *value = &draft->attr[attr];
    char found[48];
    if (value->kind == VALUE_SIGNED)
        snprintf(found, sizeof found, "%" PRId64, (int64_t)value->bits);
    else if (value->kind == VALUE_REAL)
        snprintf(found, sizeof found, "%.17g", value->real);
    else
        snprintf(found, sizeof found, "%" PRIu64, value->bits);
    diag_fail(context->diag, STATUS_BAD_INPUT,
              "expected an integer from %" PRId64 " to %" PRIu64 ", found %s", least, most, found);
    return refuse(draft, context, chakra_attr_name(attr));
}

static enum status whole_number(const struct chakra_draft *draft, struct draft_context *context,
                                enum chakra_attr attr, struct chakra_value *whole)
{
    double real = draft->attr[attr].real;
    if (!(fabs(real) < 0x1p63) || real != floor(real))
        return refuse_kind(draft, context, attr);
    notices_add(context->notices, NOTICE_ODDITY, "whole floating-point value read as an integer", 1,
                "%s: %s = %.17g", draft_place(draft, context).text, chakra_attr_name(attr), real);
    *whole = (struct chakra_value){.kind = VALUE_SIGNED, .bits = (uint64_t)(int64_t)real};
    return STATUS_OK;
}

/* Value of a given attribute as an integer in [least, most]; *bits is its two's complement. */
static enum status integer(const struct chakra_draft *draft, struct draft_context *context,
                           enum chakra_attr attr, int64_t least, uint64_t most, uint64_t *bits)
{
    struct chakra_value value = draft->attr[attr];
    if (value.kind == VALUE_REAL) {
        enum status status = whole_number(draft, context, attr, &value);
        if (status)
            return status;
    }
    if (value.kind != VALUE_SIGNED && value.kind != VALUE_UNSIGNED && value.kind != VALUE_BOOL)
        return refuse_kind(draft, context, attr);
    bool is_negative = value.kind == VALUE_SIGNED && (int64_t)value.bits < 0;
    if (is_negative ? (int64_t)value.bits < least : value.bits > most)
        return refuse_range(draft, context, attr, least, most);
    *bits = value.bits;
    return STATUS_OK;
}

static enum status finish_type(const struct chakra_draft *draft, struct draft_context *context,
                               struct trace_node *node)
{
    static const char *const newer[] = {
        "node type 8 of a newer schema read as host work",
        "node type 9 of a newer schema read as host work",
        "node type 10 of a newer schema read as host work",
    };
    if (draft->type_known && draft->type >= OP_INVALID && draft->type <= OP_COLLECTIVE) {
        node->type = (uint8_t)draft->type;
        return STATUS_OK;
    }
    if (draft->type_known && draft->type >= 8 && draft->type <= 10) {
        node->type = OP_HOST_WORK;
        notices_add(context->notices, NOTICE_GUESSED, newer[draft->type - 8], 1,
                    "%s: takes its recorded duration", draft_place(draft, context).text);
        return STATUS_OK;
    }
    diag_fail(context->diag, STATUS_BAD_INPUT, "expected a node type from 0 to 10, found %" PRId64,
              draft->type);
    return refuse(draft, context, "type");
}

static enum status finish_duration(const struct chakra_draft *draft, struct draft_context *context,
                                   struct trace_node *node)
{
    uint64_t us = draft->duration_us;
    if (!us && is_given(draft, ATTR_RUNTIME)) {
        enum status status = integer(draft, context, ATTR_RUNTIME, 0, UINT64_MAX, &us);
        if (status)
            return status;
    }
    /* The simulated clock counts picoseconds in 64 bits: 213 days. */
    if (us > UINT64_MAX / 1000000) {
        diag_fail(context->diag, STATUS_BAD_INPUT,
                  "%" PRIu64 " us is longer than the simulated clock can count (213 days)", us);
        return refuse(draft, context, "duration_micros");
    }
    node->duration_ns = us * NS_PER_US;
    return STATUS_OK;
}

/* Real files count from 1970: 1.7e18 ns. It only decides between edges, so a value that does not
 * fit is no reason to refuse a trace. */
static void finish_start(const struct chakra_draft *draft, struct draft_context *context,
                         struct trace_node *node)
{
    uint64_t us = draft->start_us;
    if (us > UINT64_MAX / NS_PER_US) {
        notices_add(context->notices, NOTICE_CLAMPED, "start time beyond 2^64 ns", 1,
                    "%s: %" PRIu64 " us", draft_place(draft, context).text, us);
        us = UINT64_MAX / NS_PER_US;
    }
    node->start_ns = us * NS_PER_US;
}

static bool is_communication(const struct trace_node *node)
{
    return node->type == OP_SEND || node->type == OP_RECV || node->type == OP_COLLECTIVE;
}

static enum status finish_host(const struct chakra_draft *draft, struct draft_context *context,
                               struct trace_node *node)
{
    uint64_t is_host = 0;
    if (is_given(draft, ATTR_IS_CPU_OP)) {
        enum status status =
            integer(draft, context, ATTR_IS_CPU_OP, INT64_MIN, UINT64_MAX, &is_host);
        if (status)
            return status;
    }
    if (!is_host)
        return STATUS_OK;
    node->flags |= NODE_IS_HOST;
    if (is_communication(node))
        notices_add(context->notices, NOTICE_ODDITY, "communication node marked as host op", 1,
                    "%s", draft_place(draft, context).text);
    return STATUS_OK;
}

/* Size of a communication node without comm_size; none is not an error here. */
static enum status guess_size(const struct chakra_draft *draft, struct draft_context *context,
                              struct trace_node *node)
{
    if (is_given(draft, ATTR_TENSOR_SIZE)) {
        node->flags |= NODE_HAS_SIZE;
        if (node->type == OP_COLLECTIVE)
            notices_add(context->notices, NOTICE_GUESSED,
                        "collective without comm_size: tensor_size used", 1, "%s",
                        draft_place(draft, context).text);
        return integer(draft, context, ATTR_TENSOR_SIZE, 0, INT64_MAX, &node->size_bytes);
    }
    if (!chakra_text_bytes(draft->in_shapes, draft->in_types, &node->size_bytes))
        return STATUS_OK;
    node->flags |= NODE_HAS_SIZE | NODE_SIZE_DERIVED;
    notices_add(context->notices, NOTICE_GUESSED,
                "communication size derived from input shapes and types", 1, "%s: %" PRIu64 " B",
                draft_place(draft, context).text, node->size_bytes);
    return STATUS_OK;
}

static enum status finish_size(const struct chakra_draft *draft, struct draft_context *context,
                               struct trace_node *node)
{
    if (is_communication(node)) {
        if (!is_given(draft, ATTR_COMM_SIZE))
            return guess_size(draft, context, node);
        node->flags |= NODE_HAS_SIZE;
        return integer(draft, context, ATTR_COMM_SIZE, 0, INT64_MAX, &node->size_bytes);
    }
    if (is_given(draft, ATTR_TENSOR_SIZE)) {
        node->flags |= NODE_HAS_SIZE;
        enum status status =
            integer(draft, context, ATTR_TENSOR_SIZE, 0, INT64_MAX, &node->size_bytes);
        if (status)
            return status;
    }
    if (!is_given(draft, ATTR_NUM_OPS))
        return STATUS_OK;
    node->flags |= NODE_HAS_FLOPS;
    return integer(draft, context, ATTR_NUM_OPS, 0, INT64_MAX, &node->flop_count);
}

static void keep_shape(struct shape_list *shapes, const struct op_shape *shape)
{
    if (shapes->text.count > shapes->room) {
        shapes->room = shapes->room ? 2 * shapes->room : 16;
        shapes->shape = realloc(shapes->shape, shapes->room * sizeof *shapes->shape);
        need_memory(shapes->shape != NULL);
    }
    shapes->shape[shapes->text.count - 1] = *shape;
}

/* The shape of a compute node, written by orrery (model/op_shape.h); each text is read once. */
static enum status finish_shape(const struct chakra_draft *draft, struct draft_context *context,
                                struct trace_node *node)
{
    if (node->type != OP_COMPUTE || !is_given(draft, ATTR_OP_SHAPE))
        return STATUS_OK;
    const struct chakra_value *value = &draft->attr[ATTR_OP_SHAPE];
    char text[MOST_SHAPE_TEXT];
    if (value->kind != VALUE_TEXT || !value->length || value->length >= sizeof text) {
        diag_fail(context->diag, STATUS_BAD_INPUT,
                  "expected the shape of an op as text of 1 to %zu bytes", sizeof text - 1);
        return refuse(draft, context, "op_shape");
    }
    uint32_t number = names_find(&context->shapes->text, value->text, value->length);
    if (number == TABLE_NONE) {
        struct op_shape shape;
        snprintf(text, sizeof text, "%.*s", (int)value->length, value->text);
        if (op_shape_parse(&shape, text, context->diag) != STATUS_OK) {
            context->diag->field[0] = '\0'; /* the attribute's name instead */
            return refuse(draft, context, "op_shape");
        }
        number = names_add(&context->shapes->text, value->text, value->length);
        keep_shape(context->shapes, &shape);
    }
    node->shape = number;
    uint64_t kernels = 0;
    enum status status = STATUS_OK;
    if (is_given(draft, ATTR_KERNELS))
        status = integer(draft, context, ATTR_KERNELS, 0, UINT16_MAX, &kernels);
    node->kernels = (uint16_t)kernels;
    return status;
}

/* Reads a given rank number into *to. */
static enum status finish_rank(const struct chakra_draft *draft, struct draft_context *context,
                               enum chakra_attr attr, uint32_t *to)
{
    uint64_t bits = 0;
    enum status status = integer(draft, context, attr, 0, TRACE_NONE - 1, &bits);
    *to = (uint32_t)bits;
    return status;
}

static enum status finish_point_to_point(const struct chakra_draft *draft,
                                         struct draft_context *context, struct trace_node *node)
{
    bool sends = node->type == OP_SEND;
    enum chakra_attr remote = sends ? ATTR_COMM_DST : ATTR_COMM_SRC;
    enum chakra_attr local = sends ? ATTR_COMM_SRC : ATTR_COMM_DST;
    enum status status = STATUS_OK;
    if (is_given(draft, remote)) {
        node->flags |= NODE_HAS_PEER;
        status = finish_rank(draft, context, remote, &node->peer);
    }
    if (!status && is_given(draft, local)) {
        node->flags |= NODE_HAS_OWNER;
        status = finish_rank(draft, context, local, &node->owner);
    }
    if (is_given(draft, ATTR_PEER_PLACES)) {
        node->flags |= NODE_HAS_PEER | NODE_PEER_IN_GROUP;
        status = finish_rank(draft, context, ATTR_PEER_PLACES, &node->peer);
    }
    if (!status && is_given(draft, ATTR_COMM_TAG)) {
        uint64_t bits = 0;
        node->flags |= NODE_HAS_TAG;
        status = integer(draft, context, ATTR_COMM_TAG, INT32_MIN, UINT32_MAX, &bits);
        node->tag = (uint32_t)bits;
    }
    return status;
}

static enum status finish_dims(const struct chakra_draft *draft, struct draft_context *context,
                               struct trace_node *node)
{
    if (!is_given(draft, ATTR_INVOLVED_DIM))
        return STATUS_OK;
    const struct chakra_value *value = &draft->attr[ATTR_INVOLVED_DIM];
    if (value->kind != VALUE_INTEGERS && !(value->kind == VALUE_LIST && value->length == 0)) {
        diag_fail(context->diag, STATUS_BAD_INPUT, "expected a list of booleans");
        return refuse(draft, context, "involved_dim");
    }
    if (value->length > MAX_DIMS) {
        diag_fail(context->diag, STATUS_BAD_INPUT, "expected at most %d dimensions, found %zu",
                  MAX_DIMS, value->length);
        return refuse(draft, context, "involved_dim");
    }
    if (value->length == 0)
        return STATUS_OK;
    node->flags |= NODE_HAS_DIMS;
    node->dims = (uint8_t)value->bits;
    node->dim_count = (uint8_t)value->length;
    return STATUS_OK;
}

static enum status finish_collective(const struct chakra_draft *draft,
                                     struct draft_context *context, struct trace_node *node)
{
    enum status status = STATUS_OK;
    uint64_t kind = 0;
    if (is_given(draft, ATTR_COMM_TYPE)) {
        node->flags |= NODE_HAS_KIND;
        status = integer(draft, context, ATTR_COMM_TYPE, 0, COLL_KIND_COUNT - 1, &kind);
        node->collective = (uint8_t)kind;
    }
    enum chakra_attr root = is_given(draft, ATTR_ROOT) ? ATTR_ROOT : ATTR_ROOT_RANK;
    if (!status && is_given(draft, root)) {
        node->flags |= NODE_HAS_PEER;
        status = finish_rank(draft, context, root, &node->peer);
    }
    return status ? status : finish_dims(draft, context, node);
}

/* The communicator's name: text, or a number that stands for its decimal text. */
static enum status finish_group(const struct chakra_draft *draft, struct draft_context *context,
                                struct trace_node *node)
{
    enum chakra_attr attr = is_given(draft, ATTR_PG_NAME) ? ATTR_PG_NAME : ATTR_COMM_GROUP;
    if (!is_given(draft, attr))
        return STATUS_OK;
    const struct chakra_value *value = &draft->attr[attr];
    char number[24];
    const char *text = number;
    size_t length;
    if (value->kind == VALUE_TEXT || value->kind == VALUE_BYTES) {
        text = value->text;
        length = value->length ? strnlen(text, value->length) : 0;
    } else {
        uint64_t bits = 0;
        enum status status = integer(draft, context, attr, INT64_MIN, INT64_MAX, &bits);
        if (status)
            return status;
        length = (size_t)snprintf(number, sizeof number, "%" PRId64, (int64_t)bits);
    }
    if (length)
        node->group = names_add(context->group_names, text, length);
    return STATUS_OK;
}

static enum status finish_order(const struct chakra_draft *draft, struct draft_context *context,
                                struct trace_node *node)
{
    enum status status = STATUS_OK;
    uint64_t bits = 0;
    if (is_given(draft, ATTR_COMM_PRIORITY) && is_communication(node)) {
        status = integer(draft, context, ATTR_COMM_PRIORITY, INT32_MIN, INT32_MAX, &bits);
        node->priority = (int32_t)bits;
    }
    if (!status && is_given(draft, ATTR_STREAM)) {
        node->flags |= NODE_HAS_STREAM;
        status = integer(draft, context, ATTR_STREAM, INT32_MIN, INT32_MAX, &bits);
        node->stream = (int32_t)bits;
    }
    return status;
}

static enum status finish_communication(const struct chakra_draft *draft,
                                        struct draft_context *context, struct trace_node *node)
{
    if (!is_communication(node))
        return STATUS_OK;
    enum status status = node->type == OP_COLLECTIVE ? finish_collective(draft, context, node)
                                                     : finish_point_to_point(draft, context, node);
    return status ? status : finish_group(draft, context, node);
}

enum status draft_finish(const struct chakra_draft *draft, struct draft_context *context,
                         struct trace_node *node)
{
    *node = (struct trace_node){.id = draft->id,
                                .group = TRACE_NONE,
                                .peer = TRACE_NONE,
                                .owner = TRACE_NONE,
                                .shape = TRACE_NONE};
    draft_count_oddities(draft, context);
    enum status status = finish_type(draft, context, node);
    if (!status)
        status = finish_duration(draft, context, node);
    if (!status)
        finish_start(draft, context, node);
    if (!status)
        status = finish_host(draft, context, node);
    if (!status)
        status = finish_size(draft, context, node);
    if (!status)
        status = finish_shape(draft, context, node);
    if (!status && is_given(draft, ATTR_HOLDS))
        status = holds_read(draft, context);
    if (!status)
        status = finish_communication(draft, context, node);
    return status ? status : finish_order(draft, context, node);
}
