/* What is thought to be behind the error of a row: known causes first, then the term to look at. */
#include <string.h>

#include "tests/agree/training/training.h"

struct suspect {
    const char *framework, *model; /* words of the row's */
    int sign;                      /* of the error: -1 we are too fast, 1 too slow, 0 either */
    const char *text;
};

static const struct suspect suspects[] = {
    {"megatron-bridge", "gpt-oss", -1,
     "its attention has sinks, for which releases before cuDNN 9.13 had no fused kernel"},
    {"megatron-bridge", "deepseek", 1,
     "expert traffic between nodes runs beside other micro-batches there; the table does not say"},
    {"megatron-bridge", "deepseek", -1,
     "its layout of stages and its recompute (memory is short) are not in the table"},
    {"megatron-bridge", "qwen3 30b", -1,
     "the same plan ran twice as fast one release before and after: a regression of the release"},
    {"megatron-bridge", "qwen3", 0,
     "recompute, routing and the overlap of expert traffic are not in the table"},
    {"megatron-bridge", "", 1, "GB300's and B300's sustained rates are assumed, not measured"},
    {"jax-gpu", "126m", -1,
     "126 M parameters: costs of XLA's runtime between steps, which larger models hide"},
    {"maxtext", "", 1, "what is saved and what is recomputed (remat policy) is not in the table"},
    {"maxtext", "", -1, "offload to the host, and remat policies, are not modelled"},
    {"megatron-deepspeed", "", -1,
     "eager host: eight processes that launch small all-reduces wait for the slowest"},
    {"composer", "", -1,
     "memory is full: the allocator frees and retries; nothing of that is modelled"},
    {"torchtitan", "", 1, "selective recompute by op is taken as half of all layers"},
    {"torchtitan-rowwise", "", -1, "kernels that scale by rows had no fast accumulation"},
    {"torchtitan", "", -1, "context parallel ranks were not balanced over the causal mask"},
    {"nemo-mlperf", "", 1,
     "thousands of nodes, few micro-batches: how much of the gradients hides is tuned by hand"},
    {"nemo-24", "grok", -1, "experts in fp8 of that release: padding and quantising by expert"},
};

static enum estimate_term main_term(const struct estimate *estimate)
{
    enum estimate_term most = TERM_RECOMPUTE;
    for (int t = TERM_RECOMPUTE; t < ESTIMATE_TERM_COUNT; t++) {
        if (estimate->term_ns[t] > estimate->term_ns[most])
            most = (enum estimate_term)t;
    }
    return most;
}

static const char *general(const struct train_row *row)
{
    switch (main_term(&row->estimate)) {
    case TERM_HOST:
        return "host time of an op differs between machines";
    case TERM_TP:
        return "how much tensor parallel traffic hides";
    case TERM_EP:
        return "how much expert traffic hides, and how even routing is";
    case TERM_DP:
        return "how much data parallel traffic hides";
    case TERM_BUBBLE:
    case TERM_PP:
        return "the pipeline's schedule is not in the table";
    default:
        return "kernels: products or attention of that release";
    }
}

const char *row_suspect(const struct train_row *row)
{
    int sign = row->error_ratio > 0 ? 1 : -1;
    for (size_t i = 0; i < sizeof suspects / sizeof *suspects; i++) {
        const struct suspect *suspect = &suspects[i];
        bool is_it = has_word(row->framework_name, suspect->framework) &&
                     has_word(row->cell.model, suspect->model) &&
                     (suspect->sign == 0 || suspect->sign == sign);
        if (is_it)
            return suspect->text;
    }
    return general(row);
}
