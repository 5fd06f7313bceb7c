/*
 * What a row of kernels.csv ran, by its series:
 *
 *  - aic-attn: context attention of an inference engine, timed on the device. The op begins by
 *    rotating Q and K and writing K and V to their cache, in bf16: a kernel of its own, that reads
 *    and writes Q, K and V once.
 *  - vidur: vLLM's kernels of 2023, timed on the device in whole microseconds. Activations, rotary
 *    embedding and RMS norm load single numbers. The norm reads its rows twice; rotary embedding
 *    reads a cosine or sine per number, which the L1 cache serves at half the cost.
 *  - llmcompass: PyTorch operators timed from the host; the source's own per-operator host times
 *    are taken off (LLMCompass, ISCA 2024, its device templates). Of TPUs it measured one core: the
 *    chip does as much on each.
 *  - hbm: BabelStream and the like, bandwidth of long copies.
 *  - papers' attention: 16k tokens, hidden size 2048 (FlashAttention's benchmark).
 */
#include <stdlib.h>
#include <string.h>

#include "compute/model/attention.h"
#include "compute/model/memory_bound.h"
#include "tests/agree/compute/kernels.h"

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The number after `key` in "b=1 s=4096", or `otherwise`. */
static uint64_t number_of(const char *shape, const char *key, uint64_t otherwise)
{
    size_t length = strlen(key);
    for (const char *at = strstr(shape, key); at; at = strstr(at + 1, key)) {
        if (at == shape || at[-1] == ' ')
            return strtoull(at + length, NULL, 10);
    }
    return otherwise;
}

static void set_type(struct op_shape *shape, const char *name)
{
    enum data_type type = data_type_find(name);
    shape->type = type < DATA_TYPE_COUNT ? (uint8_t)type : TYPE_BF16;
    shape->out_type = (uint8_t)data_type_result((enum data_type)shape->type);
}

/* -- attention -------------------------------------------------------------------------------- */

static void map_serving_attention(const char *const *cell, struct kernel_case *one)
{
    const char *text = cell[KERNEL_SHAPE];
    struct op_shape *shape = &one->step[1];
    shape->class =
        strstr(cell[KERNEL_OP], "bwd") ? OP_CLASS_ATTENTION_BACKWARD : OP_CLASS_ATTENTION;
    set_type(shape, cell[KERNEL_TYPE]);
    shape->is_causal = strstr(cell[KERNEL_OP], "causal") && !strstr(cell[KERNEL_OP], "noncausal");
    shape->batch = number_of(text, "b=", 1);
    shape->q_len = shape->kv_len = number_of(text, "s=", 0);
    shape->heads = (uint32_t)number_of(text, "h=", 0);
    shape->kv_heads = (uint32_t)number_of(text, "kv=", shape->heads);
    shape->head_dim = (uint32_t)number_of(text, "d=", 0);
    shape->window = number_of(text, "w=", 0);
    if (shape->q_len == 0 || shape->heads == 0 || shape->head_dim == 0) {
        one->unmapped = "no shape";
        return;
    }
    one->label = "attention";
    one->guess =
        shape->q_len <= 2048 ? "another tile for few, short sequences" : "clocks, or another tile";
    one->options.attention = ATTENTION_SERVING;
    uint64_t heads = shape->heads + 2 * (uint64_t)shape->kv_heads;
    one->step[0] = (struct op_shape){.class = OP_CLASS_PERMUTE,
                                     .type = TYPE_BF16,
                                     .out_type = shape->type,
                                     .m = shape->batch * shape->q_len,
                                     .n = heads * shape->head_dim};
}

