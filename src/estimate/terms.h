/*
 * terms - what the time of an iteration is made of.
 */
#ifndef ORRERY_ESTIMATE_TERMS_H
#define ORRERY_ESTIMATE_TERMS_H

/* X(enumerator, name in tables, what it is: for the reader) */
#define ESTIMATE_TERM_LIST(X)                                                                      \
    X(TERM_MATRIX, "matrix", "matrix products of forward and backward")                            \
    X(TERM_ATTENTION, "attention", "attention kernels")                                            \
    X(TERM_MEMORY, "memory", "memory-bound ops: norms, activations, casts, loss")                  \
    X(TERM_RECOMPUTE, "recompute", "the forward done again")                                       \
    X(TERM_HOST, "host", "the device waits for launches")                                          \
    X(TERM_TP, "tensor", "exposed traffic of tensor parallel groups")                              \
    X(TERM_CP, "context", "exposed traffic of context parallel groups")                            \
    X(TERM_EP, "expert", "exposed traffic of expert parallel groups")                              \
    X(TERM_PP, "stages", "exposed messages between pipeline stages")                               \
    X(TERM_BUBBLE, "bubble", "a stage waits for the pipeline to fill and drain")                   \
    X(TERM_DP, "data", "exposed gradients and weights of data parallel groups")                    \
    X(TERM_OPTIMIZER, "optimizer", "the optimizer step")                                           \
    X(TERM_STEP, "step", "once a step on the host: data, logging, loss scale")

enum estimate_term {
#define X(name, text, about) name,
    ESTIMATE_TERM_LIST(X)
#undef X
        ESTIMATE_TERM_COUNT
};

#endif
