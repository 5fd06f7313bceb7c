/*
 * compute - the promise of a compute model: how long a rank's compute node takes.
 *
 * Rules:
 *  1. duration() is a pure function of the node and the configuration.
 *  2. A node that lacks what the model needs is found by check(), before anything is simulated.
 *  3. *free means: done at once, without occupying its slot for any time (ASTRA-sim's "invalid").
 */
#ifndef ORRERY_MODEL_COMPUTE_H
#define ORRERY_MODEL_COMPUTE_H

#include <stdbool.h>

#include "base/diag.h"
#include "config/config.h"
#include "model/trace.h"

struct compute_ops {
    const char *name;
    const char *summary;

    /* STATUS_OK if duration() can answer for `node`; otherwise says which attribute is missing. */
    enum status (*check)(const struct system_config *system, const struct trace_node *node,
                         struct diag *diag);

    /* How long `node` takes; cut to whole ns if system->whole_ns. */
    time_ps (*duration)(const struct system_config *system, const struct trace_node *node,
                        bool *free);
};

/* All models, NULL-terminated (compute/models.c). */
extern const struct compute_ops *const compute_models[];

/* The model that times `node` under `system`: host nodes and replay-only runs are replayed. */
const struct compute_ops *compute_model_for(const struct system_config *system,
                                            const struct trace_node *node);

#endif
