/*
 * device_op - a node is timed by the models of a device (compute/op_time.h), from the shape of its
 * op.
 *
 * A node without a shape is taken as flop_count bf16 operations on size_bytes bytes; one without
 * those takes its recorded duration. Both are counted in notices (src/run/check_node.c). How far a
 * framework's kernels fall short of the device's is system.matrix-ratio, attention-ratio and
 * memory-ratio.
 */
#ifndef ORRERY_COMPUTE_MODEL_DEVICE_OP_H
#define ORRERY_COMPUTE_MODEL_DEVICE_OP_H

#include "compute/op_time.h"
#include "model/compute.h"

extern const struct compute_ops compute_device;

/* The time of an op on the device of `system`. */
time_ps device_op_time(const struct system_config *system, const struct op_shape *shape,
                       struct op_time *answer);

#endif
