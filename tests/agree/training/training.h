/*
 * training - published training runs as jobs of orrery, and how far the estimate is from them.
 *
 * Rules:
 *  1. A row of training.csv or mlperf_training.csv becomes a model (its own columns; a preset where
 *     the table has no column for what the model needs), a plan, a device, a system and a
 *     framework, by the tables of row_map.c. Nothing is keyed on a row's id, step time or
 *     throughput.
 *  2. One parameter set per device (configs/devices) and framework family (configs/frameworks).
 */
#ifndef ORRERY_TESTS_AGREE_TRAINING_H
#define ORRERY_TESTS_AGREE_TRAINING_H

#include <stdio.h>

#include "base/arena.h"
#include "base/notice.h"
#include "estimate/estimate.h"
#include "workloads/generate/layer_ops.h"

/* X(member, column): texts of a row, "" where the table has no such column. */
#define TRAIN_COLUMN_LIST(X)                                                                       \
    X(id)                                                                                          \
    X(family)                                                                                      \
    X(model)                                                                                       \
    X(layers)                                                                                      \
    X(hidden)                                                                                      \
    X(heads)                                                                                       \
    X(kv_heads)                                                                                    \
    X(head_dim)                                                                                    \
    X(ffn)                                                                                         \
    X(gated_mlp)                                                                                   \
    X(act)                                                                                         \
    X(vocab)                                                                                       \
    X(seq)                                                                                         \
    X(moe_experts)                                                                                 \
    X(moe_topk)                                                                                    \
    X(moe_ffn)                                                                                     \
    X(hardware)                                                                                    \
    X(chips)                                                                                       \
    X(chips_per_node)                                                                              \
    X(accel_per_node)                                                                              \
    X(inter_node)                                                                                  \
    X(tp)                                                                                          \
    X(pp)                                                                                          \
    X(cp)                                                                                          \
    X(dp)                                                                                          \
    X(ep)                                                                                          \
    X(vpp)                                                                                         \
    X(fsdp)                                                                                        \
    X(micro_batch)                                                                                 \
    X(global_batch)                                                                                \
    X(precision)                                                                                   \
    X(seq_parallel)                                                                                \
    X(recompute)                                                                                   \
    X(framework)                                                                                   \
    X(step_time_s)                                                                                 \
    X(mem_gib)                                                                                     \
    X(note)                                                                                        \
    X(complete)

struct train_cells {
#define X(name) const char *name;
    TRAIN_COLUMN_LIST(X)
#undef X
};

struct train_row {
    struct train_cells cell;
    bool is_core; /* in judge_core.csv */
    bool is_mlperf, is_tpu;
    const char *family; /* framework, device: what the table is by */
    const char *device_name, *framework_name, *system_name;
    uint32_t domain; /* chips of an ICI slice; 0: the system's */
    bool is_frozen;  /* LoRA */
    struct model_spec model;
    struct train_plan plan;
    double measured_s;
    uint64_t memory_bytes; /* of the stage that needs most, as the row says it */
    double estimated_s;    /* 0: refused */
    double error_ratio;    /* estimated / measured - 1 */
    double simulated_s;    /* 0: not asked for, or refused */
    struct estimate estimate;
    char refused[160];
};

struct train_table {
    struct train_row *row;
    uint32_t count;
};

/* -- row_table.c -- */

/* Complete rows of the tables in `folder` (or only the others), in the order of files. */
enum status train_table_load(struct train_table *table, const char *folder, bool is_incomplete,
                             struct arena *arena, struct diag *diag);

/* -- row_map.c -- */

/* Names of device, system and framework, and what follows from them. */
void row_map(struct train_row *row);
/* Has `text` the word, letter case apart? */
bool has_word(const char *text, const char *word);

/* -- row_build.c -- */

uint64_t cell_number(const char *cell, uint64_t otherwise);
/* The model from the row's columns over a preset, if one is meant. */
enum status row_model(struct train_row *row, struct arena *arena, struct notices *notices,
                      struct diag *diag);
enum status row_plan(struct train_row *row, const struct framework *framework,
                     struct notices *notices, struct diag *diag);

/* -- row_run.c -- */

/* Simulates the row, after row_model() and row_plan(): row->simulated_s. */
enum status row_simulate(struct train_row *row, const struct framework *framework,
                         const struct tuner_system *system, struct diag *diag);

/* -- suspect.c -- */

/* What is thought to be behind the error of a row. */
const char *row_suspect(const struct train_row *row);

/* -- score.c -- */

struct train_score {
    uint32_t rows, refused;
    double median_ratio, mean_ratio, p90_ratio, bias_ratio;
};

enum train_set { SET_CORE, SET_ALL };

void score_find(const struct train_table *table, enum train_set set, const char *family,
                struct train_score *score);
void score_print(const struct train_table *table, FILE *out);
/* Where the table gives a peak of memory. */
void score_print_memory(const struct train_table *table, FILE *out);
void score_print_worst(const struct train_table *table, uint32_t most, FILE *out);
/* Simulated beside estimated and measured, and the errors of both over the rows that were
 * simulated. */
void score_print_simulated(const struct train_table *table, FILE *out);
void score_print_rows(const struct train_table *table, FILE *out);

/* -- peers.c -- */

/* Calculon's published rows beside ours; quiet if the file is absent. */
enum status peers_print(const char *shared, FILE *out, struct diag *diag);

#endif
