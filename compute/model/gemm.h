/*
 * gemm - matrix products on GPUs.
 */
#ifndef ORRERY_COMPUTE_MODEL_GEMM_H
#define ORRERY_COMPUTE_MODEL_GEMM_H

#include "compute/op_time.h"

extern const struct op_model_ops op_model_gemm;

#endif