/* "s=16k d=128 fp16", "b2 s8192 hd128": 16 ki tokens, hidden size 2048. */
static void map_paper_attention(const char *const *cell, struct kernel_case *one)
{
    const char *op = cell[KERNEL_OP], *text = cell[KERNEL_SHAPE];
    double tflops =
        strtod(cell[KERNEL_TFLOPS][0] ? cell[KERNEL_TFLOPS] : cell[KERNEL_VALUE_TFLOPS], NULL);
    bool is_azure = starts(cell[KERNEL_SERIES], "azure");
    uint64_t head_dim = is_azure
                            ? strtoull(strstr(text, "hd") ? strstr(text, "hd") + 2 : "0", NULL, 10)
                            : number_of(text, "d=", 0);
    uint64_t length = is_azure ? 8192 : number_of(text, "s=", 0) * 1024;
    if (strstr(op, "standard") || head_dim == 0 || length == 0 || !(tflops > 0)) {
        one->unmapped =
            strstr(op, "standard") ? "unfused attention: several kernels" : "no shape or rate";
        return;
    }
    struct op_shape shape = {.class = OP_CLASS_ATTENTION,
                             .type = TYPE_FP16,
                             .out_type = TYPE_FP16,
                             .is_causal = strstr(op, "noncausal") == NULL && !is_azure,
                             .batch = is_azure ? 2 : 16384 / length,
                             .heads = (uint32_t)(2048 / head_dim),
                             .head_dim = (uint32_t)head_dim,
                             .q_len = length,
                             .kv_len = length};
    bool is_both = strstr(op, "fwd+bwd") || is_azure;
    double pairs = (double)length * (double)length * (shape.is_causal ? 0.5 : 1);
    double flops =
        (is_both ? 14.0 : 4.0) * (double)shape.batch * shape.heads * pairs * (double)head_dim;
    one->label = "attention (papers)";
    one->measured_us = flops / tflops / 1e6;
    one->is_assumed = is_azure; /* direction and heads are not stated */
    one->options.attention = strstr(op, "attention2") ? ATTENTION_FLASH2 : ATTENTION_FUSED;
    one->step[0] = shape;
    if (is_both) {
        one->step[1] = shape;
        one->step[1].class = OP_CLASS_ATTENTION_BACKWARD;
    }
}

/* -- memory-bound ops -------------------------------------------------------------------------- */

/* Heads of keys, of 128 numbers, for vLLM's rotary embedding; the others have as many as
 * queries. */
static uint64_t key_numbers(const char *model, uint64_t hidden)
{
    static const char *const of_8_heads[] = {"Llama-2-70b", "Meta-Llama-3-70B", "Meta-Llama-3-8B",
                                             "CodeLlama-34b"};
    for (size_t i = 0; i < sizeof of_8_heads / sizeof of_8_heads[0]; i++) {
        if (strstr(model, of_8_heads[i]))
            return 8 * 128;
    }
    return hidden;
}

static void map_vidur(const char *const *cell, struct kernel_case *one)
{
    const char *op = cell[KERNEL_OP], *text = cell[KERNEL_SHAPE];
    uint64_t tokens = number_of(text, "tokens=", 0), hidden = number_of(text, "hidden=", 0);
    uint64_t ffn = number_of(text, "ffn=", 0), number = 2;
    bool is_phi =
        strcmp(cell[KERNEL_NOTE], "phi-2") == 0; /* plain GELU, two residuals in one block */
    struct op_shape *shape = &one->step[0];
    set_type(shape, cell[KERNEL_TYPE]);
    *shape = (struct op_shape){.class = OP_CLASS_ELEMENTWISE,
                               .type = shape->type,
                               .out_type = shape->type,
                               .m = tokens * hidden};
    one->label = op;
    one->options.is_scalar = true;
    if (strstr(op, "norm")) {
        shape->class = OP_CLASS_NORM;
        shape->m = tokens, shape->n = hidden;
        shape->read_bytes = 2 * tokens * hidden * number;
        one->guess = "the second read comes from the cache";
    } else if (strcmp(op, "mlp_act") == 0) {
        shape->m = tokens * ffn;
        shape->read_bytes = (is_phi ? 1 : 2) * shape->m * number;
        one->guess = "few blocks of a token each do not fill the cores";
    } else if (strcmp(op, "attn_rope") == 0) {
        shape->m = tokens * (hidden + key_numbers(cell[KERNEL_NOTE], hidden));
        one->guess = "partly rotated heads (phi-2), or what fits the cache";
        shape->read_bytes = shape->m * number * 3 / 2;
    } else if (strcmp(op, "emb") == 0) {
        shape->class = OP_CLASS_EMBEDDING;
        shape->m = tokens, shape->n = hidden;
        one->options.is_scalar = false;
    } else if (strcmp(op, "add") == 0) {
        shape->read_bytes = 2 * shape->m * number;
        one->options.is_scalar = false;
        if (is_phi)
            one->step[1] = *shape;
    } else {
        one->unmapped = "an op of vidur that is not known";
    }
}

