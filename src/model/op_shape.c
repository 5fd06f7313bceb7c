#include "model/op_shape.h"

#include <string.h>
#include <strings.h>

enum { STEP_BYTES = 12 /* fp32 weight, mean, variance */ };

const char *const attention_kernel_names[] = {
#define X(name, text, about) [name] = text,
    ATTENTION_KERNEL_LIST(X)
#undef X
        NULL};

const char *const op_class_names[] = {
#define X(name, text, about) [name] = text,
    OP_CLASS_LIST(X)
#undef X
        NULL};

static const char *const class_abouts[] = {
#define X(name, text, about) [name] = about,
    OP_CLASS_LIST(X)
#undef X
};

const char *const data_type_names[] = {
#define X(name, text, bits) [name] = text,
    DATA_TYPE_LIST(X)
#undef X
        NULL};

static const uint8_t type_bits[] = {
#define X(name, text, bits) [name] = bits,
    DATA_TYPE_LIST(X)
#undef X
};

/* Spellings of frameworks and papers. */
static const struct {
    const char *name;
    enum data_type type;
} other_names[] = {
    {"double", TYPE_FP64},
    {"float64", TYPE_FP64},
    {"f64", TYPE_FP64},
    {"float", TYPE_FP32},
    {"float32", TYPE_FP32},
    {"f32", TYPE_FP32},
    {"tensorfloat32", TYPE_TF32},
    {"bfloat16", TYPE_BF16},
    {"half", TYPE_FP16},
    {"float16", TYPE_FP16},
    {"f16", TYPE_FP16},
    {"float8", TYPE_FP8},
    {"e4m3", TYPE_FP8},
    {"e5m2", TYPE_FP8},
    {"f8e4m3fn", TYPE_FP8},
    {"f8e5m2", TYPE_FP8},
    {"mxfp8", TYPE_FP8},
    {"fp8_block", TYPE_FP8},
    {"s8", TYPE_INT8},
    {"i8", TYPE_INT8},
    {"mxfp6", TYPE_FP6},
    {"e2m1", TYPE_FP4},
    {"nvfp4", TYPE_FP4},
    {"mxfp4", TYPE_FP4},
};

/* -- names ---------------------------------------------------------------------------------- */

const char *op_class_name(enum op_class class)
{
    return class < OP_CLASS_COUNT ? op_class_names[class] : "?";
}

const char *op_class_about(enum op_class class)
{
    return class < OP_CLASS_COUNT ? class_abouts[class] : "?";
}

const char *data_type_name(enum data_type type)
{
    return type < DATA_TYPE_COUNT ? data_type_names[type] : "?";
}

enum op_class op_class_find(const char *name)
{
    enum op_class class = 0;
    while (class < OP_CLASS_COUNT && strcmp(op_class_names[class], name) != 0)
        class ++;
    return class;
}

enum data_type data_type_find(const char *name)
{
    for (enum data_type type = 0; type < DATA_TYPE_COUNT; type++) {
        if (strcasecmp(data_type_names[type], name) == 0)
            return type;
    }
    for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; i++) {
        if (strcasecmp(other_names[i].name, name) == 0)
            return other_names[i].type;
    }
    return DATA_TYPE_COUNT;
}

bool op_class_is_product(enum op_class class)
{
    return class == OP_CLASS_GEMM || class == OP_CLASS_GROUPED_GEMM || class == OP_CLASS_CONV;
}

bool op_class_is_attention(enum op_class class)
{
    return class == OP_CLASS_ATTENTION || class == OP_CLASS_ATTENTION_BACKWARD;
}

enum data_type data_type_result(enum data_type type)
{
    if (type == TYPE_TF32)
        return TYPE_FP32;
    return type_bits[type] <= 8 ? TYPE_BF16 : type;
}

/* -- formulas -------------------------------------------------------------------------------- */

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

uint64_t data_type_bytes(enum data_type type, uint64_t count)
{
    uint64_t bits = type_bits[type];
    if (bits % 8 == 0)
        return times(count, bits / 8);
    return plus(times(count / 8, bits), (count % 8 * bits + 7) / 8);
}

