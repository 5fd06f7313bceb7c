/*
 * systolic_op - matrix products on devices of kind systolic: TPUs and other arrays of multipliers.
 *
 * The product is cut into passes (folds of compute/model/systolic.h), of which each streams one
 * dimension past what stays in an R x C array. Between two passes the wavefront does not drain, and
 * the next stationary operand is loaded meanwhile, in R cycles; so a pass takes max(stream, R)
 * cycles, and a product
 *
 *   cycles = R + (R + C - 2) + ceil(passes x parts / arrays) x max(ceil(stream / parts), R)
 *
 * where `parts` (1, 2, 4 .. arrays; of a dimension that is not summed over) is the number that
 * takes least: few passes on many arrays share a stream. On TPUs a stream is padded to sublanes: 8
 * words of 32 bits, 16 of bf16, 32 of fp8. Array clock = peak / (2 R C arrays), so fp8 or int8 at
 * double rate take half the time.
 *
 *   time = start + max(cycles / (clock x efficiency), DRAM bytes / (bandwidth_ratio x bandwidth)) +
 *   first load
 *
 * start, efficiency and bandwidth_ratio: device.gemm (configs/devices). Traffic: systolic_memory,
 * with the chip's last memory (or VMEM of all cores, if larger); a convolution reads each operand
 * once. Types without a peak are multiplied as device_multiplies_as() says; fp32, tf32 and fp16 of
 * a chip that has none as one bf16 pass, as XLA does by default.
 *
 * TPU v6e, bf16, 8192^3: 1,024 passes on 2 arrays of 256 x 256, 512 x 8192 cycles + 766: 4,195,070;
 * the clock is 918e12 / (2 x 65536 x 2) = 3.5 GHz, efficiency 0.9: 1,331 us. Measured: 1,329 us.
 */
#ifndef ORRERY_COMPUTE_MODEL_SYSTOLIC_OP_H
#define ORRERY_COMPUTE_MODEL_SYSTOLIC_OP_H

#include "compute/model/systolic_memory.h"
#include "compute/op_time.h"

extern const struct op_model_ops op_model_systolic;

/* What the model counts, for tests and for who wants more than a time. */
struct systolic_op {
    struct systolic_array array;
    uint64_t passes, parts;
    uint64_t cycles;
    double clock_hz;     /* of the arrays at peak */
    double stall_cycles; /* of the arrays, at the rate they reach: waiting for DRAM */
    double bytes;        /* of DRAM */
    double compute_ns, memory_ns, first_ns;
};

/* False if the device or the class is none of this model's, with why (NULL: the class). */
bool systolic_op(struct systolic_op *op, const struct device *device, const struct op_shape *shape,
                 bool is_sustained, const char **why);

#endif