/* LLMCompass's own host times per operator, in us. */
static double llmcompass_host_us(const char *op, const struct device *device)
{
    static const struct {
        const char *op;
        double nvidia, amd, tpu;
    } times[] = {{"softmax", 12, 22, 300}, {"layernorm", 45, 28, 140}, {"gelu", 45, 21, 100}};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        if (strcmp(op, times[i].op) == 0)
            return device->generation == GENERATION_TPU    ? times[i].tpu
                   : device->generation == GENERATION_CDNA ? times[i].amd
                                                           : times[i].nvidia;
    }
    return 0;
}

static void map_llmcompass(const char *const *cell, const struct device *device,
                           struct kernel_case *one)
{
    const char *op = cell[KERNEL_OP], *text = cell[KERNEL_SHAPE];
    const char *times = strchr(text, 'x');
    struct op_shape *shape = &one->step[0];
    set_type(shape, cell[KERNEL_TYPE]);
    shape->class = strcmp(op, "softmax") == 0     ? OP_CLASS_SOFTMAX
                   : strcmp(op, "layernorm") == 0 ? OP_CLASS_NORM
                                                  : OP_CLASS_ELEMENTWISE;
    shape->m = strtoull(text, NULL, 10);
    shape->n = times ? strtoull(times + 1, NULL, 10) : 0;
    if (device->generation == GENERATION_TPU) /* one core of the chip was measured */
        shape->m *= device->cores;
    one->label = op;
    one->guess = "a block a row: short rows leave threads idle, long ones are read again";
    one->host_ns = llmcompass_host_us(op, device) * 1e3;
}

/* Copies: bytes as the row has them, or a gigabyte for a bandwidth. */
static void map_copy(const char *const *cell, const struct device *device, struct kernel_case *one)
{
    double bytes = strtod(cell[KERNEL_BYTES], NULL);
    double rate = strtod(cell[KERNEL_VALUE_TBPS], NULL) * 1e12;
    if (rate > 0) {
        bytes = 1e9;
        one->measured_us = bytes / rate * 1e6;
    }
    if (strstr(cell[KERNEL_NOTE], "per core")) /* each core of the chip does as much */
        bytes *= device->cores;
    one->label = "copy";
    one->step[0] = (struct op_shape){.class = OP_CLASS_ELEMENTWISE,
                                     .type = TYPE_INT8,
                                     .out_type = TYPE_INT8,
                                     .m = (uint64_t)(bytes / 2)};
}

void kernel_map(const char *const *cell, const struct device *device, struct kernel_case *one)
{
    *one = (struct kernel_case){.label = cell[KERNEL_OP],
                                .measured_us = strtod(cell[KERNEL_TIME], NULL)};
    if (starts(cell[KERNEL_OP], "transformer_layer"))
        one->unmapped = "whole layers: see make agree-training";
    else if (starts(cell[KERNEL_OP], "hbm_"))
        map_copy(cell, device, one);
    else if (starts(cell[KERNEL_SERIES], "vidur"))
        map_vidur(cell, one);
    else if (starts(cell[KERNEL_OP], "attention_fwd") || starts(cell[KERNEL_OP], "attention_bwd"))
        map_serving_attention(cell, one);
    else if (strstr(cell[KERNEL_OP], "attention"))
        map_paper_attention(cell, one);
    else if (starts(cell[KERNEL_SERIES], "llmcompass"))
        map_llmcompass(cell, device, one);
    else
        one->unmapped = "a series that is not known";
    for (int i = 0; i < KERNEL_STEPS && !one->unmapped; i++)
        op_shape_finish(&one->step[i]);
    if (!one->unmapped && !(one->measured_us > 0))
        one->unmapped = "no time";
}

double kernel_case_ns(const struct kernel_case *one, const struct device *device)
{
    double ns = one->host_ns;
    for (int i = 0; i < KERNEL_STEPS; i++) {
        const struct op_shape *shape = &one->step[i];
        const struct op_model_ops *model =
            op_class_is_attention(shape->class) ? &op_model_attention : &op_model_memory_bound;
        struct op_time time = {0};
        const char *why;
        if (shape->class != OP_CLASS_NONE && model->time(device, shape, &one->options, &time, &why))
            ns += time.ns;
    }
    return ns;
}