/* 1 + 2 + .. + n */
static uint64_t triangle(uint64_t n)
{
    return n % 2 ? times(n, (n - 1) / 2 + 1) : times(n / 2, n + 1);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Pairs of a query and a key it sees (P of the header). */
static uint64_t visible_pairs(const struct op_shape *shape)
{
    uint64_t q = shape->q_len, kv = shape->kv_len;
    uint64_t window = shape->window && shape->window < kv ? shape->window : kv;
    if (!shape->is_causal)
        return times(q, window);
    /* Query i (1-based) sees least(kv - q + i, window) keys; none if that is below 1. */
    uint64_t most = window;
    uint64_t first = kv >= q ? kv - q + 1 : 1;
    uint64_t queries = least(q, kv);
    if (first >= most)
        return times(queries, most);
    uint64_t last = first + queries - 1;
    uint64_t growing = least(last, most);
    uint64_t pairs = triangle(growing);
    if (pairs != UINT64_MAX)
        pairs -= triangle(first - 1);
    return plus(pairs, times(last - growing, most));
}

/* Keys that any query sees. */
static uint64_t visible_keys(const struct op_shape *shape)
{
    if (shape->window == 0 || !shape->is_causal)
        return shape->kv_len;
    return least(shape->kv_len, plus(shape->window, shape->q_len - (shape->q_len > 0)));
}

struct work {
    uint64_t flops, read_bytes, write_bytes;
};

static struct work work_of_product(const struct op_shape *shape)
{
    bool is_grouped = shape->class == OP_CLASS_GROUPED_GEMM;
    uint64_t b = is_grouped ? 1 : shape->batch, weights = is_grouped ? shape->batch : 1;
    uint64_t mn = times(shape->m, shape->n);
    uint64_t inputs = plus(times(shape->m, shape->k), times(weights, times(shape->k, shape->n)));
    return (struct work){times(2, times(b, times(mn, shape->k))),
                         data_type_bytes(shape->type, times(b, inputs)),
                         data_type_bytes(shape->out_type, times(b, mn))};
}

static struct work work_of_attention(const struct op_shape *shape)
{
    bool is_backward = shape->class == OP_CLASS_ATTENTION_BACKWARD;
    uint64_t width = times(shape->batch, shape->head_dim);
    uint64_t rows = times(shape->heads, shape->q_len);
    uint64_t queries = times(width, rows);
    uint64_t keys = times(width, times(2, times(shape->kv_heads, visible_keys(shape))));
    uint64_t pairs = times(times(width, shape->heads), visible_pairs(shape));
    uint64_t sums = times(4, times(shape->batch, rows));
    struct work work = {times(is_backward ? 10 : 4, pairs),
                        data_type_bytes(shape->type, plus(queries, keys)),
                        plus(data_type_bytes(shape->out_type, queries), sums)};
    if (is_backward) {
        work.read_bytes = plus(data_type_bytes(shape->type, plus(times(3, queries), keys)), sums);
        work.write_bytes = data_type_bytes(shape->out_type, plus(queries, keys));
    }
    return work;
}

static struct work work_of_rows(const struct op_shape *shape)
{
    uint64_t numbers = shape->m;
    if (shape->class != OP_CLASS_ELEMENTWISE && shape->class != OP_CLASS_OPTIMIZER)
        numbers = times(shape->m, shape->n);
    struct work work = {0, data_type_bytes(shape->type, numbers),
                        data_type_bytes(shape->out_type, numbers)};
    static const uint8_t flops_each[OP_CLASS_COUNT] = {
        [OP_CLASS_NORM] = 8,       [OP_CLASS_SOFTMAX] = 5, [OP_CLASS_ELEMENTWISE] = 1,
        [OP_CLASS_OPTIMIZER] = 12, [OP_CLASS_LOSS] = 6,
    };
    work.flops = times(flops_each[shape->class], numbers);
    if (shape->class == OP_CLASS_OPTIMIZER) {
        work.read_bytes = plus(work.read_bytes, times(STEP_BYTES, numbers));
        work.write_bytes = plus(work.write_bytes, times(STEP_BYTES, numbers));
    }
    return work;
}

static struct work work_of(const struct op_shape *shape)
{
    switch (shape->class) {
    case OP_CLASS_NONE:
        return (struct work){0, 0, 0};
    case OP_CLASS_GEMM:
    case OP_CLASS_GROUPED_GEMM:
    case OP_CLASS_CONV:
        return work_of_product(shape);
    case OP_CLASS_ATTENTION:
    case OP_CLASS_ATTENTION_BACKWARD:
        return work_of_attention(shape);
    default:
        return work_of_rows(shape);
    }
}

void op_shape_finish(struct op_shape *shape)
{
    promise(shape->class < OP_CLASS_COUNT && shape->type < DATA_TYPE_COUNT &&
            shape->out_type < DATA_TYPE_COUNT);
    if (shape->batch == 0 &&
        (op_class_is_product(shape->class) || op_class_is_attention(shape->class)))
        shape->batch = 1;
    if (op_class_is_attention(shape->class)) {
        if (shape->kv_heads == 0)
            shape->kv_heads = shape->heads;
        if (shape->kv_len == 0)
            shape->kv_len = shape->q_len;
    }
    struct work work = work_of(shape);
    if (shape->flops == 0)
        shape->flops = work.flops;
    if (shape->read_bytes == 0)
        shape->read_bytes = work.read_bytes;
    if (shape->write_bytes == 0)
        shape->write_bytes = work.write_bytes;
}
