/*
 * op_shape - what a compute node computes: its class, shape and number types.
 *
 * Rules:
 *  1. A shape is a value; equal work has equal bytes (unused members are 0), so shapes can be interned and
 *     their times cached.
 *  2. flops, read_bytes and write_bytes are filled by op_shape_finish() from the class's formula if they
 *     are 0: multiply-add counts as two; bytes are those of the operands once.
 *  3. The text form is one line, "gemm 4096x8192x1024 bf16", "attention 2x8192 heads=64/8 dim=128 causal bf16";
 *     op_shape_parse() reads what op_shape_print() writes. It is the value of the attribute `op_shape` in
 *     the Chakra files that orrery writes, and what `orrery op` takes.
 */
#ifndef ORRERY_MODEL_OP_SHAPE_H
#define ORRERY_MODEL_OP_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* X(enumerator, name, what its members mean) */
#define OP_CLASS_LIST(X)                                                                           \
    X(OP_CLASS_NONE, "none", "only flops and bytes are known")                                     \
    X(OP_CLASS_GEMM, "gemm", "batch x (m x k) . (k x n)")                                          \
    X(OP_CLASS_GROUPED_GEMM, "grouped-gemm", "batch groups that share m rows in all")              \
    X(OP_CLASS_CONV, "conv", "as implicit gemm: m = batch*oh*ow, n = c_out, k = c_in*kh*kw")       \
    X(OP_CLASS_ATTENTION, "attention", "fused forward: batch, heads, kv_heads, q_len, kv_len")     \
    X(OP_CLASS_ATTENTION_BACKWARD, "attention-backward", "fused backward of the same")             \
    X(OP_CLASS_NORM, "norm", "m rows of n: layer or RMS norm; passes in bytes")                    \
    X(OP_CLASS_SOFTMAX, "softmax", "m rows of n")                                                  \
    X(OP_CLASS_ELEMENTWISE, "elementwise", "m elements: activation, add, dropout, rotary, cast")   \
    X(OP_CLASS_EMBEDDING, "embedding", "m lookups of rows of n: gather, or scatter-add backward")  \
    X(OP_CLASS_OPTIMIZER, "optimizer", "m parameters stepped")                                     \
    X(OP_CLASS_LOSS, "loss", "cross entropy over m rows of n classes")                             \
    X(OP_CLASS_PERMUTE, "permute", "m rows of n moved: routing, transpose, copy")

enum op_class {
#define X(name, text, about) name,
    OP_CLASS_LIST(X)
#undef X
        OP_CLASS_COUNT
};

/* X(enumerator, name, bits) */
#define DATA_TYPE_LIST(X)                                                                          \
    X(TYPE_FP64, "fp64", 64)                                                                       \
    X(TYPE_FP32, "fp32", 32)                                                                       \
    X(TYPE_TF32, "tf32", 32) /* stored as fp32, multiplied as tf32 */                              \
    X(TYPE_BF16, "bf16", 16)                                                                       \
    X(TYPE_FP16, "fp16", 16)                                                                       \
    X(TYPE_FP8, "fp8", 8)                                                                          \
    X(TYPE_INT8, "int8", 8)                                                                        \
    X(TYPE_FP6, "fp6", 6)                                                                          \
    X(TYPE_FP4, "fp4", 4)

enum data_type {
#define X(name, text, bits) name,
    DATA_TYPE_LIST(X)
#undef X
        DATA_TYPE_COUNT
};

struct op_shape {
    uint8_t class;                      /* enum op_class */
    uint8_t type;                       /* enum data_type of the inputs */
    uint8_t out_type;                   /* of the result */
    bool is_causal;                     /* attention */
    uint32_t heads, kv_heads, head_dim; /* attention */
    uint64_t batch, m, n, k;
    uint64_t q_len, kv_len; /* attention; equal for self-attention */
    uint64_t window;        /* attention: sliding window in positions, 0: none */
    uint64_t flops;         /* useful operations */
    uint64_t read_bytes, write_bytes;
};

const char *op_class_name(enum op_class class);
const char *data_type_name(enum data_type type);
/* DATA_TYPE_COUNT if `name` is none; takes "bfloat16", "float16", "e4m3" and their like too. */
enum data_type data_type_find(const char *name);
/* Bytes of `count` numbers, rounded up. */
uint64_t data_type_bytes(enum data_type type, uint64_t count);

/* Rule 2. */
void op_shape_finish(struct op_shape *shape);

enum status op_shape_parse(struct op_shape *shape, const char *text, struct diag *diag);
/* Writes at most `size` bytes with the NUL; a complete form fits in 192. */
void op_shape_print(const struct op_shape *shape, char *text, size_t size);

#endif
