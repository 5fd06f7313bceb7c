/*
 * text_file - reads the text workloads of ASTRA-sim 1.0 and SimAI: a table of layers under a mode
 * of parallelism.
 *
 *   HYBRID_TRANSFORMER  model_parallel_NPU_group: 2
 *   57
 *   Embedding  -1  300 ALLGATHER 8388608  1 NONE 0  1 NONE 0  10
 *
 * Line 1: mode and its arguments. Line 2: how many layers. Then one line a layer, 12 words between
 * blanks: name, a reserved number, then for forward, input gradient and weight gradient the time of
 * computing, kind and size of the collective after it; last an update time. HYBRID_CUSTOMIZED has a
 * 13th word, the layer's own mode.
 *
 * Rules:
 *  1. Times are ns: cycles at 1 GHz in ASTRA-sim 1.0, ns in SimAI. (Chakra's converter calls the
 *     same numbers us.) Reserved number and update time are read and not used, as in all three.
 *  2. Kinds: ALLREDUCE, ALLTOALL, ALLGATHER, REDUCESCATTER, NONE; with _EP or _DP_EP behind
 *     (SimAI), among experts' or experts' data-parallel ranks: transformers with ep: in line 1.
 *     BROADCAST is taken as NONE, as both simulators do, with a notice; other words,
 *     ALLREDUCEALLTOALL among them, are refused.
 *  3. The lines there are count, not the number in line 2; if they differ, a notice. Blank lines
 *     are skipped.
 *  4. Damage names line and column (both from 1) and what stood there.
 *  5. SimAI's dialect: the header has ep:, pp:, vpp:, ga:, all_gpus: or pp_comm, or the mode is
 *     HYBRID_TRANSFORMER_FWD_IN_BCKWD without checkpoints (as AICB writes). There an all-gather's
 *     size is what every rank has at the end, in ASTRA-sim's what each gives.
 */
#ifndef ORRERY_WORKLOADS_TEXT_TEXT_FILE_H
#define ORRERY_WORKLOADS_TEXT_TEXT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/notice.h"
#include "model/op.h"

/* X(enumerator, word of the file) */
#define TEXT_MODE_LIST(X)                                                                          \
    X(TEXT_MICRO, "MICRO")                                                                         \
    X(TEXT_DATA, "DATA")                                                                           \
    X(TEXT_DATA_REORDER, "DATA_REORDER")                                                           \
    X(TEXT_MODEL, "MODEL")                                                                         \
    X(TEXT_DATA_MODEL, "HYBRID_DATA_MODEL")                                                        \
    X(TEXT_MODEL_DATA, "HYBRID_MODEL_DATA")                                                        \
    X(TEXT_CUSTOMIZED, "HYBRID_CUSTOMIZED")                                                        \
    X(TEXT_DLRM, "HYBRID_DLRM")                                                                    \
    X(TEXT_DLRM_ENHANCED, "HYBRID_DLRM_ENHANCED")                                                  \
    X(TEXT_TRANSFORMER, "HYBRID_TRANSFORMER")                                                      \
    X(TEXT_TRANSFORMER_RECOMPUTE, "HYBRID_TRANSFORMER_FWD_IN_BCKWD")                               \
    X(TEXT_INFERENCE, "DISTRIBUTED_INFERENCE")

enum text_mode {
#define X(name, word) name,
    TEXT_MODE_LIST(X)
#undef X
        TEXT_MODE_COUNT
};

enum text_pass { TEXT_FORWARD, TEXT_INPUT_GRADIENT, TEXT_WEIGHT_GRADIENT, TEXT_PASSES };

/* Among whom; PLAIN: what mode and pass say. */
enum text_scope { TEXT_PLAIN, TEXT_EXPERT, TEXT_EXPERT_DATA };

struct text_collective {
    bool is_there;
    uint8_t kind;  /* enum collective_kind */
    uint8_t scope; /* enum text_scope */
    uint64_t bytes;
};

struct text_layer {
    const char *name;
    uint64_t compute_ns[TEXT_PASSES];
    struct text_collective collective[TEXT_PASSES];
    enum text_mode mode;              /* of the file, or the layer's own */
    bool is_checkpoint, is_initiator; /* of computing forward again, backward from here */
};

struct text_file {
    enum text_mode mode;
    uint32_t model_group;               /* model_parallel_NPU_group; 1 if absent */
    uint32_t ep, pp, vpp, ga, all_gpus; /* 0: absent */
    uint64_t pp_comm_bytes;             /* read, not simulated (text_graph.h) */
    uint32_t last_bottom_layer;         /* DLRM */
    bool is_simai;                      /* rule 5 */
    struct text_layer *layer;
    uint32_t layer_count;
};

const char *text_mode_name(enum text_mode mode);

/* True if a file begins like a text workload: a word of capitals, and text after it. */
bool text_file_is(const char *path);

/* Memory is `arena`'s. */
enum status text_file_parse(struct text_file *file, const char *path, const void *bytes,
                            size_t length, struct arena *arena, struct notices *notices,
                            struct diag *diag);

#endif
