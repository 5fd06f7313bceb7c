#include "compare/kinds.h"

#include <ctype.h>
#include <string.h>

#include "model/op.h"

enum { WORD = 96 };

/* Small letters and digits of `text` only. */
static void fold(char to[WORD], const char *text)
{
    uint32_t length = 0;
    for (; *text && length < WORD - 1; text++)
        if (isalnum((unsigned char)*text))
            to[length++] = (char)tolower((unsigned char)*text);
    to[length] = '\0';
}

/* Longer words first: "reducescatter" holds "reduce". */
static const struct {
    const char *word;
    int32_t kind;
} collectives[] = {
    {"reducescatterblock", COLL_REDUCE_SCATTER_BLOCK},
    {"reducescatter", COLL_REDUCE_SCATTER},
    {"allreduce", COLL_ALL_REDUCE},
    {"allgather", COLL_ALL_GATHER},
    {"alltoall", COLL_ALL_TO_ALL},
    {"broadcast", COLL_BROADCAST},
    {"barrier", COLL_BARRIER},
    {"scatter", COLL_SCATTER},
    {"gather", COLL_GATHER},
    {"reduce", COLL_REDUCE},
};

int32_t kinds_find_collective(const char *word)
{
    char folded[WORD];
    fold(folded, word);
    for (uint32_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (strstr(folded, collectives[i].word))
            return collectives[i].kind;
    return -1;
}

bool kinds_is_communication(const char *kernel)
{
    char folded[WORD];
    fold(folded, kernel);
    return strncmp(folded, "nccl", 4) == 0 || strstr(folded, "rccl") || strstr(folded, "oneccl");
}

/* Up to the first '(': "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage..)". */
int32_t kinds_of_kernel(const char *kernel)
{
    char name[WORD];
    size_t length = strcspn(kernel, "(<");
    if (length >= sizeof name)
        length = sizeof name - 1;
    memcpy(name, kernel, length);
    name[length] = '\0';
    return kinds_find_collective(name);
}

static const struct {
    const char *word;
    const char *class;
} classes[] = {
    {"flash", "attention"},
    {"fmha", "attention"},
    {"attention", "attention"},
    {"sdpa", "attention"},
    {"gemm", "gemm"},
    {"cutlass", "gemm"},
    {"nvjet", "gemm"},
    {"cijk", "gemm"}, /* hipBLASLt */
    {"conv", "conv"},
    {"wgrad", "conv"},
    {"dgrad", "conv"},
    {"winograd", "conv"},
    {"softmax", "softmax"},
    {"layernorm", "norm"},
    {"rmsnorm", "norm"},
    {"batchnorm", "norm"},
    {"embedding", "embedding"},
    {"adam", "optimizer"},
    {"multitensorapply", "optimizer"},
    {"nllloss", "loss"},
    {"crossentropy", "loss"},
    {"elementwise", "elementwise"},
    {"memcpy", "copy"},
    {"memset", "copy"},
};

const char *kinds_class_of(const char *kernel)
{
    char folded[WORD];
    fold(folded, kernel);
    for (uint32_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strstr(folded, classes[i].word))
            return classes[i].class;
    return "compute";
}

static const struct {
    const char *word;
    uint32_t bytes;
} types[] = {
    {"bfloat16", 2}, {"float8", 1}, {"float16", 2}, {"half", 2}, {"double", 8}, {"float64", 8},
    {"float", 4},    {"long", 8},   {"int64", 8},   {"int8", 1}, {"short", 2},  {"int16", 2},
    {"int", 4},      {"byte", 1},   {"uint8", 1},   {"char", 1}, {"bool", 1},
};

uint32_t kinds_type_bytes(const char *type)
{
    char folded[WORD];
    fold(folded, type);
    for (uint32_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strstr(folded, types[i].word))
            return types[i].bytes;
    return 0;
}
