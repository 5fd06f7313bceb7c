/*
 * op_shape - what a compute node computes: its class, shape and number types.
 *
 * Rules:
 *  1. A shape is a value; equal work has equal bytes (unused members are 0), so shapes can be
 *     interned and their times cached.
 *  2. flops, read_bytes and write_bytes are filled by op_shape_finish() from the class's formula
 *     (below) if they are 0: multiply-add counts as two; bytes are those of the operands once. It
 *     also sets batch and kv_heads, kv_len (to heads, q_len) where they are 0. Sums that do not fit
 *     saturate at UINT64_MAX.
 *  3. The text form is one line, "gemm 4096x8192x1024 bf16", "attention 2x8192 heads=64/8 dim=128
 *     causal bf16": the class, sizes (of attention: batch x q_len, or batch x q_len x kv_len), then
 *     words in any order: a number type (bf16 if there is none), out=TYPE, batch=N (gemm, conv),
 *     groups=N (grouped-gemm), heads=N or heads=N/KV, dim=N, window=N, causal, and flops=N, read=N,
 *     write=N where the formulas do not hold. op_shape_parse() reads what op_shape_print() writes.
 *     It is the value of the attribute `op_shape` in the Chakra files that orrery writes, and what
 *     `orrery op` takes.
 *  4. A size is at most OP_SIZE_MOST.
 *
 * Formulas (in, out: bytes of a number of `type`, `out_type`; b: batch):
 *   class               flops               read                          write
 *   gemm, conv          2 b m n k           in b (m k + k n)              out b m n
 *   grouped-gemm        2 m n k             in (m k + b k n)              out m n
 *   attention           4 b h P d           in b d (h q + 2 kv_h v)       out b h q d + 4 b h q
 *   attention-backward  10 b h P d          in b d (3 h q + 2 kv_h v)     out b d (h q + 2 kv_h v)
 *                                           + 4 b h q
 *   norm                8 m n               in m n                        out m n
 *   softmax             5 m n               in m n                        out m n
 *   elementwise         m                   in m                          out m
 *   embedding, permute  0                   in m n                        out m n
 *   optimizer (Adam)    12 m                (12 + in) m                   (12 + out) m
 *   loss                6 m n               in m n                        out m n (its gradient)
 * P is the number of pairs of a query and a key that it sees: q v, less under a causal mask
 * (queries are the last q of the v positions) and a window of w positions; v counts the keys that
 * are seen at all. Attention's 4 b h q bytes are the logarithms of row sums. The im2col of a
 * convolution is larger than its input: who knows the image sets read_bytes. An optimizer keeps
 * fp32 weight, mean and variance (12 bytes).
 * Worked: gemm 4096x8192x1024 bf16: 2 x 4096 x 8192 x 1024 = 68,719,476,736 flop; 25,165,824 bytes
 * read, 67,108,864 written. attention 1x4 heads=1 dim=8 causal: P = 4 x 5 / 2 = 10, 320 flop.
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

/* X(enumerator, name, what it is): fused attention kernels, of which a framework picks one. */
#define ATTENTION_KERNEL_LIST(X)                                                                   \
    X(ATTENTION_FUSED, "fused", "the best there is: cuDNN, FlashAttention-3, AITER, splash")       \
    X(ATTENTION_FLASH2, "flash2", "FlashAttention-2, as PyTorch has it")                           \
    X(ATTENTION_SERVING, "serving", "context kernels of inference engines (TensorRT-LLM)")

enum attention_kernel {
#define X(name, text, about) name,
    ATTENTION_KERNEL_LIST(X)
#undef X
        ATTENTION_KERNEL_COUNT
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

enum { OP_SHAPE_TEXT = 288 };            /* bytes that every text form fits in, with the NUL */
#define OP_SIZE_MOST (UINT64_C(1) << 48) /* rule 4 */

/* By number, NULL-terminated. */
extern const char *const op_class_names[], *const data_type_names[],
                                               *const attention_kernel_names[];

const char *op_class_name(enum op_class class);
/* OP_CLASS_COUNT if `name` is none. */
enum op_class op_class_find(const char *name);
/* What `class` means, for lists. */
const char *op_class_about(enum op_class class);
/* gemm, grouped-gemm, conv; attention, attention-backward. */
bool op_class_is_product(enum op_class class);
bool op_class_is_attention(enum op_class class);
const char *data_type_name(enum data_type type);
/* DATA_TYPE_COUNT if `name` is none; takes "bfloat16", "float16", "e4m3" and their like too. */
enum data_type data_type_find(const char *name);
/* Bytes of `count` numbers, rounded up. */
uint64_t data_type_bytes(enum data_type type, uint64_t count);

/* What a multiplication of `type` gives where nothing else is said: bf16 of 8 bits and fewer (fp32
 * of tf32). */
enum data_type data_type_result(enum data_type type);

/* Rule 2. */
void op_shape_finish(struct op_shape *shape);

/* Rule 3: *shape is finished. On failure (STATUS_BAD_INPUT) the message names the word, and a hint
 * says what was expected. */
enum status op_shape_parse(struct op_shape *shape, const char *text, struct diag *diag);
/* Writes at most `size` bytes with the NUL; returns `text`. `shape` is finished. */
const char *op_shape_print(const struct op_shape *shape, char *text, size_t size);

#endif
